"""A random small library with every kind of dependency between texts, and random edits of it.

A seed determines the library and all its edits. Each edit is chosen from the files on disk, as earlier edits left them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from posixpath import relpath
from random import Random
from typing import NamedTuple

# --- words


def _split(words: str) -> tuple[str, ...]:
    return tuple(words.split("|"))


NAMES = _split(
    "Ember|Tide|Lantern|Whisper|Bow|Mire|Heron|Thorn|Gloom|Echo|Reed|Ash|Box|Ally|Snare|frost|Cold Iron|Bog Lamp|"
    "Quick Step|Long Night|Glass Eye|Salt Road|Moth King|Iron"
)
"""Names of entities. Few, so that kinds share names and a new name is often in other texts already."""
TITLES = _split("Manners|Duels|At Night|Costs|The Garden|What Follows|Second Course|Rain|Ember|Moth King|Heron’s Walk")
"""Titles of sections without entities; some are names of entities."""
PATHS = _split(
    "1 Court|2 Guests|3 Dances|10 Last Dance|Rules/1 Duels|Rules/2 Steps|Rules/Manners|Rules/Deep/Night|"
    "Places/Old Mill|Places/New Ferry|Places/Court|Places/Old Bridge|People/Anna|People/Bram|Notes|Märchen|"
    "Rules/Deep/Rain|People/Guests|People/Cold Iron|Places/New Notes|Garden"
)
"""Paths of texts without suffix. Some have the same file name; some have a title that makes them an entity."""
WORDS = (
    *_split("lamp|hall|rain|bell|queen|stone|river|bridge|2d6+1"),
    *_split("the Garden|Duels|second course|What Follows|table of costs"),
    *("#court/Night", "#Moor", "#moor/reed-bed"),
    *("`dice: [[Old Mill^t1]]`", "`dice: 1d2[[^t1|Result]]`", "`dice: 2d4|avg`", "`dice: [[Rain]]|line`"),
)
TAGS = _split("court|Court|court/night|Moor|moor/reed_bed|moor/reed-bed|7/lamps")
"""Tags. Some differ only in case, and some have an address that another would have."""
PACES = ("slow", "even", "fast")
NEW_LINES = (
    "",
    "**Cost:** 9",
    "**Note**: it ends here.",
    "### Nod",
    "# Second Part",
    "Each has a hand of 4 cards.",
    "| 7 | Stumble | Bow |",
    "> [!note] Rain",
    "> [!question] Rain",
    "%% hidden",
    "[[Nowhere]]",
    "![[Nowhere#Rain]]",
    "- one more",
    "^b1",
)
"""Lines of any kind that an edit puts in the place of another."""

# --- data files

GAME = """\
id: {id}
title: {title}
version: 1.0.0
licence: CC0 1.0
kinds: {kinds}
language: en
sources:
  - {{glob: 'People/*.md', dialect: github}}
  - {{glob: '**/*.md', dialect: obsidian}}
  - {{glob: '**/*.adoc'}}
accent: {{light: '#8A3B00', dark: '#F2B27A'}}
options: {{strict_line_breaks: false}}
"""
SPLIT = ("", "split: true\n", "split: 300\n")
"""Values of `split`."""
KIND_HEAD = """\
required: [id, name]
additionalProperties: false
properties:
  id: {type: string, x-from: slug}
"""
KINDS = {
    "grace": f"""\
title: Grace
x-match: {{heading: 3, under: Graces}}
{KIND_HEAD}  name: {{type: string, x-from: title, x-split: /}}
  aliases: {{type: array, items: {{type: string}}}}
  cost: {{type: integer, default: 1, x-from: 'label:Cost'}}
  opposed_by:
    type: array
    items: {{type: string}}
    x-from: 'label:Opposed by'
    x-split: ',\\s*'
    x-refers: [grace, wound]
""",
    "wound": f"""\
title: Wound
x-match: {{row: Wound}}
{KIND_HEAD}  name: {{type: string, x-from: 'column:Wound'}}
  roll: {{type: object, properties: {{min: {{type: integer}}, max: {{type: integer}}}}, x-from: 'column:Roll'}}
  remedy: {{type: [string, 'null'], x-from: 'column:Remedy', x-refers: [grace]}}
  notes: {{type: array, items: {{type: string}}, x-from: notes}}
""",
    "grade": f"""\
title: Grade
x-match: {{row: Grade, join: DL, on: Pace}}
x-name: '{{grade}}'
{KIND_HEAD.replace("id, name", "id")}  grade: {{type: string, x-from: 'column:Grade'}}
  dl: {{type: [integer, 'null'], x-from: 'column:DL'}}
""",
    "sign": f"""\
title: Sign
x-match: [{{term: lead}}, {{term: definition}}]
x-repeated: label
{KIND_HEAD}  name: {{type: string, x-from: title}}
""",
    "figure": f"""\
title: Figure
x-match:
  phrase:
    Hand: ['hand of (?P<value>\\d+) cards', 'hold (?P<value>\\d+) cards']
    Deck: 'deck of (?P<value>\\d+)'
{KIND_HEAD}  name: {{type: string, x-from: title}}
  value: {{type: integer, x-from: 'capture:value'}}
""",
    "recipe": f"""\
title: Recipe
x-match: {{block: recipe}}
{KIND_HEAD}  name: {{type: string, x-from: title}}
""",
    "creature": f"""\
title: Creature
x-match: {{code: true}}
{KIND_HEAD}  name: {{type: string, x-from: 'meta:name'}}
  size: {{type: integer, default: 1, x-from: 'meta:size'}}
""",
    "place": f"""\
title: Place
x-match: {{document: true, pattern: '^(Old|New) '}}
x-body: paragraph
{KIND_HEAD}  name: {{type: string, x-from: title}}
  aliases: {{type: array, items: {{type: string}}, x-from: 'meta:aliases'}}
  folk: {{type: [integer, 'null'], x-from: 'meta:folk'}}
""",
}
LINKING = (
    "linking: {kinds: {section: ['{}'], table: ['{}', 'table of {}']}}\n",
    "linking: {case: any, never: [Long Night], kinds: {section: ['{}']}}\n",
    "linking: {kinds: {wound: ['{} Wound'], sign: []}, common: [Ember], also: {Frosty: frost}}\n",
    "linking: {shared: {Ember: grace, Tide: wound, Mire: sign, Bow: grace}}\n",
)
RULES = ("", "rules: {}\n", "rules: {Reed: Signs, Note: Meanings, Ember: false}\n", "rules: {Recipe: Kitchen}\n")
CALCULATORS = """\
leap:
  title: Leap
  inputs:
    speed: {{label: Speed, type: integer, min: 0, max: 20, default: 6}}
    grace: {{label: Grace, type: entity, pick: grace, default: {grace}}}
  formula: speed + grace.cost
  result: {{label: Distance, sentence: 'With {{grace}} you leap {{result}}'}}
  citation: {citation}
share:
  title: Share
  inputs:
    guests: {{label: Guests, type: integer, min: 1, max: 9, default: 3}}
  formula: 12 + guests
  result: {{sentence: 'Each of {{guests}} has {{result}}'}}
  citation: {citation}
  examples:
    - {{inputs: {{guests: 2}}, result: 14, citation: {citation}}}
"""
EFFECTS = """\
grace/{grace}:
  - loses: [grace/{grace}]
    citation: {citation}
  - counts_as: [grace/{grace}]
    when: it rains
    citation: {other_citation}
"""
BOARDS = """\
boards:
  - id: screen
    title: Screen
    parts:
      - {kind: grace, fields: [cost, text]}
      - {kind: wound, as: table, fields: [roll]}
      - {table: Prices, fields: [thing, price]}
      - {calculator: share}
"""

# --- parts of a text that edits change

TEXT_SUFFIXES = (".md", ".adoc")
HEADING = re.compile(r"^(?P<marks>#{1,6}|={1,5}) (?P<title>.+)$")
ROW = re.compile(r"^\| ?[^-=].*")
PROSE = re.compile(r"^(?:[-*] )?[A-Z][^|]*\.(?: \^\w+)?$")
BLOCK_ID = re.compile(r" \^(\w+)$", re.MULTILINE)
LINK = re.compile(r"!?\[\[[^\]\n]*\]\]|!?\[[^\]\n]*\]\([^)\n]*\)|<<[^>\n]*>>|xref:\S*\[[^\]\n]*\]")
ALIASES = re.compile(r"^aliases: \[(.*)\]$", re.MULTILINE)
QUOTE = re.compile(r"quote: ([^{}]+)\}")
DEFINED_NAME = re.compile(
    r"^(?:###|===) (?P<heading>[^#\n]+)$|^\| ?\d[^|\n]*\| ?(?P<row>[^|\n]+?) ?\||^\*\*?(?P<lead>[A-Z][\w ]+)\*?\*: |"
    r"^(?P<definition>\w[\w ]*)(?:::| *\n: )|^> \[!recipe\] (?P<block>.+)$|^name: (?P<code>.+)$",
    re.MULTILINE,
)
"""Matches the place where a text defines an entity."""

Files = dict[Path, bytes]
"""Content of each file of a library."""


class Edit(NamedTuple):
    name: str
    changed: frozenset[Path]
    """Files that were written, removed or touched."""

    def __str__(self) -> str:
        return f"{self.name} {', '.join(sorted(path.name for path in self.changed))}"


class _Markup:
    def __init__(self, *, is_asciidoc: bool) -> None:
        self.is_asciidoc = is_asciidoc

    def heading(self, level: int, title: str) -> list[str]:
        return [f"{('=' if self.is_asciidoc else '#') * level} {title}", ""]

    def label(self, label: str, value: str) -> list[str]:
        return [f"*{label}:* {value}" if self.is_asciidoc else f"**{label}:** {value}", ""]

    def lead(self, name: str, text: str) -> list[str]:
        return [f"*{name}*: {text}" if self.is_asciidoc else f"**{name}**: {text}", ""]

    def definition(self, name: str, text: str) -> list[str]:
        return [f"{name}:: {text}", ""] if self.is_asciidoc else [name, f": {text}", ""]

    def table(self, *rows: Sequence[str]) -> list[str]:
        if self.is_asciidoc:
            first, *rest = ("".join(f"|{cell} " for cell in row).rstrip() for row in rows)
            return ["|===", first, "", *rest, "|===", ""]
        first, *rest = (f"| {' | '.join(row)} |" for row in rows)
        return [first, f"|{' --- |' * len(rows[0])}", *rest, ""]


class EditedLibrary:
    def __init__(self, folder: Path, seed: int) -> None:
        """Write the library of a seed into a folder: a game, two games, or a folder of texts without a game."""
        self.folder = folder
        self.random = Random(seed)
        self._history: list[Files] = []
        self._has_records = False
        shape = self.random.choices(("game", "games", "vault"), (6, 2, 2))[0]
        size = min(20, 8 + int(self.random.expovariate(0.5)))
        if shape == "games":
            self._write_file(folder / "library.yaml", "title: All Games\nurl: https://example.org/games/\n")
            kinds = self.random.choice(("kinds", "../kinds"))
            self._write_game(folder / "fen", "fen", size - 3, kinds)
            self._write_game(folder / "moor", "moor", 3, kinds)
        elif shape == "game":
            self._write_game(folder, "fen", size)
        else:
            self._has_records = True
            self._write_texts(folder, size)
            self._connect(folder)

    # --- the library

    def _write_game(self, folder: Path, game_id: str, size: int, kinds: str = "kinds") -> None:
        """Write a game. `kinds` is the folder of its kinds, from its own; two games may share one."""
        self._write_texts(folder, size)
        for name, kind in KINDS.items():
            self._write_file(folder / kinds / f"{name}.yaml", kind)
        game = (
            GAME.format(id=game_id, title=game_id.title(), kinds=kinds)
            + self.random.choice(LINKING)
            + self.random.choice(RULES)
            + self.random.choice(SPLIT)
        )
        grace = _slug(self.random.choice(self._used_names("grace")))
        values = {"grace": grace, "citation": self._citation(folder), "other_citation": self._citation(folder)}
        self._write_file(folder / "calculators" / "rules.yaml", CALCULATORS.format(**values))
        self._write_file(folder / "effects.yaml", EFFECTS.format(**values))
        self._write_file(folder / "game.yaml", game + BOARDS)
        self._connect(folder)

    def _write_texts(self, folder: Path, size: int) -> None:
        """Write texts without links, and share the sections with entities among them."""
        self._unused_names = {kind: self._shuffled(NAMES) for kind in KINDS}
        paths = self._shuffled(PATHS)[:size]
        sections: list[Callable[[_Markup], list[str]]] = [
            *(self._graces, self._graces, self._wounds, self._grades, self._paces),
            # "Note" is a sign if it begins two paragraphs, and a label if it begins more.
            *[self._signs] * self.random.randint(2, 3),
            *(self._figures, self._figures, self._recipes, self._definitions, self._prices, self._rolls),
        ]
        self.random.shuffle(sections)
        for number, path in enumerate(paths):
            is_asciidoc = self.random.random() < 0.15
            markup = _Markup(is_asciidoc=is_asciidoc)
            # In a vault most notes share properties, so that kinds are found.
            without = 0.1 if self._has_records else 0.5
            lines = [] if is_asciidoc or self.random.random() < without else self._front_matter()
            lines += markup.heading(1, path.rpartition("/")[2].lstrip("0123456789 "))
            for section in (*sections[number :: len(paths)], self._notes):
                lines += section(markup)
            self._write_file(folder / f"{path}{'.adoc' if is_asciidoc else '.md'}", "\n".join(lines).rstrip() + "\n")
        for path in ("img/map.png", "Rules/map.png", "sheet.pdf", "img/plan.svg")[: self.random.randint(1, 4)]:
            self._write_file(folder / path, self._picture(path))

    def _connect(self, folder: Path) -> None:
        """Add the links between texts, which need the headings of all texts."""
        for file in self._texts(folder):
            for _ in range(self.random.randint(1, 3)):
                self._link_in(file)
            if self.random.random() < 0.5:
                # Only of later texts: without a cycle, which is an error.
                self._embed_in(file, [text for text in self._texts(folder) if text > file])

    def _front_matter(self) -> list[str]:
        lines = ["---"]
        if self.random.random() < 0.4:
            lines.append(f"title: {self.random.choice(('Old', 'New', 'The'))} {self._name_of('place')}")
        if self.random.random() < 0.7:
            lines.append(f"aliases: [{', '.join(self.random.sample(NAMES, self.random.randint(1, 2)))}]")
        if self.random.random() < 0.5:
            lines.append(f"tags: [{', '.join(self.random.sample(TAGS, self.random.randint(1, 2)))}]")
        if self._has_records:
            lines.append(f"pace: {self.random.choice((*PACES, '7'))}")
            lines.append(f"friend: {self._friend()}")
        return [*lines, f"folk: {self.random.randint(2, 900)}", "---", ""]

    def _friend(self) -> str:
        """A link in a property; the words may be the same for several targets."""
        name = self.random.choice(PATHS).rpartition("/")[2]
        return self.random.choice((f"'[[{name}]]'", f"'[[{name}|a friend]]'", f"'`dice: 1d6` of [[{name}|them]]'"))

    def _name_of(self, kind: str) -> str:
        return self._unused_names[kind].pop()

    def _used_names(self, kind: str) -> list[str]:
        return [name for name in NAMES if name not in self._unused_names[kind]]

    def _graces(self, markup: _Markup) -> list[str]:
        lines = markup.heading(2, "Graces")
        for _ in range(self.random.randint(1, 3)):
            name = self._name_of("grace")
            name += f"/{self.random.choice(NAMES)}ing" if self.random.random() < 0.2 else ""
            lines += markup.heading(3, name) + self._paragraph()
            lines += markup.label("Cost", str(self.random.randint(1, 9)))
            if self.random.random() < 0.5:
                names = self.random.choice(NAMES), self.random.choice(self._used_names("grace"))
                lines += markup.label("Opposed by", ", ".join(names))
        return lines

    def _wounds(self, markup: _Markup) -> list[str]:
        rows = [("Roll", "Wound", "Remedy")]
        for number in range(1, self.random.randint(2, 4)):
            mark = self.random.choice(("", "", "*"))
            rows.append(
                (
                    f"{2 * number - 1}-{2 * number}",
                    self._name_of("wound"),
                    self.random.choice(self._used_names("grace") or NAMES) + mark,
                )
            )
        return [*markup.heading(2, "Wounds"), *markup.table(*rows), "Not at night.*", ""]

    def _grades(self, markup: _Markup) -> list[str]:
        rows = [(grade, self.random.choice(PACES)) for grade in ("Easy", "Hard", "Dire")]
        return markup.heading(2, "Grades") + markup.table(("Grade", "Pace"), *rows)

    def _paces(self, markup: _Markup) -> list[str]:
        rows = [(pace, str(self.random.randint(2, 20))) for pace in PACES]
        return markup.heading(2, "Paces") + markup.table(("Pace", "DL"), *rows)

    def _signs(self, markup: _Markup) -> list[str]:
        lines = markup.heading(2, "Signs")
        for name in (self._name_of("sign"), "Note", self._name_of("sign")):
            lines += markup.lead(name, self._sentence())
        return lines

    def _definitions(self, markup: _Markup) -> list[str]:
        return markup.heading(2, "Meanings") + markup.definition(self._name_of("sign"), self._sentence())

    def _figures(self, markup: _Markup) -> list[str]:
        cards = self.random.randint(3, 9)
        phrase = self.random.choice((f"Each has a hand of {cards} cards.", f"There is a deck of {cards}0."))
        return [*markup.heading(2, self.random.choice(TITLES)), f"{phrase} {self._sentence()}", ""]

    def _recipes(self, markup: _Markup) -> list[str]:
        lines = markup.heading(2, "Kitchen")
        if markup.is_asciidoc:
            return lines + self._paragraph()
        lines += [f"> [!recipe] {self._name_of('recipe')}", f"> {self._sentence()}", ""]
        lines += [f"> [!question] {self.random.choice(TITLES)}", f"> {self._sentence()} Ruling: {self._sentence()}", ""]
        return [*lines, "```kismet creature", f"name: {self._name_of('creature')}", "size: 3", "```", ""]

    def _prices(self, markup: _Markup) -> list[str]:
        rows = [(name, str(self.random.randint(1, 9))) for name in self.random.sample(NAMES, 2)]
        return markup.heading(2, "Prices") + markup.table(("Thing", "Price"), *rows)

    def _rolls(self, markup: _Markup) -> list[str]:
        rows = [(str(number), self._sentence()) for number in range(1, 5)]
        lines = markup.heading(2, self.random.choice(TITLES)) + markup.table(("d4", "Result"), *rows)
        return lines if markup.is_asciidoc else [*lines, "^t1", ""]

    def _notes(self, markup: _Markup) -> list[str]:
        lines = markup.heading(2, self.random.choice(TITLES)) + self._paragraph()
        if self.random.random() < 0.3:
            lines += [f"{'*' if markup.is_asciidoc else '-'} {self._sentence()}" for _ in range(2)] + [""]
        if self.random.random() < 0.4:
            note = self._sentence()
            lines += (
                [f"It ends.footnote:[{note}]", ""]
                if markup.is_asciidoc
                else ["It ends here.[^1]", "", f"[^1]: {note}", ""]
            )
        if self.random.random() < 0.5:
            lines += markup.heading(3, self.random.choice(TITLES)) + self._paragraph()
        if self.random.random() < 0.5 and not markup.is_asciidoc:
            lines += [f"{self._sentence()} ^b{self.random.randint(1, 3)}", ""]
        return lines

    def _paragraph(self) -> list[str]:
        between = self.random.choice((" ", "\n"))
        return [between.join(self._sentence() for _ in range(self.random.randint(1, 3))), ""]

    def _sentence(self) -> str:
        """A sentence, in most cases with the name of an entity."""
        name, word = self.random.choice(NAMES), self.random.choice(WORDS)
        plural = f"{name[:-1]}ies" if name.endswith("y") else f"{name}es" if name.endswith("x") else f"{name}s"
        forms = (
            f"A guest meets {name} near the {word}.",
            f"Here the {name} waits by the {word}.",
            f"A **{name}** is a {word}.",
            f"Some {plural} leave the {word} before it ends.",
            f"Whoever sees {name}’s shadow rolls 2d6 and the {word}.",
            f"{name} is seen, and {name} Wound follows.",
            f"Nobody fears {name.lower()} at the {word}.",
            f"The {word} is old and the hall is cold.",
        )
        return self.random.choice(forms)

    def _citation(self, folder: Path) -> str:
        """A citation of three words of a text, below the heading that they are under."""
        file = self.random.choice([text for text in self._texts(folder) if any(self._prose(text))])
        lines, number = _lines(file), self.random.choice([*self._prose(file)])
        headings = filter(None, map(HEADING.match, lines[:number]))
        heading = [heading["title"] for heading in headings][-1:] or [""]
        words = re.findall(r"[\w’+]+", lines[number])
        start = self.random.randrange(max(1, len(words) - 2))
        return f"{{document: {file.stem}, heading: '{heading[0]}', quote: {' '.join(words[start : start + 3])}}}"

    def _picture(self, path: str) -> str:
        shape = f"<rect width='{self.random.randint(1, 99)}' height='9'/>"
        return f"<svg xmlns='http://www.w3.org/2000/svg'>{shape}</svg>" if path.endswith(".svg") else shape

    def _shuffled(self, items: Sequence[str]) -> list[str]:
        return self.random.sample(items, len(items))

    # --- edits

    def edit(self) -> Edit:
        while True:
            before = self._files()
            make = self.random.choices(tuple(EDITS), tuple(EDITS.values()))[0]
            touched = make(self) or frozenset()
            after = self._files()
            changed = {file for file in before.keys() | after.keys() if before.get(file) != after.get(file)}
            if changed or touched:
                self._history.append(before)
                return Edit(make.__name__.lstrip("_"), touched | changed)

    def undo(self) -> Edit:
        """Restore the files from before the last edit that is not undone yet; without one, edit."""
        if not self._history:
            return self.edit()
        before, now = self._history.pop(), self._files()
        changed = {file for file in before.keys() | now.keys() if before.get(file) != now.get(file)}
        for file in changed:
            if file in before:
                self._write_file(file, before[file])
            else:
                file.unlink()
        return Edit("undo", frozenset(changed))

    def _files(self) -> Files:
        return {file: file.read_bytes() for file in self.folder.rglob("*") if file.is_file()}

    def _write_file(self, file: Path, content: str | bytes) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content)

    def _games(self) -> list[Path]:
        """The folders of texts: of each game, or of the library if it has no games."""
        return sorted(file.parent for file in self.folder.rglob("game.yaml")) or [self.folder]

    def _texts(self, folder: Path) -> list[Path]:
        return sorted(file for file in folder.rglob("*") if file.suffix in TEXT_SUFFIXES)

    def _game_and_text(self) -> tuple[Path, Path]:
        game = self.random.choice(self._games())
        return game, self.random.choice(self._texts(game) or [self._new_text(game)])

    def _text(self) -> Path:
        return self._game_and_text()[1]

    def _prose(self, file: Path) -> Iterator[int]:
        return (number for number, line in enumerate(_lines(file)) if PROSE.match(line))

    def _change_line(self, file: Path, numbers: Sequence[int], change: Callable[[str], str]) -> None:
        if numbers:
            lines, number = _lines(file), self.random.choice(numbers)
            lines[number] = change(lines[number])
            self._write_file(file, "\n".join(lines))

    def _change_match(self, file: Path, pattern: re.Pattern[str], change: Callable[[re.Match[str]], str]) -> None:
        text = _text_of(file)
        if found := [*pattern.finditer(text)]:
            match = self.random.choice(found)
            self._write_file(file, text[: match.start()] + change(match) + text[match.end() :])

    # Words and lines

    def _change_words(self) -> None:
        def change(line: str) -> str:
            words = line.split(" ")
            number = self.random.randrange(len(words))
            new = self.random.choice((self.random.choice(WORDS), self.random.choice(NAMES), ""))
            replaced = " ".join([*words[:number], *([new] if new else []), *words[number + 1 :]])
            return self.random.choice((replaced, f"{self._sentence()} {line}"))

        file = self._text()
        self._change_line(file, [*self._prose(file)], change)

    def _change_any_line(self) -> None:
        file = self._text()
        lines = _lines(file)
        number, other = (self.random.randrange(len(lines)) for _ in range(2))
        new = self.random.choice(
            (
                [],
                [lines[number]] * 2,
                [lines[other]],
                [re.sub(r"\d+", str(self.random.randint(2, 30)), lines[number])],
                [self.random.choice(NEW_LINES)],
            )
        )
        self._write_file(file, "\n".join([*lines[:number], *new, *lines[number + 1 :]]))

    # Links

    def _add_link(self) -> None:
        self._link_in(self._text())

    def _add_embed(self) -> None:
        game, file = self._game_and_text()
        self._embed_in(file, self._texts(game))

    def _remove_link(self) -> None:
        self._change_match(self._text(), LINK, lambda _: self.random.choice(("there", "")))

    def _link_in(self, file: Path) -> None:
        link = self._new_link(file)
        self._change_line(file, [*self._prose(file)], lambda line: f"See {link} first. {line}")

    def _new_link(self, file: Path) -> str:
        """A link to a text of the game, to a part of one, or to an attachment."""
        game = next((game for game in self._games() if game in file.parents), self.folder)
        target = self.random.choice(self._texts(game))
        text, path = _text_of(target), target.relative_to(game).as_posix()
        from_folder = relpath(path, file.parent.relative_to(game).as_posix())
        titles = [match["title"] for match in map(HEADING.match, text.split("\n")) if match] or ["Nothing"]
        title = self.random.choice(titles)
        if file.suffix == ".adoc":
            own = [match["title"] for match in map(HEADING.match, _lines(file)) if match]
            return self.random.choice(
                (
                    f"<<{own[-1] if own else title}>>",
                    f"xref:{from_folder}[there]",
                    f"<<{from_folder}#{_slug(title)},there>>",
                )
            )
        aliases = [alias for found in ALIASES.findall(text) for alias in found.split(", ")]
        attachments = self._attachments(game)
        forms = [
            f"[[{target.stem}]]",
            f"[[{path.rpartition('.')[0]}|there]]",
            f"[[{target.stem}#{title}]]",
            f"[[{target.stem}#{titles[0]}#{title}|this]]",
            f"[[{target.stem}#{self.random.choice(TITLES)}]]",
            f"[there](<{from_folder}>)",
            f"[there](<{from_folder}#{_slug(title)}>)",
            *(f"[[{alias}]]" for alias in aliases),
            *(f"[[{target.stem}#^{block}]]" for block in BLOCK_ID.findall(text)),
            *(f"[[{other.name}]]" for other in attachments[:1]),
            *(f"[[#{match['title']}]]" for match in map(HEADING.match, _lines(file)[-9:]) if match),
        ]
        return self.random.choice(forms)

    def _embed_in(self, file: Path, targets: Sequence[Path]) -> None:
        """Add an embed of one of these texts, of a part of one, or of an attachment, as a paragraph of its own."""
        if file.suffix == ".adoc" or not targets:
            return
        target = self.random.choice(targets)
        text = _text_of(target)
        titles = [match["title"] for match in map(HEADING.match, text.split("\n")) if match]
        game = next((game for game in self._games() if game in file.parents), self.folder)
        forms = [
            f"![[{target.stem}]]",
            *(f"![[{target.stem}#{title}]]" for title in titles),
            *(f"![[{target.stem}#^{block}]]" for block in BLOCK_ID.findall(text) * 2),
            *(f"![[{other.name}|100]]" for other in self._attachments(game)),
        ]
        embed = self.random.choice(forms)
        self._change_line(file, [*self._prose(file)], lambda line: f"{line}\n\n{embed}")

    # Headings

    def _rename_heading(self) -> None:
        file = self._text()
        new = self.random.choice((*TITLES, "Graces", "Signs"))
        self._change_line(
            file,
            _numbers(file, HEADING),
            lambda line: f"{line.partition(' ')[0]} {self.random.choice((new, line[2:] + 's'))}",
        )

    def _add_heading(self) -> None:
        file = self._text()
        marks = ("=" if file.suffix == ".adoc" else "#") * self.random.randint(2, 4)
        heading = f"{marks} {self.random.choice(TITLES)}"
        self._change_line(file, [*self._prose(file)], lambda line: f"{heading}\n\n{line}")

    def _remove_heading(self) -> None:
        file = self._text()
        self._change_line(file, _numbers(file, HEADING), lambda _: "")

    def _move_section(self) -> None:
        """Exchange two neighbouring parts of a text that begin with headings."""
        file = self._text()
        lines, starts = _lines(file), _numbers(file, HEADING)[1:]
        if len(starts) > 1:
            index = self.random.randrange(len(starts) - 1)
            start, middle, end = [*starts, len(lines)][index : index + 3]
            moved = [*lines[:start], *lines[middle:end], *lines[start:middle], *lines[end:]]
            self._write_file(file, "\n".join(moved))

    def _change_front_matter(self) -> None:
        file = self._text()
        text = _text_of(file)
        key, value = self.random.choice(
            (
                ("title", self.random.choice((*TITLES, "Old Tower", "New Tower"))),
                ("aliases", f"[{', '.join(self.random.sample(NAMES, self.random.randint(0, 3)))}]"),
                ("folk", str(self.random.randint(1, 999))),
                ("tags", f"[{', '.join(self.random.sample(TAGS, self.random.randint(0, 3)))}]"),
                ("publish", self.random.choice(("false", "true"))),
                *((("pace", self.random.choice((*PACES, "none"))),) if self._has_records else ()),
                *((("friend", self._friend()),) if self._has_records else ()),
            )
        )
        line = self.random.choice((f"{key}: {value}\n", f"{key}: {value}\n", ""))
        if not text.startswith("---\n"):
            self._write_file(file, f"---\n{line}---\n{text}" if line else text)
            return
        head, end, body = text[4:].partition("---\n")
        kept = "".join(f"{old}\n" for old in head.splitlines() if not old.startswith(f"{key}:"))
        self._write_file(file, f"---\n{line}{kept}{end}{body}")

    # Entities

    def _change_cell(self) -> None:
        file = self._text()

        def change(line: str) -> str:
            cells = line.split("|")
            cells[self.random.randrange(1, len(cells))] = f" {self.random.choice((*NAMES, *PACES, '3', '7-8', ''))} "
            return "|".join(cells)

        self._change_line(file, _numbers(file, ROW), change)

    def _add_row(self) -> None:
        file = self._text()

        def change(line: str) -> str:
            values = (str(self.random.randint(2, 12)), self.random.choice(NAMES), self.random.choice(PACES))
            end = " |" if file.suffix == ".md" else ""
            row = "| " + " | ".join(self.random.sample(values, min(3, line.count("|") - len(end) // 2))) + end
            return f"{line}\n{row}"

        self._change_line(file, _numbers(file, ROW)[1:], change)

    def _remove_row(self) -> None:
        file = self._text()
        if rows := _numbers(file, ROW)[1:]:
            removed, lines = self.random.choice(rows), _lines(file)
            self._write_file(file, "\n".join(line for number, line in enumerate(lines) if number != removed))

    def _rename_entity(self) -> None:
        """Rename an entity where a text defines it, or everywhere."""
        game, file = self._game_and_text()
        found = [match for match in DEFINED_NAME.finditer(_text_of(file)) if match.lastgroup]
        if not found:
            return
        match = self.random.choice(found)
        group = match.lastgroup or ""
        old, new = match[group], self.random.choice((*NAMES, f"Great {match[group]}", "Note"))
        if self.random.random() < 0.5:
            text = _text_of(file)
            self._write_file(file, text[: match.start(group)] + new + text[match.end(group) :])
            return
        for other in self._texts(game):
            if re.search(rf"\b{re.escape(old)}\b", text := _text_of(other)):
                self._write_file(other, re.sub(rf"\b{re.escape(old)}\b", lambda _: new, text))

    # Data files

    def _change_quote(self) -> None:
        """Change a cited passage in the text, or the quote in a data file."""
        game = self.random.choice(self._games())
        files = [file for file in (*sorted(game.glob("calculators/*")), game / "effects.yaml") if file.is_file()]
        if not files:
            return
        file = self.random.choice(files)
        quotes = QUOTE.findall(_text_of(file))
        if self.random.random() < 0.3 or not quotes:
            self._change_match(
                file, QUOTE, lambda match: f"quote: {self.random.choice((match[1] + 's', 'the hall is'))}}}"
            )
            return
        quote = self.random.choice(quotes)
        for text in self._texts(game):
            if quote in _text_of(text):
                new = self.random.choice((f"{quote} indeed", quote.replace(" ", " *no* ", 1), quote.upper(), ""))
                self._write_file(text, _text_of(text).replace(quote, new))

    def _change_data(self, file: Path, values: Sequence[tuple[str, Sequence[str]]]) -> None:
        """Replace one match of a pattern in a data file with one of its values."""
        if file.is_file() and (found := [item for item in values if re.search(item[0], _text_of(file), re.MULTILINE)]):
            pattern, replacements = self.random.choice(found)
            self._change_match(file, re.compile(pattern, re.MULTILINE), lambda _: self.random.choice(replacements))

    def _change_game(self) -> None:
        values = (
            (r"^title: .*$", ("title: Fenland", "title: Ember", "title: Moor and Fen")),
            (r"^version: .*$", ("version: 1.0.1", "version: 2")),
            (
                r"^accent: .*$",
                ("accent: {light: '#7A1230', dark: '#FFB3C7'}", "accent: {light: '#004F6B', dark: '#9AD5EC'}"),
            ),
            (r"^language: .*$", ("language: de", "language: en")),
            (r"^linking: .*\n", LINKING),
            (r"^rules: .*\n", RULES),
            (r"^split: .*\n", SPLIT),
            (r"strict_line_breaks: \w+", ("strict_line_breaks: true", "strict_line_breaks: false")),
            (r"^\Z", ("order: [wound, grace]\n", "description: Of reeds.\n")),
            (r"title: Screen", ("title: All at Hand",)),
            (r"fields: \[roll\]", ("fields: [roll, remedy]", "fields: [remedy]")),
            (r"^id: .*$", ("id: marsh",)),
            (r", dialect: obsidian", ("", ", dialect: github")),
        )
        self._change_data(self.random.choice(self._games()) / "game.yaml", values)

    def _add_or_remove_game(self) -> None:
        """Remove the file of a game, or add one: without it, the folder contains no game or a plain vault."""
        game = self.random.choice(self._games()) / "game.yaml"
        if game.is_file():
            game.unlink()
        else:
            self._write_file(game, GAME.format(id="heath", title="Heath", kinds="kinds"))

    def _change_library(self) -> None:
        values = (
            (r"^title: .*$", ("title: Our Games", "title: Games")),
            (r"^url: .*\n", ("", "url: https://example.org\n")),
        )
        self._change_data(self.folder / "library.yaml", values)

    def _change_kind(self) -> None:
        values = (
            (r"^title: (\w+)$", ("title: Grace", "title: Sign", "title: Marvel")),
            (r"^title: (\w+)$", ("title: Marvel\nx-plural: Marvelous Things", "title: Marvel\nx-colour: sky")),
            (r"\(Old\|New\) ", ("(Old|New|The) ", "Old ")),
            (r"under: Graces", ("under: Signs", "under: [Graces, Signs]")),
            (r"heading: 3", ("heading: [3, 4]",)),
            (r"x-repeated: label\n", ("",)),
            (r"x-refers: \[grace", ("x-refers: [sign, grace",)),
            (r"required: \[id, name\]", ("required: [id]",)),
            (r"hand of", ("deck of",)),
            (r"on: Pace", ("on: Grade",)),
        )
        if kinds := self._kinds():
            self._change_data(self.random.choice(kinds), values)

    def _kinds(self) -> list[Path]:
        return sorted(self.folder.rglob("kinds/*.yaml"))

    def _add_or_remove_kind(self) -> None:
        if not (kinds := self._kinds()):
            return
        file = self.random.choice(kinds).with_stem(self.random.choice((*KINDS, "charm")))
        if file in kinds:
            file.unlink()
        else:
            self._write_file(file, KINDS.get(file.stem, KINDS["grace"].replace("Grace\n", "Charm\n")))

    def _change_calculator(self) -> None:
        values = (
            (r"formula: 12", ("formula: 13", "formula: 24")),
            (r"^  title: .*$", ("  title: Long Leap", "  title: Ember")),
            (r"label: \w+", ("label: Steps", "label: Paces")),
            (r"default: 6", ("default: 7",)),
            (r"result: 14", ("result: 15",)),
            (r"(?s)\nshare:.*", ("\n",)),
            (r"loses: \[sight\]", ("loses: [sight, hearing]", "unsaid: It is dark")),
            (r"die: penalty", ("die: bonus",)),
            (r"^grace/[\w-]+:$", (f"grace/{_slug(self.random.choice(NAMES))}:",)),
        )
        game = self.random.choice(self._games())
        self._change_data(self.random.choice((game / "calculators" / "rules.yaml", game / "effects.yaml")), values)

    # Files

    def _add_text(self) -> None:
        self._new_text(self.random.choice(self._games()))

    def _new_text(self, game: Path) -> Path:
        name = self.random.choice((*PATHS, *(f"Places/{name}" for name in NAMES)))
        file = game / f"{name}{self.random.choice(('.md', '.md', '.adoc'))}"
        markup = _Markup(is_asciidoc=file.suffix == ".adoc")
        self._unused_names = {kind: self._shuffled(NAMES) for kind in self._unused_names}
        section = self.random.choice((self._graces, self._signs, self._wounds, self._paces, self._figures, self._notes))
        self._write_file(file, "\n".join([*markup.heading(1, file.stem), *self._paragraph(), *section(markup)]))
        return file

    def _rename_text(self) -> None:
        game, file = self._game_and_text()
        new = game / f"{self.random.choice(PATHS)}{file.suffix}"
        new.parent.mkdir(parents=True, exist_ok=True)
        file.rename(new)

    def _remove_text(self) -> None:
        self._text().unlink()

    def _attachments(self, game: Path) -> list[Path]:
        return sorted(file for file in game.rglob("*") if file.suffix in (".png", ".svg", ".pdf"))

    def _add_attachment(self) -> None:
        path = self.random.choice(("map.png", "Places/map.png", "img/map.png", "People/plan.svg", "sheet.pdf"))
        self._write_file(self.random.choice(self._games()) / path, self._picture(path))

    def _remove_attachment(self) -> None:
        if attachments := self._attachments(self.random.choice(self._games())):
            self.random.choice(attachments).unlink()

    def _touch(self) -> frozenset[Path]:
        file = self.random.choice(sorted(self._files()))
        file.write_bytes(file.read_bytes())
        return frozenset((file,))

    def _hide_folder(self) -> None:
        """Name a folder of note templates in the settings of the vault: its texts are not part of the library."""
        folder = self.random.choice(("People", "Places", "Rules/Deep"))
        self._write_file(self.folder / ".obsidian" / "templates.json", f'{{"folder": "{folder}"}}')

    def _break_text(self) -> None:
        """Write a fault: of the front matter, the encoding, the line ends, a field, or a mark without an end."""
        file = self._text()
        text = _text_of(file)
        broken = (
            f"---\ntitle: [\n---\n{text}",
            f"{text}\n\udcff\n",
            f"\ufeff{text}",
            text.replace("\n", "\r\n"),
            f"{text}\n```\n[[",
            f"{text}\n**Cost:** many\n",
            "",
        )
        self._write_file(file, self.random.choice(broken))

    def _break_data(self) -> None:
        if files := sorted(file for file in self.folder.rglob("*.yaml")):
            file = self.random.choice(files)
            self._write_file(file, _text_of(file) + self.random.choice(("]", "x-nothing: 1\n", "\udcff", ": ")))


Method = Callable[[EditedLibrary], frozenset[Path] | None]

EDITS: dict[Method, int] = {
    EditedLibrary._change_words: 12,
    EditedLibrary._change_any_line: 6,
    EditedLibrary._add_link: 4,
    EditedLibrary._add_embed: 4,
    EditedLibrary._remove_link: 4,
    EditedLibrary._rename_heading: 5,
    EditedLibrary._add_heading: 3,
    EditedLibrary._remove_heading: 3,
    EditedLibrary._move_section: 3,
    EditedLibrary._change_front_matter: 6,
    EditedLibrary._change_cell: 4,
    EditedLibrary._add_row: 3,
    EditedLibrary._remove_row: 3,
    EditedLibrary._rename_entity: 6,
    EditedLibrary._change_quote: 4,
    EditedLibrary._change_game: 6,
    EditedLibrary._change_library: 3,
    EditedLibrary._add_or_remove_game: 1,
    EditedLibrary._change_kind: 4,
    EditedLibrary._add_or_remove_kind: 1,
    EditedLibrary._change_calculator: 4,
    EditedLibrary._add_text: 4,
    EditedLibrary._rename_text: 4,
    EditedLibrary._remove_text: 3,
    EditedLibrary._add_attachment: 3,
    EditedLibrary._remove_attachment: 2,
    EditedLibrary._touch: 2,
    EditedLibrary._hide_folder: 1,
    EditedLibrary._break_text: 2,
    EditedLibrary._break_data: 1,
}
"""Relative frequency of each edit."""


def _text_of(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "surrogateescape")


def _lines(file: Path) -> list[str]:
    return _text_of(file).split("\n")


def _numbers(file: Path, pattern: re.Pattern[str]) -> list[int]:
    return [number for number, line in enumerate(_lines(file)) if pattern.match(line)]


def _slug(title: str) -> str:
    return re.sub(r"[^\w-]", "", title.lower().replace(" ", "-"))

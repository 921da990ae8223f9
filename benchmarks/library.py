"""Write a made-up library of any size, to measure how a build grows with what it builds.

The pages are GitHub Markdown that every peer can read as well: links are paths to files, and headings are plain words.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

PER_FOLDER = 100
SHORTEST, LONGEST = 3_200, 4_800
"""Bytes of a page, so that one has about 4 kB."""
HAZARDS_EVERY = 10
"""One page of so many has a table whose rows are entries."""

GAME = """\
id: generated
title: Generated Library
version: 1.0.0
licence: CC0 1.0
attribution: Written by a program to be measured.
description: Pages of no meaning in the shape of rules.
sources:
  - {glob: '**/*.md', dialect: github}
kinds: kinds
"""

KINDS = {
    "skill": """\
title: Skill
description: What a character is trained in.
x-match: {heading: 3, under: Skill}
required: [id, name, ability, cost, damage, opposed_by]
additionalProperties: false
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title}
  ability: {enum: [might, grace, wit, nerve], x-from: 'label:Ability', x-case: lower}
  cost: {type: integer, minimum: 1, maximum: 9, x-from: 'label:Cost'}
  damage: {type: string, x-from: 'label:Damage'}
  opposed_by:
    title: Opposed by
    type: array
    items: {type: string}
    x-from: label:Opposed by
    x-split: ',\\s*'
    x-refers: [skill]
""",
    "condition": """\
title: Condition
description: A state that a character is in until something ends it.
x-match: {term: definition}
required: [id, name]
additionalProperties: false
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title}
""",
    "hazard": """\
title: Hazard
description: What goes wrong, by the roll of a die.
x-match: {row: Hazard, under: Hazards}
required: [id, name, roll, damage]
additionalProperties: false
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: 'column:Hazard'}
  roll: {type: integer, minimum: 1, maximum: 6, x-from: 'column:d6'}
  damage: {type: string, x-from: 'column:Damage'}
""",
}
"""The kind files of the library, by kind: a heading with labels, a term with its meaning, and a row of a table."""


def _choices(words: str) -> tuple[str, ...]:
    return tuple(words.split("|"))


SYLLABLES = [first + second for first in "bdgklmnrst" for second in "aeiou"]
ENDINGS = ("th", "rn", "lm", "sk")
ABILITIES = ("Might", "Grace", "Wit", "Nerve")
DICE = ("1d4", "1d6", "1d8+1", "2d6", "2d8+2", "3d6", "1d10+3", "2d4+1")
AILMENTS = ("Fever", "Haze", "Chill")
MISHAPS = ("Snare", "Backlash", "Slip", "Echo", "Spill", "Break")
WHO = _choices(
    "the acting player|the host|a bystander|the nearest ally|each opponent|a guard|the newcomer|whoever spoke"
)
DOES = _choices(
    "draws a card|marks one point|moves two tiles|sets a token aside|rolls again|keeps the higher die|loses the turn|"
    "names a target|gives up a step|turns the board|adds the bonus|waits for the bell|pays the cost|passes the lantern"
)
WHEN = _choices(
    "before the round ends|after the first roll|while the light holds|if nobody objects|when the total is even|"
    "as long as the path is open|unless the table agrees otherwise|once in every scene|at the end of the watch"
)
THING = _choices("harbour|orchard|bridge|tunnel|market|tower|ferry|mill|archive|garden|quarry|kitchen|stable|workshop")
LIKE = _choices("old|narrow|flooded|quiet|crowded|frozen|painted|hidden|crooked|windy|dim|borrowed|rusty|distant")
HEADINGS = ("Preparation", "Execution", "Costs", "Limits", "Failure", "Recovery", "Variants", "Advancement")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page is, and what it is about."""

    number: int

    @property
    def path(self) -> str:
        """Its file in the library."""
        return f"folder-{self.number // PER_FOLDER:03}/page-{self.number:04}.md"

    @property
    def name(self) -> str:
        """A word that no other page has: its number, spelled with syllables."""
        rest, spelled = self.number, ""
        for _ in range(3):
            rest, one = divmod(rest, len(SYLLABLES))
            spelled += SYLLABLES[one]
        return spelled.capitalize() + ENDINGS[self.number % len(ENDINGS)]

    @property
    def title(self) -> str:
        """The title of the page."""
        return f"The Book of {self.name}"

    @property
    def headings(self) -> tuple[str, str]:
        """Two headings of the page that others link to."""
        turn = self.number % len(HEADINGS)
        return f"{HEADINGS[turn]} of {self.name}", f"{HEADINGS[turn - 3]} of {self.name}"


def write(folder: Path, pages: int, seed: int = 0, *, is_thin: bool = False) -> None:
    """Write a library of so many pages into a folder, with its `game.yaml` and its kinds; each seed makes other pages.

    Raises `ValueError` for more pages than there are names, or none.
    """
    if pages < 1 or pages > len(SYLLABLES) ** 3:
        raise ValueError(f"from 1 to {len(SYLLABLES) ** 3} pages can be named, not {pages}")
    texts = {Place(number).path: page(number, pages, seed, is_thin=is_thin) for number in range(pages)}
    for path, text in (game_files(is_thin=is_thin) | texts).items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")


def game_files(*, is_thin: bool = False) -> dict[str, str]:
    """What makes a game of the pages, by path; a thin one has no kinds, and so no entries."""
    if is_thin:
        return {"game.yaml": GAME.replace("kinds: kinds\n", "")}
    return {"game.yaml": GAME, **{f"kinds/{kind}.yaml": text for kind, text in KINDS.items()}}


def page(number: int, pages: int, seed: int = 0, *, is_thin: bool = False) -> str:
    """The text of one page; it depends on nothing but its number, how many pages there are, and the seed.

    It has as many tables, links and lists as the books in `content/`, which say what the originals say in half as many
    words; a thin page has as few as the originals.
    """
    return (_Thin if is_thin else _Page)(Place(number), pages, Random(f"{seed} {number} {pages}")).text()


class _Page:
    """One page while it is written."""

    def __init__(self, place: Place, pages: int, random: Random) -> None:
        self.place = place
        self.pages = pages
        self.random = random

    def text(self) -> str:
        """All of it: what every page has, then paragraphs and lists until it is long enough."""
        place = self.place
        first, second = place.headings
        head = f"---\ntitle: {place.title}\n---\n\n# {place.title}\n\n{self.paragraph()}\n\n"
        skill = f"## Skill\n\n### {place.name}\n\n{self.fields()}\n\n{self.paragraph()}\n\n"
        table = f"## {first}\n\n{self.paragraph()}\n\n{self.roll_table()}\n\n"
        costs = f"### {second}\n\n{self.list()}\n\n{self.cost_table()}\n\n"
        if place.number % HAZARDS_EVERY == 0:
            costs += f"## Hazards\n\n{self.hazards()}\n\n"
        ailment = f"{place.name} {AILMENTS[place.number % len(AILMENTS)]}"
        meaning = f"## Words\n\n{ailment}\n: {self.sentence()} {self.sentence()}\n\n"
        return self.filled([head, skill, table, costs, meaning, "## Notes\n\n"], self.paragraph_of_notes)

    def filled(self, pieces: list[str], more: Callable[[], str]) -> str:
        """A text of some pieces, with as many more as make it long enough."""
        wanted = self.random.randint(SHORTEST, LONGEST)
        size = sum(map(len, pieces))
        while size < wanted:
            pieces.append(more() + "\n\n")
            size += len(pieces[-1])
        return "".join(pieces).rstrip() + "\n"

    def sentence(self) -> str:
        """A sentence of no meaning in the tone of rules."""
        random = self.random
        where = f"in the {random.choice(LIKE)} {random.choice(THING)}"
        who, when = random.choice(WHO), random.choice(WHEN)
        one, then = random.sample(DOES, 2)
        form = random.choice(("{who} {one} {where} and {then} {when}", "{when} {who} {one}; {where} one {then}"))
        said = form.format(where=where, who=who, one=one, then=then, when=when)
        return said[0].upper() + said[1:] + "."

    def paragraph(self) -> str:
        """Some sentences, one of which links, emphasizes or holds dice."""
        random = self.random
        asides = (
            f"See {self.link()} for what follows.",
            f"This works like {self.link()}, but costs *twice* as much.",
            f"Roll {random.choice(DICE)} and add the **bonus** of the character.",
            f"Write `{random.choice(DICE)}` on the sheet beside {self.other().name}.",
            f"It begins where [the notes](#notes) end, and never with {self.link()}.",
        )
        sentences = [self.sentence() for _ in range(random.randint(2, 3))]
        sentences.insert(random.randint(1, len(sentences)), random.choice(asides))
        return " ".join(sentences)

    def paragraph_of_notes(self) -> str:
        """A paragraph, of which some begin with bold words."""
        return self.run_in() if self.random.random() < 0.3 else self.paragraph()

    def run_in(self) -> str:
        """A paragraph that begins with bold words."""
        return f"**{self.random.choice(LIKE).capitalize()} {self.random.choice(THING)}.** {self.paragraph()}"

    def other(self) -> Place:
        """Another page, mostly one near by."""
        number = self.place.number
        near = self.random.random() < 0.6
        number += self.random.randint(1, PER_FOLDER // 2) if near else self.random.randrange(self.pages)
        return Place(number % self.pages)

    def link(self) -> str:
        """A link to another page, or to a heading of it."""
        other = self.other()
        folder, _, file = other.path.partition("/")
        address = file if folder == self.place.path.partition("/")[0] else f"../{other.path}"
        if self.random.random() < 0.5:
            return f"[{other.title}]({address})"
        heading = self.random.choice(other.headings)
        return f"[{heading}]({address}#{heading.lower().replace(' ', '-')})"

    def fields(self) -> str:
        """What the kind file of skills asks for, as labels."""
        random = self.random
        labels = {
            "Ability": random.choice(ABILITIES),
            "Cost": str(random.randint(1, 9)),
            "Damage": random.choice(DICE),
            "Opposed by": f"{self.other().name}, {self.other().name}",
        }
        return "\n".join(f"- **{label}:** {value}" for label, value in labels.items())

    def list(self) -> str:
        """A list, one item of which has items of its own."""
        items = [f"- {self.sentence()}" for _ in range(3)]
        items.insert(1, f"  - {self.link()}\n  - {self.sentence()}")
        return "\n".join(items)

    def roll_table(self) -> str:
        """A table that is rolled on."""
        results = (f"{self.random.choice(DOES).capitalize()}, {self.random.choice(WHEN)}" for _ in range(6))
        rows = "\n".join(f"| {number} | {result} |" for number, result in enumerate(results, 1))
        return f"| d6 | Result |\n| --- | --- |\n{rows}"

    def cost_table(self) -> str:
        """A table of numbers, dice and links."""
        rows = [
            f"| {tier} | {10 + 5 * tier} | {self.random.choice(DICE)} | {self.link()} |"
            for tier in range(1, self.random.randint(4, 5))
        ]
        return "| Tier | Target | Damage | Needs |\n| ---: | ---: | --- | --- |\n" + "\n".join(rows)

    def hazards(self) -> str:
        """The table whose rows are entries."""
        rows = [
            f"| {number} | {self.place.name} {mishap} | {self.random.choice(DICE)} |"
            for number, mishap in enumerate(MISHAPS, 1)
        ]
        return "| d6 | Hazard | Damage |\n| ---: | --- | --- |\n" + "\n".join(rows)


class _Thin(_Page):
    """A page with as much prose between its tables and links as a book has that nobody condensed."""

    def text(self) -> str:
        first, second = self.place.headings
        title = self.place.title
        head = f"---\ntitle: {title}\n---\n\n# {title}\n\n{self.prose()}\n\n## {first}\n\n{self.prose()}\n\n"
        table = f"{self.roll_table()}\n\n"
        items = "\n".join(f"- {self.sentence()}" for _ in range(3))
        rest = f"### {second}\n\n{self.paragraph()}\n\n{items}\n\n## Notes\n\n{self.paragraph()}\n\n{self.run_in()}\n\n"
        return self.filled([head, table, rest], self.paragraph_of_notes)

    def paragraph_of_notes(self) -> str:
        return self.paragraph() if self.random.random() < 0.5 else self.prose()

    def prose(self) -> str:
        """Sentences and nothing else."""
        return " ".join(self.sentence() for _ in range(self.random.randint(2, 4)))

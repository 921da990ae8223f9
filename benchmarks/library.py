"""Generate a library of any size, to measure how the time of a build grows with its library.

The pages of `write` are GitHub Markdown that every peer can read: links are paths to files, and headings are plain
words.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

PER_FOLDER = 100
MIN_SIZE, MAX_SIZE = 3_200, 4_800
"""Limits, in characters, of the random size up to which a page is filled."""
HAZARDS_INTERVAL = 10
"""Number of pages from one with a table of hazards, whose rows are entries, to the next."""

GAME = Path(__file__).parent / "generated_game"
"""The folder with `game.yaml` and the kinds, whose entries are headings with labels, terms with definitions, and rows
of tables.
"""


def _split(words: str) -> list[str]:
    return words.split("|")


SYLLABLES = [first + second for first in "bdgklmnrst" for second in "aeiou"]
ENDINGS = ("th", "rn", "lm", "sk")
ABILITIES = ("Might", "Grace", "Wit", "Nerve")
DICE = ("1d4", "1d6", "1d8+1", "2d6", "2d8+2", "3d6", "1d10+3", "2d4+1")
AILMENTS = ("Fever", "Haze", "Chill")
MISHAPS = ("Snare", "Backlash", "Slip", "Echo", "Spill", "Break")
SUBJECTS = _split(
    "the acting player|the host|a bystander|the nearest ally|each opponent|a guard|the newcomer|whoever spoke"
)
ACTIONS = _split(
    "draws a card|marks one point|moves two tiles|sets a token aside|rolls again|keeps the higher die|loses the turn|"
    "names a target|gives up a step|turns the board|adds the bonus|waits for the bell|pays the cost|passes the lantern"
)
CONDITIONS = _split(
    "before the round ends|after the first roll|while the light holds|if nobody objects|when the total is even|"
    "as long as the path is open|unless the table agrees otherwise|once in every scene|at the end of the watch"
)
PLACES = _split("harbour|orchard|bridge|tunnel|market|tower|ferry|mill|archive|garden|quarry|kitchen|stable|workshop")
ADJECTIVES = _split("old|narrow|flooded|quiet|crowded|frozen|painted|hidden|crooked|windy|dim|borrowed|rusty|distant")
GERMAN_SENTENCES = _split(
    "Wer zuerst am Zug ist, legt eine Karte in die Mitte und nimmt sich danach einen Stein|"
    "Danach darf jede Figur noch ein Feld weiter gehen, wenn sie nicht am Rand steht|"
    "Bei einem Gleichstand entscheidet die Spielleitung, ob noch einmal gewürfelt wird|"
    "Für die Überfahrt zahlt die Gruppe 2 Münzen oder würfelt mit 1W6 gegen die Strömung|"
    "Das Licht brennt bis zum Ende der Szene, außer jemand öffnet die Tür|"
    "Nur mit einem Schlüssel aus der Mühle kommt man über die Brücke"
)
HEADINGS = ("Preparation", "Execution", "Costs", "Limits", "Failure", "Recovery", "Variants", "Advancement")


@dataclass(frozen=True, slots=True)
class PageId:
    """The number of a page, and the names made from it."""

    number: int

    @property
    def path(self) -> str:
        return f"folder-{self.number // PER_FOLDER:03}/page-{self.number:04}.md"

    @property
    def name(self) -> str:
        """A unique word: the number of the page in syllables."""
        rest, word = self.number, ""
        for _ in range(3):
            rest, digit = divmod(rest, len(SYLLABLES))
            word += SYLLABLES[digit]
        return word.capitalize() + ENDINGS[self.number % len(ENDINGS)]

    @property
    def title(self) -> str:
        return f"The Book of {self.name}"

    @property
    def headings(self) -> tuple[str, str]:
        """Two headings of the page that other pages link to."""
        index = self.number % len(HEADINGS)
        return f"{HEADINGS[index]} of {self.name}", f"{HEADINGS[index - 3]} of {self.name}"


def write(folder: Path, pages: int, seed: int = 0, *, is_thin: bool = False) -> None:
    """Write a library into a folder, with its `game.yaml` and kinds.

    A thin library has no kinds and therefore no entries. Raises `ValueError` for zero pages, or more pages than names.
    """
    if pages < 1 or pages > len(SYLLABLES) ** 3:
        raise ValueError(f"from 1 to {len(SYLLABLES) ** 3} pages can be named, not {pages}")
    sources = [GAME / "game.yaml"] if is_thin else GAME.rglob("*.yaml")
    files = {file.relative_to(GAME).as_posix(): file.read_text(encoding="utf-8") for file in sources}
    if is_thin:
        files["game.yaml"] = files["game.yaml"].replace("kinds: kinds\n", "")
    files |= {PageId(number).path: page(number, pages, seed, is_thin=is_thin) for number in range(pages)}
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")


def write_notes(folder: Path, notes: int, *, are_records: bool) -> None:
    """Write a plain vault of thin pages, 100 in each folder.

    `are_records`: whether all have the same eight properties.
    """
    for number in range(notes):
        page_id, random = PageId(number), Random(f"records {number}")
        text = page(number, notes, is_thin=True)
        if are_records:
            properties = {
                "level": random.randint(0, 9),
                "weight": random.randint(1, 40) / 4,
                "ability": random.choice(ABILITIES),
                "damage": random.choice(DICE),
                "rare": random.choice(("true", "false")),
                "place": random.choice(PLACES),
                "made": f"20{random.randint(10, 25)}-0{random.randint(1, 9)}-1{random.randint(0, 9)}",
                "subjects": f"[{random.choice(ADJECTIVES)}, {random.choice(ADJECTIVES)}]",
            }
            lines = "".join(f"{name}: {value}\n" for name, value in properties.items())
            text = text.replace("---\n", f"---\n{lines}", 1)
        file = folder / page_id.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")


def write_vault(folder: Path, notes: int, *, are_records: bool = True) -> None:
    """Write a plain vault in German with links by title, 100 notes in each folder.

    `are_records`: whether the notes have five properties of different types and two tags, one of them nested.
    """
    for number in range(notes):
        page_id, random = PageId(number), Random(f"vault {number}")
        near = number - number % PER_FOLDER
        others = [PageId(near + random.randrange(min(PER_FOLDER, notes - near))) for _ in range(3)]
        properties = {
            "Stufe": random.randint(0, 9),
            "Gewicht": f'"{random.randint(1, 40)} kg"',
            "Schaden": random.choice(("1W6", "2W6+1", "1W8")),
            "Selten": random.choice(("true", "false")),
            "Nachbar": f'"[[{others[0].name}]]"',
            "tags": f"[ort/{random.choice(PLACES)}, {random.choice(ADJECTIVES)}]",
        }
        lines = "".join(f"{name}: {value}\n" for name, value in properties.items())
        head = f"---\n{lines}---\n" if are_records else ""
        paragraphs = [
            f"{'. '.join(random.choices(GERMAN_SENTENCES, k=4))}. Siehe [[{other.name}]] und **{other.name}**."
            for other in others
        ]
        table = "| W6 | Ergebnis |\n| --- | --- |\n" + "".join(
            f"| {result} | {random.choice(GERMAN_SENTENCES)} |\n" for result in range(1, 7)
        )
        text = (
            f"{head}# {page_id.name}\n\n{paragraphs[0]}\n\n## Ablauf\n\n{paragraphs[1]}\n\n{table}\n{paragraphs[2]}\n"
        )
        file = folder / f"Ordner {number // PER_FOLDER}" / f"{page_id.name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")


def page(number: int, pages: int, seed: int = 0, *, is_thin: bool = False) -> str:
    """The text of one page, which depends only on the arguments. A thin page has fewer tables, links and lists."""
    return (_ThinPageText if is_thin else _PageText)(PageId(number), pages, Random(f"{seed} {number} {pages}")).text()


class _PageText:
    """The text of a page. Each call of `random` affects all later choices, so the order of calls matters."""

    def __init__(self, page_id: PageId, pages: int, random: Random) -> None:
        self.page_id = page_id
        self.pages = pages
        self.random = random

    def text(self) -> str:
        page_id = self.page_id
        first, second = page_id.headings
        head = f"---\ntitle: {page_id.title}\n---\n\n# {page_id.title}\n\n{self.paragraph()}\n\n"
        skill = f"## Skill\n\n### {page_id.name}\n\n{self.fields()}\n\n{self.paragraph()}\n\n"
        table = f"## {first}\n\n{self.paragraph()}\n\n{self.roll_table()}\n\n"
        costs = f"### {second}\n\n{self.list()}\n\n{self.cost_table()}\n\n"
        if page_id.number % HAZARDS_INTERVAL == 0:
            costs += f"## Hazards\n\n{self.hazards()}\n\n"
        ailment = f"{page_id.name} {AILMENTS[page_id.number % len(AILMENTS)]}"
        meaning = f"## Words\n\n{ailment}\n: {self.sentence()} {self.sentence()}\n\n"
        return self.fill([head, skill, table, costs, meaning, "## Notes\n\n"], self.paragraph_of_notes)

    def fill(self, parts: list[str], paragraph: Callable[[], str]) -> str:
        size = self.random.randint(MIN_SIZE, MAX_SIZE)
        text = "".join(parts)
        while len(text) < size:
            text += paragraph() + "\n\n"
        return text.rstrip() + "\n"

    def sentence(self) -> str:
        """A meaningless sentence in the tone of rules."""
        random = self.random
        where = f"in the {random.choice(ADJECTIVES)} {random.choice(PLACES)}"
        who, when = random.choice(SUBJECTS), random.choice(CONDITIONS)
        first, then = random.sample(ACTIONS, 2)
        forms = (f"{who} {first} {where} and {then} {when}", f"{when} {who} {first}; {where} one {then}")
        words = random.choice(forms)
        return words[0].upper() + words[1:] + "."

    def paragraph(self) -> str:
        """Sentences, one of them with a link, emphasis or dice."""
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
        return self.run_in() if self.random.random() < 0.3 else self.paragraph()

    def run_in(self) -> str:
        return f"**{self.random.choice(ADJECTIVES).capitalize()} {self.random.choice(PLACES)}.** {self.paragraph()}"

    def other(self) -> PageId:
        number = self.page_id.number
        near = self.random.random() < 0.6
        number += self.random.randint(1, PER_FOLDER // 2) if near else self.random.randrange(self.pages)
        return PageId(number % self.pages)

    def link(self) -> str:
        other = self.other()
        folder, _, file = other.path.partition("/")
        address = file if folder == self.page_id.path.partition("/")[0] else f"../{other.path}"
        if self.random.random() < 0.5:
            return f"[{other.title}]({address})"
        heading = self.random.choice(other.headings)
        return f"[{heading}]({address}#{heading.lower().replace(' ', '-')})"

    def fields(self) -> str:
        """The labels that the kind file of skills reads."""
        random = self.random
        labels = {
            "Ability": random.choice(ABILITIES),
            "Cost": str(random.randint(1, 9)),
            "Damage": random.choice(DICE),
            "Opposed by": f"{self.other().name}, {self.other().name}",
        }
        return "\n".join(f"- **{label}:** {value}" for label, value in labels.items())

    def list(self) -> str:
        items = [f"- {self.sentence()}" for _ in range(3)]
        items.insert(1, f"  - {self.link()}\n  - {self.sentence()}")
        return "\n".join(items)

    def roll_table(self) -> str:
        results = (f"{self.random.choice(ACTIONS).capitalize()}, {self.random.choice(CONDITIONS)}" for _ in range(6))
        rows = "\n".join(f"| {number} | {result} |" for number, result in enumerate(results, 1))
        return f"| d6 | Result |\n| --- | --- |\n{rows}"

    def cost_table(self) -> str:
        rows = [
            f"| {tier} | {10 + 5 * tier} | {self.random.choice(DICE)} | {self.link()} |"
            for tier in range(1, self.random.randint(4, 5))
        ]
        return "| Tier | Target | Damage | Needs |\n| ---: | ---: | --- | --- |\n" + "\n".join(rows)

    def hazards(self) -> str:
        rows = [
            f"| {number} | {self.page_id.name} {mishap} | {self.random.choice(DICE)} |"
            for number, mishap in enumerate(MISHAPS, 1)
        ]
        return "| d6 | Hazard | Damage |\n| ---: | --- | --- |\n" + "\n".join(rows)


class _ThinPageText(_PageText):
    """The text of a page with more prose between its tables and links."""

    def text(self) -> str:
        first, second = self.page_id.headings
        title = self.page_id.title
        head = f"---\ntitle: {title}\n---\n\n# {title}\n\n{self.prose()}\n\n## {first}\n\n{self.prose()}\n\n"
        table = f"{self.roll_table()}\n\n"
        items = "\n".join(f"- {self.sentence()}" for _ in range(3))
        rest = f"### {second}\n\n{self.paragraph()}\n\n{items}\n\n## Notes\n\n{self.paragraph()}\n\n{self.run_in()}\n\n"
        return self.fill([head, table, rest], self.paragraph_of_notes)

    def paragraph_of_notes(self) -> str:
        return self.paragraph() if self.random.random() < 0.5 else self.prose()

    def prose(self) -> str:
        return " ".join(self.sentence() for _ in range(self.random.randint(2, 4)))

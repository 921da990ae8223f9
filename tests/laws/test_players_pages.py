"""What players see: no ids, places in source files, words of the compiler, or empty elements."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

import pytest

from kismet_build.cli.explain import diagnostic_codes
from tests.conftest import BuiltTree
from tests.laws.test_site import VOID

READ_ALOUD = ("alt", "aria-label", "data-label", "data-paper", "data-place", "placeholder", "title")
"""Attributes with words that a reader sees or hears."""
FILLED_BY_SCRIPTS = ("_pins", "_lists", "data-pick", "situation-chosen", "situation-offered")
"""Ids, attributes and classes of elements that are empty without scripts."""
MAY_NOT_BE_EMPTY = frozenset(
    (
        *("article", "aside", "dd", "details", "div", "dl", "dt", "figure", "h1", "h2", "h3", "h4", "h5", "h6"),
        *("li", "nav", "ol", "p", "section", "summary", "table", "tbody", "ul"),
    )
)
GAMES = ("kismet", "kiss", "legend", "marchen")
UNWANTED = {
    "address": re.compile(r"https?://"),
    "id": re.compile(rf"(?<![\w./])(?:{'|'.join(GAMES)})/[a-z0-9*]"),
    "source file": re.compile(r"\.(?:md|ya?ml|json)\b"),
    "line number": re.compile(r"\blines? \d", re.IGNORECASE),
    "diagnostic code": re.compile(rf"\b(?:{'|'.join(diagnostic_codes())})\b"),
    "value of a program": re.compile(r"\b(?:undefined|NaN|nan|null|Traceback|object Object)\b|\{\w+\}|\w__\w"),
}


@dataclass
class Shown(HTMLParser):
    """The words of a page that readers see or hear, and its empty elements."""

    words: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    _open: list[tuple[str, bool]] = field(default_factory=list)
    """Open elements, with whether their words are hidden."""
    _emptiest: str = ""
    """The start tag of the innermost element, if it has had no content."""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        is_tool = "source" in attributes.get("class", "").split()
        is_hidden = tag in ("head", "script", "style", "template") or is_tool or bool(self._open and self._open[-1][1])
        if not is_hidden:
            self.words += [attributes[name] for name in READ_ALOUD if name in attributes]
        self._emptiest = ""
        if tag not in VOID:
            self._open.append((tag, is_hidden))
            text = self.get_starttag_text() or ""
            if tag in MAY_NOT_BE_EMPTY and not any(name in text for name in FILLED_BY_SCRIPTS):
                self._emptiest = text

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            self._open.pop()
        if self._emptiest:
            self.empty.append(self._emptiest)
        self._emptiest = ""

    def handle_data(self, data: str) -> None:
        if data.strip():
            self._emptiest = ""
            if self._open and not self._open[-1][1]:
                self.words.append(data)


def read(html: str) -> Shown:
    shown = Shown()
    shown.feed(html)
    shown.close()
    return shown


def unwanted(words: list[str]) -> list[str]:
    return [
        f"{sort}: {text[max(0, match.start() - 30) : match.end() + 30]}"
        for text in words
        for sort, pattern in UNWANTED.items()
        for match in pattern.finditer(text)
    ]


@pytest.mark.parametrize("game", GAMES)
def test_pages_of_players_show_nothing_of_the_compiler(content: BuiltTree, game: str) -> None:
    """On all pages of a game except its Data page, which is for tool makers."""
    found = []
    files = sorted((content.folder / game).rglob("*.html"))
    roles = set()
    for file in [content.folder / "index.html", content.folder / "glossary" / "index.html", *files]:
        path = file.relative_to(content.folder).as_posix()
        html = file.read_text(encoding="utf-8")
        if path.startswith(f"{game}/downloads/"):
            continue
        role = re.search(r'<body class="(\w+)', html)
        roles.add(role[1] if role else "redirect")
        shown = read(html)
        found += [f"{path}: {words}" for words in (*unwanted(shown.words), *shown.empty)]
    assert found == [], "\n".join(found[:20])
    assert {"library", "home", "chapter", "kind", "entity", "calculators", "glossary", "print", "pins"} <= roles


def test_page_of_an_entity_has_id_source_and_data_behind_one_link(content: BuiltTree) -> None:
    page = (content.folder / "kismet/condition/prone/index.html").read_text(encoding="utf-8")
    [tools] = re.findall(r'<details class="source">.*?</details>', page, re.DOTALL)
    assert re.search(r"<summary>Source and data</summary>", tools)
    assert "<code>kismet/condition/prone</code>" in tools
    assert re.search(r"10 COMBAT RULES\.md, lines \d+–\d+", tools)
    assert 'href="../../../data/kismet/condition/prone.json"' in tools
    assert '<link rel="alternate" type="application/json" href="../../../data/kismet/condition/prone.json">' in page


@pytest.mark.parametrize(
    "words",
    [
        "It is kismet/condition/prone.",
        "10 COMBAT RULES.md",
        "Text, line 12",
        "An unresolved-link in the text",
        "Rank undefined",
        "{name} pays",
    ],
)
def test_words_of_the_compiler_are_found(words: str) -> None:
    assert len(unwanted(read(f"<p>{words}</p><details class='source'><p>{words}</p></details>").words)) == 1


def test_empty_elements_are_found() -> None:
    assert read('<ul>\n</ul><p> <b>A</b></p><ul class="situation-chosen"></ul><dl><dd></dd></dl>').empty == [
        "<ul>",
        "<dd>",
    ]

"""AsciiDoc is parsed as Asciidoctor parses it: a rule book, its restatement and cases of our own."""

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import pytest

from kismet_build.model.nodes import walk
from kismet_build.model.source import Source
from kismet_build.parse import read
from tests.case_page import read_expanded, read_page
from tests.command import CONTENT, ROOT, skip_without, skip_without_originals
from tests.comparable_form import Form, convert_blocks, parse_asciidoctor_html

BOOKS = {
    "original": ROOT.parent / "shared/rulebooks/kiss/kiss.adoc",
    "restatement": CONTENT / "kiss/kiss.adoc",
}
CASES = ROOT / "tests/data/asciidoctor-cases.txt"
SEPARATOR = "\n%%%\n"
TEXT = "Page.adoc"
PAGES = sorted((ROOT / "tests/pages/dialects").glob("asciidoc-*.md"))

UNNUMBERED = [f"-a{name}!" for name in ("toc", *(f"{sort}-caption" for sort in ("table", "example", "figure")))]
"""Attributes that disable numbers and words which Asciidoctor adds."""

KNOWN_DIFFERENCES = {
    "Of a formula in AsciiMath, the words stay": "a script of the page would set it",
    "Two pluses of dice keep the text between them": "both pluses would be lost",
    "Listings can show values, and words without their marks": "code has no link that keeps the address",
    "A plus between dice stays a plus at the end of a line": "the plus would be lost",
    "An admonition that is typed as a term is an admonition": "the author means one",
    "A list directly below a paragraph is a list": "the author means one",
    "A last row that is too short is kept": "what is in it would be lost",
    "An unknown word in brackets is kept as text": "it would be lost",
    "A link to an included file stays in the text": "Asciidoctor only knows paths from the folder of the text",
    "Sounds and videos become links": "our pages play none",
    "A formula in LaTeX is typeset": "a script of the page would set it",
    "A link can lead to another document": "we link documents, Asciidoctor the pages that it makes of them",
    "Words in brackets before a mark are text": "they would be lost",
    "A second name of a place leads to the same place": "a block has one name here",
    "A section of a special kind is a section": "here an appendix has a letter only if sections have numbers",
    "Tabs are shown in order": "Asciidoctor needs an extension for them",
    "A collapsible block is folded": "it is a folded callout here",
    "The title of an image is a title": "it is below the image here, as on the pages of Asciidoctor",
    "Keys, buttons and menus are shown if the text enables them": "buttons and menus are bold here",
    "Numbers may be typed": "the author's first number counts",
}
"""Cases of test pages that we parse differently on purpose, with the reason."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The output of Asciidoctor for each text, by name; one process renders all."""
    program = shutil.which("asciidoctor")
    if program is None:
        skip_without("Asciidoctor", fails_in_ci=True)
    folder = tmp_path_factory.mktemp("asciidoctor")
    for name, files in texts().items():
        for path, text in files.items():
            (folder / name / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / name / path).write_text(text, encoding="utf-8")
    shown = sorted(folder.glob(f"*/{TEXT}"))
    command = [program, "-s", "-ashowtitle", *UNNUMBERED, "-q", *map(str, shown)]
    subprocess.run(command, check=True, timeout=120)
    return {file.parent.name: file.with_suffix(".html").read_text(encoding="utf-8") for file in shown}


def texts() -> dict[str, dict[str, str]]:
    """All texts that are compared, each as `Page.adoc` with the files that it includes."""
    books = {name: {TEXT: file.read_text(encoding="utf-8")} for name, file in BOOKS.items() if file.is_file()}
    own = {f"case-{number}": {TEXT: text} for number, text in enumerate(cases())}
    return books | own | {f"page-{number}": files for number, (_, files) in enumerate(page_cases())}


def cases() -> list[str]:
    return CASES.read_text(encoding="utf-8").split(SEPARATOR)


def page_cases() -> list[tuple[str, dict[str, str]]]:
    return [
        (case.title, {TEXT: fence.text, **case.included})
        for page in PAGES
        for case in read_page(page)
        for fence in case.inputs("adoc")
        if fence.info[1] == "asciidoc"
    ]


def ours(text: str, included: Mapping[str, str] = MappingProxyType({})) -> list[Form]:
    return convert_blocks(read_expanded(Source(TEXT, text), "asciidoc", included, lambda _: None).blocks)


@pytest.mark.parametrize("number", range(len(cases())))
def test_case_is_parsed_as_asciidoctor_renders_it(pages: dict[str, str], number: int) -> None:
    assert ours(cases()[number]) == parse_asciidoctor_html(pages[f"case-{number}"])


@pytest.mark.parametrize("number", range(len(page_cases())))
def test_test_page_case_equals_asciidoctor_except_known_differences(pages: dict[str, str], number: int) -> None:
    title, files = page_cases()[number]
    is_equal = ours(files[TEXT], files) == parse_asciidoctor_html(pages[f"page-{number}"])
    assert is_equal is (title not in KNOWN_DIFFERENCES)


def test_every_known_difference_is_a_case() -> None:
    assert set(KNOWN_DIFFERENCES) <= {title for title, _ in page_cases()}


@pytest.mark.parametrize(
    ("book", "differences"),
    [
        ("original", {"glued list": 2, "eaten plus": 1, "aside as a term": 2}),
        ("restatement", {"letter of the appendix": 1}),
    ],
)
def test_book_is_parsed_as_asciidoctor_renders_it(
    pages: dict[str, str], book: str, differences: dict[str, int]
) -> None:
    if book not in pages:
        skip_without_originals()
    reasons: Counter[str] = Counter()
    expected = [
        form for block in parse_asciidoctor_html(pages[book]) for form in with_known_differences(block, book, reasons)
    ]
    actual = ours(BOOKS[book].read_text(encoding="utf-8"))
    for place, (actual_form, expected_form) in enumerate(zip(actual, expected, strict=False)):
        assert actual_form == expected_form, f"block {place}"
    assert len(actual) == len(expected)
    assert reasons == differences


@pytest.mark.parametrize("book", BOOKS)
def test_ids_of_a_book_equal_those_of_asciidoctor(pages: dict[str, str], book: str) -> None:
    if book not in pages:
        skip_without_originals()
    generated = re.compile(r"_footnote.*|footnotes|preamble")
    expected = [name for name in re.findall(r' id="([^"]+)"', pages[book]) if not generated.fullmatch(name)]
    source = Source("Page.adoc", BOOKS[book].read_text(encoding="utf-8"))
    nodes = walk(*read(source, "asciidoc", lambda _: None).blocks)
    names = [getattr(node, "id", "") or getattr(node, "block_id", "") for node in nodes]
    assert [name for name in names if name] == expected


def with_known_differences(block: Form, book: str, reasons: Counter[str]) -> Iterator[Form]:
    """A block of Asciidoctor with our interpretation applied; counts each reason for a difference."""
    match block:
        case ("paragraph", words) if match := re.fullmatch(r"(.*:) \* (.*)", words):
            reasons["glued list"] += 1
            yield ("paragraph", match[1])
            yield ("list", None, [[("paragraph", item)] for item in match[2].split(" * ")])
        case ("paragraph", words) if re.search(r"d10<br>d6", words):
            reasons["eaten plus"] += 1
            yield ("paragraph", words.replace("d10<br>d6", "d10 + d6"))
        case ("terms", [("NOTE", meaning)]):
            reasons["aside as a term"] += 1
            yield ("note", "note", "", meaning)
        case ("heading", level, name, words) if words.startswith("Appendix A: ") and book == "restatement":
            reasons["letter of the appendix"] += 1
            yield ("heading", level, name, words.removeprefix("Appendix A: "))
        case _:
            yield block


def test_compared_book_has_all_types_of_blocks() -> None:
    counts = Counter(form[0] for form in ours(BOOKS["restatement"].read_text(encoding="utf-8")))
    assert {"heading", "paragraph", "terms", "table", "note", "list"} <= set(counts)
    assert counts["heading"] > 20
    assert counts["table"] >= 8


def test_number_of_cases_is_at_least_the_minimum() -> None:
    assert len(cases()) > 100
    assert len(page_cases()) > 70

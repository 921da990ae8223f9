"""A book has every word of its texts, inside the page, and every page number at a reference is that of its target."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from io import BytesIO
from itertools import chain, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
import typst
from pypdf import PdfReader

from kismet_build.config.load_library import load_library
from kismet_build.driver.books import MadeBook
from kismet_build.driver.compile import compile_game
from kismet_build.extensions.book.make_book import DESIGN, FONTS, pdf_book
from kismet_build.extensions.book.parts import parts
from kismet_build.extensions.book.typst_book import BookOptions, book_json, typst_book
from kismet_build.extensions.book.typst_fragments import string
from kismet_build.model.book import Chapter
from kismet_build.model.memo import Memo
from kismet_build.model.nodes import (
    Callout,
    Code,
    CodeBlock,
    FootnoteDefinition,
    FootnoteReference,
    HardBreak,
    Image,
    Inline,
    Link,
    Math,
    Node,
    RawInline,
    SoftBreak,
    Statblock,
    Table,
    Text,
    children,
    flatten_layout,
    plain_text,
)
from kismet_build.pack import Pack
from kismet_build.render.pages.board import panels
from tests.command import CONTENT, GAMES, ROOT, kismet_process, skip_without_originals
from tests.hard.fuzz.targets import compile_notes
from tests.pdf import SOFT_HYPHEN, Char, OpenPdf
from tests.sample import sample

MILLIMETRE = 72 / 25.4
INSIDE, OUTSIDE, GUTTER = 19 * MILLIMETRE, 17 * MILLIMETRE, 7 * MILLIMETRE
TOP, BOTTOM = 21 * MILLIMETRE, 20 * MILLIMETRE
"""The margins of A4 in `site/book/kismet.typ`."""
WIDTH, HEIGHT = 210 * MILLIMETRE, 297 * MILLIMETRE
COLUMN = (WIDTH - INSIDE - OUTSIDE - GUTTER) / 2
CONTENTS_PAGE = 3
"""The first page in columns, after the cover and the imprint."""
BODY_SIZE, RUNNING_SIZE = 9.2, 0.82 * 9.2
DESCENT = 5.0
"""Points by which the box of a letter may be higher or lower than its line."""
OVERHANG = 4.0
"""Points by which commas and hyphens may hang out of a column, which makes its edge look straight."""
REFERENCE = re.compile(r"\(p\.\s?(\d+)\)")
RUN = re.compile(r"(\d+)(?:–\d+)?")
"""Pages in the index."""
HEADING = re.compile("H[1-9]")
WORD = re.compile(r"\w+")
BREAKS = {ord(SOFT_HYPHEN): None, ord("\u200b"): None}
"""Characters inside a word at which a line may end."""


@cache
def pack_of(game: str) -> Pack:
    library = load_library(CONTENT, None, lambda _: None)
    (found,) = [each for each in library.games if each.id == game]
    return compile_game(found, lambda _: None)


@cache
def book_of(game: str) -> MadeBook:
    return pdf_book(pack_of(game), BookOptions())


@cache
def pdf_of(game: str) -> OpenPdf:
    return OpenPdf(book_of(game).content)


def pages_of(game: str) -> Sequence[Sequence[Char]]:
    return pdf_of(game).pages


@pytest.mark.parametrize("text", [*map(chr, range(1, 128)), '"#panic()', "\\u{41}", "a\\", '";panic();"', "*_`$<@[]{}"])
def test_string_literal_is_only_its_text(text: str) -> None:
    source = f"#metadata({string(text)}) <it>"
    (value,) = json.loads(typst.query(source.encode(), "<it>", field="value"))
    assert value == "".join(letter for letter in text if letter.isprintable() or letter in "\t\n")


def spanning_boxes(pack: Pack) -> Mapping[int, Sequence[tuple[float, float]]]:
    """The upper and lower edge of each box that spans both columns, by page, in points from the foot of the page."""
    book = typst_book(pack, BookOptions())
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "kismet.typ").write_bytes(DESIGN.read_bytes())
        (folder / "design.typ").write_text('#import "kismet.typ": *')
        (folder / "book.typ").write_text(book.text, encoding="utf-8")
        (folder / "book.json").write_bytes(book_json(book, []))
        fonts = typst.Fonts(include_system_fonts=False, font_paths=[str(FONTS)])
        edges = json.loads(
            typst.query(str(folder / "book.typ"), "<spanning>", field="value", root=name, font_paths=fonts)
        )
    boxes: dict[int, list[tuple[float, float]]] = {}
    for upper, lower in zip(edges[::2], edges[1::2], strict=True):
        boxes.setdefault(upper["page"], []).append((HEIGHT - upper["y"], HEIGHT - lower["y"]))
    return boxes


def strays(pdf: OpenPdf, pack: Pack) -> Iterator[tuple[int, Char]]:
    """The characters that are neither in a column, nor in a box that spans both, nor a running head or page number."""
    boxes = spanning_boxes(pack)
    for number, chars in enumerate(pdf.pages, 1):
        left, right = (INSIDE, OUTSIDE) if number % 2 else (OUTSIDE, INSIDE)
        columns = [(left, left + COLUMN), (left + COLUMN + GUTTER, WIDTH - right)]
        for char in chars:
            is_in_text = char.bottom >= BOTTOM - DESCENT and char.top <= HEIGHT - TOP + DESCENT
            is_running = abs(char.size - RUNNING_SIZE) < 0.01 and 0 < char.bottom < char.top < HEIGHT
            spanning = ((lower - DESCENT, upper + DESCENT) for upper, lower in boxes.get(number, ()))
            is_spanning = number < CONTENTS_PAGE or any(
                low <= char.bottom and char.top <= high for low, high in spanning
            )
            places = [(left, WIDTH - right)] if is_spanning or not is_in_text else columns
            is_across = any(start - OVERHANG <= char.left and char.right <= end + OVERHANG for start, end in places)
            if char.text.strip() and not (is_across and (is_in_text or is_running)):
                yield number, char


@pytest.mark.parametrize("game", GAMES)
def test_every_character_is_in_its_place(game: str) -> None:
    assert [*strays(pdf_of(game), pack_of(game))] == []


SUM = " + ".join(f"a_{{{number}}}" for number in range(80))
PROSE = "| a cell with many words |" + " words that make a table wide |" * 5
PLANTED = {
    "a wide table": ("|" + "unbreakablewords|" * 60 + "\n|" + "---|" * 60, True),
    "a formula that cannot be broken": (f"$$\\sqrt{{{SUM}}}$$", True),
    "a formula in a line": (f"Words $\\sqrt{{{SUM}}}$.", True),
    "a wide formula": (f"$$\n{SUM}\n$$", False),
    "a formula in a cell": (f"|A|B|\n|---|---|\n|a|${SUM}$|", False),
    "a tall formula": ("$$\\begin{matrix}" + "a\\\\" * 60 + "a\\end{matrix}$$", False),
    "a tall box": ("> [!note] A box\n" + "> Words.\n>\n" * 200, False),
    "a tall float": (f"{PROSE}\n{'|---' * 6}|\n{PROSE}\n{PROSE.replace('many', 'many ' * 900)}", False),
    "a long word": (f"# {'y' * 29}\n\n## {'y' * 29}\n\n{'x' * 400} `{'z' * 400}`\n\n|A|\n|---|\n|{'x' * 400}|", False),
    "a line of code": (f"```\n{'x' * 400}\n```", False),
}
"""Texts that may be too large for a page, and whether a part of each is outside it even so."""


@pytest.mark.parametrize(("text", "is_outside"), PLANTED.values(), ids=PLANTED.keys())
def test_what_is_outside_its_place_is_recorded(text: str, is_outside: bool) -> None:
    pack, _ = compile_notes({"Note.md": f"# Note\n\nWords.\n\n{text}\n\nWords.\n"}, Memo())
    made = pdf_book(pack, BookOptions())
    assert [diagnostic.code for diagnostic in made.diagnostics] == ["outside-page"] * is_outside
    assert bool([*strays(OpenPdf(made.content), pack)]) == is_outside


@pytest.mark.parametrize("game", GAMES)
def test_every_page_number_at_a_reference_is_that_of_its_target(game: str) -> None:
    reader = PdfReader(BytesIO(book_of(game).content))
    numbers = {page.indirect_reference: number for number, page in enumerate(reader.pages, 1)}
    named = {name: place.raw_get("/Page") for name, place in reader.named_destinations.items()}
    index, first_chapter = numbers[named["index"]], min(numbers[page] for page in named.values())
    assert book_of(game).warnings == ()  # such as that the layout does not converge
    kinds = Counter[str]()
    for number, (page, chars) in enumerate(zip(reader.pages, pages_of(game), strict=True), 1):
        for link in page.get("/Annots", ()):
            link = link.get_object()
            if (target := link.get("/Dest")) is None:
                continue
            wanted = str(numbers[named[target] if isinstance(target, str) else target.get_object()[0]])
            shown = _text_in(chars, [float(corner) for corner in link.get("/QuadPoints", link["/Rect"])])
            if reference := REFERENCE.search(shown):
                kinds["reference"] += 1
                assert reference[1] == wanted, shown
            elif number < first_chapter:
                kinds["contents"] += 1
                assert shown.endswith(wanted), shown
            elif number >= index and (run := RUN.fullmatch(shown)):
                kinds["index"] += 1
                assert run[1] == wanted, shown
    assert min(kinds[kind] for kind in ("reference", "contents", "index")) > 10, kinds


def _text_in(chars: Sequence[Char], corners: Sequence[float]) -> str:
    size = 8 if len(corners) % 8 == 0 else 4
    shown = []
    for start in range(0, len(corners), size):
        across, along = corners[start : start + size : 2], corners[start + 1 : start + size : 2]
        shown += [
            char.text
            for char in chars
            if min(across) < (char.left + char.right) / 2 < max(across)
            and min(along) < (char.bottom + char.top) / 2 < max(along)
        ]
    return "".join(shown).strip()


class Section(NamedTuple):
    """A heading and the words below it, up to the next heading."""

    title: str
    words: list[str]


def text_of(chars: Iterable[Char]) -> str:
    return "".join(char.text for char in chars)


def set_sections(pdf: OpenPdf) -> Iterator[Section]:
    title, texts = "", list[str]()
    for tag, chars in pdf.blocks():
        text = text_of(chars)
        if HEADING.fullmatch(tag):
            yield Section(title, _words(texts))
            title, texts = text, []
        else:
            texts.append(text)
    yield Section(title, _words(texts))


def written_sections(pack: Pack) -> Iterator[Section]:
    """The sections of the texts of a book in its order, and the appendix of questions."""
    asked = list[str]()
    for part in parts(pack):
        title, texts, levels = part.title, list[str](), part.levels()
        writer = _Writer(pack, part.chapter) if part.chapter else None
        for block in flatten_layout(part.blocks):
            anchor = pack.book.anchor_at(block.span) if block.span in levels else None
            if anchor:
                yield Section(title, _words(texts))
                title, texts = anchor.numbered_title, []
            elif writer:
                texts.append("".join(writer.texts(block)))
        yield Section(title, _words(texts))
        asked += writer.asked if writer else ()
    if asked:
        yield Section(pack.game.catalog.text("title.questions"), _words(asked))


class _Writer:
    """The texts of a chapter as they were written."""

    def __init__(self, pack: Pack, chapter: Chapter) -> None:
        self.asked: list[str] = []
        """The title and the text of each question so far."""
        self._questions = {box.callout.span: box.title for box in pack.documents[chapter.source.path].questions}
        self._notes = {note.label: note for note in chapter.document.footnotes}

    def texts(self, node: Node) -> Iterator[str]:
        match node:
            case Text(value=value) | Code(value=value) | CodeBlock(text=value):
                yield value
            case Callout(span=span) if span in self._questions:
                yield f" {self._questions[span]} "
                self.asked += [self._questions[span], *self._all(node.children)]
            case FootnoteReference(label=label):
                # The words of a note are at its first reference.
                note = self._notes.pop(label, None)
                yield from (" ", *self._all(note.children if note else ()), " ")
            case RawInline(text=text):
                yield " " if text.startswith("<br") else ""
            case SoftBreak() | HardBreak():
                yield " "
            case FootnoteDefinition() | Image() | Math() | Statblock():
                pass  # shown elsewhere, without words, or in another order
            case Link() if node.shows_title or plain_text(node).isupper():
                yield " "  # shows the title of its target
            case Table():  # a caption may repeat the heading above it, and is left out then
                yield from self._all(node.children)
            case _:
                space = "" if isinstance(node, Inline) else " "
                yield from (space, *self._all(children(node)), space)

    def _all(self, nodes: Iterable[Node]) -> Iterator[str]:
        return chain.from_iterable(map(self.texts, nodes))


def _words(texts: Sequence[str]) -> list[str]:
    return WORD.findall(" ".join(texts).translate(BREAKS).casefold())


def check_words(pack: Pack, pdf: OpenPdf) -> None:
    shown = set_sections(pdf)
    for wanted in written_sections(pack):
        title = _words([wanted.title])
        found = next((section for section in shown if _words([section.title]) == title), None)
        assert found is not None, f"no section {wanted.title!r} in its place"
        words = iter(found.words)
        for place, word in enumerate(wanted.words):
            assert word in words, f"{wanted.title}: no {word!r} after {wanted.words[max(place - 5, 0) : place]}"


@pytest.mark.parametrize("game", GAMES)
def test_words_of_each_section_stand_in_order_between_its_heading_and_the_next(game: str) -> None:
    check_words(pack_of(game), pdf_of(game))


@pytest.mark.parametrize("game", GAMES)
def test_each_board_has_a_sheet_with_its_panels(game: str) -> None:
    pack = pack_of(game)
    sheets = {section.title: iter(section.words) for section in set_sections(pdf_of(game))}
    assert pack.game.boards
    for board in pack.game.boards:
        for panel in panels(pack, board, ""):
            for word in _words([panel.title, *(entry.name for entry in panel.entries)]):
                assert word in sheets[board.title], (board.title, panel.title, word)


def test_a_paragraph_in_a_wrong_place_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    pdf = pdf_of("kiss")
    blocks = [*pdf.blocks()]
    (place,) = (number for number, (_, chars) in enumerate(blocks) if text_of(chars).startswith("A test shows"))
    blocks[place : place + 2] = blocks[place + 1], blocks[place]
    monkeypatch.setattr(pdf, "blocks", lambda: blocks)
    with pytest.raises(AssertionError, match="Dice and Tests: no 'jump' after"):
        check_words(pack_of("kiss"), pdf)


@pytest.mark.parametrize("book_format", ["pdf", "epub"])
@pytest.mark.parametrize("game", GAMES)
def test_same_text_is_the_same_book(game: str, book_format: str, tmp_path: Path) -> None:
    """The order of sets differs between processes, and must not affect the book."""
    made = []
    for seed in ("1", "2"):
        file = tmp_path / f"{seed}.{book_format}"
        run = kismet_process(
            "book", CONTENT / game, "--format", book_format, "--out", file, env={"PYTHONHASHSEED": seed}
        )
        assert run.status == 0, run.err
        made.append(file.read_bytes())
    assert made[0] == made[1]


@pytest.mark.parametrize("game", GAMES)
def test_headings_are_bookmarks_without_gaps(game: str) -> None:
    reader = PdfReader(BytesIO(book_of(game).content))
    levels = [*_levels(reader.outline, 1)]
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert reader.metadata is not None
    assert reader.metadata.title == pack_of(game).game.title


def _levels(outline: Sequence[Any], level: int) -> Iterator[int]:
    for item in outline:
        if isinstance(item, list):
            yield from _levels(item, level + 1)
        else:
            yield level


HEADING_SIZE = 9.3
"""Points: text in sans that is larger is a heading."""


@pytest.mark.parametrize("game", GAMES)
def test_lines_have_a_good_length_and_columns_are_full(game: str) -> None:
    reader = PdfReader(BytesIO(book_of(game).content))
    chapters = [item for item in reader.outline if not isinstance(item, list)]
    starts = {number for item in chapters if (number := reader.get_destination_page_number(item)) is not None}
    lengths = []
    for number, chars in enumerate(pages_of(game)):
        columns = _columns(chars, INSIDE if number % 2 == 0 else OUTSIDE)
        is_last = number + 1 in starts or number + 1 == len(reader.pages)
        for lines in columns if number >= min(starts) else []:
            if not is_last:
                lowest = min(lines, default=HEIGHT)
                full = (HEIGHT - TOP - lowest) / (HEIGHT - TOP - BOTTOM)
                assert full >= 0.7, (number + 1, full)
            if lines:
                last = lines[min(lines)]
                assert not ("Sans" in last[0].font and last[0].size > HEADING_SIZE), (number + 1, last[0])
            for line in lines.values():
                is_body = abs(line[0].size - BODY_SIZE) < 0.05
                if is_body and line[-1].right - line[0].left > 0.93 * COLUMN:
                    lengths.append(len(line))
    assert 45 <= sorted(lengths)[len(lengths) // 2] <= 75


@pytest.mark.parametrize("game", GAMES)
def test_no_line_is_alone_and_no_three_lines_in_a_row_end_with_a_hyphen(game: str) -> None:
    divided = 0
    for tag, chars in pdf_of(game).blocks():
        lines = [*_lines(chars)] if tag in ("P", "LBody") else []
        hyphens = "".join("-" if line[-1].text in f"{SOFT_HYPHEN}-" else " " for line in lines)
        assert "---" not in hyphens, text_of(chars)
        pairs = enumerate(pairwise(lines), 1)
        parts = [0, *(number for number, (above, below) in pairs if _is_divided(above[0], below[0])), len(lines)]
        if len(parts) > 2:
            divided += 1
            assert all(after - before > 1 for before, after in pairwise(parts)), text_of(chars)
    assert divided > 0


def _lines(chars: Iterable[Char]) -> Iterator[list[Char]]:
    line: list[Char] = []
    for char in chars:
        if char.text.strip():
            if line and (char.left < line[-1].left or abs(char.bottom - line[-1].bottom) > DESCENT):
                yield line
                line = []
            line.append(char)
    if line:
        yield line


def _is_divided(above: Char, below: Char) -> bool:
    """Whether the second of two lines is in another column."""
    return below.page != above.page or below.bottom > above.bottom + DESCENT


def _columns(chars: Sequence[Char], left: float) -> list[dict[int, list[Char]]]:
    """The lines of both columns of a page by their height, without running heads; a spanning line is in both."""
    columns: list[dict[int, list[Char]]] = [{}, {}]
    middle = left + COLUMN + GUTTER / 2
    for char in chars:
        if char.bottom > BOTTOM - 3 and char.top < HEIGHT - TOP + 3:
            columns[char.left > middle].setdefault(round(char.bottom), []).append(char)
    return columns


VAULTS = ROOT.parent / "shared" / "vaults"


@pytest.mark.parametrize("vault", sample(sorted(path.name for path in VAULTS.glob("*/")) or ["none"], 4))
def test_nothing_is_outside_the_page_in_books_of_vaults(vault: str) -> None:
    if not (VAULTS / vault).is_dir():
        skip_without_originals()
    library = load_library(VAULTS / vault, None, lambda _: None)
    pack = compile_game(library.games[0], lambda _: None)
    made = pdf_book(pack, BookOptions())
    pdf = OpenPdf(made.content)
    check_words(pack, pdf)
    assert made.warnings == ()
    is_outside = any(diagnostic.code == "outside-page" for diagnostic in made.diagnostics)
    assert is_outside or not [*strays(pdf, pack)]

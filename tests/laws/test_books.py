"""A book has every word of its texts, inside the page, and every page number at a reference is that of its target."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import typst
from pdfminer.high_level import extract_pages
from pdfminer.layout import LAParams, LTChar
from pypdf import PdfReader

from kismet_build.build.book import DESIGN, FONTS, MadeBook, pdf_book
from kismet_build.build.compile import compile_game
from kismet_build.config.load_library import load_library
from kismet_build.model.nodes import CodeBlock, Paragraph, plain_text, walk_blocks
from kismet_build.pack import Pack
from kismet_build.render.book.typst_book import BookOptions, book_json, typst_book
from kismet_build.render.fragments.typst import string
from tests.command import CONTENT, GAMES, ROOT, kismet_process, skip_without_originals
from tests.sample import sample

MILLIMETRE = 72 / 25.4
INSIDE, OUTSIDE, GUTTER = 19 * MILLIMETRE, 17 * MILLIMETRE, 7 * MILLIMETRE
TOP, BOTTOM = 21 * MILLIMETRE, 20 * MILLIMETRE
"""The margins of A4 in `site/book/kismet.typ`."""
COLUMN = (210 * MILLIMETRE - INSIDE - OUTSIDE - GUTTER) / 2
CONTENTS_PAGE = 3
"""The first page in columns, after the cover and the imprint."""
OVERHANG = 4.0
"""Points by which commas and hyphens may hang out of a column, which makes its edge look straight."""
LETTERS = re.compile(r"[^\W\d_]")
REFERENCE = re.compile(r"\(p\.\s?(\d+)\)")
RUN = re.compile(r"(\d+)(?:–\d+)?")
"""Pages in the index."""
SHINGLE = 12
"""Letters that are looked for at a time."""
MIN_FOUND = 0.97
"""Least share of shingles that a book has: those at the end of a column or beside a footnote are not in one piece."""


@dataclass(frozen=True, slots=True)
class Char:
    """A character on a page, in points from its lower left corner."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    size: float
    font: str


@cache
def pack_of(game: str) -> Pack:
    library = load_library(CONTENT, None, lambda _: None)
    (found,) = [each for each in library.games if each.id == game]
    return compile_game(found, lambda _: None)


@cache
def book_of(game: str) -> MadeBook:
    return pdf_book(pack_of(game), BookOptions())


@cache
def pages_of(game: str) -> Sequence[Sequence[Char]]:
    found = extract_pages(BytesIO(book_of(game).content), laparams=LAParams(all_texts=True))
    return [[Char(item.get_text(), *item.bbox, item.size, item.fontname) for item in _chars(page)] for page in found]


def _chars(item: Any) -> Iterator[LTChar]:
    if isinstance(item, LTChar):
        yield item
    elif hasattr(item, "__iter__") and not isinstance(item, str):
        for child in item:
            yield from _chars(child)


@pytest.mark.parametrize("text", [*map(chr, range(1, 128)), '"#panic()', "\\u{41}", "a\\", '";panic();"', "*_`$<@[]{}"])
def test_string_literal_is_only_its_text(text: str) -> None:
    source = f"#metadata({string(text)}) <it>"
    (value,) = json.loads(typst.query(source.encode(), "<it>", field="value"))
    assert value == "".join(letter for letter in text if letter.isprintable() or letter in "\t\n")


@pytest.mark.parametrize("game", GAMES)
def test_every_character_is_inside_the_text_of_its_page(game: str) -> None:
    for number, chars in enumerate(pages_of(game), 1):
        left, right = (INSIDE, OUTSIDE) if number % 2 else (OUTSIDE, INSIDE)
        for char in chars:
            if char.text.strip():
                assert char.left >= left - OVERHANG, (number, char)
                assert char.right <= 210 * MILLIMETRE - right + OVERHANG, (number, char)
                assert 0 < char.bottom < char.top < 297 * MILLIMETRE, (number, char)


@cache
def spanning_boxes(game: str) -> Mapping[int, Sequence[tuple[float, float]]]:
    """The upper and lower edge of each box that spans both columns, by page, in points from the foot of the page."""
    book, height = typst_book(pack_of(game), BookOptions()), 297 * MILLIMETRE
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
        boxes.setdefault(upper["page"], []).append((height - upper["y"], height - lower["y"]))
    return boxes


@pytest.mark.parametrize("game", GAMES)
def test_every_character_is_in_a_column_or_in_a_box_that_spans_both(game: str) -> None:
    for number, chars in enumerate(pages_of(game), 1):
        boxes = spanning_boxes(game).get(number, ())
        left = INSIDE if number % 2 else OUTSIDE
        starts = (left, left + COLUMN + GUTTER)
        for char in chars if number >= CONTENTS_PAGE else ():
            is_in_text = char.bottom > BOTTOM - 3 and char.top < 297 * MILLIMETRE - TOP + 3
            is_spanning = any(lower - 3 <= char.bottom and char.top <= upper + 3 for upper, lower in boxes)
            if char.text.strip() and is_in_text and not is_spanning:
                is_in_column = any(
                    start - OVERHANG <= char.left and char.right <= start + COLUMN + OVERHANG for start in starts
                )
                assert is_in_column, (number, char)


@pytest.mark.parametrize("game", GAMES)
def test_every_page_number_at_a_reference_is_that_of_its_target(game: str) -> None:
    reader = PdfReader(BytesIO(book_of(game).content))
    numbers = {page.indirect_reference: number for number, page in enumerate(reader.pages, 1)}
    named = {name: place.raw_get("/Page") for name, place in reader.named_destinations.items()}
    index, first_chapter = numbers[named["index"]], min(numbers[page] for page in named.values())
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
    """The text in rectangles, each given by its corners."""
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


@pytest.mark.parametrize("game", GAMES)
def test_book_has_every_word(game: str) -> None:
    stream = _letters("".join(map(_page_text, pages_of(game))))
    wanted = found = 0
    for chapter in pack_of(game).book.chapters:
        for block in walk_blocks(*chapter.document.blocks):
            if not isinstance(block, Paragraph | CodeBlock):
                continue
            letters = _letters(plain_text(block))
            shingles = [letters[start : start + SHINGLE] for start in range(0, len(letters) - SHINGLE + 1, SHINGLE)]
            present = sum(shingle in stream for shingle in shingles)
            assert len(shingles) < 4 or present >= len(shingles) / 2, plain_text(block)
            wanted += len(shingles)
            found += present
    assert found >= MIN_FOUND * wanted, f"{found} of {wanted}"


def _page_text(chars: Sequence[Char]) -> str:
    """The text of a page without its running heads and without page numbers at references."""
    inner = [char.text for char in chars if char.bottom > BOTTOM - 1 and char.top < 297 * MILLIMETRE - TOP + 1]
    return REFERENCE.sub("", "".join(inner))


def _letters(text: str) -> str:
    return "".join(LETTERS.findall(text.lower()))


@pytest.mark.parametrize("book_format", ["pdf", "epub"])
@pytest.mark.parametrize("game", GAMES)
def test_same_text_is_the_same_book(game: str, book_format: str, tmp_path: Path) -> None:
    """Processes differ in the order of their sets, which must not show."""
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


BODY_SIZE = 9.2
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
                lowest = min(lines, default=297 * MILLIMETRE)
                full = (297 * MILLIMETRE - TOP - lowest) / (297 * MILLIMETRE - TOP - BOTTOM)
                assert full >= 0.7, (number + 1, full)
            if lines:
                last = lines[min(lines)]
                assert not ("Sans" in last[0].font and last[0].size > HEADING_SIZE), (number + 1, last[0])
            for line in lines.values():
                is_body = abs(line[0].size - BODY_SIZE) < 0.05
                if is_body and line[-1].right - line[0].left > 0.93 * COLUMN:
                    lengths.append(len(line))
    assert 45 <= sorted(lengths)[len(lengths) // 2] <= 75


def _columns(chars: Sequence[Char], left: float) -> list[dict[int, list[Char]]]:
    """The lines of both columns of a page by their height, without running heads; a spanning line is in both."""
    columns: list[dict[int, list[Char]]] = [{}, {}]
    middle = left + COLUMN + GUTTER / 2
    for char in chars:
        if char.bottom > BOTTOM - 3 and char.top < 297 * MILLIMETRE - TOP + 3:
            columns[char.left > middle].setdefault(round(char.bottom), []).append(char)
    return columns


VAULTS = ROOT.parent / "shared" / "vaults"


@pytest.mark.parametrize("vault", sample(sorted(path.name for path in VAULTS.glob("*/")) or ["none"], 4))
def test_nothing_is_outside_the_page_in_books_of_vaults(vault: str) -> None:
    if not (VAULTS / vault).is_dir():
        skip_without_originals()
    library = load_library(VAULTS / vault, None, lambda _: None)
    made = pdf_book(compile_game(library.games[0], lambda _: None), BookOptions())
    assert made.warnings == ()
    outside = [diagnostic.message for diagnostic in made.diagnostics if diagnostic.code == "outside-page"]
    found = extract_pages(BytesIO(made.content), laparams=LAParams(all_texts=True))
    for number, page in enumerate(found, 1):
        left, right = (INSIDE, OUTSIDE) if number % 2 else (OUTSIDE, INSIDE)
        for char in _chars(page):
            if char.get_text().strip() and not outside:
                assert char.x0 >= left - OVERHANG, (number, char)
                assert char.x1 <= 210 * MILLIMETRE - right + OVERHANG, (number, char)
                assert 0 < char.y0 < char.y1 < 297 * MILLIMETRE, (number, char)

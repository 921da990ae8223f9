"""The fonts of the website: size, characters, features, licence, and equality with the output of `fonts.py`."""

import re
from pathlib import Path
from unicodedata import category

import pytest
from fontTools.ttLib import TTFont

from tests.browser.weight import MAX_FONT_BYTES
from tests.command import ROOT
from tests.conftest import BuiltTree
from tests.sample import sample
from tests.stages.render.fonts import (
    BOOK_FONTS,
    CHARACTERS,
    COPYRIGHT,
    EVERY,
    FAMILY,
    FONTS,
    FOR_BOOKS,
    LICENCE,
    LICENCE_ADDRESS,
    SANS,
    TEXT,
    licence,
    subset,
)
from tests.stages.render.fonts import Font as Source

MAX_INITIAL_BYTES = 60_000
"""Maximum bytes of the fonts that a page loads before it shows text."""
ASSETS = ROOT / "site" / "assets"

all_fonts = pytest.mark.parametrize("font", EVERY, ids=lambda font: font.name)


def opened(font: Source) -> TTFont:
    return TTFont(font.path)


def features(font: TTFont) -> set[str]:
    return {record.FeatureTag for table in ("GSUB", "GPOS") for record in font[table].table.FeatureList.FeatureRecord}


def size(*names: str) -> int:
    return sum((FONTS / name).stat().st_size for name in names)


def test_total_font_size_is_limited() -> None:
    assert 0 < size(*(font.name for font in EVERY)) <= MAX_FONT_BYTES


def test_size_of_preloaded_fonts_is_limited() -> None:
    script = (ASSETS / "settings.js").read_text(encoding="utf-8")
    lists = [re.findall('"([^"]+)"', names) for names in re.findall(r'\[("[^]]+")\]', script)]
    preloaded = [names for names in lists if "sans" in names]
    assert preloaded == [["sans", "sans-semibold"], ["text", "sans", "sans-semibold"]]
    assert max(size(*(f"{name}.woff2" for name in names)) for names in preloaded) <= MAX_INITIAL_BYTES


def test_style_sheet_lists_exactly_the_font_files() -> None:
    style = "".join(file.read_text(encoding="utf-8") for file in ASSETS.glob("*.css"))
    named = re.findall(r"@font-face \{[^}]* src: url\(\"fonts/([^\"]+)\"\)[^}]* font-display: swap;", style)
    assert sorted(named) == sorted(font.name for font in EVERY)
    assert len(re.findall(r"url\((?!\"data:image)", style)) == len(named), "all fonts are files of the site"
    assert {file.name for file in FONTS.iterdir()} == {*named, LICENCE.name}


def test_fonts_and_licence_are_published(content: BuiltTree) -> None:
    for file in FONTS.iterdir():
        assert (content.folder / "assets/fonts" / file.name).read_bytes() == file.read_bytes()


@all_fonts
def test_every_font_has_all_characters(font: Source) -> None:
    assert opened(font).getBestCmap().keys() >= CHARACTERS


@pytest.mark.parametrize("book", sorted((ROOT / "content").glob("*/*.*d*")), ids=lambda book: book.name)
def test_fonts_cover_letters_figures_and_punctuation_of_the_books(book: Path) -> None:
    text = book.read_text(encoding="utf-8")
    shown = {character for character in text if category(character)[0] in "LMNP" or category(character) in ("Sm", "Sc")}
    assert sorted(character for character in shown if ord(character) not in CHARACTERS) == []


@all_fonts
def test_font_has_its_opentype_features(font: Source) -> None:
    # The italic sans has no small capitals, because nothing uses them.
    expected = {"kern"} if font.name == "sans-italic.woff2" else set(font.features)
    assert features(opened(font)) == expected


@pytest.mark.parametrize("font", [font for font in EVERY if font.package == SANS], ids=lambda font: font.name)
def test_figures_of_the_sans_are_tabular(font: Source) -> None:
    opened_font = opened(font)
    names = opened_font.getBestCmap()
    widths = [opened_font["hmtx"][names[ord(figure)]][0] for figure in "0123456789"]
    assert max(widths) - min(widths) <= 1, "in thousandths of the size"


def test_text_font_has_true_italics() -> None:
    regular, italic = (opened(font) for font in EVERY if font.package == TEXT and font.style in ("Regular", "Italic"))
    assert italic["post"].italicAngle != 0 == regular["post"].italicAngle
    shapes = [
        opened_font["glyf"][opened_font.getBestCmap()[ord("a")]].getCoordinates(opened_font["glyf"])[0]
        for opened_font in (regular, italic)
    ]
    assert len(shapes[0]) != len(shapes[1]), "the italic is drawn, not slanted"


@all_fonts
def test_font_has_copyright_and_licence_and_no_reserved_name(font: Source) -> None:
    names = opened(font)["name"]
    assert re.search(r"\b20\d\d\b", names.getDebugName(COPYRIGHT))
    assert names.getDebugName(LICENCE_ADDRESS).endswith("scripts.sil.org/OFL")
    family = names.getDebugName(FAMILY)
    assert not {"source", "literata"} & set(family.casefold().split())
    assert f"{family}: Copyright" in LICENCE.read_text(encoding="utf-8")


def test_licence_file_equals_that_of_the_packages() -> None:
    assert LICENCE.read_text(encoding="utf-8") == licence(), "python -m tests.stages.render.fonts"


@pytest.mark.parametrize("font", sample([*EVERY], 4), ids=lambda font: font.name)
def test_font_equals_the_subset_of_its_source(font: Source) -> None:
    """Glyphs are compared, because the bytes of tables depend on the versions of fontTools and of the compressor."""
    committed, generated = opened(font), subset(font)
    assert committed.getBestCmap().keys() == generated.getBestCmap().keys(), "python -m tests.stages.render.fonts"
    assert drawings(committed) == drawings(generated), "python -m tests.stages.render.fonts"
    assert features(committed) == features(generated), "python -m tests.stages.render.fonts"


def drawings(font: TTFont) -> list[tuple[object, ...]]:
    """The width and outline of each glyph: points, ends of contours, on-curve flags."""
    glyphs, widths = font["glyf"], font["hmtx"]
    outlines: list[tuple[object, ...]] = []
    for name in font.getGlyphOrder():
        points, ends, flags = glyphs[name].getCoordinates(glyphs)
        outlines.append((widths[name][0], list(points), list(ends), [flag & 1 for flag in flags]))
    return outlines


def test_fonts_of_books_are_subsets_of_the_same_fonts() -> None:
    assert {file.name for file in BOOK_FONTS.iterdir()} == {font.path_for_books.name for font in FOR_BOOKS}
    for font in FOR_BOOKS:
        assert drawings(TTFont(font.path_for_books)) == drawings(subset(font)), "python -m tests.stages.render.fonts"

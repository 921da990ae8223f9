"""Subset the font families of the website into site/assets/fonts/, and of books into site/book/fonts/.

`python -m tests.stages.render.fonts` rewrites the files. The subsets are committed, because a build has neither npm nor
a network, and because two versions of the compressor may compress the same font differently. The source fonts are npm
packages, pinned in .ci/package.json. docs/decisions/0001-fonts-and-first-paint.md explains the choice of families.
"""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from tests.command import ROOT
from tests.npm import npm_package

FONTS = ROOT / "site" / "assets" / "fonts"
BOOK_FONTS = ROOT / "site" / "book" / "fonts"
LICENCE = FONTS / "OFL.txt"

TEXT, SANS = "@expo-google-fonts/literata", "@expo-google-fonts/source-sans-3"
FAMILIES = {TEXT: "Almanac Text", SANS: "Almanac Sans"}
"""The family name of each package's subset. The licence reserves the name "Source" for the original fonts."""

TEXT_FEATURES = ("kern", "liga", "onum", "tnum")
"""Kerning, ligatures, old-style and tabular figures. The default figures are proportional and lining."""
SANS_FEATURES = ("kern", "smcp", "c2sc")
"""Kerning and small capitals. The default figures are tabular and lining."""

COPYRIGHT, FAMILY, STYLE, UNIQUE_ID, FULL_NAME, POSTSCRIPT_NAME, LICENCE_ADDRESS = 0, 1, 2, 3, 4, 6, 14
"""Record numbers of the font's `name` table."""
ENGLISH = 0x409

UNUSED = {*map(ord, "ĔĕĨĩĬĭĲĳĸĿŀŎŏŖŗŨũŉſ")}
"""Letters of Latin Extended-A that no European language uses today, or that are written as two letters."""
CHARACTERS = {
    *range(0x20, 0x7F),
    *range(0xA0, 0x180),
    *map(ord, "ȘșȚțẞ"),
    *map(ord, "‐‒–—‘’‚“”„†‡•…′″‹›⁄€™"),
    *map(ord, "←↑→↓−≤≥∑⅓⅔σ"),
    0x2009,  # thin space
} - UNUSED
"""Basic Latin, Latin-1, the letters of European languages, punctuation, arrows and mathematical symbols."""


@dataclass(frozen=True, slots=True)
class Font:
    """A font file that is made from a font of an npm package."""

    name: str
    package: str
    source: str
    style: str
    features: tuple[str, ...]

    @property
    def path(self) -> Path:
        return FONTS / self.name

    @property
    def path_for_books(self) -> Path:
        """The same subset without compression, because Typst cannot read WOFF2."""
        return BOOK_FONTS / Path(self.name).with_suffix(".ttf")


EVERY = (
    Font("text.woff2", TEXT, "400Regular/Literata_400Regular.ttf", "Regular", TEXT_FEATURES),
    Font("text-italic.woff2", TEXT, "400Regular_Italic/Literata_400Regular_Italic.ttf", "Italic", TEXT_FEATURES),
    Font("text-bold.woff2", TEXT, "700Bold/Literata_700Bold.ttf", "Bold", TEXT_FEATURES),
    Font("sans.woff2", SANS, "400Regular/SourceSans3_400Regular.ttf", "Regular", SANS_FEATURES),
    Font("sans-italic.woff2", SANS, "400Regular_Italic/SourceSans3_400Regular_Italic.ttf", "Italic", SANS_FEATURES),
    Font("sans-semibold.woff2", SANS, "600SemiBold/SourceSans3_600SemiBold.ttf", "SemiBold", SANS_FEATURES),
)
FOR_BOOKS = (
    *EVERY,
    Font("text-bold-italic.ttf", TEXT, "700Bold_Italic/Literata_700Bold_Italic.ttf", "Bold Italic", TEXT_FEATURES),
)
"""The fonts of books. Unlike browsers, Typst does not slant or embolden a font."""


def subset(font: Font) -> TTFont:
    """The source of a font, reduced to `CHARACTERS` and to its features, under the name of our family."""
    subset_font = TTFont(npm_package(font.package) / font.source, recalcTimestamp=False)
    options = Options(
        layout_features=list(font.features),
        layout_scripts=["DFLT", "latn"],
        hinting=False,
        name_IDs=[COPYRIGHT, FAMILY, STYLE, UNIQUE_ID, FULL_NAME, POSTSCRIPT_NAME, LICENCE_ADDRESS],
        name_languages=[ENGLISH],
        drop_tables=[*Options().drop_tables, "vhea", "vmtx", "STAT", "BASE"],
    )
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=CHARACTERS)
    subsetter.subset(subset_font)
    family = FAMILIES[font.package]
    postscript = f"{family.replace(' ', '')}-{font.style}"
    names = {
        FAMILY: family,
        STYLE: font.style,
        UNIQUE_ID: postscript,
        FULL_NAME: f"{family} {font.style}",
        POSTSCRIPT_NAME: postscript,
    }
    for number, text in names.items():
        subset_font["name"].setName(text, number, 3, 1, ENGLISH)
    return subset_font


def packed(font: TTFont, flavor: str | None = "woff2") -> bytes:
    font.flavor = flavor
    into = BytesIO()
    font.save(into)
    return into.getvalue()


def licence() -> str:
    """The copyright notices of the families, then the licence that they share."""
    texts = {package: (npm_package(package) / "LICENSE_FONT").read_text(encoding="utf-8") for package in FAMILIES}
    bodies = {"\n".join(map(str.rstrip, text[text.index("-----") :].splitlines())) for text in texts.values()}
    (body,) = bodies
    notices = (f"{FAMILIES[package]}: {text.splitlines()[0]}\n" for package, text in texts.items())
    return f"""{"".join(notices)}
The fonts of this folder are subsets of these families, under other names. They are licensed under the SIL Open Font
License, Version 1.1, which is copied below and is also available with a FAQ at https://openfontlicense.org

{body.strip()}
"""


def write() -> None:
    for font in EVERY:
        font.path.write_bytes(packed(subset(font)))
    for font in FOR_BOOKS:
        font.path_for_books.write_bytes(packed(subset(font), flavor=None))
    LICENCE.write_text(licence(), encoding="utf-8")


if __name__ == "__main__":
    write()

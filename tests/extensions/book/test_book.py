"""`kismet book` writes a PDF, and says what it could not set."""

import re
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from pypdf import PdfReader

from tests.command import ROOT, kismet, write_files
from tests.epub import OpenEpub, check_structure
from tests.small_library import write_library

PICTURE = (Path(__file__).parents[3] / "site" / "picture.png").read_bytes()


def book(folder: Path, *arguments: str | Path) -> tuple[PdfReader, str]:
    file = folder.parent / "made.pdf"
    run = kismet("book", folder, "--out", file, *arguments)
    assert run.status == 0, run.err
    return PdfReader(BytesIO(file.read_bytes())), run.err


def text_of(reader: PdfReader) -> str:
    return "\n".join(page.extract_text() for page in reader.pages)


def note(folder: Path, text: str, **files: bytes) -> Path:
    return write_files(folder / "vault", {"Note.md": text, **{f"{name}.png": data for name, data in files.items()}})


def test_each_game_of_a_library_has_its_book(tmp_path: Path) -> None:
    write_library(tmp_path / "texts")
    run = kismet("book", tmp_path / "texts", "--out", tmp_path / "books")
    assert run.status == 0, run.err
    (file,) = (tmp_path / "books").iterdir()
    assert file.name == "ember-court.pdf"
    assert "Whisper" in text_of(PdfReader(file))


def test_a_game_that_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    lamps(tmp_path, {})
    write_files(tmp_path / "broken", {"game.yaml": "id: [\n", "A.md": "Words.\n"})
    run = kismet("book", tmp_path, "--format", "epub", "--out", tmp_path / "books")
    assert (run.status, "error[invalid-game]" in run.err) == (1, True)
    assert [file.name for file in (tmp_path / "books").iterdir()] == ["lamps.epub"]


def test_a_book_replaces_no_file_of_another_format(tmp_path: Path) -> None:
    folder = note(tmp_path, "Words.\n")
    run = kismet("book", folder, "--out", folder / "Note.md")
    assert (run.status, run.err.endswith('Note.md" must end in .pdf, or be a folder that exists\n')) == (2, True)
    (tmp_path / "v1.2").mkdir()
    run = kismet("book", folder, "--out", tmp_path / "v1.2", "--format", "epub")
    assert (run.status, [file.name for file in (tmp_path / "v1.2").iterdir()]) == (0, ["vault.epub"])
    assert re.search(r"vault\.epub: \d+ kB$", run.out)


def test_private_notes_are_in_no_book(tmp_path: Path) -> None:
    vault = write_files(
        tmp_path / "vault", {"A.md": "Open words.\n", "B.md": "---\npublish: false\n---\nHidden words.\n"}
    )
    reader, _ = book(vault)
    assert "Open words." in text_of(reader)
    assert b"Hidden" not in (tmp_path / "made.pdf").read_bytes()
    assert "Hidden" not in text_of(reader)


@pytest.mark.parametrize("language", ["de-AT", "zh-Hant-TW", "sr-Latn", "en-029", "de-1996", "fil", "de-u-co-phonebk"])
def test_any_language_has_books(language: str, tmp_path: Path) -> None:
    reader, _ = book(lamps(tmp_path, {"game.yaml": f"{GAME}language: {language}\n"}))
    assert "Words of Wick." in text_of(reader)


def test_letters_without_a_font_are_named_with_their_place(tmp_path: Path) -> None:
    reader, said = book(note(tmp_path, "# Note\n\nA 漢 and a 漢 and a 🎲 here.\n"))
    assert "warning[missing-letter]: no font of the book has 漢 (U+6F22, 2 times), 🎲 (U+1F3B2)" in said
    assert "Note.md:3:3" in said
    assert "A □ and a □ and a" in text_of(reader)


def test_a_letter_that_is_in_no_text_is_named_too(tmp_path: Path) -> None:
    _, said = book(lamps(tmp_path, {"game.yaml": GAME.replace("title: Lamps", "title: 漢")}))
    assert "no font of the book has 漢 (U+6F22)" in said


def test_pictures_are_shown_or_their_words_are_and_that_is_said(tmp_path: Path) -> None:
    text = "![A map](map.png)\n\n![Broken](bad.png)\n\n![Far](https://example.org/far.png)\n"
    reader, said = book(note(tmp_path, text, map=PICTURE, bad=b"no picture"))
    assert sum(len(page.images) for page in reader.pages) == 1
    assert said.count("warning[unset-picture]") == 2
    assert "its file is not a PNG, JPEG, GIF, WebP or SVG that can be read" in said
    assert "it is on the internet" in said
    assert "Far" in text_of(reader)


def test_a_table_that_no_page_can_hold_is_named(tmp_path: Path) -> None:
    columns = 60
    row = "|".join(["unbreakablewords"] * columns)
    _, said = book(note(tmp_path, f"|{row}|\n|{'|'.join(['---'] * columns)}|\n|{row}|\n"))
    assert "warning[outside-page]" in said


@pytest.mark.parametrize("book_format", ["pdf", "epub"])
def test_pictures_without_words_are_one_note(book_format: str, tmp_path: Path) -> None:
    text = "![](map.png)\n\n![A map](map.png)\n\n![[map.png]]\n\n![[map.png|A map]]\n"
    run = kismet(
        "book", note(tmp_path, text, map=PICTURE), "--format", book_format, "--out", tmp_path / f"n.{book_format}"
    )
    assert run.status == 0
    assert run.err.count("info[unnamed-picture]: screen readers skip this picture") == 2


def test_an_epub_says_the_same_of_pictures(tmp_path: Path) -> None:
    text = "![A map](map.png)\n\n![Broken](bad.png)\n\n![Far](https://example.org/far.png)\n"
    run = kismet(
        "book", note(tmp_path, text, map=PICTURE, bad=b"no picture"), "--format", "epub", "--out", tmp_path / "n.epub"
    )
    assert run.status == 0
    assert run.err.count("warning[unset-picture]") == 2
    assert (tmp_path / "n.epub").read_bytes()[30:38] == b"mimetype"


@pytest.mark.parametrize(("paper", "width"), [("a4", 595), ("letter", 612), ("a5", 420), ("digest", 396)])
def test_paper_sets_the_size_of_a_page(paper: str, width: int, tmp_path: Path) -> None:
    reader, _ = book(note(tmp_path, "Words.\n"), "--paper", paper)
    assert round(float(reader.pages[0].mediabox.width)) == width


def test_a_book_for_a_printer_has_bleed_and_an_even_number_of_pages(tmp_path: Path) -> None:
    reader, _ = book(note(tmp_path, "Words.\n"), "--print")
    assert len(reader.pages) % 2 == 0
    assert round(float(reader.pages[0].mediabox.width)) == round(595.28 + 2 * 10 * 72 / 25.4)


BAD_TEXTS = {
    "a word of 400 letters": "x" * 400,
    "a long title": f"# {'Title ' * 60}\n\nWords.",
    "a long cell": f"|A|B|\n|---|---|\n|{'words ' * 4000}|b|\n",
    "forty columns": f"|{'|'.join('ab' * 20)}|\n|{'|'.join(['---'] * 40)}|\n|{'|'.join('12' * 20)}|\n",
    "deep quotes": "> " * 60 + "deep",
    "an embed of itself": "![[Note]]",
    "raw HTML": "<div><script>alert(1)</script><b>bold</b><table><tr><td>cell</td></tr></table>\n\n#panic(1) $x$ \\",
    "skipped headings": "# A\n\n###### F\n\n> ## In a quote\n\nWords.",
    "formulas without their parts": r"$\frac$ $\frac{}{}$ $\frac{1}$ ${}^2$ $\begin{matrix}a & b\\ c\end{matrix}$",
    "a control character in a formula": "$a\x01b$",
    "headings with equal names": "#\n\n# \n\n## ^x\n\n> # Note\n\n- # Note\n\n# Note\n",
    "headings without words": "# 🎲\n\n## ![A picture](picture.png)\n\n## $x$\n\n## [[#]]\n\n# 🎲\n",
    "nothing": "",
}


@pytest.mark.parametrize("text", BAD_TEXTS.values(), ids=BAD_TEXTS.keys())
@pytest.mark.parametrize("columns", ["1", "2"])
def test_bad_text_still_makes_a_book(text: str, columns: str, tmp_path: Path) -> None:
    reader, _ = book(note(tmp_path, text + "\n"), "--columns", columns)
    assert len(reader.pages) >= 3


GAME = """\
id: lamps
title: Lamps
version: 1.0.0
licence: CC0
sources:
  - {glob: '*.md', dialect: obsidian}
vault: true
book:
  paper: a5
  columns: 1
  cover: art/cover.png
  front: [Preface.md]
  back: [About.md]
  leave_out: [News.md]
  date: '2026-11-27'
"""


def lamps(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    texts = {name: f"# {name}\n\nWords of {name}.\n" for name in ("About", "News", "Oil", "Preface", "Wick")}
    written: dict[str, str | bytes] = {f"{name}.md": text for name, text in texts.items()}
    return write_files(folder / "lamps", {**written, "game.yaml": GAME, "art/cover.png": PICTURE, **files})


def test_the_author_chooses_paper_order_cover_and_date(tmp_path: Path) -> None:
    reader, _ = book(lamps(tmp_path, {}))
    text = text_of(reader)
    places = [text.index(f"Words of {name}.") for name in ("Preface", "Oil", "Wick", "About")]
    assert places == sorted(places)
    assert "News" not in text
    assert "2026-11-27" in reader.pages[1].extract_text()
    assert len(reader.pages[0].images) == 1
    assert round(float(reader.pages[0].mediabox.width)) == 420


@pytest.mark.parametrize("book_format", ["pdf", "epub"])
def test_a_damaged_cover_is_named(book_format: str, tmp_path: Path) -> None:
    folder = lamps(tmp_path, {"art/cover.png": b"no picture"})
    run = kismet("book", folder, "--format", book_format, "--out", tmp_path)
    assert (run.status, "warning[unset-picture]: the cover has no picture" in run.err) == (0, True)
    assert "game.yaml:11:3" in run.err


@pytest.mark.parametrize("book_format", ["pdf", "epub"])
def test_a_link_to_a_text_that_is_left_out_is_its_words(book_format: str, tmp_path: Path) -> None:
    texts = {"News.md": "# News\n\n## Today\n\nText.\n", "Wick.md": "# Wick\n\nSee [[News]] and [[News#Today|this]].\n"}
    run = kismet("book", lamps(tmp_path, texts), "--format", book_format, "--out", tmp_path)
    assert (run.status, run.err) == (0, "")
    if book_format == "pdf":
        assert "See News and this." in text_of(PdfReader(tmp_path / "lamps.pdf"))


DESIGN = """\
#import "kismet.typ": *
#let chapter(name, title, body) = {
  pagebreak(weak: true)
  place(top, float: true, scope: "parent", spanning([#heading(level: 1, upper(title))#label(name)]))
  read("motto.txt")
  body
}
"""


def test_a_design_of_the_author_changes_what_it_defines_again(tmp_path: Path) -> None:
    game = GAME + "  design: look/book.typ\n"
    files = {"game.yaml": game, "look/book.typ": DESIGN, "look/motto.txt": "Let there be light."}
    reader, _ = book(lamps(tmp_path, files))
    assert "WICK" in text_of(reader)
    assert "Let there be light." in text_of(reader)


@pytest.mark.parametrize(
    ("design", "message"),
    [
        ('#import "kismet.typ": *\n#let chapter(', "Typst says: unclosed delimiter (design.typ:2)"),
        ('#import "@preview/tidy:0.4.0": *\n', "Typst says: failed to download package"),
        ('#let secret = read("/etc/hostname")\n', "Typst says: file not found"),
    ],
)
def test_a_faulty_design_is_one_message(design: str, message: str, tmp_path: Path) -> None:
    folder = lamps(tmp_path, {"game.yaml": GAME + "  design: book.typ\n", "book.typ": design})
    run = kismet("book", folder, "--out", tmp_path / "made.pdf")
    assert run.status == 3
    assert message in run.err
    assert not (tmp_path / "made.pdf").exists()


@pytest.mark.parametrize("line", ["cover: ../outside.png", "design: missing.typ", "fonts: missing", "paper: a3"])
def test_a_wrong_setting_of_the_book_is_named(line: str, tmp_path: Path) -> None:
    write_files(tmp_path, {"outside.png": PICTURE})
    key = line.partition(":")[0]
    lines = [other for other in GAME.splitlines() if not other.strip().startswith(f"{key}:")]
    folder = lamps(tmp_path, {"game.yaml": "\n".join([*lines, f"  {line}", ""])})
    run = kismet("book", folder)
    assert run.status == 2
    assert "invalid-game" in run.err


def test_a_build_with_books_links_them_and_keeps_them(tmp_path: Path) -> None:
    folder, out = (
        lamps(tmp_path, {"Wick.md": "# Wick\n\nA ☃ and a 漢. ![Far](https://example.org/far.png)\n"}),
        tmp_path / "site",
    )
    run = kismet("build", folder, "--out", out, "--book", "pdf,epub")
    assert run.status == 0, run.err
    assert "warning[missing-letter]: no font of the book has 漢" in run.out + run.err
    assert "1 unset-picture" in run.out + run.err
    books = {suffix: (out / f"lamps/downloads/lamps.{suffix}").read_bytes() for suffix in ("pdf", "epub")}
    for page in ("lamps/index.html", "lamps/downloads/index.html"):
        assert all(f"lamps.{suffix}" in (out / page).read_text(encoding="utf-8") for suffix in books)
    write_files(tmp_path / "lamps", {"game.yaml": GAME.replace("Lamps", "Lanterns")})
    assert kismet("build", folder, "--out", out, "--book", "epub").status == 0
    assert not (out / "lamps/downloads/lamps.pdf").exists()
    assert (out / "lamps/downloads/lamps.epub").read_bytes() != books["epub"]
    assert "lamps.pdf" not in (out / "lamps/index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", [("book", "--out", "made.pdf"), ("build", "--book=pdf", "--out", "site")])
def test_a_warning_about_a_design_is_said(command: tuple[str, ...], tmp_path: Path) -> None:
    design = '#import "kismet.typ": *\n#let par(body) = std.par(text(font: "Nowhere", body))\n'
    folder = lamps(tmp_path, {"game.yaml": GAME + "  design: book.typ\n", "book.typ": design})
    run = kismet(command[0], folder, *command[1:], cwd=tmp_path)
    assert run.status == 0, run.err
    assert "Typst warns about the book of Lamps: unknown font family: nowhere (design.typ:2)" in run.err


def test_a_book_that_fails_leaves_the_site(tmp_path: Path) -> None:
    folder = lamps(tmp_path, {"game.yaml": GAME + "  design: book.typ\n", "book.typ": "#("})
    run = kismet("build", folder, "--out", tmp_path / "site", "--book", "pdf")
    assert run.status == 3
    assert "cannot make the PDF of Lamps: Typst says: " in run.err
    assert "lamps.pdf" not in (tmp_path / "site/lamps/index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("formats", ["", ",", "pdf,"])
def test_no_format_is_refused(formats: str, tmp_path: Path) -> None:
    run = kismet("build", lamps(tmp_path, {}), "--out", tmp_path / "site", f"--book={formats}")
    assert run.status == 2
    assert 'there is no book format "": choose from' in run.err


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    run = kismet("build", lamps(tmp_path, {}), "--out", tmp_path / "site", "--book", "docx")
    assert (run.status, run.err) == (2, 'kismet: there is no book format "docx": choose from: epub, pdf\n')


def test_the_designs_of_the_manual_work(tmp_path: Path) -> None:
    page = (ROOT / "content/docs/how-to/make-a-book.md").read_text(encoding="utf-8")
    designs = re.findall(r"```typst\n(.*?)```", page, re.DOTALL)
    assert len(designs) == 3
    for number, design in enumerate(designs):
        files = {"game.yaml": GAME + "  design: look/book.typ\n", "look/book.typ": design, "look/motto.txt": "Light!"}
        reader, said = book(lamps(tmp_path / str(number), files))
        assert "Words of Wick." in text_of(reader)
        assert said == ""


@pytest.mark.parametrize("book_format", ["pdf", "epub"])
def test_sections_and_blocks_that_are_left_out_are_nowhere_in_the_book(book_format: str, tmp_path: Path) -> None:
    oil = "# Oil\n\nSee [[Wick]]. ^links\n\n## Trade\n\nOf oil.\n\n### Routes\n\nBy sea.\n\n## Lamps\n\nThey burn.\n"
    wick = (
        "# Wick\n\n- [[Oil#Trade]]\n- [[Oil#Routes|ways]]\n- [[Oil#Lamps]]\n\n> [!note] Notes\n>\n> Aside.\n\n^aside\n"
    )
    game = GAME.replace("[News.md]", "[News.md, '**#trade', 'Oil.md#^links', '*#^aside', 'Oil.md#Gone']")
    folder = lamps(tmp_path, {"game.yaml": game, "Oil.md": oil, "Wick.md": wick})
    run = kismet("book", folder, "--format", book_format, "--out", tmp_path)
    assert (run.status, run.err) == (0, "")
    file = tmp_path / f"lamps.{book_format}"
    if book_format == "pdf":
        text = text_of(PdfReader(file))
    else:
        epub = OpenEpub(file.read_bytes())
        check_structure(epub)
        text = "\n".join(epub.words(path) for path in epub.spine)
        words = {link.words for link in epub.links()}
        assert (any("Lamps" in shown for shown in words), words & {"ways", "Trade"}) == (True, set())
    assert not [word for word in ("See", "Of oil", "Routes", "sea", "Notes", "Aside", "News") if word in text]
    assert "They burn." in text
    assert (text.count("Trade"), text.count("ways")) == (1, 1)  # the words of the links
    run = kismet("check", folder)
    assert 'warning[unmatched-book-text]: "Oil.md#Gone" matches nothing in the book' in run.out
    assert "write the title of a section after #" in run.out


def test_names_without_a_text_or_kind_are_reported(tmp_path: Path) -> None:
    game = GAME.replace("[News.md]", "[News.md, Gone.md]") + "  appendices: [ghost]\n"
    run = kismet("check", lamps(tmp_path, {"game.yaml": game}))
    assert run.status == 0
    assert 'warning[unmatched-book-text]: "Gone.md" matches nothing in the book' in run.out
    assert 'warning[unknown-kind]: there is no kind "ghost"' in run.out


def test_notes_of_a_kind_become_an_appendix_in_the_order_of_names(tmp_path: Path) -> None:
    spells = {
        f"Spells/{n} {name}.md": f"---\ncost: {n}\nschool: fire\n---\n\nWords of {name}.\n"
        for n, name in ((1, "Torch"), (2, "Ember"), (3, "Glow"))
    }
    game = GAME + "  appendices: [spell]\n"
    kinds = {"game.yaml": game.replace("'*.md'", "'**/*.md'") + "folders: {Spells: spell}\n"}
    reader, _ = book(lamps(tmp_path, {**spells, **kinds}))
    text = text_of(reader)
    places = [text.index(f"Words of {name}.") for name in ("Wick", "Ember", "Glow", "Torch", "About")]
    assert places == sorted(places)


def test_a_text_that_several_settings_name_is_printed_once(tmp_path: Path) -> None:
    spells = {f"Spells/{name}.md": f"---\ncost: 1\n---\n\nWords of {name}.\n" for name in ("Ember", "Glow", "Torch")}
    game = GAME.replace("'*.md'", "'**/*.md'") + "  appendices: [spell]\nfolders: {Spells: spell}\n"
    game = game.replace("[Preface.md]", "[Preface.md, Spells/Glow.md]").replace("[About.md]", "[About.md, Preface.md]")
    reader, _ = book(lamps(tmp_path, {**spells, "game.yaml": game}))
    text = text_of(reader)
    places = [text.index(f"Words of {name}.") for name in ("Preface", "Glow", "Wick", "Ember", "Torch", "About")]
    assert places == sorted(places)
    assert text.count("Words of Preface.") == text.count("Words of Glow.") == 1


def test_the_fonts_of_the_author_set_letters_and_words(tmp_path: Path) -> None:
    game = GAME + "  fonts: fonts\n  families: [Lamp Oil]\n"
    reader, said = book(
        lamps(tmp_path, {"game.yaml": game, "fonts/lamp.ttf": lamp_font(), "Wick.md": "# Wick\n\n漢\n"})
    )
    assert said == ""
    fonts = {font["/BaseFont"] for page in reader.pages for font in page["/Resources"]["/Font"].values()}  # type: ignore[index]
    assert any("LampOil" in font.get_object() for font in fonts)


def lamp_font() -> bytes:
    """A font with one letter that no other font of a book has."""
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", "lamp"])
    builder.setupCharacterMap({ord("漢"): "lamp"})
    pen = TTGlyphPen(None)
    for move, point in (("moveTo", (0, 0)), ("lineTo", (500, 0)), ("lineTo", (500, 500))):
        getattr(pen, move)(point)
    pen.closePath()
    glyph = pen.glyph()
    builder.setupGlyf({".notdef": glyph, "lamp": glyph})
    builder.setupHorizontalMetrics({".notdef": (600, 0), "lamp": (600, 0)})
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Lamp Oil", "styleName": "Regular", "psName": "LampOil-Regular"})
    builder.setupOS2()
    builder.setupPost()
    content = BytesIO()
    builder.save(content)
    return content.getvalue()


def test_no_module_in_the_current_folder_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = note(tmp_path, "Words.\n")
    write_files(folder, {"typst.py": "raise SystemExit('this was run')\n"})
    monkeypatch.chdir(folder)
    reader, said = book(folder)
    assert (len(reader.pages) >= 3, said) == (True, "")


def test_a_row_of_a_table_is_in_one_column_and_a_short_table_is_too(tmp_path: Path) -> None:
    rows = "\n".join(f"| r{n} | {'so it goes ' * 9}e{n} |" for n in range(40))
    short = "\n".join(f"| s{n} | x |" for n in range(8))
    text = f"# Note\n\n| A | B |\n|---|---|\n{rows}\n\n" + f"| C | D |\n|---|---|\n{short}\n\nWords.\n\n" * 12
    reader, _ = book(note(tmp_path, text))
    for page in reader.pages:
        found = re.findall(r"\b([re]\d+|s[0-7])\b", page.extract_text())
        long = [name for name in found if name[0] in "re"]
        assert long == [f"{letter}{name[1:]}" for name in long[::2] for letter in "re"]
        assert [name for name in found if name[0] == "s"] == [f"s{n}" for n in range(8)] * (found.count("s0"))


def test_a_wide_table_has_the_title_of_its_section(tmp_path: Path) -> None:
    cell = "many words that make a table wide " * 3
    row = f"|{'|'.join([cell] * 5)}|\n"
    reader, _ = book(note(tmp_path, f"# Note\n\n## Deep places\n\nWords.\n\n|A|B|C|D|E|\n|-|-|-|-|-|\n{row * 2}"))
    assert text_of(reader).count("Deep places") == 3  # in the contents, at the section, and above the table


def test_numbers_in_the_index_sort_by_value(tmp_path: Path) -> None:
    notes = {f"Spells/Ring {n}.md": "---\ncost: 1\nschool: fire\n---\n\nWords.\n" for n in (2, 9, 10)}
    game = GAME.replace("'*.md'", "'**/*.md'") + "folders: {Spells: spell}\n"
    reader, _ = book(lamps(tmp_path, {**notes, "game.yaml": game}))
    assert re.findall(r"Ring (\d+),", reader.pages[-1].extract_text()) == ["2", "9", "10"]


def test_the_page_of_a_link_is_in_no_heading_and_in_no_word(tmp_path: Path) -> None:
    text = "# Note\n\n## See [[Wick]]\n\nTwo [[Wick]]s<br>burn.\n\n# A\n\n# B\n\n# C\n"
    reader, _ = book(lamps(tmp_path, {"Oil.md": text}))
    assert re.search(r"See Wick\nTwo Wicks\s\(p\.\s\d\) \nburn\.", text_of(reader))


def test_a_line_of_code_is_not_broken(tmp_path: Path) -> None:
    line = " ".join(f"{n:02}" for n in range(20))
    reader, _ = book(note(tmp_path, f"# Note\n\n```\n{line}\n{line}\n```\n"))
    assert text_of(reader).count(line) == 2

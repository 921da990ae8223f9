"""EPUBs of untidy vaults and of small games have the right content, and EPUBCheck finds no fault."""

import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from random import Random
from xml.etree import ElementTree
from zipfile import ZIP_STORED

import pytest

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.extensions.book.epub import Epub, epub_book
from kismet_build.extensions.book.pictures import with_valid_ids
from kismet_build.extensions.book.xhtml import HEADINGS
from kismet_build.pack import Pack
from tests.calculator_game import write_calculator_game
from tests.command import write_files
from tests.epub import OpenEpub, check_structure, epubcheck, untidy_html
from tests.sample import RUN_ALL, SAMPLE
from tests.small_library import GAME, TEXT, write_library


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


PNG = (
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 0, 0, 0, 0))
    + _chunk(b"IDAT", zlib.compress(b"\0\0\xff" * 2))
    + _chunk(b"IEND", b"")
)
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4"/></svg>'
FAULTY_IDS = """\
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">
<style>path {fill: url("#1 sky")}</style>
<linearGradient id="1 sky"/><path id="a"/><path id="a"/><path id=""/><path id="a:b"/>
<rect fill="url(#1 sky)" stroke="url(#gone) red" mask="url(#gone)"/><use href="#a:b"/><use xlink:href="#a"/>
</svg>
"""
LONG = "A Title of Many Words " * 14
"""A title of 300 letters."""

RAW = """\
# Raw

<center>In the middle</center>

<table align="center" border=1><tr valign=top><td width="50%" align=right>Cell<td bgcolor=red>Other</table>

<p>An open paragraph <div>with a block</div> inside

<b>bold <ul><li>item</b></li> and <dt>term</dt></ul>

<details><summary>More</summary>

Hidden [[Moor]] text.

</details>

<a href="https://e.org">out [[Moor]] in</a> <font color=red>red</font> <img src="https://e.org/a.png" alt="A far crow">

<dl><dt>Alone</dt></dl> <ruby>x<rp>(</rp></ruby> <input type="checkbox" checked> done

<figure>before <figcaption>Caption</figcaption> after</figure>
"""
MOOR = """\
# Moor

![A map](map.png) ![[map.png|40]] ![fake](fake.png) ![Gone](gone.png) ![far](https://e.org/b.png)

![[sun.svg]] ![[moon.svg]] ![torn](broken.svg) ![drawn](sun.png) ![other](really.jpg)

One[^1], two[^two], and again[^1]. See [[Crow]], [[#^block|the block]], [[Nowhere]], [[map.png]] and [[rules.pdf]].

[^1]: A note with [[Crow]].
[^two]: Another $x^2$.

A named block. ^block

![[Moor]]

![[Crow#Call]]

| d6 | Sky |
| -- | --: |
| 1-3 | grey |
| 4-6 | &amp; **blue** |

- [ ] open
- [x] done

> [!warning]- Bog
> It is deep: $$\\frac{a}{b} \\times \\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}$$

Roll `dice: 2d6` or 3d8. <a href="https://e.org/5%">share</a> [bad](http://[x) [app](obsidian://open?vault=x)
 <https://ok.org/?a=1&b=2>
"""
CROW = "---\ncall: loud\n---\n\n# Crow\n\n## Call\n\nKra.\n\n## Call\n\n##### Deep\n\n## ![[map.png]]\n\nE\x0cn\x01d.\n"
FIRST_SEED = SAMPLE if RUN_ALL else 0
VAULT: Mapping[str, str | bytes] = {
    "Raw.md": RAW,
    "Random.md": "\n\n".join(untidy_html(Random(FIRST_SEED + number)) for number in range(400)),
    "Moor.md": MOOR,
    "Birds/Crow.md": CROW,
    "Birds/Heron.md": "---\ncall: hoarse\n---\n\n# Heron\n\nIt stands in the [[Moor]].\n",
    "Birds/Snipe.md": "---\ncall: thin\n---\n\nIt hides.\n",
    f"{LONG[:200]}.md": f"# {LONG}\n\n{LONG}\n",
    "Empty.md": "",
    "map.png": PNG,
    "fake.png": b"not a picture",
    "sun.svg": SVG,
    "moon.svg": FAULTY_IDS,
    "broken.svg": SVG[:-6],
    "sun.png": SVG,
    "really.jpg": PNG,
    "rules.pdf": b"%PDF-1.4",
}


def compiled(folder: Path) -> Pack:
    return compile_game(load_library(folder, None, lambda _: None).games[0], lambda _: None)


@pytest.fixture(scope="module")
def epub(tmp_path_factory: pytest.TempPathFactory) -> Epub:
    return epub_book(compiled(write_files(tmp_path_factory.mktemp("vault") / "Fen", VAULT)))


@pytest.fixture(scope="module")
def book(epub: Epub) -> OpenEpub:
    return OpenEpub(epub.content)


def test_epubcheck_finds_no_fault_in_the_book_of_an_untidy_vault(epub: Epub, book: OpenEpub, tmp_path: Path) -> None:
    check_structure(book)
    assert not epubcheck(epub.content, tmp_path)


@pytest.mark.parametrize(("alternative", "sufficient"), [("A map", "textual"), ("", "textual,visual")])
def test_words_suffice_if_each_picture_has_them(tmp_path: Path, alternative: str, sufficient: str) -> None:
    vault: dict[str, str | bytes] = {"Moor.md": f"![{alternative}](map.png)\n", "map.png": PNG}
    book = OpenEpub(epub_book(compiled(write_files(tmp_path / "Fen", vault))).content)
    assert book.metadata("schema:accessModeSufficient") == [sufficient]
    assert book.metadata("schema:accessMode") == ["textual", "visual"]


def test_ids_in_drawings_are_valid_and_references_lead_to_them() -> None:
    assert with_valid_ids(SVG.encode()) == SVG.encode()
    drawing = ElementTree.fromstring(with_valid_ids(FAULTY_IDS.encode()))
    ids = [element.get("id") for element in drawing.iter() if "id" in element.attrib]
    assert ids == ["kismet-0", "a", "kismet-2"]
    values = [value for element in drawing[-3:] for value in element.attrib.values()]
    assert values == ["url(#kismet-0)", " red", "none", "#kismet-2", "#a"]
    assert drawing[0].text == "path {fill: url(#kismet-0)}"


def test_mimetype_is_first_and_no_file_has_a_time(book: OpenEpub) -> None:
    assert (book.infos[0].filename, book.infos[0].compress_type) == ("mimetype", ZIP_STORED)
    assert {info.date_time for info in book.infos} == {(1980, 1, 1, 0, 0, 0)}


def test_pictures_of_the_vault_are_inside_and_others_are_their_words(epub: Epub, book: OpenEpub) -> None:
    pictures = {link.address for link in book.links() if link.address.endswith((".png", ".svg"))}
    assert {path.rpartition("/")[2] for path in pictures} == {"map.png", "moon.svg", "really.jpg.png", "sun.svg"}
    assert book.files[next(path for path in pictures if path.endswith("map.png"))] == PNG
    assert {path.rpartition("/")[2] for path in epub.missing_pictures} >= {
        "a.png",
        "b.png",
        "fake.png",
        "broken.svg",
        "sun.png",
    }
    words = book.named("chapter")
    for alternative in ("A far crow", "fake", "Gone", "far", "torn", "drawn"):
        assert alternative in words


def test_links_lead_into_the_book_or_to_the_web(book: OpenEpub) -> None:
    links = [link for link in book.links() if link.words]
    outside = {link.address for link in links if not link.address.startswith("EPUB/")}
    assert outside == {"https://e.org", "https://ok.org/?a=1&b=2"}
    targets = {link.words: link for link in links if not link.file.endswith("nav.xhtml")}
    block = targets["the block"]
    assert f'id="{block.part}">A named block' in book.files[block.address].decode()
    for words in ("Nowhere", "rules.pdf", "bad", "app", "share"):
        assert words not in targets
        assert words in book.named("chapter")


def test_link_to_a_heading_that_is_there_twice_leads_to_the_first(tmp_path: Path) -> None:
    texts = {"A.md": "## Call\n\nFirst.\n\n## Call\n\nSecond.\n", "B.md": "To [[A#Call]].\n"}
    book = OpenEpub(epub_book(compiled(write_files(tmp_path / "Fen", texts))).content)
    (link,) = (link for link in book.links() if link.file == "EPUB/chapter-4.xhtml" and link.part)
    html = book.files[link.address].decode()
    assert html.index(f'id="{link.part}"') < html.index("First.")


def test_footnotes_are_marked_and_link_back(book: OpenEpub) -> None:
    html = book.html("chapter")
    assert html.count('epub:type="noteref"') == 3
    assert html.count('epub:type="footnote"') == 2
    assert html.count('role="doc-backlink"') == 3


def test_nothing_in_a_book_needs_a_click_or_a_script(book: OpenEpub) -> None:
    html = book.html("chapter")
    for tag in ("<details", "<input", "<button", "<script", "data-dice", "tabindex"):
        assert tag not in html
    assert "☐ open" in html
    assert "☑ done" in html
    assert "Hidden" in html


def test_notes_of_a_kind_follow_one_another_in_the_page_of_their_folder(book: OpenEpub) -> None:
    (page,) = (path for path in book.spine if path.startswith("EPUB/chapter") and "It hides." in book.words(path))
    words = book.words(page)
    assert words.index("Birds") < words.index("Crow") < words.index("Heron") < words.index("Snipe")


def test_properties_of_a_note_follow_its_title(book: OpenEpub) -> None:
    (page,) = (path for path in book.spine if path.startswith("EPUB/chapter") and "It hides." in book.words(path))
    assert "Snipe Call thin It hides." in book.words(page)
    assert "Heron Call hoarse It stands" in book.words(page)


def test_titles_of_a_page_begin_with_a_heading_of_the_first_level(book: OpenEpub) -> None:
    for path in book.spine:
        levels = [int(each.tag[-1]) for each in book.pages[path].iter() if each.tag.rpartition("}")[2] in HEADINGS]
        assert levels[0] == 1, path


def test_folder_without_a_text_is_on_the_page_of_the_first_text_in_it(tmp_path: Path) -> None:
    vault = {"Rules/Deep/Night.md": "It is dark.\n", "Rules/Deep/Rain.md": "It is wet.\n"}
    book = OpenEpub(epub_book(compiled(write_files(tmp_path / "Fen", vault))).content)
    pages = [book.words(path) for path in book.spine if path.startswith("EPUB/chapter")]
    assert pages == ["Rules Rules Deep Night It is dark.", "Rain Rain It is wet."]


def test_long_title_is_whole(book: OpenEpub) -> None:
    assert LONG.strip() in book.words("EPUB/nav.xhtml")


# --- games


def test_calculators_and_questions_of_a_game_are_text(tmp_path: Path) -> None:
    book = OpenEpub(epub_book(compiled(write_calculator_game(tmp_path))).content)
    check_structure(book)
    words = book.named("appendix")
    for shown in ("rank + 5", "Rank 4: 9", "Mood of the Queen", "Halved", "Most tables play it so"):
        assert shown in words, shown
    assert any(link.words == "Favor" and link.address.startswith("EPUB/chapter") for link in book.links())


def test_book_of_a_vault_without_a_text_to_publish_has_its_first_pages(tmp_path: Path) -> None:
    vault = write_files(tmp_path / "Fen", {"Moor.md": "---\npublish: false\n---\n\nA secret.\n"})
    book = OpenEpub(epub_book(compiled(vault)).content)
    check_structure(book)
    assert [path.rpartition("/")[2] for path in book.spine] == ["titlepage-1.xhtml", "imprint-2.xhtml", "nav.xhtml"]
    assert not any(b"secret" in content for content in book.files.values())


def test_imprint_has_the_rights_and_the_date(tmp_path: Path) -> None:
    game = GAME + "authors: [Anna, Bram]\nattribution: Ember Court (https://e.org) by Anna.\n"
    game += "notices: [Court is a mark.]\nbook: {date: '2024-05-31'}\n"
    book = OpenEpub(epub_book(compiled(write_library(tmp_path, game=game))).content)
    for words in ("Anna, Bram", "CC0 1.0", "Ember Court by Anna.", "Court is a mark.", "1.0.0", "2024-05-31"):
        assert words in book.named("imprint")
    assert book.metadata("creator") == ["Anna", "Bram"]
    assert book.metadata("date") == ["2024-05-31"]
    assert book.metadata("dcterms:modified") == ["2024-05-31T00:00:00Z"]


def test_cover_is_the_first_page_and_marked_as_such(tmp_path: Path) -> None:
    folder = write_library(tmp_path, game=GAME + "book: {cover: art/front.png}\n")
    content = epub_book(compiled(write_files(folder, {"art/front.png": PNG}))).content
    book = OpenEpub(content)
    check_structure(book)
    assert book.spine[0] == "EPUB/cover-1.xhtml"
    assert b'href="cover.png" media-type="image/png" properties="cover-image"' in book.files["EPUB/package.opf"]
    assert book.files["EPUB/cover.png"] == PNG


def test_text_that_the_author_leaves_out_is_nowhere_in_the_book(tmp_path: Path) -> None:
    game = GAME + "book: {leave_out: ['2 *']}\n"
    folder = write_library(tmp_path, game=game, text=TEXT + "\nSee [[2 News#Sneer|Sneer]].\n")
    news = "# News\n\n## Graces\n\n### Sneer\n\nA [[1 Court#Bow|bow]].\n\n**Cost:** 4\n\n> [!question] Odd?\n> Yes.\n"
    book = OpenEpub(epub_book(compiled(write_files(folder, {"2 News.md": news}))).content)
    check_structure(book)
    pages = " ".join(book.words(path) for path in book.spine)
    assert "See Sneer" in pages
    assert pages.count("Sneer") == 1
    assert "News" not in pages
    assert "Odd" not in pages


def test_identifier_depends_on_the_id_and_version_only(tmp_path: Path) -> None:
    packs = [
        compiled(write_library(tmp_path / name, game=game, text=text))
        for name, game, text in (
            ("a", GAME, "# One\n\nOne.\n"),
            ("b", GAME, "# Two\n\nTwo.\n"),
            ("c", GAME.replace("1.0.0", "1.1.0"), "# One\n\nOne.\n"),
        )
    ]
    first, same, other = (OpenEpub(epub_book(pack).content).metadata("identifier") for pack in packs)
    assert first == same != other


def test_book_without_a_date_has_none(tmp_path: Path) -> None:
    book = OpenEpub(epub_book(compiled(write_library(tmp_path))).content)
    assert book.metadata("date") == []
    assert book.metadata("dcterms:modified") == ["1980-01-01T00:00:00Z"]


def test_words_of_the_book_are_in_the_language_of_the_game(tmp_path: Path) -> None:
    book = OpenEpub(epub_book(compiled(write_library(tmp_path, game=GAME + "language: de\n"))).content)
    assert "Inhalt" in book.words("EPUB/nav.xhtml")
    assert "Register" in book.words("EPUB/nav.xhtml")
    assert book.metadata("language") == ["de"]


def test_game_that_is_read_from_right_to_left(tmp_path: Path) -> None:
    content = epub_book(compiled(write_library(tmp_path, game=GAME + "language: he\n"))).content
    book = OpenEpub(content)
    assert all(page.get("dir") == "rtl" for page in book.pages.values())
    assert b'page-progression-direction="rtl"' in book.files["EPUB/package.opf"]


def test_long_table_of_contents_has_fewer_levels(tmp_path: Path) -> None:
    text = "".join(f"## Part {number}\n\n### Step {number}\n\nWalk.\n\n" for number in range(300))
    book = OpenEpub(epub_book(compiled(write_files(tmp_path / "Fen", {"Walk.md": f"# Walk\n\n{text}"}))).content)
    assert "Part 299" in book.words("EPUB/nav.xhtml")
    assert "Step" not in book.words("EPUB/nav.xhtml")


def test_long_chapter_is_divided_at_headings(tmp_path: Path) -> None:
    sections = "".join(
        f"## Part {number}\n\n{'Walk on. ' * 8000}See [[#Part {9 - number}]].\n\n" for number in range(10)
    )
    book = OpenEpub(epub_book(compiled(write_files(tmp_path / "Fen", {"Walk.md": f"# Walk\n\n{sections}"}))).content)
    check_structure(book)
    pages = [path for path in book.spine if path.startswith("EPUB/chapter")]
    assert 3 <= len(pages) <= 6
    assert all(len(book.files[path]) < 260_000 for path in pages)
    contents = [link for link in book.links() if link.file == "EPUB/nav.xhtml" and link.words.startswith("Part")]
    assert [link.words for link in contents] == [f"Part {number}" for number in range(10)]

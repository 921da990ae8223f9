"""Section ids are unique, and links find them by the rules of their dialect."""

from kismet_build.config.load_game import plain_game
from kismet_build.driver.compile import compile_documents
from kismet_build.model.book import BLOCK_LEVEL, Book
from kismet_build.model.nodes import Document, Heading, Link, plain_text, walk
from kismet_build.model.source import Source, read_source
from kismet_build.parse.markdown.dialects import GITHUB, OBSIDIAN
from kismet_build.parse.markdown.reader import read
from kismet_build.resolve import chapter_places
from tests.command import CONTENT, RULEBOOKS, skip_without_originals

MARCHEN = RULEBOOKS / "marchen" / "Marchen Engine SRD.md"


def book_of(*documents: Document) -> Book:
    game = plain_game(CONTENT / "legend").with_files(texts=(), attachments=())
    return compile_documents(game, documents, lambda _: None).book


def github(**texts: str) -> Book:
    return book_of(*(read(Source(f"{name}.md", text), GITHUB, lambda _: None) for name, text in texts.items()))


def link_targets(book: Book) -> dict[str, str]:
    targets = {}
    for chapter in book.chapters:
        for node in walk(*chapter.document.blocks):
            if isinstance(node, Link):
                target = book.targets[node.span]
                place = f"{target.anchor.path}#{target.anchor.id}" if target.anchor else ""
                targets[plain_text(*node.children)] = f"{target.status} {place}"
    return targets


def test_sections_with_the_same_name_have_different_ids() -> None:
    texts = {"a.md": "# b c\n\n# b c\n", "a b.md": "# c\n", "a/b.md": "# c 1\n"}
    book = book_of(*(read(Source(path, text), OBSIDIAN, lambda _: None) for path, text in texts.items()))
    slugs = [section.slug for section in book.all_sections()]
    assert len(set(slugs)) == len(slugs) == 7


def test_chapter_slug_never_equals_a_kind_id() -> None:
    places = chapter_places(["Spell.md"], ["spell"], {"Spell": "Spell"}, None)
    assert [place.slug for place in places.values()] == ["spell-text"]


def test_fragments_are_resolved_by_the_rules_of_github() -> None:
    text = """
[umlaut](#was-ist-märchen) [encoded](#was-ist-m%C3%A4rchen) [dashes](#a--b) [repeated](#was-ist-märchen-1)
[case](#A--B) [title](#Was%20ist%20Märchen) [reference] [gone](#was-ist-gone)

# Was ist Märchen?
## A – B
# Was ist Märchen?

[reference]: #a--b
"""
    assert link_targets(github(Rules=text)) == {
        "umlaut": "ok Rules.md#was-ist-märchen",
        "encoded": "ok Rules.md#was-ist-märchen",
        "dashes": "ok Rules.md#a--b",
        "repeated": "ok Rules.md#was-ist-märchen-1",
        "case": "ok Rules.md#a--b",
        "title": "ambiguous Rules.md#was-ist-märchen",
        "reference": "ok Rules.md#a--b",
        "gone": "missing-heading Rules.md#",
    }


def test_link_to_a_heading_of_another_file_is_resolved() -> None:
    links = (
        "[file](Old%20Lamps.md) [heading](Old%20Lamps.md#öl-1) [angle](<Old Lamps.md#öl>) [dot](./Old%20Lamps.md#öl)"
    )
    assert link_targets(github(**{"Rules": links, "Old Lamps": "# Öl\n# Öl\n"})) == {
        "file": "ok Old Lamps.md#",
        "heading": "ok Old Lamps.md#öl-1",
        "angle": "ok Old Lamps.md#öl",
        "dot": "ok Old Lamps.md#öl",
    }


def test_github_id_keeps_umlauts_and_slug_is_ascii() -> None:
    book = github(Rules="# Öl – 2 Flaschen\n# Öl – 2 Flaschen\n")
    anchors = book.anchors[book.chapters[0].source][1:]
    assert [anchor.id for anchor in anchors] == ["öl--2-flaschen", "öl--2-flaschen-1"]
    assert [anchor.slug for anchor in anchors] == ["ol-2-flaschen", "ol-2-flaschen-1"]
    assert [section.slug for section in book.all_sections()][1:] == ["rules-ol-2-flaschen", "rules-ol-2-flaschen-1"]


def test_obsidian_heading_id_is_its_slug_and_block_id_is_unchanged() -> None:
    book = book_of(read(Source("Rules.md", "# Öl\n\nOil. ^oil-Id\n"), OBSIDIAN, lambda _: None))
    anchors = book.anchors[book.chapters[0].source][1:]
    assert [(anchor.id, anchor.level) for anchor in anchors] == [("ol", 1), ("^oil-Id", BLOCK_LEVEL)]


def test_heading_in_a_block_quote_can_be_linked_and_opens_no_section() -> None:
    book = github(Rules="# Dice\n\n> ## Fractions\n>\n> Round down.\n>\n> ## Odds\n\nMore. [x](#fractions)\n")
    assert link_targets(book) == {"x": "ok Rules.md#fractions"}
    anchor = next(anchor for anchor in book.anchors[book.chapters[0].source] if anchor.id == "fractions")
    assert plain_text(*book.embedded_blocks(anchor)) == "Fractions\nRound down."
    assert [section.anchor.title for section in book.all_sections()] == ["Dice", "Dice"]


def test_table_of_contents_links_of_the_original_marchen_book_resolve() -> None:
    if not MARCHEN.is_file():
        skip_without_originals()
    document = read(read_source(MARCHEN, MARCHEN.name, MARCHEN.name), GITHUB, lambda _: None)
    book = book_of(document)
    links = [node for node in walk(*document.blocks) if isinstance(node, Link) and node.target.startswith("#")]
    headings = [node for node in walk(*document.blocks) if isinstance(node, Heading)]
    assert len(links) == 128
    assert len({heading.id for heading in headings}) == len(headings) == 129
    for node in links:
        target = book.targets[node.span]
        assert target.status == "ok"
        assert target.resolved_anchor is not None
        assert target.resolved_anchor.id == node.target.removeprefix("#")
        assert book.anchor(target.resolved_anchor).title == " ".join(plain_text(*node.children).split())

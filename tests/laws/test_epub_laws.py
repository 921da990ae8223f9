"""Properties of the EPUBs of all games and vaults: their words are in order, their links lead somewhere."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.extensions.book.epub import epub_book
from kismet_build.extensions.book.parts import Part, is_title, parts
from kismet_build.extensions.book.xhtml import read_html, write_xml
from kismet_build.model.memo import Memo
from kismet_build.model.nodes import (
    FootnoteDefinition,
    Heading,
    Image,
    Link,
    Node,
    Statblock,
    Table,
    Text,
    children,
    plain_text,
)
from kismet_build.pack import Pack
from kismet_build.render.fragments.sanitize import join_sanitized
from tests.command import CONTENT, GAMES
from tests.epub import TAGS, OpenEpub, check_structure, epubcheck
from tests.hard.fuzz.targets import compile_notes, unshown_nodes
from tests.laws.test_vault_laws import VAULTS
from tests.sample import examples, sample

WORD = re.compile(r"[^\W\d_]{3,}")


@cache
def game(name: str) -> Pack:
    return compile_game(load_library(CONTENT / name, None, lambda _: None).games[0], lambda _: None)


def texts(part: Part) -> Iterator[Text]:
    """The text nodes of a part that a book shows in their order, as the author wrote them."""
    if part.chapter is None:
        return
    hidden = unshown_nodes(part.chapter.document.nodes)
    pending: list[Node] = [*reversed(part.blocks)]
    while pending:
        node = pending.pop()
        is_repeated = isinstance(node, Heading) and is_title(node, part.chapter)
        is_replaced = isinstance(node, Link) and (node.shows_title or plain_text(node).isupper())
        if is_repeated or is_replaced or id(node) in hidden or isinstance(node, FootnoteDefinition | Statblock | Image):
            continue  # not shown, in another place, in another order, or as an attribute
        if isinstance(node, Text):
            yield node
        # A caption that repeats the heading above it is left out.
        pending += reversed(node.children if isinstance(node, Table) else children(node))


def check_words(pack: Pack, book: OpenEpub) -> None:
    shown, place = book.named("chapter").casefold(), 0
    for part in parts(pack):
        wanted = [part.title, *(text.value for text in texts(part))]
        for text in wanted:
            for word in WORD.findall(text.casefold()):
                place = shown.find(word, place) + len(word)
                assert place >= len(word), f"{part.title}: {word!r} of {text!r} is not in its place"


def check(pack: Pack) -> None:
    book = epub_book(pack)
    read = OpenEpub(book.content)
    check_structure(read)
    check_words(pack, read)


@pytest.mark.parametrize("name", GAMES)
def test_words_of_a_game_are_in_order_and_its_links_lead_somewhere(name: str) -> None:
    check(game(name))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(notes=VAULTS)
def test_words_of_any_vault_are_in_order_and_its_links_lead_somewhere(notes: dict[str, str]) -> None:
    check(compile_notes(notes, Memo())[0])


RAW_HTML = st.lists(
    st.sampled_from(TAGS).map("<{}>".format)
    | st.sampled_from(TAGS).map("</{}>".format)
    | st.sampled_from(["<td align=left rowspan=2>", '<a href="b" hreflang=c>', "<input type=checkbox checked>", "<br>"])
    | st.sampled_from(["one ", "two &lt; ", "three\n", " "]),
    max_size=20,
).map("".join)


@settings(max_examples=examples(2000, 10))
@given(raw=RAW_HTML)
def test_html_that_fits_a_book_keeps_its_words_and_is_not_changed_again(raw: str) -> None:
    html = join_sanitized([(raw, True)], "")
    xml = write_xml(read_html(html))
    tree = ElementTree.fromstring(f"<body>{xml}</body>")
    words = WORD.findall(" ".join(tree.itertext()))
    assert sorted(words) == sorted(WORD.findall(re.sub("<[^>]*>|&lt;", " ", html)))
    assert write_xml(read_html(xml)) == xml


def test_equal_games_give_equal_bytes() -> None:
    again = compile_game(load_library(CONTENT / "kiss", None, lambda _: None).games[0], lambda _: None)
    assert again is not game("kiss")
    assert epub_book(again) == epub_book(game("kiss"))


@pytest.mark.parametrize("name", sample(GAMES, len(GAMES)))
def test_epubcheck_finds_no_fault_in_the_book_of_a_game(name: str, tmp_path: Path) -> None:
    assert not epubcheck(epub_book(game(name)).content, tmp_path)

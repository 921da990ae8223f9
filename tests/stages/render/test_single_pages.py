"""Pages are rendered document by document: for one document, for a shard in each process, for the whole book."""

from pathlib import Path

import pytest

from kismet_build.pack import Pack
from kismet_build.render.html.addresses import INDEX
from kismet_build.render.pages.layout import Layout
from kismet_build.render.site.outputs import files_of_document, in_layout, pages, pages_of_document, shards
from tests.custom_game import compile_custom_game

KIND = """\
title: Bird
x-match: {heading: 2}
required: [id, name]
additionalProperties: false
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title}
  length: {type: integer, x-from: 'label:Length'}
"""
BIRDS = "# Birds\n\n## Heron\n\n**Length:** 90\n\nIt stands.\n\n## Snipe\n\n**Length:** 26\n\nLike a [[#Heron]].\n"


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Pack:
    folder: Path = tmp_path_factory.mktemp("single")
    texts = {"1 Walk": "# Walk\n\nWe walk.\n", "2 Birds": BIRDS, "3 Rest": "# Rest\n\nWe rest.\n"}
    return compile_custom_game(folder / "fen", {"bird": KIND}, texts)


def test_pages_rendered_by_text_equal_those_of_the_whole_book(pack: Pack) -> None:
    expected = {page.address + INDEX: Layout(pack).page_html(page).encode() for page in pages(pack)}
    alone = [file for path in pack.documents for file in in_layout(pack, pages_of_document(pack, path))]
    assert [path for path, _ in alone] == [
        f"fen/{name}/index.html" for name in ("walk", "birds", "bird/heron", "bird/snipe", "rest")
    ]
    assert all(expected[path] == make() for path, make in alone)


def test_home_page_links_to_the_section_to_start_with(tmp_path: Path) -> None:
    texts = {"1 Walk": "# Walk\n\n## In Five Minutes\n\nWe walk.\n"}
    book = compile_custom_game(tmp_path / "fen", {"bird": KIND}, texts, "start: in five minutes\n")
    home = next(page for page in pages(book) if page.address == "fen/")
    assert 'New here? <a href="../fen/walk/index.html#in-five-minutes">In Five Minutes</a>' in home.article


def test_shards_of_a_book_have_each_page_once(tmp_path: Path) -> None:
    texts = {f"{number} Text": f"# {number}\n\n## Heron {number}\n\n**Length:** 90\n" for number in range(1, 40)}
    long = compile_custom_game(tmp_path / "fen", {"bird": KIND}, texts)
    divided = shards(long)
    assert max(map(len, divided)) < len(texts) // 2, "the book is divided for several processes"
    paths = [path for documents in divided for document in documents for path, _ in files_of_document(long, document)]
    assert len(paths) == len({*paths})
    assert {f"{entity.id}/{INDEX}" for entity in long.all_entities()} < {*paths}


def test_field_that_is_the_whole_text_is_shown_once(tmp_path: Path) -> None:
    kind = KIND.replace("length: {type: integer, x-from: 'label:Length'}", "when: {type: string, x-from: text}")
    pack = compile_custom_game(tmp_path, {"bird": kind}, {"Birds": "# Birds\n\n## Heron\n\nWhen it rains.\n"})
    (page,) = (page for page in pages(pack) if page.role == "entity")
    assert page.article.count("When it rains.") == 1
    assert '<div class="text">' in page.article

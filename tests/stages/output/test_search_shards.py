"""A game of many pages has its search index in shards; an edit rebuilds only the shard of the edited page."""

import gzip
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import library
from kismet_build.output import search_index
from kismet_build.output.search_index import (
    INDEX_FOLDER,
    SHARD_LIST,
    UNUSED_FILES,
    divide,
    indexed_text_digest,
    pagefind_command,
    pagefind_program,
    shard_count,
)
from kismet_build.output.tree import replace_tree
from tests.command import GAMES, NOT_HERE, ROOT, emitter_of, kismet, tree

PAGES = 300
"""The smallest number of pages with more than one shard."""
REFERENCES = '<section class="references"><h2>Mentioned in</h2><section>{}</section></section>'

pytestmark = [
    pytest.mark.skipif(pagefind_program() is None, reason=NOT_HERE + "Pagefind"),
    pytest.mark.usefixtures("searched_by_pagefind"),
]

Texts = dict[str, str]
"""The text of each page by its path."""


def texts(count: int, game: str = "court") -> Texts:
    return {f"{game}/page-{number}/index.html": f"Guest number{number} bows" for number in range(count)}


def page(words: str, references: str = "") -> bytes:
    article = f"<article data-pagefind-body>\n<h1>{words}</h1>{REFERENCES.format(references)}<p>End</p></article>"
    return f'<!doctype html><html lang="en"><head></head><body><nav>{references}</nav>{article}</body></html>'.encode()


def publish(pages: Texts, out: Path, references: str = "") -> None:
    replace_tree(emitter_of([(path, page(words, references)) for path, words in pages.items()]), out)


def shards(out: Path, game: str = "court") -> dict[str, str]:
    listed = json.loads((out / INDEX_FOLDER / game / SHARD_LIST).read_bytes())
    return {name: digest for name, digest, *_ in listed}


def indexed(out: Path, game: str = "court") -> list[str]:
    files = (out / INDEX_FOLDER / game).rglob("*.pf_fragment")
    fragments = (gzip.decompress(file.read_bytes()).removeprefix(b"pagefind_dcd") for file in files)
    return sorted(json.loads(fragment)["content"] for fragment in fragments)


def test_the_number_of_shards_depends_on_the_number_of_pages_alone() -> None:
    counts = {pages: shard_count(pages) for pages in (1, 299, 300, 599, 600, 1_199, 1_200, 9_999, 10_000, 100_000)}
    assert list(counts.values()) == [1, 1, 4, 4, 8, 8, 16, 16, 32, 32]


def test_every_page_is_in_one_shard_by_its_path() -> None:
    paths = [*texts(2_000)]
    divided = divide("court", reversed(paths))
    assert divided == divide("court", paths)
    assert sorted(path for pages in divided.values() for path in pages) == sorted(paths)
    assert [shard.name for shard in divided] == [f"{number:02}" for number in range(16)]
    assert all(90 <= len(pages) <= 160 for pages in divided.values())
    assert [shard.name for shard in divide("court", paths[: PAGES - 1])] == [""]


def test_an_edited_page_makes_one_shard(tmp_path: Path, started_indexes: list[str]) -> None:
    out, pages = tmp_path / "out", texts(PAGES)
    publish(pages, out)
    before = shards(out)
    assert sorted(started_indexes) == [*before] == ["00", "01", "02", "03"]
    started_indexes.clear()
    pages["court/page-7/index.html"] = "A guest whispers"
    publish(pages, out)
    assert len(started_indexes) == 1
    assert {name for name, digest in shards(out).items() if digest != before[name]} == {*started_indexes}
    assert indexed(out) == sorted(f"{words}. End." for words in pages.values())
    publish(pages, tmp_path / "anew")
    assert tree(out) == tree(tmp_path / "anew")
    sizes = [size for *_, size, _ in json.loads((out / INDEX_FOLDER / "court" / SHARD_LIST).read_bytes())]
    assert sum(sizes) == PAGES


def test_a_changed_backlink_or_navigation_makes_no_shard(tmp_path: Path, started_indexes: list[str]) -> None:
    for count in (3, PAGES):
        publish(texts(count), tmp_path / "out", "one link")
        started_indexes.clear()
        publish(texts(count), tmp_path / "out", "one link, another link")
        assert started_indexes == []


def test_a_game_that_grows_or_shrinks_beyond_the_limit_has_its_other_index_only(tmp_path: Path) -> None:
    for count in (PAGES - 1, PAGES, PAGES - 1):
        publish(texts(count), tmp_path / "out")
        publish(texts(count), tmp_path / f"anew-{count}")
        assert tree(tmp_path / "out") == tree(tmp_path / f"anew-{count}")
        assert len(indexed(tmp_path / "out")) == count


def test_a_removed_page_vanishes(tmp_path: Path, started_indexes: list[str]) -> None:
    pages = texts(PAGES + 1)
    publish(pages, tmp_path / "out")
    started_indexes.clear()
    removed = pages.pop("court/page-9/index.html")
    publish(pages, tmp_path / "out")
    assert len(started_indexes) == 1
    assert f"{removed}. End." not in indexed(tmp_path / "out")
    assert len(indexed(tmp_path / "out")) == PAGES


def test_shards_of_a_game_that_is_no_longer_published_go(tmp_path: Path) -> None:
    out = tmp_path / "out"
    publish(texts(PAGES) | texts(2, "garden"), out)
    assert (out / INDEX_FOLDER / "court/00").is_dir()
    publish(texts(2, "garden"), out)
    assert [folder.name for folder in (out / INDEX_FOLDER).iterdir()] == ["garden"]
    assert len(indexed(out, "garden")) == 2


def test_a_damaged_list_of_shards_makes_all_of_them(tmp_path: Path, started_indexes: list[str]) -> None:
    publish(texts(PAGES), tmp_path / "out")
    before = tree(tmp_path / "out")
    for damaged in (b"", b"[[", b"7", b'[["00"]]', b'{"00": 1}', b"\xff"):
        started_indexes.clear()
        (tmp_path / "out" / INDEX_FOLDER / "court" / SHARD_LIST).write_bytes(damaged)
        publish(texts(PAGES), tmp_path / "out")
        assert (len(started_indexes), tree(tmp_path / "out")) == (4, before)


def test_a_failing_shard_removes_the_index_of_its_game_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(pagefind: Path, pages: Path, index: Path) -> list[str]:
        command = pagefind_command(pagefind, pages, index)
        return [*command, "--unknown-option"] if index.name == "02" else command

    monkeypatch.setattr(search_index, "pagefind_command", failing)
    both = texts(PAGES) | texts(2, "garden")
    files = emitter_of([(path, page(words)) for path, words in both.items()])
    assert replace_tree(files, tmp_path / "out").search_problem.startswith("Pagefind failed: ")
    assert [folder.name for folder in (tmp_path / "out" / INDEX_FOLDER).iterdir()] == ["garden"]


def test_an_edit_of_a_game_makes_the_shards_of_the_pages_with_another_text(
    tmp_path: Path, started_indexes: list[str]
) -> None:
    source = tmp_path / "texts"
    library.write(source, 100)
    assert kismet("build", source, "--out", tmp_path / "out").status == 0
    assert len(started_indexes) == 4
    cached = json.loads((tmp_path / "out/assets/generated-offline.json").read_bytes())["files"]
    files = {f"{INDEX_FOLDER}/{path}" for path in tree(tmp_path / "out" / INDEX_FOLDER)}
    assert files - cached.keys() == {f"{INDEX_FOLDER}/generated/licence.txt"}
    started_indexes.clear()
    edited = source / library.PageId(42).path
    link = f"See [{library.PageId(90).title}](page-0090.md) as well."
    edited.write_text(edited.read_text(encoding="utf-8") + f"\n{link}\n", encoding="utf-8")
    assert kismet("build", source, "--out", tmp_path / "out").status == 0
    assert len(started_indexes) == 1, "the linked page has a new backlink, but the same indexed text"


@pytest.fixture(scope="module")
def books(searched_by_pagefind: None, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001 - a fixture
    out = tmp_path_factory.mktemp("books") / "public"
    assert kismet("build", ROOT / "content", "--out", out, "--quiet").status == 0
    return out


@pytest.mark.parametrize("game", GAMES)
def test_the_part_of_a_page_that_is_digested_is_all_that_pagefind_reads(books: Path, tmp_path: Path, game: str) -> None:
    shutil.copytree(books / game, tmp_path / "pages" / game)
    program = pagefind_program()
    assert program
    subprocess.run(pagefind_command(program, tmp_path / "pages", tmp_path / "whole"), check=True)
    for unused in [file for pattern in UNUSED_FILES for file in (tmp_path / "whole").glob(pattern)]:
        unused.unlink()
    reduced = tree(books / INDEX_FOLDER / game)
    assert {path: reduced[path] for path in reduced.keys() - {SHARD_LIST, "licence.txt"}} == tree(tmp_path / "whole")


def test_an_excluded_element_without_an_end_hides_nothing_after_it(tmp_path: Path) -> None:
    publish({"court/index.html": 'Bow<img class="why" src="a.svg">'}, tmp_path / "out")
    (text,) = indexed(tmp_path / "out")
    assert text.endswith("End.")


def edited(old: str, new: str) -> Callable[[bytes], bytes]:
    return lambda content: content.replace(old.encode(), new.encode())


@pytest.mark.parametrize(
    ("edit", "is_indexed"),
    [
        (edited("Bow", "Bend"), True),
        (edited("End", "Ende"), True),
        (edited('lang="en"', 'lang="de"'), True),
        (edited("<p>", '<p class="why">'), True),
        (edited("<p>End", '<img class="why" src="a.svg"><p>End'), True),
        (edited("<p>End", '<img class="why" src="a.svg"><p>The end'), True),
        (edited("one link", "two links"), False),
        (edited("<nav>", "<nav><nav></nav>"), False),
        (edited("</article>", "</article><footer>Page 2</footer>"), False),
        (edited("<head>", "<head><title>Other</title>"), False),
    ],
)
def test_the_digest_is_of_the_indexed_text(edit: Callable[[bytes], bytes], *, is_indexed: bool) -> None:
    before = page("Bow", "one link")
    assert edit(before) != before
    digests = {indexed_text_digest("court/index.html", content) for content in (before, edit(before))}
    assert len(digests) == 1 + is_indexed

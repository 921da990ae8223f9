"""How much work a build and an edit cost, counted: documents compiled, blocks rendered, files made.

Work and not seconds: docs/decisions/0034-measuring.md.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from benchmarks.library import write, write_vault
from kismet_build.config.game import Game
from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.driver.publish import render_game
from kismet_build.output.tree import describe_file
from kismet_build.render.fragments.html import HtmlFragments
from kismet_build.render.fragments.markdown import MarkdownFragments
from kismet_build.render.site.outputs import pages_of_document, render
from tests.command import CONTENT, GAMES, write_files

NOTES = 30
PLAIN = ("records, tags, German", "no kind", "one note")
SHAPES = (*GAMES, "generated", *PLAIN)


def write_shape(shape: str, folder: Path) -> Path:
    """The folder of a library of this shape; a shipped game is copied, so that it can be edited."""
    match shape:
        case "generated":
            write(folder, NOTES)
        case "records, tags, German":
            write_vault(folder, NOTES)
        case "no kind":
            write_vault(folder, NOTES, are_records=False)
        case "one note":
            write_files(folder, {"Note.md": "# Note\n\nA lamp.\n\n## Part\n\nA bell.\n"})
    return folder


def load(path: Path) -> Game:
    return load_library(path, None, lambda _: None).games[0]


def texts(game: Game) -> list[Path]:
    return [file for file, _ in game.files.texts]


@contextmanager
def counted_blocks() -> Iterator[dict[str, Counter[Any]]]:
    """Count how often each block of a text is made, by language of output."""
    formats: dict[str, tuple[Any, str]] = {"html": (HtmlFragments, "write"), "markdown": (MarkdownFragments, "block")}
    counts: dict[str, Counter[Any]] = {name: Counter() for name in formats}

    def counting(count: Counter[Any], render_block: Any) -> Any:
        def render(self: Any, block: Any, *others: Any) -> Any:
            count[block] += 1
            return render_block(self, block, *others)

        return render

    with ExitStack() as stack:
        for name, (type_, method) in formats.items():
            stack.enter_context(patch.object(type_, method, counting(counts[name], getattr(type_, method))))
        yield counts


@pytest.mark.parametrize("shape", SHAPES)
def test_a_block_is_made_once_in_each_language(tmp_path: Path, shape: str) -> None:
    folder = CONTENT / shape if shape in GAMES else write_shape(shape, tmp_path / "game")
    pack = compile_game(load(folder), lambda _: None)
    with counted_blocks() as counts:
        list(render_game(pack, describe_file))
    for name, count in counts.items():
        assert count
        assert [block for block, number in count.items() if number > 1] == [], name


@pytest.mark.parametrize("shape", ["generated", *PLAIN])
def test_an_edited_sentence_costs_one_document_and_its_page(tmp_path: Path, shape: str) -> None:
    folder = write_shape(shape, tmp_path / "game")
    game = load(folder)
    pack = compile_game(game, lambda _: None)
    edited = texts(game)[len(texts(game)) // 2]
    edited.write_text(f"{edited.read_text(encoding='utf-8').rstrip()} And a lantern.\n", encoding="utf-8")
    # Loaded anew, as by another process.
    game = game.with_files_of(load(folder))
    new = compile_game(game, lambda _: None, previous=pack)
    assert {name: count for name, count in new.memo.counts.items() if count != 1} == {}, "each step, for one document"
    path = edited.relative_to(folder).as_posix()
    addresses = [address for address, _ in pages_of_document(new, path)]
    with counted_blocks() as counts:
        assert b"And a lantern." in render(new, f"{addresses[0]}index.html")
    rendered = [(block.span.source.path, number) for count in counts.values() for block, number in count.items()]
    assert {*rendered} == {(path, 1)}, "each block of the page, once"

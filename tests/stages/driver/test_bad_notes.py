"""One bad note costs one note: whatever fails for it, the others are published, and a line reports it."""

import errno
import os
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import Any

import pytest

from kismet_build import parse
from kismet_build.config.load_game import plain_game
from kismet_build.driver import compile, parse_files, publish
from kismet_build.driver.compile import compile_game
from kismet_build.model.memo import Memo
from kismet_build.model.nodes import Document
from kismet_build.model.source import MEGABYTE, Source
from kismet_build.pack import Pack
from kismet_build.render.site import outputs
from kismet_build.render.site.outputs import files_of_document
from tests.command import Run, kismet, tree, write_files
from tests.small_library import write_library

BAD = "Cellar/Bad.md"
SECRET = "opal thistle"
NOTES = {
    "Cellar/Ale.md": "---\nsize: 1\n---\n# Ale\n\nSee [[Bad]].\n",
    "Cellar/Oil.md": "---\nsize: 2\n---\n# Oil\n",
    "Cellar/Rum.md": "---\nsize: 3\n---\n# Rum\n",
    BAD: f"---\nsize: 9\n---\n# Bad\n\nA *word* of {SECRET}.\nA line.\n\nMore of [[Ale]].\n",
    "Home.md": "# Home\n\n[[Bad|the bad one]] and [[Ale]].\n",
}
Fault = Callable[[pytest.MonkeyPatch, Path], None]


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    write_files(tmp_path / "vault", NOTES)
    return tmp_path / "vault"


def build(vault: Path, *options: str) -> Run:
    return kismet("build", vault, "--out", vault.parent / "public", "--no-search", *options)


def pages(vault: Path) -> dict[str, str]:
    return {path: content.decode() for path, content in tree(vault.parent / "public").items() if path.endswith(".html")}


def opening_fails(code: int, monkeypatch: pytest.MonkeyPatch, _vault: Path) -> None:
    """Make opening fail: permissions would not stop root."""
    opened = os.open

    def open_(path: Any, *arguments: Any, **named: Any) -> int:
        if os.fspath(path).endswith(BAD):
            raise OSError(code, os.strerror(code), os.fspath(path))
        return opened(path, *arguments, **named)

    monkeypatch.setattr(os, "open", open_)


def too_large(_monkeypatch: pytest.MonkeyPatch, vault: Path) -> None:
    os.truncate(vault / BAD, 3_000 * MEGABYTE)  # it takes no space on the disk


def parsing_fails(problem: type[Exception], monkeypatch: pytest.MonkeyPatch, _vault: Path) -> None:
    read = parse.read

    def fail(source: Source, *arguments: Any, **named: Any) -> Document:
        if source.path == BAD:
            raise problem
        return read(source, *arguments, **named)

    monkeypatch.setattr(parse_files, "read", fail)


UNREAD: dict[str, tuple[str, Fault]] = {
    "permission": ("unreadable-text", partial(opening_fails, errno.EACCES)),
    "disk": ("unreadable-text", partial(opening_fails, errno.EIO)),
    "size": ("unreadable-text", too_large),
    "nesting": ("failed-text", partial(parsing_fails, RecursionError)),
    "memory": ("failed-text", partial(parsing_fails, MemoryError)),
}


@pytest.mark.parametrize("name", UNREAD)
def test_note_that_cannot_be_read_is_left_out(vault: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert build(vault).status == 0
    before = pages(vault)
    code, fail = UNREAD[name]
    fail(monkeypatch, vault)
    run = build(vault, "--no-cache")
    assert run.status == 0
    assert run.err.count(f"warning[{code}]") == 1
    assert f"{vault}/{BAD}:1:1" in run.err
    assert "Traceback" not in run.output
    after = pages(vault)
    assert before.keys() - after.keys() == {"vault/cellar/bad/index.html"}
    assert "the bad one and" in after["vault/index.html"], "the link is words: the note may be private"
    assert not [path for path, content in tree(vault.parent / "public").items() if BAD.encode() in content]


@pytest.mark.parametrize("name", ["permission", "nesting"])
def test_game_is_published_without_a_text_only_if_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    game = write_library(tmp_path / "game")
    write_files(game, {BAD: "# Bad\n", "game.yaml": (game / "game.yaml").read_text().replace("*.md", "**/*.md")})
    code, fail = UNREAD[name]
    fail(monkeypatch, game)
    assert build(game).status == 1
    assert not (tmp_path / "public").exists()
    run = build(game, "--keep-going")
    assert run.status == 1
    assert f"error[{code}]" in run.err
    assert pages(game)


def test_library_says_how_large_a_text_may_be(vault: Path) -> None:
    write_files(vault, {BAD: f"# Bad\n\n{'word ' * 400}\n", "library.yaml": "max_text_size: 0.001\n"})
    assert "this file has 2 kB, more than the limit of 1 kB" in kismet("check", vault).out
    write_files(vault, {"library.yaml": "max_text_size: 0.003\n"})
    assert "unreadable-text" not in kismet("check", vault).out


def steps(vault: Path) -> list[Callable[..., Any]]:
    pack = compile_game(plain_game(vault), lambda _: None)
    return [step for step, runs in pack.memo._runs.items() if BAD in runs]


def name_of(step: Callable[..., Any]) -> str:
    return step.__name__.strip("_").replace("_", " ")


def failing_step(monkeypatch: pytest.MonkeyPatch, name: str, times: int) -> None:
    run, left = Memo.run, [times]

    def run_or_fail(memo: Memo, step: Callable[..., Any], document: str, *inputs: Any) -> Any:
        @wraps(step)
        def fail(*_inputs: Any) -> None:
            left[0] -= 1
            raise KeyError("a fault")

        is_failing = name_of(step) == name and document == BAD and left[0] > 0
        return run(memo, fail if is_failing else step, document, *inputs)

    monkeypatch.setattr(Memo, "run", run_or_fail)


def test_words_remain_of_a_note_that_any_step_fails_for(vault: Path) -> None:
    names = [*map(name_of, steps(vault))]
    assert len(names) > 10
    for name in names:
        with pytest.MonkeyPatch.context() as monkeypatch:
            failing_step(monkeypatch, name, 1)
            run = build(vault, "--no-cache")
        assert (run.status, run.err.count("warning[failed-text]")) == (0, 1), name
        assert f"in the step \"{name}\" (KeyError: 'a fault')" in run.err
        page = pages(vault).get("vault/cellar/bad/index.html", "")
        if name in ("is garden note", "privacy of"):
            assert not page, "nobody knows whether the note is private"
            continue
        assert f"A *word* of {SECRET}." in page, name
        assert "More of [[Ale]]." in page, "without markup"
        assert "vault/cellar/bad/index.html" in pages(vault)["vault/index.html"], "links still lead there"


def test_note_is_left_out_if_a_step_fails_for_its_words_too(vault: Path) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        failing_step(monkeypatch, "document facts", 2)
        run = build(vault)
    assert (run.status, run.err.count("warning[failed-text]")) == (0, 1)
    assert "vault/cellar/bad/index.html" not in pages(vault)
    assert "vault/cellar/ale/index.html" in pages(vault)


def test_words_remain_of_a_note_that_rendering_fails_for(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = [1]

    def fail(pack: Pack, path: str) -> Any:
        if path == BAD and left[0]:
            left[0] -= 1
            raise AttributeError("a fault")
        return files_of_document(pack, path)

    monkeypatch.setattr(outputs, "files_of_document", fail)
    run = build(vault)
    assert (run.status, run.err.count("warning[failed-text]")) == (0, 1)
    assert f"A *word* of {SECRET}." in pages(vault)["vault/cellar/bad/index.html"]


@pytest.mark.parametrize("problem", [MemoryError, RecursionError, KeyError])
def test_any_other_fault_is_one_line_and_leaves_the_tree(
    vault: Path, monkeypatch: pytest.MonkeyPatch, problem: type[Exception]
) -> None:
    assert build(vault).status == 0
    before = tree(vault.parent / "public")

    def fail(*_arguments: Any) -> None:
        raise problem("a fault")

    for module, name, value in (
        (compile, "join_citations", fail),
        (outputs, "files_of_game", fail),
        (publish, "data_index", fail),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(module, name, value)
            run = build(vault, "--no-cache")
        assert (run.status, run.out, run.err.count("\n")) == (3, "", 1), run.output
        assert tree(vault.parent / "public") == before
        assert [file.name for file in vault.parent.iterdir() if "public-" in file.name] == []

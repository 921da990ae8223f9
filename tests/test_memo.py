"""Memoized passes and stored states: a pass runs only if an argument differs, and an equal result stops the change."""

from copy import copy
from pathlib import Path
from typing import Any

import pytest

from kismet_build.build import build_cache, pipeline
from kismet_build.build.build_cache import BuildRequest
from kismet_build.build.game_state import GameState, load_game_state, save_game_state
from kismet_build.build.pipeline import BuildOptions, build_library, compile_game, render_game
from kismet_build.build.rendered_game import RenderedGame
from kismet_build.config.game import load_library
from kismet_build.model.memo import Memo
from kismet_build.output.tree import describe_file
from kismet_build.pack import DocumentFacts, Pack
from tests.small_library import write_library


def test_pass_runs_only_if_an_argument_differs() -> None:
    first = Memo()
    assert first.run("upper", "a.md", str.upper, "a") == "A"
    second = Memo(first)
    assert second.run("upper", "a.md", str.upper, "a") == "A"
    assert second.run("upper", "b.md", str.upper, "b") == "B"
    assert second.counts == {"upper": 1}


def test_equal_result_keeps_the_old_object() -> None:
    first = Memo()
    old = first.run("words", "a.md", str.split, "one two")
    second = Memo(first)
    new = second.run("words", "a.md", str.split, "one  two")
    assert second.counts == {"words": 1}
    assert new is old


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([("x", {"a": 1, "b": 2})], [("x", {"b": 2, "a": 1})]),
        (DocumentFacts(properties={"a": 1, "b": 2}), DocumentFacts(properties={"b": 2, "a": 1})),
    ],
)
def test_another_order_of_a_map_is_a_change(old: Any, new: Any) -> None:
    first = Memo()
    first.run("copy", "a.md", copy, old)
    second = Memo(first)
    assert repr(second.run("copy", "a.md", copy, new)) == repr(new)
    assert second.counts == {"copy": 1}
    third = Memo(second)
    third.run("copy", "a.md", copy, copy(new))
    assert not third.counts


def test_result_of_a_removed_document_is_dropped() -> None:
    first = Memo()
    first.run("upper", "a.md", str.upper, "a")
    third = Memo(Memo(first))
    third.run("upper", "a.md", str.upper, "a")
    assert third.counts == {"upper": 1}


def test_edited_paragraph_runs_one_document_and_one_bundle(tmp_path: Path) -> None:
    write_library(tmp_path / "game")
    text = tmp_path / "game" / "2 Other.md"
    text.write_text("# Other\n\nSee [[#Bow]].\n\n### Nod\n\n**Cost:** 1", encoding="utf-8")
    (tmp_path / "game" / "3 Last.md").write_text("# Last\n\nSee [[Other]].\n", encoding="utf-8")
    game = load_library(tmp_path / "game", None, lambda _: None).games[0]
    pack = compile_game(game, lambda _: None)
    rendered = RenderedGame(game, pack)
    list(render_game(pack, describe_file, {}, rendered=rendered))
    text.write_text(text.read_text(encoding="utf-8") + "\n\nOne more paragraph.\n", encoding="utf-8")
    edited = compile_game(game, lambda _: None, previous=pack, changed=[text])
    assert set(edited.memo.counts.values()) == {1}
    assert "anchors" in edited.memo.counts
    assert "link index" not in edited.memo.counts
    rendered.replace_pack(game, edited)
    assert set(pack.documents) - set(rendered.bundles) == {"2 Other.md"}


@pytest.mark.parametrize(("path", "game_file"), [(".", None), ("../game", None), (".", "game.yaml"), ("", None)])
def test_state_is_used_for_every_spelling_of_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, game_file: str | None
) -> None:
    monkeypatch.setenv("KISMET_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(pipeline, "MIN_DOCUMENTS", 0)
    monkeypatch.setattr(build_cache, "CLOCK_TICK", 0)  # a file that was just changed has no reliable digest
    write_library(tmp_path / "game")
    monkeypatch.chdir(tmp_path / "game")
    compiled = []

    def compile_and_count(*arguments: Any, **options: Any) -> Pack:
        pack = compile_game(*arguments, **options)
        compiled.append(pack.memo.counts["anchors"])
        return pack

    monkeypatch.setattr(pipeline, "compile_game", compile_and_count)
    request = BuildRequest(
        Path(path or tmp_path / "game"), Path(game_file) if game_file else None, tmp_path / "out", search=False
    )
    options = BuildOptions(stores_states=True)
    first = build_library(request, lambda _: None, None, options)
    Path("2 Other.md").write_text("# Other", encoding="utf-8")
    build_library(request, lambda _: None, first, options)
    assert compiled == [1, 1], "each build compiles the one new document"


def test_state_of_another_build_and_damaged_state_are_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KISMET_CACHE", str(tmp_path / "cache"))
    write_library(tmp_path / "game")
    (tmp_path / "game" / "2 Other.md").write_text("# Other\n\nSee [[#Bow]].\n", encoding="utf-8")
    game = load_library(tmp_path / "game", None, lambda _: None).games[0]
    pack = compile_game(game, lambda _: None)
    request = BuildRequest(tmp_path / "game", None, tmp_path / "out")
    save_game_state(request, GameState("one", {}, game, pack, {}))
    state = load_game_state(request, game.id, "one")
    assert state is not None
    # The pickles keep the identity of objects: nothing is compiled again.
    assert not +compile_game(state.game, lambda _: None, previous=state.pack, changed=()).memo.counts
    assert load_game_state(request, game.id, "two") is None
    (file,) = (tmp_path / "cache" / "games").iterdir()
    content = bytearray(file.read_bytes())
    for position in range(0, len(content), len(content) // 50):
        content[position] ^= 1
        file.write_bytes(content)
        assert load_game_state(request, game.id, "one") is None
        content[position] ^= 1

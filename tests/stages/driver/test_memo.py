"""Memoized steps: a step runs only if an argument differs, and an equal result stops the change."""

from copy import copy
from pathlib import Path
from typing import Any

import pytest

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.model.memo import Memo
from kismet_build.pack import DocumentFacts
from tests.small_library import write_library


def test_step_runs_only_if_an_argument_differs() -> None:
    first = Memo()
    assert first.each(str.upper, {"a.md": "a"})["a.md"] == "A"
    second = Memo(first)
    assert second.each(str.upper, {"a.md": "a"})["a.md"] == "A"
    assert second.each(str.upper, {"b.md": "b"})["b.md"] == "B"
    assert second.counts == {"upper": 1}


def test_equal_result_keeps_the_old_object() -> None:
    first = Memo()
    old = first.each(str.split, {"a.md": "one two"})["a.md"]
    second = Memo(first)
    new = second.each(str.split, {"a.md": "one  two"})["a.md"]
    assert second.counts == {"split": 1}
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
    first.each(copy, {"a.md": old})["a.md"]
    second = Memo(first)
    assert repr(second.each(copy, {"a.md": new})["a.md"]) == repr(new)
    assert second.counts == {"copy": 1}
    third = Memo(second)
    third.each(copy, {"a.md": copy(new)})["a.md"]
    assert not third.counts


def test_result_of_a_removed_document_is_dropped() -> None:
    first = Memo()
    first.each(str.upper, {"a.md": "a"})["a.md"]
    third = Memo(Memo(first))
    third.each(str.upper, {"a.md": "a"})["a.md"]
    assert third.counts == {"upper": 1}


def test_edited_paragraph_runs_one_document(tmp_path: Path) -> None:
    write_library(tmp_path / "game")
    text = tmp_path / "game" / "2 Other.md"
    text.write_text("# Other\n\nSee [[#Bow]].\n\n### Nod\n\n**Cost:** 1", encoding="utf-8")
    (tmp_path / "game" / "3 Last.md").write_text("# Last\n\nSee [[Other]].\n", encoding="utf-8")
    game = load_library(tmp_path / "game", None, lambda _: None).games[0]
    pack = compile_game(game, lambda _: None)
    text.write_text(text.read_text(encoding="utf-8") + "\n\nOne more paragraph.\n", encoding="utf-8")
    edited = compile_game(game, lambda _: None, previous=pack, changed=[text])
    assert set(edited.memo.counts.values()) == {1}
    assert "anchor_chapter" in edited.memo.counts
    assert "LinkResolver" not in edited.memo.counts

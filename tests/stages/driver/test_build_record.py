"""The record of a build: JSON that is the same when it is read back; any other content counts as missing."""

import json
import os
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kismet_build.config.data_file import UsageError
from kismet_build.config.load_library import load_library
from kismet_build.driver import build_cache, fingerprint, library
from kismet_build.driver.build_cache import (
    BuildCache,
    BuildRequest,
    load_build_cache,
    program_digest,
    read_games,
    save_build_cache,
)
from kismet_build.driver.compile import compile_game
from kismet_build.driver.json_values import from_json, to_json
from kismet_build.driver.library import build_library
from kismet_build.model.cache_folder import read_cached_file, write_cached_file
from kismet_build.model.diagnostic import to_dict, to_text
from kismet_build.render.data.listing import listing, published_listing
from tests.command import CONTENT, GAMES, kismet, tree
from tests.conftest import BuiltTree
from tests.small_library import GAME, KIND, write_library

FAULTY_KIND = KIND.replace("{type: integer, x-from: 'label:Cost'}", "{type: integer, maximum: 2, x-from: 'label:Cost'}")
"""A kind with which an entry has an error."""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A library with diagnostics of every kind of place, parts that are left out and a private text."""
    with TemporaryDirectory() as name, patch.dict(os.environ, KISMET_CACHE=f"{name}/cache"), chdir(name):
        folder = Path(name)
        court = write_library(folder / "content/court", kind=FAULTY_KIND)
        (court / "2 Yard.md").write_text("# Yard\n\nSee [[Nowhere]].\n\n%% never closed\n", encoding="utf-8")
        (court / "3 Cellar.md").write_text("---\npublish: false\n---\n# Cellar\n", encoding="utf-8")
        (court / "4 Hall.md").write_bytes(b"# Hall\n\n\xff\n")
        Path(os.fsdecode(bytes(court / "Torn") + b"\xff.md")).write_text("# Torn\n\n[[Nowhere]]\n", encoding="utf-8")
        other = GAME.replace("ember", "ash").replace("Ember", "Ash")
        write_library(folder / "content/ash", game=other)
        yield folder


@pytest.fixture(scope="module")
def request_(folder: Path) -> BuildRequest:
    return BuildRequest(folder / "content", None, folder / "public", search=False, keep_going=True)


@pytest.fixture(scope="module")
def build(request_: BuildRequest) -> BuildCache:
    with patch.object(build_cache, "CLOCK_TICK", 0), patch.object(fingerprint, "MTIME_RESOLUTION", 0):
        return build_library(request_, lambda _: None)


def check_read_back(build: BuildCache) -> None:
    games = read_games(build)
    assert {game.id for game in build.result.games if game.is_publishable} <= games.keys()
    assert to_json(games).decode() == build.games
    content = to_json(build)
    assert content.isascii()
    loaded = from_json(BuildCache, content)
    assert to_json(loaded) == content
    for how in (to_text, to_dict):
        assert [*map(how, loaded.result.diagnostics)] == [*map(how, build.result.diagnostics)]
    assert loaded.tree == build.tree
    assert (loaded.digests, loaded.fingerprints) == (build.digests, build.fingerprints)


def test_a_record_says_the_same_when_it_is_read_back(build: BuildCache) -> None:
    (court,) = (game for game in build.result.games if game.id == "ember-court")
    assert court.left_out
    assert court.private
    assert {found.severity for found in court.diagnostics} >= {"error", "warning"}
    assert build.fingerprints
    check_read_back(build)


def test_the_record_of_our_own_games_is_read_back(tmp_path: Path) -> None:
    check_read_back(build_library(BuildRequest(CONTENT, None, tmp_path / "out", search=False), lambda _: None))


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(data, dict | list):
        for key in [*data] if isinstance(data, dict) else range(len(data)):
            yield data, key
            yield from places(data[key])


VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    7,
    2**70,
    1.5,
    "",
    "x",
    "a\0b",
    "\ud800",
    "error",
    [],
    {},
    [0, 0, 0],
    {"x": "x"},
)
"""Replacements for a part of a record."""


def replace_parts(record: Any, data: Any) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        found = [*places(record)]
        if not found:
            break
        container, key = data.draw(st.sampled_from(found))
        if data.draw(st.booleans()):
            container[key] = data.draw(st.sampled_from(VALUES))
        elif isinstance(container, dict) and data.draw(st.booleans()):
            container[data.draw(st.sampled_from(["", "x", "a\0b", "\ud800"]))] = container.pop(key)
        else:
            del container[key]


@settings(max_examples=300)
@given(st.data())
def test_a_record_with_any_part_replaced_is_no_fault(build: BuildCache, request_: BuildRequest, data: Any) -> None:
    record = json.loads(to_json(build))
    replace_parts(record, data)
    check_any_content(request_, json.dumps(record).encode())


@settings(max_examples=300)
@given(st.data())
def test_a_record_of_games_with_any_part_replaced_names_only_files_of_the_tree(
    build: BuildCache, request_: BuildRequest, data: Any
) -> None:
    record = json.loads(build.games)
    replace_parts(record, data)
    games = read_games(replace(build, games=json.dumps(record)))
    assert {file.path for game in games.values() for file in game.game.files} <= {*tree(request_.out)}


@given(st.one_of(st.binary(), st.sampled_from([b"[" * 10**5, b"1" * 5000, b"NaN", b'{"a":', b"\xff", b"null"])))
def test_a_record_of_any_bytes_is_no_fault(request_: BuildRequest, content: bytes) -> None:
    check_any_content(request_, content)


def check_any_content(request: BuildRequest, content: bytes) -> None:
    """Assert that a command with this record prints what it says, or compiles."""
    write_cached_file(request.cache_file, program_digest().encode(), [content])
    options = ("--out", request.out, "--no-search", "--keep-going")
    with patch.object(library, "build_library", side_effect=UsageError("it is compiled")) as compiling:
        run = kismet("build", request.path, *options, cwd=request.out.parent)
    assert run.status == 2 if compiling.called else run.status in (0, 1, 2), run.output
    assert "internal error" not in run.output


def test_an_undamaged_record_is_read(build: BuildCache, request_: BuildRequest) -> None:
    save_build_cache(request_, build)
    assert read_cached_file(request_.cache_file, program_digest().encode()) == to_json(build)
    loaded = load_build_cache(request_)
    assert loaded is not None
    assert to_json(loaded) == to_json(build)


@pytest.mark.parametrize("game", GAMES)
def test_listing_of_a_published_game_is_that_of_the_compiled_one(content: BuiltTree, game: str) -> None:
    """A build lists an unchanged game from its data in the tree."""
    (loaded,) = (each for each in load_library(CONTENT, None, lambda _: None).games if each.id == game)
    compiled = json.loads(json.dumps(listing(compile_game(loaded, lambda _: None))))
    published = json.loads((content.folder / "data" / game / "pack.json").read_bytes())
    assert published_listing(published) == compiled

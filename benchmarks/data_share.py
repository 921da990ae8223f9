"""Measure the share of the published data in the time of a build, and the size of the data."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import process_time

from kismet_build.config.game import Game
from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.driver.publish import render_game
from kismet_build.model.diagnostic import Diagnostic
from kismet_build.output.tree import OutputFile, describe_file
from kismet_build.pack import Pack
from kismet_build.render.site.outputs import paths, render

MAX_SHARE = 0.2
"""Maximum share of the data in the processor time of a build."""
MAX_PACK_BYTES = {"kismet": 1_180_000}
"""Maximum size of packs, in bytes. docs/decisions/0031-pack-format.md says what takes the space."""


def data_limits(content: Path, rounds: int) -> Iterator[tuple[str, float | None, float]]:
    """The share of the data in a build of all games, and the sizes of packs, each with its limit."""
    games = load_library(content, None, _ignore).games
    # The first round fills the caches of schemas and templates.
    samples = [_measure(games) for _ in range(rounds + 1)][1:]
    yield "share of the data in a build", median(data / build for build, data, _ in samples), MAX_SHARE
    for game, size in samples[0][2].items():
        if game in MAX_PACK_BYTES:
            yield f"bytes of the pack of {game}", size, MAX_PACK_BYTES[game]


def _measure(games: Sequence[Game]) -> tuple[float, float, Mapping[str, int]]:
    """Processor seconds of a build and of making its data (without compiling), and the bytes of the packs."""
    build = data = 0.0
    sizes = {}
    for game in games:
        start = process_time()
        for _ in render_game(_compile(game), _discard):
            pass
        build += process_time() - start
        pack = _compile(game)
        start = process_time()
        sizes[game.id] = sum(len(content) for path, content in _data(pack) if path == f"data/{game.id}/pack.json")
        data += process_time() - start
    return build, data, sizes


def _compile(game: Game) -> Pack:
    return compile_game(game, _ignore)


def _ignore(_diagnostic: Diagnostic) -> None:
    pass


def _discard(path: str, content: bytes) -> OutputFile:
    return describe_file(path, content)


def _data(pack: Pack) -> Iterator[tuple[str, bytes]]:
    return ((path, render(pack, path)) for path in paths(pack) if path.startswith("data/"))

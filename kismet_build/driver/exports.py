"""Run exporters for the games of a tree, after all their data is written."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from kismet_build.driver.processes import run_parallel
from kismet_build.driver.result import FailedExport
from kismet_build.driver.workers import Lost, Workers
from kismet_build.model.entry_points import Registered
from kismet_build.output.exporters import ExportFailed, run_exporter
from kismet_build.output.finished_data import TreeFiles, finished_data
from kismet_build.output.tree import OutputFile, TreeWriter

Exports = Mapping[str, tuple[OutputFile, ...]]
"""The files that exporters made for a game, by the exporter's name."""


class FinishedGame(NamedTuple):
    """A game whose data is written."""

    id: str
    files: Sequence[str]
    """The paths of the game's files and of the schemas that all games share, without files of exports."""
    kept: Exports
    """Exports of the same data that are in the old tree."""


class GameExports(NamedTuple):
    """The output of all exporters for one game."""

    made: Exports
    failures: Sequence[FailedExport]


def export_games(
    games: Sequence[FinishedGame],
    exporters: Sequence[Registered],
    write: TreeWriter,
    jobs: int,
    workers: Workers | None = None,
) -> Iterator[tuple[str, GameExports]]:
    """Export games in parallel, on this machine or its workers. Yields each game's id and exports, in any order."""
    if workers and exporters:
        work = partial(_export_game, exporters=exporters, write=write)
        for game, made in workers.run(work, games, Path(write.folder)):
            if isinstance(made, Lost):
                made = GameExports({}, [FailedExport(exporter.name, game.id, made.reason) for exporter in exporters])
            yield game.id, made
        return
    for number, exports in run_parallel(
        lambda number: _export_game(games[number], exporters, write), range(len(games)), jobs
    ):
        yield games[number].id, exports


def _export_game(game: FinishedGame, exporters: Sequence[Registered], write: TreeWriter) -> GameExports:
    folder = f"data/{game.id}/"
    data = finished_data(game.id, TreeFiles(Path(write.folder), game.files))
    present = {path.removeprefix(folder) for path in game.files if path.startswith(folder)}
    made: dict[str, tuple[OutputFile, ...]] = {}
    failures = []
    for exporter in exporters:
        # An exporter from another package may read more than the data, such as the time.
        if exporter.is_ours and exporter.name in game.kept:
            made[exporter.name] = tuple(map(write.keep, game.kept[exporter.name]))
        else:
            try:
                files = run_exporter(exporter, data, present)
            except ExportFailed as failure:
                failures.append(FailedExport(exporter.name, game.id, str(failure)))
                continue
            # Search engines and the search of the website do not list the content of exports.
            written = (write(folder + path, content) for path, content in files.items())
            made[exporter.name] = tuple(file._replace(is_page=False, text_digest="") for file in written)
        present.update(file.path.removeprefix(folder) for file in made[exporter.name])
    return GameExports(made, failures)

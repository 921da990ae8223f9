"""Measure how long the command takes, and where the time goes: `make bench`.

A machine that is busy or slow makes every number larger, so each is also told as a ratio to a peer measured in the same
minutes: markdown-it-py, which does the lowest part of our work, turning the same texts into plain HTML.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table

from benchmarks.budgets import budget_tables
from benchmarks.formulas import formula_table
from kismet_build.build.pipeline import emit
from kismet_build.config.game import load_library
from kismet_build.crossref.autolink import autolink
from kismet_build.crossref.backlinks import mention
from kismet_build.crossref.citations import cite
from kismet_build.extract import extract
from kismet_build.lint import CHECKS
from kismet_build.model.source import read_source
from kismet_build.pack import Pack
from kismet_build.parse import read
from kismet_build.resolve import link

ROOT = Path(__file__).parent.parent
CONTENT = ROOT / "content"
ROUNDS = 7
PEER = """\
import sys
from pathlib import Path
from markdown_it import MarkdownIt
parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
for name in sys.argv[1:]:
    parser.render(Path(name).read_text(encoding="utf-8"))
"""
LIMITS = {"kismet build content": 3.0, "kismet build content/kismet --no-search": 1.0, "kismet explain": 0.15}
"""Seconds on two cores, from nothing, from the issues that asked for the commands; one is older than the search."""
AS_INSTALLED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Python keeps what it compiled, as it does of everything that is installed."""
MOST_CALCULATORS = "kismet"
MOST_ADDED = 0.15
"""Of the time of a build without them, what calculators may add."""


def main() -> None:
    """Measure, and print what was found."""
    chapters = sorted(map(str, CONTENT.glob("*/*.md")))
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            "kismet build content": command("build", str(CONTENT), "--quiet"),
            **{
                f"kismet build content/{name}": command("build", str(CONTENT / name), "--quiet")
                for name in sorted(file.parent.name for file in CONTENT.glob("*/game.yaml"))
            },
            **{
                f"kismet build {path} --no-search": command("build", str(ROOT / path), "--quiet", "--no-search")
                for path in ("content", "content/kismet")
            },
            "kismet explain": command("explain", "unresolved-link"),
            "markdown-it-py (peer)": [sys.executable, "-c", PEER, *chapters],
            "python -c pass": [sys.executable, "-c", "pass"],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        # In turns, so that a change of the machine's mood meets all of them.
        for number in range(ROUNDS):
            for name, arguments in commands.items():
                out = Path(folder) / name.replace("/", " ") / str(number)
                times[name].append(wall_time([*arguments, "--out", str(out)] if "build" in name else arguments))
    console = Console()
    console.print(command_table(times))
    console.print(stage_table(list(stages())))
    console.print(calculator_table())
    console.print(formula_table())
    with tempfile.TemporaryDirectory() as folder:
        wall_time(command("build", str(CONTENT), "--out", folder + "/public", "--quiet"))
        for table in budget_tables(Path(folder) / "public"):
            console.print(table)


def command(*arguments: str) -> list[str]:
    """What the console script does, without depending on where it is installed."""
    return [sys.executable, "-c", "import sys; from kismet_build.cli import main; sys.exit(main())", *arguments]


def wall_time(arguments: list[str]) -> float:
    """The seconds that a process takes from start to end.

    Each build gets a folder of its own: for half a minute after thousands of files were deleted, some file
    systems take ten times as long to make new ones.
    """
    start = perf_counter()
    subprocess.run(arguments, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, env=AS_INSTALLED)
    return perf_counter() - start


def stages() -> Iterator[tuple[str, float]]:
    """The best time of each stage for all games together, in the order of the pipeline."""
    rounds: list[dict[str, float]] = []

    @contextmanager
    def timed(name: str) -> Iterator[None]:
        start = perf_counter()
        yield
        rounds[-1][name] = rounds[-1].get(name, 0.0) + perf_counter() - start

    for _ in range(ROUNDS):
        rounds.append({})
        run_pipeline(timed)
    yield from ((name, min(found[name] for found in rounds)) for name in rounds[0])


def run_pipeline(timed: Callable[[str], AbstractContextManager[None]]) -> None:
    """The pipeline of `build.py`, a stopwatch around each stage."""
    packs = []
    with timed("load the games"):
        library = load_library(CONTENT, None, ignore)
    for game in library.games:
        with timed("read"):
            documents = [read(read_source(file, file.name, file.name), dialect, ignore) for file, dialect in game.files]
        with timed("link"):
            book = link(documents, game.kinds, game.attachments)
        with timed("extract"):
            entities = extract(book, game, ignore)
        with timed("mention"):
            pack = mention(Pack(game=game, book=book, entities=entities))
        with timed("link names"):
            pack = autolink(pack)
        with timed("cite"):
            pack = cite(pack)
        with timed("check"):
            for check in CHECKS:
                check(pack, ignore)
        packs.append(pack)
    with timed("emit"):
        list(emit(packs))


def ignore(_diagnostic: object) -> None:
    """Take a diagnostic and do nothing: printing is not what is measured."""


def command_table(times: dict[str, list[float]]) -> Table:
    """Whole commands, with the peer as the yardstick."""
    peer = min(times["markdown-it-py (peer)"])
    table = Table(title=f"Whole commands, {ROUNDS} runs each, in seconds")
    table.add_column("command")
    for name in ("best", "median", "best / peer", "limit"):
        table.add_column(name, justify="right")
    for name, found in times.items():
        limit = LIMITS.get(name)
        table.add_row(
            name,
            f"{min(found):.3f}",
            f"{median(found):.3f}",
            f"{min(found) / peer:.2f}",
            "" if limit is None else f"{limit} {'met' if min(found) < limit else 'MISSED'}",
        )
    return table


def stage_table(times: list[tuple[str, float]]) -> Table:
    """The stages of one build, in one process that is warm."""
    whole = sum(time for _, time in times)
    table = Table(title=f"Stages of a build in a warm process, best of {ROUNDS}, in milliseconds")
    table.add_column("stage")
    table.add_column("time", justify="right")
    table.add_column("share", justify="right")
    for name, time in [*times, ("together", whole)]:
        table.add_row(name, f"{1000 * time:.1f}", f"{time / whole:.0%}")
    return table


def calculator_table() -> Table:
    """What calculators add to a build of the game with the most of them, on the clock: medians of runs in turns."""
    with tempfile.TemporaryDirectory() as folder:
        names = ("with calculators", "without")
        for name in names:
            for part in (f"content/{MOST_CALCULATORS}", "schemas"):
                shutil.copytree(ROOT / part, Path(folder) / name / part)
        shutil.rmtree(Path(folder) / "without" / "content" / MOST_CALCULATORS / "calculators")
        times: dict[str, list[float]] = {name: [] for name in names}
        for number in range(ROUNDS):
            for name in names:
                out = Path(folder) / name / f"public {number}"
                build = command(
                    "build", str(Path(folder) / name / "content"), "--out", str(out), "--quiet", "--no-search"
                )
                times[name].append(wall_time(build))
    added = median(times["with calculators"]) / median(times["without"]) - 1
    named = f"A build of content/{MOST_CALCULATORS} with and without calculators"
    table = Table(title=f"{named}, {ROUNDS} runs each in turns, in seconds")
    table.add_column("content")
    for name in ("best", "median", "added", "limit"):
        table.add_column(name, justify="right")
    verdict = f"{MOST_ADDED:.0%} {'met' if added <= MOST_ADDED else 'MISSED'}"
    for name, found in times.items():
        last = (f"{added:.0%}", verdict) if name != "without" else ("", "")
        table.add_row(name, f"{min(found):.3f}", f"{median(found):.3f}", *last)
    return table


if __name__ == "__main__":
    main()

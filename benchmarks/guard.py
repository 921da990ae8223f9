"""Compare the processor time of a build from nothing with that of another commit: `make bench-guard BASE=344234eb`.

Processor seconds are user and system time, those of child processes too. Builds of both commits alternate, each with
an empty cache and without a search index. Ratios are the medians over the pairs.
"""

import argparse
import resource
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.library import write, write_vault
from benchmarks.measure import note, seconds
from benchmarks.programs import kismet
from benchmarks.report import print_table

ROOT = Path(__file__).parent.parent
PAIRS = 5
LIBRARIES: dict[str, Callable[[Path, int], None]] = {
    "generated library": write,
    "plain vault: records, tags, German": write_vault,
    "the same without records and tags": partial(write_vault, are_records=False),
}
"""Writers of the libraries: the difference of the last two is what found kinds and tags cost."""


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guard", description=__doc__)
    parser.add_argument("base", help="the commit to compare with")
    parser.add_argument("--pages", type=int, default=1_000, help="texts of each library")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="builds of each library by each commit")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-guard-") as name:
        folder = Path(name)
        base = _checkout(options.base, folder / "base")
        programs = {"base": kismet("--no-search", checkout=base), "now": kismet("--no-search", checkout=ROOT)}
        rows = []
        for title, write_library in LIBRARIES.items():
            project = folder / title.replace(" ", "-").replace(":", "")
            write_library(project / "content", options.pages)
            used: dict[str, list[float]] = {program: [] for program in programs}
            for number in range(options.pairs):
                for program, found in programs.items():
                    note(f"{title}: {program}, build {number + 1} of {options.pairs}")
                    found_seconds = processor_seconds(
                        found.build(project, project / f"out-{program}-{number}"), project
                    )
                    used[program].append(found_seconds)
            ratios = [now / before for now, before in zip(used["now"], used["base"], strict=True)]
            sizes = (_size(project / f"out-{program}-0") for program in programs)
            rows.append(
                (title, *(f"{median(used[program]):.2f}" for program in programs), f"{median(ratios):.2f}", *sizes)
            )
    header = ("library", f"{options.base} (s)", "now (s)", "ratio", "its output", "output now")
    print_table(
        f"Processor seconds of a build of {options.pages:,} texts, median of {options.pairs} pairs", header, rows
    )


def _checkout(commit: str, folder: Path) -> Path:
    """The files of a commit, in a new folder."""
    folder.mkdir()
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "--extract"], cwd=folder, check=True, input=archive)
    return folder


def processor_seconds(command: list[str], project: Path) -> float:
    """The processor seconds that a command and its children use. Raises `ProgramError`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds(command, project)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _size(tree: Path) -> str:
    files = [file.stat().st_size for file in tree.rglob("*") if file.is_file()]
    return f"{len(files):,} files, {sum(files) / 1e6:.1f} MB"


if __name__ == "__main__":
    main()

"""Compare the processor time of a build from nothing between commits: `make bench-guard BASE=344234eb`.

Processor seconds are user and system time, including child processes. Builds of all programs alternate, each with an
empty cache and without a search index. Ratios are medians over the pairs.
"""

import argparse
import resource
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.library import write, write_vault
from benchmarks.measure import note, seconds
from benchmarks.programs import HUGO, kismet, prepare
from benchmarks.report import print_table

ROOT = Path(__file__).parent.parent
PAIRS = 5
LIBRARIES: dict[str, Callable[[Path, int], None]] = {
    "generated library": write,
    "plain vault: records, tags, German": write_vault,
    "the same without records and tags": partial(write_vault, are_records=False),
}
"""Functions that write the libraries. The difference between the last two shows the cost of found kinds and tags."""


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guard", description=__doc__)
    parser.add_argument("bases", nargs="+", help="commits to compare with; ratios are to the first")
    parser.add_argument("--pages", type=int, default=1_000, help="texts of each library")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="builds of each library by each program")
    parser.add_argument("--hugo", action="store_true", help="measure Hugo too, without data and calculators")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-guard-") as name:
        folder = Path(name)
        programs = [
            replace(kismet("--no-search", checkout=checkout(base, folder / base)), name=base) for base in options.bases
        ]
        programs += [replace(kismet("--no-search", checkout=ROOT), name="now"), *([HUGO] if options.hugo else [])]
        rows = []
        for number, (title, write_library) in enumerate(LIBRARIES.items()):
            library = folder / f"library-{number}"
            write_library(library, options.pages)
            projects = [folder / f"{number}-{program.name}" for program in programs]
            prepared = [prepare(program, library, project) for program, project in zip(programs, projects, strict=True)]
            used: dict[str, list[float]] = {program.name: [] for program in prepared}
            for pair in range(options.pairs):
                for program, project in zip(prepared, projects, strict=True):
                    note(f"{title}: {program.name}, build {pair + 1} of {options.pairs}")
                    used[program.name].append(
                        processor_seconds(program.build(project, project / f"out-{pair}"), project)
                    )
            base = used[prepared[0].name]
            for program, project in zip(prepared, projects, strict=True):
                seconds_of = used[program.name]
                ratio = median(now / before for now, before in zip(seconds_of, base, strict=True))
                size = _size(project / "out-0")
                rows.append((title, program.name, f"{median(seconds_of):.2f}", f"{ratio:.2f}", size))
    header = ("library", "program", "processor seconds", f"{options.bases[0]} = 1", "output")
    print_table(f"Builds of {options.pages:,} texts from nothing, median of {options.pairs}", header, rows)


def checkout(commit: str, folder: Path) -> Path:
    """Write the files of a commit to a new folder, and return the folder."""
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

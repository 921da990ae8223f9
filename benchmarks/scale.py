"""Measure how the time of a build grows with its library, compared with peers that build the same pages: `make
bench-scale`. The environment variable `TMPDIR` names the folder for the libraries and trees, which should be on a disk
and not in memory.
"""

import argparse
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.library import PER_FOLDER, PageId, write, write_notes
from benchmarks.measure import FRESH, MEMORY, SERVED, UNCHANGED, Edit, Samples, marker, measure, note
from benchmarks.programs import PEERS, MissingPeerError, Program, kismet, prepare
from benchmarks.report import middle, print_limits, print_measurements, ratio

SMALL, LARGE = 1_000, 10_000
FLAGS = [search + jobs for jobs, search in product(((), ("--jobs", "1")), ((), ("--no-search",)))]
"""Flags of `kismet build`.

Each combination is measured as a program: all processors or one, with and without search.
"""
REFERENCE = "kismet --no-search"
"""The program with which all others are compared. Like the peers, it makes no search index."""


def main() -> None:
    """Measure, and print the tables."""
    options = _options()
    if options.records:
        _measure_records(options.records, options.rounds)
        return
    programs = [kismet(*flags) for flags in FLAGS]
    programs += [peer for peer in PEERS if any(name.casefold() in peer.name.casefold() for name in options.peers)]
    by_size: dict[int, Samples] = {}
    with tempfile.TemporaryDirectory(prefix="bench-scale-") as folder:
        for pages in options.pages:
            prepared = list(_prepare(programs, pages, Path(folder) / str(pages), is_thin=options.thin))
            by_size[pages] = measure(prepared, options.rounds)
        for pages, samples in by_size.items():
            kind = "thin pages" if options.thin else "pages"
            print_measurements(f"{pages:,} {kind}, seconds, median of {options.rounds} rounds", samples, REFERENCE)
        print_limits([limit for pages, samples in by_size.items() for limit in _limits(pages, samples)])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--pages", type=int, nargs="+", default=[SMALL, LARGE], help="sizes of the library")
    parser.add_argument("--rounds", type=int, default=3, help="builds of each library by each program")
    parser.add_argument("--peers", nargs="*", default=[""], metavar="NAME", help="peers to measure, by parts of names")
    parser.add_argument("--thin", action="store_true", help="pages with few tables and links, and no entries")
    parser.add_argument("--records", type=int, metavar="N", help="measure N notes with properties beside N without")
    return parser.parse_args()


def _prepare(
    programs: list[Program], pages: int, folder: Path, *, is_thin: bool
) -> Iterator[tuple[Program, Path, Edit]]:
    """Write the library, and make the project of each program, with an edit of a page in the middle."""
    write(folder / "library", pages, is_thin=is_thin)
    page_id = PageId(pages // 2)
    directory, file = page_id.path.removesuffix(".md").split("/")

    def sentence(number: int) -> str:
        """A sentence with a link to another page of the same folder. Each number links to a different page."""
        other = PageId(page_id.number - page_id.number % PER_FOLDER + 1 + number)
        return f" {marker(number)} See [{other.title}]({Path(other.path).name})."

    for program in programs:
        if pages > program.max_pages:
            note(f"{program.name} is left out: not measured above {program.max_pages:,} pages")
            continue
        project = folder / program.name.replace(" ", "-")
        try:
            named = prepare(program, folder / "library", project)
        except MissingPeerError as error:
            note(f"{program.name} is left out: {error}")
            continue
        edit = Edit(f"{program.texts}/{page_id.path}", program.page.format(folder=directory, page=file), sentence)
        yield named, project, edit


def _measure_records(notes: int, rounds: int) -> None:
    """Compare builds from nothing of a vault of records and of a vault with the same notes without properties."""
    with tempfile.TemporaryDirectory(prefix="bench-records-") as folder:
        vaults = {name: Path(folder) / name for name in ("records", "plain")}
        for name, vault in vaults.items():
            write_notes(vault, notes, are_records=name == "records")
        seconds: dict[str, list[float]] = {name: [] for name in vaults}
        for _, (name, vault) in product(range(rounds), vaults.items()):
            out = vault.with_suffix(".out")
            start = perf_counter()
            subprocess.run(kismet("--no-search", path=str(vault)).build(vault, out), check=True)
            seconds[name].append(perf_counter() - start)
            for tree in (out, out.with_suffix(".out.cache")):
                shutil.rmtree(tree)
        ratios = [records / plain for records, plain in zip(*seconds.values(), strict=True)]
        print_limits([(f"{notes:,} records from nothing, as many plain notes = 1", median(ratios), 1.3)])


def _limits(pages: int, samples: Samples) -> Iterator[tuple[str, float | None, float]]:
    """The measured values that have limits: name, value, upper limit."""
    fresh, served, memory = REFERENCE, "kismet", middle(samples, REFERENCE, MEMORY)
    if pages == SMALL:
        for name, limit in (("Hugo", 1.5), ("MkDocs", 1 / 15)):
            for peer in (program for program in samples if program.startswith(name)):
                yield f"{pages:,} pages from nothing, {peer} = 1", ratio(samples, (fresh, FRESH), (peer, FRESH)), limit
    if pages == LARGE:
        yield f"{pages:,} pages, memory (MB)", memory, 600
    for size, unchanged, edit in ((SMALL, 0.3, 0.08), (LARGE, 1.0, 0.2)):
        if pages == size:
            yield f"{pages:,} pages, nothing changed (s)", middle(samples, fresh, UNCHANGED), unchanged
            yield f"{pages:,} pages, saved to page while serving (s)", middle(samples, served, SERVED), edit


if __name__ == "__main__":
    main()

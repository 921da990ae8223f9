"""Measure how a build grows with what it builds, beside peers that build the same pages: `make bench-scale`.

Every program takes its turn in every round, so that a change of the machine's mood meets all of them, and each build
writes to a new folder: for half a minute after thousands of files were deleted, some file systems take ten times as
long to make new ones. Nothing is deleted before the end.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter, sleep

from rich.console import Console

from benchmarks.library import Place, game_files, write
from benchmarks.peers import PEERS, Command, NotHereError, Peer, free_port, prepare
from benchmarks.process import AS_INSTALLED, Cost, FailedError, cost_of, memory_of, running
from benchmarks.scale_report import LARGE, OURS, SMALL, Found, Measured, limit_sheet, notes_on, show, size_sheet

ROOT = Path(__file__).parent.parent
EDITS = 7
"""How often a page is edited while a program serves."""
PATIENCE = 600.0
"""Seconds after which a server that has not shown a page is given up."""
TRIES = 7
"""How often a page is edited before it is certain that the server looks for edits; each time is given twice as long."""
KISMET = [sys.executable, "-m", "kismet_build.cli"]
KEPT = ".kismet"
"""Where we keep what we made: in the project, so that it can be set aside."""
note = Console(stderr=True, highlight=False).print


def main() -> None:
    """Install the peers, measure, and print what was found."""
    options = _options()
    ours = our_peer(is_thin=options.thin)
    peers = [peer for peer in PEERS if _is_named(peer.name, options.only)]
    here, absent = installed(peers)
    found: Found = {}
    with tempfile.TemporaryDirectory(prefix="bench-scale-", dir=options.folder) as folder:
        for pages in options.pages:
            sizes = Path(folder) / str(pages)
            write(sizes / "library", pages, is_thin=options.thin)
            for peer in here:
                if pages > peer.most and not options.all:
                    absent[f"{peer.name}, {pages:,} pages"] = "takes very long; --all measures it all the same"
            able = [ours, *(peer for peer in here if pages <= peer.most or options.all)]
            measure(able, pages, sizes, options.rounds, found)
        note("the four games")
        games = list(four_games(Path(folder), options.rounds))
        sheets = [*(size_sheet(pages, found) for pages in options.pages), limit_sheet(found, games)]
        notes = notes_on(found, absent, has_search_apart="--no-search" in flags("build"))
        show(sheets, [*notes], markdown=options.markdown)
        sys.stdout.flush()
        note("removing what was written ...")
    if any(one.failed for (name, _), one in found.items() if name == OURS):
        sys.exit(1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--pages", type=int, nargs="+", default=[SMALL, LARGE], help="sizes of the library")
    parser.add_argument("--rounds", type=int, default=3, help="how often each program builds each library")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="peers to measure, by a part of the name")
    parser.add_argument("--thin", action="store_true", help="pages of prose, with few tables and links, and no entries")
    parser.add_argument("--all", action="store_true", help="also what takes very long")
    parser.add_argument("--markdown", action="store_true", help="print the tables for the README")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where to work, where temporary files are in memory")
    return parser.parse_args()


def _is_named(name: str, only: Sequence[str] | None) -> bool:
    return only is None or any(part.casefold() in name.casefold() for part in only)


def installed(peers: Sequence[Peer]) -> tuple[list[Peer], dict[str, str]]:
    """The peers that are here, with their versions in their names; and why the others are not."""
    here, absent = [], {}
    for peer in peers:
        note(f"{peer.name}: looking for it ...")
        try:
            peer.install()
        except NotHereError as reason:
            absent[peer.name] = f"not here: {reason}"
            continue
        said = subprocess.run(peer.version(), capture_output=True, text=True, check=False).stdout
        number = re.search(r"\d+(\.\d+)+", said)
        here.append(replace(peer, name=f"{peer.name} {number[0]}" if number else peer.name))
    return here, absent


def flags(command: str = "") -> str:
    """What a command of ours says of itself, to see what it can do by now."""
    words = [command] if command else []
    return subprocess.run([*KISMET, *words, "--help"], capture_output=True, text=True, env=AS_INSTALLED).stdout


def _keeping(folder: Path) -> list[str]:
    return ["env", f"KISMET_CACHE={folder}", *KISMET]


def our_peer(*, is_thin: bool = False) -> Peer:
    """Ourselves, in the shape of a peer; without the index of words where that can be left out."""
    search = ["--no-search"] if "--no-search" in flags("build") else []

    def serve(project: Path, out: Path) -> list[str]:
        return [*_keeping(project / KEPT), "serve", "content", "--port", str(free_port()), "--out", str(out)]

    return Peer(
        name=OURS,
        install=lambda: None,
        version=lambda: [*KISMET, "--version"],
        texts="content",
        files={f"content/{path}": text for path, text in game_files(is_thin=is_thin).items()},
        build=lambda project, out: [
            *(*_keeping(project / KEPT), "build", "content"),
            *("--quiet", *search, "--out", str(out)),
        ],
        page="generated/{folder}/{page}/index.html",
        serve=serve if " serve " in flags() else None,
        kept=(KEPT,),
    )


def measure(peers: Sequence[Peer], pages: int, folder: Path, rounds: int, found: Found) -> None:
    """Measure some programs with one library: builds in rounds, then memory and edits, each program for itself."""
    projects = {peer.name: folder / re.sub(r"\W+", "-", peer.name) for peer in peers}
    for peer in peers:
        prepare(peer, folder / "library", projects[peer.name])
        found[peer.name, pages] = Measured(pages)

    def attempt(peer: Peer, what: str, step: Callable[[Peer, Path, Measured], None]) -> None:
        one = found[peer.name, pages]
        if one.failed:
            return
        note(f"{peer.name}: {pages:,} pages, {what}")
        try:
            set_aside(peer, projects[peer.name])
            step(peer, projects[peer.name], one)
        except (FailedError, OSError) as fault:
            one.failed = str(fault)
            note(f"  failed: {fault}")

    for number in range(rounds):
        for peer in peers:
            attempt(peer, f"round {number + 1} of {rounds}", partial(one_round, number))
    for peer in peers:
        attempt(peer, "memory", watch_memory)
        attempt(peer, "one page edited", watch_edits)


def watch_memory(peer: Peer, project: Path, one: Measured) -> None:
    """Build from nothing once more, for its memory. Raises `FailedError`."""
    one.memory = memory_of(peer.build(project, project / "out-memory"), project)


def watch_edits(peer: Peer, project: Path, one: Measured) -> None:
    """Edit a page in the middle of the library. Raises `FailedError`."""
    if peer.serve is None:
        one.no_edits = "no serve yet" if peer.name == OURS else "its server writes no files"
    else:
        one.edits = edits(peer, peer.serve, project, Place(one.pages // 2))


def one_round(number: int, peer: Peer, project: Path, one: Measured) -> None:
    """Build from nothing, then once more with nothing changed. Raises `FailedError`."""
    out = project / f"out-{number}"
    command = peer.build(project, out)
    one.fresh.append(cost_of(command, project))
    one.again.append(cost_of(command, project))
    last = Place(one.pages - 1)
    if not (out / page_of(peer, last)).is_file():
        raise FailedError(f"it wrote no {page_of(peer, last)}")
    if not one.files:
        one.files = sum(1 for _ in out.rglob("*.html"))
    if "--no-search" in command:
        set_aside(peer, project)
        with_search = [word for word in peer.build(project, project / f"search-{number}") if word != "--no-search"]
        one.with_search.append(cost_of(with_search, project))


def set_aside(peer: Peer, project: Path) -> None:
    """Move away what a program kept of an earlier build, so that the next one is from nothing."""
    for name in peer.kept:
        if (project / name).exists():
            number = sum(1 for _ in project.parent.glob(f"{project.name}-kept-*"))
            (project / name).rename(project.parent / f"{project.name}-kept-{number}")


def page_of(peer: Peer, place: Place) -> str:
    """Where the website of a program has a page."""
    folder, _, file = place.path.partition("/")
    return peer.page.format(folder=folder, page=file.removesuffix(".md"))


def edits(peer: Peer, serve: Command, project: Path, place: Place) -> list[float]:
    """The seconds from each of some edits of a page until the new page is in the tree. Raises `FailedError`."""
    out = project / "out-serve"
    text, page = project / peer.texts / place.path, out / page_of(peer, place)
    written = text.read_text(encoding="utf-8").rstrip()
    seconds: list[float] = []
    with running(serve(project, out), project) as (process, _):
        try:
            if not is_shown(page, "</html>", process, PATIENCE):
                raise FailedError("its server wrote no pages")
            for number in range(TRIES):
                text.write_text(f"{written} Try number{number}.\n", encoding="utf-8")
                if is_shown(page, f"Try number{number}.", process, 5.0 * 2**number):
                    break
            for number in range(EDITS):
                # Whatever else the last edit brought about is over by then.
                sleep(max(1.0, 2 * seconds[-1] if seconds else 0.0))
                start = perf_counter()
                text.write_text(f"{written} Edit number{number}.\n", encoding="utf-8")
                if not is_shown(page, f"Edit number{number}.", process, PATIENCE):
                    raise FailedError("its server did not show an edit")
                seconds.append(perf_counter() - start)
        finally:
            text.write_text(written + "\n", encoding="utf-8")
    return seconds


def is_shown(page: Path, words: str, process: subprocess.Popen[bytes], patience: float) -> bool:
    """Look every millisecond whether a page has some words by now. Raises `FailedError` if its server ends."""
    sought, end = words.encode(), perf_counter() + patience
    while perf_counter() < end:
        with suppress(OSError):
            if sought in page.read_bytes():
                return True
        if process.poll() is not None:
            raise FailedError(f"its server ended with status {process.returncode}")
        sleep(0.001)
    return False


def four_games(folder: Path, rounds: int) -> Iterator[Cost]:
    """What the games that ship with us take from nothing; nothing where that fails."""
    search = ["--no-search"] if "--no-search" in flags("build") else []
    for number in range(rounds):
        out = folder / f"games-{number}"
        command = [*_keeping(folder / f"games-{number}-kept"), "build", str(ROOT / "content"), "--quiet", *search]
        try:
            yield cost_of([*command, "--out", str(out)], ROOT)
        except FailedError as fault:
            note(f"  failed: {fault}")
            return


if __name__ == "__main__":
    main()

"""Save texts while they are served, as often as an author does in an hour: `python -m tests.hard.long_serve`.

Memory, files, processes and threads of the server must not grow, and it must answer what a build from nothing writes.
"""

import argparse
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from queue import Empty, Queue
from tempfile import TemporaryDirectory
from threading import Event, Thread
from urllib.parse import quote, urlsplit

from benchmarks.library import write
from kismet_build.output.temporary_folder import SERVED_TREE
from kismet_build.serve.session import CHECK_DELAY
from tests.command import ROOT, kismet_process, tree, write_files
from tests.hard.row import Row, exit_with
from tests.served_files import built_files

NOTES = 100
"""Texts of the library. What a save leaves behind does not depend on their number, but its time does."""
SAVES = 1_200
"""Saves in an hour: one each 3 seconds. The caches fill during the first 400."""
SAVES_PER_SAMPLE = 25
"""Saves between two measurements."""
MAX_MISSING = 5
"""Texts that are deleted at the same time, so that the library keeps its size."""
MAX_GROWTH = 0.05
"""Growth of the memory, as a ratio over the last two thirds of the measurements, that is not yet a trend."""
WINDOWS = 2
"""Open windows."""
HEAVY_FILES = ("/data/generated/pack.json", "/generated/llms-full.txt")
"""Files that the server makes in the background. A request for both starts all its background threads."""
COMPLETE_CHECKS = 0.1
"""Ratio of the saves that wait until the library is checked."""
PEAK_INTERVAL = 0.2
"""Seconds between two readings of the memory, of which the largest counts."""
POLLS_OF_IDLE_SERVER = int(2 * CHECK_DELAY / PEAK_INTERVAL)
"""Polls without a check after which no check is expected."""
LIVE_SCRIPT = re.compile(rb'<script src="/_kismet/live\.js"[^>]*></script>\n')
"""What the server adds to a page."""
STREAM = b"GET /_kismet/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
"""Request for the events of an open window."""
DESIGN = "look"
"""Folder of the design."""
DESIGN_FILES = {
    "library.yaml": f"title: Ours\nsite: {DESIGN}\n",
    f"{DESIGN}/templates/footer.html": "<footer>Ours</footer>\n",
    f"{DESIGN}/strings/en.yaml": "title.home: Ours\n",
}
TIMEOUT = 120
"""Seconds after which a line or a state of the server counts as missing."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Resources of the processes of a server after a number of saves."""

    saves: int
    memory: float
    """Megabytes when the server is idle."""
    peak: float
    """Megabytes at most since the last sample."""
    files: int
    """Open file descriptors."""
    processes: int
    threads: int
    temporary: int
    """Files in folders for temporary files, without the tree of the last check."""


@dataclass
class Author:
    """Changes the texts of a library at random; the size stays the same."""

    texts: Path
    random: random.Random
    saves: int = 0
    originals: dict[Path, str] = field(default_factory=dict)
    """The first text of each file, by its path."""
    has_error: bool = False

    def __post_init__(self) -> None:
        self.originals = {file: file.read_text(encoding="utf-8") for file in sorted(self.texts.rglob("*.*"))}
        self.notes = [file for file in self.originals if file.suffix == ".md"]
        self.kinds = [file for file in self.originals if file.parent.name == "kinds"]
        self.design = [file for file in self.originals if file.is_relative_to(self.texts / DESIGN)]

    def save(self) -> None:
        self.saves += 1
        if self.has_error:
            self.has_error = False
            self.restore()
            return
        changes: dict[Callable[[], None], int] = {
            self.edit: 60,
            self.change_heading: 8,
            self.delete: 6,
            self.rename: 6,
            self.add: 6,
            self.change_kind: 4,
            self.change_game: 4,
            self.change_design: 4,
            self.make_error: 4,
            self.restore: 2,
        }
        [change] = self.random.choices([*changes], [*changes.values()])
        change()

    def note(self) -> Path:
        return self.random.choice([file for file in self.notes if file.exists()])

    def edit(self) -> None:
        note = self.note()
        self._write(note, f"{self.originals[note]}\nSave {self.saves} of {self.random.random()}.\n")

    def change_heading(self) -> None:
        note = self.note()
        self._write(note, self.originals[note].replace("\n### ", f"\n### Saved {self.saves} ", 1))

    def delete(self) -> None:
        if sum(not file.exists() for file in self.notes) < MAX_MISSING:
            self.note().unlink()
        else:
            self.restore()

    def rename(self) -> None:
        """Rename a text, or give it its first name again."""
        note = self.note()
        other = note.with_name(f"renamed {note.name}")
        if other.exists():
            other.rename(note)
        else:
            note.rename(other)
            if sum(1 for _ in self.texts.rglob("renamed *")) > MAX_MISSING:
                self.restore()

    def add(self) -> None:
        for file in self.texts.rglob("added *.md"):
            file.unlink()
        self._write(self.note().with_name(f"added {self.saves}.md"), f"# Added {self.saves}\n\nWords of a rule, 2d6.\n")

    def change_kind(self) -> None:
        kind = self.random.choice(self.kinds)
        title = re.search(r"^title: .*$", self.originals[kind], re.MULTILINE)
        assert title
        self._write(kind, self.originals[kind].replace(title[0], f"{title[0]} {self.saves}", 1))

    def change_game(self) -> None:
        game = self.texts / "game.yaml"
        self._write(game, self.originals[game].replace("description: ", f"description: {self.saves}. "))

    def change_design(self) -> None:
        """Save a template or the words of the design."""
        file = self.random.choice(self.design)
        self._write(file, self.originals[file].replace("Ours", f"Ours {self.saves}"))

    def make_error(self) -> None:
        """Write a text or a data file with an error, which the next save corrects."""
        self.has_error = True
        file = self.random.choice([self.note(), self.note(), *self.kinds, self.texts / "game.yaml"])
        self._write(file, "---\ntitle: [\n---\n" if file.suffix == ".md" else f"{self.originals[file]}\ncolour: [\n")

    def restore(self) -> None:
        """Give all files their first text, as `git checkout .` does."""
        new = [file for file in self.texts.rglob("*.md") if file not in self.originals]
        for file in new:
            file.unlink()
        other = [
            file
            for file, text in self.originals.items()
            if not file.exists() or file.read_text(encoding="utf-8") != text
        ]
        for file in other:
            self._write(file, self.originals[file])

    def _write(self, file: Path, text: str) -> None:
        """Save a file as editors do: in place, or by a new file that takes its name."""
        if self.random.random() < 0.5:
            file.write_text(text, encoding="utf-8")
        else:
            temporary = file.with_name(f".{file.name}.tmp")
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(file)


class Server:
    """A running server, and two windows that show its pages."""

    def __init__(self, texts: Path, folder: Path) -> None:
        self.temporary, self.cache = folder / "temporary", folder / "cache"
        self.temporary.mkdir()
        self.lines: Queue[str] = Queue()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kismet_build.cli", "serve", str(texts), "--port", "0"],
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "TMPDIR": str(self.temporary),
                "KISMET_CACHE": str(self.cache),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.output: list[str] = []
        Thread(target=self._read_lines, daemon=True).start()
        self.address = urlsplit(self.until(r"^serving at ").split()[2])
        self.peak = 0.0
        self._is_stopped = Event()
        Thread(target=self._read_peak, daemon=True).start()

    def _read_lines(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.put(line.rstrip())

    def _read_peak(self) -> None:
        while not self._is_stopped.wait(PEAK_INTERVAL):
            self.peak = max(self.peak, sum(map(_memory, self.processes())))

    def until(self, pattern: str, timeout: float = TIMEOUT) -> str:
        end = time.monotonic() + timeout
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, end - time.monotonic()))
            except Empty:
                last = " / ".join(self.output[-4:])
                raise AssertionError(f"{pattern} is not printed; the last lines are: {last}") from None
            self.output.append(line)
            if re.search(pattern, line):
                return line

    def settle(self) -> None:
        """Wait until the library is checked: no change waits, and no check is writing a new tree."""
        end = time.monotonic() + TIMEOUT
        quiet = 0
        while quiet < POLLS_OF_IDLE_SERVER:
            assert time.monotonic() < end, "the server checks without end"
            time.sleep(PEAK_INTERVAL)
            quiet = 0 if any(self.temporary.glob(f"*/.{SERVED_TREE}-*")) else quiet + 1
        with suppress(Empty):
            while True:
                self.output.append(self.lines.get_nowait())

    def processes(self) -> list[int]:
        found = [self.process.pid]
        for process in found:
            with suppress(OSError):
                for thread in os.listdir(f"/proc/{process}/task"):
                    text = Path(f"/proc/{process}/task/{thread}/children").read_text(encoding="utf-8")
                    found += map(int, text.split())
        return found

    def sample(self, saves: int) -> Sample:
        self.settle()
        processes = self.processes()
        peak, self.peak = self.peak, 0.0
        return Sample(
            saves,
            sum(map(_memory, processes)),
            peak,
            sum(len(os.listdir(f"/proc/{process}/fd")) for process in processes),
            len(processes),
            sum(len(os.listdir(f"/proc/{process}/task")) for process in processes),
            sum(1 for file in self.temporary.rglob("*") if SERVED_TREE not in file.parts),
        )

    def get(self, path: str) -> bytes:
        """The body of a response, without the script that the server adds. Empty if the request failed."""
        connection = HTTPConnection(self.address.hostname or "", self.address.port or 0, timeout=TIMEOUT)
        with suppress(HTTPException):
            connection.request("GET", path)
            answer = connection.getresponse()
            content = answer.read()
            connection.close()
            return LIVE_SCRIPT.sub(b"", content) if answer.status == 200 else b""
        return b""

    def watch(self) -> None:
        """Request a page and its state after every update, as an open window does, until the server ends."""
        with suppress(OSError), socket.create_connection((self.address.hostname, self.address.port)) as stream:
            stream.sendall(STREAM)
            while received := stream.recv(65536):
                if b"event: update" in received:
                    self.get("/generated/")
                    self.get("/_kismet/state?page=/generated/")

    def disconnect(self) -> None:
        """Leave in the middle of a request, of an answer and of an event stream."""
        for request in (b"GET / HTT", b"GET /data/generated/pack.json HTTP/1.1\r\nHost: localhost\r\n\r\n", STREAM):
            with socket.create_connection((self.address.hostname, self.address.port)) as connection:
                connection.sendall(request)

    def stop(self) -> None:
        """End the server, and raise `AssertionError` if it left something."""
        self._is_stopped.set()
        self.process.terminate()
        status = self.process.wait(TIMEOUT)
        assert status == 0, f"status {status}"
        left = [*self.temporary.iterdir()]
        assert not left, f"left behind: {left}"


def _memory(process: int) -> float:
    """Megabytes of anonymous memory of a process, with its proportional part of shared pages.

    Files in memory are left out: how much of a library counts for a process depends on the other programs that run.
    """
    with suppress(OSError):
        text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="utf-8")
        return sum(int(size) for size in re.findall(r"^Pss_Anon: +(\d+)", text, re.MULTILINE)) / 1024
    return 0.0


def serve_long(saves: int, notes: int, seed: int, report: Callable[[Sample], None]) -> list[Sample]:
    """Serve a library while it is saved, and measure. Raises `AssertionError` for a fault."""
    samples: list[Sample] = []
    with TemporaryDirectory(prefix="long-serve-") as name:
        folder = Path(name)
        texts = folder / "texts"
        write(texts, notes)
        write_files(texts, DESIGN_FILES)
        author = Author(texts, random.Random(seed))
        server = Server(texts, folder)
        try:
            for _ in range(WINDOWS):
                Thread(target=server.watch, daemon=True).start()
            for path in HEAVY_FILES:
                Thread(target=server.get, args=(path,), daemon=True).start()
            while True:
                if author.saves % SAVES_PER_SAMPLE == 0:
                    samples.append(server.sample(author.saves))
                    report(samples[-1])
                if author.saves == saves:
                    break
                author.save()
                if author.random.random() < COMPLETE_CHECKS:
                    server.settle()
                else:  # the next save comes while the library is compiled, or before it is checked
                    time.sleep(author.random.uniform(0, 0.5))
                    server.disconnect()
            author.restore()
            run = kismet_process("build", texts, "--out", folder / "fresh", "--no-cache")
            assert run.status == 0, run.output
            server.settle()
            _compare(server, built_files(tree(folder / "fresh")))
            server.stop()
        finally:
            server.process.kill()
            server.process.wait()
        output = "\n".join(server.output)
        assert "Traceback" not in output, output[-2000:]
    return samples


def _compare(server: Server, fresh: Mapping[str, bytes]) -> None:
    different = [path for path, content in fresh.items() if server.get(f"/{quote(path)}") != content]
    assert not different, f"not as in a build from nothing: {', '.join(different[:10])}"


def growth(samples: list[Sample]) -> float:
    """Growth of the memory over the last two thirds of the samples by their regression line, as a ratio.

    In the first third the caches fill.
    """
    last = samples[len(samples) // 3 :]
    saves, memory = [sample.saves for sample in last], [sample.memory for sample in last]
    if len(last) < 2:
        return 0
    line = statistics.linear_regression(saves, memory)
    return line.slope * (saves[-1] - saves[0]) / statistics.median(memory)


def leaks(samples: list[Sample]) -> list[str]:
    first, last = samples[0], samples[-1]
    found = [
        f"{name}: {getattr(last, name)}, at first {getattr(first, name)}"
        for name in ("files", "processes", "threads", "temporary")
        if getattr(last, name) > getattr(first, name)
    ]
    return [*found, f"memory grows by {growth(samples):.0%}"] if growth(samples) > MAX_GROWTH else found


def rows(
    saves: int = SAVES, notes: int = NOTES, seed: int = 18, report: Callable[[Sample], None] = lambda _: None
) -> Iterator[Row]:
    start = time.monotonic()
    try:
        samples = serve_long(saves, notes, seed, report)
        problems = leaks(samples)
        peak = max(sample.peak for sample in samples)
        result = f"{samples[0].memory:.0f} MB at first, {samples[-1].memory:.0f} MB at last, {peak:.0f} MB at most, "
        result += f"growth {growth(samples):.1%}"
    except AssertionError as problem:
        problems, result = [str(problem)], "failed"
    name = f"saves of {notes} served texts"
    yield Row(name, saves, "\n".join((result, *problems)), time.monotonic() - start, bool(problems))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.hard.long_serve", description=__doc__)
    parser.add_argument("--saves", type=int, default=SAVES, help=f"default: {SAVES}")
    parser.add_argument("--notes", type=int, default=NOTES, help=f"default: {NOTES}")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="repeats a run")
    options = parser.parse_args()
    print(f"seed {options.seed}\n saves  memory    peak  files  processes  threads  temporary", flush=True)
    exit_with(rows(options.saves, options.notes, options.seed, _print))


def _print(sample: Sample) -> None:
    print(
        f"{sample.saves:>6}{sample.memory:>8.1f}{sample.peak:>8.1f}{sample.files:>7}{sample.processes:>11}"
        f"{sample.threads:>9}{sample.temporary:>11}",
        flush=True,
    )


if __name__ == "__main__":
    main()

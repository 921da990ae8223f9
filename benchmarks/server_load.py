"""Measure `kismet serve` under load while a text is saved: `python -m benchmarks.server_load`.

No request may take longer than `MAX_STALL`, and the best of `ATTEMPTS` measurements counts. A probe measures how busy
the machine is: if other programs leave it half of a processor, requests may take twice as long.
"""

import argparse
import http.client
import multiprocessing
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event, Thread
from urllib.parse import urlsplit

from tests.hard.row import Row, exit_with

MAX_STALL = 0.3
"""Seconds that a request may take if nothing else runs on the machine."""
CLIENTS = 100
"""Number of clients that request pages at the same time."""
STREAMS = 200
"""Number of open event streams, each of which stands for a page in a browser."""
IDLE_CLIENTS = 200
"""Number of clients that send half a request, and number of clients that do not read the response."""
SECONDS_BETWEEN_SAVES = 1.0
ATTEMPTS = 3
"""Number of measurements of each kind of load.

The best counts, because another program may briefly take the processor.
"""
EVENTS = b"GET /_kismet/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
"""The request for an event stream."""
LARGE_VAULT = 10_000
"""Number of notes in the large vault."""
MAX_UPDATE = 2.0
"""Maximum seconds from a save in the large vault until its page is read, if nothing else runs on the machine."""
MAX_MEGABYTES = 1_000
"""Maximum memory of the server of the large vault, in megabytes."""
PROBE_WORK, PROBE_PAUSE = 0.02, 0.08
"""Processor seconds that the probe works at a time, and seconds that it sleeps."""


class Load:
    """A server of a vault, and what its clients do."""

    def __init__(self, address: str, process: int, note: Path) -> None:
        parts = urlsplit(address)
        self.host, self.port, self.process, self.note = parts.hostname or "", parts.port or 0, process, note

    def connect(self) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout=30)

    def request(self, path: str) -> float:
        """Ask for a page on a new connection, and return the seconds until it is read."""
        start = time.perf_counter()
        self.read(path)
        return time.perf_counter() - start

    def read(self, path: str) -> bytes:
        """Ask for a page on a new connection."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        connection.request("GET", path)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        if answer.status != 200:
            raise SystemExit(f"status {answer.status} for {path}")
        return content

    def save(self, number: int) -> None:
        self.note.write_text(f"# Note 0\n\nSaved {number} times. See [[Note 1]].\n", encoding="utf-8")


def clients(load: Load, seconds: float) -> list[float]:
    """The seconds that each request takes, while all clients request pages and the note is saved."""
    times: list[float] = []
    end = time.perf_counter() + seconds

    def ask(number: int) -> None:
        while time.perf_counter() < end:
            times.append(load.request(f"/vault/note-{number % 50}/"))
            time.sleep(0.5)  # a reader who follows links without reading the pages

    threads = [Thread(target=ask, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for number in range(int(seconds / SECONDS_BETWEEN_SAVES)):
        load.save(number)
        time.sleep(SECONDS_BETWEEN_SAVES)
    for thread in threads:
        thread.join()
    return times


def connections_at_once(load: Load) -> list[float]:
    """The seconds that each request takes if all clients send one at the same moment."""
    times: list[float] = []
    go = Event()

    def ask() -> None:
        go.wait()
        times.append(load.request("/"))

    threads = [Thread(target=ask) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    go.set()
    for thread in threads:
        thread.join()
    return times


@contextmanager
def open_streams(load: Load) -> Iterator[list[socket.socket]]:
    """Open event streams, as browsers do."""
    with ExitStack() as stack:
        streams = [stack.enter_context(load.connect()) for _ in range(STREAMS)]
        for stream in streams:
            stream.sendall(EVENTS)
        for stream in streams:
            _read_until(stream, b"event: state")
        yield streams


def update_of_streams(load: Load) -> list[float]:
    """For each event stream, how many seconds after the first stream it gets the event of a save."""
    with open_streams(load) as streams:
        start = time.perf_counter()
        load.save(1000)
        times = []
        for stream in streams:
            _read_until(stream, b"event: update")
            times.append(time.perf_counter() - start)
    first = min(times)
    return [seconds - first for seconds in times]


def beside_hindrances(load: Load) -> list[float]:
    """The seconds that requests take beside event streams, half-sent requests and clients that do not read the
    response.
    """
    half = b"GET / HTTP/1.1\r\nHost: local"
    unread = b"GET /data/vault/pack.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with ExitStack() as stack:
        stack.enter_context(open_streams(load))
        for number in range(IDLE_CLIENTS * 2):
            connection = stack.enter_context(load.connect())
            connection.sendall(half if number % 2 else unread)
        time.sleep(1)  # by now, the responses that nobody reads fill the buffers of the system
        return clients(load, 5)


MEASUREMENTS: dict[Callable[[Load], list[float]], str] = {
    connections_at_once: f"{CLIENTS} requests to serve in the same moment",
    lambda load: clients(load, 10): f"{CLIENTS} clients of serve during saves",
    update_of_streams: f"{STREAMS} event streams of serve, first to last",
    beside_hindrances: f"{CLIENTS} clients beside {STREAMS} streams and {IDLE_CLIENTS * 2} slow ones",
}


def rows(notes: int = 500) -> Iterator[Row]:
    """Measure each kind of load on the server of a vault with `notes` notes."""
    with tempfile.TemporaryDirectory(prefix="server-load-") as folder, _server(Path(folder) / "vault", notes) as load:
        for measure, title in MEASUREMENTS.items():
            start = time.perf_counter()
            for _ in range(ATTEMPTS):
                with _probe() as slowness:
                    times = measure(load)
                allowed = MAX_STALL * slowness()
                if max(times) <= allowed:
                    break
            result = f"at most {max(times):.3f} s of {allowed:.1f} s, median {statistics.median(times):.3f} s, "
            result += f"memory {_memory(load.process):,.0f} MB"
            yield Row(title, len(times), result, time.perf_counter() - start, max(times) > allowed)

    yield _large_vault()


def _large_vault() -> Row:
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="server-load-") as folder:
        with _server(Path(folder) / "vault", LARGE_VAULT) as load, _probe() as slowness:
            start = time.perf_counter() - begin
            saved = time.perf_counter()
            load.save(1000)
            while b"Saved 1000 times" not in load.read("/vault/note-0/"):
                pass
            update, memory = time.perf_counter() - saved, _memory(load.process)
        allowed = MAX_UPDATE * slowness()
    is_red = update > allowed or memory > MAX_MEGABYTES
    result = f"start {start:.0f} s, page of a save {update:.1f} s of {allowed:.1f} s, memory {memory:,.0f} MB"
    return Row(f"save of one of {LARGE_VAULT:,} served notes", 1, result, time.perf_counter() - begin, is_red)


def main() -> None:
    """Print a row for each kind of load."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.server_load", description=__doc__)
    parser.add_argument("--notes", type=int, default=500, help="notes of the vault (default: 500)")
    exit_with(rows(parser.parse_args().notes))


@contextmanager
def _server(vault: Path, notes: int) -> Iterator[Load]:
    for number in range(notes):
        file = vault / f"Note {number}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        text = f"# Note {number}\n\nSee [[Note {(number + 1) % notes}]].\n\n" + "Words of a rule, 2d6.\n\n" * 20
        file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "kismet_build.cli", "serve", str(vault), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        address = next(match[1] for line in process.stdout if (match := re.match(r"serving at (\S+)", line)))
        Thread(target=process.stdout.read, daemon=True).start()
        yield Load(address, process.pid, vault / "Note 0.md")
    finally:
        process.terminate()
        process.wait()


@contextmanager
def _probe() -> Iterator[Callable[[], float]]:
    """Run a probe until the end of the block, and yield a function that then returns the ratio of elapsed time to
    processor time: 1 on a quiet machine.
    """
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_work, args=(there,), daemon=True)
    process.start()
    here.recv()
    ratios: list[float] = []
    try:
        yield lambda: ratios[0]
    finally:
        here.send("stop")
        ratios.append(here.recv())
        process.join()


def _work(parent: Connection) -> None:
    parent.send("ready")
    seconds = worked = 0.0
    while not parent.poll(PROBE_PAUSE):
        start, start_of_work = time.perf_counter(), time.process_time()
        while time.process_time() - start_of_work < PROBE_WORK:
            pass
        seconds += time.perf_counter() - start
        worked += time.process_time() - start_of_work
    parent.send(max(1.0, seconds / worked) if worked else 1.0)


def _read_until(stream: socket.socket, mark: bytes) -> None:
    read = b""
    while mark not in read:
        piece = stream.recv(65536)
        if not piece:
            raise SystemExit("an event stream has ended")
        read += piece


def _memory(process: int) -> float:
    """Megabytes of a process and its children, without counting shared memory twice."""
    total = 0
    for pid in (process, *_children(process)):
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8")
        except OSError:  # the process has ended
            continue
        total += sum(int(size) for size in re.findall(r"^Pss: +(\d+)", text, re.MULTILINE))
    return total / 1024


def _children(process: int) -> list[int]:
    text = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8")
    return [int(child) for child in text.split() if os.path.exists(f"/proc/{child}")]


if __name__ == "__main__":
    main()

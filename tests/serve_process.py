"""Run `kismet serve` in a separate process, as an author does."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from urllib.error import HTTPError
from urllib.request import urlopen

from tests.command import ROOT

TIMEOUT = 20
"""Seconds to wait for an expected line or for the end of the process."""
REBUILD_LINE = r"^\d\d:\d\d:\d\d .*, [\d.]+ s$"
"""Pattern of the line printed after a rebuild."""


@dataclass
class ServeProcess:
    """A running server, with the printed lines that tests have read."""

    process: subprocess.Popen[str]
    lines: Queue[str] = field(default_factory=Queue)
    output_lines: list[str] = field(default_factory=list)
    address: str = ""
    """URL of the server, with a slash at the end."""

    def until(self, pattern: str) -> str:
        """Wait for the next line that matches a pattern, and return it."""
        while True:
            try:
                line = self.lines.get(timeout=TIMEOUT)
            except Empty:
                raise AssertionError(f"no line matches {pattern!r}: {self.text}") from None
            self.output_lines.append(line)
            if re.search(pattern, line):
                return line

    def built(self) -> str:
        return self.until(REBUILD_LINE)

    def get(self, path: str) -> str:
        """Return the file at a path, or an empty text if it is missing."""
        try:
            with urlopen(self.address + path) as answer:
                return str(answer.read().decode("utf-8"))
        except HTTPError as failure:
            if failure.code != HTTPStatus.NOT_FOUND:
                raise
            return ""

    @property
    def text(self) -> str:
        return "\n".join(self.output_lines)


@contextmanager
def start_server(path: Path, *arguments: str | Path) -> Iterator[ServeProcess]:
    """Serve a library on a free port. Yields after the build; at the end the server must exit with status 0."""
    command = [sys.executable, "-m", "kismet_build.cli", "serve", str(path), "--port", "0", *map(str, arguments)]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    server = ServeProcess(process)
    reader = Thread(target=_read, args=(process, server.lines), daemon=True)
    reader.start()
    try:
        server.address = server.until(r"^serving at ").split()[2]
        yield server
        process.terminate()
        assert process.wait(TIMEOUT) == 0
        reader.join()
        server.output_lines += server.lines.queue
        assert "Traceback" not in server.text, server.text
    finally:
        process.kill()
        process.wait()
        reader.join()
        assert process.stdout
        process.stdout.close()


def _read(process: subprocess.Popen[str], lines: Queue[str]) -> None:
    assert process.stdout
    for line in process.stdout:
        lines.put(line.rstrip("\n"))

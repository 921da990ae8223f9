"""Run the `kismet` command, in this process or in a new one, and return its output."""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from itertools import starmap
from pathlib import Path
from typing import NoReturn

import pytest

from kismet_build.cli import main
from kismet_build.output.tree import EmitFiles

ROOT = Path(__file__).parent.parent
CONTENT = ROOT / "content"
GAME_FILE = CONTENT / "kismet" / "game.yaml"
RULEBOOKS = ROOT.parent / "shared" / "rulebooks"
"""The original rule books. Their licences do not let us ship them, so they are outside the repository or missing."""
ORIGINALS = RULEBOOKS / "kismet"
GAMES = ("kismet", "kiss", "legend", "marchen")


NOT_HERE = "not here: "
"""The start of the skip reason of a test that needs something missing on this machine. The end of a run has one line
for all of them (tests/conftest.py)."""


def skip_without(needed: str, *, fails_in_ci: bool = False) -> NoReturn:
    """Skip a test that needs something outside the repository. In CI, a missing program would not be noticed."""
    (pytest.fail if fails_in_ci and os.environ.get("CI") else pytest.skip)(NOT_HERE + needed)


def skip_without_originals() -> NoReturn:
    skip_without("the original rule books, which cannot be shipped")


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGXCPU)


@dataclass(frozen=True, slots=True)
class Run:
    status: int
    out: str
    err: str

    @property
    def output(self) -> str:
        return self.out + self.err


def kismet(*arguments: str | Path, cwd: Path | None = None) -> Run:
    """Run `kismet` in this process, which is faster than a new one. It must not change the signal handlers."""
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8", newline="\n") for _ in range(2))
    thresholds = gc.get_threshold()
    try:
        with chdir(cwd or ROOT), redirect_stdout(out), redirect_stderr(err):
            status = main([*map(str, arguments)])
    except SystemExit as end:
        # argparse exits with the status code.
        status = int(end.code or 0)
    finally:
        gc.set_threshold(*thresholds)
    assert handlers == {number: signal.getsignal(number) for number in SIGNALS}, "later tests would be interrupted"
    return Run(status, _text(out), _text(err))


def _text(stream: TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def kismet_process(*arguments: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Run:
    """Run `kismet` in a new process, as a user would. A traceback in its output is an error."""
    process = subprocess.run(
        [sys.executable, "-m", "kismet_build.cli", *map(str, arguments)],
        cwd=cwd or ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **(env or {})},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert "Traceback" not in process.stdout + process.stderr, process.stdout + process.stderr
    return Run(process.returncode, process.stdout, process.stderr)


def emitter_of(files: Iterable[tuple[str, bytes]]) -> EmitFiles:
    return lambda put: starmap(put, files)


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def tree(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()
    }

"""Standard streams that are closed, cut off or full: every command is quiet, and none writes into another file."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from tests.command import ROOT
from tests.sample import sample
from tests.small_library import TEXT, write_library

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a shell and /dev/full")
COMMANDS = {
    "check": "check texts",
    "sarif": "check texts --format sarif",
    "build": "build texts --out public --no-search",
    "dump": "dump 'texts/1 Court.md'",
    "odds": "odds 1d10",
    "explain": "explain",
    "calc": "calc",
    "new": "new made",
    "version": "--version",
}
ENDINGS = {
    ">&-": 0,
    "2>&-": 0,
    "<&- >&- 2>&-": 0,
    "| head -1": 0,
    "2>&1 | true": 0,
    "> /dev/full": 3,
    "2> /dev/full": None,
    "> /dev/full 2>&1": 3,
}
"""Redirections, each with the exit status; `None` if it depends on whether the command prints there."""


def run_in_shell(command: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run a command of `kismet` in a shell. Any message from Python about a broken stream is an error."""
    run = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{sys.executable} -m kismet_build.cli {command}"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    for words in ("Traceback", "Exception", "Error", "lost sys"):
        assert words not in run.stdout + run.stderr
    return run


@pytest.mark.parametrize(("ending", "status"), [("2>&1 | true", 0), ("> /dev/full", 3)])
def test_server_with_a_broken_stream_ends(tmp_path: Path, ending: str, status: int) -> None:
    write_library(tmp_path / "texts")
    assert run_in_shell(f"serve texts --port 0 {ending}", tmp_path).returncode == status


@pytest.mark.parametrize(("command", "ending"), sample([*product(COMMANDS, ENDINGS)], 5))
def test_command_with_a_broken_stream_is_quiet(tmp_path: Path, command: str, ending: str) -> None:
    write_library(tmp_path / "texts", text=TEXT.replace("[[#Bow]]", "[[#Arrow]]"))
    run = run_in_shell(f"{COMMANDS[command]} {ending}", tmp_path)
    status = ENDINGS[ending]
    # argparse writes the version, and discards errors.
    assert command == "version" or run.returncode == status or (status is None and run.returncode in (0, 3))
    if ending == "> /dev/full" and command not in ("build", "version"):
        assert run.stderr.count("\n") == 1
    if command == "build":
        assert (tmp_path / "public" / "index.html").is_file()
        assert "warning" not in (tmp_path / "public" / "index.html").read_text(encoding="utf-8")

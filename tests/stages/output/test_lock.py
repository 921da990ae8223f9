"""Only one command at a time writes a tree; progress is shown on a terminal."""

import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kismet_build.cli import progress
from tests.command import ROOT

HOLD_LOCK = """
import sys, time
from pathlib import Path
from kismet_build.output.tree import lock_tree
with lock_tree(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(out: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOLD_LOCK, str(out)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def first_line(process: subprocess.Popen[str], stream: str) -> str:
    line: str = getattr(process, stream).readline()
    return line


def test_a_second_writer_waits_and_names_the_lock_holder(tmp_path: Path) -> None:
    first, second = holder(tmp_path / "out"), None
    try:
        assert first_line(first, "stdout") == "held\n"
        second = holder(tmp_path / "out")
        owner = rf"process {first.pid}, since \d+ seconds, is writing {re.escape(str(tmp_path / 'out'))}"
        assert re.search(owner, first_line(second, "stderr"))
        first.communicate()
        assert first_line(second, "stdout") == "held\n"
    finally:
        for process in filter(None, (first, second)):
            process.communicate()


def test_two_trees_can_be_locked_at_the_same_time(tmp_path: Path) -> None:
    first, second = holder(tmp_path / "one"), holder(tmp_path / "two")
    assert (first_line(first, "stdout"), first_line(second, "stdout")) == ("held\n", "held\n")
    assert [process.communicate()[1] for process in (first, second)] == ["", ""]


@pytest.mark.skipif(os.name == "nt", reason="a process ends in another way on Windows")
def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    first = holder(tmp_path / "out")
    assert first_line(first, "stdout") == "held\n"
    first.send_signal(signal.SIGKILL)
    first.communicate()
    second = holder(tmp_path / "out")
    assert first_line(second, "stdout") == "held\n"
    assert second.communicate()[1] == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_terminal_shows_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 0)
    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    with progress.progress(quiet=False) as tell:
        tell("Court: reading", 120, 1000)
    assert "Court: reading" in shown.getvalue()
    assert "120 of 1000" in shown.getvalue()


@pytest.mark.parametrize(("quiet", "stream"), [(True, Terminal()), (False, io.StringIO())], ids=["quiet", "piped"])
def test_progress_is_hidden_if_quiet_or_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, quiet: bool, stream: io.StringIO
) -> None:
    monkeypatch.setattr(progress, "DELAY", 0)
    monkeypatch.setattr(sys, "stderr", stream)
    with progress.progress(quiet=quiet) as tell:
        tell("Court: reading", 120, 1000)
    assert stream.getvalue() == ""

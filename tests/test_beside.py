"""A part of a build is done in a second process: the bytes are the same, and what goes wrong there is told here."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import CONTENT, ROOT


def python(code: str) -> subprocess.CompletedProcess[str]:
    """Run a program of its own: a process with threads, as tests have them, is never copied."""
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_result_is_that_of_the_work_and_comes_from_another_process() -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux copies a process as it stands")
    code = "import os; from kismet_build.beside import beside; print(beside(os.getpid, 2)() != os.getpid())"
    assert python(code).stdout == "True\n"


def test_with_one_job_there_is_one_process() -> None:
    code = "import os; from kismet_build.beside import beside; print(beside(os.getpid, 1)() == os.getpid())"
    assert python(code).stdout == "True\n"


def test_a_process_with_threads_is_not_copied() -> None:
    code = (
        "import os, threading; from kismet_build.beside import beside\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "print(beside(os.getpid, 2)() == os.getpid())"
    )
    assert python(code).stdout == "True\n"


def test_what_the_work_raises_is_raised_where_its_result_is_asked_for() -> None:
    code = (
        "from kismet_build.beside import beside\n"
        "wait = beside(lambda: {}['nothing'], 2)\n"
        "try: wait()\n"
        "except KeyError as found: print('raised', found)"
    )
    done = python(code)
    assert (done.stdout, done.stderr) == ("raised 'nothing'\n", "")


def test_any_number_of_jobs_gives_the_same_bytes(tmp_path: Path) -> None:
    trees = []
    for jobs in ("1", "2"):
        out = tmp_path / jobs
        arguments = ["build", str(CONTENT), "--out", str(out), "--jobs", jobs, "--quiet"]
        subprocess.run([sys.executable, "-m", "kismet_build.cli", *arguments], check=True, capture_output=True)
        trees.append({file.relative_to(out): file.read_bytes() for file in out.rglob("*") if file.is_file()})
    assert trees[0] == trees[1]

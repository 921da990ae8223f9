"""Work is shared among processes: the bytes are the same, and what goes wrong there is told here."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import CONTENT, ROOT

BEFORE = "import os, threading, time; from kismet_build.together import together\n"
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux copies a process as it stands")


def python(code: str) -> str:
    """What a program of its own prints: a process with threads, as tests have them, is never copied."""
    done = subprocess.run([sys.executable, "-c", BEFORE + code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout


def test_every_piece_is_done_once() -> None:
    assert python("print(sorted(together(lambda number: number**2, 5, 3)))") == (
        "[(0, 0), (1, 1), (2, 4), (3, 9), (4, 16)]\n"
    )
    assert python("print(list(together(str, 0, 2)))") == "[]\n"


@linux
def test_a_second_process_takes_what_the_first_has_not_begun() -> None:
    code = "def work(_): time.sleep(0.2); return os.getpid()\nprint(len({pid for _, pid in together(work, 4, 2)}))"
    assert python(code) == "2\n"


def test_with_one_job_there_is_one_process() -> None:
    assert python("print({pid for _, pid in together(lambda _: os.getpid(), 4, 1)} == {os.getpid()})") == "True\n"


def test_a_process_with_threads_is_not_copied() -> None:
    code = (
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "print({pid for _, pid in together(lambda _: os.getpid(), 4, 2)} == {os.getpid()})"
    )
    assert python(code) == "True\n"


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_the_work_raises_is_raised_here(jobs: int) -> None:
    code = (
        "def work(number): time.sleep(0.1); return [5, 4, 3, 2][number:][3]\n"
        f"try: list(together(work, 4, {jobs}))\n"
        "except IndexError as found: print('raised', found)"
    )
    assert python(code) == "raised list index out of range\n"


@linux
def test_what_a_process_that_died_had_taken_is_done_here() -> None:
    code = (
        "here = os.getpid()\n"
        "def work(number):\n"
        "    time.sleep(0.1)\n"
        "    return number if os.getpid() == here else os._exit(1)\n"
        "print(sorted(together(work, 4, 2)))"
    )
    assert python(code) == "[(0, 0), (1, 1), (2, 2), (3, 3)]\n"


@pytest.mark.parametrize("path", [CONTENT, CONTENT / "kismet"], ids=["of a library", "of a game"])
def test_any_number_of_jobs_gives_the_same_bytes(path: Path, tmp_path: Path) -> None:
    trees, said = [], []
    for jobs in ("1", "3"):
        out = tmp_path / jobs / "public"
        arguments = ["build", str(path), "--out", "public", "--jobs", jobs]
        out.parent.mkdir()
        command = [sys.executable, "-m", "kismet_build.cli", *arguments]
        done = subprocess.run(command, check=True, capture_output=True, cwd=out.parent)
        said.append((done.stdout, done.stderr))
        trees.append({file.relative_to(out): file.read_bytes() for file in out.rglob("*") if file.is_file()})
    assert trees[0] == trees[1]
    assert said[0] == said[1], "what is found is told in the order of the games"

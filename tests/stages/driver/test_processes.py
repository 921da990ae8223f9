"""Work in several processes gives the same bytes, and errors of a process are reported."""

import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from tests.command import CONTENT, ROOT
from tests.sample import sample

BEFORE = (
    "import os, signal, threading, time\n"
    "from functools import partial\n"
    "from kismet_build.driver.processes import run_parallel\n"
)
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks processes")


def python(code: str) -> str:
    """The output of code in a new process: a process with threads, such as this one, is never forked.

    Returns when all processes that the code forked have exited, since they inherit the pipe of the output.
    """
    done = subprocess.run(
        [sys.executable, "-c", BEFORE + code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=20
    )
    assert done.stderr == ""
    return done.stdout


def test_each_task_runs_once() -> None:
    assert python("print(sorted(run_parallel(lambda number: number**2, range(5), 3)))") == (
        "[(0, 0), (1, 1), (2, 4), (3, 9), (4, 16)]\n"
    )
    assert python("print(list(run_parallel(str, range(0), 2)))") == "[]\n"


@linux
def test_a_second_process_takes_tasks_that_have_not_started() -> None:
    code = (
        "def work(_): time.sleep(0.2); return os.getpid()\n"
        "print(len({pid for _, pid in run_parallel(work, range(4), 2)}))"
    )
    assert python(code) == "2\n"


def test_one_job_runs_in_the_parent_process() -> None:
    assert python(
        "print([pid for _, pid in run_parallel(lambda _: os.getpid(), range(4), 1)] == 4 * [os.getpid()])"
    ) == ("True\n")


def test_a_process_with_threads_is_not_forked() -> None:
    code = (
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "print({pid for _, pid in run_parallel(lambda _: os.getpid(), range(4), 2)} == {os.getpid()})"
    )
    assert python(code) == "True\n"


@pytest.mark.parametrize(("jobs", "each"), [(1, 0), (2, 0), (2, 1)])
def test_an_exception_in_a_worker_is_raised_in_the_parent(jobs: int, each: int) -> None:
    code = (
        "def work(number): time.sleep(0.1); return [5, 4, 3, 2][number:][3]\n"
        f"try: list(run_parallel(work, range(4), {jobs}, {each}))\n"
        "except IndexError as found: print('raised', found)"
    )
    assert python(code) == "raised list index out of range\n"


@linux
def test_a_process_is_replaced_after_its_maximum_of_tasks() -> None:
    code = (
        "from collections import Counter\n"
        "pids = Counter(pid for _, pid in run_parallel(lambda _: os.getpid(), range(10), 2, 3))\n"
        "print(len(pids) >= 4, sum(pids.values()), max(pids.values()), os.getpid() in pids)"
    )
    assert python(code) == "True 10 3 False\n"


@linux
@pytest.mark.parametrize("each", [0, 1, 3])
def test_the_task_of_a_killed_process_runs_in_the_parent(each: int) -> None:
    code = (
        "here = os.getpid()\n"
        "def work(number):\n"
        "    time.sleep(0.1)\n"
        "    return number if os.getpid() == here else os._exit(1)\n"
        f"print(sorted(run_parallel(work, range(4), 2, {each})))"
    )
    assert python(code) == "[(0, 0), (1, 1), (2, 2), (3, 3)]\n"


START = "results = run_parallel(lambda _: WORK, range(4), 2, 1); run = partial(next, results)\n"
"""Definition of `run`, which forks at least one process that does `WORK`."""


@linux
def test_child_processes_exit_when_their_parent_is_killed() -> None:
    # The child is sending a result that does not fit into the buffer of the connection.
    code = START.replace("WORK", "bytes(10_000_000)") + "run(); os.kill(os.getpid(), signal.SIGKILL)"
    assert python(code) == ""


@linux
def test_child_process_starts_no_further_task_after_its_parent_was_killed() -> None:
    code = (
        "results = run_parallel(lambda _: time.sleep(0.5), range(100), 2)\n"
        "next(results)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert python(code) == ""


@linux
def test_interrupt_during_fork_leaves_no_child_process() -> None:
    code = START.replace("WORK", "time.sleep(60)") + (
        "os.register_at_fork(before=partial(os.kill, os.getpid(), signal.SIGINT))\n"
        "try: run()\n"
        "except KeyboardInterrupt: print('interrupted')"
    )
    assert python(code) == "interrupted\n"


@linux
def test_interrupt_during_work_leaves_no_child_process() -> None:
    code = (
        "def work(_): os.killpg(0, signal.SIGINT); time.sleep(60)\n"
        "os.setpgid(0, 0)\n"
        "try: list(run_parallel(work, range(4), 2))\n"
        "except KeyboardInterrupt: print('interrupted')"
    )
    assert python(code) == "interrupted\n"


LIMITS = {
    "usual limits": "",
    "low limits": (
        "from kismet_build.driver import publish; publish.MIN_SHARDS_FOR_WORKERS, publish.SHARDS_PER_WORKER = 2, 3; "
    ),
}
"""Code that runs before a build. With low limits, workers are replaced after a few shards."""


@pytest.mark.parametrize(
    ("path", "limits"),
    sample([*product([CONTENT, CONTENT / "kismet"], LIMITS)], 4),
    ids=lambda value: value.name if isinstance(value, Path) else value,
)
def test_any_number_of_jobs_writes_the_same_bytes(path: Path, limits: str, tmp_path: Path) -> None:
    assert built(path, tmp_path / "one", 1) == built(path, tmp_path / "three", 3, LIMITS[limits])


def built(path: Path, folder: Path, jobs: int, before: str = "") -> tuple[dict[Path, bytes], tuple[bytes, bytes]]:
    """The tree of a library, and its diagnostics in the order of the games."""
    folder.mkdir()
    out = folder / "public"
    arguments = ["build", str(path), "--out", "public", "--jobs", str(jobs)]
    code = f"{before}import sys; from kismet_build.cli import main; sys.exit(main({arguments!r}))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, cwd=folder)
    tree = {file.relative_to(out): file.read_bytes() for file in out.rglob("*") if file.is_file()}
    return tree, (done.stdout, done.stderr)

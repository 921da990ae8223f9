"""Killed builds leave a complete tree, and the next build removes what is left; killed servers leave nothing behind.

`python -m tests.hard.faults` does the same many times.
"""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import ROOT
from tests.hard.faults import Vault, kill_build, kill_server, run, wait_for_children
from tests.sample import sample

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def vault(scratch: Path) -> Vault:
    return Vault(scratch, random.Random(1))


def hidden(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir() if file.name.startswith(".")]


@pytest.mark.parametrize("sent", sample([signal.SIGTERM, signal.SIGINT, signal.SIGKILL], 3))
def test_killed_build_leaves_no_process_and_the_next_removes_its_folder(vault: Vault, sent: signal.Signals) -> None:
    process = vault.start_build()
    while not hidden(vault.folder):
        time.sleep(0.01)
    process.send_signal(sent)
    output, _ = process.communicate()
    wait_for_children(process.pid)
    if sent is signal.SIGKILL:
        assert hidden(vault.folder)
    else:
        assert (process.returncode, output) == (3, "kismet: interrupted\n")
        assert not hidden(vault.folder)
    assert not vault.out.exists()
    vault.check(is_compared=False)


INTERRUPT_IN_DESTRUCTOR = """
import signal, time
from kismet_build.cli import arguments, run

class Freed:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

def build(options):
    Freed()
    time.sleep(60)

arguments.run_build = build
run()
"""


def test_interrupt_is_raised_again_where_python_ignores_it() -> None:
    command = [sys.executable, "-c", INTERRUPT_IN_DESTRUCTOR, "build"]
    process = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (process.returncode, process.stderr) == (3, "kismet: interrupted\n")


@pytest.mark.parametrize("fault", sample([kill_build, kill_server], 2))
def test_kill_at_a_random_moment_is_survived(fault: Callable[[Vault, int], None]) -> None:
    problems, _ = run(fault, 1, random.randrange(10**6))
    assert problems == []

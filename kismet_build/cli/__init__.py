"""The program `kismet`."""

import os
import signal
from collections.abc import Sequence
from typing import NoReturn

INTERRUPTED = 3
"""The exit status after Ctrl-C."""


def run() -> NoReturn:
    """Run the command in `sys.argv`, and exit with its status. Ctrl-C ends it even while its modules are loaded."""
    signal.signal(signal.SIGINT, _end_at_once)
    from kismet_build.cli.program import run as run_program

    signal.signal(signal.SIGINT, signal.default_int_handler)
    run_program()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    from kismet_build.cli.program import main as run_command

    return run_command(arguments)


def _end_at_once(*_: object) -> None:
    os.write(2, b"kismet: interrupted\n")
    os._exit(INTERRUPTED)

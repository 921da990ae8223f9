"""Tie the life of a child process to that of its parent."""

import os
import signal
import sys

PR_SET_PDEATHSIG = 1
"""Option of the Linux system call `prctl`: the signal that this process gets when its parent ends.

Without it, killed builds left processes behind: docs/decisions/0025-output-folder.md.
"""


def prepare() -> None:
    """Load what `end_with_parent` needs once before the fork, instead of in each child."""
    if sys.platform == "linux":
        import ctypes  # noqa: F401


def end_with_parent(parent: int) -> None:
    """Let the system kill this process as soon as `parent`, which forked it, ends or is killed."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it has already ended
        os._exit(1)

"""Settings of a process: its garbage collector, and its end together with its parent."""

import gc
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
"""Option of the Linux system call `prctl`: the signal that this process gets when its parent ends.

Without this signal, killed builds left processes behind: docs/decisions/0025-output-folder.md.
"""


def collect_rarely() -> None:
    """Let the garbage collector run rarely.

    A build allocates hundreds of thousands of long-lived objects. With the default thresholds, the garbage collector
    takes a seventh of the time.
    """
    gc.set_threshold(200_000, 1_000, 1_000)


def prepare() -> None:
    """Load what `end_with_parent` needs once before the fork, instead of in each child."""
    if sys.platform == "linux":
        import ctypes  # noqa: F401


def end_with_parent(parent: int) -> None:
    """On Linux, let the system kill this process as soon as `parent`, which forked it, ends."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent has already ended
        os._exit(1)

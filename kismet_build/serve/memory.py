"""Return unused memory to the system, to keep the server small.

The measurements are in docs/decisions/0028-serve-on-demand.md.
"""

import gc
import sys

from kismet_build.model.text_cache import forget_texts

M_ARENA_MAX = -8
"""Option of glibc's `mallopt` for the maximum number of arenas. By default, each thread gets its own arena."""


def share_arena() -> None:
    """Let all threads of this process and of its children allocate in one arena.

    Python runs one thread at a time, so threads do not wait for each other. Memory that a thread freed in an arena of
    its own may never be returned, not even by `malloc_trim`.
    """
    _call_allocator("mallopt", M_ARENA_MAX, 1)


def release_memory() -> None:
    """Return the memory that no object uses.

    A rebuild needs the memory of two versions of a library at the same time. Without this call, glibc would keep the
    memory of the old version.
    """
    forget_texts()
    # Packs have reference cycles, and packs of former versions are frozen, too.
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    _call_allocator("malloc_trim", 0)


def _call_allocator(name: str, *arguments: int) -> None:
    """Call a glibc function if the system has it."""
    if sys.platform == "linux":
        import ctypes

        if (function := getattr(ctypes.CDLL(None), name, None)) is not None:
            function(*arguments)

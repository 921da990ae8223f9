"""Keep the memory of the server small: return to the system what no object uses.

docs/decisions/0028-serve-on-demand.md says what it kept before.
"""

import gc
import sys

from kismet_build.model.text_cache import forget_texts

M_ARENA_MAX = -8
"""Option of `mallopt` of glibc: the number of arenas, of which threads otherwise get one each."""


def share_arena() -> None:
    """Let all threads of this process and of its children allocate in one arena.

    Python runs one thread at a time, so they do not wait for each other. What a thread freed at the end of an
    arena of its own is never returned, not even by `malloc_trim`.
    """
    _call_allocator("mallopt", M_ARENA_MAX, 1)


def release_memory() -> None:
    """Return the memory that no object uses.

    A rebuild needs the memory of two versions of a library at once. The allocator of glibc keeps that of the former
    one: it returns what is above a threshold, and raises this to twice the size of the largest block that was freed.
    """
    forget_texts()
    # Packs have cycles, and those of former versions are frozen too.
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    _call_allocator("malloc_trim", 0)


def _call_allocator(name: str, *arguments: int) -> None:
    """Call a function of glibc, if the system has it."""
    if sys.platform == "linux":
        import ctypes

        if (function := getattr(ctypes.CDLL(None), name, None)) is not None:
            function(*arguments)

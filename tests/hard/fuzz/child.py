"""Fuzz one target in this process: `python -m tests.hard.fuzz.child TARGET FOUND [options of libFuzzer] [corpus ...]`.

An input that raises is written to the folder FOUND.
"""

import functools
import gc
import os
import sys
import traceback
from hashlib import sha256
from pathlib import Path

import atheris

CACHED_RUNS = 2_000
"""Inputs after which the caches of functions are emptied: an unbounded one is no fault of a single input."""


def main() -> None:
    """Fuzz until a limit of the options, or until an input raises."""
    with atheris.instrument_imports(include=["kismet_build", "markdown_it"]):
        from tests.hard.fuzz.targets import TARGETS
    target, found, *options = sys.argv[1:]
    test = TARGETS[target].test
    runs = 0

    def run(data: bytes) -> None:
        nonlocal runs
        runs += 1
        if runs % CACHED_RUNS == 0:
            clear_caches()
        try:
            test(data)
        except BaseException:
            # Not raised: at times libFuzzer does not write the input.
            (Path(found) / f"raises-{sha256(data).hexdigest()[:16]}").write_bytes(data)
            traceback.print_exc(file=sys.stdout)
            print(f"Done {runs} runs", flush=True)
            os._exit(1)

    atheris.Setup([sys.argv[0], f"-artifact_prefix={found}/", *options], run)
    atheris.Fuzz()


def clear_caches() -> None:
    """Empty the caches of all functions of the compiler."""
    for value in gc.get_objects():
        if isinstance(value, functools._lru_cache_wrapper) and str(value.__module__).startswith("kismet_build"):
            value.cache_clear()


if __name__ == "__main__":
    main()

"""Fuzz one target in this process: `python -m tests.hard.fuzz.child TARGET FOUND [options of libFuzzer] [corpus ...]`.

An input that raises is written to the folder FOUND.
"""

import functools
import gc
import os
import sys
import time
import traceback
from hashlib import sha256
from pathlib import Path

import atheris

MAX_SECONDS = 10
"""Processor seconds that one input may take: measured code is slow. The fuzzer itself ends an input that hangs."""
CACHED_RUNS = 2_000
"""Inputs after which the caches of functions are emptied: no single input causes an unbounded cache."""


READERS = ("kismet_build.parse", "kismet_build.render.html", "markdown_it")
MEASURED = {
    **dict.fromkeys(("obsidian", "github", "asciidoc"), READERS),
    **{"yaml": ("kismet_build.config", *READERS), "data_files": ("kismet_build.config", "kismet_build.mechanics")},
    **dict.fromkeys(("formulas", "dice"), ("kismet_build.mechanics",)),
    "bundles": ("kismet_build.driver", "kismet_build.output", "kismet_build.serve"),
    "archives": ("kismet_build.output.verify_bundle", "zipfile", "tarfile", "csv"),
}
"""Packages whose coverage guides a target, all by default: each module takes a while to instrument."""


def main() -> None:
    """Fuzz until a limit of the options, or until an input raises."""
    target, found, *options = sys.argv[1:]
    with atheris.instrument_imports(include=list(MEASURED.get(target, ("kismet_build",)))):
        from tests.hard.fuzz.targets import TARGETS
    test = TARGETS[target].test
    runs = 0

    def run(data: bytes) -> None:
        nonlocal runs
        runs += 1
        if runs % CACHED_RUNS == 0:
            clear_caches()
        start = time.process_time()
        try:
            test(data)
            assert time.process_time() - start < MAX_SECONDS, f"this takes more than {MAX_SECONDS} seconds"
        except BaseException:
            # Not raised: at times libFuzzer does not write the input.
            (Path(found) / f"raises-{sha256(data).hexdigest()[:16]}").write_bytes(data)
            traceback.print_exc(file=sys.stdout)
            print(f"Done {runs} runs", flush=True)
            os._exit(1)

    atheris.Setup([sys.argv[0], f"-artifact_prefix={found}/", *options], run)
    atheris.Fuzz()


def clear_caches() -> None:
    for value in gc.get_objects():
        if isinstance(value, functools._lru_cache_wrapper) and str(value.__module__).startswith("kismet_build"):
            value.cache_clear()


if __name__ == "__main__":
    main()

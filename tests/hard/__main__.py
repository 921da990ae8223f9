"""Print one table of all hard tests, and exit with a nonzero status if one is red: `python -m tests.hard`."""

import argparse
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from queue import SimpleQueue

from benchmarks import server_load
from tests.hard import cached_bytes, faults, growth, long_serve, whole_tests
from tests.hard.fuzz import run as fuzz
from tests.hard.row import Row, exit_with

Part = Callable[[], Iterable[Row]]

TIMED_PARTS: dict[str, Part] = {
    "growth": growth.growth_rows,
    "tests": whole_tests.rows,
    "server-load": server_load.rows,
    "cached-bytes": cached_bytes.rows,
}
"""Parts that run one after the other, because most of them measure time."""
UNTIMED_PARTS: dict[str, Part] = {
    "faults": faults.rows,
    "long-serve": long_serve.rows,
    "fuzz": fuzz.rows,
}
"""Parts that run at the same time after these, because none of them measures time."""
PARTS = TIMED_PARTS | UNTIMED_PARTS


def concurrent_rows(parts: Sequence[Part]) -> Iterator[Row]:
    """The rows of parts that run at the same time, each as soon as it is available."""
    found: SimpleQueue[Row | None] = SimpleQueue()

    def run(part: Part) -> None:
        try:
            for row in part():
                found.put(row)
        finally:
            found.put(None)

    with ThreadPoolExecutor(max(1, len(parts))) as pool:
        runs = [pool.submit(run, part) for part in parts]
        for _ in parts:
            yield from iter(found.get, None)
        for finished in runs:
            finished.result()  # raises what ended the part


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.hard", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PARTS))
    names = parser.parse_args().names
    if unknown := set(names) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    print(f"{platform.platform()}, Python {platform.python_version()}")
    chosen = names or PARTS
    timed = (row for name, part in TIMED_PARTS.items() if name in chosen for row in part())
    untimed = [part for name, part in UNTIMED_PARTS.items() if name in chosen]
    exit_with(chain(timed, concurrent_rows(untimed)))


if __name__ == "__main__":
    main()

"""Print one table of all hard tests, and end with a status that is not 0 if one is red: `python -m tests.hard`."""

import argparse
import platform
from collections.abc import Callable, Iterable

from benchmarks import server_load
from tests.hard import cached_bytes, faults, growth, long_serve, whole_tests
from tests.hard.fuzz import run as fuzz
from tests.hard.row import Row, exit_with

PARTS: dict[str, Callable[[], Iterable[Row]]] = {
    "growth": growth.growth_rows,
    "tests": whole_tests.rows,
    "server-load": server_load.rows,
    "cached-bytes": cached_bytes.rows,
    "faults": faults.rows,
    "long-serve": long_serve.rows,
    "fuzz": fuzz.rows,
}
"""The parts of the table, in its order."""


def main() -> None:
    """Run the parts that are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.hard", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PARTS))
    names = parser.parse_args().names
    if unknown := set(names) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    print(f"{platform.platform()}, Python {platform.python_version()}")
    exit_with(row for name, rows in PARTS.items() if not names or name in names for row in rows())


if __name__ == "__main__":
    main()

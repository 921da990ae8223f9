"""Print one table of all hard tests, and end with a status that is not 0 if one is red: `python -m tests.hard`.

Each module of this folder that has a function `rows` is a part of the table.
"""

import argparse
import platform
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pkgutil import iter_modules

import tests.hard
from tests.hard.row import Row, exit_with

BENCHMARKS = ("benchmarks.bad_input", "benchmarks.server_load")
"""Parts of the table that are elsewhere."""


def parts() -> Iterator[tuple[str, Callable[[], Iterable[Row]]]]:
    """The name and the function of each part."""
    modules = (f"tests.hard.{module.name}" for module in iter_modules(tests.hard.__path__) if module.name != "__main__")
    for module in (*modules, *BENCHMARKS):
        rows = getattr(import_module(module), "rows", None)
        if rows is not None:
            yield module.rpartition(".")[2], rows


def main() -> None:
    """Run the parts that are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.hard", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(name for name, _ in parts()))
    names = parser.parse_args().names
    print(f"{platform.platform()}, Python {platform.python_version()}")
    exit_with(row for name, rows in parts() if not names or name in names for row in rows())


if __name__ == "__main__":
    main()

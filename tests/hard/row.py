"""Rows of the table of hard tests."""

import sys
from collections.abc import Iterable
from typing import NamedTuple

HEADER = f"{'test':<58}{'amount':>9}{'seconds':>9}  result"


class Row(NamedTuple):
    name: str
    amount: int
    """Number of cases, such as kills or requests; 0 if the test was skipped."""
    result: str
    """A line for the table. Further lines, such as those of failed cases, are printed below it."""
    seconds: float
    is_red: bool
    """Whether the test has failed."""


def print_rows(rows: Iterable[Row]) -> bool:
    """Print each row as soon as it is available. Returns whether one is red."""
    is_red = False
    for row in rows:
        first, *rest = row.result.split("\n")
        mark = "RED: " if row.is_red else ""
        print(f"{row.name:<58}{row.amount:>9,}{row.seconds:>9.0f}  {mark}{first}", flush=True)
        for line in rest:
            print(f"    {line}", flush=True)
        is_red |= row.is_red
    return is_red


def exit_with(rows: Iterable[Row]) -> None:
    print(HEADER, flush=True)
    sys.exit(print_rows(rows))

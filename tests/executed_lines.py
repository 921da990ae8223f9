"""Count the lines that Python executes: a measure of work that depends neither on the machine nor on its load."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def executed_lines(task: Callable[[], object]) -> int:
    """The number of lines that a task executes. Work inside of C functions, such as a search, is not counted."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        task()
    finally:
        sys.settrace(previous)
    return count

"""Memoized passes: the results of the compiler's passes, reused where all inputs of a pass are unchanged.

Values are compared, not objects: docs/decisions/0029-passes.md.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from operator import is_
from typing import Any, NamedTuple, TypeVar

from kismet_build.model.diagnostic import FailedText, UnusableDefinition
from kismet_build.model.source import Span
from kismet_build.model.watchdog import watched

Result = TypeVar("Result")
LEAVES = frozenset((str, int, float, bool, type(None), Span))
"""Types of values that cannot contain maps."""


class Run(NamedTuple):
    """One run of a pass."""

    inputs: tuple[Any, ...]
    result: Any


class Memo:
    """The results of all passes of one compilation, by the name of the pass and the document.

    A pass is a function of its arguments alone. It runs again only if an argument differs from the previous
    compilation. If the new result equals the old result, the old object is kept, and later passes need not run.
    """

    def __init__(self, previous: "Memo | None" = None) -> None:
        self._previous: Mapping[str, Mapping[str, Run]] = {} if previous is None else previous._runs
        self._runs: dict[str, dict[str, Run]] = {}
        self.counts: Counter[str] = Counter()
        """Number of runs of each pass. Reused results are not counted."""

    def run(self, name: str, document: str, function: Callable[..., Result], *inputs: Any) -> Result:
        """The result of `function(*inputs)`.

        `document`: the path of the document, or `""` for a pass over the whole game. Raises
        `UnusableDefinition` of the function, and `FailedText` for any other exception in a pass over a document.
        """
        runs = self._runs.setdefault(name, {})
        run = runs.get(document) or self._previous.get(name, {}).get(document)
        # Most inputs are the same objects as before.
        if run is None or not (all(map(is_, run.inputs, inputs)) or is_same(run.inputs, inputs)):
            self.counts[name] += 1
            try:
                with watched():
                    result = function(*inputs)
            except UnusableDefinition:
                raise
            except Exception as problem:
                if not document:
                    raise
                raise FailedText(document, name, problem) from problem
            run = Run(inputs, run.result if run is not None and is_same(run.result, result) else result)
        runs[document] = run
        result_: Result = run.result
        return result_

    def result(self, name: str) -> Any:
        """The result of a pass over the whole game."""
        return self._runs[name][""].result


def is_same(old: Any, new: Any) -> bool:
    """Whether two values are equal and the maps in them have the same order, which affects the published data."""
    return old is new or (bool(old == new) and _has_same_order(old, new))


def _has_same_order(old: Any, new: Any) -> bool:
    if old is new or type(old) in LEAVES:
        return True
    if isinstance(old, Mapping):
        return [*old] == [*new] and all(map(_has_same_order, old.values(), new.values()))
    if isinstance(old, list | tuple):
        return all(map(_has_same_order, old, new))
    if is_dataclass(old):
        return all(_has_same_order(getattr(old, field.name), getattr(new, field.name)) for field in fields(old))
    return True

"""Memoized steps: the results of the compiler's steps, reused where all inputs of a step are unchanged.

Values are compared, not objects: docs/decisions/0029-steps.md.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from operator import is_
from typing import Any, NamedTuple, TypeVar, TypeVarTuple, overload

from kismet_build.model.diagnostic import FailedText, UnusableDefinition
from kismet_build.model.source import Span
from kismet_build.model.watchdog import watched

Result = TypeVar("Result")
First = TypeVar("First")
Second = TypeVar("Second")
Third = TypeVar("Third")
Shared = TypeVarTuple("Shared")
"""The types of the values that a step reads of the whole game."""
LEAVES = frozenset((str, int, float, bool, type(None), Span))
"""Types of values that cannot contain maps."""
GAME = ""
"""In place of a path: a step over the whole game."""


class Run(NamedTuple):
    """One run of a step."""

    inputs: tuple[Any, ...]
    result: Any


class Memo:
    """The results of all steps of one compilation.

    A step is a function of its arguments alone; a compilation calls it once, for the whole game or for each document.
    It runs again only if an argument differs from the previous compilation. If the new result equals the old result,
    the old object is kept, and later steps need not run.
    """

    def __init__(self, previous: "Memo | None" = None) -> None:
        self._previous: Mapping[Callable[..., Any], Mapping[str, Run]] = {} if previous is None else previous._runs
        self._runs: dict[Callable[..., Any], dict[str, Run]] = {}
        self.counts: Counter[str] = Counter()
        """Number of runs of each step, by the name of its function. Reused results are not counted."""

    def once(self, step: Callable[[*Shared], Result], *inputs: *Shared) -> Result:
        """The result of a step over the whole game. Raises what the step raises."""
        result: Result = self.run(step, GAME, *inputs)
        return result

    @overload
    def each(
        self, step: Callable[[First, *Shared], Result], of: Mapping[str, First], *shared: *Shared
    ) -> dict[str, Result]: ...
    @overload
    def each(
        self,
        step: Callable[[First, Second, *Shared], Result],
        of: tuple[Mapping[str, First], Mapping[str, Second]],
        *shared: *Shared,
    ) -> dict[str, Result]: ...
    @overload
    def each(
        self,
        step: Callable[[First, Second, Third, *Shared], Result],
        of: tuple[Mapping[str, First], Mapping[str, Second], Mapping[str, Third]],
        *shared: *Shared,
    ) -> dict[str, Result]: ...
    def each(self, step: Callable[..., Result], of: Any, *shared: *Shared) -> dict[str, Result]:
        """The results of a step over each document, by path.

        `of`: the values of the documents, by path: one mapping, or up to three, of which the first says for which
        documents the step runs. `shared`: values of the whole game. Raises `FailedText` if the step fails for a
        document.
        """
        first, *others = of if isinstance(of, tuple) else (of,)
        return {
            path: self.run(step, path, value, *[other[path] for other in others], *shared)
            for path, value in first.items()
        }

    def run(self, step: Callable[..., Any], document: str, *inputs: Any) -> Any:
        """The result of a step for the document with this path, or for the whole game."""
        runs = self._runs.setdefault(step, {})
        run = runs.get(document) or self._previous.get(step, {}).get(document)
        # Most inputs are the same objects as before.
        if run is None or not (all(map(is_, run.inputs, inputs)) or is_same(run.inputs, inputs)):
            self.counts[step.__name__] += 1
            try:
                with watched():
                    result = step(*inputs)
            except UnusableDefinition:
                raise
            except Exception as problem:
                if document == GAME:
                    raise
                raise FailedText(document, step.__name__.strip("_").replace("_", " "), problem) from problem
            run = Run(inputs, run.result if run is not None and is_same(run.result, result) else result)
        runs[document] = run
        return run.result

    def result(self, step: Callable[..., Result]) -> Result:
        """The result of a step over the whole game."""
        result: Result = self._runs[step][GAME].result
        return result


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

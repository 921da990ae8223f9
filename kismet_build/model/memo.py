"""Memoized passes: the results of the compiler's passes, reused where all inputs of a pass are unchanged."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

Result = TypeVar("Result")


class Run(NamedTuple):
    """One run of a pass."""

    inputs: tuple[Any, ...]
    result: Any


class Memo:
    """The results of all passes of one compilation, by the name of the pass and the document.

    A pass is a function of its arguments alone. It runs only if an argument differs from that of the previous
    compilation. If its new result equals the old one, the old object is kept, so that later passes do not run.
    """

    def __init__(self, previous: "Memo | None" = None) -> None:
        """Start a compilation that reuses the results of a previous one."""
        self._previous: Mapping[str, Mapping[str, Run]] = {} if previous is None else previous._runs
        self._runs: dict[str, dict[str, Run]] = {}
        self.counts: Counter[str] = Counter()
        """Number of runs of each pass; a reused result does not count."""

    @classmethod
    def of(cls, runs: Mapping[str, Mapping[str, Run]]) -> "Memo":
        """A memo with these runs, by the document, then by the name of the pass."""
        memo = cls()
        for document, by_pass in runs.items():
            for name, run in by_pass.items():
                memo._runs.setdefault(name, {})[document] = run
        return memo

    def runs(self) -> dict[str, dict[str, Run]]:
        """The runs of this compilation, by the document, then by the name of the pass."""
        by_document: dict[str, dict[str, Run]] = {}
        for name, runs in self._runs.items():
            for document, run in runs.items():
                by_document.setdefault(document, {})[name] = run
        return by_document

    def run(self, name: str, document: str, function: Callable[..., Result], *inputs: Any) -> Result:
        """The result of `function(*inputs)`. `document`: its path, or `""` for a pass over the whole game."""
        run = self._previous.get(name, {}).get(document)
        if run is None or run.inputs != inputs:
            self.counts[name] += 1
            result = function(*inputs)
            run = Run(inputs, run.result if run is not None and run.result == result else result)
        self._runs.setdefault(name, {})[document] = run
        result_: Result = run.result
        return result_

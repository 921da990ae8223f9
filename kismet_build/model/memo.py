"""Memoized passes: the results of the compiler's passes, reused where all inputs of a pass are unchanged."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

Result = TypeVar("Result")


class _Run(NamedTuple):
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
        self._previous: Mapping[str, Mapping[str, _Run]] = {} if previous is None else previous._runs
        self._runs: dict[str, dict[str, _Run]] = {}
        self.counts: Counter[str] = Counter()
        """Number of runs of each pass; a reused result does not count."""

    def __getstate__(self) -> dict[str, object]:
        """The results of this compilation alone."""
        return {"_previous": {}, "_runs": self._runs, "counts": Counter()}

    def run(self, name: str, document: str, function: Callable[..., Result], *inputs: Any) -> Result:
        """The result of `function(*inputs)`. `document`: its path, or `""` for a pass over the whole game."""
        run = self._previous.get(name, {}).get(document)
        if run is None or run.inputs != inputs:
            self.counts[name] += 1
            result = function(*inputs)
            run = _Run(inputs, run.result if run is not None and run.result == result else result)
        self._runs.setdefault(name, {})[document] = run
        result_: Result = run.result
        return result_

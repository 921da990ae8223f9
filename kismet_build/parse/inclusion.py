"""Open the files that a text includes: none within itself, and only as many as a page can show."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.source import Source, Span
from kismet_build.parse.composition import Composition, Inputs

MAX_LENGTH = 4_000_000
"""Maximum number of characters that a text grows by what it includes.

docs/decisions/0022-bounds-of-input.md lists all limits on input.
"""
MAX_LEVELS = 50
"""Maximum number of files that include one another."""
MAX_SHOWN = 100
"""Maximum number of characters of a path in a message."""


class Inclusion:
    """The text that is composed, and the files that are open."""

    def __init__(self, source: Source, inputs: Inputs, report: Report) -> None:
        self.source, self.inputs, self.report = source, inputs, report
        self.text = Composition()
        self._open = [source.path]

    @property
    def level(self) -> int:
        """How many files include the current one."""
        return len(self._open) - 1

    @contextmanager
    def file(self, paths: Sequence[str], span: Span) -> Iterator[Source | None]:
        """Open the first of these files that exists. Reports why none can be included.

        `span`: where the text names it.
        """
        path, source = next(
            ((path, found) for path in paths if (found := self.inputs.read(path)) is not None), (paths[0], None)
        )
        fault = "" if source is not None else self.inputs.fault(path)
        if path in self._open:
            fault = "it includes itself"
        elif self.level >= MAX_LEVELS:
            fault = f"more than {MAX_LEVELS} files include one another"
        elif self.text.length > MAX_LENGTH + len(self.source.text):
            fault = f"the page would have more than {MAX_LENGTH:,} characters"
        if fault:
            message = f'"{path[:MAX_SHOWN]}" cannot be included: {fault}'
            self.report(warning("unresolved-include", span, message))
            yield None
            return
        self._open.append(path)
        yield source
        self._open.pop()

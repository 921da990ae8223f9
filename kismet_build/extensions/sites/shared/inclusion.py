"""Open the files that a text includes. A file cannot include itself, and the size of a text is limited."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from kismet_build.model.diagnostic import Diagnostic, Report, warning
from kismet_build.model.source import Source, Span
from kismet_build.parse.composition import TOO_MUCH, Budget, Composition, Inputs

MAX_LEVELS = 50
"""Maximum depth of nested includes."""


MAX_MARKS = 500
"""Maximum number of messages about the marks of a text: each has a copy of the text."""


class Marks:
    """Reports marks of a text that are not run."""

    def __init__(self, report: Report) -> None:
        self._report, self._count = report, 0

    def report(self, make: Callable[[str, Span, str], Diagnostic], span: Span, message: str) -> None:
        """Report a mark. The words around it are not shown, because they may be private."""
        self._count += 1
        if self._count <= MAX_MARKS:
            more = "; later marks are not listed" if self._count == MAX_MARKS else ""
            self._report(make("foreign-markup", span.alone(), message + more))


class Inclusion:
    """The text being composed, and the files that are open."""

    def __init__(self, source: Source, inputs: Inputs, report: Report) -> None:
        self.source, self.inputs, self.report = source, inputs, report
        self.text = Composition()
        self._open = [source.path]
        self._budget = Budget(inputs.max_characters, inputs.of_game)
        self._is_full = False

    @contextmanager
    def file(self, paths: Sequence[str], span: Span) -> Iterator[Source | None]:
        """Open the first of these files that exists. If no file can be included, yields `None` and reports why.

        `span`: where the text names the file.
        """
        files = ((path, found) for path in paths if (found := self.inputs.read(path)) is not None)
        path, source = next(files, (paths[0], None))
        fault = ""
        if source is None:
            fault = self.inputs.fault(path)
        elif path in self._open:
            fault = "the file would include itself"
        elif len(self._open) > MAX_LEVELS:
            fault = f"includes are nested more than {MAX_LEVELS} deep"
        if source is None or fault:
            if not self._is_full:
                self.report(warning("unresolved-include", span, f"this include shows nothing: {fault}"))
            yield None
            return
        self._open.append(path)
        yield source
        self._open.pop()

    def has_room(self, source: Source, parts: Sequence[Span], span: Span) -> bool:
        """Whether parts of an open file can be included. If not, reports it once. `span`: as in `file`."""
        text = "".join(part.text for part in parts)
        has_room = self._budget.has_room(source.path, text, len(source.text))
        if not has_room and not self._is_full:
            self._is_full = True
            message = f"this include shows nothing: {TOO_MUCH}"
            self.report(warning("unresolved-include", span, message, "divide it"))
        return has_room

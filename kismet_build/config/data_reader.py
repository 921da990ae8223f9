"""Report errors in a data file that its schema cannot find, each with its span."""

from typing import Any

from kismet_build.config.data_file import InvalidData, Keys
from kismet_build.config.yaml import Data
from kismet_build.model.diagnostic import Diagnostic, Report, Severity, error
from kismet_build.model.source import Span


class DataReader:
    """A data file, or a part of one, that satisfies its schema. After a reported error, `finish` raises."""

    def __init__(self, data: Data, code: str, report: Report, *below: str | int) -> None:
        """`code` is the code of the errors. Paths are relative to the value at the keys `below`."""
        self.data = data
        self._code = code
        self._report = report
        self._below = below
        self._is_sound = True

    @property
    def value(self) -> Any:
        """The value at the keys `below`; `None` if the last key is missing."""
        value = self.data.value
        for key in self._below:
            value = value.get(key) if isinstance(value, dict) else value[key]
        return value

    def span(self, *path: str | int) -> Span:
        """The span of a value and its key. If the path does not exist, the span of the nearest enclosing value."""
        return self.data.span_of(*self._below, *path)

    def refuse(self, path: Keys, message: str, hint: str = "") -> None:
        self.report(error(self._code, self.span(*path), message, hint))

    def report(self, diagnostic: Diagnostic) -> None:
        """Report a diagnostic, which may be about another file that the data names."""
        self._is_sound = self._is_sound and diagnostic.severity is not Severity.ERROR
        self._report(diagnostic)

    def finish(self) -> None:
        """Raise `InvalidData` if an error was reported."""
        if not self._is_sound:
            raise InvalidData(self.data.whole.source.display_path)

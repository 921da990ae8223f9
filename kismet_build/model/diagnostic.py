"""Diagnostics: errors, warnings and notes about a span of a source, and their output formats."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote

from kismet_build.model.source import Span

Value = TypeVar("Value")

MIN_REPEATS = 4
"""Minimum number of equal diagnostics that messages for people replace by a count."""
MAX_RELATED_IN_TEXT = 3
"""Maximum number of related places that the text format prints for a diagnostic."""
SHOWN_CONTROLS = dict.fromkeys((*range(32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd")
"""Replacements for control characters, which a terminal might obey, and for characters that change the direction of
text.
"""


class Severity(StrEnum):
    """The severity of a diagnostic: an error stops publication, a warning needs a look, information needs no action."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that a diagnostic refers to. The message says how the place is related."""

    span: Span
    message: str


KIND = "kind"
"""The type of a subject that is a kind with all its entities."""


class Subject(NamedTuple):
    """A part of the data of a game that an error makes wrong.

    `kismet build --keep-going` leaves out the subject. An error without a subject stops the game:
    docs/decisions/0024-games-with-errors.md.
    """

    type: str
    """The id of a kind for an entity, or `KIND`, `definition`, `text`, `calculator`, `effect` or `board part`."""
    name: str
    span: Span

    @property
    def original(self) -> "Subject":
        return self._replace(span=self.span.original)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem in one place."""

    code: str
    """The name of the problem in kebab case, such as `unresolved-link`; `kismet explain` prints its manual page."""
    severity: Severity
    span: Span
    message: str
    """The problem: one sentence in the present tense, without a full stop."""
    hint: str = ""
    """How to fix the problem; empty if the message says enough."""
    related: tuple[Related, ...] = ()
    subject: Subject | None = None
    """The part of the data that an error makes wrong; `None` if it is unknown."""

    @property
    def sort_key(self) -> tuple[str, int, str, str]:
        """Sort key: place, then code, then message.

        Sorting by it makes the output independent of the order of the checks.
        """
        return (self.span.source.path, self.span.start, self.code, self.message)

    @property
    def original(self) -> "Diagnostic":
        """The diagnostic with the places that the author edits; the same diagnostic if no text is composed."""
        if not any(span.source.pieces for span in (self.span, *(other.span for other in self.related))):
            return self
        related = tuple(replace(other, span=other.span.original) for other in self.related)
        subject = self.subject.original if self.subject else None
        return replace(self, span=self.span.original, related=related, subject=subject)


class Diagnosed(NamedTuple, Generic[Value]):
    """The result of a step that also finds faults."""

    value: Value
    diagnostics: tuple[Diagnostic, ...] = ()


class Findings:
    """Collects the diagnostics of steps."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []

    def of(self, found: Diagnosed[Value]) -> Value:
        """The value of a step over the whole game."""
        self.diagnostics += found.diagnostics
        return found.value

    def of_each(self, found: Mapping[str, Diagnosed[Value]]) -> dict[str, Value]:
        """The values of a step over each document."""
        return {path: self.of(one) for path, one in found.items()}


class UnusableDefinition(Exception):
    """Raised if a definition by the author makes a step fail for every text."""

    def __init__(self, name: str, diagnostic: Diagnostic) -> None:
        """`name`: the id of the kind or other thing that the definition defines."""
        super().__init__(diagnostic.message)
        self.name, self.diagnostic = name, diagnostic


class FailedText(Exception):
    """Raised if a step of the compiler fails for one text: a bug in kismet, which must not affect other texts."""

    def __init__(self, path: str, step: str, problem: Exception) -> None:
        """`path`: the path of the document. `step`: the name of the step."""
        super().__init__(path, step, problem)
        self.path, self.step, self.problem = path, step, problem


Report = Callable[[Diagnostic], None]
"""A callback for diagnostics, such as the `append` of a list."""


def ignore(_: Diagnostic) -> None:
    """Ignore a diagnostic, because another step reports it."""


def error(
    code: str,
    span: Span,
    message: str,
    hint: str = "",
    related: tuple[Related, ...] = (),
    subject: Subject | None = None,
) -> Diagnostic:
    """Create a diagnostic that stops publication."""
    return Diagnostic(code, Severity.ERROR, span, message, hint, related, subject)


def warning(code: str, span: Span, message: str, hint: str = "", related: tuple[Related, ...] = ()) -> Diagnostic:
    """Create a diagnostic that an author should look at."""
    return Diagnostic(code, Severity.WARNING, span, message, hint, related)


def info(code: str, span: Span, message: str, hint: str = "", related: tuple[Related, ...] = ()) -> Diagnostic:
    """Create a diagnostic that needs no action."""
    return Diagnostic(code, Severity.INFO, span, message, hint, related)


def sort_diagnostics(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics sorted by `sort_key`, without duplicates."""
    return sorted(dict.fromkeys(diagnostics), key=lambda diagnostic: diagnostic.sort_key)


def count_by_severity(diagnostics: Iterable[Diagnostic]) -> dict[str, int]:
    """The number of diagnostics of each severity, errors first, including zeros."""
    counts = {severity.value: 0 for severity in Severity}
    for diagnostic in diagnostics:
        counts[diagnostic.severity] += 1
    return counts


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any diagnostic is an error."""
    return any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)


def group_repeats(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Merge equal diagnostics in many places into one with a count and the other places, for messages to people.

    The merged diagnostic has the position of the first.
    """
    repeats: dict[tuple[str, Severity, str, str], list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        # A diagnostic with related places is never merged.
        own = f"{len(repeats)}" if diagnostic.related else ""
        repeats.setdefault(
            (diagnostic.code + own, diagnostic.severity, diagnostic.message, diagnostic.hint), []
        ).append(diagnostic)
    grouped: list[Diagnostic] = []
    for same in repeats.values():
        if len(same) < MIN_REPEATS:
            grouped += same
            continue
        related = tuple(Related(diagnostic.span, "also here") for diagnostic in same[1:])
        grouped.append(replace(same[0], message=f"{len(same)} × {same[0].message}", related=related))
    return grouped


def count_by_code(diagnostics: Iterable[Diagnostic]) -> str:
    """The number of diagnostics by code, most frequent first: `128 unresolved-link, 1 split-emphasis`."""
    counts = Counter(diagnostic.code for diagnostic in diagnostics)
    return ", ".join(
        f"{number} {code}" for code, number in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )


def to_text(diagnostic: Diagnostic) -> str:
    """Format a diagnostic for a terminal: message, place, an excerpt of the source line with a marker, and the hint."""
    span = diagnostic.span
    line, column = span.source.line_and_column(span.start)
    source_line = span.source.line(line).expandtabs(1)
    marker_width = max(1, min(span.end - span.start, len(source_line) - column + 1))
    # A paragraph is often one long line: show the 100 characters around the place.
    cut = max(0, column - 41)
    excerpt = (
        ("…" if cut else source_line[:1])
        + source_line[cut + 1 : cut + 99]
        + ("…" if len(source_line) > cut + 100 else source_line[cut + 99 : cut + 100])
    )
    gutter = " " * len(str(line))
    lines = [
        f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}",
        f"{gutter}--> {span.source.display_path}:{line}:{column}",
        f"{gutter} |",
        f"{line} | {excerpt}",
        f"{gutter} | {' ' * (column - 1 - cut)}{'^' * min(marker_width, 100 - (column - 1 - cut))}",
    ]
    for related in diagnostic.related[:MAX_RELATED_IN_TEXT]:
        position = ":".join(map(str, related.span.source.line_and_column(related.span.start)))
        lines.append(f"{gutter} = {related.message}: {related.span.source.display_path}:{position}")
    if more := len(diagnostic.related[MAX_RELATED_IN_TEXT:]):
        lines.append(f"{gutter} = and in {more} more {'place' if more == 1 else 'places'}")
    if diagnostic.hint:
        lines.append(f"{gutter} = hint: {diagnostic.hint}")
    return "\n".join(line.translate(SHOWN_CONTROLS) for line in lines)


def to_dict(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as an object for `--format json` and `diagnostics.json`. Lines and columns start at 1."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
        **_position(diagnostic.span),
        "related": [{"message": related.message, **_position(related.span)} for related in diagnostic.related],
    }


def to_json(diagnostic: Diagnostic) -> str:
    """Format a diagnostic as one line of JSON."""
    return json.dumps(to_dict(diagnostic), ensure_ascii=False)


def to_github(diagnostic: Diagnostic) -> str:
    """Format a diagnostic as a GitHub workflow command, which annotates the line in a pull request.

    https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
    """
    level = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}[diagnostic.severity]
    position = _position(diagnostic.span)
    properties = ",".join(
        f"{name}={_escape_property(str(value))}"
        for name, value in (
            ("file", diagnostic.span.source.display_path),
            ("line", position["line"]),
            ("endLine", position["end_line"]),
            ("col", position["column"]),
            ("endColumn", position["end_column"]),
            ("title", diagnostic.code),
        )
    )
    return f"::{level} {properties}::{_escape(_message_with_hint(diagnostic))}"


def to_sarif(diagnostics: Iterable[Diagnostic], version: str) -> str:
    """Format all diagnostics as one SARIF 2.1.0 log, for code hosts and editors. `version`: the version of kismet."""
    ordered = sort_diagnostics(diagnostics)
    levels = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    results = [
        {
            "ruleId": diagnostic.code,
            "level": levels[diagnostic.severity],
            "message": {"text": _message_with_hint(diagnostic)},
            "locations": [_sarif_location(diagnostic.span)],
            "relatedLocations": [
                {**_sarif_location(related.span), "message": {"text": related.message}}
                for related in diagnostic.related
            ],
        }
        for diagnostic in ordered
    ]
    rules = [{"id": code} for code in sorted({diagnostic.code for diagnostic in ordered})]
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "kismet-build", "version": version, "rules": rules}},
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }
    return json.dumps(log, ensure_ascii=False, indent=2)


def _message_with_hint(diagnostic: Diagnostic) -> str:
    return diagnostic.message + (f" ({diagnostic.hint})" if diagnostic.hint else "")


def _position(span: Span) -> dict[str, Any]:
    line, column = span.source.line_and_column(span.start)
    end_line, end_column = span.source.line_and_column(span.end)
    return {
        "path": span.source.path,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    }


def _sarif_location(span: Span) -> dict[str, Any]:
    position = _position(span)
    region = {
        "startLine": position["line"],
        "startColumn": position["column"],
        "endLine": position["end_line"],
        "endColumn": position["end_column"],
    }
    return {"physicalLocation": {"artifactLocation": {"uri": quote(span.source.display_path)}, "region": region}}


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")

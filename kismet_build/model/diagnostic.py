"""What the compiler has to say about a text: one value with a place, and its four renderings."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import quote

from kismet_build.model.source import Span

SHOWN = 3
"""So many related places are printed for a person; programs get all."""


class Severity(StrEnum):
    """How bad it is: an error stops publication, a warning wants a hand, information only tells."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that belongs to a diagnostic, and what it has to do with it."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. The message is a sentence in the present tense, the cure stands in the hint."""

    code: str
    severity: Severity
    span: Span
    message: str
    hint: str = ""
    related: tuple[Related, ...] = ()

    @property
    def order(self) -> tuple[str, int, str, str]:
        """Diagnostics are sorted by place, then code, so that the same input prints the same bytes."""
        return (self.span.source.path, self.span.start, self.code, self.message)


Report = Callable[[Diagnostic], None]
"""Where stages send what they find; in tests it is `list.append`."""


def error(code: str, span: Span, message: str, hint: str = "", related: tuple[Related, ...] = ()) -> Diagnostic:
    """A diagnostic that stops publication."""
    return Diagnostic(code, Severity.ERROR, span, message, hint, related)


def warning(code: str, span: Span, message: str, hint: str = "", related: tuple[Related, ...] = ()) -> Diagnostic:
    """A diagnostic that an author should look at."""
    return Diagnostic(code, Severity.WARNING, span, message, hint, related)


def info(code: str, span: Span, message: str, hint: str = "", related: tuple[Related, ...] = ()) -> Diagnostic:
    """A diagnostic that only tells what was done."""
    return Diagnostic(code, Severity.INFO, span, message, hint, related)


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The same diagnostics sorted by place and code, each once."""
    return sorted(dict.fromkeys(diagnostics), key=lambda diagnostic: diagnostic.order)


def count(diagnostics: Iterable[Diagnostic]) -> dict[str, int]:
    """How many there are of each severity, the worst first."""
    counts = {severity.value: 0 for severity in Severity}
    for diagnostic in diagnostics:
        counts[diagnostic.severity] += 1
    return counts


def to_text(diagnostic: Diagnostic) -> str:
    """A diagnostic for a person: place, the line that it stands on, and what to do."""
    span = diagnostic.span
    line, column = span.source.place(span.start)
    shown = span.source.line(line).expandtabs(1)
    width = max(1, min(span.end - span.start, len(shown) - column + 1))
    # A paragraph of a rule book is one long line: show the part around the place.
    cut = max(0, column - 41)
    part = (
        ("…" if cut else shown[:1])
        + shown[cut + 1 : cut + 99]
        + ("…" if len(shown) > cut + 100 else shown[cut + 99 : cut + 100])
    )
    gutter = " " * len(str(line))
    parts = [
        f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}",
        f"{gutter}--> {span.source.shown}:{line}:{column}",
        f"{gutter} |",
        f"{line} | {part}",
        f"{gutter} | {' ' * (column - 1 - cut)}{'^' * min(width, 100 - (column - 1 - cut))}",
    ]
    for related in diagnostic.related[:SHOWN]:
        at = ":".join(map(str, related.span.source.place(related.span.start)))
        parts.append(f"{gutter} = {related.message}: {related.span.source.shown}:{at}")
    if len(diagnostic.related) > SHOWN:
        parts.append(f"{gutter} = and in {len(diagnostic.related) - SHOWN} more places")
    if diagnostic.hint:
        parts.append(f"{gutter} = hint: {diagnostic.hint}")
    return "\n".join(parts)


def to_record(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as `--format json` and `diagnostics.json` print it; lines and columns start at 1."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
        **_place(diagnostic.span),
        "related": [{"message": related.message, **_place(related.span)} for related in diagnostic.related],
    }


def to_json(diagnostic: Diagnostic) -> str:
    """A diagnostic as one line of JSON."""
    return json.dumps(to_record(diagnostic), ensure_ascii=False)


def to_github(diagnostic: Diagnostic) -> str:
    """A diagnostic as a workflow command, which GitHub shows beside the line of a change."""
    level = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}[diagnostic.severity]
    place = _place(diagnostic.span)
    where = ",".join(
        f"{name}={_escape_property(str(value))}"
        for name, value in (
            ("file", diagnostic.span.source.shown),
            ("line", place["line"]),
            ("endLine", place["end_line"]),
            ("col", place["column"]),
            ("endColumn", place["end_column"]),
            ("title", diagnostic.code),
        )
    )
    words = diagnostic.message + (f" ({diagnostic.hint})" if diagnostic.hint else "")
    return f"::{level} {where}::{_escape(words)}"


def to_sarif(diagnostics: Iterable[Diagnostic], version: str) -> str:
    """All diagnostics as one SARIF 2.1.0 log, which code hosts and editors read."""
    found = in_order(diagnostics)
    levels = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    results = [
        {
            "ruleId": diagnostic.code,
            "level": levels[diagnostic.severity],
            "message": {"text": diagnostic.message + (f" ({diagnostic.hint})" if diagnostic.hint else "")},
            "locations": [_sarif_location(diagnostic.span)],
            "relatedLocations": [
                {**_sarif_location(related.span), "message": {"text": related.message}}
                for related in diagnostic.related
            ],
        }
        for diagnostic in found
    ]
    rules = [{"id": code} for code in sorted({diagnostic.code for diagnostic in found})]
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


def _place(span: Span) -> dict[str, Any]:
    line, column = span.source.place(span.start)
    end_line, end_column = span.source.place(span.end)
    return {
        "path": span.source.path,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    }


def _sarif_location(span: Span) -> dict[str, Any]:
    place = _place(span)
    region = {
        "startLine": place["line"],
        "startColumn": place["column"],
        "endLine": place["end_line"],
        "endColumn": place["end_column"],
    }
    return {"physicalLocation": {"artifactLocation": {"uri": quote(span.source.shown)}, "region": region}}


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")

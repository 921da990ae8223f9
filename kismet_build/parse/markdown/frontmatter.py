"""Read the YAML frontmatter of a text: properties between two lines of dashes."""

import re
from collections.abc import Mapping
from typing import Any

from kismet_build.config import yaml
from kismet_build.model.diagnostic import Related, Report, error, warning
from kismet_build.model.source import Source, Span

FENCED = re.compile(r"---[ \t]*\n(?P<inside>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)

PROPERTY = re.compile(r"^[^\s#\-][^\n]*?:(?:\s|$)|^\s*[{\[]", re.MULTILINE)
"""Matches a line of properties; without such a line the dashes are thematic breaks."""


def frontmatter(source: Source, report: Report) -> tuple[Mapping[str, Any] | None, int]:
    """The properties of a text, `None` if they cannot be read, and the offset where its body begins."""
    fence = FENCED.match(source.text)
    if fence is None or not PROPERTY.search(fence["inside"]):
        return {}, 0

    def report_duplicate(key: str, span: Span, first: Span) -> None:
        message = f'the property "{key}" stands here twice, and the first one counts'
        report(warning("duplicate-frontmatter-key", span, message, related=(Related(first, "the first stands here"),)))

    start, end = fence.span("inside")
    data = yaml.parse(source, report, "invalid-frontmatter", start, end, on_duplicate=report_duplicate)
    if data is None:
        return None, fence.end()
    if not isinstance(data.value, dict):
        span = source.span(start, end)
        report(error("invalid-frontmatter", span, "these properties have no names", "write them as name: value"))
        return None, fence.end()
    # The title is the text as typed, not a YAML number: `007` keeps its zeros, and `1.50` its last digit.
    title = data.scalar_text("title")
    return (data.value if title is None else {**data.value, "title": title}), fence.end()

"""The properties that stand before a text, between two lines of dashes."""

import re
from collections.abc import Mapping
from typing import Any

from kismet_build.config import yaml
from kismet_build.model.diagnostic import Related, Report, error, warning
from kismet_build.model.source import Source, Span

FENCED = re.compile(r"---[ \t]*\n(?P<inside>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)

PROPERTY = re.compile(r"^[^\s#\-][^\n]*?:(?:\s|$)|^\s*[{\[]", re.MULTILINE)
"""A line that only properties have; without one the dashes are lines between two subjects."""


def frontmatter(source: Source, report: Report) -> tuple[Mapping[str, Any], int]:
    """The properties of a text, and the offset where the text begins."""
    found = FENCED.match(source.text)
    if found is None or not PROPERTY.search(found["inside"]):
        return {}, 0

    def doubled(key: str, span: Span, first: Span) -> None:
        message = f'the property "{key}" stands here twice, and the first one counts'
        report(warning("duplicate-frontmatter-key", span, message, related=(Related(first, "the first stands here"),)))

    start, end = found.span("inside")
    data = yaml.parse(source, report, "invalid-frontmatter", start, end, doubled=doubled)
    if data is None:
        return {}, found.end()
    if not isinstance(data.value, dict):
        span = source.span(start, end)
        report(error("invalid-frontmatter", span, "these properties have no names", "write them as name: value"))
        return {}, found.end()
    # A title is what stands there: `007` is no number, nor is `1.50` one with a figure too many.
    words = data.words("title")
    return (data.value if words is None else {**data.value, "title": words}), found.end()

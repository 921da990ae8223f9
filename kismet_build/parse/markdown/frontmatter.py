"""Read the YAML frontmatter of a text: properties between two lines of dashes."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kismet_build.config import yaml
from kismet_build.model.diagnostic import Related, Report, error, warning
from kismet_build.model.source import Source, Span
from kismet_build.parse.markdown.yaml_links import hide_links, show_links

FENCED = re.compile(r"---[ \t]*\n(?P<inside>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)

PROPERTY = re.compile(r"^[^\s#\-][^\n]*?:(?:\s|$)|^\s*[{\[]", re.MULTILINE)
"""Matches a line of properties; without such a line the dashes are thematic breaks."""


def frontmatter(source: Source, report: Report, *, wiki_links: bool = False) -> tuple[Mapping[str, Any] | None, int]:
    """The properties of a text, `None` if they cannot be read, and the offset where its body begins.

    `wiki_links`: `[[Name]]` without quotes is a link.
    """
    fence = FENCED.match(source.text)
    if fence is None or not PROPERTY.search(fence["inside"]):
        return {}, 0

    def report_duplicate(key: str, span: Span, first: Span) -> None:
        message = f'the property "{show_links(key)}" stands here twice, and the first one counts'
        related = (Related(in_source(first), "the first stands here"),)
        report(warning("duplicate-frontmatter-key", in_source(span), message, related=related))

    def in_source(span: Span) -> Span:
        return source.span(span.start, span.end)

    start, end = fence.span("inside")
    yaml_source = source
    if wiki_links and "[[" in fence["inside"]:
        yaml_source = Source(source.path, source.text[:start] + hide_links(fence["inside"]) + source.text[end:])
    data = yaml.parse(
        yaml_source,
        lambda problem: report(replace(problem, span=in_source(problem.span))),
        "invalid-frontmatter",
        start,
        end,
        on_duplicate=report_duplicate,
    )
    if data is None:
        return None, fence.end()
    value = data.value if yaml_source is source else show_links(data.value)
    if not isinstance(value, dict):
        span = source.span(start, end)
        report(error("invalid-frontmatter", span, "these properties have no names", "write them as name: value"))
        return None, fence.end()
    # The title is the text as typed, not a YAML number: `007` keeps its zeros, and `1.50` its last digit.
    title = data.scalar_text("title")
    return (value if title is None else {**value, "title": show_links(title)}), fence.end()

"""Read the YAML frontmatter of a text: properties between two lines of dashes."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import yaml as pyyaml

from kismet_build.config import yaml
from kismet_build.model.diagnostic import Related, Report, error, warning
from kismet_build.model.source import Source, Span
from kismet_build.parse.markdown.state import MappedText
from kismet_build.parse.markdown.yaml_links import hide_links, show_links
from kismet_build.parse.markdown.yaml_values import MAX_LEVELS, ValueReader, YamlValue

FENCED = re.compile(r"---[ \t]*\n(?P<inside>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)

PROPERTY = re.compile(r"^[^\s#\-][^\n]*?:(?:\s|$)|^\s*[{\[]", re.MULTILINE)
"""Matches a line of properties; without such a line the dashes are thematic breaks."""

MARKUP = re.compile(r"\[\[|\]\(|`\s*dice\b")
"""Matches a value that may have links or dice codes. All others are words, whatever else is in them."""
NO_VALUES = YamlValue((0, 0))


class Frontmatter(NamedTuple):
    """The properties of a text."""

    data: Mapping[str, Any] | None
    """`None` if they cannot be read."""
    start: int
    """The offset where the body of the text begins."""
    values: YamlValue
    """The properties with links and dice codes. In lists and maps, the texts without any are empty."""


def frontmatter(source: Source, report: Report, *, wiki_links: bool = False) -> Frontmatter:
    """The properties of a text.

    `wiki_links`: `[[Name]]` without quotes is a link.
    """
    fence = FENCED.match(source.text)
    if fence is None or not PROPERTY.search(fence["inside"]):
        return Frontmatter({}, 0, NO_VALUES)

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
        return Frontmatter(None, fence.end(), NO_VALUES)
    value = data.value if yaml_source is source else show_links(data.value)
    if not isinstance(value, dict):
        span = source.span(start, end)
        report(error("invalid-frontmatter", span, "these properties have no names", "write them as name: value"))
        return Frontmatter(None, fence.end(), NO_VALUES)
    # The title is the text as typed, not a YAML number: `007` keeps its zeros, and `1.50` its last digit.
    title = data.scalar_text("title")
    value = value if title is None else {**value, "title": show_links(title)}
    return Frontmatter(value, fence.end(), _values(fence["inside"], start, source.path, data.node))


def _values(text: str, start: int, path: str, node: pyyaml.Node | None) -> YamlValue:
    """The properties with links and dice codes in a YAML text that starts at an offset of the source."""
    if not MARKUP.search(text):
        return NO_VALUES
    reader = ValueReader(MappedText(text, ((0, start),)), Source(path, text), MARKUP)
    value = reader.value(node, MAX_LEVELS)
    return YamlValue(
        value.span, properties=[item for item in value.properties if next(item[2].all_paragraphs(), None) is not None]
    )

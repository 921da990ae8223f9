"""Parse a Markdown text in one of its dialects."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from kismet_build.model.diagnostic import Report, ignore, info
from kismet_build.model.nodes import Document, Link, Paragraph, Property, Text, is_url, plain_text
from kismet_build.model.source import Source
from kismet_build.parse.markdown.blocks import blocks_from_tokens, property_nodes
from kismet_build.parse.markdown.comments import HTML, KRAMDOWN, PERCENT, without_comments
from kismet_build.parse.markdown.dialects import Dialect, parser
from kismet_build.parse.markdown.frontmatter import Frontmatter, frontmatter
from kismet_build.parse.markdown.repairs import ODD_SPACE
from kismet_build.parse.markdown.state import ParseState

ODD_BLANK_LINE = re.compile(rf"^[ \t]*{ODD_SPACE.pattern}(?:{ODD_SPACE.pattern}|[ \t])*$", re.MULTILINE)


def read(
    source: Source, dialect: Dialect, report: Report, overriding: Mapping[str, Any] = MappingProxyType({})
) -> Document:
    """Parse a text.

    `overriding`: options that replace options of the dialect, such as `strict_line_breaks`, which turns a single line
    end into a space.
    """
    options = {**dialect.options, **overriding}
    source, properties = _head(source, report, options)
    has_odd_space = not source.text.isascii() and ODD_SPACE.search(source.text) is not None
    state = ParseState(source, report, options, may_have_odd_space="&" in source.text or has_odd_space)
    state.properties = data = properties.data or {}
    # Each replacement is one character long, to preserve offsets.
    body = source.text[properties.start :].replace("\0", "\ufffd").replace("\r", " ")
    text = re.sub(r"[^\n]", " ", source.text[: properties.start]) + body
    if state.repairs and state.may_have_odd_space:
        text = ODD_BLANK_LINE.sub(lambda line: _blank_line(line, state), text)
    markdown_parser = parser(dialect)
    values = properties.values()
    paragraphs = tuple(values.all_paragraphs())
    if paragraphs:
        markdown_parser.parse_paragraphs(paragraphs, state)
    tokens = markdown_parser.tokens(text, state)
    nodes = property_nodes(values, state) if paragraphs else ()
    return Document(
        source=source,
        dialect=dialect.name,
        blocks=(*blocks_from_tokens(tokens, state), *_redirects(source, data.get(options.get("redirect", "")))),
        metadata=_with_title_in_words(data, nodes),
        has_invalid_metadata=properties.data is None,
        has_repeated_metadata=properties.has_repeated_keys,
        properties=nodes,
    )


def read_properties(source: Source, dialect: Dialect, overriding: Mapping[str, Any]) -> Document:
    """The properties of a text, in a document whose blocks are not read."""
    cut, properties = _head(source, ignore, {**dialect.options, **overriding})
    return Document(
        source=cut,
        dialect=dialect.name,
        blocks=(),
        metadata=properties.data or {},
        has_invalid_metadata=properties.data is None,
        has_repeated_metadata=properties.has_repeated_keys,
    )


def _head(source: Source, report: Report, options: Mapping[str, Any]) -> tuple[Source, Frontmatter]:
    """A text without its comments, and its properties."""
    signs = [
        HTML,
        *([PERCENT] if "comments" in options else ()),
        *([KRAMDOWN] if "kramdown_comments" in options else ()),
    ]
    source = without_comments(source, report, signs)
    return source, frontmatter(
        source,
        report,
        wiki_links="wiki_links" in options,
        json_properties="json_properties" in options,
        plain_properties="plain_properties" in options,
    )


def _redirects(source: Source, targets: Any) -> Iterator[Paragraph]:
    """Links to the places to which the generator would redirect a reader of this page."""
    for target in targets if isinstance(targets, list) else [targets]:
        if isinstance(target, str) and target.strip():
            start = max(source.text.find(target), 0)
            span = source.span(start, start + len(target))
            words = (Text(span, target),)
            link = Link(span=span, target=target, children=words, shows_title=not is_url(target))
            yield Paragraph(span=span, children=(link,))


def _with_title_in_words(data: Mapping[str, Any], nodes: Sequence[Property]) -> Mapping[str, Any]:
    """The properties, with the title in plain words: it is shown in places without Markdown."""
    title = next((node for node in nodes if node.key == "title"), None)
    if title is None or not isinstance(data["title"], str):
        return data
    return {**data, "title": " ".join(plain_text(*title.children).split())}


def _blank_line(line: re.Match[str], state: ParseState) -> str:
    """Replace a line of odd spaces by a line of plain spaces, and report it."""
    span = state.source.span(*line.span())
    state.report(info("odd-space", span, "this line has nothing but odd spaces, so it is read as blank"))
    return " " * len(line[0])

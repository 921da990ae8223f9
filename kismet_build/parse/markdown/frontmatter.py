"""Read the frontmatter of a text: properties in YAML between dashes, in TOML between plus signs, in JSON, or plain."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import yaml as pyyaml

from kismet_build.config import yaml
from kismet_build.model.diagnostic import Related, Report, error, warning
from kismet_build.model.source import Source, Span
from kismet_build.parse.markdown.state import MappedText
from kismet_build.parse.markdown.yaml_values import MAX_LEVELS, ValueReader, YamlValue, hide_links, show_links

FENCED = re.compile(r"---[ \t]*\n(?P<inside>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)

TOML_FENCED = re.compile(r"\+\+\+[ \t]*\n(?P<inside>.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
"""Frontmatter in TOML, as in Hugo."""

TOML_PROPERTY = re.compile(r"^[ \t]*[\w\"'.-]+[ \t]*=", re.MULTILINE)
"""Matches a line of TOML properties. Without such a line, the plus signs are plain text."""

DEEP_TOML_KEY = re.compile(
    rf"""(?<![\w"'-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{yaml.MAX_LEVELS}}}"""
)
"""A key such as `a.b.c` with more than `yaml.MAX_LEVELS` parts. A key with 10,000 parts takes gigabytes."""

JSON_START = re.compile(r"\{\s*\"")
"""The start of frontmatter as a JSON object, as in Hugo."""
JSON_END = re.compile(r"^\}[ \t]*(?:\n|\Z)", re.MULTILINE)
"""The end of frontmatter in JSON, if the JSON cannot be read."""

PLAIN = re.compile(
    r"(?>(?:[ ]{0,3}[A-Za-z0-9_-]++:(?!//)[^\n]*+(?>(?:\n(?:[ ]{4}|\t)[^\n]*+)*)(?:\n|\Z))+)(?:[ \t]*+\n)?"
)
"""Properties without marks around them, as in MultiMarkdown and MkDocs: `name: words`, up to a blank line."""
PLAIN_PROPERTY = re.compile(r"^[ ]{0,3}(?P<key>[\w-]+):(?P<value>[^\n]*(?:\n(?:[ ]{4}|\t)[^\n]*)*)", re.MULTILINE)

TOML_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")
"""The place of an error at the end of a parser message."""

PROPERTY = re.compile(r"^[^\s#\-][^\n]*?:(?:\s|$)|^\s*[{\[]", re.MULTILINE)
"""Matches a line of properties. Without such a line, the dashes are thematic breaks."""

UNCLOSED = re.compile(r"---[ \t]*\n[\w-]+:(?:[ \t]|$)", re.MULTILINE)
"""Matches the start of properties, to find properties that are never closed."""

MARKUP = re.compile(
    r"""
    \[\[ | \]\(                                                       # links
    | `[^`]+`                                                         # code
    | ==(?<!\w==)[^\s=][^=]*==(?!\w)                                  # highlight
    | ~~[^\s~][^~]*~~                                                 # strikethrough
    | \*\*(?<!\w\*\*)[^\s*](?:[^*]|\*(?!\*))*\*\*                    # strong emphasis
    | \*(?<![\w*]\*)[^\s*](?:[^*]*[^\s*])?\*(?!\*)                    # emphasis
    | _(?<!\w_)_{0,2}[^\s_](?:[^_]|_(?=\w)(?<=\w_))*(?<=\S)_{1,3}(?!\w)   # emphasis or strong emphasis
    | \^(?<=\s\^)[A-Za-z][A-Za-z0-9_-]*["']?[ \t]*$                   # block id
    """,
    re.MULTILINE | re.VERBOSE,
)
"""Matches a value that may have Markdown or a block id.

All other values are plain words: `2*3*4`, `snake_case`, `x ^2`.

The search is fast because each alternative begins with a character.
"""
NO_VALUES = YamlValue((0, 0))


class Frontmatter(NamedTuple):
    """The properties of a text."""

    data: Mapping[str, Any] | None
    """The properties as plain data; `None` if they cannot be read."""
    start: int
    """The offset where the body of the text begins."""
    has_repeated_keys: bool = False
    """Whether a key occurs twice; the first value counts."""
    text: str = ""
    """The properties in YAML, as they are written."""
    text_start: int = 0
    """The offset of this text in the source."""
    node: pyyaml.Node | None = None
    """The same, with the places of all values."""

    def values(self) -> YamlValue:
        """The properties that contain Markdown. In lists and maps, strings without Markdown are empty."""
        if not MARKUP.search(self.text):
            return NO_VALUES
        reader = ValueReader(MappedText(self.text, ((0, self.text_start),)), MARKUP)
        value = reader.value(self.node, MAX_LEVELS)
        return YamlValue(
            value.span,
            properties=[item for item in value.properties if next(item[2].all_paragraphs(), None) is not None],
        )


def frontmatter(
    source: Source,
    report: Report,
    *,
    wiki_links: bool = False,
    json_properties: bool = False,
    plain_properties: bool = False,
) -> Frontmatter:
    """The properties of a text.

    `wiki_links`: whether `[[Name]]` without quotes is a link. `json_properties` and `plain_properties`: whether they
    may be in JSON, and in lines without marks around them.
    """
    if json_properties and JSON_START.match(source.text):
        return _json(source, report)
    toml = TOML_FENCED.match(source.text)
    if toml is not None and TOML_PROPERTY.search(toml["inside"]):
        return Frontmatter(_toml(source, toml, report), toml.end())
    fence = FENCED.match(source.text)
    if fence is None and plain_properties and (plain := PLAIN.match(source.text)) is not None:
        found = PLAIN_PROPERTY.finditer(plain[0])
        values = {match["key"].lower(): " ".join(match["value"].split()) for match in found}
        return Frontmatter(values, plain.end())
    if fence is None and UNCLOSED.match(source.text):
        message, hint = "these properties are never closed, so they are shown as text", "add a line --- below them"
        report(warning("invalid-frontmatter", source.span(0, source.text.index("\n")), message, hint))
    if fence is None or not PROPERTY.search(fence["inside"]):
        return Frontmatter({}, 0)

    has_repeated_keys = False

    def report_duplicate(key: str, span: Span, first: Span) -> None:
        nonlocal has_repeated_keys
        has_repeated_keys = True
        message = f'the property "{show_links(key)}" occurs twice; the first one counts'
        related = (Related(in_source(first), "the first one is here"),)
        report(warning("duplicate-frontmatter-key", in_source(span), message, related=related))

    def in_source(span: Span) -> Span:
        return source.span(span.start, span.end)

    start, end = fence.span("inside")
    yaml_source = source
    if wiki_links and "[[" in fence["inside"]:
        yaml_source = Source(source.path, source.text[:start] + hide_links(fence["inside"]) + source.text[end:])
    data = yaml.parse(
        yaml_source,
        lambda problem: report(
            replace(
                problem,
                span=in_source(problem.span),
                message=show_links(problem.message),
                hint=show_links(problem.hint),
            )
        ),
        "invalid-frontmatter",
        start,
        end,
        on_duplicate=report_duplicate,
    )
    if data is None:
        return Frontmatter(None, fence.end())
    value = data.value if yaml_source is source else show_links(data.value)
    if not isinstance(value, dict):
        span = source.span(start, end)
        report(error("invalid-frontmatter", span, "these properties have no names", "write them as name: value"))
        return Frontmatter(None, fence.end())
    # The title is the text as written, not a YAML number: `007` keeps its zeros, and `1.50` its last digit.
    title = data.scalar_text("title")
    value = value if title is None else {**value, "title": show_links(title)}
    return Frontmatter(value, fence.end(), has_repeated_keys, fence["inside"], start, data.node)


def _toml(source: Source, fence: re.Match[str], report: Report) -> Mapping[str, Any] | None:
    """The properties in TOML, with the same types and limits as in YAML; `None` if they cannot be read."""
    import tomllib  # imported when needed, because few texts have TOML

    start, end = fence.span("inside")
    span = source.span(start, end)
    if (key := DEEP_TOML_KEY.search(fence["inside"])) is not None:
        deep = source.span(start + key.start(), start + key.end())
        message = f"this is not valid TOML: a key has more than {yaml.MAX_LEVELS} parts"
        report(error("invalid-frontmatter", deep, message))
        return None
    try:
        text = json.dumps(tomllib.loads(fence["inside"]), ensure_ascii=False, default=str)
    except (ValueError, RecursionError) as problem:
        words = str(problem)
        if (place := TOML_PLACE.search(words)) is not None:
            # The properties begin on the second line of the text.
            offset = min(source.line_starts[int(place[1])] + int(place[2]) - 1, end)
            words, span = words[: place.start()], source.span(offset, offset)
        report(error("invalid-frontmatter", span, f"this is not valid TOML: {words}"))
        return None
    return _from_json(source, text, span, report)


def _json(source: Source, report: Report) -> Frontmatter:
    try:
        _, end = json.JSONDecoder(strict=False).raw_decode(source.text)
    except (ValueError, RecursionError) as problem:
        closing = JSON_END.search(source.text)
        end = closing.end() if closing else 0
        report(error("invalid-frontmatter", source.span(0, end), f"this is not valid JSON: {problem}"))
        return Frontmatter(None, end)
    return Frontmatter(_from_json(source, source.text[:end], source.span(0, end), report), end)


def _from_json(source: Source, text: str, span: Span, report: Report) -> Mapping[str, Any] | None:
    """The properties in a JSON text, with the same types and limits as in YAML; `None` if they cannot be read."""
    # Read as YAML, of which JSON is a subset: dates become strings, and the same depth limit applies.
    data = yaml.parse(
        Source(source.path, text), lambda problem: report(replace(problem, span=span)), "invalid-frontmatter"
    )
    return None if data is None else data.value

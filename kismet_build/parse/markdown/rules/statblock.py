"""Statblocks: code blocks with the info string `statblock`, whose content is YAML (Obsidian's Fantasy Statblocks)."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import yaml as pyyaml
from markdown_it.token import Token

from kismet_build.config import yaml
from kismet_build.model.diagnostic import Diagnostic, Severity, warning
from kismet_build.model.source import Source, Span
from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.state import CellParagraph, MappedText, ParseState
from kismet_build.parse.markdown.yaml_links import hide_links, show_links

MAX_LEVELS = 12
"""Levels of lists and maps inside each other; deeper values are shown as their YAML."""

KEYS = {
    use: frozenset(keys.split())
    for use, _, keys in (
        line.partition(":") for line in Path(__file__).with_name("statblock_keys.txt").read_text("utf-8").splitlines()
    )
}
OPTIONS = KEYS["options"]
"""Keys in lower case that tell the plugin what to do. They are no properties."""
EXTENDS_KEYS = KEYS["extends"]
"""Keys whose value is the name of another statblock, or several, whose properties this one takes."""

BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")
ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)


@dataclass(slots=True)
class StatblockValue:
    """A value of a statblock: a scalar, a list or a map."""

    span: tuple[int, int]
    paragraphs: Sequence[CellParagraph] = ()
    """The text of a scalar."""
    items: "Sequence[StatblockValue]" = ()
    properties: "Sequence[tuple[str, tuple[int, int], StatblockValue]]" = ()
    """Key, span of key and value, and value."""

    def all_paragraphs(self) -> Iterator[CellParagraph]:
        """The paragraphs of the value and of all values in it."""
        yield from self.paragraphs
        for value in (*self.items, *(value for _, _, value in self.properties)):
            yield from value.all_paragraphs()


def statblock(parser: Parser) -> None:
    """Add the rule."""
    parser.transforms.append(_read_statblocks)


def _read_statblocks(tokens: list[Token], state: ParseState) -> None:
    """Turn the code blocks that are statblocks into tokens with their values; a broken one stays a code block."""
    for token in tokens:
        if token.type == "fence" and token.info.split()[:1] == ["statblock"]:
            value = _Reader(token, state).read()
            if value is not None:
                token.type, token.meta["statblock"] = "statblock", value


class _Reader:
    """Reads the YAML of one code block. Positions in its content are mapped to offsets in the source."""

    def __init__(self, token: Token, state: ParseState) -> None:
        self.state = state
        self.content = _content(token, state.source)
        self.lines = [line for line, _ in self.content.segments]
        self.yaml_source = Source(state.source.path, hide_links(token.content))
        self.span = state.source.span(*token.meta["span"])

    def read(self) -> StatblockValue | None:
        """The map of its properties; `None` after a report."""
        data = yaml.parse(self.yaml_source, self.report, "invalid-statblock", on_duplicate=self.report_duplicate)
        if data is None:
            return None
        if not isinstance(data.value, dict) or not data.value:
            first = self.state.source.span(self.span.start, self.span.start + len(self.span.text.split("\n", 1)[0]))
            message = "this statblock has no properties, and is shown as it is written"
            self.state.report(warning("invalid-statblock", first, message, "write them as name: value"))
            return None
        return self.value(data.node, MAX_LEVELS)

    def report(self, diagnostic: Diagnostic) -> None:
        """Report what the YAML parser found: a broken statblock costs the statblock only."""
        span = self.source_span(diagnostic.span.start, diagnostic.span.end)
        message = f"{diagnostic.message}; the statblock is shown as it is written"
        self.state.report(replace(diagnostic, severity=Severity.WARNING, span=span, message=message))

    def report_duplicate(self, key: str, span: Span, _first: Span) -> None:
        """Report a key that occurs twice."""
        message = f'the key "{show_links(key)}" stands here twice, and the first one counts'
        self.state.report(warning("invalid-statblock", self.source_span(span.start, span.end), message))

    def source_span(self, start: int, end: int) -> Span:
        """The span in the source of a range of the content."""
        return self.state.source.span(*self.content.source_range(start, end))

    def offset(self, mark: pyyaml.Mark) -> int:
        """The position in the content of a mark of the YAML parser."""
        starts = self.yaml_source.line_starts
        line = min(mark.line, len(starts) - 1)
        return min(starts[line] + mark.column, len(self.content.text))

    def value(self, node: pyyaml.Node | None, levels: int) -> StatblockValue:
        """The value of a YAML node."""
        assert node is not None
        start, end = self.offset(node.start_mark), self.offset(node.end_mark)
        end = start + len(self.content.text[start:end].rstrip())
        span = self.content.source_range(start, end)
        if isinstance(node, pyyaml.SequenceNode) and levels:
            return StatblockValue(span, items=tuple(self.value(item, levels - 1) for item in node.value))
        if isinstance(node, pyyaml.MappingNode) and levels:
            properties: dict[str, tuple[str, tuple[int, int], StatblockValue]] = {}
            for key_node, value_node in node.value:
                name = show_links(key_node.value)
                if name not in properties:
                    value = self.value(value_node, levels - 1)
                    first = self.content.source_offset(self.offset(key_node.start_mark))
                    properties[name] = name, (first, max(first, value.span[1])), value
            return StatblockValue(span, properties=tuple(properties.values()))
        if not isinstance(node, pyyaml.ScalarNode):
            text = self.content.text[start:end]
            return StatblockValue(span, tuple(_paragraphs(self.mapped(text, start, end, None))))
        if node.tag.endswith(":null"):
            return StatblockValue(span)
        text = show_links(node.value)
        return StatblockValue(span, tuple(_paragraphs(self.mapped(text, start, end, node.style))))

    def mapped(self, text: str, start: int, end: int, style: str | None) -> MappedText:
        """The text of a scalar, which is written in this range of the content, mapped to the source."""
        raw = self.content.text
        if style in ("'", '"'):
            start, end = start + 1, end - 1
        elif style in ("|", ">"):
            start = raw.find("\n", start, end) + 1 or end
            start += len(raw[start:end]) - len(raw[start:end].lstrip())
        if raw.startswith(text, start) and start + len(text) <= end:
            positions: list[tuple[int, int]] = [(0, start)]
        else:
            positions = list(_aligned(text, raw, start, end, style))
        segments: list[tuple[int, int]] = []
        for index, (position, place) in enumerate(positions):
            segments.append((position, self.content.source_offset(place)))
            after = place + (positions[index + 1][0] if index + 1 < len(positions) else len(text)) - position
            # Each line of the source may have an indent that is not part of the content.
            for number in range(bisect_right(self.lines, place), bisect_right(self.lines, after - 1)):
                line, offset = self.content.segments[number]
                segments.append((position + line - place, offset))
        return MappedText(text, tuple(segments))


def _content(token: Token, source: Source) -> MappedText:
    """The content of a code block: each of its lines is the end of a source line."""
    assert token.map is not None
    segments = []
    position = 0
    for number, line in enumerate(token.content.split("\n")[:-1] or [""], token.map[0] + 1):
        end = source.line_starts[number] + len(source.line(number + 1))
        segments.append((position, max(end - len(line), 0)))
        position += len(line) + 1
    return MappedText(token.content, tuple(segments))


def _aligned(text: str, raw: str, start: int, end: int, style: str | None) -> Iterator[tuple[int, int]]:
    """The parts of the text of a scalar that stand as they are in the YAML: position in the text, position in it."""
    place = start
    expected = -1
    for position, character in enumerate(text):
        if place >= end:
            break
        if raw[place].isspace() and not character.isspace():
            place += len(raw[place:end]) - len(raw[place:end].lstrip())
        if place != expected:
            yield position, place
        length = 1
        if raw[place : place + 1] == "\\" and style == '"':
            escape = ESCAPE.match(raw, place, end)
            length = len(escape[0]) if escape else 1
        elif style == "'" and raw.startswith("''", place):
            length = 2
        elif character.isspace() and not raw[place : place + 1].isspace():
            length = 0
        place, expected = place + length, place + 1


def _paragraphs(text: MappedText) -> Iterator[CellParagraph]:
    """The paragraphs of a text, which blank lines separate, without leading and trailing white space."""
    start = 0
    for end, after in [*(blank.span() for blank in BLANK_LINES.finditer(text.text)), (len(text.text),) * 2]:
        part = text.text[start:end]
        first = start + len(part) - len(part.lstrip())
        if bare := part.strip():
            tail = text.tail(first)
            content = MappedText(bare, tuple(segment for segment in tail.segments if segment[0] < len(bare)))
            yield CellParagraph(content.source_range(0, len(bare)), content)
        start = after

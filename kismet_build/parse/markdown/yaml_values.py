"""YAML values that contain Markdown, in statblocks and properties, with the place of each character."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from kismet_build.parse.markdown.state import CellParagraph, MappedText

# --- wikilinks, which YAML would read as lists

WIKI_LINK = re.compile(r"\[\[(?=[^\[\]\n]*[^\W\d])[^\[\]\n]+\]\]")
"""A wiki link. A nested list of numbers is not a link."""
HIDDEN = str.maketrans("[]:#", "\ue000\ue001\ue002\ue003")
SHOWN = str.maketrans("\ue000\ue001\ue002\ue003", "[]:#")
"""Characters in wiki links that have a meaning in YAML, and their substitutes during parsing."""


def hide_links(text: str) -> str:
    """The YAML with substitutes for the special characters in wiki links. The length of the YAML is unchanged."""
    return WIKI_LINK.sub(lambda link: link[0].translate(HIDDEN), text) if "[[" in text else text


def show_links(value: Any) -> Any:
    """A value read from YAML with hidden links, with the links restored."""
    match value:
        case str():
            return value.translate(SHOWN)
        case dict():
            return {show_links(key): show_links(item) for key, item in value.items()}
        case list():
            return [show_links(item) for item in value]
        case _:
            return value


# --- values

MAX_LEVELS = 12
"""Maximum depth of nested lists and maps. Deeper values are shown as YAML."""

BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")
ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)


@dataclass(slots=True)
class YamlValue:
    """A YAML value: a scalar, a list or a map."""

    span: tuple[int, int]
    paragraphs: Sequence[CellParagraph] = ()
    """The paragraphs of a scalar."""
    items: "Sequence[YamlValue]" = ()
    properties: "Sequence[tuple[str, tuple[int, int], YamlValue]]" = ()
    """The properties of a map: for each, the key, the range of key and value, and the value."""

    def all_paragraphs(self) -> Iterator[CellParagraph]:
        """The paragraphs of the value and of all values inside it."""
        yield from self.paragraphs
        for value in (*self.items, *(value for _, _, value in self.properties)):
            yield from value.all_paragraphs()


class ValueReader:
    """Makes values from YAML nodes, with positions mapped to offsets in the source."""

    def __init__(self, content: MappedText, signs: re.Pattern[str] | None = None) -> None:
        """`signs`: a pattern. Strings without a match are left out."""
        self.content = content
        self.signs = signs
        self.lines = [line for line, _ in content.segments]

    def offset(self, mark: yaml.Mark) -> int:
        return min(int(mark.index), len(self.content.text))

    def value(self, node: yaml.Node | None, levels: int) -> YamlValue:
        assert node is not None
        start, end = self.offset(node.start_mark), self.offset(node.end_mark)
        end = start + len(self.content.text[start:end].rstrip())
        span = self.content.source_range(start, end)
        if isinstance(node, yaml.SequenceNode) and levels:
            return YamlValue(span, items=tuple(self.value(item, levels - 1) for item in node.value))
        if isinstance(node, yaml.MappingNode) and levels:
            properties: dict[str, tuple[str, tuple[int, int], YamlValue]] = {}
            for key_node, value_node in node.value:
                name = show_links(key_node.value)
                if name not in properties:
                    value = self.value(value_node, levels - 1)
                    first = self.content.source_offset(self.offset(key_node.start_mark))
                    properties[name] = name, (first, max(first, value.span[1])), value
            return YamlValue(span, properties=tuple(properties.values()))
        if not isinstance(node, yaml.ScalarNode):
            return YamlValue(span, self.paragraphs(self.content.text[start:end], start, end, None))
        if node.tag.endswith(":null"):
            return YamlValue(span)
        return YamlValue(span, self.paragraphs(show_links(node.value), start, end, node.style))

    def paragraphs(self, text: str, start: int, end: int, style: str | None) -> Sequence[CellParagraph]:
        """The paragraphs of a scalar written in this range of the content; empty if it has no signs."""
        if self.signs is not None and not self.signs.search(text):
            return ()
        return tuple(_paragraphs(self.mapped(text, start, end, style)))

    def mapped(self, text: str, start: int, end: int, style: str | None) -> MappedText:
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
            # Each source line may have an indent that is not part of the content.
            for number in range(bisect_right(self.lines, place), bisect_right(self.lines, after - 1)):
                line, offset = self.content.segments[number]
                segments.append((position + line - place, offset))
        return MappedText(text, tuple(segments))


def _aligned(text: str, raw: str, start: int, end: int, style: str | None) -> Iterator[tuple[int, int]]:
    """The parts of a scalar's text that are unchanged in the YAML, as positions in the text and in the YAML."""
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
    """The paragraphs of a text, which are separated by blank lines, without leading and trailing white space."""
    start = 0
    for end, after in [*(blank.span() for blank in BLANK_LINES.finditer(text.text)), (len(text.text),) * 2]:
        part = text.text[start:end]
        first = start + len(part) - len(part.lstrip())
        if bare := part.strip():
            tail = text.tail(first)
            content = MappedText(bare, tuple(segment for segment in tail.segments if segment[0] < len(bare)))
            yield CellParagraph(content.source_range(0, len(bare)), content)
        start = after

"""Parse lists: bullets, numbers, callout numbers, and terms with definitions."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from kismet_build.extensions.asciidoc.attributes import Attributes
from kismet_build.extensions.asciidoc.block_attributes import add_bracketed, bracketed_paragraph
from kismet_build.extensions.asciidoc.inlines import parse_inlines
from kismet_build.extensions.asciidoc.lines import Cursor, Line, joined
from kismet_build.extensions.asciidoc.patterns import ADMONITIONS, ATTRIBUTES, DELIMITER, is_comment
from kismet_build.extensions.asciidoc.state import MAX_NESTING, ParseState
from kismet_build.model import nodes
from kismet_build.model.nodes import plain_text

BULLET = re.compile(r"[ \t]*(-|\*+|•)[ \t]+(\S.*)")
NUMBER = re.compile(r"[ \t]*(\.+|\d+\.|[a-zA-Z]\.|[IVXivx]+\))[ \t]+(\S.*)")
NOTED = re.compile(r"(<(?:\d+|\.)>)[ \t]+(\S.*)")
TERM = re.compile(r"(?!//[^/])[ \t]*(\S.*?)(?<!:)(:{2,4}|;;)(?:$|[ \t]+(.*)$)")
CHECKBOXES = {"[ ] ": " ", "[x] ": "x", "[*] ": "x"}
ORDERED = (("1.", re.compile(r"\d+\.")), ("a.", re.compile(r"[a-z]\.")), ("A.", re.compile(r"[A-Z]\.")))
ROMAN = (("i)", re.compile(r"[ivx]+\)")), ("I)", re.compile(r"[IVX]+\)")))
MAX_TERM_LENGTH = 60
"""Maximum length of a list term in characters. Longer text before a colon in a paragraph is prose."""

ListKey = tuple[str, str]
"""Kind and style of a list's markers."""

ParseNextBlock = Callable[[Cursor, ParseState, str], list[nodes.Block]]
"""Parses the next block at a cursor. The last argument is the context of the block, `list`."""


class ItemMarker(NamedTuple):
    """The marker of a list item."""

    kind: str
    """`bullet`, `number`, `noted` (callout number) or `term`."""
    style: str
    """The marker text shared by all items of a list."""
    text_start: int
    """The position of the item's text in the line."""
    term_range: tuple[int, int] = (0, 0)
    """The range of the term in the line."""

    @property
    def key(self) -> ListKey:
        """The key that distinguishes an item's list from the lists around it."""
        return self.kind, self.style


def item_marker(text: str) -> ItemMarker | None:
    """The marker of a line; `None` if the line is not a list item."""
    if (match := BULLET.fullmatch(text)) is not None:
        return ItemMarker("bullet", match[1], match.start(2))
    if (match := NUMBER.fullmatch(text)) is not None:
        return ItemMarker("number", _number_style(match[1]), match.start(2))
    if (match := NOTED.fullmatch(text)) is not None:
        return ItemMarker("noted", "<>", match.start(2))
    if ("::" in text or ";;" in text) and (match := TERM.fullmatch(text)) is not None:
        text_start = match.start(3) if match[3] is not None else len(text)
        return ItemMarker("term", match[2], text_start, match.span(1))
    return None


def is_item(text: str) -> bool:
    """Whether a line is a list item."""
    return item_marker(text) is not None


def unseparated_list(lines: Sequence[Line]) -> int | None:
    """The index of the line in a paragraph where an intended list begins, or `None`."""
    markers = [item_marker(line.text) if index else None for index, line in enumerate(lines)]
    for index, marker in enumerate(markers):
        if marker is None:
            continue
        follows_colon = lines[index - 1].text.endswith(":")
        next_marker = markers[index + 1] if index + 1 < len(markers) else None
        is_repeated = next_marker is not None and next_marker.key == marker.key
        if marker.kind == "term":
            is_list = marker.term_range[1] - marker.term_range[0] <= MAX_TERM_LENGTH
        else:
            # A wrapped line may begin with a dash or a number, but not with an asterisk.
            is_list = (
                marker.style.startswith("*") or follows_colon or (is_repeated and marker.style not in ("a.", "A."))
            )
        if is_list:
            return index
    return None


def read_list(
    cursor: Cursor, name: str, attributes: Attributes, state: ParseState, parse_next_block: ParseNextBlock
) -> list[nodes.Block]:
    """The list at the cursor. A callout written as a term stays a callout."""
    return _Lists(cursor, state, parse_next_block).read((), name, attributes)


class _Lists:
    """Parses a list and the lists nested in it."""

    def __init__(self, cursor: Cursor, state: ParseState, parse_next_block: ParseNextBlock) -> None:
        self.cursor = cursor
        self.state = state
        self.parse_next_block = parse_next_block

    def read(self, outer: tuple[ListKey, ...], name: str, attributes: Attributes) -> list[nodes.Block]:
        """Parse one list. `outer`: the keys of the lists around it."""
        marker = item_marker(self.cursor.text or "")
        assert marker is not None
        keys = (*outer, marker.key)
        first_line = self.cursor.position
        items: list[nodes.ListItem] = []
        terms: list[nodes.DefinitionItem | nodes.Callout] = []
        next_marker: ItemMarker | None = marker
        while next_marker is not None:
            if marker.kind == "term":
                terms.append(self.term(next_marker, keys))
            else:
                items.append(self.item(next_marker, keys))
            position = self.cursor.position
            self.cursor.skip_blank()
            next_marker = item_marker(self.cursor.text or "")
            if next_marker is not None and next_marker.key != marker.key:
                is_too_deep = len(keys) >= MAX_NESTING and next_marker.key not in outer
                has_terms = "term" in (marker.kind, next_marker.kind)
                next_marker = next_marker if is_too_deep and not has_terms else None
            if next_marker is None:
                self.cursor.position = position
        if terms:
            return _definitions(terms, name)
        span = self.state.source.span(items[0].span.start, items[-1].span.end)
        tight = not any(sum(isinstance(child, nodes.Paragraph) for child in item.children) > 1 for item in items)
        start = _start(marker, self.cursor.lines[first_line].text, attributes)
        return [nodes.List(span=span, items=tuple(items), start=start, tight=tight, block_id=name)]

    def item(self, marker: ItemMarker, keys: tuple[ListKey, ...]) -> nodes.ListItem:
        line = self.cursor.next_line()
        line_text = line.without_prefix(marker.text_start)
        checked = CHECKBOXES.get(line_text.text[:4]) if marker.kind == "bullet" else None
        lines = [line_text.without_prefix(4) if checked is not None else line_text, *self.continuation_lines()]
        children, block_id = self.paragraph(lines)
        children += self.attached(keys, children)
        span = self.state.source.span(line.text_start, max([line.end, *(child.span.end for child in children)]))
        return nodes.ListItem(span=span, children=tuple(children), checked=checked, block_id=block_id)

    def term(self, marker: ItemMarker, keys: tuple[ListKey, ...]) -> nodes.DefinitionItem | nodes.Callout:
        line = self.cursor.next_line()
        term_start, term_end = marker.term_range
        term_line = line.without_prefix(term_start)
        typed_term = Line(term_line.text[: term_end - term_start], term_line.start)
        term = parse_inlines(joined(self.state.source, (typed_term,)), self.state)
        block_id = term.ids[0] if term.ids else ""
        if block_id and typed_term.text.startswith("[["):
            self.state.link_texts[block_id] = self.state.link_texts[block_id] or plain_text(*term.inlines)
        for anchor in term.ids[1:]:
            self.state.id_aliases.setdefault(anchor, block_id)
        lines = [line.without_prefix(marker.text_start)] if marker.text_start < len(line.text) else []
        lines += self.continuation_lines()
        children, inner_id = self.paragraph(lines)
        if inner_id and block_id:
            self.state.id_aliases.setdefault(inner_id, block_id)
        children += self.attached(keys, children)
        span = self.state.source.span(line.text_start, max([line.end, *(child.span.end for child in children)]))
        if (kind := plain_text(*term.inlines)) in ADMONITIONS:
            return nodes.Callout(
                span=span, kind=kind.lower(), title=(), children=tuple(children), block_id=block_id or inner_id
            )
        return nodes.DefinitionItem(
            span=span, term=term.inlines, children=tuple(children), block_id=block_id or inner_id
        )

    def continuation_lines(self) -> list[Line]:
        lines: list[Line] = []
        while text := self.cursor.text:
            if text == "+" or is_item(text) or any(pattern.fullmatch(text) for pattern in (DELIMITER, ATTRIBUTES)):
                break
            line = self.cursor.next_line()
            if not is_comment(text):
                lines.append(line.without_prefix(line.indent))
        return lines

    def paragraph(self, lines: list[Line]) -> tuple[list[nodes.Block], str]:
        """The text of an item as a paragraph, and the first id in it."""
        if not lines:
            return [], ""
        parsed = parse_inlines(joined(self.state.source, lines), self.state)
        if not parsed.inlines:
            return [], parsed.ids[0] if parsed.ids else ""
        block_id, *anchors = parsed.ids or ("",)
        for anchor in anchors:
            self.state.id_aliases.setdefault(anchor, block_id)
        span = self.state.source.span(lines[0].start, lines[-1].end)
        return [nodes.Paragraph(span=span, children=parsed.inlines)], block_id

    def attached(self, keys: tuple[ListKey, ...], children: list[nodes.Block]) -> list[nodes.Block]:
        """The nested lists and other blocks attached to an item."""
        blocks: list[nodes.Block] = []
        cursor = self.cursor
        while True:
            position = cursor.position
            blank_lines = cursor.skip_blank()
            text = cursor.text
            marker = item_marker(text) if text else None
            if text is None:
                pass
            elif text == "+":
                if blank_lines and len(keys) > 1:
                    cursor.position = position + 1  # after a blank line, a plus attaches the block to the parent list
                    return blocks
                cursor.next_line()
                cursor.skip_blank()
                next_marker = item_marker(cursor.text or "")
                if next_marker is None or next_marker.key not in keys:
                    blocks += self.parse_next_block(cursor, self.state, "list")
                continue
            elif marker is not None:
                if marker.key not in keys and len(keys) < MAX_NESTING:
                    blocks += self.read((*keys,), "", Attributes())
                    continue
            elif not blank_lines and ATTRIBUTES.fullmatch(text):
                if self.has_nested_list(keys):
                    blocks += self.nested_list(keys)
                    continue
            elif DELIMITER.fullmatch(text) or is_comment(text):
                pass
            elif keys[-1][0] == "term" and not children and not blocks:
                lines = self.continuation_lines()
                paragraph, block_id = self.paragraph(lines)
                if block_id:
                    self.state.id_aliases.setdefault(block_id, block_id)
                blocks += paragraph
                if paragraph:
                    continue
            elif (blank_lines and text[0] in " \t") or (not blank_lines and blocks):
                blocks += self.parse_next_block(cursor, self.state, "list")
                continue
            cursor.position = position
            return blocks

    def has_nested_list(self, keys: tuple[ListKey, ...]) -> bool:
        number = self.cursor.position
        while number < self.cursor.end and ATTRIBUTES.fullmatch(self.cursor.lines[number].text):
            number += 1
        marker = item_marker(self.cursor.lines[number].text) if number < self.cursor.end else None
        return marker is not None and marker.key not in keys and len(keys) < MAX_NESTING

    def nested_list(self, keys: tuple[ListKey, ...]) -> list[nodes.Block]:
        attributes = Attributes()
        words: list[nodes.Block] = []
        while (match := ATTRIBUTES.fullmatch(self.cursor.text or "")) is not None:
            line = self.cursor.next_line()
            if not add_bracketed(attributes, match, line, self.state):
                words.append(bracketed_paragraph(line, self.state))
        if attributes.id:
            line = self.cursor.lines[self.cursor.position]
            self.state.define_id(attributes.id, attributes.reftext, self.state.source.span(line.text_start, line.end))
        return [*words, *self.read(keys, attributes.id, attributes)]


def _number_style(marker: str) -> str:
    """The number style of a marker. All items of a list have the same style."""
    return next((name for name, pattern in (*ORDERED, *ROMAN) if pattern.fullmatch(marker)), marker)


def _start(marker: ItemMarker, text: str, attributes: Attributes) -> int | None:
    if marker.kind == "bullet":
        return None
    start = attributes.named.get("start", "")
    typed_number = re.match(r"\s*(\d+)\.", text)
    number = start if start.isdecimal() else typed_number[1] if typed_number else "1"
    return int(number[:9])


def _definitions(items: Sequence[nodes.DefinitionItem | nodes.Callout], block_id: str) -> list[nodes.Block]:
    """Definition lists, split at callouts written as terms."""
    lists: list[nodes.Block] = []
    terms: list[nodes.DefinitionItem] = []

    def close() -> None:
        nonlocal block_id
        if terms:
            span = terms[0].span.source.span(terms[0].span.start, terms[-1].span.end)
            lists.append(nodes.DefinitionList(span=span, items=tuple(terms), block_id=block_id))
            terms.clear()
            block_id = ""

    for item in items:
        if isinstance(item, nodes.Callout):
            close()
            lists.append(item)
        else:
            terms.append(item)
    close()
    return lists

"""Turn the lines of a text into blocks."""

import re

from kismet_build.model.nodes import (
    Block,
    BlockQuote,
    Callout,
    CodeBlock,
    Div,
    Paragraph,
    RawBlock,
    Table,
    Text,
    ThematicBreak,
)
from kismet_build.parse.asciidoc.attributes import Attributes, substituted
from kismet_build.parse.asciidoc.block_attributes import above, begin, inside, name_of, title_of, titled
from kismet_build.parse.asciidoc.headings import read_heading
from kismet_build.parse.asciidoc.lines import Cursor, Line, passage
from kismet_build.parse.asciidoc.lists import is_item, read_list
from kismet_build.parse.asciidoc.macros import image
from kismet_build.parse.asciidoc.paragraphs import (
    STYLED,
    VERBATIM,
    language,
    read_callout,
    read_literal,
    read_paragraph,
    read_styled,
    said_by,
    tell_formula,
    verse,
)
from kismet_build.parse.asciidoc.patterns import (
    ADMONITION,
    ADMONITIONS,
    BREAK,
    DELIMITER,
    DIRECTIVE,
    MACRO,
    PAGE_BREAK,
)
from kismet_build.parse.asciidoc.state import DEEPEST, ParseState
from kismet_build.parse.asciidoc.tables import is_table, read_table

AROUND = {"=": "example", "*": "sidebar", "_": "quote", "--": "open"}
"""What a delimiter makes of the blocks between two of it, where no style says otherwise."""


def blocks(cursor: Cursor, state: ParseState, place: str) -> tuple[Block, ...]:
    """All blocks that are left; `place` is `top`, `inside` another block, or a `list`."""
    found: list[Block] = []
    while cursor.at < cursor.end:
        found += next_blocks(cursor, state, place)
    return tuple(found)


def next_blocks(cursor: Cursor, state: ParseState, place: str) -> list[Block]:
    """The next block, and what belongs to it but stands beside it, such as its title; nothing at the end."""
    attributes, before = above(cursor, state)
    if cursor.text is None:
        return [*before, *titled(attributes, state)]
    return [*before, *_block(cursor, attributes, state, place)]


def _block(cursor: Cursor, attributes: Attributes, state: ParseState, place: str) -> list[Block]:
    line = cursor.lines[cursor.at]
    text, style = line.text, attributes.style
    if DELIMITER.fullmatch(text):
        return (_table if is_table(text) else _delimited)(cursor, attributes, state)
    if DIRECTIVE.fullmatch(text):
        return _unknown(cursor, text.partition("::")[0] + "::", attributes, state)
    if (heading := read_heading(cursor, attributes, state, place == "top")) is not None:
        return [heading]
    if style in STYLED:
        return read_styled(cursor, attributes, state, place == "list")
    if style in ADMONITIONS:
        return read_callout(style, cursor, attributes, state, place == "list")
    if BREAK.fullmatch(text) or PAGE_BREAK.fullmatch(text):
        cursor.line()
        return [ThematicBreak(state.source.span(line.start, line.end))] if text[0] != "<" else []
    if (macro := MACRO.fullmatch(text)) is not None:
        return _macro(cursor, macro, attributes, state)
    if is_item(text) and style != "normal":
        return _list(cursor, attributes, state)
    if text[0] in " \t" and style != "normal":
        return read_literal(cursor, attributes, state, place == "list")
    if style != "normal" and (admonition := ADMONITION.match(text)) is not None:
        return read_callout(admonition[1], cursor, attributes, state, place == "list")
    found = read_paragraph(cursor, attributes, state, place == "list")
    # A list that is glued to a paragraph is the only thing that can follow it like this.
    if place != "list" and cursor.text and is_item(cursor.text):
        found += _list(cursor, Attributes(), state)
    return found


def _list(cursor: Cursor, attributes: Attributes, state: ParseState) -> list[Block]:
    if state.depth >= DEEPEST:
        return read_literal(cursor, attributes, state, in_list=False)
    before, name = titled(attributes, state), name_of(attributes, state)
    state.depth += 1
    found = read_list(cursor, name, attributes, state, next_blocks)
    state.depth -= 1
    return [*before, *found]


def _table(cursor: Cursor, attributes: Attributes, state: ParseState) -> list[Block]:
    """A table; its title stands in it."""
    opening = cursor.line()
    held = inside(cursor, opening, state)
    last = cursor.lines[cursor.at - 1]
    if state.depth >= DEEPEST:
        return [_verbatim(opening, held, last, attributes, state)]
    span = state.source.span(begin(attributes, opening), last.end)
    caption, name = title_of(attributes, state), name_of(attributes, state)
    state.depth += 1
    found = read_table(held, opening, attributes, state, blocks)
    state.depth -= 1
    if found is None:
        return titled(attributes, state)
    header, rows, alignments = found
    return [Table(span=span, header=header, rows=rows, alignments=alignments, caption=caption, block_id=name)]


def _delimited(cursor: Cursor, attributes: Attributes, state: ParseState) -> list[Block]:
    """A block between two lines of signs."""
    opening = cursor.line()
    held = inside(cursor, opening, state)
    last = cursor.lines[cursor.at - 1]
    span = state.source.span(opening.start, last.end)
    sign = "--" if opening.text == "--" else opening.text[0]
    style = attributes.style
    if sign == "/" or style == "comment":
        return []
    if sign == "+" or style == "pass":
        return [*titled(attributes, state), RawBlock(span, "html", _text(held))]
    if style == "verse":
        return [*titled(attributes, state), verse(span, held.lines[held.at : held.end], attributes, state)]
    tell_formula(span, style, state)
    if sign not in AROUND or style in VERBATIM or state.depth >= DEEPEST:
        return [*titled(attributes, state), _verbatim(opening, held, last, attributes, state)]
    if style in ADMONITIONS:
        title, span = title_of(attributes, state), state.source.span(begin(attributes, opening), last.end)
        name, children = name_of(attributes, state), _children(held, state)
        return [Callout(span=span, kind=style.lower(), title=title, children=children, block_id=name)]
    before, name = titled(attributes, state), name_of(attributes, state)
    around = style if style in STYLED else AROUND[sign]
    children = _children(held, state)
    if around == "quote":
        return [*before, BlockQuote(span=span, children=(*children, *said_by(attributes, span)), block_id=name)]
    return [*before, Div(span=span, name=around, children=children, block_id=name)]


def _children(held: Cursor, state: ParseState) -> tuple[Block, ...]:
    state.depth += 1
    found = blocks(held, state, "inside")
    state.depth -= 1
    return found


def _verbatim(opening: Line, held: Cursor, last: Line, attributes: Attributes, state: ParseState) -> CodeBlock:
    """Lines that are kept as they are."""
    span = state.source.span(opening.start, last.end)
    info = language(attributes) or (opening.text.lstrip("`~") if opening.text[0] in "`~" else "")
    return CodeBlock(span=span, text=_text(held), info=info, block_id=name_of(attributes, state))


def _macro(cursor: Cursor, found: re.Match[str], attributes: Attributes, state: ParseState) -> list[Block]:
    """`image::target[...]` and others that have a line of their own."""
    if found[1] == "toc":
        cursor.line()
        return []
    if found[1] != "image" or not found[2]:
        return _unknown(cursor, f"{found[1]}::", attributes, state)
    line = cursor.line()
    picture = image(passage(state.source, (line,)), (0, len(line.text)), substituted(found[2], state), found.span(3))
    before, name = titled(attributes, state), name_of(attributes, state)
    return [*before, Paragraph(span=picture.span, children=(picture,), block_id=name)]


def _unknown(cursor: Cursor, name: str, attributes: Attributes, state: ParseState) -> list[Block]:
    """A line that asks for something which is not done here."""
    line = cursor.line()
    span = state.source.span(line.start, line.end)
    state.unknown(span, f'"{name}"', "nothing is included, left out or played here")
    words = Paragraph(span=span, children=(Text(span, line.text),), block_id=name_of(attributes, state))
    return [*titled(attributes, state), words]


def _text(held: Cursor) -> str:
    """Lines as they are typed, without blank ones around them."""
    first, end = held.at, held.end
    while first < end and not held.lines[first].text:
        first += 1
    while end > first and not held.lines[end - 1].text:
        end -= 1
    return "".join(line.text + "\n" for line in held.lines[first:end])

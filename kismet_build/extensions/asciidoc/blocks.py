"""Parse the lines of a text into blocks."""

import re
from collections.abc import Sequence
from dataclasses import replace

from kismet_build.extensions.asciidoc.attributes import Attributes, substitute_attributes
from kismet_build.extensions.asciidoc.block_attributes import (
    block_id_of,
    block_start,
    caption_inlines,
    delimited_lines,
    read_block_attributes,
    title_inlines,
    title_paragraph,
)
from kismet_build.extensions.asciidoc.headings import read_heading
from kismet_build.extensions.asciidoc.lines import Cursor, Line, joined
from kismet_build.extensions.asciidoc.lists import is_item, read_list
from kismet_build.extensions.asciidoc.macros import read_image
from kismet_build.extensions.asciidoc.paragraphs import (
    FORMULAS,
    STYLED,
    VERBATIM,
    attribution,
    callout_kind,
    code_language,
    code_text,
    formula_block,
    paragraph_lines,
    raw_html,
    read_callout,
    read_literal,
    read_paragraph,
    read_styled,
    verse_quote,
)
from kismet_build.extensions.asciidoc.patterns import (
    ADMONITION,
    ADMONITIONS,
    DELIMITER,
    DIRECTIVES,
    MACRO,
    PAGE_BREAK,
    THEMATIC_BREAK,
)
from kismet_build.extensions.asciidoc.state import MAX_NESTING, ParseState
from kismet_build.extensions.asciidoc.tables import is_table, read_table
from kismet_build.model import nodes
from kismet_build.parse import VIDEO_ADDRESSES

COMPOUND_BLOCKS = {"=": "example", "*": "sidebar", "_": "quote", "--": "open"}
"""Types of the blocks that contain other blocks, by delimiter. A style above a block overrides its type."""
MEDIA = ("audio", "video")


def parse_blocks(cursor: Cursor, state: ParseState, context: str) -> tuple[nodes.Block, ...]:
    """Parse the remaining lines. `context` is `top`, `inside` (another block) or `list`."""
    parsed: list[nodes.Block] = []
    while cursor.position < cursor.end:
        parsed += parse_next_block(cursor, state, context)
    return tuple(parsed)


def parse_next_block(cursor: Cursor, state: ParseState, context: str) -> list[nodes.Block]:
    """The next block, after any paragraphs for its title or for lines above it; empty if none is left."""
    attributes, preceding = read_block_attributes(cursor, state)
    is_end = cursor.text is None
    blocks = [] if is_end else _parse_block(cursor, attributes, state, context)
    if (blocks or is_end) and not attributes.parsed_title:  # a block without a visible title, such as a thematic break
        blocks = [*title_paragraph(attributes, state), *blocks]
    return sorted([*preceding, *blocks], key=lambda block: block.span.start)


def _parse_block(cursor: Cursor, attributes: Attributes, state: ParseState, context: str) -> list[nodes.Block]:
    line = cursor.lines[cursor.position]
    text, style = line.text, attributes.style
    if DELIMITER.fullmatch(text):
        return (_table if is_table(text) else _delimited)(cursor, attributes, state)
    if (heading := read_heading(cursor, attributes, state, context == "top")) is not None:
        return [heading]
    if style in STYLED:
        return read_styled(cursor, attributes, state, context == "list")
    if style in ADMONITIONS:
        return read_callout(style, cursor, attributes, state, context == "list")
    if THEMATIC_BREAK.fullmatch(text) or PAGE_BREAK.fullmatch(text):
        cursor.next_line()
        return [nodes.ThematicBreak(state.source.span(line.start, line.end))] if text[0] != "<" else []
    if (macro := MACRO.fullmatch(text)) is not None and macro[1] not in DIRECTIVES:
        return _macro(cursor, macro, attributes, state)
    if is_item(text) and style != "normal":
        return _list(cursor, attributes, state)
    if text[0] in " \t" and style != "normal":
        return read_literal(cursor, attributes, state, context == "list")
    if style != "normal" and (admonition := ADMONITION.match(text)) is not None:
        return read_callout(admonition[1], cursor, attributes, state, context == "list")
    if text.startswith("> ") and state.depth < MAX_NESTING:
        return _marked_quote(cursor, attributes, state, context == "list")
    paragraphs = read_paragraph(cursor, attributes, state, context == "list")
    # Only a list without a blank line before it can directly follow a paragraph.
    if context != "list" and cursor.text and is_item(cursor.text):
        paragraphs += _list(cursor, Attributes(), state)
    return paragraphs


def _marked_quote(cursor: Cursor, attributes: Attributes, state: ParseState, in_list: bool) -> list[nodes.Block]:
    """A quote whose lines begin with `>`, as in Markdown. A last line `-- author` names the author."""
    typed = paragraph_lines(cursor, in_list)
    span = state.source.span(typed[0].text_start, typed[-1].end)
    lines = [line.without_prefix(2 if line.text.startswith("> ") else line.text == ">") for line in typed]
    if lines[-1].text.startswith("-- "):
        attributes.named["attribution"] = lines.pop().text.removeprefix("-- ")
    title, block_id = title_paragraph(attributes, state), block_id_of(attributes, state)
    children = _children(Cursor(lines, 0, len(lines)), state)
    return [
        *title,
        nodes.BlockQuote(span=span, children=(*children, *attribution(attributes, span)), block_id=block_id),
    ]


def _list(cursor: Cursor, attributes: Attributes, state: ParseState) -> list[nodes.Block]:
    if state.depth >= MAX_NESTING:
        return read_literal(cursor, attributes, state, in_list=False)
    title, block_id = title_paragraph(attributes, state), block_id_of(attributes, state)
    state.depth += 1
    list_blocks = read_list(cursor, block_id, attributes, state, parse_next_block)
    state.depth -= 1
    return [*title, *list_blocks]


def _table(cursor: Cursor, attributes: Attributes, state: ParseState) -> list[nodes.Block]:
    opening = cursor.next_line()
    content = delimited_lines(cursor, opening, state)
    last = cursor.lines[cursor.position - 1]
    if state.depth >= MAX_NESTING:
        return [_code_block(opening, content, last, attributes, state)]
    span = state.source.span(block_start(attributes, opening), last.end)
    caption, block_id = title_inlines(attributes, state), block_id_of(attributes, state)
    if caption:
        caption = (*caption_inlines(attributes, state), *caption)
    state.depth += 1
    parts = read_table(content, opening, attributes, state, parse_blocks)
    state.depth -= 1
    if parts is None:
        return title_paragraph(attributes, state)
    header, rows, alignments = parts
    return [nodes.Table(span=span, header=header, rows=rows, alignments=alignments, caption=caption, block_id=block_id)]


def _delimited(cursor: Cursor, attributes: Attributes, state: ParseState) -> list[nodes.Block]:
    opening = cursor.next_line()
    content = delimited_lines(cursor, opening, state)
    last = cursor.lines[cursor.position - 1]
    span = state.source.span(opening.start, last.end)
    delimiter = "--" if opening.text == "--" else opening.text[0]
    style = attributes.style
    if delimiter == "/" or style == "comment":
        return []
    if style in FORMULAS and delimiter not in COMPOUND_BLOCKS:
        return [*title_paragraph(attributes, state), formula_block(span, _text(content), attributes, state)]
    if delimiter == "+" or style == "pass":
        return [
            *title_paragraph(attributes, state),
            nodes.RawBlock(span, "html", raw_html(_text(content), attributes, state)),
        ]
    if style == "verse":
        return [
            *title_paragraph(attributes, state),
            verse_quote(span, content.lines[content.position : content.end], attributes, state),
        ]
    if delimiter not in COMPOUND_BLOCKS or style in VERBATIM or state.depth >= MAX_NESTING:
        return [*title_paragraph(attributes, state), _code_block(opening, content, last, attributes, state)]
    if style in ADMONITIONS:
        title, span = title_inlines(attributes, state), state.source.span(block_start(attributes, opening), last.end)
        block_id, children = block_id_of(attributes, state), _children(content, state)
        kind = callout_kind(style, attributes)
        return [nodes.Callout(span=span, kind=kind, title=title, children=children, block_id=block_id)]
    if style in ("", "example") and delimiter == "=" and "collapsible" in attributes.options:
        title, span = title_inlines(attributes, state), state.source.span(block_start(attributes, opening), last.end)
        fold = "+" if "open" in attributes.options else "-"
        block_id, children = block_id_of(attributes, state), _children(content, state)
        return [nodes.Callout(span=span, kind="details", title=title, children=children, fold=fold, block_id=block_id)]
    title_blocks, block_id = title_paragraph(attributes, state), block_id_of(attributes, state)
    name = style if style in STYLED else COMPOUND_BLOCKS[delimiter]
    children = _children(content, state)
    if style == "tabs":
        return [*title_blocks, nodes.Div(span=span, name=style, children=_tabs(children), block_id=block_id)]
    if name == "quote":
        return [
            *title_blocks,
            nodes.BlockQuote(span=span, children=(*children, *attribution(attributes, span)), block_id=block_id),
        ]
    return [*title_blocks, nodes.Div(span=span, name=name, children=children, block_id=block_id)]


def _tabs(blocks: Sequence[nodes.Block]) -> tuple[nodes.Block, ...]:
    """The terms of definition lists as tabs: the term is the title, the definition the content."""
    tabs: list[nodes.Block] = []
    for block in blocks:
        if not isinstance(block, nodes.DefinitionList):
            tabs.append(block)
            continue
        for item in block.items:
            words = item.term[0].span.source.span(item.term[0].span.start, item.term[-1].span.end)
            title = nodes.Paragraph(span=words, children=(nodes.Strong(words, item.term),))
            tabs.append(nodes.Div(span=item.span, name="tab", children=(title, *item.children), block_id=item.block_id))
    return tuple(tabs)


def _children(content: Cursor, state: ParseState) -> tuple[nodes.Block, ...]:
    state.depth += 1
    children = parse_blocks(content, state, "inside")
    state.depth -= 1
    return children


def _code_block(
    opening: Line, content: Cursor, last: Line, attributes: Attributes, state: ParseState
) -> nodes.CodeBlock:
    span = state.source.span(opening.start, last.end)
    info = code_language(attributes) or (
        opening.text.strip("`~ \t").partition(",")[0] if opening.text[0] in "`~" else ""
    )
    text = code_text(_lines(content), attributes, state)
    return nodes.CodeBlock(span=span, text=text, info=info, block_id=block_id_of(attributes, state))


def _macro(cursor: Cursor, macro: re.Match[str], attributes: Attributes, state: ParseState) -> list[nodes.Block]:
    """`image::target[...]` and other block macros."""
    if macro[1] == "toc":
        cursor.next_line()
        return []
    if macro[1] in MEDIA and macro[2]:
        return _media(cursor.next_line(), macro, attributes, state)
    if macro[1] != "image" or not macro[2]:
        return _unknown_macro(cursor, f"{macro[1]}::", attributes, state)
    line = cursor.next_line()
    target = substitute_attributes(macro[2], state)
    picture = read_image(joined(state.source, (line,)), (0, len(line.text)), target, macro.span(3))
    inner = picture.children[0] if isinstance(picture, nodes.Link) else picture
    if isinstance(inner, nodes.Image) and inner.title and attributes.title is None:
        attributes.title = Line(inner.title, line.start + max(line.text.find(inner.title), 0))
        untitled = replace(inner, title="")
        picture = replace(picture, children=(untitled,)) if isinstance(picture, nodes.Link) else untitled
    paragraph = nodes.Paragraph(span=picture.span, children=(picture,), block_id=block_id_of(attributes, state))
    return [*title_paragraph(attributes, state), paragraph]


def _media(line: Line, macro: re.Match[str], attributes: Attributes, state: ParseState) -> list[nodes.Block]:
    """A link to the sound or film of `audio::target[...]` or `video::target[...]`."""
    written = Attributes()
    written.add(macro[3])
    target = substitute_attributes(macro[2], state)
    words = written.named.get("title") or target.rpartition("/")[2]
    if written.typed in VIDEO_ADDRESSES:
        target = words = VIDEO_ADDRESSES[written.typed] + target.partition("/")[0].partition(",")[0]
    span = state.source.span(line.start, line.end)
    link = nodes.Link(span=span, target=target, children=(nodes.Text(span, words),))
    paragraph = nodes.Paragraph(span=span, children=(link,), block_id=block_id_of(attributes, state))
    return [*title_paragraph(attributes, state), paragraph]


def _unknown_macro(cursor: Cursor, name: str, attributes: Attributes, state: ParseState) -> list[nodes.Block]:
    line = cursor.next_line()
    span = state.source.span(line.start, line.end)
    state.report_unknown(span, f'"{name}"', "replace or remove this line")
    paragraph = nodes.Paragraph(
        span=span, children=(nodes.Text(span, line.text),), block_id=block_id_of(attributes, state)
    )
    return [*title_paragraph(attributes, state), paragraph]


def _text(content: Cursor) -> str:
    return "".join(line.text + "\n" for line in _lines(content))


def _lines(content: Cursor) -> Sequence[Line]:
    """The lines as written, without blank lines at both ends."""
    first, end = content.position, content.end
    while first < end and not content.lines[first].text:
        first += 1
    while end > first and not content.lines[end - 1].text:
        end -= 1
    return content.lines[first:end]

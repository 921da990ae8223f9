"""Read the attribute lines above a block: `[style#id]`, `[[id]]`, `.Title`, and comments."""

import re

from kismet_build.extensions.asciidoc.attributes import Attributes, read_attribute_entry, substitute_attributes
from kismet_build.extensions.asciidoc.inlines import ParsedInlines, parse_inlines
from kismet_build.extensions.asciidoc.lines import Cursor, Line, joined
from kismet_build.extensions.asciidoc.patterns import ADMONITIONS, ATTRIBUTES, DELIMITER, TITLE, is_comment
from kismet_build.extensions.asciidoc.state import ParseState
from kismet_build.model.diagnostic import warning
from kismet_build.model.nodes import Block, Inline, Paragraph, Strong, Text, plain_text

STYLES = frozenset(
    (
        *("abstract", "acknowledgments", "appendix", "arabic", "asciimath", "bibliography", "chapter", "circle"),
        *("colophon", "comment", "decimal", "dedication", "disc", "discrete", "example", "float", "glossary"),
        *("horizontal", "index", "latexmath", "listing", "literal", "loweralpha", "lowergreek", "lowerroman"),
        *("no-bullet", "none", "normal", "open", "ordered", "part", "partintro", "pass", "preface", "qanda", "quote"),
        *("sidebar", "source", "square", "stem", "tabs", "unstyled", "upperalpha", "upperroman", "verse"),
        *ADMONITIONS,
    )
)
"""Styles: the words that may start an attribute list."""

FENCE = re.compile(r"(```+|~~~~+).*")


def read_block_attributes(cursor: Cursor, state: ParseState) -> tuple[Attributes, list[Block]]:
    """Read the attribute lines above a block. A line that turns out to be text becomes a paragraph."""
    attributes = Attributes()
    paragraphs: list[Block] = []
    while (text := cursor.text) is not None:
        line = cursor.lines[cursor.position]
        if not text:
            cursor.skip_blank()
        elif is_comment(text):
            cursor.next_line()
        elif text.startswith("////") and DELIMITER.fullmatch(text):
            delimited_lines(cursor, cursor.next_line(), state)
        elif read_attribute_entry(cursor, state):
            pass
        elif text.startswith("[") and (bracketed := ATTRIBUTES.fullmatch(text)) is not None:
            cursor.next_line()
            if not add_bracketed(attributes, bracketed, line, state):
                paragraphs.append(bracketed_paragraph(line, state))
        elif text.startswith(".") and not DELIMITER.fullmatch(text) and (title := TITLE.fullmatch(text)) is not None:
            cursor.next_line()
            paragraphs += title_paragraph(attributes, state)  # the block has two titles
            attributes.title, attributes.parsed_title = line.without_prefix(title.start(1)), ()
        else:
            break
    return attributes, paragraphs


def add_bracketed(attributes: Attributes, bracketed: re.Match[str], line: Line, state: ParseState) -> bool:
    """Add a line in brackets. Returns `False` if its first word is not a style."""
    if bracketed[1] is None:
        attributes.id, attributes.reftext = bracketed[2] or attributes.id, bracketed[3] or attributes.reftext
    else:
        style = attributes.style
        attributes.add(substitute_attributes(bracketed[1], state))
        if attributes.style != style and attributes.style not in STYLES:
            attributes.style = style
            return False
    if attributes.id and attributes.line is None:
        attributes.line = line
    return True


def bracketed_paragraph(line: Line, state: ParseState) -> Paragraph:
    """Report a line in brackets and read it as a paragraph."""
    span = state.source.span(line.start, line.end)
    state.report_unknown(span, f'"{line.text}"', "write {startsb} for the first bracket if it belongs to the text")
    return Paragraph(span=span, children=(Text(span, line.text),))


def delimited_lines(cursor: Cursor, opening: Line, state: ParseState) -> Cursor:
    """The lines of a delimited block. Consumes its closing line."""
    closing_text = FENCE.sub(r"\1", opening.text)
    first, end = cursor.position, cursor.find(closing_text)
    if end == cursor.end:
        span = state.source.span(opening.start, opening.end)
        message = f'this block is never closed with "{closing_text}": it runs to the end of the block around it'
        state.report(
            warning("unclosed-block", span, message, f'write "{closing_text}" on a separate line where it ends')
        )
    cursor.position = min(end + 1, cursor.end)
    return cursor.slice(first, end)


def title_inlines(attributes: Attributes, state: ParseState) -> tuple[Inline, ...]:
    """The title of a block as inlines."""
    if attributes.title is not None and not attributes.parsed_title:
        attributes.parsed_title = parse_inlines(joined(state.source, (attributes.title,)), state).inlines
    return attributes.parsed_title


def caption_inlines(attributes: Attributes, state: ParseState) -> tuple[Inline, ...]:
    """The label that the attribute `caption` sets for a block; empty if it sets none."""
    caption, line = attributes.named.get("caption"), attributes.title or attributes.line
    if not caption or line is None:
        return ()
    return (Text(state.source.span(line.start, line.start), caption),)


def title_paragraph(attributes: Attributes, state: ParseState) -> list[Block]:
    """The title of a block as a paragraph; empty if the block has no title."""
    inlines = title_inlines(attributes, state)
    if attributes.title is None or not inlines:
        return []
    span = state.source.span(attributes.title.start - 1, attributes.title.end)
    inlines = (*caption_inlines(attributes, state), *inlines)
    strong = Strong(state.source.span(inlines[0].span.start, inlines[-1].span.end), inlines)
    return [Paragraph(span=span, children=(strong,))]


def block_start(attributes: Attributes, line: Line) -> int:
    """The offset of a block or, if it has a title, of the title above it."""
    return attributes.title.start - 1 if attributes.title is not None else line.text_start


def block_id_of(attributes: Attributes, state: ParseState, parsed: ParsedInlines | None = None) -> str:
    """The id of a block, from the lines above it or the first anchor in its content.

    Other ids of the block become aliases.
    """
    anchors = parsed.ids if parsed is not None else ()
    block_id = anchors[0] if anchors else ""
    if attributes.id and attributes.line is not None:
        link_text = attributes.reftext or plain_text(*title_inlines(attributes, state))
        span = state.source.span(attributes.line.start, attributes.line.end)
        if state.define_id(attributes.id, link_text, span):
            block_id = attributes.id
            state.ids_by_title.setdefault(link_text, block_id)
    for anchor in anchors:
        if anchor != block_id:
            state.id_aliases.setdefault(anchor, block_id)
    return block_id

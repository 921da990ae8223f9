"""Paragraphs, and what a word before them or a line above makes of them."""

from collections.abc import Sequence
from textwrap import dedent

from kismet_build.model.diagnostic import info
from kismet_build.model.nodes import (
    Block,
    BlockQuote,
    Callout,
    CodeBlock,
    Div,
    HardBreak,
    Inline,
    Paragraph,
    RawBlock,
    SoftBreak,
    Text,
)
from kismet_build.model.source import Span
from kismet_build.parse.asciidoc.attributes import Attributes
from kismet_build.parse.asciidoc.block_attributes import begin, name_of, title_of, titled
from kismet_build.parse.asciidoc.inlines import words_of
from kismet_build.parse.asciidoc.lines import SPACE, Cursor, Line, passage
from kismet_build.parse.asciidoc.lists import is_glued, is_item
from kismet_build.parse.asciidoc.patterns import ADMONITION, ADMONITIONS, ATTRIBUTES, DELIMITER, DIRECTIVE, is_comment
from kismet_build.parse.asciidoc.state import ParseState

FORMULAS = frozenset(("stem", "asciimath", "latexmath"))
"""Styles of formulas, which are not set here."""
VERBATIM = FORMULAS | {"source", "listing", "literal"}
"""Styles that keep a text as it is typed."""
STYLED = VERBATIM | {"quote", "verse", "example", "sidebar", "pass", "comment", "open", "abstract", "partintro"}
"""Styles that make something else of a paragraph."""


def paragraph_lines(cursor: Cursor, in_list: bool) -> list[Line]:
    """The lines of a paragraph; comments among them are left out."""
    found: list[Line] = []
    first = cursor.at
    while text := cursor.text:
        if cursor.at > first and _ends(text, in_list):
            break
        line = cursor.line()
        if not is_comment(text):
            found.append(line)
    return found


def _ends(text: str, in_list: bool) -> bool:
    """Whether a line below one of a paragraph belongs to it no more."""
    if (text[0] == "[" and ATTRIBUTES.fullmatch(text)) or DELIMITER.fullmatch(text):
        return True
    if "::" in text and DIRECTIVE.fullmatch(text):
        return True
    return in_list and (text == "+" or is_item(text))


def read_paragraph(cursor: Cursor, attributes: Attributes, state: ParseState, in_list: bool) -> list[Block]:
    """Running text; the cursor then stands at a list that is glued to it, if there is one."""
    first = cursor.at
    held = paragraph_lines(cursor, in_list)
    glued = None if in_list else is_glued(held)
    if glued is not None:
        line = held[glued]
        message = "this list is glued to the lines before it, which makes it words of their paragraph"
        span = state.source.span(line.first, line.end)
        state.report(info("glued-list", span, message, "put a blank line before it"))
        cursor.at = next(place for place in range(first, cursor.at) if cursor.lines[place] is line)
        held = held[:glued]
    words = words_of(passage(state.source, flush_left(held)), state)
    before, name = titled(attributes, state), name_of(attributes, state, words)
    if not words.inlines:
        return before
    span = state.source.span(held[0].first, held[-1].end)
    inlines = hard(words.inlines) if breaks_stay(attributes, state) else words.inlines
    return [*before, Paragraph(span=span, children=inlines, block_id=name)]


def breaks_stay(attributes: Attributes, state: ParseState) -> bool:
    """Whether the end of each line is shown."""
    return "hardbreaks" in attributes.options or not {"hardbreaks", "hardbreaks-option"}.isdisjoint(state.attributes)


def hard(inlines: tuple[Inline, ...]) -> tuple[Inline, ...]:
    """Words in which each end of a line stays one."""
    return tuple(HardBreak(one.span) if isinstance(one, SoftBreak) else one for one in inlines)


def read_callout(kind: str, cursor: Cursor, attributes: Attributes, state: ParseState, in_list: bool) -> list[Block]:
    """A paragraph that is an aside, because of its first word or the line above it."""
    held = paragraph_lines(cursor, in_list)
    label = ADMONITION.match(held[0].text) if attributes.style not in ADMONITIONS else None
    title = title_of(attributes, state)
    span = state.source.span(begin(attributes, held[0]), held[-1].end)
    body = [held[0].cut(label.end()), *held[1:]] if label else held
    words = words_of(passage(state.source, flush_left(body)), state)
    inner = state.source.span(body[0].first, body[-1].end)
    children = (Paragraph(span=inner, children=words.inlines),) if words.inlines else ()
    name = name_of(attributes, state, words)
    return [Callout(span=span, kind=kind.lower(), title=title, children=children, block_id=name)]


def read_styled(cursor: Cursor, attributes: Attributes, state: ParseState, in_list: bool) -> list[Block]:
    """A paragraph that the line above it makes something else."""
    held = paragraph_lines(cursor, in_list)
    style = attributes.style
    if style == "comment" or not held:
        return []
    span = state.source.span(held[0].first, held[-1].end)
    before = titled(attributes, state)
    if style == "pass":
        return [*before, RawBlock(span, "html", _text(held))]
    if style == "verse":
        return [*before, verse(span, held, attributes, state)]
    if style in VERBATIM:
        tell_formula(span, style, state)
        info = language(attributes)
        return [*before, CodeBlock(span=span, text=_text(held), info=info, block_id=name_of(attributes, state))]
    words = words_of(passage(state.source, flush_left(held)), state)
    name = name_of(attributes, state, words)
    children = (Paragraph(span=span, children=words.inlines),)
    if style == "quote":
        return [*before, BlockQuote(span=span, children=(*children, *said_by(attributes, span)), block_id=name)]
    return [*before, Div(span=span, name=style, children=children, block_id=name)]


def verse(span: Span, held: Sequence[Line], attributes: Attributes, state: ParseState) -> BlockQuote:
    """Lines of verse: each stays one."""
    name = name_of(attributes, state)
    found: list[Block] = []
    run: list[Line] = []
    for line in (*held, Line("", 0)):
        if line.text:
            run.append(line)
        elif run:
            words = words_of(passage(state.source, flush_left(run)), state)
            place = state.source.span(run[0].first, run[-1].end)
            found.append(Paragraph(span=place, children=hard(words.inlines)))
            run = []
    return BlockQuote(span=span, children=(*found, *said_by(attributes, span)), block_id=name)


def said_by(attributes: Attributes, span: Span) -> tuple[Paragraph, ...]:
    """Who said what is quoted, and where, as a paragraph at its end."""
    given = (attributes.named.get("attribution"), attributes.named.get("citetitle"))
    positional = (*attributes.positional, "", "") if attributes.positional != [attributes.typed] else ("", "")
    words = ", ".join(filter(None, (given[0] or positional[0], given[1] or positional[1])))
    if not words:
        return ()
    place = span.source.span(span.end, span.end)
    return (Paragraph(span=place, children=(Text(place, f"— {words}"),)),)


def tell_formula(span: Span, style: str, state: ParseState) -> None:
    """Tell that a formula is not set as one."""
    if style in FORMULAS:
        state.unknown(span, f'"[{style}]"')


def read_literal(cursor: Cursor, attributes: Attributes, state: ParseState, in_list: bool) -> list[Block]:
    """Lines that stand in from the margin, kept as they are."""
    first = cursor.at
    while cursor.text and not (in_list and cursor.text == "+"):
        cursor.line()
    held = cursor.lines[first : cursor.at]
    span = state.source.span(held[0].first, held[-1].end)
    block = CodeBlock(span=span, text=dedent(_text(held)), block_id=name_of(attributes, state))
    return [*titled(attributes, state), block]


def language(attributes: Attributes) -> str:
    """The language that a listing says it is in."""
    named = attributes.named.get("language", "")
    return named or (attributes.positional[0] if attributes.style == "source" and attributes.positional else "")


def flush_left(held: Sequence[Line]) -> list[Line]:
    """Lines without the white space before their words."""
    return [line.cut(line.indent) if line.text[0] in SPACE else line for line in held]


def _text(held: Sequence[Line]) -> str:
    return "".join(line.text + "\n" for line in held)

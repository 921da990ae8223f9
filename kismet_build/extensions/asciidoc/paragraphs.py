"""Parse paragraphs, and the blocks into which a style or a label turns them."""

import re
from collections.abc import Iterator, Sequence
from textwrap import dedent

from kismet_build.extensions.asciidoc.attributes import Attributes, substitute_attributes
from kismet_build.extensions.asciidoc.block_attributes import block_id_of, block_start, title_inlines, title_paragraph
from kismet_build.extensions.asciidoc.inlines import ParsedInlines, parse_inlines
from kismet_build.extensions.asciidoc.lines import SPACE, Cursor, Line, joined
from kismet_build.extensions.asciidoc.lists import is_item, unseparated_list
from kismet_build.extensions.asciidoc.macros import is_latex
from kismet_build.extensions.asciidoc.patterns import (
    ADMONITION,
    ADMONITIONS,
    ATTRIBUTES,
    CALLOUT_ROLES,
    DELIMITER,
    is_comment,
)
from kismet_build.extensions.asciidoc.state import ParseState
from kismet_build.extensions.asciidoc.substitutions import NONE, NORMAL, VALUES, has_callout_numbers, substitutions
from kismet_build.model import nodes
from kismet_build.model.diagnostic import info
from kismet_build.model.nodes import plain_text, walk
from kismet_build.model.source import Span
from kismet_build.parse.markdown.rules.math import to_mathml

FORMULAS = frozenset(("stem", "asciimath", "latexmath"))
"""Styles of formulas."""
VERBATIM = FORMULAS | {"source", "listing", "literal"}
"""Styles of blocks whose text is not parsed."""
CALLOUT_NUMBER = re.compile(
    r"(?P<sign>(?://|#|--|;;) ?)?(?P<escape>\\)?<(?:!--)?(?P<number>\d{1,4}|\.)(?:--)?>"
    r"(?=(?: ?\\?<(?:!--)?(?:\d{1,4}|\.)(?:--)?>){0,20}$)"
)
"""The number of a note at the end of a line of code, after the sign of a comment."""
STYLED = VERBATIM | {"quote", "verse", "example", "sidebar", "pass", "comment", "open", "abstract", "partintro"}
"""Styles that turn a paragraph into another block."""


def paragraph_lines(cursor: Cursor, in_list: bool) -> list[Line]:
    """The lines of a paragraph, without comments."""
    lines: list[Line] = []
    first = cursor.position
    while text := cursor.text:
        if cursor.position > first and _ends_paragraph(text, in_list):
            break
        line = cursor.next_line()
        if not is_comment(text):
            lines.append(line)
    return lines


def _ends_paragraph(text: str, in_list: bool) -> bool:
    if (text[0] == "[" and ATTRIBUTES.fullmatch(text)) or DELIMITER.fullmatch(text):
        return True
    return in_list and (text == "+" or is_item(text))


def read_paragraph(cursor: Cursor, attributes: Attributes, state: ParseState, in_list: bool) -> list[nodes.Block]:
    """A paragraph. If a list follows without a blank line, the cursor stops at that list."""
    first = cursor.position
    lines = paragraph_lines(cursor, in_list)
    list_line = None if in_list else unseparated_list(lines)
    if list_line is not None:
        line = lines[list_line]
        message = "this list has no blank line before it, which makes it part of the paragraph above"
        span = state.source.span(line.text_start, line.end)
        state.report(info("glued-list", span, message, "add a blank line before it"))
        cursor.position = next(number for number in range(first, cursor.position) if cursor.lines[number] is line)
        lines = lines[:list_line]
    if _is_quoted(lines):
        attributes.named["attribution"] = lines.pop().text.removeprefix("-- ")
        last = lines[-1]
        lines = [*lines[:-1], Line(last.text.rstrip()[:-1], last.start)]
        lines[0] = lines[0].without_prefix(1)
        quoted = _parse(lines, attributes, state)
        title, block_id = title_paragraph(attributes, state), block_id_of(attributes, state, quoted)
        span = state.source.span(lines[0].text_start, lines[-1].end)
        children = (nodes.Paragraph(span=span, children=quoted.inlines), *attribution(attributes, span))
        return [*title, nodes.BlockQuote(span=span, children=children, block_id=block_id)]
    parsed = _parse(lines, attributes, state)
    title, block_id = title_paragraph(attributes, state), block_id_of(attributes, state, parsed)
    if not parsed.inlines:
        return title
    span = state.source.span(lines[0].text_start, lines[-1].end)
    inlines = hard_breaks(parsed.inlines) if keeps_line_breaks(attributes, state) else parsed.inlines
    return [*title, nodes.Paragraph(span=span, children=inlines, block_id=block_id)]


def _is_quoted(lines: Sequence[Line]) -> bool:
    """Whether a paragraph is in quotation marks, with a last line `-- author`."""
    return (
        len(lines) > 1
        and lines[0].text.startswith('"')
        and lines[-1].text.startswith("-- ")
        and lines[-2].text.rstrip().endswith('"')
        and len(lines[0].text) + len(lines) > 3  # more than one quotation mark
    )


def keeps_line_breaks(attributes: Attributes, state: ParseState) -> bool:
    """Whether each line end is a line break."""
    return "hardbreaks" in attributes.options or not {"hardbreaks", "hardbreaks-option"}.isdisjoint(state.attributes)


def hard_breaks(inlines: tuple[nodes.Inline, ...]) -> tuple[nodes.Inline, ...]:
    """Inlines with hard breaks instead of soft ones."""
    return tuple(nodes.HardBreak(inline.span) if isinstance(inline, nodes.SoftBreak) else inline for inline in inlines)


def read_callout(
    kind: str, cursor: Cursor, attributes: Attributes, state: ParseState, in_list: bool
) -> list[nodes.Block]:
    """A paragraph that is a callout because of its label or its style."""
    lines = paragraph_lines(cursor, in_list)
    label = ADMONITION.match(lines[0].text) if attributes.style not in ADMONITIONS else None
    title = title_inlines(attributes, state)
    span = state.source.span(block_start(attributes, lines[0]), lines[-1].end)
    body = [lines[0].without_prefix(label.end()), *lines[1:]] if label else lines
    parsed = _parse(body, attributes, state)
    inner_span = state.source.span(body[0].text_start, body[-1].end)
    children = (nodes.Paragraph(span=inner_span, children=parsed.inlines),) if parsed.inlines else ()
    block_id = block_id_of(attributes, state, parsed)
    return [
        nodes.Callout(span=span, kind=callout_kind(kind, attributes), title=title, children=children, block_id=block_id)
    ]


def callout_kind(style: str, attributes: Attributes) -> str:
    """The kind of a callout: its style, or a role for which AsciiDoc has no style, as in `[NOTE.question]`."""
    return next((role for role in attributes.roles if role in CALLOUT_ROLES), style.lower())


def read_styled(cursor: Cursor, attributes: Attributes, state: ParseState, in_list: bool) -> list[nodes.Block]:
    """A paragraph turned into another block by its style."""
    lines = paragraph_lines(cursor, in_list)
    style = attributes.style
    if style == "comment" or not lines:
        return []
    span = state.source.span(lines[0].text_start, lines[-1].end)
    title = title_paragraph(attributes, state)
    if style == "pass":
        return [*title, nodes.RawBlock(span, "html", raw_html(_text(lines), attributes, state))]
    if style == "verse":
        return [*title, verse_quote(span, lines, attributes, state)]
    if style in FORMULAS:
        return [*title, formula_block(span, _text(lines), attributes, state)]
    if style in VERBATIM:
        text, info = code_text(lines, attributes, state), code_language(attributes)
        return [*title, nodes.CodeBlock(span=span, text=text, info=info, block_id=block_id_of(attributes, state))]
    parsed = _parse(lines, attributes, state)
    block_id = block_id_of(attributes, state, parsed)
    children = (nodes.Paragraph(span=span, children=parsed.inlines),)
    if style == "quote":
        return [
            *title,
            nodes.BlockQuote(span=span, children=(*children, *attribution(attributes, span)), block_id=block_id),
        ]
    return [*title, nodes.Div(span=span, name=style, children=children, block_id=block_id)]


def verse_quote(span: Span, lines: Sequence[Line], attributes: Attributes, state: ParseState) -> nodes.BlockQuote:
    """Lines of verse, which keep their line breaks."""
    block_id = block_id_of(attributes, state)
    paragraphs: list[nodes.Block] = []
    stanza: list[Line] = []
    for line in (*lines, Line("", 0)):
        if line.text:
            stanza.append(line)
        elif stanza:
            parsed = _parse(stanza, attributes, state)
            stanza_span = state.source.span(stanza[0].text_start, stanza[-1].end)
            paragraphs.append(nodes.Paragraph(span=stanza_span, children=hard_breaks(parsed.inlines)))
            stanza = []
    return nodes.BlockQuote(span=span, children=(*paragraphs, *attribution(attributes, span)), block_id=block_id)


def attribution(attributes: Attributes, span: Span) -> tuple[nodes.Paragraph, ...]:
    """The author and title of a quote, as a paragraph for the end of the quote; empty if none is given."""
    named = (attributes.named.get("attribution"), attributes.named.get("citetitle"))
    positional = (*attributes.positional, "", "") if attributes.positional != [attributes.typed] else ("", "")
    text = ", ".join(filter(None, (named[0] or positional[0], named[1] or positional[1])))
    if not text:
        return ()
    end_span = span.source.span(span.end, span.end)
    return (nodes.Paragraph(span=end_span, children=(nodes.Text(end_span, f"— {text}"),)),)


def formula_block(span: Span, text: str, attributes: Attributes, state: ParseState) -> nodes.Block:
    """A formula: typeset if it is in LaTeX that can be read, otherwise reported and shown as written."""
    latex, block_id = text.strip(), block_id_of(attributes, state)
    mathml = to_mathml(latex, "block") if is_latex(attributes.style, state) else ""
    if mathml:
        return nodes.Paragraph(span=span, children=(nodes.Math(span, latex, mathml),), block_id=block_id)
    state.report_unknown(span, f'"[{attributes.style}]"')
    return nodes.CodeBlock(span=span, text=text, info="", block_id=block_id)


def read_literal(cursor: Cursor, attributes: Attributes, state: ParseState, in_list: bool) -> list[nodes.Block]:
    """A code block with the lines at the cursor, up to a blank line."""
    first = cursor.position
    while cursor.text and not (in_list and cursor.text == "+"):
        cursor.next_line()
    lines = cursor.lines[first : cursor.position]
    span = state.source.span(lines[0].text_start, lines[-1].end)
    block = nodes.CodeBlock(
        span=span, text=dedent(code_text(lines, attributes, state)), block_id=block_id_of(attributes, state)
    )
    return [*title_paragraph(attributes, state), block]


def code_language(attributes: Attributes) -> str:
    """The language of a listing, or an empty string."""
    named = attributes.named.get("language", "")
    return named or (attributes.positional[0] if attributes.style == "source" and attributes.positional else "")


def code_text(lines: Sequence[Line], attributes: Attributes, state: ParseState) -> str:
    """The text of a code block, with its callout numbers in parentheses.

    With `subs`, attribute references and formatting marks are replaced.
    Code has no links, so addresses of links follow in brackets, unless the code names them.
    """
    listed = attributes.named.get("subs")
    if has_callout_numbers(listed):
        lines = list(_with_callout_numbers(lines, "icons" in state.attributes))
    substituted = substitutions(listed, NONE)
    if substituted - {VALUES}:
        parsed = (parse_inlines(joined(state.source, (line,)), state, substituted) for line in lines)
        return "".join(
            f"{line.text[: line.indent]}{_with_addresses(found.inlines)}\n"
            for line, found in zip(lines, parsed, strict=True)
        )
    return substitute_attributes(_text(lines), state) if substituted else _text(lines)


def _with_callout_numbers(lines: Sequence[Line], has_icons: bool) -> Iterator[Line]:
    """Lines with `<1>` as `(1)`. If the document has icons, the sign of a comment before the number is left out."""
    count = 0

    def shown(match: re.Match[str]) -> str:
        nonlocal count
        if match["escape"]:
            return match[0].replace("\\", "", 1)
        count += match["number"] == "."
        number = str(count) if match["number"] == "." else match["number"]
        return ("" if has_icons else match["sign"] or "") + f"({number})"

    for line in lines:
        yield line._replace(text=CALLOUT_NUMBER.sub(shown, line.text)) if line.text.endswith(">") else line


def raw_html(text: str, attributes: Attributes, state: ParseState) -> str:
    """The content of a passthrough. If `subs` lists attributes, attribute references are replaced."""
    substituted = substitutions(attributes.named.get("subs"), NONE)
    return substitute_attributes(text, state) if VALUES in substituted else text


def _parse(lines: Sequence[Line], attributes: Attributes, state: ParseState) -> ParsedInlines:
    substituted = substitutions(attributes.named.get("subs"), NORMAL)
    return parse_inlines(joined(state.source, flush_left(lines)), state, substituted)


def _with_addresses(inlines: Sequence[nodes.Inline]) -> str:
    words = plain_text(*inlines)
    targets = dict.fromkeys(node.target for node in walk(*inlines) if isinstance(node, nodes.Link))
    addresses = [target for target in targets if not target.startswith("#") and target not in words]
    return f"{words} ({', '.join(addresses)})" if addresses else words


def flush_left(lines: Sequence[Line]) -> list[Line]:
    """Lines without their indentation."""
    return [line.without_prefix(line.indent) if line.text[0] in SPACE else line for line in lines]


def _text(lines: Sequence[Line]) -> str:
    return "".join(line.text + "\n" for line in lines)

"""HTML in Python-Markdown and kramdown: `<div markdown>` contains Markdown, other elements end at their end tags."""

import re
from bisect import bisect_right

from markdown_it.common.html_blocks import block_names
from markdown_it.rules_block import StateBlock

from kismet_build.parse.markdown.parser import Parser, parse_state
from kismet_build.parse.markdown.rules.box import INTERRUPTS, line_text, parse_rest
from kismet_build.parse.markdown.state import MappedText

VALUE = r"""(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=]+)"""
OPENING = re.compile(
    rf"<(?P<name>[a-z][a-z0-9-]*)(?=[^<>]*\smarkdown(?:\s*=\s*[\"']?(?:1|block|span)[\"']?)?[\s>])"
    rf"(?:\s+[\w:@.-]+(?:\s*=\s*{VALUE})?)*\s*>",
    re.IGNORECASE,
)
PARSED = ("article", "aside", "blockquote", "details", "div", "figure", "footer", "header", "main", "nav", "section")
PARSED_OPENING = re.compile(
    rf"<(?P<name>{'|'.join(PARSED)})(?=[\s>])(?![^<>]*\smarkdown\b)(?:\s+[\w:@.-]+(?:\s*=\s*{VALUE})?)*\s*>",
    re.IGNORECASE,
)
"""The start tag of an element whose content is Markdown if kramdown's option `parse_block_html` is on."""
CLOSING = re.compile(r"</(?P<name>[a-z][a-z0-9-]*)\s*>", re.IGNORECASE)
MARKDOWN = re.compile(r"\smarkdown(?:\s*=\s*[\"']?\w+[\"']?)?(?=[\s>])", re.IGNORECASE)
"""The attribute `markdown` in a tag."""
ELEMENT = re.compile(rf"<(?P<name>{'|'.join(block_names)})(?=[\s/>])[^<>]*>", re.IGNORECASE)
NESTED = re.compile(
    r"<(?P<name>td|th|li|dt|dd|div|figcaption|summary)(?=[^<>]*\smarkdown\s*=\s*[\"']?(?:1|span)[\"']?[\s>])"
    r"[^<>]*>[ \t]*(?P<words>[^\n]{0,1000}?)</(?P=name)\s*>",
    re.IGNORECASE,
)
"""An element with Markdown inside other HTML, on a single line. These elements may contain paragraphs."""
VOID = frozenset(("base", "basefont", "col", "frame", "hr", "link", "param", "track"))
"""Elements without an end tag."""


def markdown_element(parser: Parser) -> None:
    """Add the rules for start and end tags, which must be at the start or end of a line, and for other elements."""
    parser.add_block("markdown_element", _parse_tag, before="table", interrupts=INTERRUPTS, starts="<")
    parser.add_block("html_element", _parse_element, before="html_block", starts="<")


def foreign_markdown_element(parser: Parser) -> None:
    """Read the Markdown in an element with the attribute `markdown`, as kramdown and Python-Markdown do."""
    parser.add_block("markdown_element", _parse_tag, before="table", interrupts=INTERRUPTS, starts="<")
    parser.add_block("html_element", _parse_inner_element, before="html_block", starts="<")


def _parse_inner_element(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    # Other HTML extends to the next blank line, as in CommonMark.
    is_inside = any(parse_state(state).markdown_elements.values())
    return is_inside and _parse_element(state, first, end, silent)


def _parse_element(state: StateBlock, first: int, end: int, _silent: bool) -> bool:
    """Match an element up to its end tag, if text follows on the next line.

    CommonMark would continue to the next blank line.
    """
    start = state.bMarks[first] + state.tShift[first]
    opening = ELEMENT.match(state.src, start, state.eMarks[first])
    if opening is None or state.is_code_block(first):
        return False
    after = first + 1
    while after < end and not state.isEmpty(after) and state.sCount[after] >= state.blkIndent:
        after += 1
    closing, stop = opening.end(), state.eMarks[after - 1]
    if opening["name"].casefold() not in VOID and not opening[0].endswith("/>"):
        closing = _end_of_element(state.src, opening["name"], start, stop)
    line = bisect_right(state.bMarks, closing - 1, first, after) - 1
    if state.src[closing : state.eMarks[line]].strip():
        return False
    html = state.getLines(first, line + 1, state.blkIndent, True)
    begin, stop = state.bMarks[first], state.eMarks[line]
    # Quotes and lists have marks between the lines, so the HTML there stays one piece.
    is_divided = parse_state(state).options.get("nested_markdown") and state.src[begin:stop] == html.rstrip("\n")
    for element in NESTED.finditer(state.src, begin, stop) if is_divided else ():
        words = element.start("words")
        _push_html(state, first, MARKDOWN.sub("", state.src[begin:words]), begin, words)
        _push_paragraph(state, first, *element.span("words"))
        begin = element.end("words")
    if begin > state.bMarks[first]:
        _push_html(state, line, state.src[begin:stop], begin, stop)
    elif line + 1 == after:
        return False
    else:
        token = state.push("html_block", "", 0)
        token.map, token.content = [first, line + 1], html
    state.line = line + 1
    return True


def _end_of_element(text: str, name: str, start: int, stop: int) -> int:
    """The offset after the end tag of the element that starts at `start`; `stop` if the element does not end before
    it.
    """
    depth = 0
    for tag in re.compile(rf"<(/?){name}(?=[\s/>])[^<>]*>", re.IGNORECASE).finditer(text, start, stop):
        depth += -1 if tag[1] else 1
        if not depth:
            return tag.end()
    return stop


def _parse_tag(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    if state.is_code_block(first):
        return False
    start = state.bMarks[first] + state.tShift[first]
    stop = start + len(line_text(state, first))
    names = parse_state(state).markdown_elements
    if _tag(state, start, stop) is None:
        return False
    if silent:
        return True
    state.line = first + 1
    while (tag := _tag(state, start, stop)) is not None:
        name = tag["name"].casefold()
        is_opening = tag.re is not CLOSING
        names[name] = names.get(name, 0) + (1 if is_opening else -1)
        _push_html(state, first, MARKDOWN.sub("", tag[0]) if is_opening else tag[0], start, tag.end())
        start = tag.end()
        while start < stop and state.src[start] in " \t":
            start += 1
        last = state.src.rfind("</", start, stop) if is_opening else -1
        closing = CLOSING.fullmatch(state.src, last, stop) if last >= 0 else None
        if closing is not None and closing["name"].casefold() == name:
            _push_paragraph(state, first, start, last)
            names[name] -= 1
            _push_html(state, first, closing[0], last, stop)
            return True
    if start < stop:
        parse_rest(state, first, end, start)
    return True


def _tag(state: StateBlock, start: int, stop: int) -> re.Match[str] | None:
    """The tag at an offset, if it opens or closes an element with Markdown."""
    closing = CLOSING.match(state.src, start, stop)
    if closing is not None:
        return closing if parse_state(state).markdown_elements.get(closing["name"].casefold()) else None
    opening = OPENING.match(state.src, start, stop)
    if opening is None and parse_state(state).parses_html:
        return PARSED_OPENING.match(state.src, start, stop)
    return opening


def _push_html(state: StateBlock, line: int, html: str, start: int, end: int) -> None:
    """Push a tag at this range of a line as a block."""
    token = state.push("html_block", "", 0)
    token.map, token.content, token.meta = [line, line + 1], html, {"span": (start, end)}


def _push_paragraph(state: StateBlock, line: int, start: int, end: int) -> None:
    """Push a paragraph with the words in this range of a line."""
    words = state.src[start:end].rstrip()
    if not words:
        return
    span = (start, start + len(words))
    paragraph = state.push("paragraph_open", "p", 1)
    paragraph.map, paragraph.meta = [line, line + 1], {"span": span}
    inline = state.push("inline", "", 0)
    inline.map, inline.content = [line, line + 1], words
    inline.meta = {"span": span, "content": MappedText(words, ((0, start),))}
    state.push("paragraph_close", "p", -1)

"""`<div markdown>`: an HTML element whose content is Markdown, in Python-Markdown and kramdown."""

import re

from markdown_it.rules_block import StateBlock

from kismet_build.parse.markdown.parser import Parser, parse_state
from kismet_build.parse.markdown.rules.generators.box import line_text
from kismet_build.parse.markdown.state import MappedText

VALUE = r"""(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=]+)"""
OPENING = re.compile(
    rf"<(?P<name>[a-z][a-z0-9-]*)(?=[^<>]*\smarkdown(?:\s*=\s*[\"']?(?:1|block|span)[\"']?)?[\s>])"
    rf"(?:\s+[\w:@.-]+(?:\s*=\s*{VALUE})?)*\s*>",
    re.IGNORECASE,
)
CLOSING = re.compile(r"</(?P<name>[a-z][a-z0-9-]*)\s*>", re.IGNORECASE)
MARKDOWN = re.compile(r"\smarkdown(?:\s*=\s*[\"']?\w+[\"']?)?(?=[\s>])", re.IGNORECASE)
"""The attribute."""
WHOLE = re.compile(r"<(?P<name>[a-z][a-z0-9-]*)(?:\s[^<>]*)?>.*</(?P=name)\s*>", re.IGNORECASE)
"""An element on one line, such as the summary of details. In Markdown, the lines after it are HTML as well."""
INTERRUPTS = ("paragraph", "reference", "blockquote", "list", "footnote")


def markdown_element(parser: Parser) -> None:
    """Add the rule for each of the two tags. Both must be at the start or end of a line."""
    parser.add_block("markdown_element", _parse_tag, before="table", interrupts=INTERRUPTS, starts="<")


def _parse_tag(state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    start = state.bMarks[first] + state.tShift[first]
    text = line_text(state, first)
    names = parse_state(state).markdown_elements
    opening = OPENING.match(text)
    closing = CLOSING.match(text)
    if opening is None and any(names.values()) and WHOLE.fullmatch(text) and not state.is_code_block(first):
        if not silent:
            _push_html(state, first, text, start, start + len(text))
            state.line = first + 1
        return True
    if state.is_code_block(first) or not (opening or (closing and names.get(closing["name"].casefold()))):
        return False
    if silent:
        return True
    state.line = first + 1
    tag = opening or closing
    assert tag is not None
    name = tag["name"].casefold()
    names[name] = names.get(name, 0) + (1 if opening else -1)
    html = MARKDOWN.sub("", tag[0]) if opening else tag[0]
    _push_html(state, first, html, start, start + tag.end())
    rest = text[tag.end() :]
    last = re.search(rf"</{name}\s*>$", rest, re.IGNORECASE) if opening else None
    if last is not None:
        content = rest[: last.start()]
        _push_paragraph(state, first, content, start + tag.end())
        names[name] -= 1
        _push_html(state, first, last[0], start + tag.end() + last.start(), start + len(text))
    elif rest.strip():
        # Move the start of the line to the first character after the tag.
        state.line = first
        state.bMarks[first] = start + tag.end() + len(rest) - len(rest.lstrip(" \t"))
        state.tShift[first], state.sCount[first] = 0, state.blkIndent
    return True


def _push_html(state: StateBlock, line: int, html: str, start: int, end: int) -> None:
    token = state.push("html_block", "", 0)
    token.map, token.content, token.meta = [line, line + 1], html, {"span": (start, end)}


def _push_paragraph(state: StateBlock, line: int, text: str, offset: int) -> None:
    words = text.strip()
    if not words:
        return
    offset += len(text) - len(text.lstrip())
    span = (offset, offset + len(words))
    paragraph = state.push("paragraph_open", "p", 1)
    paragraph.map, paragraph.meta = [line, line + 1], {"span": span}
    inline = state.push("inline", "", 0)
    inline.map, inline.content = [line, line + 1], words
    inline.meta = {"span": span, "content": MappedText(words, ((0, offset),))}
    state.push("paragraph_close", "p", -1)

"""`{: #id .class }`: attributes of a block, a heading or a span, left out of the text; an id is kept."""

import re
from functools import partial

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from kismet_build.parse.markdown.attributes import (
    BRACED,
    OF_HEADING,
    OF_KRAMDOWN,
    WITH_COLON,
    Attributes,
    parse_attributes,
)
from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.box import INTERRUPTS, line_text
from kismet_build.parse.markdown.state import MappedText, ParseState

CLOSING_MARKS = re.compile(r"[ \t]*(?:#+[ \t]*)?$")


def braced_attributes(parser: Parser) -> None:
    """Add the rules for lists with and without a colon, as in MkDocs."""
    _add_rules(parser, BRACED)
    parser.transforms.append(_cut_from_cells)


def colon_attributes(parser: Parser) -> None:
    """Add the rules for lists with a colon, as in Jekyll, and for the ids of headings."""
    _add_rules(parser, WITH_COLON)
    parser.transforms.append(partial(_cut_from_headings, OF_HEADING))


def kramdown_attributes(parser: Parser) -> None:
    """Leave out `{: .class }`, but keep ids, in texts that are also published with Jekyll."""
    _add_rules(parser, OF_KRAMDOWN)


def block_attributes(parser: Parser) -> None:
    """Add the rules for lists below blocks and in headings, as in Hugo."""
    _add_block_rule(parser, BRACED)
    parser.transforms.append(partial(_cut_from_headings, BRACED))


def heading_attributes(parser: Parser) -> None:
    """Add the rule for lists at the end of headings, as in mdBook."""
    parser.transforms.append(partial(_cut_from_headings, BRACED))


def _add_rules(parser: Parser, pattern: re.Pattern[str]) -> None:
    _add_block_rule(parser, pattern)
    parser.transforms.append(partial(_cut_from_headings, pattern))
    parser.add_inline("{", "attribute_list", partial(_parse_inline, pattern), before="link", signs=("{",))


def _add_block_rule(parser: Parser, pattern: re.Pattern[str]) -> None:
    lists = re.compile(rf"(?:{pattern.pattern}[ \t]*)+")
    rule = partial(_parse_line, lists)
    parser.add_block("attribute_line", rule, before="table", interrupts=INTERRUPTS, starts="{")


def _parse_line(lists: re.Pattern[str], state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    text = line_text(state, first)
    if lists.fullmatch(text) is None or state.is_code_block(first):
        return False
    if not silent:
        token = state.push("attributes", "", 0)
        token.map, token.meta = [first, first + 1], {"attributes": parse_attributes(text)}
        state.line = first + 1
    return True


def _cut_from_headings(pattern: re.Pattern[str], tokens: list[Token], _state: ParseState) -> None:
    """Move the list at the end of each heading from its content to its token."""
    for index, heading in enumerate(tokens):
        if heading.type != "heading_open":
            continue
        inline = tokens[index + 1]
        content = inline.meta["content"]
        start = content.text.rfind("{")
        match = pattern.match(content.text, start) if start >= 0 else None
        if match is None or CLOSING_MARKS.match(content.text, match.end()) is None:
            continue
        heading.meta["attributes"] = parse_attributes(match[0])
        end = len(content.text[:start].rstrip())
        inline.meta["content"] = content.part(0, end)
        inline.content = inline.content[:end]


def _cut_from_cells(tokens: list[Token], _state: ParseState) -> None:
    for index, token in enumerate(tokens):
        if token.type == "term_open":
            inline = tokens[index + 1]
            inline.meta["content"] = _without_list(inline.meta["content"])
            inline.content = inline.meta["content"].text
        elif token.type == "row":
            for cell in token.meta["cells"]:
                for paragraph in cell:
                    paragraph.content = _without_list(paragraph.content)


def _without_list(content: MappedText) -> MappedText:
    start = content.text.rfind("{")
    match = BRACED.match(content.text, start) if start > 0 and content.text[start - 1] in " \t" else None
    if match is None or content.text[match.end() :].strip():
        return content
    return content.part(0, len(content.text[:start].rstrip()))


def _parse_inline(pattern: re.Pattern[str], state: StateInline, silent: bool) -> bool:
    match = pattern.match(state.src, state.pos, state.posMax)
    if match is None or (pattern is BRACED and not _is_after_element(state)):
        return False
    if not silent:
        if state.pending:
            state.pushPending()
        elif state.tokens:
            _set_size(state.tokens[-1], parse_attributes(match[0]))
    state.pos = match.end()
    return True


def _is_after_element(state: StateInline) -> bool:
    """Whether the tokens end with an element: a link, an image, code or a closing mark."""
    if state.pending or not state.tokens:
        return False
    last = state.tokens[-1]
    if last.type not in ("text", "text_special"):
        return True
    delimiter = state.delimiters[-1] if state.delimiters else None
    return delimiter is not None and delimiter.close and delimiter.token == len(state.tokens) - 1


def _set_size(token: Token, attributes: Attributes) -> None:
    if token.type == "image":
        for name in ("width", "height"):
            if (size := re.fullmatch(r"(\d{1,5})(?:px)?", attributes.values.get(name, ""))) is not None:
                token.attrs[name] = int(size[1])

"""Footnotes: `[^1]`, its definition `[^1]: words`, and inline `^[words]`."""

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser, parse_state

DEFINITION = re.compile(r"\[\^([^\]\[\s]+)\]:")
REFERENCE = re.compile(r"\[\^([^\]\[\s]+)\]")
INDENT = 2
"""Minimum indent of the lines of a footnote after its first line, in columns, as in Obsidian."""


def footnote(parser: Parser) -> None:
    """Add the rules for definitions and references."""
    interrupts = ("paragraph", "reference", "footnote")
    parser.add_block("footnote", _parse_definition, before="reference", interrupts=interrupts, starts="[")
    parser.add_inline("[", "footnote", _parse_reference, before="link", signs=("[^",))


def inline_footnote(parser: Parser) -> None:
    """Add the rule for inline footnotes."""
    parser.add_inline("^", "inline_footnote", _parse_inline_footnote, before="link", stop=r"\^\[", signs=("^[",))


def _parse_definition(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    start, stop = state.bMarks[first] + state.tShift[first], state.eMarks[first]
    match = DEFINITION.match(state.src, start, stop)
    if match is None or state.is_code_block(first):
        return False
    if silent:
        return True
    parse_state(state).footnotes.setdefault(match[1].casefold(), match[1])
    token = state.push("footnote_open", "", 1)
    token.meta["label"] = match[1]
    token.map = lines = [first, first]

    saved = state.bMarks[first], state.tShift[first], state.sCount[first], state.parentType
    text_start = match.end()
    while text_start < stop and state.src[text_start] in " \t":
        text_start += 1
    state.bMarks[first], state.tShift[first] = text_start, 0
    state.blkIndent += INDENT
    state.sCount[first] = state.blkIndent
    state.parentType = "footnote"
    if text_start < stop or (first + 1 < end and not state.isEmpty(first + 1)):
        state.md.block.tokenize(state, first, end)
    else:
        state.line = first + 1
    state.blkIndent -= INDENT
    state.bMarks[first], state.tShift[first], state.sCount[first], state.parentType = saved

    state.line = max(state.line, first + 1)
    lines[1] = state.line
    state.push("footnote_close", "", -1)
    return True


def _parse_reference(state: StateInline, silent: bool) -> bool:
    match = REFERENCE.match(state.src, state.pos, state.posMax)
    label = parse_state(state).footnotes.get(match[1].casefold()) if match else None
    if match is None or label is None:
        return False
    if not silent:
        state.push("footnote_reference", "", 0).meta["label"] = label
    state.pos = match.end()
    return True


def _parse_inline_footnote(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("^[", state.pos):
        return False
    limit, closed = state.posMax, state.md.helpers.parseLinkLabel(state, state.pos + 1)
    if closed <= state.pos + len("^["):
        return False
    if not silent:
        state.push("inline_footnote_open", "", 1)
        state.pos, state.posMax = state.pos + len("^["), closed
        state.md.inline.tokenize(state)
        state.push("inline_footnote_close", "", -1)
    state.pos, state.posMax = closed + 1, limit
    return True

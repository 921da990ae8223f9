"""`[^1]` and `[^1]: words`, and `^[words]` in one: footnotes."""

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser, reading

DEFINITION = re.compile(r"\[\^([^\]\[\s]+)\]:")
REFERENCE = re.compile(r"\[\^([^\]\[\s]+)\]")
INDENT = 2
"""How far the lines after the first stand in, at least; Obsidian asks for two spaces, and more does no harm."""


def footnote(parser: Parser) -> None:
    """Add the rules for a footnote and for the marks that lead to it."""
    ends = ("paragraph", "reference", "footnote")
    parser.add_block("footnote", _definition, before="reference", ends=ends, starts="[")
    parser.add_inline("[", "footnote", _reference, before="link", signs=("[^",))


def inline_footnote(parser: Parser) -> None:
    """Add the rule for a footnote that stands where it is referred to."""
    parser.add_inline("^", "inline_footnote", _inline, before="link", stop=r"\^\[", signs=("^[",))


def _definition(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    start, stop = state.bMarks[first] + state.tShift[first], state.eMarks[first]
    found = DEFINITION.match(state.src, start, stop)
    if found is None or state.is_code_block(first):
        return False
    if silent:
        return True
    reading(state).footnotes.setdefault(found[1].casefold(), found[1])
    token = state.push("footnote_open", "", 1)
    token.meta["label"] = found[1]
    token.map = lines = [first, first]

    before = state.bMarks[first], state.tShift[first], state.sCount[first], state.parentType
    words = found.end()
    while words < stop and state.src[words] in " \t":
        words += 1
    state.bMarks[first], state.tShift[first] = words, 0
    state.blkIndent += INDENT
    state.sCount[first] = state.blkIndent
    state.parentType = "footnote"
    if words < stop or (first + 1 < end and not state.isEmpty(first + 1)):
        state.md.block.tokenize(state, first, end)
    else:
        state.line = first + 1
    state.blkIndent -= INDENT
    state.bMarks[first], state.tShift[first], state.sCount[first], state.parentType = before

    state.line = max(state.line, first + 1)
    lines[1] = state.line
    state.push("footnote_close", "", -1)
    return True


def _reference(state: StateInline, silent: bool) -> bool:
    found = REFERENCE.match(state.src, state.pos, state.posMax)
    label = reading(state).footnotes.get(found[1].casefold()) if found else None
    if found is None or label is None:
        return False
    if not silent:
        state.push("footnote_reference", "", 0).meta["label"] = label
    state.pos = found.end()
    return True


def _inline(state: StateInline, silent: bool) -> bool:
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

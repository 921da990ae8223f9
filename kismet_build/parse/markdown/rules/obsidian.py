"""Inlines of Obsidian: tags, fields and block ids."""

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser

# --- tags

PUNCTUATION = r"\u2000-\u206F\u2E00-\u2E7F'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s"
"""Characters that end a tag, from Obsidian's own pattern: spaces and punctuation except for `-`, `_` and `/`."""
TAG = re.compile(rf"#(?P<name>[^{PUNCTUATION}/][^{PUNCTUATION}]*)")
NUMBER = re.compile(r"[\d/_-]*")
"""Names that are not tags: `#12`."""
BEFORE = re.compile(r"[\s*_=~]")
"""A character before a tag: a space, or an emphasis mark around the tag."""


def tag(parser: Parser) -> None:
    """`#Monsters/Undead`: a tag."""
    parser.add_inline("#", "tag", _parse_tag, stop=r"#(?=[^\s#])", signs=("#",))


def _parse_tag(state: StateInline, silent: bool) -> bool:
    match = TAG.match(state.src, state.pos, state.posMax)
    # The label of a link is already a link.
    if match is None or state.linkLevel or (state.pos and not BEFORE.match(state.src[state.pos - 1])):
        return False
    name = match["name"].rstrip("/")
    if NUMBER.fullmatch(name):
        return False
    if not silent:
        state.push("tag", "", 0).content = name
    state.pos += 1 + len(name)
    return True


# --- inline fields

KEY = r"\s*+(?P<key>[^:()\[\]\n^!][^:()\[\]\n]{0,59})::(?!:)[ \t]*+"
SQUARE = re.compile(rf"\[{KEY}(?P<value>(?>(?:[^\[\]\n]|\[\[[^\[\]\n]*+\]\]|\[[^\[\]\n]*+\])+))\](?![(\[])")
ROUND = re.compile(rf"\({KEY}(?P<value>(?>(?:[^()\n]|\([^()\n]*+\))+))\)")
"""A field in round or in square brackets. The value may contain one level of the same brackets, as links do."""


def inline_field(parser: Parser) -> None:
    """`[key:: value]` and `(key:: value)`: fields in the text, as Obsidian's plugin Dataview reads them.

    The rule comes after the rule for wiki links, which may contain colons.
    """
    parser.add_inline("[(", "inline_field", _parse_field, before="link", signs=("::",))


def _parse_field(state: StateInline, silent: bool) -> bool:
    form = SQUARE if state.src[state.pos] == "[" else ROUND
    match = form.match(state.src, state.pos, state.posMax)
    if match is None or not (key := match["key"].strip("*_ \t")) or not match["value"].strip():
        return False
    if not silent:
        state.push("inline_field_open", "", 1).meta = {"key": key, "shows_key": form is SQUARE}
        saved_end, (state.pos, state.posMax) = state.posMax, match.span("value")
        state.posMax -= len(match["value"]) - len(match["value"].rstrip())
        state.md.inline.tokenize(state)
        state.posMax = saved_end
        state.push("inline_field_close", "", -1)
    state.pos = match.end()
    return True


# --- ids of blocks

BLOCK_ID = re.compile(r"\^([A-Za-z0-9_-]+)(?:\s*\Z|[ \t]*(?=\n))")

BLOCK_ID_LINE = re.compile(r"\^[A-Za-z0-9_-]+[ \t]*$")
"""A line with only a block id, which also ends a table."""
ID_BELOW = re.compile(r"\n(?P<indent>[ \t>]*)\^[A-Za-z0-9_-]+\s*\Z")
"""A block id on the last line of a list item, under its mark or under that of a list around it."""


def block_id(parser: Parser) -> None:
    """`^name` at the end of a line: the block id of its block, the target of links."""
    stop = r"\^(?=[A-Za-z0-9_-]+\s*(?:\n|\Z))"
    parser.add_inline("^", "block_id", _parse_block_id, before="link", stop=stop, signs=("^",))
    parser.add_block("block_id_line", _parse_line, before="paragraph", starts="^")


def _parse_block_id(state: StateInline, silent: bool) -> bool:
    match = BLOCK_ID.match(state.src, state.pos)
    if silent or match is None or state.level or not (state.pos == 0 or state.src[state.pos - 1].isspace()):
        return False
    state.pending = state.pending.rstrip(" \t")
    state.push("block_id", "", 0).content = match[1]
    state.pos = match.end()
    return True


def _parse_line(state: StateBlock, line: int, _end: int, silent: bool) -> bool:
    """Read a line with only a block id as a paragraph. Text on the next line starts a new paragraph."""
    start = state.bMarks[line] + state.tShift[line]
    if silent or not BLOCK_ID_LINE.match(state.src, start, state.eMarks[line]):
        return False
    state.push("paragraph_open", "p", 1).map = [line, line + 1]
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = state.src[start : state.eMarks[line]].rstrip(), [line, line + 1], []
    state.push("paragraph_close", "p", -1)
    state.line = line + 1
    return True

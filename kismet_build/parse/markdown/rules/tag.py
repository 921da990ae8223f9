"""`#Monsters/Undead`: a tag."""

import re

from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser

PUNCTUATION = r"\u2000-\u206F\u2E00-\u2E7F'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s"
"""Characters that end a tag, from Obsidian's own pattern: spaces and punctuation except for `-`, `_` and `/`."""
TAG = re.compile(rf"#(?P<name>[^{PUNCTUATION}/][^{PUNCTUATION}]*)")
NUMBER = re.compile(r"[\d/_-]*")
"""Names that are not tags: `#12`."""
BEFORE = re.compile(r"[\s*_=~]")
"""A character before a tag: a space, or an emphasis mark around the tag."""


def tag(parser: Parser) -> None:
    """Add the rule."""
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

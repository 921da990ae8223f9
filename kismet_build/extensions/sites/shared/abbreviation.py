"""`*[pp.]: pages`: an abbreviation. The line is left out, and the meaning is added wherever the words are."""

import re

from markdown_it.rules_block import StateBlock

from kismet_build.parse.markdown.parser import Parser, parse_state
from kismet_build.parse.markdown.rules.box import INTERRUPTS, line_text

DEFINITION = re.compile(r"\*\[(?P<name>[^\[\]\\]+)\][ ]?:[ \t]*(?P<meaning>.*)")


def abbreviation(parser: Parser) -> None:
    """Add the rule."""
    parser.add_block("abbreviation", _parse_definition, before="table", interrupts=INTERRUPTS, starts="*")


def _parse_definition(state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    match = DEFINITION.fullmatch(line_text(state, first))
    if match is None or state.is_code_block(first) or not match["name"].strip():
        return False
    if not silent:
        parse_state(state).abbreviations.add(match["name"].strip(), match["meaning"].strip())
        state.line = first + 1
    return True

"""`> [!note] Title`: a callout, indicated by the first line of a quote."""

import re
from functools import partial

from markdown_it.rules_block import StateBlock

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.state import MappedText

OBSIDIAN_TITLE = re.compile(
    r"\[!(?P<kind>[^\]|\n]*[^\]|\s])\s*(?:\|(?P<metadata>[^\]\n]*))?\](?P<fold>[+-]?)[ \t]*(?P<title>.*)"
)
GITHUB_TITLE = re.compile(
    r"\[!(?P<kind>note|tip|important|warning|caution)\](?P<metadata>)(?P<fold>)[ \t]*(?P<title>)$", re.IGNORECASE
)
HUGO_TITLE = re.compile(r"\[!(?P<kind>[\w-]+)\](?P<metadata>)(?P<fold>[+-]?)(?P<title>(?:[ \t].*)?)$")


def callout(parser: Parser) -> None:
    """Add Obsidian's rule: any kind, with a title and a fold sign."""
    parser.add_block("callout", partial(_parse_title, OBSIDIAN_TITLE), before="table", starts="[")


def github_callout(parser: Parser) -> None:
    """Add GitHub's rule: five kinds, on a line without other text."""
    parser.add_block("github_callout", partial(_parse_title, GITHUB_TITLE), before="table", starts="[")


def alert(parser: Parser) -> None:
    """Add Hugo's rule: any kind that is one word, with a title and a fold sign."""
    parser.add_block("alert", partial(_parse_title, HUGO_TITLE), before="table", starts="[")


def _parse_title(pattern: re.Pattern[str], state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    """Parse the first line of a quote as a callout title. The other lines are parsed as the content of the quote."""
    opened = state.tokens[-1] if state.tokens else None
    if silent or opened is None or opened.type != "blockquote_open" or opened.map is None or opened.map[0] != first:
        return False
    start = state.bMarks[first] + state.tShift[first]
    end = start + len(state.src[start : state.eMarks[first]].rstrip())
    match = pattern.match(state.src, start, end)
    if match is None or state.is_code_block(first):
        return False
    token = state.push("callout_title_open", "", 1)
    token.map = [first, first + 1]
    token.meta["callout"] = {
        "kind": " ".join(match["kind"].split()).casefold(),
        "metadata": (match["metadata"] or "").strip(),
        "fold": match["fold"],
    }
    inline = state.push("inline", "", 0)
    inline.map = [first, first + 1]
    title = match["title"].lstrip()
    inline.content = title
    inline.meta["content"] = MappedText(title, ((0, match.end("title") - len(title)),))
    state.push("callout_title_close", "", -1)
    state.line = first + 1
    return True

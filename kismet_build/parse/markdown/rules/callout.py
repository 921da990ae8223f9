"""`> [!note] Title`: a quote that is an aside, by its first line."""

import re
from functools import partial

from markdown_it.rules_block import StateBlock

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.state import Content

ANY = re.compile(r"\[!(?P<kind>[^\]|\n]*[^\]|\s])\s*(?:\|(?P<metadata>[^\]\n]*))?\](?P<fold>[+-]?)[ \t]*(?P<title>.*)")
GITHUB = re.compile(
    r"\[!(?P<kind>note|tip|important|warning|caution)\](?P<metadata>)(?P<fold>)[ \t]*(?P<title>)$", re.IGNORECASE
)


def callout(parser: Parser) -> None:
    """Add the rule as Obsidian has it: any kind, a title, and a sign for folding."""
    parser.add_block("callout", partial(_title, ANY), before="table", starts="[")


def github_callout(parser: Parser) -> None:
    """Add the rule as GitHub has it: five kinds, alone on their line."""
    parser.add_block("github_callout", partial(_title, GITHUB), before="table", starts="[")


def _title(form: re.Pattern[str], state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    """Take the first line of a quote for itself: what follows is read as if it began the quote."""
    opened = state.tokens[-1] if state.tokens else None
    if silent or opened is None or opened.type != "blockquote_open" or opened.map is None or opened.map[0] != first:
        return False
    start = state.bMarks[first] + state.tShift[first]
    end = start + len(state.src[start : state.eMarks[first]].rstrip())
    found = form.match(state.src, start, end)
    if found is None or state.is_code_block(first):
        return False
    token = state.push("callout_title_open", "", 1)
    token.map = [first, first + 1]
    token.meta["callout"] = {
        "kind": " ".join(found["kind"].split()).casefold(),
        "metadata": (found["metadata"] or "").strip(),
        "fold": found["fold"],
    }
    words = state.push("inline", "", 0)
    words.map = [first, first + 1]
    words.content = found["title"]
    words.meta["content"] = Content(found["title"], ((0, found.start("title")),))
    state.push("callout_title_close", "", -1)
    state.line = first + 1
    return True

"""`[!badge Rare]` and `[!ref](page.md)`: components of Retype within a line; their words stay, and links lead on."""

import re

from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser

BADGE = re.compile(
    r"\[!(?P<name>badge|button|ref|file|embed)(?P<arguments>[^\[\]\n]*)\](?:\((?P<target>[^()\s]*)[^()\n]*\))?",
    re.IGNORECASE,
)
TEXT = re.compile(r'text="(?P<text>[^"]*)"')
ARGUMENT = re.compile(r'[\w-]+="[^"]*"')


def badge(parser: Parser) -> None:
    """Add the rule."""
    parser.add_inline("[", "badge", _parse_badge, before="link", signs=("[!",))


def _parse_badge(state: StateInline, silent: bool) -> bool:
    match = BADGE.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        named = TEXT.search(match["arguments"])
        words = named["text"] if named else ARGUMENT.sub("", match["arguments"]).strip()
        target = match["target"] if not state.linkLevel else ""
        if target:
            token = state.push("link_open", "a", 1)
            token.attrs, token.map = {"href": target}, [*match.span()]
        if state.pending:
            state.pushPending()
        text = state.push("replaced", "", 0)
        text.content, text.map = words or target or "", [match.start(), match.end()]
        if target:
            text.map = [match.start() + 1, match.end() - 1]
            state.push("link_close", "a", -1).map = [match.end() - 1, match.end()]
    state.pos = match.end()
    return True

"""`[!badge Rare]`, `[!card](page.md)`: components of Retype within a line; shown as their words or as links.

`[!backlinks]` is left out, because each page lists the pages that mention it. So are the dashes that align an image.
"""

import re
from pathlib import PurePosixPath

from markdown_it.rules_inline import StateInline

from kismet_build.model.nodes import is_url
from kismet_build.parse.markdown.inlines import PAGE_TITLE
from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.generators.element import push_wrapped

BADGE = re.compile(
    r"\[!(?P<name>badge|backlinks|button|card|ref|file|embed|youtube)(?P<arguments>[^\[\]\n]*)\](?:\((?P<target>[^()\s]*)[^()\n]*\))?",
    re.IGNORECASE,
)
TEXT = re.compile(r'text="(?P<text>[^"]*)"')
TITLE = re.compile(r'title="(?P<text>[^"]*)"')
ARGUMENT = re.compile(r'[\w-]+="[^"]*"')
ALIGNMENT = re.compile(r"-{1,2}(?=!\[)|(?<=\))-{1,2}(?!\S)")
CARD, BACKLINKS = "card", "backlinks"
LAYOUTS = ("vert", "vertical", "compact")
"""Words after the name of a card that are not shown."""


def badge(parser: Parser) -> None:
    """Add the rule."""
    parser.add_inline("[", "badge", _parse_badge, before="link", signs=("[!",))
    parser.add_inline("-", "alignment", _parse_alignment, before="link", signs=("-![", ")-"))


def _parse_badge(state: StateInline, silent: bool) -> bool:
    match = BADGE.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent and match["name"].lower() != BACKLINKS:
        is_card = match["name"].lower() == CARD
        named = (TITLE if is_card else TEXT).search(match["arguments"])
        words = named["text"] if named else ARGUMENT.sub("", match["arguments"]).strip()
        if is_card and words in LAYOUTS:
            words = ""
        target = match["target"] if not state.linkLevel else ""
        below = TEXT.search(match["arguments"]) if is_card else None
        offset = match.start("arguments")
        end = offset + below.start() if below else match.end()
        if target:
            token = state.push("link_open", "a", 1)
            token.attrs, token.map = {"href": target}, [match.start(), end]
            token.info = "" if words else PAGE_TITLE
        if state.pending:
            state.pushPending()
        text = state.push("replaced", "", 0)
        text.content, text.map = words or _name(target or ""), [match.start(), end]
        if target:
            text.map = [match.start() + 1, end - 1]
            state.push("link_close", "a", -1).map = [end - 1, end]
        if below:
            space = state.push("text", "", 0)
            space.content, space.map = " ", [end, end]
            start, stop = (offset + place for place in below.span("text"))
            push_wrapped(state, "em", "em", end, (start, stop), match.end())
    state.pos = match.end()
    return True


def _parse_alignment(state: StateInline, _silent: bool) -> bool:
    match = ALIGNMENT.match(state.src, state.pos, state.posMax)
    is_after_image = not state.pending and bool(state.tokens) and state.tokens[-1].type == "image"
    if match is None or not (is_after_image or state.src.startswith("![", match.end())):
        return False
    state.pos = match.end()
    return True


def _name(target: str) -> str:
    """The words for a page whose title is unknown: the name of its file."""
    return target if is_url(target) else PurePosixPath(target.partition("#")[0]).stem or target

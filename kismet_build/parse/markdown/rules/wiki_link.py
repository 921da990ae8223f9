"""`[[Document#Heading|label]]`: a link to a place in the vault."""

import re

from markdown_it.rules_inline import StateInline

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.parser import Parser, reading
from kismet_build.parse.markdown.rules.odd_space import fold_spaces, tell_odd_space

WIKI = re.compile(r"\[\[(?!\[)(?P<inside>(?:[^\[\]\n]++|\[(?!\[)|\](?!\]))++)\]\]")

BAR = re.compile(r"\\?\|")
"""What stands between target and label: inside a table it is escaped, and Obsidian reads it so everywhere."""

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")


def wiki_link(parser: Parser) -> None:
    """Add the rule. It stands before that of links, which would see brackets in brackets."""
    parser.add_inline("[", "wiki_link", _link, before="link", signs=("[[",))


def _link(state: StateInline, silent: bool) -> bool:
    found = WIKI.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    bar = BAR.search(found["inside"])
    typed = found["inside"][: bar.start()] if bar else found["inside"]
    target = wiki_target(typed)
    if not target:
        if not silent and target is None:
            span = reading(state).span(state, *found.span())
            hint = "put the heading that it should lead to after one #, or take the brackets off"
            reading(state).report(warning("search-link", span, "this is a search of the editor, not a link", hint))
        return False
    if not silent:
        _push(state, found, typed, target, bar.end() if bar else None)
    state.pos = found.end()
    return True


def _push(state: StateInline, found: re.Match[str], typed: str, target: str, label: int | None) -> None:
    start, end, limit = found.start("inside"), found.end("inside"), state.posMax
    first = len(typed) - len(typed.lstrip())
    last = max(len(typed.rstrip()), first)
    tell_odd_space(reading(state), reading(state).span(state, start, start + len(typed)), "the target of a link")
    state.push("link_open", "a", 1).meta = {"target": target}
    words = found["inside"][label:] if label is not None else ""
    if words.strip():
        state.pos = end - len(words.lstrip())
        state.posMax = end - (len(words) - len(words.rstrip()))
        state.linkLevel += 1
        state.md.inline.tokenize(state)
        state.linkLevel -= 1
        state.posMax = limit
    else:
        text = state.push("text", "", 0)
        text.content = shown(fold_spaces(typed).strip())
        text.map = [start + first, start + last]
    state.push("link_close", "a", -1)


def wiki_target(typed: str) -> str | None:
    """The target that stands in the brackets: empty if it names nothing, `None` for a search of the editor."""
    if ADDRESS.match(typed.strip()):
        return typed.strip()
    if typed.strip().startswith(("##", "^^")):
        return None
    path, *below = (fold_spaces(part).strip() for part in typed.rstrip("\\ ").split("#"))
    return "#".join([path.removesuffix(".md"), *filter(None, below)])


def shown(typed: str) -> str:
    """The words for a link that has none: the target, with `>` between the headings."""
    if ADDRESS.match(typed):
        return typed
    return " > ".join(filter(None, (part.strip() for part in typed.split("#"))))

"""`![[Document#Heading]]`: another text, or a picture, shown here."""

import re
from typing import Any

from markdown_it.rules_inline import StateInline

from kismet_build.model.nodes import Text
from kismet_build.parse.markdown.parser import Parser, reading
from kismet_build.parse.markdown.rules.odd_space import tell_odd_space
from kismet_build.parse.markdown.rules.wiki_link import BAR, WIKI, wiki_target

PICTURES = (".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp")
"""What is shown as a picture (Obsidian's help: Accepted file formats)."""

SIZE = re.compile(r"\s*(\d{1,5})(?:x(\d{1,5}))?\s*")


def embed(parser: Parser) -> None:
    """Add the rule."""
    parser.add_inline("!", "embed", _embed, before="image", signs=("![[",))


def _embed(state: StateInline, silent: bool) -> bool:
    found = WIKI.match(state.src, state.pos + 1, state.posMax)
    if found is None:
        return False
    bar = BAR.search(found["inside"])
    typed = found["inside"][: bar.start()] if bar else found["inside"]
    label = found["inside"][bar.end() :] if bar else ""
    target = wiki_target(typed)
    if not target:
        return False
    if not silent:
        place = reading(state).span(state, found.start("inside"), found.start("inside") + len(typed))
        tell_odd_space(reading(state), place, "the target of an embed")
        if target.partition("#")[0].casefold().endswith(PICTURES):
            token = state.push("image", "img", 0)
            at = found.end("inside") - len(label)
            token.meta = {"image": _picture(target, label, state, at)}
        else:
            token = state.push("embed", "", 0)
            token.meta = {"target": target, "label": " ".join(label.split())}
    state.pos = found.end()
    return True


def _picture(target: str, label: str, state: StateInline, at: int) -> dict[str, Any]:
    """What a picture is made of; the words after the last bar may be its size."""
    words, _, last = label.rpartition("|")
    size = SIZE.fullmatch(last)
    if size is None:
        words = label
    start = at + len(words) - len(words.lstrip())
    words = words.strip()
    children = (Text(reading(state).span(state, start, start + len(words)), words),) if words else ()
    width, height = (size[1], size[2]) if size else (None, None)
    return {
        "target": target,
        "children": children,
        "width": int(width) if width else None,
        "height": int(height) if height else None,
    }

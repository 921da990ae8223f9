"""`![[Document#Heading]]`: an embedded section or image."""

import re
from typing import Any

from markdown_it.rules_inline import StateInline

from kismet_build.model.nodes import Text
from kismet_build.parse.markdown.parser import Parser, parse_state
from kismet_build.parse.markdown.rules.odd_space import report_odd_space
from kismet_build.parse.markdown.rules.wiki_link import BAR, WIKI, wiki_target

IMAGE_SUFFIXES = (".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp")
"""Suffixes of files that are embedded as images (Obsidian's help: Accepted file formats)."""

SIZE = re.compile(r"\s*(\d{1,5})(?:x(\d{1,5}))?\s*")


def embed(parser: Parser) -> None:
    """Add the rule."""
    parser.add_inline("!", "embed", _parse_embed, before="image", signs=("![[",))


def _parse_embed(state: StateInline, silent: bool) -> bool:
    match = WIKI.match(state.src, state.pos + 1, state.posMax)
    if match is None:
        return False
    bar = BAR.search(match["inside"])
    typed = match["inside"][: bar.start()] if bar else match["inside"]
    label = match["inside"][bar.end() :] if bar else ""
    target = wiki_target(typed)
    if not target:
        return False
    if not silent:
        target_span = parse_state(state).span(state, match.start("inside"), match.start("inside") + len(typed))
        report_odd_space(parse_state(state), target_span, "the target of an embed")
        if target.partition("#")[0].casefold().endswith(IMAGE_SUFFIXES):
            token = state.push("image", "img", 0)
            label_start = match.end("inside") - len(label)
            token.meta = {"image": _image_fields(target, label, state, label_start)}
        else:
            token = state.push("embed", "", 0)
            words, _, last = label.rpartition("|")
            # The size of a drawing, canvas, PDF or sound has no effect here.
            token.meta = {"target": target, "label": " ".join((words if SIZE.fullmatch(last) else label).split())}
    state.pos = match.end()
    return True


def _image_fields(target: str, label: str, state: StateInline, start: int) -> dict[str, Any]:
    """The fields of an `Image`. The label may end with a bar and the size of the image in pixels."""
    text, _, last = label.rpartition("|")
    size = SIZE.fullmatch(last)
    if size is None:
        text = label
    text_start = start + len(text) - len(text.lstrip())
    text = text.strip()
    children = (Text(parse_state(state).span(state, text_start, text_start + len(text)), text),) if text else ()
    width, height = (size[1], size[2]) if size else (None, None)
    return {
        "target": target,
        "children": children,
        "width": int(width) if width else None,
        "height": int(height) if height else None,
    }

"""`[[Document#Heading|label]]`: a link to a document, heading or block of the vault."""

import re
from typing import Any

from markdown_it.rules_inline import StateInline

from kismet_build.model.diagnostic import warning
from kismet_build.model.nodes import Text, target_words
from kismet_build.parse.markdown.parser import Parser, parse_state
from kismet_build.parse.markdown.repairs import fold_spaces, report_odd_space

# --- embeds

IMAGE_SUFFIXES = (".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp")
"""Suffixes of files that are embedded as images (Obsidian's help: Accepted file formats)."""

SIZE = re.compile(r"\s*(\d{1,5})(?:x(\d{1,5}))?\s*")


def embed(parser: Parser) -> None:
    """`![[Document#Heading]]`: an embedded section or image."""
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


# --- links

WIKI = re.compile(r"\[\[(?!\[)(?P<inside>(?>(?:[^\[\]\n]++|\[(?!\[)|\](?!\]))+))\]\]")

BAR = re.compile(r"\\?\|")
"""The bar between target and label. The bar may always be escaped, as tables require."""

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")


def wiki_link(parser: Parser) -> None:
    """Add the rule before the rule for links, which would match the inner brackets."""
    parser.add_inline("[", "wiki_link", _parse_link, before="link", signs=("[[",))


def _parse_link(state: StateInline, silent: bool) -> bool:
    match = WIKI.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    bar = BAR.search(match["inside"])
    typed_target = match["inside"][: bar.start()] if bar else match["inside"]
    target = wiki_target(typed_target)
    if not target:
        if not silent and target is None:
            span = parse_state(state).span(state, *match.span())
            hint = "write the heading after a single #, or remove the brackets"
            parse_state(state).report(warning("search-link", span, "this is an Obsidian search, not a link", hint))
        return False
    if not silent:
        _push_link(state, match, typed_target, target, bar.end() if bar else None)
    state.pos = match.end()
    return True


def _push_link(
    state: StateInline, match: re.Match[str], typed_target: str, target: str, label_start: int | None
) -> None:
    start, end, saved_end = match.start("inside"), match.end("inside"), state.posMax
    leading = len(typed_target) - len(typed_target.lstrip())
    trailing_start = max(len(typed_target.rstrip()), leading)
    target_span = parse_state(state).span(state, start, start + len(typed_target))
    report_odd_space(parse_state(state), target_span, "the target of a link")
    state.push("link_open", "a", 1).meta = {"target": target}
    label_text = match["inside"][label_start:] if label_start is not None else ""
    if label_text.strip():
        state.pos = end - len(label_text.lstrip())
        state.posMax = end - (len(label_text) - len(label_text.rstrip()))
        state.linkLevel += 1
        state.md.inline.tokenize(state)
        state.linkLevel -= 1
        state.posMax = saved_end
    else:
        text = state.push("text", "", 0)
        text.content = _default_label(fold_spaces(typed_target).strip())
        text.map = [start + leading, start + trailing_start]
        folders = text.content.rpartition("/")[0]
        if folders and parse_state(state).options.get("short_labels") and not ADDRESS.match(text.content):
            text.content = text.content[len(folders) + 1 :]
            text.map[0] += len(folders) + 1
    state.push("link_close", "a", -1)


def wiki_target(typed: str) -> str | None:
    """The target of a wiki link; empty if it names nothing, `None` for an Obsidian search (`[[##words]]`)."""
    if ADDRESS.match(typed.strip()):
        return typed.strip()
    if typed.strip().startswith(("##", "^^")):
        return None
    path, *fragments = (fold_spaces(part).strip() for part in typed.rstrip("\\ ").split("#"))
    return "#".join([path.removesuffix(".md"), *filter(None, fragments)])


def _default_label(typed: str) -> str:
    return typed if ADDRESS.match(typed) else target_words(typed)

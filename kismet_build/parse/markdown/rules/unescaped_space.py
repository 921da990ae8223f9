"""`[Label](Some Text.md)`: a link or image with spaces in its target, which is plain text in CommonMark."""

import re

from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from kismet_build.parse.markdown.parser import Parser

SUFFIXES = ("md", "markdown", "adoc", "asciidoc", "avif", "bmp", "gif", "jpeg", "jpg", "pdf", "png", "svg", "webp")
"""Suffixes that a target with spaces must have. Without a suffix, the parentheses may be ordinary text."""

SPACED = re.compile(
    r"!?\[(?P<label>(?>(?:[^\[\]\\\n]|\\.)*))\]\("
    r"(?P<target>(?=\S)(?=[^\n\"]* )(?:[^()<>\"\n]|\([^()<>\"\n]*\))*?"
    rf"(?:\.(?:{'|'.join(SUFFIXES)}))(?:#[^()<>\"\n]*)?)\)",
    re.IGNORECASE,
)
"""A link or image with spaces in the path or after `#`, a file suffix, and no title."""


def unescaped_space(parser: Parser) -> None:
    """Add the rule after the rules for links and images."""
    signs = tuple(f".{suffix}" for suffix in SUFFIXES)
    parser.add_inline("[!", "unescaped_space", _parse_target, before="autolink", signs=signs)


def _parse_target(state: StateInline, silent: bool) -> bool:
    match = SPACED.match(state.src, state.pos, state.posMax)
    is_picture = state.src.startswith("!", state.pos)
    if match is None or (state.linkLevel and not is_picture):
        return False
    if not silent:
        if is_picture:
            _push_picture(state, match)
        else:
            _push_link(state, match)
    state.pos = match.end()
    return True


def _push_picture(state: StateInline, match: re.Match[str]) -> None:
    children: list[Token] = []
    state.md.inline.parse(match["label"], state.md, state.env, children)
    token = state.push("image", "img", 0)
    token.attrs = {"src": match["target"], "alt": ""}
    token.children = children
    token.content = match["label"]


def _push_link(state: StateInline, match: re.Match[str]) -> None:
    end = state.posMax
    state.push("link_open", "a", 1).attrs = {"href": match["target"]}
    state.pos, state.posMax = match.span("label")
    state.linkLevel += 1
    state.md.inline.tokenize(state)
    state.linkLevel -= 1
    state.posMax = end
    state.push("link_close", "a", -1)

"""`oversized-embed`: an embed that shows too many texts, or too many levels of them."""

from collections.abc import Mapping, Sequence

from kismet_build.model.book import Anchor, Book
from kismet_build.model.diagnostic import Report, error
from kismet_build.model.nodes import Embed, walk
from kismet_build.pack import Pack

MAX_TEXTS = 500
"""Texts that one embed may show, nested ones included."""

MAX_DEPTH = 20
"""Levels of nested embeds."""


def oversized_embed(pack: Pack, report: Report) -> None:
    """Report every embed that shows more than `MAX_TEXTS` texts or `MAX_DEPTH` levels."""
    book = pack.book
    embeds = [embed for links in book.links.values() for embed in links.embeds]
    targets = {
        anchor: _embedded_in(book, anchor) for embed in embeds if (anchor := book.embedded_anchor(embed)) is not None
    }
    sizes = _sizes(targets)
    for embed in embeds:
        anchor = book.embedded_anchor(embed)
        number, depth = (0, 0) if anchor is None else sizes[anchor]
        if number > MAX_TEXTS or depth > MAX_DEPTH:
            message = f"this shows {number:,} texts, up to {depth} inside each other"
            hint = f"link to some of them: at most {MAX_TEXTS} are shown, at most {MAX_DEPTH} inside each other"
            report(error("oversized-embed", embed.span, message, hint))


def _embedded_in(book: Book, anchor: Anchor) -> tuple[Anchor, ...]:
    """Anchors that the text of an anchor embeds."""
    embeds = (node for node in walk(*book.embedded_blocks(anchor)) if isinstance(node, Embed))
    return tuple(target for embed in embeds if (target := book.embedded_anchor(embed)) is not None)


def _sizes(targets: Mapping[Anchor, Sequence[Anchor]]) -> dict[Anchor, tuple[int, int]]:
    """For each anchor, how many texts its embed shows, itself included, and how many levels. A cycle counts once."""
    sizes: dict[Anchor, tuple[int, int]] = {}
    visited: set[Anchor] = set()
    stack = list(targets)
    while stack:
        anchor = stack[-1]
        if anchor not in visited:
            visited.add(anchor)
            stack.extend(inner for inner in targets[anchor] if inner not in visited)
            continue
        stack.pop()
        if anchor not in sizes:
            parts = [sizes.get(inner, (0, 0)) for inner in targets[anchor]]
            sizes[anchor] = 1 + sum(number for number, _ in parts), 1 + max((depth for _, depth in parts), default=0)
    return sizes

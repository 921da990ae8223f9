"""A text that shows so many others inside each other that nobody could read it."""

from collections.abc import Mapping, Sequence

from kismet_build.model.book import Anchor, Book
from kismet_build.model.diagnostic import Report, error
from kismet_build.model.nodes import Embed, walk
from kismet_build.pack import Pack

MOST = 500
"""So many texts one embed may bring onto a page, those inside each other counted."""

DEEPEST = 20
"""So many texts may stand inside each other."""


def oversized_embed(pack: Pack, report: Report) -> None:
    """Report every embed that brings too many texts with it, or too deep inside each other."""
    book = pack.book
    embeds = [node for chapter in book.chapters for node in chapter.document.links if isinstance(node, Embed)]
    shown = {anchor: _inside(book, anchor) for embed in embeds if (anchor := book.shown(embed)) is not None}
    sizes = _sizes(shown)
    for embed in embeds:
        anchor = book.shown(embed)
        number, depth = (0, 0) if anchor is None else sizes[anchor]
        if number > MOST or depth > DEEPEST:
            message = f"this shows {number:,} texts, up to {depth} inside each other"
            hint = f"link to some of them: at most {MOST} are shown, at most {DEEPEST} inside each other"
            report(error("oversized-embed", embed.span, message, hint))


def _inside(book: Book, anchor: Anchor) -> tuple[Anchor, ...]:
    """The places that a place shows inside itself."""
    embeds = (node for node in walk(*book.extent(anchor)) if isinstance(node, Embed))
    return tuple(place for embed in embeds if (place := book.shown(embed)) is not None)


def _sizes(shown: Mapping[Anchor, Sequence[Anchor]]) -> dict[Anchor, tuple[int, int]]:
    """For each place how many texts come with it, itself included, and how deep; a cycle ends where it closes."""
    sizes: dict[Anchor, tuple[int, int]] = {}
    begun: set[Anchor] = set()
    waiting = list(shown)
    while waiting:
        anchor = waiting[-1]
        if anchor not in begun:
            begun.add(anchor)
            waiting.extend(inner for inner in shown[anchor] if inner not in begun)
            continue
        waiting.pop()
        if anchor not in sizes:
            parts = [sizes.get(inner, (0, 0)) for inner in shown[anchor]]
            sizes[anchor] = 1 + sum(number for number, _ in parts), 1 + max((depth for _, depth in parts), default=0)
    return sizes

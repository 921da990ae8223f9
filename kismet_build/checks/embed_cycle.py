"""Sections that show each other without end."""

from collections.abc import Iterator

from kismet_build.book import Anchor, Book
from kismet_build.diagnostic import Report, error
from kismet_build.entity import Pack
from kismet_build.model import Embed, walk


def embed_cycle(pack: Pack, report: Report) -> None:
    """Report every embed that leads back to the place it stands in."""
    book = pack.book
    for chapter in book.chapters:
        for node in walk(*chapter.document.blocks):
            if isinstance(node, Embed) and (chain := _cycle(book, node)):
                names = " > ".join(anchor.title for anchor in chain)
                hint = "show it in one of these places only, and link to it from the others"
                report(error("embed-cycle", node.span, f"this shows a text that shows itself: {names}", hint))


def _cycle(book: Book, embed: Embed) -> tuple[Anchor, ...]:
    """The places from an embed back to itself, or nothing where it ends."""
    waiting: list[tuple[Embed, tuple[Anchor, ...]]] = [(embed, ())]
    seen: set[Anchor] = set()
    while waiting:
        node, path = waiting.pop()
        for anchor in _shown(book, node):
            chain = (*path, anchor)
            inside = [inner for inner in walk(*book.extent(anchor)) if isinstance(inner, Embed)]
            if any(inner is embed for inner in inside):
                return chain
            if anchor not in seen:
                seen.add(anchor)
                waiting.extend((inner, chain) for inner in inside)
    return ()


def _shown(book: Book, embed: Embed) -> Iterator[Anchor]:
    target = book.targets.get(embed.span)
    if target and target.anchor and target.status in ("ok", "ambiguous", "alias"):
        yield target.anchor

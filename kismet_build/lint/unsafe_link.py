"""`unsafe-link`: a link or image with an address that opens programs, runs scripts or names files of the reader."""

from collections.abc import Iterator

from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.nodes import (
    LINK_URL,
    Document,
    Image,
    RawBlock,
    RawInline,
    is_unsafe_url,
    is_url,
    raw_link_addresses,
)
from kismet_build.model.source import Span
from kismet_build.pack import Pack

LINK_HINT = "a link leads to http:, https:, mailto:, tel: or obsidian://open?"
IMAGE_HINT = "an image comes from a file of the book, https:, http: or data:image/"


def unsafe_link(pack: Pack, report: Report) -> None:
    """Report each link and image whose address is not published."""
    for path, outline in pack.book.outlines.items():
        for span, address, is_link in pack.memo.run("unsafe links", path, _unsafe_links, outline.chapter.document):
            start = address[: address.find(":") + 1] or "//"
            if is_link:
                report(warning("unsafe-link", span, f'a link to "{start}" is shown as words', LINK_HINT))
            else:
                report(warning("unsafe-link", span, f'an image from "{start}" is not shown', IMAGE_HINT))


def _unsafe_links(document: Document) -> tuple[tuple[Span, str, bool], ...]:
    """The span and address of each unsafe link of a document, and whether it is no image."""
    return tuple(_found(document))


def _found(document: Document) -> Iterator[tuple[Span, str, bool]]:
    for node in document.links:
        if node.span.source is document.source and is_unsafe_url(node):
            yield node.span, node.target, not isinstance(node, Image)
    if "href" not in document.source.text.casefold():
        return
    for raw in document.nodes:
        if isinstance(raw, RawBlock | RawInline):
            for address in raw_link_addresses(raw.text):
                if is_url(address) and LINK_URL.match(address) is None:
                    yield raw.span, address, True

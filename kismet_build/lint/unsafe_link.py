"""`unsafe-link`: a link or image with an address that opens programs, runs scripts or refers to files of the reader."""

from collections.abc import Iterator

from kismet_build.model import nodes
from kismet_build.model.diagnostic import Diagnosed, Diagnostic, warning
from kismet_build.model.nodes import LINK_URL, is_unsafe_url, is_url, raw_link_addresses
from kismet_build.model.source import Span

LINK_HINT = "a link may lead to http:, https:, mailto:, tel: or obsidian://open?"
IMAGE_HINT = "an image may be a file in the book, or come from https:, http: or data:image/"


def unsafe_link(document: nodes.Document) -> Diagnosed[None]:
    """A diagnostic for each link and image in a document whose address is not published."""
    return Diagnosed(None, tuple(_found(document)))


def _found(document: nodes.Document) -> Iterator[Diagnostic]:
    for node in document.links:
        if node.span.source == document.source and is_unsafe_url(node):
            yield _diagnostic(node.span, node.target, is_image=isinstance(node, nodes.Image))
    if "href" not in document.source.text.casefold():
        return
    for raw in document.nodes:
        if isinstance(raw, nodes.RawBlock | nodes.RawInline):
            for address in raw_link_addresses(raw.text):
                if is_url(address) and LINK_URL.match(address) is None:
                    yield _diagnostic(raw.span, address, is_image=False)


def _diagnostic(span: Span, address: str, *, is_image: bool) -> Diagnostic:
    start = address[: address.find(":") + 1] or "//"
    if is_image:
        return warning("unsafe-link", span, f'an image from "{start}" is not shown', IMAGE_HINT)
    return warning("unsafe-link", span, f'a link to "{start}" is shown as plain text', LINK_HINT)

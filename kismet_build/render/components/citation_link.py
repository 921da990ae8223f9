"""Lead from a citation to its sentence: a browser that can marks the quoted words, any other stops at the heading."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote as quoted

from kismet_build.mechanics.calculator import Citation
from kismet_build.model.book import Section
from kismet_build.model.nodes import Code, HardBreak, SoftBreak, Text, walk
from kismet_build.model.source import Span
from kismet_build.pack import Cited, Pack
from kismet_build.render.html.addresses import INDEX, root
from kismet_build.render.html.page_context import chapter_address


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Where a number comes from."""

    address: str
    """Relative to the page that it is shown on; empty where the text no longer says so."""
    quote: str
    """The words as the text has them."""
    heading: str
    chapter: str


def why(pack: Pack, citation: Citation, address: str) -> Why:
    """The way from the page at an address to what is cited."""
    cited = pack.cited.get(citation.span)
    if cited is None:
        return Why(address="", quote=citation.quotes[0], heading=citation.heading, chapter=citation.document)
    anchor = cited.section.anchor
    there = chapter_address(pack, anchor)
    page = "" if there == address else f"{root(address)}{there}{INDEX}"
    words = printed(cited)
    return Why(
        address=f"{page}#{quoted(anchor.id)}:~:text={quoted(words, safe='').replace('-', '%2D')}",
        quote=words,
        heading=anchor.title,
        chapter=anchor.chapter.title,
    )


@lru_cache(maxsize=1024)
def printed(cited: Cited) -> str:
    """The cited words as a reader of the page sees them, without markup."""
    return " ".join("".join(_pieces(cited)).split())


def _pieces(cited: Cited) -> Iterator[str]:
    span = cited.span
    for place, words in _words(cited.section):
        if place.source is not span.source or place.end <= span.start or span.end <= place.start:
            continue
        exact = len(words) == place.end - place.start
        yield words[max(0, span.start - place.start) : span.end - place.start] if exact else words


@lru_cache(maxsize=1024)
def _words(section: Section) -> tuple[tuple[Span, str], ...]:
    """The runs of words of a section with their places."""
    found: list[tuple[Span, str]] = []
    for node in walk(*section.blocks):
        match node:
            case Text(value=value) | Code(value=value):
                found.append((node.span, value))
            case SoftBreak() | HardBreak():
                found.append((node.span, " "))
            case _:
                pass
    return tuple(found)

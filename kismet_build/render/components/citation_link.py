"""Links from citations to the cited words: a text fragment for browsers that support it, otherwise the heading."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote as percent_encode

from kismet_build.mechanics.calculator import Citation
from kismet_build.model.book import Section
from kismet_build.model.nodes import Code, HardBreak, SoftBreak, Text, walk
from kismet_build.model.source import Span
from kismet_build.pack import CitedPassage, Pack
from kismet_build.render.fragments.page_context import anchor_page
from kismet_build.render.html.addresses import INDEX, path_to_root


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationLink:
    """A citation for a template."""

    address: str
    """Relative to the page with the link; empty if the document no longer contains the quotation."""
    quote: str
    """The cited words as in the document."""
    heading: str
    chapter: str


def citation_link(pack: Pack, citation: Citation, address: str) -> CitationLink:
    """The link of a citation on the page at this address."""
    cited = pack.cited.get(citation.span)
    if cited is None:
        return CitationLink(address="", quote=citation.quotes[0], heading=citation.heading, chapter=citation.document)
    anchor = cited.section.anchor
    target = anchor_page(pack, anchor)
    page = "" if target == address else f"{path_to_root(address)}{target}{INDEX}"
    words = _plain_quotation(cited)
    return CitationLink(
        # Text fragment, https://wicg.github.io/scroll-to-text-fragment/: a hyphen would be read as syntax.
        address=f"{page}#{percent_encode(anchor.id)}:~:text={percent_encode(words, safe='').replace('-', '%2D')}",
        quote=words,
        heading=anchor.shown_title,
        chapter=anchor.chapter.title,
    )


@lru_cache(maxsize=128)
def _plain_quotation(cited: CitedPassage) -> str:
    """The cited words as shown on the page, without markup."""
    return " ".join("".join(_pieces(cited)).split())


def _pieces(cited: CitedPassage) -> Iterator[str]:
    quoted = cited.span
    for span, words in _words(cited.section):
        if span.source is not quoted.source or span.end <= quoted.start or quoted.end <= span.start:
            continue
        is_verbatim = len(words) == span.end - span.start
        yield words[max(0, quoted.start - span.start) : quoted.end - span.start] if is_verbatim else words


@lru_cache(maxsize=128)
def _words(section: Section) -> tuple[tuple[Span, str], ...]:
    """The pieces of plain text in a section, with their spans."""
    pieces: list[tuple[Span, str]] = []
    for node in walk(*section.blocks):
        match node:
            case Text(value=value) | Code(value=value):
                pieces.append((node.span, value))
            case SoftBreak() | HardBreak():
                pieces.append((node.span, " "))
            case _:
                pass
    return tuple(pieces)

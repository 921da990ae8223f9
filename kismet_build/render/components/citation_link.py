"""Links from citations to the cited words, by a text fragment; a browser without text fragments opens the heading."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote as percent_encode

from kismet_build.mechanics.calculator import Citation
from kismet_build.model.book import Section
from kismet_build.model.nodes import Block, Code, HardBreak, Paragraph, SoftBreak, Text, walk, walk_blocks
from kismet_build.model.source import Span
from kismet_build.pack import CitedPassage, Pack
from kismet_build.render.fragments.page_context import anchor_page
from kismet_build.render.html.addresses import INDEX, path_to_root
from kismet_build.render.html.escape import with_minus


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationLink:
    """A citation for a template."""

    address: str
    """Address relative to the page with the link; empty if the document no longer contains the quotation."""
    quote: str
    """The cited words as the page shows them, or the citation's first quotation if the document no longer contains
    it."""
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
        # In a text fragment, a hyphen is syntax: https://wicg.github.io/scroll-to-text-fragment/.
        address=f"{page}#{percent_encode(anchor.id)}:~:text={percent_encode(words, safe='').replace('-', '%2D')}",
        quote=words,
        heading=anchor.shown_title,
        chapter=anchor.chapter.title,
    )


SENTENCE_END = re.compile(r"[.!?…][)\]\"'”’]*(?=\s+[^\Wa-zß-öø-ÿ]|\s*$)")
"""The end of a sentence: a sign before a capital letter or digit, or at the end of the text."""


def cited_sentence(cited: CitedPassage) -> str:
    """The sentences that contain a quotation, without markup; outside paragraphs, only the quoted words."""
    quoted = cited.span
    paragraphs = (block for block in walk_blocks(*cited.section.blocks) if isinstance(block, Paragraph))
    of_source = (block for block in paragraphs if block.span.source is quoted.source)
    around = next((block for block in of_source if block.span.start <= quoted.start < block.span.end), None)
    if around is None:
        return _plain_quotation(cited)
    before, within = (
        "".join(part) for part in (_pieces_between(around, around.span.start, quoted.start), _pieces(cited))
    )
    text = before + within + "".join(_pieces_between(around, quoted.end, around.span.end))
    ends = [match.end() for match in SENTENCE_END.finditer(text)]
    start = max((end for end in ends if end <= len(before)), default=0)
    end = min((end for end in ends if end >= len(before) + len(within)), default=len(text))
    return with_minus(" ".join(text[start:end].split()))


def _pieces_between(block: Block, start: int, end: int) -> Iterator[str]:
    return _parts(_pieces_of((block,)), block.span.source.span(start, end))


@lru_cache(maxsize=128)
def _plain_quotation(cited: CitedPassage) -> str:
    return " ".join("".join(_pieces(cited)).split())


def _pieces(cited: CitedPassage) -> Iterator[str]:
    return _parts(_words(cited.section), cited.span)


def _parts(pieces: Iterable[tuple[Span, str]], quoted: Span) -> Iterator[str]:
    """The parts of these pieces of text that lie in a span. A piece whose words differ from its source is not cut."""
    for span, words in pieces:
        if span.source is not quoted.source or span.end <= quoted.start or quoted.end <= span.start:
            continue
        is_verbatim = len(words) == span.end - span.start
        yield words[max(0, quoted.start - span.start) : quoted.end - span.start] if is_verbatim else words


@lru_cache(maxsize=128)
def _words(section: Section) -> tuple[tuple[Span, str], ...]:
    return _pieces_of(section.blocks)


def _pieces_of(blocks: Iterable[Block]) -> tuple[tuple[Span, str], ...]:
    pieces: list[tuple[Span, str]] = []
    for node in walk(*blocks):
        match node:
            case Text(value=value) | Code(value=value):
                pieces.append((node.span, value))
            case SoftBreak() | HardBreak():
                pieces.append((node.span, " "))
            case _:
                pass
    return tuple(pieces)

"""Find the passages in the text that calculators and effects cite."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

from kismet_build.config.effect import Effect
from kismet_build.mechanics.calculator import Calculator, Citation, FaultyCalculator
from kismet_build.model import nodes
from kismet_build.model.book import BLOCK_LEVEL, Anchor, Outline, Section
from kismet_build.model.nodes import children, walk
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import CitedPassage, Entity

MAX_MARKUP = 12
"""Maximum number of source characters between two characters of text, such as an HTML entity or a link's brackets."""


class CitedTexts(NamedTuple):
    """Documents with the same name, and the citations that name them."""

    outlines: tuple[Outline, ...]
    citations: tuple[Citation, ...]
    preferred: tuple[Span | None, ...]
    """The span to search first, for each citation; `None` if there is none."""


def cited_texts(
    outlines: Mapping[str, Outline],
    entities: Mapping[str, tuple[Entity, ...]],
    game_id: str,
    calculators: Mapping[str, Calculator],
    effects: Mapping[str, tuple[Effect, ...]],
    faulty: Sequence[FaultyCalculator],
) -> dict[str, CitedTexts]:
    """The cited documents. Documents with the same name form a group, under the path of its first document."""
    by_name: dict[str, list[Citation]] = {}
    citations = [citation for calculator in calculators.values() for citation in calculator.citations()]
    citations += [citation for calculator in faulty for citation in calculator.citations]
    for citation in (*citations, *(effect.citation for of_subject in effects.values() for effect in of_subject)):
        by_name.setdefault(normalize(citation.document), []).append(citation)
    named: dict[str, dict[str, Outline]] = {}
    for path, outline in outlines.items():
        if (name := outline.chapter.citation_name) in by_name:
            named.setdefault(name, {})[path] = outline
    subjects = _effect_spans(game_id, effects, entities)
    return {
        next(iter(of_name)): CitedTexts(
            tuple(of_name.values()),
            tuple(by_name[name]),
            tuple(subjects.get(citation.span) for citation in by_name[name]),
        )
        for name, of_name in named.items()
    }


def find_citations(cited: CitedTexts) -> dict[Span, CitedPassage]:
    """The quoted passage of each citation, by the span of the citation. Stale citations are left out."""
    finder = _Finder(cited.outlines)
    places: dict[Span, CitedPassage] = {}
    for citation, span in zip(cited.citations, cited.preferred, strict=True):
        if citation.span not in places and (passage := finder.find(citation, span)) is not None:
            places[citation.span] = passage
    return places


def join_citations(places: Mapping[str, Mapping[Span, CitedPassage]]) -> dict[Span, CitedPassage]:
    """The cited passages of all documents. `places`: the cited passages by document."""
    return {span: passage for of_document in places.values() for span, passage in of_document.items()}


def _effect_spans(
    game_id: str, effects: Mapping[str, tuple[Effect, ...]], entities: Mapping[str, tuple[Entity, ...]]
) -> dict[Span, Span]:
    """The span of the entity with an effect, by the span of the effect's citation.

    Other list items may contain the same quote.
    """
    citations = {
        f"{game_id}/{subject}": [effect.citation.span for effect in of_subject]
        for subject, of_subject in effects.items()
    }
    if not citations:
        return {}
    return {
        citation: entity.span
        for of_document in entities.values()
        for entity in of_document
        for citation in citations.get(entity.id, ())
    }


@dataclass(frozen=True, slots=True)
class _Passage:
    """The text of a paragraph, table cell, heading or other unit."""

    span: Span
    pieces: tuple[tuple[Span, str], ...]
    """The text without markup, one part for each node, with the node's span."""


@dataclass(frozen=True, slots=True)
class _SectionText:
    """The normalized text of a section, in which to search for quotes."""

    text: str
    """The passages, joined by spaces."""
    starts: tuple[int, ...]
    """Offset of each passage in `text`, followed by the offset after the last passage."""
    passages: tuple[_Passage, ...]
    """The heading, followed by the passages below it."""


class _Finder:
    """Finds citations in documents. Normalized text is cached."""

    def __init__(self, outlines: Sequence[Outline]) -> None:
        self._anchors: dict[tuple[str, str], list[Anchor]] = {}
        """Anchors of headings, by normalized document name and title."""
        self._sections: dict[Anchor, list[Section]] = {}
        """Sections at and below each heading, in that order."""
        self._section_texts: dict[Section, _SectionText] = {}
        self._letter_counts: dict[str, int] = {}
        """Number of non-space characters in a text after normalization."""
        self._letter_offsets: dict[Span, list[int]] = {}
        """The source offset of each non-space character of a text node after normalization."""
        for outline in outlines:
            key = outline.chapter.citation_name
            for anchor in outline.anchors:
                if 0 < anchor.level < BLOCK_LEVEL:
                    self._anchors.setdefault((key, normalize(anchor.title)), []).append(anchor)
            sections = outline.sections
            for section in sections:
                for anchor in section.headings:
                    self._sections.setdefault(anchor, []).append(section)
            for anchor in outline.anchors:
                # A heading in a block quote does not start a section: its text belongs to the section around the quote.
                if 0 < anchor.level < BLOCK_LEVEL and anchor not in self._sections:
                    before = [section for section in sections if section.anchor.span.start <= anchor.span.start]
                    self._sections[anchor] = before[-1:]

    def find(self, citation: Citation, preferred: Span | None = None) -> CitedPassage | None:
        """The first place of a quote in the `preferred` span, else the first place anywhere; `None` if not found."""
        elsewhere = None
        anchors = self._anchors.get((normalize(citation.document), normalize(citation.heading)), ())
        for quote in citation.quotes:
            wanted = normalize(quote)
            for anchor in anchors:
                for section in self._sections.get(anchor, ()):
                    content = self._section_text(section)
                    search_start = content.starts[section.anchor == anchor]  # skip the cited heading itself
                    for start in _occurrences(content.text, wanted, search_start):
                        cited = CitedPassage(self._source_span(content, start, start + len(wanted)), section, quote)
                        if preferred is None or _contains(preferred, cited.span):
                            return cited
                        elsewhere = elsewhere or cited
        return elsewhere

    def _section_text(self, section: Section) -> _SectionText:
        if section not in self._section_texts:
            heading = section.anchor.node
            title = heading.children if isinstance(heading, nodes.Heading) else ()
            passages = (_passage(section.anchor.span, title), *_passages(section.blocks))
            starts, texts, length = [], [], 0
            for passage in passages:
                texts.append(normalize("".join(text for _, text in passage.pieces)))
                starts.append(length)
                length += len(texts[-1]) + 1
            self._section_texts[section] = _SectionText(" ".join(texts), (*starts, length), passages)
        return self._section_texts[section]

    def _source_span(self, content: _SectionText, start: int, end: int) -> Span:
        """Source span of a part of the normalized text, which may span several passages."""
        first = bisect_right(content.starts, start) - 1
        last = bisect_right(content.starts, end - 1) - 1
        first_letter = _letter_count(content.text, content.starts[first], start)
        last_letter = _letter_count(content.text, content.starts[last], end) - 1
        source_start = self._letter_offset(content.passages[first], first_letter)
        source_end = self._letter_offset(content.passages[last], last_letter) + 1
        return content.passages[first].span.source.span(source_start, source_end)

    def _letter_offset(self, passage: _Passage, number: int) -> int:
        """Source offset of a non-space character of a normalized passage, counted from 0."""
        for span, text in passage.pieces:
            if text not in self._letter_counts:
                normalized = normalize(text)
                self._letter_counts[text] = len(normalized) - normalized.count(" ")
            if number < self._letter_counts[text]:
                if span not in self._letter_offsets:
                    is_verbatim = span.end - span.start == len(text)
                    offsets = range(span.start, span.end) if is_verbatim else _aligned_offsets(span, text)
                    spelled = zip(offsets, text, strict=True)
                    if text.isascii():
                        self._letter_offsets[span] = [offset for offset, letter in spelled if not letter.isspace()]
                    else:
                        self._letter_offsets[span] = [
                            offset for offset, letter in spelled for _ in range(_normalized_length(letter))
                        ]
                return self._letter_offsets[span][number]
            number -= self._letter_counts[text]
        raise AssertionError("a passage must have as many letters as its normalized text")


def _contains(outer: Span, inner: Span) -> bool:
    return outer.source == inner.source and outer.start <= inner.start and inner.end <= outer.end


def _occurrences(text: str, wanted: str, start: int) -> Iterator[int]:
    """Offsets of a phrase in a text, as whole words: `+ 5` is not found in `+ 50` or `+ 5.5`."""
    offset = text.find(wanted, start)
    while offset >= 0:
        end = offset + len(wanted)
        continues_before = offset > start and wanted[:1].isalnum() and text[offset - 1].isalnum()
        is_decimal = text[end : end + 1] in (".", ",") and text[end + 1 : end + 2].isdigit()
        continues_after = wanted[-1:].isalnum() and (text[end : end + 1].isalnum() or is_decimal)
        if not continues_before and not continues_after:
            yield offset
        offset = text.find(wanted, offset + 1)


def _passages(blocks: tuple[nodes.Block, ...]) -> Iterator[_Passage]:
    pending: list[nodes.Node] = list(reversed(blocks))
    while pending:
        node = pending.pop()
        match node:
            case nodes.Heading() | nodes.Paragraph():
                yield _passage(node.span, node.children)
                continue
            case nodes.CodeBlock(span=span, text=text):
                yield _Passage(span, ((span, text),))
            case nodes.Callout(title=title) | nodes.DefinitionItem(term=title) | nodes.Table(caption=title) if title:
                yield _passage(title[0].span.source.span(title[0].span.start, title[-1].span.end), title)
                pending.extend(reversed([child for child in children(node) if child not in title]))
                continue
            case _:
                pass
        pending.extend(reversed(children(node)))


def _passage(span: Span, inlines: tuple[nodes.Inline, ...]) -> _Passage:
    pieces = []
    for node in walk(*inlines):
        match node:
            case nodes.Text(value=value) | nodes.Code(value=value):
                pieces.append((node.span, value))
            case nodes.SoftBreak() | nodes.HardBreak():
                pieces.append((node.span, " "))
            case nodes.Embed(target=target, label=label):
                pieces.append((node.span, label or target))
            case _:
                pass
    return _Passage(span, tuple(pieces))


def _aligned_offsets(span: Span, text: str) -> Iterator[int]:
    """Approximate source offset of each character of a text whose source has escapes or entities."""
    source = span.text
    position = 0
    for letter, following in zip_longest(text, text[1:], fillvalue=""):
        candidates = (
            index
            for index in range(position, min(position + MAX_MARKUP, len(source)))
            if _is_same_letter(source[index], letter)
            and (index == position or _is_same_letter(source[index + 1 : index + 2], following))
        )
        index = next(candidates, None)
        yield span.start + min(position if index is None else index, len(source) - 1)
        position = position if index is None else index + 1


def _is_same_letter(letter: str, other: str) -> bool:
    return letter == other or (letter.isspace() and other.isspace())


def _letter_count(text: str, start: int, end: int) -> int:
    """Number of non-space characters in a part of a normalized text.

    This number does not depend on how spaces are folded.
    """
    return end - start - text.count(" ", start, end)


@cache
def _normalized_length(letter: str) -> int:
    return len(normalize(letter))

"""Find the passages that calculators and the like cite, so that they stand beside the text and nobody cites in vain."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest

from kismet_build.mechanics.calculator import Citation
from kismet_build.model.book import BLOCK, Anchor, Chapter, Section
from kismet_build.model.nodes import (
    Block,
    Callout,
    Code,
    CodeBlock,
    DefinitionItem,
    Embed,
    HardBreak,
    Heading,
    Inline,
    Node,
    Paragraph,
    SoftBreak,
    Table,
    Text,
    children,
    walk,
)
from kismet_build.model.source import Source, Span
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Cited, Pack

AHEAD = 12
"""So many letters of the source may stand for one of the words: an entity, the brackets of a repair."""


def find_citations(pack: Pack) -> Pack:
    """The pack with the place of every quote that stands where its citation says."""
    return pack.plus(cited=_found_of(pack, pack.book.chapters, pack.game.citations()))


def cite_again(pack: Pack, old: Source, chapter: Chapter) -> Pack:
    """The pack with the quotes of a chapter at the places where they stand now."""
    citations = [one for one in pack.game.citations() if normalize(one.document) == chapter.key]
    if not citations:
        return pack
    of_name = [one for one in pack.book.chapters if one.key == chapter.key]
    spans = {one.span for one in citations}
    cited = {span: one for span, one in pack.cited.items() if span not in spans and one.span.source is not old}
    return pack.plus(cited=cited | _found_of(pack, of_name, citations))


def _found_of(pack: Pack, chapters: Sequence[Chapter], citations: Iterable[Citation]) -> dict[Span, Cited]:
    citations = tuple(citations)
    wanted = {normalize(one.document) for one in citations}
    finder = _Finder(pack, [chapter for chapter in chapters if chapter.key in wanted])
    homes = _homes(pack)
    cited: dict[Span, Cited] = {}
    for citation in citations:
        home = homes.get(citation.span)
        if citation.span not in cited and (found := finder.find(citation, home)) is not None:
            cited[citation.span] = found
    return cited


def _homes(pack: Pack) -> dict[Span, Span]:
    """For each citation of an effect where that stands which has it: entries of a list may say the same alike."""
    return {
        effect.citation.span: entity.span
        for subject, effects in pack.game.effects.items()
        if (entity := pack.by_id.get(f"{pack.game.id}/{subject}")) is not None
        for effect in effects
    }


@dataclass(frozen=True, slots=True)
class _Passage:
    """A run of text in one block, as an author reads it: a paragraph, a cell, a title."""

    span: Span
    pieces: tuple[tuple[Span, str], ...]
    """The words without markup, each run of them with its place."""


@dataclass(frozen=True, slots=True)
class _Words:
    """All words of a section, folded, so that a quote is found at once."""

    text: str
    starts: tuple[int, ...]
    """Where in the text each passage starts, and where another would."""
    passages: tuple[_Passage, ...]
    """The title first, and then what stands below it."""


class _Finder:
    """Looks citations up; what it has folded once it keeps."""

    def __init__(self, pack: Pack, chapters: Sequence[Chapter]) -> None:
        self._anchors: dict[tuple[str, str], list[Anchor]] = {}
        self._sections: dict[Anchor, list[Section]] = {}
        self._words: dict[Section, _Words] = {}
        self._counts: dict[str, int] = {}
        self._letters: dict[Span, list[int]] = {}
        for chapter in chapters:
            key = chapter.key
            for anchor in pack.book.anchors[chapter.source]:
                if 0 < anchor.level < BLOCK:
                    self._anchors.setdefault((key, normalize(anchor.title)), []).append(anchor)
            sections = pack.book.sections[chapter.source]
            for section in sections:
                for anchor in section.headings:
                    self._sections.setdefault(anchor, []).append(section)
            for anchor in pack.book.anchors[chapter.source]:
                # A heading in a quote opens no section: what stands below it is a part of the one around it.
                if 0 < anchor.level < BLOCK and anchor not in self._sections:
                    before = [one for one in sections if one.anchor.span.start <= anchor.span.start]
                    self._sections[anchor] = before[-1:]

    def find(self, citation: Citation, home: Span | None = None) -> Cited | None:
        """Where one of the quotes stands, the first in its home or else the first; `None` where none is to be found."""
        elsewhere = None
        anchors = self._anchors.get((normalize(citation.document), normalize(citation.heading)), ())
        for quote in citation.quotes:
            wanted = normalize(quote)
            for anchor in anchors:
                for section in self._sections.get(anchor, ()):
                    words = self._folded(section)
                    for start in _found(words.text, wanted, words.starts[section.anchor is anchor]):
                        cited = Cited(self._place(words, start, start + len(wanted)), section, quote)
                        if home is None or _holds(home, cited.span):
                            return cited
                        elsewhere = elsewhere or cited
        return elsewhere

    def _folded(self, section: Section) -> _Words:
        if section not in self._words:
            heading = section.anchor.node
            title = heading.children if isinstance(heading, Heading) else ()
            passages = (_passage(section.anchor.span, title), *_passages(section.blocks))
            starts, texts, length = [], [], 0
            for passage in passages:
                texts.append(normalize("".join(words for _, words in passage.pieces)))
                starts.append(length)
                length += len(texts[-1]) + 1
            self._words[section] = _Words(" ".join(texts), (*starts, length), passages)
        return self._words[section]

    def _place(self, words: _Words, start: int, end: int) -> Span:
        """The place in the source of a part of the folded words; of several passages from the first to the last."""
        first = bisect_right(words.starts, start) - 1
        last = bisect_right(words.starts, end - 1) - 1
        one = self._letter(words.passages[first], _letters(words.text, words.starts[first], start))
        other = self._letter(words.passages[last], _letters(words.text, words.starts[last], end) - 1)
        return words.passages[first].span.source.span(one, other + 1)

    def _letter(self, passage: _Passage, number: int) -> int:
        """Where in the source a folded letter of a passage stands."""
        for span, words in passage.pieces:
            if words not in self._counts:
                folded = normalize(words)
                self._counts[words] = len(folded) - folded.count(" ")
            if number < self._counts[words]:
                if span not in self._letters:
                    exact = span.end - span.start == len(words)
                    places = range(span.start, span.end) if exact else _aligned(span, words)
                    spelled = zip(places, words, strict=True)
                    if words.isascii():
                        self._letters[span] = [place for place, letter in spelled if not letter.isspace()]
                    else:
                        self._letters[span] = [place for place, letter in spelled for _ in range(_width(letter))]
                return self._letters[span][number]
            number -= self._counts[words]
        raise AssertionError("a passage has as many letters as the words that were folded from it")


def _holds(home: Span, span: Span) -> bool:
    return home.source is span.source and home.start <= span.start and span.end <= home.end


def _found(text: str, wanted: str, start: int) -> Iterator[int]:
    """Where some words stand as whole words: `+ 5` is not found in `+ 50` or `+ 5.5`."""
    place = text.find(wanted, start)
    while place >= 0:
        end = place + len(wanted)
        before = place > start and wanted[:1].isalnum() and text[place - 1].isalnum()
        after = wanted[-1:].isalnum() and (
            text[end : end + 1].isalnum() or (text[end : end + 1] in (".", ",") and text[end + 1 : end + 2].isdigit())
        )
        if not before and not after:
            yield place
        place = text.find(wanted, place + 1)


def _passages(blocks: tuple[Block, ...]) -> Iterator[_Passage]:
    waiting: list[Node] = list(reversed(blocks))
    while waiting:
        node = waiting.pop()
        match node:
            case Heading() | Paragraph():
                yield _passage(node.span, node.children)
                continue
            case CodeBlock(span=span, text=text):
                yield _Passage(span, ((span, text),))
            case Callout(title=words) | DefinitionItem(term=words) | Table(caption=words) if words:
                yield _passage(words[0].span.source.span(words[0].span.start, words[-1].span.end), words)
                waiting.extend(reversed([child for child in children(node) if child not in words]))
                continue
            case _:
                pass
        waiting.extend(reversed(children(node)))


def _passage(span: Span, inlines: tuple[Inline, ...]) -> _Passage:
    pieces = []
    for node in walk(*inlines):
        match node:
            case Text(value=value) | Code(value=value):
                pieces.append((node.span, value))
            case SoftBreak() | HardBreak():
                pieces.append((node.span, " "))
            case Embed(target=target, label=label):
                pieces.append((node.span, label or target))
            case _:
                pass
    return _Passage(span, tuple(pieces))


def _aligned(span: Span, words: str) -> Iterator[int]:
    """Where each letter of some words stands in a source that spells them otherwise: with escapes, with entities."""
    text = span.text
    place = 0
    for letter, following in zip_longest(words, words[1:], fillvalue=""):
        ahead = (
            here
            for here in range(place, min(place + AHEAD, len(text)))
            if _alike(text[here], letter) and (here == place or _alike(text[here + 1 : here + 2], following))
        )
        found = next(ahead, None)
        yield span.start + min(place if found is None else found, len(text) - 1)
        place = place if found is None else found + 1


def _alike(one: str, other: str) -> bool:
    return one == other or (one.isspace() and other.isspace())


def _letters(text: str, start: int, end: int) -> int:
    """How many signs of a part of a folded text are no spaces: they are the same however the spaces were folded."""
    return end - start - text.count(" ", start, end)


@cache
def _width(letter: str) -> int:
    """How many letters a sign folds to."""
    return len(normalize(letter))

"""Make links of names that stand in the text as plain words, once in each section and in each entry."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from kismet_build.config.autolink import AmbiguousMention, Piece, Pieces
from kismet_build.crossref.phrase_index import PhraseIndex
from kismet_build.crossref.text_runs import Run, paragraphs, runs
from kismet_build.mechanics.dice.find import find
from kismet_build.model.book import Chapter
from kismet_build.model.nodes import Block, Text
from kismet_build.model.renewed import Renewed, RenewedRow
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Mention, Pack, section_id

__all__ = ["PhraseIndex", "autolink", "autolink_again"]

BESIDE = re.compile(r"\s(?:of\s|the\s)*[A-Z]")
"""A capital right after a name, which may then be part of a longer one."""


def autolink(pack: Pack) -> Pack:
    """The pack with the links that its words make by themselves, and with what a person should look at."""
    spellings = PhraseIndex(pack)
    if not spellings.phrases:
        return pack
    written = [one for one in pack.mentions if one.span in pack.link_entities]
    finds = _Finds(spellings, written)
    for chapter in pack.book.chapters:
        finds.look_through(pack, chapter)
    order = {chapter.source: place for place, chapter in enumerate(pack.book.chapters)}
    in_text = sorted([*written, *finds.mentions], key=lambda one: (order[one.span.source], one.span.start))
    others = [one for one in pack.mentions if one.span not in pack.link_entities]
    return pack.plus(
        autolinks=finds.links(), ambiguous_mentions=tuple(finds.ambiguous_mentions), mentions=(*in_text, *others)
    )


def autolink_again(pack: Pack, chapter: Chapter, spellings: PhraseIndex) -> Pack:
    """The pack with the links of the words of a chapter, in place of those in its old version.

    Its mentions are not in the order of the book any more.
    """
    source = chapter.source
    mentions = pack.mentions_in.get(source.path, ())
    finds = _Finds(spellings, [one for one in mentions if one.span in pack.link_entities])
    finds.look_through(pack, chapter)
    return pack.with_mentions(
        source,
        [*mentions, *finds.mentions],
        autolinks=Renewed(pack.autolinks, [source.path], finds.links()),
        ambiguous_mentions=RenewedRow(pack.ambiguous_mentions, source.path, finds.ambiguous_mentions),
    )


class _Around:
    """The entities of a text by the places that they are around."""

    def __init__(self, entities: Sequence[Entity]) -> None:
        marks: dict[int, tuple[list[Entity], list[Entity]]] = {}
        for entity in entities:
            marks.setdefault(entity.span.start, ([], []))[0].append(entity)
            marks.setdefault(entity.span.end, ([], []))[1].append(entity)
        self.places = sorted(marks)
        self.open: list[tuple[str, ...]] = []
        now: dict[Entity, None] = {}
        for place in self.places:
            begins, ends = marks[place]
            for entity in ends:
                now.pop(entity, None)
            now.update(dict.fromkeys(one for one in begins if one.span.end > place))
            by_size = sorted(now, key=lambda one: one.span.end - one.span.start)
            self.open.append(tuple(map(attrgetter("id"), by_size)))

    def at(self, place: int) -> tuple[str, ...]:
        """The ids of the entities around an offset, the smallest first."""
        index = bisect_right(self.places, place) - 1
        return self.open[index] if index >= 0 else ()


class _Finds:
    """What was found so far."""

    def __init__(self, names: PhraseIndex, written: Iterable[Mention]) -> None:
        self.names = names
        # Where an author linked something, the words beside it need no link.
        self.written = {(one.origin, one.target) for one in written}
        """What links to what by the hand of an author."""
        self.seen: set[tuple[str, str]] = set()
        """What links to what in the section at hand."""
        self.told: frozenset[str] = frozenset()
        """What the heading of the section at hand names."""
        self.pieces: dict[Span, tuple[str, list[Piece]]] = {}
        """For words that hold a name, these words, and what of them links."""
        self.mentions: list[Mention] = []
        self.ambiguous_mentions: list[AmbiguousMention] = []

    def look_through(self, pack: Pack, chapter: Chapter) -> None:
        """Look through the sections of a chapter."""
        around = _Around(pack.by_source.get(chapter.source, ()))
        for section in pack.book.sections[chapter.source]:
            # What a heading names is told below it.
            self.told = self.names.by_title.get(normalize(section.anchor.title), frozenset())
            self.look(section.blocks, around, section_id(pack.game, section))

    def links(self) -> dict[Span, Pieces]:
        """The parts of words that link, by the place of the words."""
        return {span: Pieces(words, tuple(several)) for span, (words, several) in self.pieces.items()}

    def look(self, blocks: Iterable[Block], around: _Around, section: str) -> None:
        """Look through the blocks of a section."""
        self.seen = set()
        for paragraph in paragraphs(blocks):
            for run in runs(paragraph):
                if self.names.may_stand_in(run.text):
                    self._run(run, around, section)

    def _run(self, run: Run, around: _Around, section: str) -> None:
        dice: list[tuple[int, int]] | None = None
        for start, end, key in self.names.within(run.text):
            ids = self.names.phrases[key]
            if not ids:
                continue
            found = _found(run, start, end, key, ids)
            open_ = around.at(found.place.start)
            origin = open_[0] if open_ else section
            if not self.told.union(open_).isdisjoint(ids) or self._is_linked(origin, ids):
                continue
            if dice is None:
                dice = [(one.start, one.end) for one in find(run.text)]
            low = bisect_right(dice, (start, len(run.text)))
            if all(last <= start or end <= first for first, last in dice[max(0, low - 1) : low + 1]):
                self._take(run, found, origin)

    def _is_linked(self, origin: str, ids: Sequence[str]) -> bool:
        return any((origin, one) in self.seen or (origin, one) in self.written for one in ids)

    def _take(self, run: Run, found: "_Found", origin: str) -> None:
        """Make a link of a name, or say why that is doubtful."""
        words, place = run.text[found.start : found.end], found.place
        if len(found.ids) > 1:
            self.ambiguous_mentions.append(AmbiguousMention(words, place, "shared", found.ids, links=False))
        elif self.names.is_common(found.key) and (words.islower() or run.starts_at(found.start)):
            self.ambiguous_mentions.append(AmbiguousMention(words, place, "common", found.ids, links=False))
        else:
            target = found.ids[0]
            if BESIDE.match(run.text, found.end):
                self.ambiguous_mentions.append(AmbiguousMention(words, place, "longer", found.ids, links=True))
            self.seen.add((origin, target))
            self.mentions.append(Mention(origin, target, place, is_found=True))
            for node, start, end, opens, closes in found.parts:
                self.pieces.setdefault(node.span, (node.value, []))[1].append(Piece(start, end, target, opens, closes))


class _Found(NamedTuple):
    """A name in a run."""

    start: int
    end: int
    key: str
    ids: tuple[str, ...]
    parts: tuple["_Part", ...]
    """The nodes that it stands in."""
    place: Span
    """Where it stands in its source; all of its run where the source spells that in another way."""


class _Part(NamedTuple):
    """A node with a name in it, or with a part of one."""

    node: Text
    start: int
    end: int
    """Where in its words the name stands."""
    opens: bool
    """The name begins there."""
    closes: bool
    """It ends there."""


def _found(run: Run, start: int, end: int, key: str, ids: tuple[str, ...]) -> _Found:
    parts = tuple(_parts(run, start, end))
    (first, *_), (last, *_) = parts[0], parts[-1]
    from_, to = first.span.start, last.span.end
    if run.is_as_typed:
        from_, to = from_ + parts[0].start, last.span.start + parts[-1].end
    return _Found(start, end, key, ids, parts, first.span.source.span(from_, to))


def _parts(run: Run, start: int, end: int) -> Iterator[_Part]:
    starts = run.starts
    for number in range(bisect_right(starts, start) - 1, len(run.nodes)):
        node, place = run.nodes[number], starts[number]
        if place >= end:
            return
        if isinstance(node, Text):
            last = place + len(node.value)
            yield _Part(node, max(start, place) - place, min(end, last) - place, start >= place, end <= last)

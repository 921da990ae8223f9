"""Make links of names that stand in the text as plain words, once in each section and in each entry."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple

from kismet_build.book import Chapter
from kismet_build.dice.find import find
from kismet_build.entity import Entity, Mention, Pack, section_id
from kismet_build.linking import NAME, Doubt, Linking, Piece, Pieces, plural
from kismet_build.model import (
    Block,
    BlockQuote,
    Callout,
    CodeBlock,
    DefinitionItem,
    Emphasis,
    HardBreak,
    Heading,
    Highlight,
    Inline,
    Node,
    Paragraph,
    RawBlock,
    SoftBreak,
    Strikethrough,
    Strong,
    Table,
    Text,
    ThematicBreak,
    children,
    plain_text,
)
from kismet_build.name import FOLDED, fold
from kismet_build.source import Source, Span

WORD = re.compile(r"[^\W_]+")
JOIN = "-‐‑–"
"""What makes one word of two; and a range of two numbers."""
OWNED = re.compile(r"[’']s?(?!\w)")
"""What follows the name of an owner."""
SET_OFF = re.compile(r"\s*:|\s+[–—-]\s|—")
"""What stands between a label and what it is a label of."""
START = re.compile(r"(?:^|[.!?:…·•|–—][)\]\"'”’]*)[\s(\[\"'“‘]*\Z")
"""What stands before the first word of a sentence."""
CONTEXT = 40
"""So many characters before a name tell whether it starts a sentence."""
BESIDE = re.compile(r"\s(?:of\s|the\s)*[A-Z]")
"""A capital right after a name, which may then be part of a longer one."""


def self_link(pack: Pack) -> Pack:
    """The pack with the links that its words make by themselves, and with what a person should look at."""
    spellings = Spellings(pack)
    if not spellings.phrases:
        return pack
    written = [one for one in pack.mentions if one.span in pack.link_entities]
    finds = _Finds(spellings, written)
    for chapter in pack.book.chapters:
        finds.look_through(pack, chapter)
    order = {chapter.source: place for place, chapter in enumerate(pack.book.chapters)}
    in_text = sorted([*written, *finds.mentions], key=lambda one: (order[one.span.source], one.span.start))
    others = [one for one in pack.mentions if one.span not in pack.link_entities]
    return replace(pack, self_links=finds.links(), doubts=tuple(finds.doubts), mentions=(*in_text, *others))


def self_link_again(pack: Pack, old: Source, chapter: Chapter, spellings: "Spellings") -> Pack:
    """The pack with the links of the words of a chapter, in place of those in its old version.

    Its mentions are not in the order of the book any more.
    """
    written = [one for one in pack.mentions if one.span.source is chapter.source and one.span in pack.link_entities]
    finds = _Finds(spellings, written)
    finds.look_through(pack, chapter)
    links = {span: pieces for span, pieces in pack.self_links.items() if span.source is not old}
    doubts = [doubt for doubt in pack.doubts if doubt.span.source is not old]
    return replace(
        pack,
        self_links=links | finds.links(),
        doubts=(*doubts, *finds.doubts),
        mentions=(*pack.mentions, *finds.mentions),
    )


class Spellings:
    """Every spelling that may become a link, with what it names."""

    def __init__(self, pack: Pack) -> None:
        """Take note of the names of all entities of a pack."""
        self.linking: Linking = pack.game.linking
        self.key = fold if self.linking.any_case else _as_written
        by_name: dict[str, list[Entity]] = {}
        self.phrases: dict[str, tuple[str, ...]] = {}
        """The ids of what a spelling names; none for one that never links."""
        plurals: dict[str, tuple[str, ...]] = {}
        silent: list[str] = []
        for entity in pack.every():
            for name in dict.fromkeys((entity.name, *entity.aliases)):
                by_name.setdefault(fold(name), []).append(entity)
                forms = self.linking.forms(entity.kind)
                if not forms and " " in name:
                    # It never links, and is no place for the name of something else.
                    silent.append(name)
                for form in forms:
                    if form == NAME and name.islower() and " " not in name and not self.linking.any_case:
                        continue
                    words = form.replace(NAME, name)
                    self._add(self.phrases, words, entity.id)
                    self._add(plurals, plural(words, pack.game.language), entity.id)
        for words, ids in plurals.items():
            self.phrases.setdefault(words, ids)
        for name in silent:
            for words in (name, plural(name, pack.game.language)):
                if words:
                    self.phrases.setdefault(self.key(words), ())
        for words, name in self.linking.also.items():
            self.phrases.pop(self.key(words), None)
            for entity in by_name.get(fold(name), ()):
                if self.linking.forms(entity.kind):
                    self._add(self.phrases, words, entity.id)
        for words in self.linking.never:
            self.phrases[self.key(words)] = ()
        self.lengths = _lengths(self.phrases)
        self.by_title: dict[str, frozenset[str]] = {}
        """The same by the folded spelling, as titles are in capitals."""
        for words, ids in self.phrases.items():
            self.by_title[fold(words)] = self.by_title.get(fold(words), frozenset()).union(ids)
        shared = {self.key(words): f"{pack.game.id}/{kind}/" for words, kind in self.linking.shared.items()}
        for words, start in shared.items():
            ids = self.phrases.get(words, ())
            self.phrases[words] = tuple(one for one in ids if one.startswith(start)) or ids
        self.common = None if self.linking.common is None else frozenset(map(self.key, self.linking.common))

    def _add(self, phrases: dict[str, tuple[str, ...]], words: str, target: str) -> None:
        # A name that ends in a sign could not be told from the words around it.
        if words and words[0].isalnum() and words[-1].isalnum():
            key = self.key(words)
            phrases[key] = tuple(dict.fromkeys((*phrases.get(key, ()), target)))

    def is_common(self, key: str) -> bool:
        """Whether a name may be meant plainly where it starts a sentence or has no capital."""
        return WORD.fullmatch(key) is not None if self.common is None else key in self.common

    def within(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where names stand in a text, the longest first: from, up to, and their spelling as a key."""
        folded = text.casefold() if self.linking.any_case else text
        # Most texts hold no word that a name begins with, and that is seen at once.
        if text.isascii() and self.lengths.keys().isdisjoint(WORD.findall(folded)):
            return
        words = [found.span() for found in WORD.finditer(text)]
        place, last = 0, len(words)
        while place < last:
            start, end = words[place]
            first = folded[start:end] if len(folded) == len(text) else text[start:end]
            if first not in self.lengths and not first.isascii():
                first = self.key(first)
            following = place + 1
            for length in self.lengths.get(first, ()):
                if place + length > last:
                    continue
                end = words[place + length - 1][1]
                key = self.key(text[start:end])
                if key in self.phrases and _is_whole(text, start, end):
                    yield start, end, key
                    following = place + length
                    break
            place = following


def _as_written(words: str) -> str:
    """Words with one spelling of signs, and one space between them."""
    if words.isalnum():
        return words
    return " ".join(words.translate(FOLDED_SIGNS).split())


FOLDED_SIGNS = {sign: plain for sign, plain in FOLDED.items() if not chr(sign).isalpha()}


def _lengths(phrases: Iterable[str]) -> Mapping[str, tuple[int, ...]]:
    """For each word that a spelling begins with, how many words such spellings have, the longest first."""
    found: dict[str, set[int]] = {}
    for phrase in phrases:
        words = WORD.findall(phrase)
        found.setdefault(words[0], set()).add(len(words))
    return {first: tuple(sorted(lengths, reverse=True)) for first, lengths in found.items()}


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether words are not parts of longer ones. A name may own something: `Anna’s`."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before in JOIN + "_'’" and before:
        return False
    if after in ("'", "’"):
        return OWNED.match(text, end) is not None or not text[end + 1 : end + 2].isalnum()
    return not after or after not in JOIN + "_" or not text[end + 1 : end + 2].isalnum()


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


class _Run(NamedTuple):
    """Words that follow each other, over the ends of lines."""

    text: str
    nodes: tuple[Text | SoftBreak, ...]
    starts: tuple[int, ...]
    """Where each node starts in the text."""
    is_as_typed: bool
    """The source spells its words as they read, sign by sign."""
    before: str
    """What stands before it in its paragraph."""

    def starts_at(self, place: int) -> bool:
        """Whether a sentence starts at an offset."""
        if place >= CONTEXT:
            return START.search("x" + self.text[place - CONTEXT : place]) is not None
        return START.search(self.before + self.text[:place]) is not None


class _Finds:
    """What was found so far."""

    def __init__(self, names: Spellings, written: Iterable[Mention]) -> None:
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
        self.doubts: list[Doubt] = []

    def look_through(self, pack: Pack, chapter: Chapter) -> None:
        """Look through the sections of a chapter."""
        around = _Around(pack.by_source.get(chapter.source, ()))
        for section in pack.book.sections[chapter.source]:
            # What a heading names is told below it.
            self.told = self.names.by_title.get(fold(section.anchor.title), frozenset())
            self.look(section.blocks, around, section_id(pack.game, section))

    def links(self) -> dict[Span, Pieces]:
        """The parts of words that link, by the place of the words."""
        return {span: Pieces(words, tuple(several)) for span, (words, several) in self.pieces.items()}

    def look(self, blocks: Iterable[Block], around: _Around, section: str) -> None:
        """Look through the blocks of a section."""
        self.seen = set()
        for paragraph in _paragraphs(blocks):
            for run in _runs(paragraph):
                self._run(run, around, section)

    def _run(self, run: _Run, around: _Around, section: str) -> None:
        dice: list[tuple[int, int]] | None = None
        for start, end, key in self.names.within(run.text):
            ids = self.names.phrases[key]
            found = _Found(start, end, key, ids)
            open_ = around.at(_place(run, found).start) if ids else ()
            origin = open_[0] if open_ else section
            if not ids or not self.told.union(open_).isdisjoint(ids) or self._is_linked(origin, ids):
                continue
            if dice is None:
                dice = [(one.start, one.end) for one in find(run.text)]
            low = bisect_right(dice, (start, len(run.text)))
            if all(last <= start or end <= first for first, last in dice[max(0, low - 1) : low + 1]):
                self._take(run, found, origin)

    def _is_linked(self, origin: str, ids: Sequence[str]) -> bool:
        return any((origin, one) in self.seen or (origin, one) in self.written for one in ids)

    def _take(self, run: _Run, found: "_Found", origin: str) -> None:
        """Make a link of a name, or say why that is doubtful."""
        words = run.text[found.start : found.end]
        place = _place(run, found)
        if len(found.ids) > 1:
            self.doubts.append(Doubt(words, place, "shared", found.ids, links=False))
        elif self.names.is_common(found.key) and (words.islower() or run.starts_at(found.start)):
            self.doubts.append(Doubt(words, place, "common", found.ids, links=False))
        else:
            target = found.ids[0]
            if BESIDE.match(run.text, found.end):
                self.doubts.append(Doubt(words, place, "longer", found.ids, links=True))
            self.seen.add((origin, target))
            self.mentions.append(Mention(origin, target, place, is_found=True))
            for node, start, end, opens, closes in _parts(run, found):
                self.pieces.setdefault(node.span, (node.value, []))[1].append(Piece(start, end, target, opens, closes))


class _Found(NamedTuple):
    """A name in a run."""

    start: int
    end: int
    key: str
    ids: tuple[str, ...]


def _parts(run: _Run, found: _Found) -> Iterator[tuple[Text, int, int, bool, bool]]:
    """The nodes of a run that a name stands in, with where it does, and whether it begins and ends there."""
    for number in range(bisect_right(run.starts, found.start) - 1, len(run.nodes)):
        node, place = run.nodes[number], run.starts[number]
        if place >= found.end:
            return
        if isinstance(node, Text):
            start, end = max(found.start - place, 0), min(found.end - place, len(node.value))
            yield node, start, end, found.start >= place, found.end <= place + len(node.value)


def _place(run: _Run, found: _Found) -> Span:
    """Where a name stands in its source; all of its run where the source spells that in another way."""
    parts = tuple(_parts(run, found))
    (first, start, *_), (last, _, end, *_) = parts[0], parts[-1]
    source = first.span.source
    if not run.is_as_typed:
        return source.span(first.span.start, last.span.end)
    return source.span(first.span.start + start, last.span.start + end)


def _paragraphs(nodes: Iterable[Node]) -> Iterator[Paragraph]:
    """The paragraphs in which names may link: none of titles and quotes, nor of the heads of tables and their rows."""
    for node in nodes:
        match node:
            case Paragraph():
                yield node
            case Heading() | CodeBlock() | BlockQuote() | RawBlock() | ThematicBreak():
                pass
            case Callout(children=inside) | DefinitionItem(children=inside):
                yield from _paragraphs(inside)
            case Table(rows=rows):
                # The first cell is the title of its row.
                yield from _paragraphs(cell for row in rows for cell in row.cells[1:])
            case _:
                yield from _paragraphs(children(node))


def _runs(paragraph: Paragraph) -> Iterator[_Run]:
    """The runs of words of a paragraph, but for a label at its head."""
    inlines = paragraph.children
    first = inlines[0] if inlines else None
    if isinstance(first, Strong | Emphasis):
        label = plain_text(first)
        after = inlines[1] if len(inlines) > 1 else None
        if label.rstrip().endswith(":") or (isinstance(after, Text) and SET_OFF.match(after.value)):
            yield from _within(inlines[1:], f"{label}:")
            return
    yield from _within(inlines, "")


def _within(inlines: Sequence[Inline], before: str) -> Iterator[_Run]:
    """The runs of some inlines; nothing in links, code and pictures, and none that goes over an end of emphasis."""
    nodes: list[Text | SoftBreak] = []
    for inline in inlines:
        if isinstance(inline, Text | SoftBreak):
            nodes.append(inline)
            continue
        if nodes:
            run = _run(nodes, before)
            yield run
            before, nodes = (before + run.text)[-CONTEXT:], []
        if isinstance(inline, Emphasis | Strong | Strikethrough | Highlight):
            yield from _within(inline.children, before)
        before = "" if isinstance(inline, HardBreak) else (before + plain_text(inline))[-CONTEXT:]
    if nodes:
        yield _run(nodes, before)


def _run(nodes: Sequence[Text | SoftBreak], before: str) -> _Run:
    words = [node.value if isinstance(node, Text) else "\n" for node in nodes]
    starts = tuple(accumulate(map(len, words[:-1]), initial=0))
    as_typed = all(not isinstance(node, Text) or node.span.end - node.span.start == len(node.value) for node in nodes)
    return _Run("".join(words), tuple(nodes), starts, as_typed, before)

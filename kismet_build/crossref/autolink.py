"""Automatic links: names of entities and sections in plain text, linked once in each section and each entity.

Paragraphs are split into runs of plain text, in which names may become links. A missing link is better than a wrong
link: docs/decisions/0006-automatic-links.md.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple

from kismet_build.config.autolink import MAX_CANDIDATES, AmbiguousMention, AutolinkRange, TextAutolinks
from kismet_build.crossref.backlinks import LinkMentions
from kismet_build.crossref.phrase_index import PhraseIndex
from kismet_build.mechanics.dice.find import find_dice
from kismet_build.model import nodes
from kismet_build.model.book import AnchorRef, Outline
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import SMALL_WORDS, normalize
from kismet_build.pack import Entity, Mention

# --- the words of a text that may be linked

LABEL_END = re.compile(r"\s*:|\s+[–—-]\s|—")
"""Separator between a label and the text of its paragraph."""
SENTENCE_START = re.compile(r"(?:^|[.!?:…·•|–—][)\]\"'”’]*)[\s(\[\"'“‘]*\Z")
"""Matches the text before the first word of a sentence."""
CONTEXT = 40
"""Number of characters before a name that are searched for the end of a sentence."""
UNLINKED_BLOCKS = frozenset((nodes.Heading, nodes.CodeBlock, nodes.BlockQuote, nodes.RawBlock, nodes.ThematicBreak))
"""Blocks in which no names are linked."""
STYLED_INLINES = frozenset((nodes.Emphasis, nodes.Strong, nodes.Strikethrough, nodes.Highlight, nodes.InlineField))
"""Types of inlines that start a separate run of text."""


class TextRun(NamedTuple):
    """Consecutive text nodes of a paragraph, with the line breaks between them."""

    text: str
    pieces: tuple[nodes.Text | nodes.SoftBreak, ...]
    before: str
    """The last `CONTEXT` characters of the paragraph before the run."""

    @property
    def starts(self) -> tuple[int, ...]:
        """Offset of each node in `text`."""
        return tuple(accumulate((len(_node_text(node)) for node in self.pieces[:-1]), initial=0))

    @property
    def is_verbatim(self) -> bool:
        """Whether the source contains exactly this text, without escapes or entities."""
        texts = [node for node in self.pieces if isinstance(node, nodes.Text)]
        return all(node.span.end - node.span.start == len(node.value) for node in texts)

    def starts_sentence(self, offset: int) -> bool:
        """Whether a sentence starts at this offset of `text`."""
        return SENTENCE_START.search(self.text_before(offset)) is not None

    def text_before(self, offset: int) -> str:
        """The end of the paragraph's text before this offset of `text`."""
        if offset >= CONTEXT:
            # The "x" marks a cut, which would otherwise look like the start of a paragraph.
            return "x" + self.text[offset - CONTEXT : offset]
        return self.before + self.text[:offset]


def linkable_paragraphs(blocks: Iterable[nodes.Node]) -> Iterator[nodes.Paragraph]:
    """Paragraphs in which names may be linked, without headings, quotes, table headers and first table columns."""
    for node in blocks:
        if isinstance(node, nodes.Paragraph):
            yield node
        elif isinstance(node, nodes.Table):
            for row in node.rows:
                yield from linkable_paragraphs(row.cells[1:])  # the first cell is the title of its row
        elif type(node) not in UNLINKED_BLOCKS:
            yield from linkable_paragraphs(node.children)  # type: ignore[union-attr]  # every other block has children


def text_runs(paragraph: nodes.Paragraph) -> list[TextRun]:
    """The text runs of a paragraph, without a label at its start."""
    inlines = paragraph.children
    first = inlines[0] if inlines else None
    if isinstance(first, nodes.Strong | nodes.Emphasis):
        label = nodes.plain_text(first)
        after = inlines[1] if len(inlines) > 1 else None
        if label.rstrip().endswith(":") or (isinstance(after, nodes.Text) and LABEL_END.match(after.value)):
            return _runs_in(inlines[1:], f"{label}:", [])
    return _runs_in(inlines, "", [])


def _runs_in(inlines: Sequence[nodes.Inline], before: str, runs: list[TextRun]) -> list[TextRun]:
    """Append the runs in these inlines to `runs`.

    Links, code and images are in no run. Styled text is a separate run.
    """
    pieces: list[nodes.Text | nodes.SoftBreak] = []
    for inline in inlines:
        if isinstance(inline, (nodes.Text, nodes.SoftBreak)):
            pieces.append(inline)
            continue
        if pieces:
            run = _run(pieces, before)
            runs.append(run)
            before, pieces = (before + run.text)[-CONTEXT:], []
        if type(inline) in STYLED_INLINES:
            _runs_in(inline.children, before, runs)  # type: ignore[union-attr]
        before = "" if isinstance(inline, nodes.HardBreak) else (before + nodes.plain_text(inline))[-CONTEXT:]
    if pieces:
        runs.append(_run(pieces, before))
    return runs


def _run(pieces: Sequence[nodes.Text | nodes.SoftBreak], before: str) -> TextRun:
    return TextRun("".join(map(_node_text, pieces)), tuple(pieces), before)


def _node_text(node: nodes.Text | nodes.SoftBreak) -> str:
    return node.value if isinstance(node, nodes.Text) else "\n"


# --- links

CAPITAL_BEFORE = re.compile(r"(?<!\w)([A-Z][^\W_]*)[’']?s?\s\Z")
"""A capitalized word before a name, which may be part of a longer name."""
CAPITAL_AFTER = re.compile(r"\s(?:of\s|the\s)*[A-Z]")
"""A capitalized word after a name, which may be part of a longer name."""


@dataclass(frozen=True, slots=True)
class DocumentAutolinks:
    """The automatic links of one document."""

    autolinks: Mapping[Span, TextAutolinks] = field(default_factory=dict)
    """Automatic links by the span of the text node."""
    mentions: tuple[Mention, ...] = ()
    """Mentions in text order, including mentions by links in the source."""
    ambiguous_mentions: tuple[AmbiguousMention, ...] = ()
    """Ambiguous mentions for an author to review, in text order."""


def find_autolinks(
    outline: Outline, entities: Sequence[Entity], links: LinkMentions, game_id: str, phrases: PhraseIndex
) -> DocumentAutolinks:
    """The automatic links of a document, given its entities and the links in its source."""
    linker = _Autolinker(phrases, links.mentions)
    if phrases.phrases:
        linker.link_document(game_id, outline, entities)
    mentions = sorted([*links.mentions, *linker.mentions], key=lambda mention: mention.span.start)
    return DocumentAutolinks(linker.links(), tuple(mentions), tuple(linker.ambiguous_mentions))


class _EnclosingEntities:
    """Finds the entities around an offset in a document."""

    def __init__(self, entities: Sequence[Entity]) -> None:
        boundaries: dict[int, tuple[list[Entity], list[Entity]]] = {}
        for entity in entities:
            boundaries.setdefault(entity.span.start, ([], []))[0].append(entity)
            boundaries.setdefault(entity.span.end, ([], []))[1].append(entity)
        self.offsets = sorted(boundaries)
        """Offsets where an entity starts or ends."""
        self.ids: list[tuple[str, ...]] = []
        """Ids of the entities around the text after each of `offsets`, smallest first."""
        open_entities: dict[Entity, None] = {}
        for offset in self.offsets:
            starting, ending = boundaries[offset]
            for entity in ending:
                open_entities.pop(entity, None)
            open_entities.update(dict.fromkeys(entity for entity in starting if entity.span.end > offset))
            by_size = sorted(open_entities, key=lambda entity: entity.span.end - entity.span.start)
            self.ids.append(tuple(map(attrgetter("id"), by_size)))

    def at(self, offset: int) -> tuple[str, ...]:
        index = bisect_right(self.offsets, offset) - 1
        return self.ids[index] if index >= 0 else ()


class _Autolinker:
    """Collects the automatic links of a document."""

    def __init__(self, phrases: PhraseIndex, links: Iterable[Mention]) -> None:
        self.phrases = phrases
        # Where an author has linked an entity, further mentions of the entity need no link.
        self.author_links: dict[str, set[str]] = {}
        """Targets of the links in the source, by origin."""
        for mention in links:
            self.author_links.setdefault(mention.origin, set()).add(mention.target)
        self.section_links: dict[str, set[str]] = {}
        """Targets of the automatic links of the current section, by origin."""
        self.heading_ids: frozenset[str] = frozenset()
        """Ids of the entities named by the heading of the current section."""
        self.own_anchors: frozenset[AnchorRef] = frozenset()
        """The anchors of the current section and of the sections around it."""
        self.pieces: dict[Span, tuple[str, list[AutolinkRange]]] = {}
        """The text and the linked parts of each text node with links, by the span of the node."""
        self.mentions: list[Mention] = []
        self.ambiguous_mentions: list[AmbiguousMention] = []

    def link_document(self, game_id: str, outline: Outline, entities: Sequence[Entity]) -> None:
        enclosing = _EnclosingEntities(entities)
        for section in outline.sections:
            # Do not link to the entity that the section itself is about.
            self.heading_ids = self.phrases.by_title.get(normalize(section.anchor.title), frozenset())
            if self.phrases.anchors:
                self.own_anchors = frozenset(anchor.ref for anchor in (outline.anchors[0], *section.headings))
            self._link_section(section.blocks, enclosing, f"{game_id}/section/{section.slug}")

    def links(self) -> dict[Span, TextAutolinks]:
        return {span: TextAutolinks(text, tuple(pieces)) for span, (text, pieces) in self.pieces.items()}

    def _link_section(self, blocks: Iterable[nodes.Block], enclosing: _EnclosingEntities, section: str) -> None:
        self.section_links = {}
        for paragraph in linkable_paragraphs(blocks):
            for run in text_runs(paragraph):
                if self.phrases.may_occur_in(run.text):
                    self._link_run(run, enclosing, section)

    def _link_run(self, run: TextRun, enclosing: _EnclosingEntities, section: str) -> None:
        dice: list[tuple[int, int]] | None = None
        for start, end, key in self.phrases.within(run.text):
            ids = self.phrases.phrases[key]
            if not ids:
                continue
            occurrence = _occurrence(run, start, end, key, ids)
            enclosing_ids = enclosing.at(occurrence.span.start)
            origin = enclosing_ids[0] if enclosing_ids else section
            is_own_name = (
                not self.heading_ids.union(enclosing_ids).isdisjoint(ids)
                or self.phrases.anchors.get(ids[0]) in self.own_anchors
            )
            is_part = ids[0] in self.phrases.anchors and _is_part_of_name(run, start, end)
            if is_own_name or is_part or self._is_linked(origin, ids):
                continue
            if dice is None:
                dice = [(notation.start, notation.end) for notation in find_dice(run.text)]
            # Only the dice notations next to `start` can overlap the phrase.
            index = bisect_right(dice, (start, len(run.text)))
            near = dice[max(0, index - 1) : index + 1]
            if all(dice_end <= start or end <= dice_start for dice_start, dice_end in near):
                self._add(run, occurrence, origin)

    def _is_linked(self, origin: str, ids: Sequence[str]) -> bool:
        of_origin = (links.get(origin, set()) for links in (self.section_links, self.author_links))
        return any(not targets.isdisjoint(ids) for targets in of_origin)

    def _add(self, run: TextRun, occurrence: "_Occurrence", origin: str) -> None:
        text, span, ids = run.text[occurrence.start : occurrence.end], occurrence.span, occurrence.ids
        if occurrence.key in self.phrases.inflected:
            if not run.starts_sentence(occurrence.start):
                mention = AmbiguousMention(text, span, "inflected", ids[:MAX_CANDIDATES], links=False)
                self.ambiguous_mentions.append(mention)
        elif len(ids) > 1:
            self.ambiguous_mentions.append(AmbiguousMention(text, span, "shared", ids[:MAX_CANDIDATES], links=False))
        elif self.phrases.is_common(occurrence.key) and (text.islower() or run.starts_sentence(occurrence.start)):
            self.ambiguous_mentions.append(AmbiguousMention(text, span, "common", ids, links=False))
        else:
            target = ids[0]
            if CAPITAL_AFTER.match(run.text, occurrence.end):
                self.ambiguous_mentions.append(AmbiguousMention(text, span, "longer", ids, links=True))
            self.section_links.setdefault(origin, set()).add(target)
            self.mentions.append(Mention(origin, target, span, is_autolink=True))
            for part in occurrence.parts:
                node = part.node
                anchor = self.phrases.anchors.get(target)
                piece = AutolinkRange(part.start, part.end, target, part.is_first, part.is_last, anchor)
                self.pieces.setdefault(node.span, (node.value, []))[1].append(piece)


def _is_part_of_name(run: TextRun, start: int, end: int) -> bool:
    """Whether a phrase is next to a capitalized word, like `Lamp` in `Lamp Oil`."""
    if CAPITAL_AFTER.match(run.text, end):
        return True
    text_before = run.text_before(start)
    before = CAPITAL_BEFORE.search(text_before)
    if before is None or before[1].casefold() in SMALL_WORDS:
        return False
    # "Most" before "lamps" does not make a longer name. A word before the run belongs to a link or to other styled
    # text.
    word_start = start - len(text_before) + before.start()
    return run.text[start].isupper() or word_start < 0 or not run.starts_sentence(word_start)


class _Occurrence(NamedTuple):
    """A phrase in a text run."""

    start: int
    end: int
    """Start and end of the occurrence, as offsets in the text run."""
    key: str
    ids: tuple[str, ...]
    parts: tuple["_Part", ...]
    span: Span
    """The span of the occurrence in the source, or of its text nodes if the source spells the text differently."""


class _Part(NamedTuple):
    """The part of an occurrence in one text node."""

    node: nodes.Text
    start: int
    end: int
    """Start and end of the part, as offsets in the text of the node."""
    is_first: bool
    is_last: bool


def _occurrence(run: TextRun, start: int, end: int, key: str, ids: tuple[str, ...]) -> _Occurrence:
    parts = tuple(_parts(run, start, end))
    first, last = parts[0], parts[-1]
    span_start, span_end = first.node.span.start, last.node.span.end
    if run.is_verbatim:
        span_start, span_end = span_start + first.start, last.node.span.start + last.end
    return _Occurrence(start, end, key, ids, parts, first.node.span.source.span(span_start, span_end))


def _parts(run: TextRun, start: int, end: int) -> Iterator[_Part]:
    offsets = run.starts
    for index in range(bisect_right(offsets, start) - 1, len(run.pieces)):
        node, offset = run.pieces[index], offsets[index]
        if offset >= end:
            return
        if isinstance(node, nodes.Text):
            node_end = offset + len(node.value)
            yield _Part(
                node, max(start, offset) - offset, min(end, node_end) - offset, start >= offset, end <= node_end
            )

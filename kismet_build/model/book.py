"""The book: documents with every place that can be named and what every link resolves to."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from posixpath import basename
from typing import Literal

from kismet_build.model.nodes import Block, Document, Embed, Heading, Node, walk, walk_blocks
from kismet_build.model.source import Source, Span
from kismet_build.model.text_normalization import normalize

BLOCK = 8
"""The level of an anchor that is a named block: below every heading."""


RESERVED = frozenset(
    ("boards", "calculators", "data", "downloads", "errata", "files", "glossary", "print", "section", "sheets", "table")
)
"""First parts of addresses below a game that are not for chapters; the ids of its kinds are not either."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Anchor:
    """A place that can be named: a whole document, a heading, or a block that its author named."""

    chapter: "Chapter"
    id: str
    """Unique in its document, the fragment of its address, as its dialect spells it; empty for the document itself."""
    slug: str
    """The same in ASCII, made from its title: for ids in data and in addresses; empty for the document itself."""
    title: str
    level: int
    """Of a heading, 1 to 7; 0 for a document, `BLOCK` for a named block."""
    node: Node | None
    """The heading or block; `None` for a document."""
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chapter:
    """A document as readers meet it: under a title and at an address."""

    document: Document
    title: str
    """As shown: title case, without the number that orders the files."""
    slug: str
    """Its address below the game, one part for each folder: `core-rules`, `places/old-town`."""

    @property
    def source(self) -> Source:
        """Where it was read from."""
        return self.document.source

    @property
    def key(self) -> str:
        """What citations name it by: its file without folder and suffix, folded."""
        return normalize(basename(self.source.path).rpartition(".")[0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Section:
    """What stands between a heading and the next heading of any level."""

    anchor: Anchor
    """Its heading, or the document for the text before the first heading."""
    slug: str
    """Unique in its book: that of its chapter, then the id of its heading."""
    headings: tuple[Anchor, ...]
    """From the outermost heading down to its own; empty before the first heading."""
    blocks: tuple[Block, ...]
    """In reading order, the layout taken off, the heading itself not included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a link resolves to."""

    status: Literal["ok", "ambiguous", "alias", "missing-document", "missing-heading"]
    anchor: Anchor | None = None
    """The place; for a missing heading the document that should hold it; `None` for a missing document."""
    candidates: tuple[Anchor, ...] = ()
    """The other places that it could have meant, where it is ambiguous."""

    @property
    def found(self) -> Anchor | None:
        """The place that was meant, or `None` where that is missing."""
        return self.anchor if self.status in ("ok", "ambiguous", "alias") else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Book:
    """All documents of a game, linked."""

    chapters: tuple[Chapter, ...]
    """In reading order."""
    anchors: Mapping[Source, tuple[Anchor, ...]]
    """For each document itself, then its headings and named blocks in the order of the text."""
    sections: Mapping[Source, tuple[Section, ...]]
    targets: Mapping[Span, Target]
    """For every link, embed and picture that stays inside the book, by its span."""
    anchor_of: Mapping[Span, Anchor]
    """The anchor of a heading or named block, by its span."""
    files: Mapping[Span, str]
    """For every picture or embed of a file beside the texts, the path of that file in the folder of the game."""

    def all_sections(self) -> Iterator[Section]:
        """Every section, document by document."""
        for chapter in self.chapters:
            yield from self.sections[chapter.source]

    def extent(self, anchor: Anchor) -> tuple[Block, ...]:
        """What a link to a place shows when embedded: a section with those below it, a block, a document's text."""
        if anchor.level == 0:
            return anchor.chapter.document.blocks
        if anchor.level == BLOCK:
            return (anchor.node,) if anchor.node is not None else ()  # type: ignore[return-value]
        blocks: list[Block] = []
        for section in self.sections[anchor.chapter.source]:
            if anchor in section.headings:
                blocks.append(section.anchor.node)  # type: ignore[arg-type]
                blocks.extend(section.blocks)
        return tuple(blocks) or _quoted(anchor)

    def shown(self, embed: Embed) -> Anchor | None:
        """The place that an embed shows, or `None` where it is missing."""
        target = self.targets.get(embed.span)
        return None if target is None else target.found

    def cycle(self, embed: Embed) -> tuple[Anchor, ...]:
        """The places by which an embed comes to show itself again; none where it does not."""
        waiting: list[tuple[Embed, tuple[Anchor, ...]]] = [(embed, ())]
        seen: set[Anchor] = set()
        while waiting:
            node, path = waiting.pop()
            anchor = self.shown(node)
            if anchor is None:
                continue
            chain = (*path, anchor)
            inside = [inner for inner in walk(*self.extent(anchor)) if isinstance(inner, Embed)]
            if any(inner.span == embed.span for inner in inside):
                return chain
            if anchor not in seen:
                seen.add(anchor)
                waiting.extend((inner, chain) for inner in inside)
        return ()


def _quoted(anchor: Anchor) -> tuple[Block, ...]:
    """What a heading is over that stands in a quote or an entry of a list: what follows it there.

    It opens no section: that would go on behind the quote, over words that belong to the heading before it.
    """
    for holder in walk_blocks(*anchor.chapter.document.blocks):
        inside: tuple[Block, ...] = getattr(holder, "children", ())
        if anchor.node in inside and isinstance(anchor.node, Heading):
            first = inside.index(anchor.node)
            rest = inside[first + 1 :]
            stops = (place for place, one in enumerate(rest) if isinstance(one, Heading) and one.level <= anchor.level)
            return inside[first : first + 1 + next(stops, len(rest))]
    return ()

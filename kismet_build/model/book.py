"""The book: all documents of a game, with their anchors, their sections and the targets of their links."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from posixpath import basename
from typing import Literal

from kismet_build.model.nodes import Block, Document, Embed, Heading, Node, walk, walk_blocks
from kismet_build.model.source import Source, Span
from kismet_build.model.text_normalization import normalize

BLOCK_LEVEL = 8
"""The level of an anchor that is a named block: one below the lowest heading level."""

RESERVED_SLUGS = frozenset(
    ("boards", "calculators", "data", "downloads", "errata", "files", "glossary", "print", "section", "sheets", "table")
)
"""First parts of page URLs below a game that no chapter may have. The ids of the kinds are reserved too."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Anchor:
    """A possible target of a link: a whole document, a heading, or a block that the author named."""

    chapter: "Chapter"
    id: str
    """The fragment of its URL, by the rules of the dialect; unique in the document; empty for the document itself."""
    slug: str
    """An ASCII id made from the title, for ids in the data and page URLs; empty for the document itself."""
    title: str
    level: int
    """0 for a document, 1 to 7 for a heading, `BLOCK_LEVEL` for a named block."""
    node: Node | None
    """The heading or block; `None` for a document."""
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chapter:
    """A document with the title and the URL that it is published under."""

    document: Document
    title: str
    """In title case, without the number that orders the files."""
    slug: str
    """The URL path below the game, one part for each folder: `core-rules`, `places/old-town`."""

    @property
    def source(self) -> Source:
        """The source of the document."""
        return self.document.source

    @property
    def citation_name(self) -> str:
        """The name by which citations refer to it: the normalized file name without folder and suffix."""
        return normalize(basename(self.source.path).rpartition(".")[0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Section:
    """The blocks between a heading and the next heading of any level."""

    anchor: Anchor
    """The heading; the document, for the text before the first heading."""
    slug: str
    """Unique in the book: the slug of the chapter and the id of the heading."""
    headings: tuple[Anchor, ...]
    """The headings that the section is in, from the outermost to its own; empty before the first heading."""
    blocks: tuple[Block, ...]
    """In reading order without layout (see `nodes.flow`); the heading is not included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The result of resolving a link, image or embed."""

    status: Literal["ok", "ambiguous", "alias", "missing-document", "missing-heading"]
    """`alias`: the link names a document by an alias of its frontmatter, which Obsidian does not resolve."""
    anchor: Anchor | None = None
    """The target; for a missing heading its document; `None` for a missing document."""
    candidates: tuple[Anchor, ...] = ()
    """For an ambiguous link, the other possible targets."""

    @property
    def resolved_anchor(self) -> Anchor | None:
        """The target, or `None` if it is missing."""
        return self.anchor if self.status in ("ok", "ambiguous", "alias") else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Book:
    """All documents of a game, with links resolved."""

    chapters: tuple[Chapter, ...]
    """In reading order."""
    anchors: Mapping[Source, tuple[Anchor, ...]]
    """For each source the anchor of the document, then those of its headings and named blocks in source order."""
    sections: Mapping[Source, tuple[Section, ...]]
    """For each source its sections in source order."""
    targets: Mapping[Span, Target]
    """By span, for each link, image and embed with a target in the book."""
    anchor_of: Mapping[Span, Anchor]
    """By span, for each heading and named block."""
    attachment_of: Mapping[Span, str]
    """By span, for each image or embed of an attachment: the path of the file in the folder of the game."""

    def all_sections(self) -> Iterator[Section]:
        """All sections, chapter by chapter."""
        for chapter in self.chapters:
            yield from self.sections[chapter.source]

    def embedded_blocks(self, anchor: Anchor) -> tuple[Block, ...]:
        """The blocks that an embed of the anchor shows: a document, a section with its subsections, or one block."""
        if anchor.level == 0:
            return anchor.chapter.document.blocks
        if anchor.level == BLOCK_LEVEL:
            return (anchor.node,) if anchor.node is not None else ()  # type: ignore[return-value]
        blocks: list[Block] = []
        for section in self.sections[anchor.chapter.source]:
            if anchor in section.headings:
                blocks.append(section.anchor.node)  # type: ignore[arg-type]
                blocks.extend(section.blocks)
        return tuple(blocks) or _nested_section(anchor)

    def embedded_anchor(self, embed: Embed) -> Anchor | None:
        """The anchor that an embed shows, or `None` if it is missing."""
        target = self.targets.get(embed.span)
        return None if target is None else target.resolved_anchor

    def embed_cycle(self, embed: Embed) -> tuple[Anchor, ...]:
        """The chain of anchors through which an embed includes itself; empty if it does not."""
        pending: list[tuple[Embed, tuple[Anchor, ...]]] = [(embed, ())]
        visited: set[Anchor] = set()
        while pending:
            current, path = pending.pop()
            anchor = self.embedded_anchor(current)
            if anchor is None:
                continue
            chain = (*path, anchor)
            nested = [node for node in walk(*self.embedded_blocks(anchor)) if isinstance(node, Embed)]
            if any(node.span == embed.span for node in nested):
                return chain
            if anchor not in visited:
                visited.add(anchor)
                pending.extend((node, chain) for node in nested)
        return ()


def _nested_section(anchor: Anchor) -> tuple[Block, ...]:
    """For a heading in a quotation or list item: the heading and the blocks after it, up to the end of that parent.

    Stops at the next heading of the same or a higher level. Such a heading has no `Section`: that would continue after
    the parent, over text that belongs to the heading before it.
    """
    for parent in walk_blocks(*anchor.chapter.document.blocks):
        siblings: tuple[Block, ...] = getattr(parent, "children", ())
        if anchor.node in siblings and isinstance(anchor.node, Heading):
            first = siblings.index(anchor.node)
            following = siblings[first + 1 :]
            ends = (
                index
                for index, block in enumerate(following)
                if isinstance(block, Heading) and block.level <= anchor.level
            )
            return siblings[first : first + 1 + next(ends, len(following))]
    return ()

"""The book: all documents of a game, with their anchors, their sections and the targets of their links."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Literal, NamedTuple, TypeVar

from kismet_build.model.navigation import Navigation
from kismet_build.model.nodes import (
    Block,
    Document,
    Embed,
    Heading,
    Image,
    Link,
    List,
    ListItem,
    Node,
    Table,
    walk,
    walk_blocks,
)
from kismet_build.model.source import Source, Span

BLOCK_LEVEL = 8
"""The level of an anchor that is a named block: one below the deepest heading level."""

RESERVED_SLUGS = frozenset(
    (
        *("boards", "calculators", "data", "downloads", "errata", "files", "glossary", "print", "questions", "section"),
        *("sheets", "situation", "table", "tags"),
    )
)
"""First parts of page URLs below a game that chapters cannot use."""

PRINT_PAGE = "print"
"""Address of the page with an entire split chapter, below the address of the chapter.

A section cannot have this address.
"""


def folder_slug(slug: str, taken: Collection[str]) -> str:
    """The address for a page with this slug, made unique among the addresses in `taken`."""
    return folder_slug(f"{slug}-text", taken) if slug in taken else slug


Value = TypeVar("Value")


class SpanMapping(Mapping[Span, Value]):
    """Values of an entire book by span, read from the mappings of its documents."""

    def __init__(self, by_path: Mapping[str, Mapping[Span, Value]]) -> None:
        """`by_path`: the mapping of each document, by the path of its source."""
        self.by_path = by_path

    def __getitem__(self, span: Span) -> Value:
        return self.by_path[span.source.path][span]

    def get(self, span: Span, default: Value | None = None) -> Value | None:  # type: ignore[override]
        """The value for a span. Faster than `Mapping.get`, which would catch an exception for most spans."""
        values = self.by_path.get(span.source.path)
        return default if values is None else values.get(span, default)

    def __contains__(self, span: object) -> bool:
        return isinstance(span, Span) and span in self.by_path.get(span.source.path, ())

    def __iter__(self) -> Iterator[Span]:
        return chain.from_iterable(self.by_path.values())

    def __len__(self) -> int:
        return sum(map(len, self.by_path.values()))


class AnchorRef(NamedTuple):
    """The name by which other documents refer to an anchor."""

    path: str
    """Path of the document."""
    id: str
    number: int = 0
    """Number of earlier anchors of the document with the same id."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Anchor:
    """A possible target of a link: an entire document, a heading, or a block that the author named."""

    chapter: "Chapter"
    id: str
    """The fragment of the URL, by the rules of the dialect; empty for the document itself."""
    slug: str
    """An ASCII id made from the title, for ids in the data and page URLs; empty for the document itself."""
    title: str
    """The title as printed."""
    shown_title: str
    """The title on pages: without a colon at its end, and in title case if it is printed in capitals."""
    level: int
    """The level: 0 for a document, 1 to 7 for a heading, `BLOCK_LEVEL` for a named block."""
    node: Node | None
    """The heading or block; `None` for a document."""
    span: Span
    number: int = 0
    """Number of earlier anchors of the document with the same id."""
    page: str = ""
    """In a split chapter, the address of the page with the anchor, below the address of the chapter; otherwise
    empty.
    """

    @property
    def numbered_title(self) -> str:
        """The shown title after the number of its heading, if it has one."""
        number = self.node.number if isinstance(self.node, Heading) else ""
        return f"{number} {self.shown_title}" if number else self.shown_title

    @property
    def ref(self) -> AnchorRef:
        return AnchorRef(self.chapter.source.path, self.id, self.number)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chapter:
    """A document with the title and the URL that it is published under."""

    document: Document
    title: str
    """The title as shown, without the number that orders the files."""
    label: str
    """The title in the navigation."""
    name: str
    """The title from the metadata or the file name, from which ids are made. Headings may change, but ids must not."""
    slug: str
    """The URL path below the game, one part for each folder: `core-rules`, `places/old-town`."""
    citation_name: str
    """The name by which citations refer to the chapter: the normalized file name without folder and suffix."""

    @property
    def source(self) -> Source:
        return self.document.source


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Section:
    """The blocks between a heading and the next heading of any level."""

    anchor: Anchor
    """The anchor of the heading, or of the document for the text before the first heading."""
    slug: str
    """The slug of the chapter and the id of the heading; unique in the book."""
    headings: tuple[Anchor, ...]
    """The enclosing headings and the heading of the section, outermost first; empty before the first heading."""
    blocks: tuple[Block, ...]
    """The blocks after the heading, in reading order without layout (see `nodes.flatten_layout`)."""
    tables: tuple[Table, ...]
    """All tables in the blocks, at any depth.

    The tables are stored, because finding them was the slowest step after an edit.
    """


@dataclass(frozen=True, kw_only=True, eq=False)
class Outline:
    """The structure of one document."""

    chapter: Chapter
    anchors: tuple[Anchor, ...]
    """The anchor of the document, then the anchors of its headings and named blocks in source order."""
    sections: tuple[Section, ...]

    @cached_property
    def anchor_of(self) -> Mapping[Span, Anchor]:
        """The anchor of each heading and named block, by span."""
        return {anchor.span: anchor for anchor in self.anchors if anchor.level}

    @cached_property
    def by_ref(self) -> Mapping[AnchorRef, Anchor]:
        return {anchor.ref: anchor for anchor in self.anchors}

    @cached_property
    def section_of(self) -> Mapping[str, Section]:
        return {section.slug: section for section in self.sections}

    def embedded_blocks(self, anchor: Anchor) -> tuple[Block, ...]:
        """The blocks that an embed of the anchor shows: a document, a section with its subsections, or one block."""
        if anchor.level == 0:
            return anchor.chapter.document.blocks
        if anchor.level == BLOCK_LEVEL:
            if isinstance(anchor.node, ListItem):
                return (List(span=anchor.node.span, items=(anchor.node,)),)
            return (anchor.node,) if anchor.node is not None else ()  # type: ignore[return-value]
        blocks: list[Block] = []
        for section in self.sections:
            if anchor in section.headings:
                blocks.append(section.anchor.node)  # type: ignore[arg-type]
                blocks.extend(section.blocks)
        return tuple(blocks) or _nested_section(anchor)


MAX_CANDIDATES = 20
"""Maximum number of other targets stored for an ambiguous link: thousands of notes in a vault may share a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The result of resolving a link or embed."""

    status: Literal["ok", "ambiguous", "alias", "folder", "missing-document", "missing-heading"]
    """`alias`: the link names a document by an alias in its frontmatter, which Obsidian does not resolve.

    `folder`: the link names a folder without a document about it.
    """
    anchor: AnchorRef | None = None
    """The target. For a missing heading, it is the document; for a folder or a missing document, `None`."""
    folder: str = ""
    """The path of the folder that the link names."""
    candidates: tuple[AnchorRef, ...] = ()
    """The other possible targets of an ambiguous link, at most `MAX_CANDIDATES`."""
    candidate_count: int = 0
    """The number of other possible targets, including targets that are not stored."""

    @property
    def resolved_anchor(self) -> AnchorRef | None:
        """The target, or `None` if it is missing or a folder."""
        return self.anchor if self.status in ("ok", "ambiguous", "alias") else None


@dataclass(frozen=True, slots=True)
class ResolvedLinks:
    """The targets of the links of one document."""

    targets: Mapping[Span, Target]
    """The target, found or missing, of each link and embed without a URL or an attachment, by span."""
    attachments: Mapping[Span, str]
    """The path, in the folder of the game, of the attachment that a link, image or embed names, by span."""
    embeds: tuple[Embed, ...]
    """All embeds, in the order of `Document.links`."""
    unresolved: tuple[tuple[Link | Image | Embed, Target | None], ...]
    """Links and embeds whose target is missing, and images without a file, in the order of `Document.links`."""
    unclear: tuple[tuple[Span, Target], ...]
    """Links with several possible targets, and links by an alias, in the order of `Document.links`."""


MAX_EMBEDDED_TEXTS = 500
"""Maximum number of texts that one embed may show, including texts in nested embeds."""
MAX_EMBED_DEPTH = 20
"""Maximum nesting depth of embeds."""
MAX_CHARACTERS_OF_TEXT = 500_000
"""Maximum characters of source that all embeds in one text may show, including nested embeds."""
MAX_CHARACTERS_OF_GAME = 5_000_000
"""Maximum characters of source that all embeds in all texts of a game may show.

A long text that many texts embed is written on each of their pages: docs/decisions/0022-bounds-of-input.md."""


class EmbedSize(NamedTuple):
    """The size of the content that an embed shows."""

    texts: int
    """Number of texts, including texts in nested embeds."""
    depth: int
    """Nesting depth of the texts."""
    characters: int
    """Characters of source, including nested texts."""

    @property
    def is_too_large(self) -> bool:
        return self.texts > MAX_EMBEDDED_TEXTS or self.depth > MAX_EMBED_DEPTH


@dataclass(frozen=True, kw_only=True, eq=False)
class Book:
    """All documents of a game, with links resolved."""

    outlines: Mapping[str, Outline]
    """Outlines by the path of the document, in reading order."""
    links: Mapping[str, ResolvedLinks]
    """Resolved links by the path of the document."""
    navigation: Navigation

    @cached_property
    def chapters(self) -> tuple[Chapter, ...]:
        return tuple(outline.chapter for outline in self.outlines.values())

    @cached_property
    def anchors(self) -> Mapping[Source, tuple[Anchor, ...]]:
        return {outline.chapter.source: outline.anchors for outline in self.outlines.values()}

    @cached_property
    def sections(self) -> Mapping[Source, tuple[Section, ...]]:
        return {outline.chapter.source: outline.sections for outline in self.outlines.values()}

    @cached_property
    def targets(self) -> SpanMapping[Target]:
        """The target, found or missing, of each link and embed without a URL or an attachment, by span."""
        return SpanMapping({path: links.targets for path, links in self.links.items()})

    @cached_property
    def attachment_of(self) -> SpanMapping[str]:
        """The path, in the folder of the game, of the attachment that a link, image or embed names, by span."""
        return SpanMapping({path: links.attachments for path, links in self.links.items()})

    def anchor(self, ref: AnchorRef) -> Anchor:
        return self.outlines[ref.path].by_ref[ref]

    def anchor_at(self, span: Span) -> Anchor | None:
        """The anchor of the heading or named block with this span, or `None`."""
        outline = self.outlines.get(span.source.path)
        return None if outline is None else outline.anchor_of.get(span)

    def section(self, path: str, slug: str) -> Section | None:
        outline = self.outlines.get(path)
        return None if outline is None else outline.section_of.get(slug)

    def all_sections(self) -> Iterator[Section]:
        for outline in self.outlines.values():
            yield from outline.sections

    def embedded_blocks(self, anchor: Anchor) -> tuple[Block, ...]:
        """The blocks that an embed of the anchor shows: a document, a section with its subsections, or one block."""
        return self.outlines[anchor.chapter.source.path].embedded_blocks(anchor)

    def embedded_anchor(self, embed: Embed) -> Anchor | None:
        target = self.targets.get(embed.span)
        ref = None if target is None else target.resolved_anchor
        return None if ref is None else self.anchor(ref)

    def is_embed_cut(self, embed: Embed) -> bool:
        """Whether an embed is shown as a link, because it includes itself or is too large."""
        return embed.span in self.cyclic_embeds or embed.span in self.oversized_embeds

    @cached_property
    def oversized_embeds(self) -> Mapping[Span, str]:
        """For each embed that is shown as a link because of its size: a message that says what it would show, by
        span.
        """
        oversized = {}
        of_game = 0
        for links in self.links.values():
            of_text = 0
            for embed in links.embeds:
                size = self.embed_size(embed)
                characters = 0 if embed.span in self.cyclic_embeds else size.characters
                if size.is_too_large:
                    problem = f"this would show {size.texts:,} texts, nested up to {size.depth} deep"
                elif of_text + characters > MAX_CHARACTERS_OF_TEXT:
                    problem = f"the embeds in this text would show more than {MAX_CHARACTERS_OF_TEXT:,} characters"
                elif of_game + characters > MAX_CHARACTERS_OF_GAME:
                    problem = f"the embeds in all texts would show more than {MAX_CHARACTERS_OF_GAME:,} characters"
                else:
                    of_text, of_game = of_text + characters, of_game + characters
                    continue
                oversized[embed.span] = problem
        return oversized

    @cached_property
    def _nested_embeds(self) -> dict[Anchor, tuple[Embed, ...]]:
        return {}

    def nested_embeds(self, anchor: Anchor) -> tuple[Embed, ...]:
        if anchor not in self._nested_embeds:
            nodes = walk(*self.embedded_blocks(anchor))
            self._nested_embeds[anchor] = tuple(node for node in nodes if isinstance(node, Embed))
        return self._nested_embeds[anchor]

    @cached_property
    def cyclic_embeds(self) -> Mapping[Span, tuple[Anchor, ...]]:
        """By the span of each embed that includes itself, the anchors that include one another."""
        embeds = chain.from_iterable(links.embeds for links in self.links.values())
        roots = dict.fromkeys(filter(None, map(self.embedded_anchor, embeds)))
        circles = strongly_connected(roots, self._nested_anchors)
        cyclic = {}
        for circle in circles:
            members = frozenset(circle)
            for anchor in circle:
                for embed in self.nested_embeds(anchor):
                    if self.embedded_anchor(embed) in members:
                        cyclic[embed.span] = circle
        return cyclic

    def _nested_anchors(self, anchor: Anchor) -> list[Anchor]:
        return list(filter(None, map(self.embedded_anchor, self.nested_embeds(anchor))))

    def embed_cycle(self, embed: Embed) -> tuple[Anchor, ...]:
        """The shortest chain of anchors through which an embed includes itself; empty if it does not."""
        start = self.embedded_anchor(embed)
        if start is None or embed.span not in self.cyclic_embeds:
            return ()
        chains: dict[Anchor, tuple[Anchor, ...]] = {start: (start,)}
        pending = [*chains.items()]
        for anchor, path in pending:
            if any(node.span == embed.span for node in self.nested_embeds(anchor)):
                return path
            for nested in self._nested_anchors(anchor):
                if nested not in chains:
                    chains[nested] = (*path, nested)
                    pending.append((nested, chains[nested]))
        return ()

    @cached_property
    def _embed_sizes(self) -> dict[Anchor, EmbedSize]:
        return {}

    def embed_size(self, embed: Embed) -> EmbedSize:
        """The size of the content of an embed; zero for a missing target.

        Nested embeds that are cyclic or have too many texts or levels add nothing.
        """
        root = self.embedded_anchor(embed)
        if root is None:
            return EmbedSize(0, 0, 0)
        sizes = self._embed_sizes
        nested: dict[Anchor, list[Anchor]] = {}
        stack = [root]
        while stack:
            anchor = stack[-1]
            if anchor not in sizes and anchor not in nested:
                embeds = (node for node in self.nested_embeds(anchor) if node.span not in self.cyclic_embeds)
                targets = map(self.embedded_anchor, embeds)
                nested[anchor] = [target for target in targets if target is not None]
                stack.extend(nested[anchor])
                continue
            stack.pop()
            if anchor not in sizes:
                shown = [size for target in nested[anchor] if not (size := sizes[target]).is_too_large]
                texts, depths = (size.texts for size in shown), (size.depth for size in shown)
                blocks = self.embedded_blocks(anchor)
                own = blocks[-1].span.end - blocks[0].span.start if blocks else 0
                characters = own + sum(size.characters for size in shown)
                sizes[anchor] = EmbedSize(1 + sum(texts), 1 + max(depths, default=0), characters)
        return sizes[root]


Vertex = TypeVar("Vertex", bound=Hashable)


def strongly_connected(
    roots: Iterable[Vertex], successors: Callable[[Vertex], Iterable[Vertex]]
) -> Iterator[tuple[Vertex, ...]]:
    """The strongly connected components of the graph reachable from `roots`, by Tarjan's algorithm."""
    numbers: dict[Vertex, int] = {}
    lowest: dict[Vertex, int] = {}
    component: list[Vertex] = []
    is_open: set[Vertex] = set()
    for root in roots:
        path: list[tuple[Vertex, Iterator[Vertex]]] = [(root, iter(()))] if root not in numbers else []
        while path:
            vertex, pending = path[-1]
            if vertex not in numbers:
                numbers[vertex] = lowest[vertex] = len(numbers)
                component.append(vertex)
                is_open.add(vertex)
                path[-1] = (vertex, pending := iter(successors(vertex)))
            for successor in pending:
                if successor not in numbers:
                    path.append((successor, iter(())))
                    break
                if successor in is_open:
                    lowest[vertex] = min(lowest[vertex], numbers[successor])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[vertex])
                if lowest[vertex] == numbers[vertex]:
                    members = [component.pop()]
                    while members[-1] != vertex:
                        members.append(component.pop())
                    is_open.difference_update(members)
                    yield tuple(members)


def _nested_section(anchor: Anchor) -> tuple[Block, ...]:
    """The blocks of a heading in a quotation or list item: up to the end of that parent block.

    The blocks end before the next heading of the same or a higher level. Such a heading has no `Section`, because the
    section would continue after the parent block, with text that belongs to the heading before it.
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

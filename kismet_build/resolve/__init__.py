"""Resolve links: collect all anchors of a book, then find the target of each link."""

from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

from kismet_build.model.book import BLOCK_LEVEL, RESERVED_SLUGS, Anchor, Book, Chapter, Section, Target
from kismet_build.model.nodes import (
    Block,
    DefinitionItem,
    Document,
    Embed,
    Heading,
    Image,
    flatten_layout,
    is_url,
    walk_blocks,
)
from kismet_build.model.renewed import Renewed
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import slug, unique_name
from kismet_build.resolve.chapters import chapters_of, one_line, title_of
from kismet_build.resolve.link_index import LinkResolver

__all__ = ["LinkResolver", "link_again", "resolve_links"]

NODES_WITH_BLOCK_ID = frozenset(node_type for node_type in get_args(Block) if hasattr(node_type, "block_id"))
"""The node types whose blocks can have an id."""


def resolve_links(documents: Sequence[Document], kinds: Iterable[str] = (), attachments: Sequence[str] = ()) -> Book:
    """Make the book of all documents of a game. The status of a `Target` says whether its link is broken.

    `kinds`: ids of kinds, which no chapter may have as its address. `attachments`: paths in the folder of the game.
    """
    chapters = tuple(chapters_of(documents, RESERVED_SLUGS.union(kinds)))
    anchors = {chapter.source: tuple(_anchors(chapter)) for chapter in chapters}
    anchor_of = {anchor.span: anchor for in_chapter in anchors.values() for anchor in in_chapter if anchor.level}
    taken: set[str] = set()
    sections = {chapter.source: tuple(_sections(anchors[chapter.source][0], anchor_of, taken)) for chapter in chapters}
    resolver = LinkResolver(chapters, anchors, attachments)
    targets: dict[Span, Target] = {}
    files: dict[Span, str] = {}
    for chapter in chapters:
        _resolve_chapter(chapter, resolver, targets, files)
    return Book(
        chapters=chapters, anchors=anchors, sections=sections, targets=targets, anchor_of=anchor_of, attachment_of=files
    )


def link_again(book: Book, resolver: LinkResolver, document: Document) -> Book | None:
    """The book with a new version of one document, which also replaces the old one in the resolver.

    The targets of links in other documents stay as they are. `None` if the change affects other documents:
    the title or an alias is new, or a new section has the slug of a section in another document.
    """
    old = resolver.chapter(document.source.path)
    assert old is not None
    index = book.chapters.index(old)
    chapter = Chapter(document=document, title=title_of(document), slug=old.slug)
    if (chapter.title, document.aliases) != (old.title, old.document.aliases):
        return None
    anchors = tuple(_anchors(chapter))
    anchor_of = {anchor.span: anchor for anchor in anchors if anchor.level}
    taken: set[str] = set()
    sections = tuple(_sections(anchors[0], anchor_of, taken))
    old_slugs = {section.slug for section in book.sections[old.source]}
    if (new_slugs := taken - old_slugs) and any(section.slug in new_slugs for section in book.all_sections()):
        return None
    resolver.replace_document(old, chapter, anchors)
    targets: dict[Span, Target] = {}
    files: dict[Span, str] = {}
    _resolve_chapter(chapter, resolver, targets, files)
    gone = [chapter.source.path]
    return Book(
        chapters=(*book.chapters[:index], chapter, *book.chapters[index + 1 :]),
        anchors=Renewed(book.anchors, gone, {chapter.source: anchors}),
        sections=Renewed(book.sections, gone, {chapter.source: sections}),
        targets=Renewed(book.targets, gone, targets),
        anchor_of=Renewed(book.anchor_of, gone, anchor_of),
        attachment_of=Renewed(book.attachment_of, gone, files),
    )


def _resolve_chapter(
    chapter: Chapter, resolver: LinkResolver, targets: dict[Span, Target], files: dict[Span, str]
) -> None:
    """Add the targets of the chapter's links to `targets` and the attachments that it links to `files`."""
    for node in chapter.document.links:
        if is_url(node.target):
            continue
        relative = not isinstance(node, Embed) and not node.wiki
        if (file := resolver.file(chapter, node.target, relative)) is not None:
            files[node.span] = file
        elif not isinstance(node, Image):
            targets[node.span] = resolver.resolve(chapter, node.target, relative)


def _anchors(chapter: Chapter) -> Iterator[Anchor]:
    """The anchor of the document, then those of its headings and of its blocks with ids.

    Repeated slugs of headings get the suffixes that GitHub uses: `-1`, `-2`.
    """
    source = chapter.source
    yield Anchor(chapter=chapter, id="", slug="", title=chapter.title, level=0, node=None, span=source.span(0, 0))
    slugs: set[str] = set()
    block_ids: set[str] = set()
    for node in walk_blocks(*chapter.document.blocks):
        block_id: str = node.block_id if type(node) in NODES_WITH_BLOCK_ID else ""  # type: ignore[union-attr]
        if isinstance(node, Heading):
            title = one_line(node)
            own = unique_name(slug(title), slugs, 1)
            yield Anchor(
                chapter=chapter, id=node.id or own, slug=own, title=title, level=node.level, node=node, span=node.span
            )
        elif block_id and block_id.casefold() not in block_ids:
            block_ids.add(block_id.casefold())
            title = one_line(*node.term) if isinstance(node, DefinitionItem) else block_id
            yield Anchor(
                chapter=chapter,
                id=block_id,
                slug=slug(block_id),
                title=title,
                level=BLOCK_LEVEL,
                node=node,
                span=node.span,
            )


def _sections(top: Anchor, anchor_of: dict[Span, Anchor], taken: set[str]) -> Iterator[Section]:
    """The sections of a document, from heading to heading. `top`: its own anchor; `taken`: slugs already in use."""
    chapter_slug = top.chapter.slug.replace("/", "-")
    anchor = top
    headings: tuple[Anchor, ...] = ()
    blocks: list[Block] = []
    for block in flatten_layout(top.chapter.document.blocks):
        if isinstance(block, Heading):
            slug_ = _section_slug(chapter_slug, anchor, taken)
            yield Section(anchor=anchor, slug=slug_, headings=headings, blocks=tuple(blocks))
            anchor = anchor_of[block.span]
            headings = (*(above for above in headings if above.level < block.level), anchor)
            blocks = []
        else:
            blocks.append(block)
    slug_ = _section_slug(chapter_slug, anchor, taken)
    yield Section(anchor=anchor, slug=slug_, headings=headings, blocks=tuple(blocks))


def _section_slug(chapter_slug: str, anchor: Anchor, taken: set[str]) -> str:
    """`chapter-heading`, with a number if another section has the same slug."""
    return unique_name(f"{chapter_slug}-{anchor.slug}" if anchor.slug else chapter_slug, taken, 2)

"""Turn links into targets: collect every anchor of a book, then look each link up."""

from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

from kismet_build.model.book import BLOCK, RESERVED, Anchor, Book, Chapter, Section, Target
from kismet_build.model.nodes import (
    Block,
    DefinitionItem,
    Document,
    Embed,
    Heading,
    Image,
    flow,
    is_address,
    walk_blocks,
)
from kismet_build.model.renewed import Renewed
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import slug, unique
from kismet_build.resolve.chapters import chapters_of, one_line, title_of
from kismet_build.resolve.link_index import Names

__all__ = ["Names", "link", "link_again"]

NAMED = frozenset(kind for kind in get_args(Block) if hasattr(kind, "block_id"))
"""The blocks that can have a name."""


def link(documents: Sequence[Document], kinds: Iterable[str] = (), attachments: Sequence[str] = ()) -> Book:
    """Make the book of some documents. A link to something missing is told by its target, not reported."""
    chapters = tuple(chapters_of(documents, RESERVED.union(kinds)))
    anchors = {chapter.source: tuple(_anchors(chapter)) for chapter in chapters}
    anchor_of = {anchor.span: anchor for found in anchors.values() for anchor in found if anchor.level}
    taken: set[str] = set()
    sections = {chapter.source: tuple(_sections(anchors[chapter.source][0], anchor_of, taken)) for chapter in chapters}
    names = Names(chapters, anchors, attachments)
    targets: dict[Span, Target] = {}
    files: dict[Span, str] = {}
    for chapter in chapters:
        _look_up(chapter, names, targets, files)
    return Book(
        chapters=chapters, anchors=anchors, sections=sections, targets=targets, anchor_of=anchor_of, files=files
    )


def link_again(book: Book, names: Names, document: Document) -> Book | None:
    """The book with another version of one document, whose names take the place of the old ones.

    Links to it that stand in other documents lead to where they led. `None` where more than this document changes:
    where it has another title, or other aliases, or a section by the name of a section elsewhere.
    """
    old = names.chapter(document.source.path)
    assert old is not None
    place = book.chapters.index(old)
    chapter = Chapter(document=document, title=title_of(document), slug=old.slug)
    if (chapter.title, document.aliases) != (old.title, old.document.aliases):
        return None
    found = tuple(_anchors(chapter))
    anchor_of = {anchor.span: anchor for anchor in found if anchor.level}
    taken: set[str] = set()
    sections = tuple(_sections(found[0], anchor_of, taken))
    of_old = {section.slug for section in book.sections[old.source]}
    if (new := taken - of_old) and any(section.slug in new for section in book.all_sections()):
        return None
    names.replace_document(old, chapter, found)
    targets: dict[Span, Target] = {}
    files: dict[Span, str] = {}
    _look_up(chapter, names, targets, files)
    gone = [chapter.source.path]
    return Book(
        chapters=(*book.chapters[:place], chapter, *book.chapters[place + 1 :]),
        anchors=Renewed(book.anchors, gone, {chapter.source: found}),
        sections=Renewed(book.sections, gone, {chapter.source: sections}),
        targets=Renewed(book.targets, gone, targets),
        anchor_of=Renewed(book.anchor_of, gone, anchor_of),
        files=Renewed(book.files, gone, files),
    )


def _look_up(chapter: Chapter, names: Names, targets: dict[Span, Target], files: dict[Span, str]) -> None:
    """Find out where the links of a chapter lead."""
    for node in chapter.document.links:
        if is_address(node.target):
            continue
        relative = not isinstance(node, Embed) and not node.wiki
        if (file := names.file(chapter, node.target, relative)) is not None:
            files[node.span] = file
        elif not isinstance(node, Image):
            targets[node.span] = names.place(chapter, node.target, relative)


def _anchors(chapter: Chapter) -> Iterator[Anchor]:
    """The document, then its headings and named blocks; slugs are unique as GitHub makes ids: `-1`, `-2`."""
    source = chapter.source
    yield Anchor(chapter=chapter, id="", slug="", title=chapter.title, level=0, node=None, span=source.span(0, 0))
    slugs: set[str] = set()
    names: set[str] = set()
    for node in walk_blocks(*chapter.document.blocks):
        name: str = node.block_id if type(node) in NAMED else ""  # type: ignore[union-attr]
        if isinstance(node, Heading):
            title = one_line(node)
            own = unique(slug(title), slugs, 1)
            yield Anchor(
                chapter=chapter, id=node.id or own, slug=own, title=title, level=node.level, node=node, span=node.span
            )
        elif name and name.casefold() not in names:
            names.add(name.casefold())
            title = one_line(*node.term) if isinstance(node, DefinitionItem) else name
            yield Anchor(chapter=chapter, id=name, slug=slug(name), title=title, level=BLOCK, node=node, span=node.span)


def _sections(top: Anchor, anchor_of: dict[Span, Anchor], taken: set[str]) -> Iterator[Section]:
    start = top.chapter.slug.replace("/", "-")
    anchor = top
    path: tuple[Anchor, ...] = ()
    blocks: list[Block] = []
    for block in flow(top.chapter.document.blocks):
        if isinstance(block, Heading):
            yield Section(anchor=anchor, slug=_section_slug(start, anchor, taken), headings=path, blocks=tuple(blocks))
            anchor = anchor_of[block.span]
            path = (*(above for above in path if above.level < block.level), anchor)
            blocks = []
        else:
            blocks.append(block)
    yield Section(anchor=anchor, slug=_section_slug(start, anchor, taken), headings=path, blocks=tuple(blocks))


def _section_slug(start: str, anchor: Anchor, taken: set[str]) -> str:
    """`chapter-heading`; where another chapter and heading come to the same words, the later one gets a number."""
    return unique(f"{start}-{anchor.slug}" if anchor.slug else start, taken, 2)

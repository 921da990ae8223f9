"""Resolve links: collect all anchors of a book, then find the target of each link.

`driver/select.py` and `driver/compile.py` call the functions in this folder.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import dirname
from types import MappingProxyType
from typing import get_args

from kismet_build.config.discovery import folder_note_rank
from kismet_build.config.game import SplitRule
from kismet_build.model import book, nodes
from kismet_build.model.nodes import flatten_layout, is_url, walk_blocks
from kismet_build.model.source import Span, file_stem
from kismet_build.model.text_normalization import UniqueNames, normalize, slug
from kismet_build.resolve import chapters
from kismet_build.resolve.link_index import LinkAnchor, LinkResolver
from kismet_build.resolve.section_pages import section_pages

NODES_WITH_BLOCK_ID = frozenset(node_type for node_type in get_args(nodes.Block) if hasattr(node_type, "block_id"))
"""The types of blocks that may have an id."""
NO_NAMES: Mapping[str, str] = MappingProxyType({})


def chapter_places(
    paths: Sequence[str],
    kinds: Iterable[str],
    titles: Mapping[str, str],
    split: SplitRule | None,
    labels: Mapping[str, str] = NO_NAMES,
) -> dict[str, chapters.ChapterPlace]:
    """The place of each chapter, by the path of its text.

    `kinds`: ids of kinds, which cannot be addresses of chapters. `titles`: the titles of texts and folders, by path
    without suffix. `split`: the rule for splitting chapters, or `None`. `labels`: the titles of texts in the
    navigation, by path.
    """
    kind_ids = frozenset(kinds)
    reserved = book.RESERVED_SLUGS.union(book.folder_slug(kind, (kind,)) for kind in kind_ids)
    slugs = chapters.chapter_slugs(paths, reserved, kind_ids, titles)
    folders = {dirname(chapter_slug) for chapter_slug in slugs.values()}
    return {
        # The pages of the texts in a folder are below the page of the folder.
        path: chapters.ChapterPlace(
            slug,
            titles[_titled_path(path)],
            labels.get(path, ""),
            None if slug in folders else split,
        )
        for path, slug in slugs.items()
    }


@dataclass(frozen=True, slots=True, eq=False)
class AnchoredChapter:
    """A chapter with its anchors. The first anchor stands for the document."""

    chapter: book.Chapter
    anchors: tuple[book.Anchor, ...]


def _titled_path(path: str) -> str:
    """The path, without suffix, that determines the title of a text.

    For a text such as `index`, it is the path of its folder.
    """
    folder = dirname(path)
    return folder if folder and folder_note_rank(path) is not None else chapters.without_suffix(path)


def anchor_chapter(document: nodes.Document, place: chapters.ChapterPlace) -> AnchoredChapter:
    """The chapter of a document, and its anchors."""
    citation_name = normalize(file_stem(document.source.path))
    title, name = chapters.title_of(document, place.title), chapters.name_of(document, place.title)
    chapter = book.Chapter(
        document=document,
        title=title,
        label=place.label or title,
        name=name,
        slug=place.slug,
        citation_name=citation_name,
    )
    return AnchoredChapter(chapter, tuple(_anchors(chapter, section_pages(document, title, place.split))))


def resolve_links(document: nodes.Document, resolver: LinkResolver) -> book.ResolvedLinks:
    """The targets of the links of a document."""
    targets: dict[Span, book.Target] = {}
    files: dict[Span, str] = {}
    unresolved: list[tuple[nodes.Link | nodes.Image | nodes.Embed, book.Target | None]] = []
    path = document.source.path
    for node in document.links:
        if is_url(node.target):
            continue
        relative = not node.wiki
        if (file := resolver.file(path, node.target, relative)) is not None:
            files[node.span] = file
        elif isinstance(node, nodes.Image):
            unresolved.append((node, None))
        else:
            target = resolver.resolve(path, node.target, relative)
            if target.folder and isinstance(node, nodes.Embed):
                target = book.Target(status="missing-document")  # a folder cannot be embedded
            targets[node.span] = target
            if target.resolved_anchor is None and not target.folder:
                unresolved.append((node, target))
    return book.ResolvedLinks(
        targets=targets,
        attachments=files,
        embeds=tuple(node for node in document.links if isinstance(node, nodes.Embed)),
        # Links that a statblock takes over from another document are reported in that document.
        unresolved=tuple(link for link in unresolved if link[0].span.source == document.source),
        unclear=tuple(
            (span, target)
            for span, target in targets.items()
            if target.status in ("ambiguous", "alias") and span.source == document.source
        ),
    )


def link_names(document: nodes.Document, chapter: AnchoredChapter) -> tuple[str, ...]:
    """The names by which links may refer to a document, besides its file name: aliases, and a title set in the text."""
    title, name = chapter.chapter.title, chapter.chapter.name
    is_written = title != name or isinstance(document.metadata.get("title"), str)
    return (*document.aliases, title) if is_written and title not in document.aliases else document.aliases


def link_anchors(chapter: AnchoredChapter) -> tuple[LinkAnchor, ...]:
    """The anchors of a document, reduced to the parts that matter for links."""
    return tuple(
        LinkAnchor(
            anchor.ref,
            anchor.slug,
            anchor.title,
            anchor.level,
            anchor.node.raw,
            bool(anchor.node.id),
            anchor.node.block_id,
        )
        if isinstance(anchor.node, nodes.Heading)
        else LinkAnchor(anchor.ref, anchor.slug, anchor.title, anchor.level, "", True)
        for anchor in chapter.anchors
    )


def _anchors(chapter: book.Chapter, pages: Mapping[Span, str]) -> Iterator[book.Anchor]:
    """The anchor of the document, then the anchors of its headings and of its blocks with ids.

    Repeated heading slugs get suffixes as on GitHub: `-1`, `-2`. `pages`: the result of `section_pages`.
    """
    source = chapter.source
    yield book.Anchor(
        chapter=chapter,
        id="",
        slug="",
        title=chapter.title,
        shown_title=chapter.title,
        level=0,
        node=None,
        span=source.span(0, 0),
    )
    shown = chapters.title_display(source.text)
    slugs = UniqueNames()
    block_ids: set[str] = set()
    counts = {"": 1}
    page = ""
    for node in walk_blocks(*chapter.document.blocks):
        block_id: str = node.block_id if type(node) in NODES_WITH_BLOCK_ID else ""  # type: ignore[union-attr]
        if isinstance(node, nodes.Heading):
            title = chapters.one_line(node)
            own = slugs.add(slug(title), 1)
            anchor_id, anchor_slug, level = node.id or own, own, node.level
            page = pages.get(node.span, page)
        elif block_id and block_id.casefold() not in block_ids:
            block_ids.add(block_id.casefold())
            title = chapters.one_line(*node.term) if isinstance(node, nodes.DefinitionItem) else block_id
            anchor_id, anchor_slug, level = block_id, slug(block_id), book.BLOCK_LEVEL
        else:
            continue
        number = counts.get(anchor_id, 0)
        counts[anchor_id] = number + 1
        yield book.Anchor(
            chapter=chapter,
            id=anchor_id,
            slug=anchor_slug,
            title=title,
            shown_title=shown(title).removesuffix(":").rstrip() if level < book.BLOCK_LEVEL else title,
            level=level,
            node=node,
            span=node.span,
            number=number,
            page=page,
        )


def section_names(chapter: AnchoredChapter) -> tuple[str, ...]:
    """The slugs of the sections of a chapter, such as `chapter-heading`, before they are made unique."""
    chapter_slug = chapter.chapter.slug.replace("/", "-")
    anchor_of = {anchor.span: anchor for anchor in chapter.anchors}
    headings = (block for block in flatten_layout(chapter.chapter.document.blocks) if isinstance(block, nodes.Heading))
    slugs = (anchor_of[heading.span].slug for heading in headings)
    return (chapter_slug, *(f"{chapter_slug}-{heading}" if heading else chapter_slug for heading in slugs))


def section_slugs(names: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The unique slugs of all sections in a book.

    `names`: the results of `section_names`. Names and result are by path of the text.
    """
    taken = UniqueNames()
    return {path: tuple(taken.add(name, 2) for name in names_of_document) for path, names_of_document in names.items()}


def outline(chapter: AnchoredChapter, slugs: Sequence[str]) -> book.Outline:
    """The outline of a chapter. `slugs`: the slugs of its sections."""
    return book.Outline(chapter=chapter.chapter, anchors=chapter.anchors, sections=tuple(_sections(chapter, slugs)))


def _sections(chapter: AnchoredChapter, slugs: Sequence[str]) -> Iterator[book.Section]:
    anchor = chapter.anchors[0]
    anchor_of = {anchor.span: anchor for anchor in chapter.anchors if anchor.level}
    headings: tuple[book.Anchor, ...] = ()
    blocks: list[nodes.Block] = []
    number = 0
    for block in flatten_layout(chapter.chapter.document.blocks):
        if isinstance(block, nodes.Heading):
            yield _section(anchor, slugs[number], headings, blocks)
            number += 1
            anchor = anchor_of[block.span]
            headings = (*(above for above in headings if above.level < block.level), anchor)
            blocks = []
        else:
            blocks.append(block)
    yield _section(anchor, slugs[number], headings, blocks)


def _section(
    anchor: book.Anchor, slug: str, headings: tuple[book.Anchor, ...], blocks: Sequence[nodes.Block]
) -> book.Section:
    tables = tuple(block for block in walk_blocks(*blocks) if isinstance(block, nodes.Table))
    return book.Section(anchor=anchor, slug=slug, headings=headings, blocks=tuple(blocks), tables=tables)

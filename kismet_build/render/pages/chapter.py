"""Pages of chapters. Links that the author wrote for navigation, which the website provides anyway, are set apart."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

from markupsafe import Markup

from kismet_build.config.language.catalog import Catalog
from kismet_build.model import nodes
from kismet_build.model.book import Anchor, Chapter
from kismet_build.model.nodes import flatten_layout, plain_text, reading_text, walk, walk_blocks
from kismet_build.model.source import Span
from kismet_build.model.tag import tag_key, tags_of_properties
from kismet_build.model.text_normalization import is_contents_title, normalize
from kismet_build.pack import Pack
from kismet_build.render.fragments import page_context
from kismet_build.render.fragments.renderer import inline_html, to_html
from kismet_build.render.html.addresses import INDEX, PageLink, entity_href, path_to_root
from kismet_build.render.html.excerpt import summary
from kismet_build.render.html.templates import macro
from kismet_build.render.pages.calculators import calculators_by_block
from kismet_build.render.pages.navigation import Folder, folder_breadcrumbs, folder_listing, folder_tree
from kismet_build.render.pages.page import (
    MIN_LISTED_SECTIONS,
    Branch,
    Entry,
    Page,
    SourceLines,
    long_sections,
    shown_levels,
    tree,
)

MIN_LINKS = 3
"""Minimum number of links in a list of chapters or sections. Fewer links are breadcrumbs if only the title is beside
them."""
MAX_OTHER_WORDS = 1 / 3
"""Maximum share of words outside links in a list of links."""
MAX_LABEL_LENGTH = 40
"""A paragraph with more characters is prose. A text without prose is itself a list of links."""
CONTAINERS = (nodes.Paragraph, nodes.List, nodes.Columns, nodes.Callout, nodes.Div)
"""Types of blocks that can be lists of links."""


class Opening(NamedTuple):
    """The blocks of a chapter, with the author's links at its start set apart."""

    links: tuple[nodes.Block, ...]
    body: tuple[nodes.Block, ...]
    headings: tuple[nodes.Heading, ...] = ()
    """The heading of the author's table of contents; empty for a chapter without one."""


def without_author_links(pack: Pack, blocks: tuple[nodes.Block, ...], title: str) -> Opening:
    """Split the author's lists of links at the start of a chapter from its other blocks.

    A text without prose keeps its links, because they are its content.
    """
    head = _until_heading(blocks)
    announces = [isinstance(block, nodes.Paragraph) and plain_text(block).rstrip().endswith(":") for block in head]
    links = tuple(
        block
        for is_announced, block in zip((False, *announces), head, strict=False)
        if _are_links(pack, block, title) and not is_announced
    )
    headings, listed = _contents(pack, blocks[len(head) :], title)
    if not links and not headings:
        return Opening((), blocks)
    apart = {block.span for block in links}
    kept = [block for block in head if block.span not in apart]
    # Drop thematic breaks around the lists of links.
    while kept and isinstance(kept[-1], nodes.ThematicBreak):
        kept.pop()
    while kept and isinstance(kept[0], nodes.ThematicBreak):
        del kept[0]
    links += tuple(block for block in listed if not isinstance(block, nodes.ThematicBreak))
    body = (*kept, *blocks[len(head) + len(headings) + len(listed) :])
    has_prose = any(
        isinstance(block, nodes.Paragraph) and len(plain_text(block)) > MAX_LABEL_LENGTH for block in walk_blocks(*body)
    )
    return Opening(links, body, headings) if has_prose else Opening((), blocks)


def _contents(
    pack: Pack, blocks: tuple[nodes.Block, ...], title: str
) -> tuple[tuple[nodes.Heading, ...], tuple[nodes.Block, ...]]:
    heading = blocks[0] if blocks else None
    if not isinstance(heading, nodes.Heading) or not is_contents_title(plain_text(heading)):
        return (), ()
    listed = _until_heading(blocks[1:])
    lists = [block for block in listed if not isinstance(block, nodes.ThematicBreak)]
    return ((heading,), listed) if lists and all(_are_links(pack, block, title) for block in lists) else ((), ())


def _until_heading(blocks: tuple[nodes.Block, ...]) -> tuple[nodes.Block, ...]:
    return tuple(takewhile(lambda block: not isinstance(block, nodes.Heading), blocks))


def _are_links(pack: Pack, block: nodes.Block, title: str) -> bool:
    """Whether a block contains only links into the book, with few other words."""
    # A numbered list is a procedure, not navigation.
    if not isinstance(block, CONTAINERS) or (isinstance(block, nodes.List) and block.start is not None):
        return False
    links = [node for node in walk(block) if isinstance(node, nodes.Link)]
    if not links or any(link.span not in pack.book.targets for link in links):
        return False
    words, linked = _word_count(plain_text(block)), sum(_word_count(plain_text(link)) for link in links)
    if isinstance(block, nodes.Callout):
        words += _word_count(plain_text(*block.title))
    if len(links) >= MIN_LINKS:
        # `**Skills**: [Tinkering](...), ...` is a field, not navigation.
        is_field = isinstance(block, nodes.Paragraph) and isinstance(block.children[0], nodes.Strong)
        return words - linked <= words * MAX_OTHER_WORDS and not is_field
    if not isinstance(block, nodes.Paragraph):
        return False
    beside = plain_text(*(node for node in block.children if not isinstance(node, nodes.Link)))
    return normalize(beside).strip(" |/>·›»–—-←→") in ("", normalize(title))


def _word_count(text: str) -> int:
    return sum(any(map(str.isalnum, word)) for word in text.split())


MAX_LEAD_IN_CHARACTERS = 40
"""A paragraph up to this length is taken for a lead-in to the next block, not for a description of the chapter."""


def top_sections(pack: Pack, chapter: Chapter) -> list[str]:
    """The titles of the top-level sections of a chapter."""
    headings = headings_in(split_title(chapter.document.blocks, chapter).body)
    anchor_of = pack.book.outlines[chapter.source.path].anchor_of
    return [entry.title for entry in contents_of(anchor_of, headings, shown_levels(headings)) if entry.level == 1]


def chapter_page(pack: Pack, folders_by_slug: Mapping[str, Folder], position: int) -> Page:
    """The page of the chapter at this position in the book."""
    page = page_without_text(pack, folders_by_slug, position)
    chapter = pack.book.chapters[position]
    footnotes = page_context.footnotes_of(pack, chapter)
    folder = folders_by_slug.get(pack.addresses.page_slug(chapter))
    parts = chapter_article(pack, chapter, page.address, footnotes, folds_links=True)
    article = macro("article_chapter", "article", pack.game.catalog)(
        title=parts.title,
        section_list=parts.section_list,
        text=parts.text,
        listing=Markup(folder_listing(pack, folder, page.address) if folder and folder.items else ""),
        links=parts.links,
    )
    return replace(page, article=article, contents=parts.contents, description=parts.description or page.description)


def page_without_text(pack: Pack, folders_by_slug: Mapping[str, Folder], position: int) -> Page:
    """The page of the chapter at this position in the book, before its article is added."""
    chapters = pack.book.chapters
    chapter = chapters[position]
    folder = folders_by_slug.get(pack.addresses.page_slug(chapter))
    parent = folder.parent if folder else folder_tree(pack).folder_of.get(chapter.source.path)
    return Page(
        address=page_context.chapter_address(pack, chapter),
        title=chapter.title,
        role="chapter",
        article="",
        breadcrumbs=folder_breadcrumbs(pack, parent),
        previous=_page_link(pack, chapters[position - 1]) if position else None,
        next=_page_link(pack, chapters[position + 1]) if position + 1 < len(chapters) else None,
        source=chapter_source(chapter),
        data="" if pack.game.is_manual else f"data/{pack.game.id}/pack.json",
        has_markdown=True,
        description=pack.game.catalog.text("chapter.description", chapter=chapter.title, game=pack.game.title),
    )


def chapter_source(chapter: Chapter) -> tuple[SourceLines, ...]:
    """The source lines of an entire chapter."""
    return (SourceLines.of(chapter.source.full_span()),)


class ChapterArticle(NamedTuple):
    """The text of a chapter, as HTML for one page."""

    title: Markup
    has_title: bool
    """Whether the text has a heading that repeats the chapter's title."""
    section_list: Markup | str
    text: Markup
    contents: tuple[Entry, ...]
    description: str
    """Excerpt of the first paragraph of prose, or an empty string."""
    links: Markup
    """The author's own links to chapters and sections, to be shown folded."""


def chapter_article(
    pack: Pack,
    chapter: Chapter,
    address: str,
    footnotes: page_context.Footnotes,
    *,
    is_whole: bool = False,
    folds_links: bool = False,
) -> ChapterArticle:
    """The text of a chapter for the page at this address.

    `is_whole`: whether sections of the chapter also have pages.
    """
    parts = split_title(chapter.document.blocks, chapter)
    tags = property_tags(pack, chapter, address)
    whole = chapter if is_whole else None
    marks = entity_links(pack, chapter, path_to_root(address))
    return part_article(
        pack, chapter, parts, chapter.title, address, marks, footnotes, tags=tags, whole=whole, folds_links=folds_links
    )


def part_article(
    pack: Pack,
    chapter: Chapter,
    parts: "ChapterParts",
    title: str,
    address: str,
    marks: Mapping[Span, str],
    footnotes: page_context.Footnotes,
    *,
    tags: tuple[PageLink, ...] = (),
    whole: Chapter | None = None,
    folds_links: bool = False,
) -> ChapterArticle:
    """A part of a chapter, with its title, for the page at this address.

    `marks`: the result of `entity_links`. `folds_links`: whether to separate the author's links at the start.
    """
    trail, titles, blocks = parts
    opening = without_author_links(pack, blocks, chapter.title) if folds_links else Opening((), blocks)
    body = opening.body
    folded_trail = [trail] if trail and folds_links else []
    headings = headings_in(body)
    levels = shown_levels(headings)
    anchor_of = pack.book.outlines[chapter.source.path].anchor_of
    contents = contents_of(anchor_of, headings, levels)
    branches = tree(contents)
    words = pack.game.catalog
    context = page_context.render_context(
        pack,
        address,
        end=INDEX,
        marks=marks,
        after=_section_lists(headings, contents, branches, words),
        beside=calculators_by_block(pack, chapter, body, address),
        permalinks=True,
        levels=levels,
        print_labels=True,
        whole=whole,
    )
    return ChapterArticle(
        title=macro("article_chapter", "title", words)(
            title,
            # The page leaves out headings that repeat the title, so links to these headings lead to the title.
            ids=[anchor_of[heading.span].id for heading in (*titles, *folded_trail, *opening.headings)],
            trail=Markup(inline_html(trail.children, context) if trail and not folded_trail else ""),
            trail_id=anchor_of[trail.span].id if trail else "",
            tags=tags,
            is_section=bool(titles) and title != chapter.title,
            cards=[Markup(marks[heading.span]) for heading in titles if heading.span in marks],
        ),
        has_title=bool(titles),
        section_list="" if _starts_with_links(body) else _section_list(title, branches, words),
        text=Markup(to_html(body, context, footnotes=footnotes.get(chapter.source, {}))),
        contents=contents,
        description=_description(body),
        links=Markup(
            "".join(f"<p>{inline_html(heading.children, context)}</p>\n" for heading in folded_trail)
            + to_html(opening.links, context)
        ),
    )


def property_tags(pack: Pack, chapter: Chapter, address: str) -> tuple[PageLink, ...]:
    """Links to the pages of the tags in a chapter's properties. Tags in the text itself are links already."""
    return page_context.tag_links(
        pack, map(tag_key, tags_of_properties(chapter.document.metadata)), path_to_root(address)
    )


class ChapterParts(NamedTuple):
    """The blocks of a chapter by their role on the page."""

    trail: nodes.Heading | None
    """A heading at the start of the chapter that consists of breadcrumb links."""
    titles: list[nodes.Heading]
    """Headings that repeat the chapter's title."""
    body: tuple[nodes.Block, ...]


def split_title(blocks: tuple[nodes.Block, ...], chapter: Chapter) -> ChapterParts:
    """Separate breadcrumbs and headings that repeat the title from a chapter's blocks (all, or those at its start)."""
    trail = _trail(blocks, chapter)
    titles = [block for block in blocks if isinstance(block, nodes.Heading) and _is_title(block, chapter)]
    apart = {id(block) for block in (trail, *titles)}
    return ChapterParts(trail, titles, tuple(block for block in blocks if id(block) not in apart))


def headings_in(blocks: tuple[nodes.Block, ...]) -> list[nodes.Heading]:
    """The headings of the sections in these blocks."""
    return [block for block in flatten_layout(blocks) if isinstance(block, nodes.Heading)]


def contents_of(
    anchor_of: Mapping[Span, Anchor], headings: Sequence[nodes.Heading], levels: Mapping[Span, int]
) -> tuple[Entry, ...]:
    """The table of contents of a page with these headings. `levels`: the level of each on the page."""
    anchors = [anchor_of[heading.span] for heading in headings]
    return tuple(
        Entry(levels[heading.span] - 1, anchor.numbered_title, anchor.id)
        for heading, anchor in zip(headings, anchors, strict=True)
    )


def _page_link(pack: Pack, chapter: Chapter) -> PageLink:
    # The home page is named after the game, even if its text (such as `index.md`) has no title.
    title = chapter.title if pack.addresses.page_slug(chapter) else pack.game.title
    return PageLink(page_context.chapter_address(pack, chapter), title)


def _section_lists(
    headings: Sequence[nodes.Heading], contents: Sequence[Entry], branches: Sequence[Branch], catalog: Catalog
) -> Mapping[int, str]:
    """Lists of subsections, to insert after the headings of long sections: HTML by the heading's object identity."""
    sections = long_sections(branches)
    return {
        id(heading): f"\n{_section_list(entry.title, sections[entry.id], catalog)}".rstrip("\n")
        for heading, entry in zip(headings, contents, strict=True)
        if entry.id in sections
    }


def _section_list(title: str, branches: Sequence[Branch], catalog: Catalog) -> Markup:
    if len(branches) < MIN_LISTED_SECTIONS:
        return Markup()
    return macro("article_chapter", "section_list", catalog)(title, branches)


def _starts_with_links(blocks: Sequence[nodes.Block]) -> bool:
    """Whether the blocks before the first heading contain many links, such as an author's own list of sections."""
    before = takewhile(lambda block: not isinstance(block, nodes.Heading), blocks)
    return sum(isinstance(node, nodes.Link) for node in walk(*before)) >= MIN_LISTED_SECTIONS


def entity_links(pack: Pack, chapter: Chapter, root: str) -> Mapping[Span, str]:
    """Links to entity pages as HTML, by the span of the block or term at which the entity starts."""
    starts = page_context.entity_starts(pack, chapter.source.path)
    links = {span: _links_html(pack, found, root) for span, found in starts.items()}
    return {span: html for span, html in links.items() if html}


def _links_html(pack: Pack, found: page_context.EntityStart, root: str) -> str:
    """The links where entities start. Within text, only the first: a row of links would hide the words after it."""
    entity_link = macro("article_chapter", "entity_link", pack.game.catalog)
    with_pages = [entity for entity in found.entities if entity.kind not in pack.internal_kinds]
    entities = with_pages if found.is_heading else with_pages[:1]
    return " ".join(
        entity_link(pack.kind(entity), entity.name, entity_href(pack, entity.id, root)) for entity in entities
    )


def _is_title(block: nodes.Heading, chapter: Chapter) -> bool:
    return block.level == 1 and normalize(plain_text(block)) == normalize(chapter.title)


def _trail(blocks: tuple[nodes.Block, ...], chapter: Chapter) -> nodes.Heading | None:
    """The author's own breadcrumbs: a heading of links at the start, which may end in the chapter's title."""
    first = blocks[0] if blocks else None
    if not isinstance(first, nodes.Heading) or first.level != 1:
        return None
    links = [child for child in first.children if isinstance(child, nodes.Link)]
    text = normalize("".join(child.value for child in first.children if isinstance(child, nodes.Text)))
    is_plain = all(isinstance(child, nodes.Link | nodes.Text) for child in first.children)
    has_other_words = any(map(str.isalnum, text.removesuffix(normalize(chapter.title))))
    return first if links and is_plain and not has_other_words else None


def _description(blocks: tuple[nodes.Block, ...]) -> str:
    """Excerpt of the first paragraph of prose, which is neither very short nor mostly links."""
    for block in flatten_layout(blocks):
        words = reading_text(block) if isinstance(block, nodes.Paragraph) else ""
        if len(words) <= MAX_LEAD_IN_CHARACTERS:
            continue
        if len(words) > 2 * sum(len(plain_text(node)) for node in walk(block) if isinstance(node, nodes.Link)):
            return summary(words)
    return ""

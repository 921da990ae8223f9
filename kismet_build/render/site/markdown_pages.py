"""Pages as Markdown files next to their HTML, for programs that read text.

The name `index.html.md` is proposed at https://llmstxt.org
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from kismet_build.config.autolink import AutolinkRange
from kismet_build.model.book import Chapter
from kismet_build.model.markdown_text import escaped_text
from kismet_build.model.nodes import Block, Heading, Link, plain_text, walk_blocks
from kismet_build.model.text_normalization import UniqueNames
from kismet_build.pack import Entity, Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.components.entity_text import text_parts
from kismet_build.render.data.section_content import referenced_footnotes
from kismet_build.render.fragments.markdown import link_to, to_markdown
from kismet_build.render.fragments.page_context import anchor_address, anchor_page, chapter_address, render_context
from kismet_build.render.fragments.renderer import Href, RenderContext
from kismet_build.render.html.addresses import INDEX, LazyFiles, file_address, fragment, path_to_root
from kismet_build.render.pages.sections import SectionLine, section_lines, text_of_pages

MARKDOWN = f"{INDEX}.md"
"""Name of the file next to a page."""
FULL_TEXT = "llms-full.txt"
"""Name of the file with the entire text of a game, in the game's folder."""
NOT_IN_FRAGMENT = re.compile(r"[^\w\- ]")
"""Characters that GitHub and other programs drop when they derive a heading's fragment from its text."""


def markdown_pages(pack: Pack, chapter: Chapter) -> LazyFiles:
    """The Markdown of each page of a chapter, then of each entity in it that has its own page."""
    for page, blocks in _pages_of_chapter(pack, chapter):
        yield page + MARKDOWN, partial(_page_text, pack, chapter, blocks, page)
    for entity in pack.by_source.get(chapter.source, ()):
        if _has_own_page(pack, entity):
            yield f"{entity.id}/{MARKDOWN}", partial(_entity_page_text, pack, entity)


def _pages_of_chapter(pack: Pack, chapter: Chapter) -> list[tuple[str, tuple[Block, ...]]]:
    outline, address = pack.book.outlines[chapter.source.path], chapter_address(pack, chapter)
    if anchor_page(pack, outline.anchors[-1]) == address:
        return [(address, chapter.document.blocks)]
    pages = text_of_pages(outline)
    return [(anchor_page(pack, anchor) if anchor else address, blocks) for anchor, blocks in pages]


def _has_own_page(pack: Pack, entity: Entity) -> bool:
    is_listed = entity.kind in pack.table_kinds or entity.kind in pack.internal_kinds
    return not is_listed and pack.note_entities.get(entity.span.source.path) != entity.id


# --- addresses


@cached_in_pack
def _addresses(pack: Pack) -> Mapping[str, str]:
    """For each address on the website that a link may lead to, the address of the Markdown.

    In Markdown files, only headings have fragments. A link to anything else, such as a table row or a named paragraph,
    leads to the heading above it. A row on the page of a kind is in the text that contains the table.
    """
    addresses: dict[str, str] = {}
    for outline in pack.book.outlines.values():
        headings: dict[int, str] = {}
        for page, blocks in _pages_of_chapter(pack, outline.chapter):
            addresses[page] = page + MARKDOWN
            names = UniqueNames()
            if title := _title(pack, outline.chapter, page, blocks):
                names.add(_words_of_fragment(title), 1)
            for heading in (block for block in walk_blocks(*blocks) if isinstance(block, Heading)):
                name = names.add(_words_of_fragment(plain_text(*heading.children)), 1)
                headings[heading.span.start] = f"{page}{MARKDOWN}{fragment(name)}"
        document, *anchors = outline.anchors
        above = addresses[anchor_address(pack, document)]
        for anchor in anchors:
            above = headings.get(anchor.span.start, above)
            addresses.setdefault(anchor_address(pack, anchor), above)
    for entity in pack.all_entities():
        section = addresses[anchor_address(pack, entity.section.anchor)]
        own = f"{entity.id}/{MARKDOWN}" if _has_own_page(pack, entity) else section
        addresses.setdefault(pack.addresses.entities[entity.id], own)
    return addresses


def _words_of_fragment(title: str) -> str:
    return NOT_IN_FRAGMENT.sub("", " ".join(title.lower().split())).replace(" ", "-")


def _markdown_address(pack: Pack, address: str, file: str) -> str:
    page, mark, place = address.partition("#")
    found = _addresses(pack).get(page.removesuffix(INDEX) + mark + place) or file_address(address)
    return found.removeprefix(file) if found.startswith(f"{file}#") else path_to_root(file) + found


def _context(pack: Pack, file: str) -> RenderContext:
    root, page = path_to_root(file), f"{file.rpartition('/')[0]}/"
    website = render_context(pack, page)

    def address_of(link: str) -> str:
        return _markdown_address(pack, page + link if link.startswith("#") else link.removeprefix(root), file)

    def href(link: Link) -> Href:
        found = website.href(link)
        return found._replace(address=address_of(found.address)) if found.state == "ok" else found

    def term_address(term: AutolinkRange) -> str:
        found = website.term_address(term)
        return address_of(found) if found else ""

    return replace(website, href=href, term_address=term_address)


# --- texts


def _text(pack: Pack, chapter: Chapter, blocks: Sequence[Block], file: str) -> str:
    notes = referenced_footnotes(blocks, chapter.document.footnotes)
    written = {block.span for block in blocks}
    return to_markdown([*blocks, *(note for note in notes if note.span not in written)], _context(pack, file))


def _page_text(pack: Pack, chapter: Chapter, blocks: Sequence[Block], page: str) -> bytes:
    """The text of a page of a chapter. On a split chapter's own page, the table of contents follows."""
    file = page + MARKDOWN
    title = _title(pack, chapter, page, blocks)
    parts = [title and f"# {escaped_text(title)}", _text(pack, chapter, blocks, file)]
    outline = pack.book.outlines[chapter.source.path]
    if page == chapter_address(pack, chapter) != anchor_page(pack, outline.anchors[-1]):
        parts.append("\n".join(_contents(pack, section_lines(pack, outline, page), file, "")))
    return _file(pack, parts)


def _title(pack: Pack, chapter: Chapter, page: str, blocks: Sequence[Block]) -> str:
    """The title to put above the text of a page; empty if the text has one, and for a section of a split chapter."""
    has_title = bool(blocks) and isinstance(first := blocks[0], Heading) and first.level == 1
    return "" if has_title or page != chapter_address(pack, chapter) else chapter.title


def _contents(pack: Pack, lines: Sequence[SectionLine], file: str, indent: str) -> Iterator[str]:
    for line in lines:
        address = _markdown_address(pack, line.href.removeprefix(path_to_root(file)), file)
        yield f"{indent}- {link_to(address, escaped_text(line.title))}"
        yield from _contents(pack, line.children, file, indent + "  ")


def _entity_page_text(pack: Pack, entity: Entity) -> bytes:
    """The Markdown of an entity: its words, facts from its fields, its questions, and a link to its section."""
    file = f"{entity.id}/{MARKDOWN}"
    anchor = entity.section.anchor
    words, facts = text_parts(pack, entity)
    section = _markdown_address(pack, anchor_address(pack, anchor), file)
    titles = [anchor.chapter.title, *([anchor.shown_title] if anchor.level else [])]
    parts = [
        f"# {escaped_text(entity.name)}",
        _text(pack, anchor.chapter, pack.rules_body(entity) if words else (), file),
        escaped_text(facts),
        _text(pack, anchor.chapter, [box.callout for box in pack.questions_of(entity)], file),
        link_to(section, escaped_text(" › ".join(titles))),
    ]
    return _file(pack, parts)


def _file(pack: Pack, parts: Sequence[str]) -> bytes:
    rights = " ".join(filter(None, (pack.game.licence, pack.game.attribution)))
    return ("\n\n".join(filter(None, (*parts, escaped_text(" ".join(rights.split()))))) + "\n").encode()


@cached_in_pack
def markdown_of_document(pack: Pack, path: str) -> str:
    """The entire text of the document at this path, as Markdown for `llms-full.txt`."""
    chapter = pack.book.outlines[path].chapter
    blocks = chapter.document.blocks
    title = _title(pack, chapter, chapter_address(pack, chapter), blocks)
    text = to_markdown(blocks, _context(pack, f"{pack.game.id}/{FULL_TEXT}"))
    return "\n\n".join(filter(None, (title and f"# {escaped_text(title)}", text)))

"""Texts as Markdown next to their pages, for programs that read text.

The name `index.html.md` is proposed at https://llmstxt.org
"""

from collections.abc import Iterator, Sequence
from functools import partial

from kismet_build.model.book import Chapter
from kismet_build.model.markdown_text import escaped_text
from kismet_build.model.nodes import Block, Heading
from kismet_build.pack import Pack
from kismet_build.render.fragments.markdown import link_to, to_markdown
from kismet_build.render.fragments.page_context import anchor_page, chapter_address, render_context
from kismet_build.render.html.addresses import INDEX, LazyFiles
from kismet_build.render.pages.sections import SectionLine, section_lines, text_of_pages

MARKDOWN = f"{INDEX}.md"
"""Name of the file next to a page."""


def markdown_pages(pack: Pack, chapter: Chapter) -> LazyFiles:
    """The Markdown of each of a text's pages. Links lead to pages."""
    outline = pack.book.outlines[chapter.source.path]
    address = chapter_address(pack, chapter)
    is_split = anchor_page(pack, outline.anchors[-1]) != address
    for anchor, blocks in text_of_pages(outline) if is_split else [(None, chapter.document.blocks)]:
        if anchor is None:
            yield address + MARKDOWN, partial(_chapter_text, pack, chapter, blocks, is_split)
        else:
            page = anchor_page(pack, anchor)
            yield page + MARKDOWN, partial(_text, pack, blocks, page)


def _text(pack: Pack, blocks: Sequence[Block], page: str) -> bytes:
    return f"{to_markdown(blocks, render_context(pack, page, end=INDEX))}\n".encode()


def _chapter_text(pack: Pack, chapter: Chapter, blocks: Sequence[Block], is_split: bool) -> bytes:
    """The text of a chapter's own page, starting with its title. For a split chapter, its contents follow."""
    page = chapter_address(pack, chapter)
    first = blocks[0] if blocks else None
    title = "" if isinstance(first, Heading) and first.level == 1 else f"# {escaped_text(chapter.title)}\n\n"
    text = title.encode() + _text(pack, blocks, page)
    if is_split:
        lines = section_lines(pack, pack.book.outlines[chapter.source.path], page)
        text += "".join(("\n", *_contents(lines, ""))).encode()
    return text


def _contents(lines: tuple[SectionLine, ...], indent: str) -> Iterator[str]:
    for line in lines:
        yield f"{indent}- {link_to(line.href, escaped_text(line.title))}\n"
        yield from _contents(line.children, indent + "  ")

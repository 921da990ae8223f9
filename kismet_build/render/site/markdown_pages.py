"""Texts as Markdown beside their pages, for programs that read text.

The name `index.html.md` is that of https://llmstxt.org
"""

from collections.abc import Iterator

from kismet_build.model.book import Chapter
from kismet_build.model.nodes import Heading
from kismet_build.pack import Pack
from kismet_build.render.data.markdown import escaped_text, link_to, to_markdown
from kismet_build.render.html.addresses import INDEX
from kismet_build.render.html.page_context import anchor_page, chapter_address, render_context
from kismet_build.render.pages.sections import SectionLine, section_lines, text_of_pages

MARKDOWN = f"{INDEX}.md"
"""Name of the file beside a page."""


def markdown_pages(pack: Pack, chapter: Chapter) -> Iterator[tuple[str, bytes]]:
    """Path and content of the Markdown of each page of a text; links lead to pages.

    That of a chapter starts with its title, and if the chapter is split, ends with its contents.
    """
    outline = pack.book.outlines[chapter.source.path]
    address = chapter_address(pack, chapter)
    is_split = anchor_page(pack, outline.anchors[-1]) != address
    for anchor, blocks in text_of_pages(outline) if is_split else [(None, chapter.document.blocks)]:
        page = anchor_page(pack, anchor) if anchor else address
        text = to_markdown(blocks, render_context(pack, page, end=INDEX)) + "\n"
        if anchor is None:
            first = blocks[0] if blocks else None
            title = "" if isinstance(first, Heading) and first.level == 1 else f"# {escaped_text(chapter.title)}\n\n"
            contents = _contents(section_lines(pack, outline, page), "") if is_split else ()
            text = "".join((title, text, "\n" if is_split else "", *contents))
        yield page + MARKDOWN, text.encode()


def _contents(lines: tuple[SectionLine, ...], indent: str) -> Iterator[str]:
    for line in lines:
        yield f"{indent}- {link_to(line.href, escaped_text(line.title))}\n"
        yield from _contents(line.children, indent + "  ")

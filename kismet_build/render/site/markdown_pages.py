"""Texts as Markdown beside their pages, for programs that read text.

The name `index.html.md` is that of https://llmstxt.org
"""

from kismet_build.model.book import Chapter
from kismet_build.model.nodes import Heading
from kismet_build.pack import Pack
from kismet_build.render.data.markdown import to_markdown
from kismet_build.render.html.addresses import INDEX
from kismet_build.render.html.page_context import chapter_address, render_context

MARKDOWN = f"{INDEX}.md"
"""Name of the file beside a page."""


def markdown_page(pack: Pack, chapter: Chapter) -> tuple[str, bytes]:
    """Path and content of the Markdown of a text; links lead to pages. It starts with the title of the chapter."""
    address = chapter_address(pack, chapter)
    blocks = chapter.document.blocks
    text = to_markdown(blocks, render_context(pack, address, end=INDEX))
    starts_with_title = bool(blocks) and isinstance(blocks[0], Heading) and blocks[0].level == 1
    title = "" if starts_with_title else f"# {chapter.title}\n\n"
    return address + MARKDOWN, f"{title}{text}\n".encode()

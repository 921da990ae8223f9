"""Find the texts, sections and named blocks that are on the website but not in the book."""

from collections.abc import Iterator

from kismet_build.config.discovery import excluded_paths
from kismet_build.model.book import Chapter
from kismet_build.model.nodes import Heading, flatten_layout, plain_text, walk_blocks
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize
from kismet_build.pack.compiled_game import Pack


def matched_places(pack: Pack, pattern: str) -> Iterator[Span]:
    """The places that a pattern of `leave_out` names, in the order of the book.

    `News/**` names texts, `**#Other Chapters` the sections in texts with this title, `Combat.md#^links` a named block.
    """
    glob, sign, name = pattern.partition("#")
    matched = excluded_paths(pack.book.outlines, glob)
    for chapter in pack.book.chapters:
        if chapter.source.path in matched:
            yield from _named_places(chapter, name) if sign else (chapter.source.span(0, len(chapter.source.text)),)


def _named_places(chapter: Chapter, name: str) -> Iterator[Span]:
    blocks, source = chapter.document.blocks, chapter.source
    for block in walk_blocks(*blocks):
        if name and getattr(block, "block_id", "").casefold() == name.casefold():
            yield block.span
    headings = [block for block in flatten_layout(blocks) if isinstance(block, Heading)]
    for number, heading in enumerate(headings):
        if normalize(plain_text(heading)) == normalize(name):
            following = (other.span.start for other in headings[number + 1 :] if other.level <= heading.level)
            yield source.span(heading.span.start, next(following, len(source.text)))

"""The order of a book: its folders and texts, each with its level."""

from collections.abc import Iterator
from typing import NamedTuple

from kismet_build.model.book import Chapter
from kismet_build.model.nodes import Block, Heading, flatten_layout, plain_text
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack
from kismet_build.render.pages.navigation import Folder, folders
from kismet_build.render.pages.print import repeats_title
from kismet_build.render.pages.table_of_contents import shown_levels


class Part(NamedTuple):
    """A folder or a text of a book. What is in a folder follows it, one level deeper."""

    level: int
    """1 for a chapter."""
    title: str
    chapter: Chapter | None
    """Its text; `None` for a folder without one."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of its text, without a heading that repeats its title."""
        if self.chapter is None:
            return ()
        return tuple(block for block in self.chapter.document.blocks if not is_title(block, self.chapter))

    def levels(self) -> dict[Span, int]:
        """The levels of the headings in its text, below its own and without skipping any."""
        headings = [block for block in flatten_layout(self.blocks) if isinstance(block, Heading)]
        return {span: level + self.level - 1 for span, level in shown_levels(headings).items()}


def is_title(block: Block | None, chapter: Chapter) -> bool:
    """Whether a block is a heading that repeats the title of its text.

    The first block may also be a heading of a lower level, or have a part of the title: `Ape` for `Ape (Creature)`.
    """
    if not isinstance(block, Heading):
        return False
    if repeats_title(block, chapter) or chapter.document.blocks[0] is not block:
        return repeats_title(block, chapter)
    words, title = normalize(plain_text(block)), normalize(chapter.title)
    return words == title or (block.level == 1 and words != "" and words in title)


def parts(pack: Pack) -> list[Part]:
    """The parts of a book in the order of its navigation, then the texts that the navigation leaves out."""
    printed: set[str] = set()
    found = [*_parts(folders(pack), 1, printed)]
    return [*found, *(Part(1, text.title, text) for text in pack.book.chapters if text.source.path not in printed)]


def _parts(folder: Folder, level: int, printed: set[str]) -> Iterator[Part]:
    """The parts of a folder. A text that is also the page of a folder is printed once, with the folder."""
    pages = {item.chapter.source.path for item in folder.items if isinstance(item, Folder) and item.chapter}
    for item in folder.items:
        chapter = item if isinstance(item, Chapter) else item.chapter
        if chapter and (chapter.source.path in printed or (item is chapter and chapter.source.path in pages)):
            chapter = None
        if chapter:
            printed.add(chapter.source.path)
            yield Part(level, chapter.title, chapter)
        elif isinstance(item, Folder):
            yield Part(level, item.title, None)
        if isinstance(item, Folder):
            yield from _parts(item, level + 1, printed)

"""The order of the folders and texts in a book, each with its level."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kismet_build.config.discovery import excluded_paths
from kismet_build.config.game import Names
from kismet_build.model.book import Chapter
from kismet_build.model.nodes import Block, Heading, flatten_layout, plain_text
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.pack.left_out import matched_places
from kismet_build.pack.question_boxes import without_blocks
from kismet_build.render.pages.navigation import Folder, folders
from kismet_build.render.pages.page import repeats_title, shown_levels


class Part(NamedTuple):
    """A folder or a text of a book. A folder is followed by its contents, one level deeper."""

    level: int
    """Level of the title, from 1."""
    title: str
    chapter: Chapter | None
    """The text; `None` for a title alone."""
    left_out: Sequence[Span] = ()
    """Spans of the text that the book leaves out, because they are only for the website."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of the text that the book contains, without a heading that repeats its title."""
        if self.chapter is None:
            return ()
        blocks = tuple(block for block in self.chapter.document.blocks if not is_title(block, self.chapter))
        return without_blocks(blocks, self.left_out) if self.left_out else blocks

    def levels(self) -> dict[Span, int]:
        """The level of each heading in the text, by the heading's span; the first is below the part."""
        headings = [block for block in flatten_layout(self.blocks) if isinstance(block, Heading)]
        return {span: level + self.level - 1 for span, level in shown_levels(headings).items()}


def is_title(block: Block | None, chapter: Chapter) -> bool:
    """Whether a block is a heading that repeats the title of its text.

    In addition to `repeats_title`, this accepts a first block with the words of the title. If it is on the first level,
    part of the title suffices: `Ape` for `Ape (Creature)`.
    """
    if not isinstance(block, Heading):
        return False
    if repeats_title(block, chapter):
        return True
    if chapter.document.blocks[0] is not block:
        return False
    words, title = normalize(plain_text(block)), normalize(chapter.title)
    return words == title or (block.level == 1 and words != "" and words in title)


def parts(pack: Pack) -> list[Part]:
    """The parts of a book: `front`, the order of the navigation, texts outside it, `appendices` and `back`.

    No text is printed twice, even if several settings name it.
    """
    rules = pack.game.definition.book
    places = left_out_places(pack)
    sources = (chapter.source for chapter in pack.book.chapters)
    printed = {source.path for source in sources if not is_printed(pack, source.span(0, 0))}
    front, back = (_alone(pack, _matched(pack, globs), printed) for globs in (rules.front, rules.back))
    appendices = [part for kind, _ in rules.appendices for part in _appendix(pack, kind, printed)]
    found = [*_parts(folders(pack), 1, printed)]
    rest = _alone(pack, (text.source.path for text in pack.book.chapters), printed)
    ordered = (*front, *found, *rest, *appendices, *back)
    return [
        part._replace(left_out=places.get(part.chapter.source.path, ())) if part.chapter else part for part in ordered
    ]


@cached_in_pack
def left_out_places(pack: Pack) -> Mapping[str, Sequence[Span]]:
    """The spans that are only for the website and not for the book, by the path of their document."""
    places: dict[str, list[Span]] = {}
    for pattern, _ in pack.game.definition.book.leave_out:
        for span in matched_places(pack, pattern):
            places.setdefault(span.source.path, []).append(span)
    return places


def is_printed(pack: Pack, span: Span) -> bool:
    """Whether the book contains a span.

    An empty span, such as the one of a document's anchor, means the rest of the document.
    """
    end = span.end if span.start < span.end else len(span.source.text)
    places = left_out_places(pack).get(span.source.path, ())
    return not any(place.start <= span.start and end <= place.end for place in places)


def printed_entities(pack: Pack) -> list[Entity]:
    """The entities that the book contains, without those of internal kinds."""
    return [
        entity
        for entity in pack.all_entities()
        if entity.kind not in pack.internal_kinds and is_printed(pack, entity.span)
    ]


def _appendix(pack: Pack, kind: str, printed: set[str]) -> Iterator[Part]:
    notes = [(path, pack.by_id[entity]) for path, entity in pack.note_entities.items() if path not in printed]
    found = [(normalize(entity.name), entity.name, path) for path, entity in notes if entity.kind == kind]
    if found:
        yield Part(1, pack.game.kinds[kind].plural, None)
    for _, name, path in sorted(found):
        printed.add(path)
        yield Part(2, name, pack.book.outlines[path].chapter)


def _matched(pack: Pack, globs: Names) -> list[str]:
    """The paths that match these patterns, in the order of the patterns and then of the book."""
    paths = [chapter.source.path for chapter in pack.book.chapters]
    matched = (excluded_paths(paths, glob) for glob, _ in globs)
    return [*dict.fromkeys(path for found in matched for path in paths if path in found)]


def _alone(pack: Pack, paths: Iterable[str], printed: set[str]) -> list[Part]:
    new = [path for path in paths if path not in printed]
    printed.update(new)
    chapters = (pack.book.outlines[path].chapter for path in new)
    return [Part(1, chapter.title, chapter) for chapter in chapters]


def _parts(folder: Folder, level: int, printed: set[str]) -> Iterator[Part]:
    """The parts of a folder. A text that is also the page of a folder is printed only there."""
    pages = {item.chapter.source.path for item in folder.items if isinstance(item, Folder) and item.chapter}
    for item in folder.items:
        chapter = item if isinstance(item, Chapter) else item.chapter
        if chapter and (chapter.source.path in printed or (item is chapter and chapter.source.path in pages)):
            chapter = None
        if chapter:
            printed.add(chapter.source.path)
            yield Part(level, chapter.title, chapter)
        inside = [*_parts(item, level + 1, printed)] if isinstance(item, Folder) else []
        if inside and not chapter and isinstance(item, Folder):
            yield Part(level, item.title, None)
        yield from inside

"""Footnotes by document, for the pages on which they are shown."""

from collections import ChainMap
from collections.abc import Mapping, Sequence

from kismet_build.model.book import Chapter
from kismet_build.model.nodes import Block, Embed, FootnoteDefinition
from kismet_build.model.source import Source
from kismet_build.pack import Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.fragments.context import RenderContext
from kismet_build.render.fragments.footnote_numbers import NoteKey, footnotes_start
from kismet_build.render.fragments.renderer import to_html

Footnotes = Mapping[Source, Mapping[NoteKey, FootnoteDefinition]]
"""Footnotes by the source of the chapter that may need them, then by key."""


def footnotes_of(pack: Pack, chapter: Chapter) -> Footnotes:
    """The footnotes that the pages of one chapter may need; with embeds, those of all chapters."""
    if any(isinstance(node, Embed) for node in chapter.document.links):
        return footnotes(pack)
    return {chapter.source: _own(chapter)}


@cached_in_pack
def footnotes(pack: Pack) -> Footnotes:
    """The footnotes that each chapter's pages may need, which come from the chapter and from embedded documents."""
    own = {chapter.source: _own(chapter) for chapter in pack.book.chapters}
    embedded: dict[NoteKey, FootnoteDefinition] = {
        (source.path, note.label): note for source, notes in own.items() for note in notes.values()
    }
    # A `ChainMap` avoids copying all footnotes for each chapter.
    return {source: ChainMap(notes, embedded) for source, notes in own.items()}


def html_of_chapter(
    pack: Pack, chapter: Chapter, blocks: Sequence[Block], context: RenderContext, title: str = ""
) -> str:
    """Blocks of a chapter as HTML, for a page with several chapters.

    The label of the footnotes has the chapter's title, because landmarks on a page must have different labels.
    """
    html = to_html(blocks, context, footnotes=footnotes(pack).get(chapter.source))
    start = footnotes_start(pack.game.catalog.html("chapter.footnotes_of", chapter=title or chapter.title))
    return html.replace(footnotes_start(pack.game.catalog.html("chapter.footnotes")), start)


def _own(chapter: Chapter) -> dict[NoteKey, FootnoteDefinition]:
    return {note.label: note for note in chapter.document.footnotes}

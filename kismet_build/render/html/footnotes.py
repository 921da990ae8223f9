"""The footnotes that stand under pages."""

from collections import ChainMap
from collections.abc import Mapping
from functools import lru_cache

from kismet_build.model.book import Chapter
from kismet_build.model.nodes import Embed, FootnoteDefinition
from kismet_build.model.source import Source
from kismet_build.pack import Pack
from kismet_build.render.html.page_context import shown_again

Footnotes = Mapping[Source, Mapping[str, FootnoteDefinition]]
"""By their texts and their labels."""


def footnotes_of(pack: Pack, chapter: Chapter) -> Footnotes:
    """The footnotes that the pages of one text may need, under the text."""
    if any(isinstance(node, Embed) for node in chapter.document.links):
        return footnotes(pack)
    return {chapter.source: _own(chapter)}


@lru_cache(maxsize=2)
def footnotes(pack: Pack) -> Footnotes:
    """For each text the footnotes that its pages may need: its own, and those of texts that are shown in it."""
    own = {chapter.source: _own(chapter) for chapter in pack.book.chapters}
    copies = (shown_again(note) for notes in own.values() for note in notes.values())
    every = {note.label: note for note in copies if isinstance(note, FootnoteDefinition)}
    # Not a mapping of all for each: of a thousand texts with footnotes none needs those of the others copied.
    return {source: ChainMap(notes, every) for source, notes in own.items()}


def _own(chapter: Chapter) -> dict[str, FootnoteDefinition]:
    return {note.label: note for note in chapter.document.footnotes}

"""The names by which running text refers to sections and tables, taken from headings and captions."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kismet_build.model.book import AnchorRef, Outline
from kismet_build.model.language import Language
from kismet_build.model.nodes import plain_text
from kismet_build.model.text_normalization import title_case
from kismet_build.pack import Entity

EXPLAINED = re.compile(r"(?P<name>.+?)\s*\((?P<abbreviation>[^()]*)\)")
"""A title with a parenthesis at its end: `Names of Power (NOP)`."""
TITLE_PARTS = re.compile(r"\s[-–—]\s|:\s")
"""Separators between a name and further words in a title: `Table 2-1: Tides`."""
ARTICLE = re.compile(r"\A(?:the|an?)\s+(?=\w)", re.IGNORECASE)
"""An English article at the start of a title. Running text omits this article."""


class SectionNames(NamedTuple):
    """The names of a section and of the tables in it."""

    id: str
    """The id of the section: `game/section/chapter-heading`."""
    anchor: AnchorRef
    titles: tuple[str, ...]
    captions: tuple[str, ...]
    """Captions of the tables in the section. A table without a caption is named by the title of the section."""
    is_entity: bool
    """Whether the section is an entity. If it is, its name links to the entity."""


def section_names(
    outline: Outline, entities: Sequence[Entity], game_id: str, language: Language
) -> tuple[SectionNames, ...]:
    """The names of all sections of a document with these entities, in text order."""
    return tuple(_section_names(game_id, outline, entities, language))


def _section_names(
    game_id: str, outline: Outline, entities: Sequence[Entity], language: Language
) -> Iterator[SectionNames]:
    starts = {entity.span.start for entity in entities if not entity.is_document}
    is_note = any(entity.is_document for entity in entities)
    headings = {
        title
        for section in outline.sections
        if section.anchor.level
        for title in _titles(section.anchor.title, language)
    }
    for section in outline.sections:
        anchor = section.anchor
        titles = tuple(dict.fromkeys(_titles(anchor.title, language)))
        captions = [plain_text(*table.caption) or anchor.title for table in section.tables]
        names = dict.fromkeys(name for caption in captions for name in _titles(caption, language))
        if not anchor.level:
            # A heading that repeats the title of the document is the better target.
            titles = tuple(title for title in titles if title not in headings)
        is_entity = anchor.span.start in starts if anchor.level else is_note
        yield SectionNames(f"{game_id}/section/{section.slug}", anchor.ref, titles, tuple(names), is_entity)


def _titles(title: str, language: Language) -> Iterator[str]:
    """The names in a title: without article and parenthesis, up to a separator, and an abbreviation in parentheses."""
    words = title.strip().rstrip(":")
    explained = EXPLAINED.fullmatch(words)
    if explained is not None:
        words = explained["name"]
        if (abbreviation := explained["abbreviation"]).isupper() and abbreviation.isalpha():
            yield abbreviation
    for name in dict.fromkeys((words, TITLE_PARTS.split(words, maxsplit=1)[0])):
        # A single word before a separator is too vague: `Table: Prices`.
        if name == words or " " in name:
            name = title_case(name) if name.isupper() else name
            yield ARTICLE.sub("", name) if language.is_english else name

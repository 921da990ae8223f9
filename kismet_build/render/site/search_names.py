"""Index of names for the search box: each name with its kind, its address and the heading above it.

docs/decisions/0018-search-score.md describes how results are ranked and measured.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import orjson

from kismet_build.config.data_file import SHIPPED
from kismet_build.config.kind import Kind
from kismet_build.config.rule_terms import RULE_KIND
from kismet_build.config.yaml import parse
from kismet_build.model.book import BLOCK_LEVEL, Anchor, Chapter, Section
from kismet_build.model.diagnostic import Diagnostic
from kismet_build.model.source import Source
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.field import label
from kismet_build.render.data.pack_json import Listing
from kismet_build.render.fragments.page_context import anchor_page, chapter_address
from kismet_build.render.html.excerpt import summary
from kismet_build.render.pages.calculators import calculators_in_order
from kismet_build.render.pages.overview import missing_documents
from kismet_build.render.site.search_lines import SearchLine, search_lines, section_key

SYNONYMS = SHIPPED / "site" / "search" / "synonyms.yaml"
DEFINE_STORE = (
    "((globalThis.kismet ??= {}).names ??= {}, kismet.name ??= (index) => (kismet.names[index.game] = index))"
)
"""JavaScript that defines `kismet.name`, which stores an index. It is in each index, because any may load first."""
NO_LINE: SearchLine = ((), "")
"""The entry for names without a line."""
MANY_ENTITIES = 1_000
"""Maximum number of entities with complete lines. A larger game has shorter lines: 198 kB for 5,460, compressed."""
MAX_SHORT_FIELDS = 2
"""Maximum number of an entity's fields in the search index of a large game."""
MAX_SHORT_CHARACTERS = 60
"""Maximum length of a value, and of the first words of an entity or section, in a large game."""
MISSING = -1
"""Position for a missing heading or chapter."""


def name_index(pack: Pack) -> bytes:
    """The index of a game's names."""
    lines = {key: line for path in pack.documents for key, line in search_lines(pack, path).items()}
    unwritten = [[document.title, document.anchor_id] for document in missing_documents(pack)]
    data = {**names(pack, lines), "unwritten": unwritten}
    return f"{DEFINE_STORE};\nkismet.name(".encode() + orjson.dumps(data) + b");\n"


def game_list(packs: Sequence[Listing]) -> bytes:
    """The script `games.js` with the list of games, from which the search box knows which indexes to load."""
    games = sorted((pack["game"] for pack in packs), key=lambda game: (normalize(game["title"]), game["id"]))
    listed = orjson.dumps([[game["id"], game["title"], game["language"]] for game in games])
    return b"(globalThis.kismet ??= {}).shelf = " + listed + b";\n"


@lru_cache(maxsize=1)
def search_words() -> bytes:
    """The script `search-words.js` with the synonyms of search."""
    return b"(globalThis.kismet ??= {}).searchWords = " + orjson.dumps(_search_words()) + b";\n"


def _search_words() -> dict[str, Any]:
    faults: list[Diagnostic] = []
    data = parse(Source("synonyms.yaml", SYNONYMS.read_text(encoding="utf-8")), faults.append, "invalid-data")
    assert data is not None, faults
    return dict(data.value)


def names(pack: Pack, lines: Mapping[str, SearchLine]) -> dict[str, Any]:
    """All names of a game, in the format of `search-entries.js`.

    Uses lists instead of objects, and refers to kinds, chapters, headings and fields by their position in a list: a
    name takes about 40 bytes, compressed 12. In a large game, values and first words are shorter to save space.
    """
    is_large = len(pack.by_id) > MANY_ENTITIES
    cut = partial(summary, length=MAX_SHORT_CHARACTERS) if is_large else str
    index = _HeadingIndex(pack, lines, cut)
    kinds = [kind for kind in pack.game.kinds.values() if pack.entities.get(kind.id)]
    kind_positions = {kind.id: position for position, kind in enumerate(kinds)}
    fields = {kind.id: _used_fields(pack.entities[kind.id], lines) for kind in kinds}
    entities = []
    for entity in pack.all_entities():
        values, words = lines.get(entity.id, NO_LINE)
        value_of = dict(values[:MAX_SHORT_FIELDS] if is_large else values)
        entities.append(
            [
                kind_positions[entity.kind],
                entity.slug,
                entity.name,
                *index.position(entity.section),
                [cut(value_of.get(name, "")) for name in fields[entity.kind]],
                "" if is_large and values else cut(words),
                *entity.aliases,
            ]
        )
    return {
        "game": pack.game.id,
        "title": pack.game.title,
        "kinds": [
            [
                *(kind.id, kind.title, kind.plural, kind.ornament, kind.colour),
                [label(kind.rules[name]) for name in fields[kind.id]],
                _rank(pack, kind),
                int(kind.id in pack.table_kinds),
            ]
            for kind in kinds
        ],
        "chapters": index.chapters(),
        "entities": entities,
        **({"tags": [[name.slug, name.name] for name in pack.tags.values()]} if pack.tags else {}),
        "search": [[name, *words] for name, words, _ in pack.game.definition.search_words],
        "boards": [[board.id, board.title] for board in pack.game.boards],
        "calculators": [
            [
                calculator.slug,
                calculator.title,
                int(calculator.sheet),
                *index.position(cited.section if cited else None),
            ]
            for calculator in calculators_in_order(pack)
            for cited in (pack.cited.get(calculator.citation.span),)
        ],
    }


def _used_fields(entities: Sequence[Entity], lines: Mapping[str, SearchLine]) -> list[str]:
    """The names of the fields with a value in at least one of these entities, in order of first appearance."""
    return [*dict.fromkeys(name for entity in entities for name, _ in lines.get(entity.id, NO_LINE)[0])]


def _rank(pack: Pack, kind: Kind) -> int:
    """Rank of a kind among entities with the same name: first kinds that define terms, then those linked by name."""
    if kind.id == RULE_KIND:
        return 0
    return 1 if pack.game.definition.linking.rules.forms(kind.id) else 2


class _HeadingIndex:
    """The chapters and headings of a book, and their positions in the lists."""

    def __init__(self, pack: Pack, lines: Mapping[str, SearchLine], cut: Callable[[str], str]) -> None:
        """`cut`: shortens the first words of a section."""
        self._pack = pack
        self._lines = lines
        self._cut = cut
        self._headings: list[list[Anchor]] = []
        self._positions: dict[Anchor, tuple[int, int]] = {}
        for chapter_position, chapter in enumerate(pack.book.chapters):
            anchors = [anchor for anchor in pack.book.anchors[chapter.source] if anchor.level < BLOCK_LEVEL]
            # A top-level heading that ends in the chapter's title repeats it, possibly after breadcrumb links.
            title = normalize(chapter.title)
            headings = [
                anchor
                for anchor in anchors
                if anchor.level and not (anchor.level == 1 and normalize(anchor.title).endswith(title))
            ]
            self._headings.append(headings)
            self._positions.update(dict.fromkeys(anchors, (chapter_position, MISSING)))
            self._positions.update({anchor: (chapter_position, position) for position, anchor in enumerate(headings)})

    def position(self, section: Section | None) -> tuple[int, int]:
        """The positions of a section's chapter and heading."""
        return self._positions.get(section.anchor, (MISSING, MISSING)) if section else (MISSING, MISSING)

    def chapters(self) -> list[list[Any]]:
        """Each chapter with its headings. A heading at which an entity starts has the entity's position.

        A chapter that is a single entity has 1 as its fourth item: search finds the entity instead. A split chapter has
        a fifth item: for each section page, the position of its first heading and its address below the chapter.
        """
        pack = self._pack
        entity_positions: dict[tuple[Source, int], int] = {}
        for position, entity in enumerate(pack.all_entities()):
            entity_positions.setdefault((entity.span.source, entity.span.start), position)
        return [
            [
                chapter.title,
                pack.page_slug(chapter),
                [self._heading(chapter, anchor, entity_positions) for anchor in headings],
                *([1] if chapter.source.path in pack.note_entities else []),
                *([0, pages] if (pages := self._section_pages(headings)) else []),
            ]
            for chapter, headings in zip(pack.book.chapters, self._headings, strict=True)
        ]

    def _heading(
        self, chapter: Chapter, anchor: Anchor, entity_positions: Mapping[tuple[Source, int], int]
    ) -> list[Any]:
        entity = entity_positions.get((anchor.span.source, anchor.span.start))
        if entity is not None:
            return [anchor.level, anchor.shown_title, anchor.id, entity]
        words = self._cut(self._lines.get(section_key(chapter.source.path, anchor.id), NO_LINE)[1])
        return [anchor.level, anchor.shown_title, anchor.id, *((words,) if words else ())]

    def _section_pages(self, headings: Sequence[Anchor]) -> list[tuple[int, str]]:
        """The section pages of the chapter with these headings, each with the position of its first heading."""
        pages: list[tuple[int, str]] = []
        for position, anchor in enumerate(headings):
            page = anchor.page if anchor_page(self._pack, anchor) != chapter_address(self._pack, anchor.chapter) else ""
            if page and page != (pages[-1][1] if pages else ""):
                pages.append((position, page))
        return pages

"""Index of names for the search box: each name with its kind, its address and the heading above it."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from kismet_build.model.book import BLOCK_LEVEL, Anchor, Section
from kismet_build.model.source import Source
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack
from kismet_build.render.data.pack_json import Listing
from kismet_build.render.html.addresses import Files
from kismet_build.render.html.page_context import anchor_page, chapter_address
from kismet_build.render.pages.calculators import calculators_in_order

DEFINE_STORE = (
    "((globalThis.kismet ??= {}).names ??= {}, kismet.name ??= (index) => (kismet.names[index.game] = index))"
)
"""JavaScript that defines `kismet.name`, which stores an index; in each index, as any may load first."""
MISSING = -1
"""Position of a missing heading or chapter."""


def emit_name_index(pack: Pack) -> Files:
    """The index of names of a game."""
    yield (
        f"assets/{pack.game.id}-names.js",
        f"{DEFINE_STORE};\nkismet.name(".encode() + orjson.dumps(names(pack)) + b");\n",
    )


def emit_game_list(packs: Sequence[Listing]) -> Files:
    """The list of games, which tells the search box the indexes to load."""
    games = sorted((pack["game"] for pack in packs), key=lambda game: (normalize(game["title"]), game["id"]))
    listed = orjson.dumps([[game["id"], game["title"], game["language"]] for game in games])
    yield "assets/games.js", b"(globalThis.kismet ??= {}).shelf = " + listed + b";\n"


def names(pack: Pack) -> dict[str, Any]:
    """All names of a game in the format of `search-box.js`.

    Lists instead of objects, with kinds, chapters and headings by their position in their list: a name takes about 40
    bytes, compressed 12.
    """
    index = _HeadingIndex(pack)
    kinds = [kind for kind in pack.game.kinds.values() if pack.entities.get(kind.id)]
    kind_positions = {kind.id: position for position, kind in enumerate(kinds)}
    entities = [
        [kind_positions[entity.kind], entity.slug, entity.name, *index.position(entity.section), *entity.aliases]
        for entity in pack.all_entities()
    ]
    return {
        "game": pack.game.id,
        "title": pack.game.title,
        "kinds": [[kind.id, kind.title, kind.plural, kind.ornament, kind.colour] for kind in kinds],
        "chapters": index.chapters(),
        "entities": entities,
        **({"tags": [[name.slug, name.name] for name in pack.tags.values()]} if pack.tags else {}),
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


class _HeadingIndex:
    """The chapters and headings of a book, and their positions in the lists."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
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
        """Each chapter with its headings; a heading that an entity starts with has the entity's position.

        A chapter that is a single entity has 1 as the fourth item: the search finds the entity instead. A split chapter
        has a fifth: for each page of a section, the position of its first heading and its address below the chapter.
        """
        pack = self._pack
        entity_positions: dict[tuple[Source, int], int] = {}
        for position, entity in enumerate(pack.all_entities()):
            entity_positions.setdefault((entity.span.source, entity.span.start), position)
        return [
            [
                chapter.title,
                pack.page_slug(chapter),
                [_heading(anchor, entity_positions) for anchor in headings],
                *([1] if chapter.source.path in pack.note_entities else []),
                *([0, pages] if (pages := self._section_pages(headings)) else []),
            ]
            for chapter, headings in zip(pack.book.chapters, self._headings, strict=True)
        ]

    def _section_pages(self, headings: Sequence[Anchor]) -> list[tuple[int, str]]:
        """The pages of the sections of a chapter with these headings."""
        pages: list[tuple[int, str]] = []
        for position, anchor in enumerate(headings):
            page = anchor.page if anchor_page(self._pack, anchor) != chapter_address(self._pack, anchor.chapter) else ""
            if page and page != (pages[-1][1] if pages else ""):
                pages.append((position, page))
        return pages


def _heading(anchor: Anchor, entity_positions: Mapping[tuple[Source, int], int]) -> list[Any]:
    entity = entity_positions.get((anchor.span.source, anchor.span.start))
    return [anchor.level, anchor.shown_title, anchor.id, *(() if entity is None else (entity,))]

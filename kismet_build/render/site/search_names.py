"""What the search box knows of a game without asking: every name, its kind, its address, what it stands below."""

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from kismet_build.model.book import BLOCK, Anchor, Section
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Pack
from kismet_build.render.data.pack_json import Listing
from kismet_build.render.pages.calculators import in_order

Files = Iterator[tuple[str, bytes]]

LOADED = "((globalThis.kismet ??= {}).names ??= {}, kismet.name ??= (index) => (kismet.names[index.game] = index))"
"""What keeps the indexes, whichever is loaded first."""
NOWHERE = -1
"""The place of a heading or chapter that is not there."""


def emit_names(pack: Pack) -> Files:
    """The index of the names of a game."""
    yield f"assets/{pack.game.id}-names.js", f"{LOADED};\nkismet.name(".encode() + orjson.dumps(names(pack)) + b");\n"


def emit_games(packs: Sequence[Listing]) -> Files:
    """The list of all games, from which the search box learns which indexes there are."""
    games = sorted((pack["game"] for pack in packs), key=lambda game: (normalize(game["title"]), game["id"]))
    library_config = orjson.dumps([[game["id"], game["title"], game["language"]] for game in games])
    yield "assets/games.js", b"(globalThis.kismet ??= {}).shelf = " + library_config + b";\n"


def names(pack: Pack) -> dict[str, Any]:
    """Every name of a game as lists, not objects: a name takes about forty bytes, twelve of them on the wire.

    Kinds, chapters and headings are named by their place in their list; the lists are the format of `search-box.js`.
    """
    index = _Index(pack)
    kinds = [kind for kind in pack.game.kinds.values() if pack.entities.get(kind.id)]
    order = {kind.id: place for place, kind in enumerate(kinds)}
    entities = [
        [order[entity.kind], entity.slug, entity.name, *index.place(entity.section), *entity.aliases]
        for entity in pack.every()
    ]
    return {
        "game": pack.game.id,
        "title": pack.game.title,
        "kinds": [[kind.id, kind.title, kind.plural, kind.ornament, kind.colour] for kind in kinds],
        "chapters": index.chapters(),
        "entities": entities,
        "boards": [[one.id, one.title] for one in pack.game.boards],
        "calculators": [
            [one.slug, one.title, int(one.sheet), *index.place(cited.section if cited else None)]
            for one in in_order(pack)
            for cited in (pack.cited.get(one.citation.span),)
        ],
    }


class _Index:
    """The headings of a book by their places in the lists."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.headings: list[list[Anchor]] = []
        self.places: dict[Anchor, tuple[int, int]] = {}
        for number, chapter in enumerate(pack.book.chapters):
            anchors = [one for one in pack.book.anchors[chapter.source] if one.level < BLOCK]
            # A heading of the first level that ends in the chapter's title is that title, maybe with the way to it.
            title = normalize(chapter.title)
            shown = [
                one for one in anchors if one.level and not (one.level == 1 and normalize(one.title).endswith(title))
            ]
            self.headings.append(shown)
            self.places.update(dict.fromkeys(anchors, (number, NOWHERE)))
            self.places.update({one: (number, place) for place, one in enumerate(shown)})

    def place(self, section: Section | None) -> tuple[int, int]:
        """The chapter and the heading of a section."""
        return self.places.get(section.anchor, (NOWHERE, NOWHERE)) if section else (NOWHERE, NOWHERE)

    def chapters(self) -> list[list[Any]]:
        """Each chapter with its headings; a heading that an entity starts with says which one."""
        starts: dict[Any, int] = {}
        for number, entity in enumerate(self.pack.every()):
            starts.setdefault(_start(entity), number)
        return [
            [chapter.title, chapter.slug, [_heading(one, starts) for one in headings]]
            for chapter, headings in zip(self.pack.book.chapters, self.headings, strict=True)
        ]


def _start(entity: Entity) -> tuple[Any, int]:
    return entity.span.source, entity.span.start


def _heading(anchor: Anchor, starts: dict[Any, int]) -> list[Any]:
    entity = starts.get((anchor.span.source, anchor.span.start))
    return [anchor.level, anchor.title, anchor.id, *(() if entity is None else (entity,))]

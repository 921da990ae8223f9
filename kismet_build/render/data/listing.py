"""What the library needs of each game, its listing, and the index of the data of all games."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from kismet_build.model.downloads import archive_names
from kismet_build.model.json_writer import json_file
from kismet_build.pack import Pack, section_id
from kismet_build.render.components.entity_text import summary
from kismet_build.render.data.pack_json import FORMAT, HEAD
from kismet_build.render.fragments.page_context import anchor_address
from kismet_build.render.html.addresses import calculator_address
from kismet_build.render.html.dice_buttons import dice_notations, dice_tree

# --- what a library shows of a game

Listing = Mapping[str, Any]
"""A published pack, or the subset of its members and their properties that `listing` makes."""


class LazyListing(Mapping[str, Any]):
    """The `listing` of a pack, with each member made on first use."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._members: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._members:
            self._members[name] = LISTED[name](self._pack)
        return self._members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(LISTED)

    def __len__(self) -> int:
        return len(LISTED)


def listing(pack: Pack) -> Listing:
    """The subset of a published pack that is needed for the library's pages and the sitemaps."""
    return dict(LazyListing(pack))


def _listed_entities(pack: Pack) -> dict[str, Any]:
    return {
        kind: [
            {
                "id": entity.id,
                "name": entity.name,
                "aliases": [*entity.aliases],
                "summary": summary(pack, entity),
                "section": section_id(pack.game, entity.section),
                "url": pack.addresses.entities[entity.id],
            }
            for entity in entities
        ]
        for kind, entities in pack.entities.items()
    }


def _listed_sections(pack: Pack) -> list[dict[str, Any]]:
    return [
        {
            "id": section_id(pack.game, section),
            "title": section.anchor.title,
            "level": section.anchor.level,
            "url": anchor_address(pack, section.anchor),
        }
        for section in pack.book.all_sections()
    ]


def _listed_dice(pack: Pack) -> list[dict[str, Any]]:
    written = chain.from_iterable(dice_notations(pack, path).written for path in pack.documents)
    return [{"tree": dice_tree(dice.notation)} for dice in written]


def _listed_calculators(pack: Pack) -> list[dict[str, Any]]:
    return [
        {"id": calculator.id, "title": calculator.title, "url": calculator_address(calculator)}
        for calculator in pack.game.calculators.values()
    ]


# --- the listing of a published game, and the index of all

LISTED = {
    **HEAD,
    "entities": _listed_entities,
    "sections": _listed_sections,
    "dice": _listed_dice,
    "calculators": _listed_calculators,
}
"""The members of a listing."""


LISTED_PROPERTIES = {
    "entities": ("id", "name", "aliases", "summary", "section", "url"),
    "sections": ("id", "title", "level", "url"),
    "dice": ("tree",),
    "calculators": ("id", "title", "url"),
}
"""For each member with items, the properties of an item that the listing keeps."""


def published_listing(pack: Mapping[str, Any]) -> Listing:
    """The listing of a published pack."""

    def listed(items: Any, names: Sequence[str]) -> Any:
        if isinstance(items, Mapping):
            return {kind: listed(of_kind, names) for kind, of_kind in items.items()}
        return [{name: item[name] for name in names} for item in items]

    parts = {name: listed(pack[name], names) for name, names in LISTED_PROPERTIES.items()}
    return {name: parts.get(name, pack[name]) for name in LISTED}


def data_index(packs: Sequence[Listing], digests: Mapping[str, tuple[int, str]]) -> bytes:
    """The file `data/index.json`. Paths in it are relative to `data`.

    `digests`: size in bytes and SHA-256 of files below `data`, by path.
    """
    games = [_indexed_game(pack, digests) for pack in packs]
    return json_file({"$schema": "schemas/index.schema.json", "format": FORMAT, "games": games})


def _indexed_game(pack: Listing, digests: Mapping[str, tuple[int, str]]) -> dict[str, Any]:
    game = pack["game"]
    files = ("pack", "names", "calculators", "diagnostics")
    return {
        **{key: game[key] for key in ("id", "title", "version", "description", "language", "licence")},
        "kinds": [
            {
                "id": kind,
                "title": described["title"],
                "plural": described["plural"],
                "count": len(pack["entities"].get(kind, ())),
                "file": f"{game['id']}/{kind}.json",
                "schema": f"schemas/{game['id']}/{kind}.json",
            }
            for kind, described in pack["kinds"].items()
        ],
        "files": {name: f"{game['id']}/{name}.json" for name in files},
        "archives": _archives(game, digests),
    }


def _archives(game: Mapping[str, Any], digests: Mapping[str, tuple[int, str]]) -> dict[str, Any]:
    names = archive_names(game["id"], game["version"])
    of_use = {"zip": names.zip, "npm": names.npm, "wheel": names.wheel, "foundry": names.foundry}
    paths = {use: f"{game['id']}/{name}" for use, name in of_use.items()}
    return {
        use: {"path": path, "size": digests[path][0], "sha256": digests[path][1]}
        for use, path in paths.items()
        if path in digests
    }

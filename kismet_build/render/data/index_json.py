"""The index of the data of a library: its games, their kinds, and the files of each."""

from collections.abc import Sequence
from typing import Any

from kismet_build.render.data.json_writer import json_file
from kismet_build.render.data.pack_json import FORMAT, Listing
from kismet_build.render.html.addresses import Files


def emit_data_index(packs: Sequence[Listing]) -> Files:
    """`data/index.json`. The paths of files start at the folder `data`."""
    yield "data/index.json", json_file({"format": FORMAT, "games": [*map(_game, packs)]})


def _game(pack: Listing) -> dict[str, Any]:
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
    }

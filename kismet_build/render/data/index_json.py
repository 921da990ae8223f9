"""The index of a library's data: its games with their kinds, files and archives."""

from collections.abc import Mapping, Sequence
from typing import Any

from kismet_build.model.downloads import archive_names
from kismet_build.model.json_writer import json_file
from kismet_build.render.data.pack_json import FORMAT, Listing


def data_index(packs: Sequence[Listing], digests: Mapping[str, tuple[int, str]]) -> bytes:
    """The file `data/index.json`. Paths in it are relative to `data`.

    `digests`: size in bytes and SHA-256 of files below `data`, by path.
    """
    games = [_game(pack, digests) for pack in packs]
    return json_file({"$schema": "schemas/index.schema.json", "format": FORMAT, "games": games})


def _game(pack: Listing, digests: Mapping[str, tuple[int, str]]) -> dict[str, Any]:
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

"""All of a game's data in one archive."""

from collections.abc import Iterator
from itertools import chain

from kismet_build.extensions.packages import csv_files, json_lines, sqlite, types
from kismet_build.extensions.packages.archive import licence, with_manifest
from kismet_build.model.archives import zip_file
from kismet_build.model.downloads import archive_names
from kismet_build.output.finished_data import FinishedData

OMITTED = ("diagnostics.json", "doubtful.json")
"""Data files about the author's source texts, which are not in any archive."""
CONTENTS = (csv_files.export, json_lines.export, types.export, sqlite.export)
"""The exports that the archive contains in addition to the data files."""


def export(data: FinishedData) -> Iterator[tuple[str, bytes]]:
    """All data in one archive: JSON, CSV, JSON Lines, SQLite, types and schemas."""
    game = data.pack["game"]
    # Leave out files of single entities: their kind's file has them all.
    files = {path: data.files[path] for path in data.files if "/" not in path and path not in OMITTED}
    files |= dict(chain.from_iterable(export(data) for export in CONTENTS))
    packed = {
        "LICENSE": licence(data.pack),
        **{f"{game['id']}/{path}": content for path, content in files.items()},
        **{f"schemas/{path}": data.schemas[path] for path in data.schemas},
    }
    yield archive_names(game["id"], game["version"]).zip, zip_file(with_manifest(dict(sorted(packed.items()))))

"""Load `migrations.yaml`: ids that changed from one version of a game to another."""

from dataclasses import dataclass
from pathlib import Path

from kismet_build.config.data_file import InvalidData, read_data
from kismet_build.config.data_reader import DataReader
from kismet_build.model.diagnostic import Report
from kismet_build.model.source import Span

MIGRATIONS_FILE = "migrations"
"""Name of an optional file in the folder of `game.yaml`, without suffix."""


@dataclass(frozen=True, slots=True)
class Migration:
    """An id that changed from one version of a game to another."""

    old_id: str
    """The id before the change, as it was published: `game/kind/slug`."""
    new_id: str | None
    """The current id of the same thing; `None` if there is none."""
    date: str
    """The date of the change, such as `2026-11-23`."""
    reason: str
    span: Span
    """The span of the new id in `migrations.yaml`."""


def load_migrations(file: Path, game_id: str, report: Report) -> tuple[Migration, ...]:
    """The migrations of a game in the order of the file. Reports an invalid file and returns an empty tuple."""
    if not file.is_file():
        return ()
    try:
        _, data = read_data(file, "invalid-migrations", "migrations", report)
    except InvalidData:
        return ()
    reader = DataReader(data, "invalid-migrations", report)
    migrations: dict[str, Migration] = {}
    for index, entry in enumerate(data.value or ()):
        old_id = f"{game_id}/{entry['from']}"
        if old_id in migrations:
            reader.refuse((index, "from"), f'"{entry["from"]}" migrates twice', "keep only one of these entries")
            continue
        new_id = entry["to"] and f"{game_id}/{entry['to']}"
        migrations[old_id] = Migration(old_id, new_id, entry["date"], entry["reason"], reader.span(index, "to"))
    return tuple(migrations.values())

"""A game's file `migrations.json`: ids that changed between versions."""

from kismet_build.model.json_writer import json_file
from kismet_build.pack import Pack


def migrations_file(pack: Pack) -> bytes:
    """The file with the changed ids, as in docs/CONTRACT.md."""
    return json_file(
        [
            {"from": migration.old_id, "to": migration.new_id, "date": migration.date, "reason": migration.reason}
            for migration in pack.game.definition.migrations
        ]
    )

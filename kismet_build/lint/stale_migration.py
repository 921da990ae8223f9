"""`stale-migration`: a migration to an entity that does not exist, or from an entity that still exists."""

from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.suggestion import did_you_mean
from kismet_build.pack import Pack


def stale_migration(pack: Pack, report: Report) -> None:
    """Report migrations from an id in use, or to an id that is neither in use nor migrated again."""
    known = {entity.id for entity in pack.all_entities()}
    old_ids = {migration.old_id for migration in pack.game.definition.migrations}
    for migration in pack.game.definition.migrations:
        if migration.old_id in known:
            message = f'the text still has "{migration.old_id}", so this migration has no effect'
            report(warning("stale-migration", migration.span, message, "remove the migration"))
        elif migration.new_id is not None and migration.new_id not in known | old_ids:
            message = f'the text has no "{migration.new_id}"'
            hint = did_you_mean(migration.new_id, known, "write its current id, or null if it no longer exists")
            report(warning("stale-migration", migration.span, message, hint))

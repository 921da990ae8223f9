"""`stale-migration`: a migration that leads to no entity, or away from one that is still there."""

from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.suggestion import did_you_mean
from kismet_build.pack import Pack


def stale_migration(pack: Pack, report: Report) -> None:
    """Report each migration whose new id is no entity and does not migrate itself, or whose old id is an entity."""
    known = {entity.id for entity in pack.all_entities()}
    old_ids = {migration.old_id for migration in pack.game.definition.migrations}
    for migration in pack.game.definition.migrations:
        if migration.old_id in known:
            message = f'"{migration.old_id}" is an entry of the text, so that it migrates to nothing'
            report(warning("stale-migration", migration.span, message, "remove the migration"))
        elif migration.new_id is not None and migration.new_id not in known | old_ids:
            message = f'the text has no "{migration.new_id}"'
            hint = did_you_mean(migration.new_id, known, "name the id that means the same now, or null")
            report(warning("stale-migration", migration.span, message, hint))

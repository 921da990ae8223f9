"""`duplicate-id`: two entities with the same id."""

from kismet_build.model.diagnostic import Related, Report, error
from kismet_build.pack import Entity, Pack


def duplicate_id(pack: Pack, report: Report) -> None:
    """Report every entity with the same id as an earlier entity."""
    first: dict[str, Entity] = {}
    for entity in pack.all_entities():
        other = first.setdefault(entity.id, entity)
        if other is not entity:
            kind = pack.kind(entity).title
            message = f'two entries of the kind {kind} are called "{entity.name}"'
            hint = f"rename one of them: both would have the id {entity.id}"
            related = (Related(other.span, "the other one"),)
            report(error("duplicate-id", entity.span, message, hint, related, entity.subject))

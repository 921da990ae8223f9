"""`repeated-value`: two entities of a kind with the same value in a unique field."""

from kismet_build.model.diagnostic import Related, Report, warning
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Pack


def repeated_value(pack: Pack, report: Report) -> None:
    """Report every value of an `x-unique` field already used by an earlier entity of the kind."""
    for kind in pack.game.kinds.values():
        for rule in (rule for rule in kind.rules.values() if rule.unique):
            first: dict[str, Entity] = {}
            for entity in pack.entities[kind.id]:
                value = entity.fields.get(rule.name)
                if value is None:
                    continue
                other = first.setdefault(normalize(str(value)), entity)
                if other is not entity:
                    message = f'"{entity.name}" and "{other.name}" have the same "{rule.name}": "{value}"'
                    related = (Related(other.span_of(rule.name), "the first one"),)
                    report(warning("repeated-value", entity.span_of(rule.name), message, "", related))

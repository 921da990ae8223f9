"""An entity that its own schema refuses."""

from kismet_build.diagnostic import Report, error
from kismet_build.entity import Pack


def invalid_entity(pack: Pack, report: Report) -> None:
    """Report every field whose value is not what the schema of its kind says."""
    from jsonschema import Draft202012Validator

    for kind in pack.game.kinds.values():
        validator = Draft202012Validator(kind.schema)
        for entity in pack.entities[kind.id]:
            for problem in validator.iter_errors(dict(entity.fields)):
                if problem.instance is None:
                    continue  # extraction found nothing, and has said so
                path = list(problem.absolute_path)
                span = entity.field_spans.get(str(path[0]), entity.span) if path else entity.span
                where = f'"{path[0]}" of ' if path else ""
                report(error("invalid-entity", span, f'{where}"{entity.name}" is not valid: {problem.message}'))

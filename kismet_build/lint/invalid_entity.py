"""`invalid-entity`: an entity that does not fit the schema of its kind."""

from kismet_build.config.data_file import schema_validator, validation_errors
from kismet_build.model.diagnostic import Report, error
from kismet_build.pack import Pack


def invalid_entity(pack: Pack, report: Report) -> None:
    """Report every field whose value does not fit the schema of its kind."""
    for kind in pack.game.kinds.values():
        fits = schema_validator(kind.schema)
        for entity in pack.entities[kind.id]:
            for problem in () if fits(entity.fields) else validation_errors(kind.schema, dict(entity.fields)):
                if problem.instance is None:
                    continue  # a missing value, which extraction has reported
                path = problem.json_path.removeprefix("$").removeprefix(".")
                field = f'"{path}" of ' if path else ""
                message = f'{field}"{entity.name}" is not valid: {problem.message}'
                report(error("invalid-entity", entity.span_of(path), message, subject=entity.subject))

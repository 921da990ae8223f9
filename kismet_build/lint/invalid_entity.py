"""`invalid-entity`: an entity that does not fit the schema of its kind.

In a lenient kind a number out of range is a warning, because the published schema admits it.
"""

from dataclasses import replace

from kismet_build.config.data_file import schema_validator, validation_errors
from kismet_build.model.diagnostic import Report, Severity, error
from kismet_build.pack import Pack


def invalid_entity(pack: Pack, report: Report) -> None:
    """Report every field whose value does not fit the schema of its kind."""
    for kind in pack.game.kinds.values():
        fits = schema_validator(kind.schema)
        invalid = [entity for entity in pack.entities[kind.id] if not fits(entity.fields)]
        published = pack.published_schema(kind) if invalid else {}
        for entity in invalid:
            fields = dict(entity.fields)
            faults = {problem.json_path for problem in validation_errors(published, fields)}
            for problem in validation_errors(kind.schema, fields):
                if problem.instance is None:
                    continue  # a missing value, which extraction has reported
                path = problem.json_path.removeprefix("$").removeprefix(".")
                field = f'"{path}" of ' if path else ""
                message = f'{field}"{entity.name}" is not valid: {problem.message}'
                found = error("invalid-entity", entity.span_of(path), message, subject=entity.subject)
                report(found if problem.json_path in faults else replace(found, severity=Severity.WARNING))

"""`invalid-entity`: an entity that does not match the schema of its kind.

For a lenient kind, a value that the published schema allows is only a warning.
"""

from dataclasses import replace
from typing import Any

from kismet_build.config.data_file import Keys, schema_validator, violations
from kismet_build.config.kind import FIELD_HINT
from kismet_build.config.observed_schema import has_other_format
from kismet_build.model.diagnostic import Report, Severity, error, warning
from kismet_build.pack import Pack


def invalid_entity(pack: Pack, report: Report) -> None:
    """Report every value that does not match the schema of its kind, unless extraction has already reported it."""
    for kind in pack.game.kinds.values():
        fits = schema_validator(kind.schema)
        invalid = [entity for entity in pack.entities[kind.id] if not fits(entity.fields)]
        published = pack.published_schema(kind) if invalid else {}
        for name, part in kind.schema["properties"].items() if kind.is_lenient else ():
            for entity in pack.entities[kind.id]:
                value = entity.fields.get(name)
                if isinstance(value, str) and has_other_format(part, value):
                    message = f'"{name}" of "{entity.name}" is "{value[:60]}", but must be a {part["format"]}'
                    report(warning("invalid-entity", entity.span_of(name), message, FIELD_HINT))
        for entity in invalid:
            fields = dict(entity.fields)
            faults = {violation.path for violation in violations(published, fields)}
            for path, reason, hint, _ in violations(kind.schema, fields):
                name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
                if path and (_value_at(fields, path) is None or name.startswith(tuple(entity.unparsed))):
                    continue  # extraction has already reported this value
                field = f'"{name}" of ' if name else ""
                message = f'{field}"{entity.name}" is not valid: {reason}'
                hint = hint or FIELD_HINT
                found = error("invalid-entity", entity.span_of(name), message, hint, subject=entity.subject)
                report(found if path in faults else replace(found, severity=Severity.WARNING))


def _value_at(value: Any, path: Keys) -> Any:
    for part in path:
        value = value.get(part) if isinstance(value, dict) else value[part] if isinstance(part, int) else None
    return value

"""`invalid-entity`: an entity that does not fit the schema of its kind."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kismet_build.config.data_file import quick_test
from kismet_build.config.kind import Kind
from kismet_build.model.diagnostic import Report, error
from kismet_build.pack import Entity, Pack

if TYPE_CHECKING:
    # Imported only for an invalid entity: the import is slow.
    from jsonschema import ValidationError


def invalid_entity(pack: Pack, report: Report) -> None:
    """Report every field whose value does not fit the schema of its kind."""
    for kind in pack.game.kinds.values():
        fits = quick_test(kind.schema)
        for entity in pack.entities[kind.id]:
            for problem in () if fits(entity.fields) else _problems(kind, entity):
                if problem.instance is None:
                    continue  # a missing value, which extraction has reported
                path = problem.json_path.removeprefix("$").removeprefix(".")
                field = f'"{path}" of ' if path else ""
                message = f'{field}"{entity.name}" is not valid: {problem.message}'
                report(error("invalid-entity", entity.place_of(path), message))


def _problems(kind: Kind, entity: Entity) -> "Iterator[ValidationError]":
    from jsonschema import Draft202012Validator

    return Draft202012Validator(kind.schema).iter_errors(dict(entity.fields))

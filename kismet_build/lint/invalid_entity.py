"""An entity that its own schema refuses."""

from kismet_build.config.data_file import problems, quick_test
from kismet_build.model.diagnostic import Report, error
from kismet_build.pack import Pack


def invalid_entity(pack: Pack, report: Report) -> None:
    """Report every field whose value is not what the schema of its kind says."""
    for kind in pack.game.kinds.values():
        fits = quick_test(kind.schema)
        for entity in pack.entities[kind.id]:
            for problem in () if fits(entity.fields) else problems(kind.schema, dict(entity.fields)):
                if problem.instance is None:
                    continue  # extraction found nothing, and has said so
                path = problem.json_path.removeprefix("$").removeprefix(".")
                where = f'"{path}" of ' if path else ""
                message = f'{where}"{entity.name}" is not valid: {problem.message}'
                report(error("invalid-entity", entity.place_of(path), message))

"""Data files: YAML, read and checked against the schema of its sort, every mistake with its line."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from kismet_build import yaml12
from kismet_build.diagnostic import Report, error
from kismet_build.source import Source, read_source

HERE = Path(__file__).parent
SHIPPED = HERE / "shipped" if (HERE / "shipped").is_dir() else HERE.parent
"""The folder that holds `schemas`, `site` and `content`: inside an installed package, beside it in a checkout."""


class Misuse(Exception):
    """The command was asked for something that cannot be; the message says what."""


class InvalidData(Misuse):
    """A data file cannot be used; what is wrong with it was reported."""

    def __init__(self, source: object) -> None:
        super().__init__(f"{source} cannot be used")


@cache
def shipped_schema(name: str) -> dict[str, Any]:
    """One of the schemas that are a contract with the world: `game`, `kind`, `pack`, `diagnostic`."""
    text = (SHIPPED / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def read_data(file: Path, code: str, schema: str, report: Report) -> tuple[Source, yaml12.Data]:
    """Read a data file and check it against its schema, the worst first. Raises `InvalidData`."""
    from jsonschema import Draft202012Validator

    try:
        source = read_source(file, file.name, file.as_posix())
    except UnicodeDecodeError as failure:
        source = Source(file.name, "", shown=file.as_posix())
        report(error(code, source.whole(), f"this file is not UTF-8: byte {failure.start} cannot be read"))
        raise InvalidData(file.as_posix()) from failure
    data = yaml12.parse(source, report, code)
    if data is None:
        raise InvalidData(file.as_posix())
    problems = list(Draft202012Validator(shipped_schema(schema)).iter_errors(data.value))
    for problem in problems:
        path = [*problem.absolute_path]
        where = f'at "{".".join(map(str, path))}": ' if path else ""
        if (unknown := _unknown_key(problem)) is not None:
            path.append(unknown)
        report(error(code, data.place(*path), where + _say(problem), _help(problem)))
    if problems:
        raise InvalidData(file.as_posix())
    return source, data


def _say(problem: Any) -> str:
    """What a schema has against a value, in words that an author of data files knows."""
    if (unknown := _unknown_key(problem)) is not None:
        return f'the key "{unknown}" is not known here'
    match problem.validator:
        case "required":
            missing = next(key for key in problem.validator_value if key not in problem.instance)
            return f'the key "{missing}" is missing'
        case "pattern" | "enum" | "anyOf" | "oneOf":
            return f"{json.dumps(problem.instance, ensure_ascii=False)} is not one of the known forms"
        case _:
            return str(problem.message)


def _unknown_key(problem: Any) -> str | None:
    """The key that a schema refuses to know, if that is the problem."""
    if problem.validator == "additionalProperties":
        return next(str(key) for key in problem.instance if key not in problem.schema.get("properties", {}))
    return str(problem.instance) if "propertyNames" in problem.absolute_schema_path else None


def _help(problem: Any) -> str:
    described = problem.schema.get("description", "") if isinstance(problem.schema, Mapping) else ""
    if problem.validator == "additionalProperties":
        return "known keys: " + ", ".join(problem.schema.get("properties", {}))
    return str(described)

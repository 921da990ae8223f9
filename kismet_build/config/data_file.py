"""Data files: YAML, read and checked against the schema of its sort, every mistake with its line."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from kismet_build.config import yaml
from kismet_build.model.diagnostic import Report, error
from kismet_build.model.source import Source, read_source

if TYPE_CHECKING:
    # Imported where it is used: nearly all data is valid, and the import takes longer than the test.
    from jsonschema import ValidationError
    from jsonschema_rs import Draft202012Validator as Validator

HERE = Path(__file__).parent.parent
SHIPPED = HERE / "shipped" if (HERE / "shipped").is_dir() else HERE.parent
"""The folder that holds `schemas`, `site` and `content`: inside an installed package, beside it in a checkout."""

Test: TypeAlias = Callable[[Any], bool]
Keys: TypeAlias = tuple[str | int, ...]

NAMED_SCHEMAS = ("properties", "patternProperties", "dependentSchemas", "$defs")
"""Keywords of JSON Schema whose value maps names to schemas."""
PLAIN_VALUES = ("const", "enum", "default", "examples")
"""Keywords of JSON Schema whose value is data and no schema."""


class UsageError(Exception):
    """The command was asked for something that cannot be; the message says what."""


class InvalidData(UsageError):
    """A data file cannot be used; what is wrong with it was reported."""

    def __init__(self, source: object) -> None:
        super().__init__(f"{source} cannot be used")


@cache
def shipped_schema(name: str) -> dict[str, Any]:
    """One of the schemas that are a contract with the world: `game`, `kind`, `pack`, `diagnostic`."""
    text = (SHIPPED / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def read_data(file: Path, code: str, schema: str, report: Report) -> tuple[Source, yaml.Data]:
    """Read a data file and check it against its schema, the worst first. Raises `InvalidData`."""
    source, data = _read(file, file.name, code, report)
    if _refused(data, code, schema, report):
        raise InvalidData(file.as_posix())
    return source, data


def read_entries(
    file: Path, path: str, code: str, schema: str, report: Report
) -> tuple[Source, yaml.Data, frozenset[str]]:
    """Read a data file that maps names to entries, and the names of the entries that its schema accepts.

    The others are reported. Raises `InvalidData` when the file holds no mapping at all.
    """
    source, data = _read(file, path, code, report)
    refused = _refused(data, code, schema, report)
    if not isinstance(data.value, dict):
        raise InvalidData(file.as_posix())
    return source, data, frozenset(data.value) - refused


def quick_test(schema: Any) -> Test:
    """Return the test that decides whether a value satisfies a schema. Raises `ValueError` for an unusable schema."""
    return _validator(schema).is_valid


def problems(schema: Mapping[str, Any], value: Any) -> list["ValidationError"]:
    """List what is wrong with a value that the test of `quick_test` refuses; never empty.

    jsonschema has the better words and is slow, so it sees refused values only. If it accepts one, because a pattern
    of an author means something else to Python, the reason of jsonschema-rs counts.
    """
    from jsonschema import Draft202012Validator, ValidationError

    if found := [*Draft202012Validator(schema).iter_errors(value)]:
        return found
    refused = _validator(schema).iter_errors(value)
    return [ValidationError(reason.message, path=reason.instance_path, instance=reason.instance) for reason in refused]


def schema_problems(schema: Mapping[str, Any]) -> Iterator[tuple[Keys, str, str]]:
    """Yield why a schema of an author cannot be used: the keys that lead to the place, the message and a hint."""
    from jsonschema_rs import ValidationError, meta

    if not meta.is_valid(dict(schema)):
        from jsonschema import Draft202012Validator

        # Each vocabulary of the meta-schema descends into the same parts.
        refused = problems(Draft202012Validator.META_SCHEMA, schema)
        for path, message in dict.fromkeys(((*problem.absolute_path,), problem.message) for problem in refused):
            yield path, f'at "{".".join(map(str, path))}": this is not JSON Schema: {message}', ""
        return
    hint = "write one that JavaScript and Python read alike"
    is_readable = True
    for keys, pattern in _patterns(schema):
        try:
            re.compile(pattern)
        except (re.error, OverflowError) as problem:
            is_readable = False
            yield keys, f"Python cannot read this regular expression: {problem}", hint
    try:
        if is_readable:
            quick_test(schema)
    except ValidationError as problem:
        if problem.instance_path:
            yield tuple(problem.instance_path), f"this is not JSON Schema: {problem.message}", hint
        else:
            yield (), "a $ref in this schema leads nowhere; nothing is fetched", ""


def _patterns(schema: Any, *path: str | int) -> Iterator[tuple[Keys, str]]:
    """Yield every regular expression of a schema after the keys that lead to it."""
    if isinstance(schema, list):
        for place, part in enumerate(schema):
            yield from _patterns(part, *path, place)
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        if key == "pattern" and isinstance(value, str):
            yield (*path, key), value
        elif key in NAMED_SCHEMAS and isinstance(value, dict):
            for name, part in value.items():
                if key == "patternProperties":
                    yield (*path, key, name), name
                yield from _patterns(part, *path, key, name)
        elif key not in PLAIN_VALUES:
            yield from _patterns(value, *path, key)


def _validator(schema: Any) -> "Validator":
    from jsonschema_rs import Draft202012Validator

    return Draft202012Validator(schema, retriever=_refuse)


def _refuse(address: str) -> Any:
    """A schema is whole in its file: nothing is fetched from anywhere."""
    raise ValueError(address)


@cache
def satisfies(schema: str) -> Test:
    """The quick test for one of our schemas."""
    return quick_test(shipped_schema(schema))


def _read(file: Path, path: str, code: str, report: Report) -> tuple[Source, yaml.Data]:
    try:
        source = read_source(file, path, file.as_posix())
    except UnicodeDecodeError as failure:
        source = Source(path, "", shown=file.as_posix())
        report(error(code, source.whole(), f"this file is not UTF-8: byte {failure.start} cannot be read"))
        raise InvalidData(file.as_posix()) from failure
    data = yaml.parse(source, report, code)
    if data is None:
        raise InvalidData(file.as_posix())
    return source, data


def _refused(data: yaml.Data, code: str, schema: str, report: Report) -> set[str]:
    """Report what a schema has against some data; the first keys of the paths to it, or an empty one for the whole."""
    if satisfies(schema)(data.value):
        return set()
    refused = set()
    found = {}
    for problem in problems(shipped_schema(schema), data.value):
        where = f'at "{".".join(map(str, problem.absolute_path))}": ' if problem.absolute_path else ""
        for message, *unknown in _findings(problem):
            path = [*problem.absolute_path, *unknown]
            found[(*path, message)] = error(code, data.place(*path), where + message, _help(problem))
            refused.add(str(path[0]) if path else "")
    for diagnostic in found.values():
        report(diagnostic)
    return refused


def _findings(problem: Any) -> Iterator[tuple[str, ...]]:
    """Yield messages for authors of data files, each with the key that is not known, if that is the problem.

    jsonschema reports all unknown keys of an object as one problem, and each missing key without its name.
    """
    if (unknown := _unknown_keys(problem)) is not None:
        yield from ((f'the key "{key}" is not known here', key) for key in unknown)
        return
    match problem.validator:
        case "required":
            for key in problem.validator_value:
                if key not in problem.instance:
                    yield (f'the key "{key}" is missing',)
        case "dependentRequired":
            for key, names in problem.validator_value.items():
                for name in names:
                    if key in problem.instance and name not in problem.instance:
                        yield (f'"{key}" asks for "{name}" beside it',)
        case "anyOf" if all("required" in form for form in problem.validator_value):
            yield ("one of the keys is missing that say what it is",)
        case "pattern" | "enum" | "anyOf" | "oneOf":
            yield (f"{json.dumps(problem.instance, ensure_ascii=False)} is not one of the known forms",)
        case _:
            yield (str(problem.message),)


def _unknown_keys(problem: Any) -> list[str] | None:
    """List the keys that a schema does not know, if that is the problem."""
    if problem.validator == "additionalProperties":
        return [str(key) for key in problem.instance if key not in problem.schema.get("properties", {})]
    return [str(problem.instance)] if "propertyNames" in problem.absolute_schema_path else None


def _help(problem: Any) -> str:
    described = problem.schema.get("description", "") if isinstance(problem.schema, Mapping) else ""
    if problem.validator == "additionalProperties":
        return "known keys: " + ", ".join(problem.schema.get("properties", {}))
    return str(described)

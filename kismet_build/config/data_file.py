"""Load data files: parse YAML, validate it with a schema of `schemas/`, report errors with their spans."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from kismet_build.config import yaml
from kismet_build.model.diagnostic import Report, error
from kismet_build.model.pattern import Pattern, UnusablePattern
from kismet_build.model.source import Source, is_below, read_source

if TYPE_CHECKING:
    # Imported where it is used: nearly all data is valid, and the import takes longer than the test.
    from jsonschema import ValidationError
    from jsonschema_rs import Draft202012Validator as Validator

HERE = Path(__file__).parent.parent
SHIPPED = HERE / "shipped" if (HERE / "shipped").is_dir() else HERE.parent
"""The folder that contains `schemas`, `site` and `content`: `shipped` in an installed package, or the repository."""

Test: TypeAlias = Callable[[Any], bool]
Keys: TypeAlias = tuple[str | int, ...]

NAMED_SCHEMAS = ("properties", "patternProperties", "dependentSchemas", "$defs")
"""Keywords of JSON Schema whose value maps names to schemas."""
PLAIN_VALUES = ("const", "enum", "default", "examples")
"""Keywords of JSON Schema whose value is data and no schema."""


YAML_SUFFIXES = (".yaml", ".yml")
"""Suffixes of data files; of two files that differ in nothing else, the first counts."""


def yaml_file(folder: Path, name: str) -> Path:
    """The data file of this name in a folder, with either suffix; with the first if there is none."""
    files = [folder / f"{name}{suffix}" for suffix in YAML_SUFFIXES]
    return next(filter(Path.is_file, files), files[0])


def yaml_files(folder: Path, *roots: Path) -> list[Path]:
    """The data files in a folder that are not hidden, in alphabetical order; none if there is no such folder. With all
    links followed, they must be in one of the resolved `roots`. Raises `OSError` if the folder cannot be listed.
    """
    # `Path.glob` would take a folder that cannot be listed for an empty one.
    files = (file for file in folder.iterdir() if file.suffix in YAML_SUFFIXES) if folder.is_dir() else ()
    return sorted(file for file in files if not file.name.startswith(".") and is_inside(file, *roots))


def is_inside(file: Path, *folders: Path) -> bool:
    """Whether this is a regular file in one of the folders, and not hidden there, with all links followed.

    The folders must be resolved.
    """
    try:
        whole = file.resolve()
    except (OSError, RuntimeError):  # a circular link
        return False
    return whole.is_file() and any(is_below(str(whole), str(folder)) for folder in folders)


class UsageError(Exception):
    """The arguments of a command cannot be used; the message says why."""


class InvalidData(UsageError):
    """A data file is invalid. Its errors have been reported."""

    def __init__(self, source: object) -> None:
        super().__init__(f"{source} cannot be used")


@cache
def shipped_schema(name: str) -> dict[str, Any]:
    """A published schema of `schemas/` by name, such as `game` or `pack`."""
    text = (SHIPPED / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def read_data(file: Path, code: str, schema: str, report: Report) -> tuple[Source, yaml.Data]:
    """Load a data file and validate it. `code`: the code of its diagnostics. Raises `InvalidData` if it is invalid."""
    source, data = _parse_file(file, file.name, code, report)
    if _invalid_keys(data, code, schema, report):
        raise InvalidData(file.as_posix())
    return source, data


def parse_data(source: Source, code: str, schema: str, report: Report) -> yaml.Data:
    """Parse a data text and validate it. Raises `InvalidData` if it is invalid."""
    data = yaml.parse(source, report, code)
    if data is None or _invalid_keys(data, code, schema, report):
        raise InvalidData(source.display_path)
    return data


def read_entries(
    file: Path, path: str, code: str, schema: str, report: Report
) -> tuple[Source, yaml.Data, frozenset[str]]:
    """Load a data file that maps names to entries. The third value is the set of names whose entries are valid.

    Invalid entries are reported. Raises `InvalidData` if the file is no mapping.
    """
    source, data = _parse_file(file, path, code, report)
    invalid = _invalid_keys(data, code, schema, report)
    if not isinstance(data.value, dict):
        raise InvalidData(file.as_posix())
    return source, data, frozenset(data.value) - invalid


def schema_validator(schema: Any) -> Test:
    """Return the test that decides whether a value satisfies a schema. Raises `ValueError` for an unusable schema."""
    return _validator(schema).is_valid


def validation_errors(schema: Mapping[str, Any], value: Any) -> list["ValidationError"]:
    """List the errors of a value that fails the test of `schema_validator`; never empty.

    jsonschema has clearer messages but is slow, so it validates only values that fail. If it accepts one, because
    a pattern means something else in Python, the errors of jsonschema-rs are returned; and for `patternProperties`,
    whose patterns jsonschema searches without a limit of time.
    """
    from jsonschema import Draft202012Validator, ValidationError
    from jsonschema.validators import extend

    def search(_validator: Any, pattern: str, text: Any, _schema: Any) -> Iterator[ValidationError]:
        try:
            if isinstance(text, str) and not Pattern(pattern).search(text):
                yield ValidationError(f"{text!r} does not match {pattern!r}")
        except UnusablePattern as problem:
            yield ValidationError(f"{text!r} is not searched: {problem}")

    if not any("patternProperties" in keys for keys, _ in _patterns(schema)):
        validator = extend(Draft202012Validator, {"pattern": search})  # type: ignore[no-untyped-call]
        if found := [*validator(schema).iter_errors(value)]:
            return found
    refused = _validator(schema).iter_errors(value)
    return [ValidationError(reason.message, path=reason.instance_path, instance=reason.instance) for reason in refused]


def schema_errors(schema: Mapping[str, Any]) -> Iterator[tuple[Keys, str, str]]:
    """Yield the errors of a schema in a data file: the path in the schema, the message and a hint."""
    from jsonschema_rs import ValidationError, meta

    if not meta.is_valid(dict(schema)):
        from jsonschema import Draft202012Validator

        # Each vocabulary of the meta-schema descends into the same parts.
        refused = validation_errors(Draft202012Validator.META_SCHEMA, schema)
        for path, message in dict.fromkeys(((*problem.absolute_path,), problem.message) for problem in refused):
            yield path, f'at "{".".join(map(str, path))}": this is not JSON Schema: {message}', ""
        return
    hint = "write one that JavaScript and Python read alike"
    is_readable = True
    for keys, pattern in _patterns(schema):
        try:
            Pattern(pattern)
        except re.error as problem:
            is_readable = False
            yield keys, f"Python cannot read this regular expression: {problem}", hint
    try:
        if is_readable:
            schema_validator(schema)
    except ValidationError as problem:
        if problem.instance_path:
            yield tuple(problem.instance_path), f"this is not JSON Schema: {problem.message}", hint
        else:
            yield (), "a $ref in this schema leads nowhere; nothing is fetched", ""


def _patterns(schema: Any, *path: str | int) -> Iterator[tuple[Keys, str]]:
    """Yield every regular expression of a schema after the keys that lead to it."""
    if isinstance(schema, list):
        for index, part in enumerate(schema):
            yield from _patterns(part, *path, index)
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
    """Reject a reference to another file: each schema is complete, and nothing is fetched."""
    raise ValueError(address)


@cache
def shipped_schema_test(schema: str) -> Test:
    """The quick test of a published schema."""
    return schema_validator(shipped_schema(schema))


def _parse_file(file: Path, path: str, code: str, report: Report) -> tuple[Source, yaml.Data]:
    try:
        source = read_source(file, path, file.as_posix())
    except UnicodeDecodeError as failure:
        source = Source(path, "", display_path=file.as_posix())
        report(error(code, source.full_span(), f"this file is not UTF-8: byte {failure.start} cannot be read"))
        raise InvalidData(file.as_posix()) from failure
    data = yaml.parse(source, report, code)
    if data is None:
        raise InvalidData(file.as_posix())
    return source, data


def _invalid_keys(data: yaml.Data, code: str, schema: str, report: Report) -> set[str]:
    """Report all violations of a schema. The result: the top-level keys with violations, `""` for the whole file."""
    if shipped_schema_test(schema)(data.value):
        return set()
    invalid = set()
    diagnostics = {}
    for problem in validation_errors(shipped_schema(schema), data.value):
        where = f'at "{".".join(map(str, problem.absolute_path))}": ' if problem.absolute_path else ""
        for message, *unknown in _messages(problem):
            path = [*problem.absolute_path, *unknown]
            diagnostics[(*path, message)] = error(code, data.span_of(*path), where + message, _hint(problem))
            invalid.add(str(path[0]) if path else "")
    for diagnostic in diagnostics.values():
        report(diagnostic)
    return invalid


def _messages(problem: Any) -> Iterator[tuple[str, ...]]:
    """Yield the messages for a problem, each with the unknown key if that is the problem.

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
    """The keys that a schema does not allow; `None` for other problems."""
    if problem.validator == "additionalProperties":
        return [str(key) for key in problem.instance if key not in problem.schema.get("properties", {})]
    return [str(problem.instance)] if "propertyNames" in problem.absolute_schema_path else None


def _hint(problem: Any) -> str:
    described = problem.schema.get("description", "") if isinstance(problem.schema, Mapping) else ""
    if problem.validator == "additionalProperties":
        return "known keys: " + ", ".join(problem.schema.get("properties", {}))
    return str(described)

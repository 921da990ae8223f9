"""Load data files: parse YAML, validate it with a schema of `schemas/`, report errors with their spans."""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from errno import EFBIG, ENAMETOOLONG
from functools import cache
from itertools import chain
from os.path import lexists
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from kismet_build.model.diagnostic import Report, error
from kismet_build.model.pattern import Pattern, UnusablePattern
from kismet_build.model.source import Source, encoding_fault, is_below, read_source
from kismet_build.model.suggestion import close_word, did_you_mean
from kismet_build.model.text_normalization import slug

if TYPE_CHECKING:
    # Imported on use, to save time at the start.
    from jsonschema import ValidationError
    from jsonschema_rs import Draft202012Validator as Validator

    from kismet_build.config import yaml

HERE = Path(__file__).parent.parent
SHIPPED = HERE / "shipped" if (HERE / "shipped").is_dir() else HERE.parent
"""The folder that contains `schemas`, `site` and `content`: `shipped` in an installed package, or the repository."""

Test: TypeAlias = Callable[[Any], bool]
Keys: TypeAlias = tuple[str | int, ...]

NAMED_SCHEMAS = ("properties", "patternProperties", "dependentSchemas", "$defs")
"""Keywords of JSON Schema whose value maps names to schemas."""
SUBSCHEMAS = (
    *("items", "prefixItems", "contains", "unevaluatedItems", "additionalProperties", "propertyNames"),
    *("unevaluatedProperties", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"),
)
"""Keywords of JSON Schema whose value is a schema or a list of schemas. Values of unknown keywords are not schemas."""
PLAIN_VALUES = ("const", "enum", "default", "examples")
"""Keywords of JSON Schema whose value is data, not a schema."""


YAML_SUFFIXES = (".yaml", ".yml")
"""Suffixes of data files, by preference if two files differ only in the suffix."""


def yaml_file(folder: Path, name: str) -> Path:
    """The path of the data file with this name in a folder, whichever of `YAML_SUFFIXES` it has.

    If there is no such file, the path has the first suffix.
    """
    files = [folder / f"{name}{suffix}" for suffix in YAML_SUFFIXES]
    return next(filter(Path.is_file, files), files[0])


def yaml_files(folder: Path, *roots: Path) -> list[Path]:
    """The data files in a folder that are not hidden, in alphabetical order; empty if the folder does not exist.

    Files that are outside of the resolved `roots`, after all links are followed, are left out. Raises `OSError` if the
    folder cannot be listed.
    """
    # `Path.glob` would treat a folder that it cannot list as empty.
    files = (file for file in folder.iterdir() if file.suffix in YAML_SUFFIXES) if is_folder(folder) else ()
    return sorted(file for file in files if not file.name.startswith(".") and is_inside(file, *roots))


def is_folder(path: Path) -> bool:
    """Whether a folder has this path, which may be of any length or have a NUL.

    Raises `OSError` if that cannot be found out, where `os.path.isdir` would deny it.
    """
    try:
        return path.is_dir()
    except OSError as error:
        if error.errno != ENAMETOOLONG:
            raise
        return False


def is_inside(file: Path, *folders: Path) -> bool:
    """Whether a path, after all links are followed, is a regular file in one of these folders and is not hidden there.

    The folders must be resolved.
    """
    try:
        whole = file.resolve()
    except (OSError, RuntimeError, ValueError):  # a circular link, or a NUL
        return False
    return whole.is_file() and any(is_below(str(whole), str(folder)) for folder in folders)


class UsageError(Exception):
    """The arguments of a command cannot be used; the message says why."""


def unknown_privacy(place: object, reason: str, *, is_of_site: bool = True) -> UsageError:
    """The error for settings that may keep texts private but are not understood.

    `is_of_site`: whether they are those of a site generator, which an author can leave aside.
    """
    way_out = "Correct it"
    if is_of_site:
        way_out += ", or write `source: folder` in library.yaml: then only the rules of kismet count, such as `exclude`"
    return UsageError(f"{place}: {reason}, so kismet cannot tell which texts are private. {way_out}")


class InvalidData(UsageError):
    """Raised for an invalid data file after its errors were reported."""

    def __init__(self, source: object) -> None:
        super().__init__(f"{source} cannot be used")


def settings_file(folder: Path, name: str) -> Path | None:
    """The settings file with this name in a folder; `None` without one.

    Raises `UsageError` if there are two, if it is not a file in the folder, or if its name has another case, because it
    may keep texts private.
    """
    names = {f"{name}{suffix}" for suffix in YAML_SUFFIXES}
    with suppress(OSError):
        others = {*os.listdir(folder)} - names
        if not names.isdisjoint(map(str.casefold, others)):
            other = min(name for name in others if name.casefold() in names)
            raise unknown_privacy(folder / other, f'the name is not "{other.casefold()}"', is_of_site=False)
    files = [folder / f"{name}{suffix}" for suffix in YAML_SUFFIXES if lexists(f"{folder}/{name}{suffix}")]
    if len(files) > 1:
        raise unknown_privacy(files[0], f'there is also "{files[1].name}"', is_of_site=False)
    if files and not is_inside(files[0], folder.resolve()):
        raise unknown_privacy(files[0], "this is not a file in the folder", is_of_site=False)
    return files[0] if files else None


@cache
def shipped_schema(name: str) -> dict[str, Any]:
    """A published schema of `schemas/` by name, such as `game` or `pack`."""
    text = (SHIPPED / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def read_data(file: Path, code: str, schema: str, report: Report) -> tuple[Source, "yaml.Data"]:
    """Load a data file and validate it. `code`: the code of its diagnostics. Raises `InvalidData` if it is invalid."""
    source, data = _parse_file(file, file.name, code, report)
    if _invalid_keys(data, code, schema, report):
        raise InvalidData(file.as_posix())
    return source, data


def parse_data(source: Source, code: str, schema: str, report: Report) -> "yaml.Data":
    """Parse and validate the text of a data file. Raises `InvalidData` if it is invalid."""
    from kismet_build.config import yaml

    data = yaml.parse(source, report, code)
    if data is None or _invalid_keys(data, code, schema, report):
        raise InvalidData(source.display_path)
    return data


def read_entries(
    file: Path, path: str, code: str, schema: str, report: Report
) -> tuple[Source, "yaml.Data", frozenset[str]]:
    """Load a data file that maps names to entries. The third value is the set of names whose entries are valid.

    Invalid entries are reported. Raises `InvalidData` if the file cannot be parsed or is not a mapping.
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
    """The errors of a value that fails the test of `schema_validator`; never empty.

    jsonschema has clearer messages but is slow, so it validates only values that fail. The errors are those of
    jsonschema-rs if jsonschema accepts the value, and for schemas with `patternProperties`, whose patterns jsonschema
    searches without a time limit. docs/decisions/0002-two-json-schema-engines.md has the times.
    """
    from jsonschema import Draft202012Validator, ValidationError
    from jsonschema.validators import extend

    def search(_validator: Any, pattern: str, text: Any, _schema: Any) -> Iterator[ValidationError]:
        try:
            if isinstance(text, str) and not Pattern(pattern).search(text):
                yield ValidationError(f"{_shown(text)} does not match {pattern}")
        except UnusablePattern as problem:
            yield ValidationError(f"{_shown(text)} is not searched: {problem}")

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

        # `violations` drops the duplicates: each vocabulary of the meta-schema descends into the same parts.
        for path, message, hint, _ in violations(Draft202012Validator.META_SCHEMA, schema):
            yield path, f'at "{".".join(map(str, path))}": this is not JSON Schema: {message}', hint
        return
    hint = "write a regular expression that is valid in both JavaScript and Python"
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
            yield (), "a $ref in this schema has no target in this file; schemas are not fetched from the web", ""


def _patterns(schema: Any, *path: str | int) -> Iterator[tuple[Keys, str]]:
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
    """Reject a reference to another file: a schema must be complete, and nothing is fetched."""
    raise ValueError(address)


@cache
def shipped_schema_test(schema: str) -> Test:
    """The test of a published schema: valid or not, without messages."""
    return schema_validator(shipped_schema(schema))


def _parse_file(file: Path, path: str, code: str, report: Report) -> tuple[Source, "yaml.Data"]:
    from kismet_build.config import yaml

    try:
        source = read_source(file, path, file.as_posix())
    except UnicodeDecodeError as failure:
        source, span, message, hint = encoding_fault(failure, path, file.as_posix())
        report(error(code, span, message, hint))
        raise InvalidData(file.as_posix()) from failure
    except OSError as failure:
        if failure.errno != EFBIG:
            raise
        report(error(code, Source(path, "", display_path=file.as_posix()).full_span(), str(failure.strerror)))
        raise InvalidData(file.as_posix()) from failure
    data = yaml.parse(source, report, code)
    if data is None:
        raise InvalidData(file.as_posix())
    return source, data


def _invalid_keys(data: "yaml.Data", code: str, schema: str, report: Report) -> set[str]:
    """Report all violations of a schema, and return the top-level keys that have any (`""` for the entire file)."""
    if shipped_schema_test(schema)(data.value):
        return set()
    found = violations(shipped_schema(schema), data.value)
    for path, message, hint, rule in found:
        where = path[:-1] if rule == "unknown key" else path
        at = f'at "{".".join(map(str, where))}": ' if where else ""
        report(error(code, data.span_of(*path), at + message, hint))
    return {str(violation.path[0]) if violation.path else "" for violation in found}


Rule = Literal["unknown key", "missing key", "no form", "value"]
"""What a violation is about: a key, a value that has none of the allowed forms or required keys, or any other value."""


class Violation(NamedTuple):
    """A place where a value does not satisfy a schema, described for authors."""

    path: Keys
    """The path of the value or of an unknown key; in results of `violations`, that of the object without a key."""
    message: str
    hint: str
    rule: Rule = "value"


def violations(schema: Mapping[str, Any], value: Any) -> list[Violation]:
    """The violations of a schema, without those that are only consequences of others."""
    problems = validation_errors(schema, value)
    unknown = {
        (*problem.absolute_path, key): _known_keys(problem) for problem in problems for key in _unknown_keys(problem)
    }
    misspelled = {(*path[:-1], close_word(str(path[-1]), known)) for path, known in unknown.items()}
    found: dict[tuple[Keys, str], Violation] = {}
    for problem in problems:
        for violation in _violations_of(problem):
            is_missing = violation.rule == "missing key"
            # A missing key is not reported if it was only misspelled.
            if not is_missing or violation.path not in misspelled:
                path = violation.path[:-1] if is_missing else violation.path
                found[path, violation.message] = violation._replace(path=path)
    return [
        violation
        for violation in found.values()
        # Left out if a part of the value has a violation of its own, which is the cause.
        if violation.rule != "no form"
        or not any(path[: len(violation.path)] == violation.path != path for path, _ in found)
    ]


TEXTS = (
    {"type": "string"},
    {"type": "string", "minLength": 1},
    *({"$ref": f"#/$defs/{name}"} for name in ("line", "named", "id")),
)
"""Schemas of strings, for lists whose items must be text."""
TYPE_NAMES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "keys with values",
    "null": "empty",
}
"""The types of JSON Schema as named in messages."""
BOUNDS = {
    "minimum": "{} is less than {}",
    "maximum": "{} is more than {}",
    "exclusiveMinimum": "{} is not more than {}",
    "exclusiveMaximum": "{} is not less than {}",
    "multipleOf": "{} is not a multiple of {}",
}
"""Keywords of JSON Schema that compare numbers, with messages that name the value and the bound."""


def _violations_of(problem: Any) -> Iterator[Violation]:
    """The violations in one problem. jsonschema reports all unknown keys of an object as a single problem."""
    path, value, expected, hint = (*problem.absolute_path,), problem.instance, problem.validator_value, _hint(problem)
    if unknown := _unknown_keys(problem):
        known = _known_keys(problem)
        otherwise = f"known keys: {', '.join(known)}" if known else hint
        if problem.validator == "pattern" and not known:
            cause = "does not have the required form"
            message = f'the key "{unknown[0]}" {cause}'
            yield Violation((*path, *unknown), message, _plain_form(problem) + hint, "unknown key")
            return
        for key in unknown:
            message = f'the key "{key}" is not known here'
            yield Violation((*path, key), message, did_you_mean(key, known, otherwise), "unknown key")
        return
    match problem.validator:
        case "required":
            for key in expected:
                if key not in value:
                    close = close_word(
                        key, (other for other in value if other not in problem.schema.get("properties", {}))
                    )
                    hint = f'did you mean "{close}"?' if close else _line_to_write(problem, key)
                    yield Violation((*path, key), f'the key "{key}" is missing', hint, "missing key")
        case "dependentRequired":
            for key, names in expected.items():
                for name in names:
                    if key in value and name not in value:
                        yield Violation(path, f'"{key}" also needs "{name}"', _line_to_write(problem, name))
        case "anyOf" | "oneOf":
            yield from _violations_of_forms(problem)
        case "enum":
            yield _wrong_value(path, value, expected, hint)
        case "const":
            yield Violation(path, f"this must be {_shown(expected)}, not {_shown(value)}", hint)
        case "type":
            types = [expected] if isinstance(expected, str) else expected
            is_list_of_texts = types == ["array"] and problem.schema.get("items") in TEXTS
            if is_list_of_texts and isinstance(value, str):
                from kismet_build.config import yaml

                hint = f"put it in brackets: [{yaml.flow(value)}]"
            if types == ["object"] and not path:
                keys = ", ".join(f"{name}: ..." for name in problem.schema.get("required", ()))
                begun = (
                    "write each on a separate line, without -" if isinstance(value, list) else "write a line for each"
                )
                hint = f"{begun}: {keys}" if keys else hint
            yield _wrong_type(path, value, types, hint)
        case "pattern":
            known = _forms(hint)
            word, colon, rest = str(value).partition(":")
            close = close_word(word, known)
            near = f'did you mean "{close}{colon}{rest}"? ' if close and word not in known else ""
            if word in known and not colon:
                near = f'write what it looks for: "{word}:...". '
            if "is not searched" in problem.message:
                yield Violation(path, str(problem.message), hint)
            else:
                form = (near or _plain_form(problem)) + hint or f"the pattern is {expected}"
                yield Violation(path, f"{_shown(value)} does not have the required form", form)
        case "minItems" | "minLength" | "minProperties" if not value:
            yield Violation(path, "this is empty", hint or "fill it in, or remove the key")
        case "maxProperties":
            keys = ", ".join(map(str, value))
            yield Violation(path, f"this has {len(value)} keys, but can have {expected}: {keys}", hint)
        case "uniqueItems":
            yield Violation(path, "this list has a duplicate", hint or "keep only one")
        case bound if bound in BOUNDS:
            yield Violation(path, BOUNDS[bound].format(_shown(value), _shown(expected)), hint)
        case _:
            yield Violation(path, str(problem.message), hint)


def _line_to_write(problem: Any, key: str) -> str:
    described = problem.schema.get("properties", {}).get(key, {}).get("description", "")
    return f"write a line {key}: ...{'; it is ' if described else ''}{described}"


def _wrong_type(path: Keys, value: Any, types: Sequence[str], hint: str) -> Violation:
    cure = ""
    if value is None and path:
        cure = "write a value after the colon"
    elif "string" in types and isinstance(value, list | dict):
        cure = f"put it in quotes if it is text{': ' if hint else ''}{hint}"
    elif "string" in types and value is not None:
        text = json.dumps(str(value)) if isinstance(value, int | float) and value is not True else ""
        cure = f"put it in quotes{': ' if text else ' if it is text'}{text}"
    wanted = " or ".join(TYPE_NAMES.get(name, name) for name in types)
    return Violation(path, f"this must be {wanted}, not {_shown(value)}", cure or hint)


def _wrong_value(path: Keys, value: Any, allowed: Sequence[Any], hint: str) -> Violation:
    texts = [text for text in allowed if isinstance(text, str)]
    listed = ", ".join(map(_shown, allowed)).replace('"', "")
    return Violation(path, f"{_shown(value)} is not one of: {listed}", did_you_mean(str(value), texts, hint))


def _violations_of_forms(problem: Any) -> Iterator[Violation]:
    """The violations of a value that may have one of several forms, compared with the form that it resembles most."""
    path, value, hint = (*problem.absolute_path,), problem.instance, _hint(problem)
    if all(set(form) == {"required"} for form in problem.validator_value):
        if not isinstance(value, dict):
            return  # a wrong type is reported elsewhere
        keys = [" and ".join(form["required"]) for form in problem.validator_value]
        both = [key for key in keys if key in value]
        if len(both) > 1:
            yield Violation(path, f'"{both[0]}" and "{both[1]}" cannot be used together', hint)
        else:
            message = f"one of these keys is required: {', '.join(keys)}"
            yield Violation(path, message, hint or "add one of them", "no form")
        return
    forms = _problems_by_form(problem)
    # The author probably meant a form with the type of the value.
    meant = [parts for parts in forms if not _is_other_type(parts)]
    if meant:
        for part in min(meant, key=_distance):
            yield from _violations_of(part)
        return
    types: list[str] = []
    values: list[Any] = []
    for part in _leaves(forms):
        if part.validator == "type":
            types += [part.validator_value] if isinstance(part.validator_value, str) else part.validator_value
        else:
            values.append(part.validator_value)
    if types:
        yield _wrong_type(path, value, [*dict.fromkeys(types)], hint)._replace(rule="no form")
    else:
        yield _wrong_value(path, value, values, hint)._replace(rule="no form")


def _problems_by_form(problem: Any) -> list[list[Any]]:
    by_form: dict[Any, list[Any]] = {}
    for part in problem.context:
        by_form.setdefault(part.relative_schema_path[0], []).append(part)
    return [*by_form.values()]


def _is_other_type(parts: Sequence[Any]) -> bool:
    """Whether the problems show that a form is for values of another type, or for one other constant."""
    return any(
        not part.relative_path
        and (
            part.validator in ("type", "const")
            or (part.validator in ("anyOf", "oneOf") and all(map(_is_other_type, _problems_by_form(part))))
        )
        for part in parts
    )


def _distance(parts: Sequence[Any]) -> tuple[int, int]:
    """Sort key for how badly a value fits a form: wrong or missing keys first, then all problems."""
    keys = 0
    for part in parts:
        # A value that is not an allowed constant counts like a wrong key.
        if not part.relative_path or (len(part.relative_path) == 1 and part.validator in ("const", "enum")):
            keys += len(_unknown_keys(part)) or 1
    return keys, len(parts)


def _leaves(forms: Iterable[Sequence[Any]]) -> Iterator[Any]:
    """The innermost `type` and `const` problems of the value itself."""
    for part in chain.from_iterable(forms):
        if part.context:
            yield from _leaves(_problems_by_form(part))
        elif part.validator in ("type", "const") and not part.relative_path:
            yield part


def _shown(value: Any) -> str:
    """A value as JSON; a list, a map or null in words."""
    if value is None or isinstance(value, list | dict):
        return "empty" if not value else "a list" if isinstance(value, list) else "keys with values"
    return json.dumps(value, ensure_ascii=False)


def _plain_form(problem: Any) -> str:
    """The start of a hint that spells a value with the letters a to z; empty if it is ASCII, or if no spelling fits."""
    words = [slug(word) for word in str(problem.instance).split("/")]
    spellings = ("/".join(words), "_".join(words).replace("-", "_"))
    plain = next((text for text in spellings if Pattern(problem.validator_value).search(text)), "")
    return f"letters are a to z: {plain}; " if plain and not str(problem.instance).isascii() else ""


def _forms(description: str) -> list[str]:
    """The alternatives, each up to its colon, in a description such as `one of: slug, label:<text>; or an object`."""
    listed = re.search(r"one of: ([^;]+)", description)
    return [word.strip().partition(":")[0] for word in listed[1].split(",")] if listed else []


def _unknown_keys(problem: Any) -> list[str]:
    if problem.validator == "additionalProperties" and problem.validator_value is False:
        return [str(key) for key in problem.instance if key not in problem.schema.get("properties", {})]
    return [str(problem.instance)] if "propertyNames" in problem.absolute_schema_path else []


def _known_keys(problem: Any) -> list[str]:
    if problem.validator == "additionalProperties":
        return [*problem.schema.get("properties", {})]
    if problem.validator == "enum":
        return [*problem.validator_value]
    # A pattern of key names such as `^(?!x-)|^x-(match|name)`.
    names = re.search(r"\^x-\(([a-z|]+)\)", str(problem.validator_value))
    return [f"x-{name}" for name in names[1].split("|")] if names else []


def _hint(problem: Any) -> str:
    """The description of the schema that a value does not satisfy, or of an enclosing schema for the same value."""
    while problem is not None:
        described = problem.schema.get("description", "") if isinstance(problem.schema, Mapping) else ""
        if described or problem.relative_path:
            return str(described)
        problem = problem.parent
    return ""

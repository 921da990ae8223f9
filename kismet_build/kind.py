"""Kinds: what types of thing a game has, where each starts in the text and where its fields come from."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kismet_build import yaml12
from kismet_build.datafile import InvalidData, read_data
from kismet_build.diagnostic import Report, error
from kismet_build.source import Source


@dataclass(frozen=True, slots=True)
class Way:
    """One way to fetch a value: `column:Roll` is how `column` and argument `Roll`."""

    how: str
    argument: str = ""
    pattern: re.Pattern[str] | None = None
    """Applied to the words that were fetched; its first group, or all of it, is the value."""
    value: Any = None
    """The value when the pattern is found, in place of the words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRule:
    """How one field of a kind gets its value."""

    name: str
    schema: Mapping[str, Any]
    ways: tuple[Way, ...]
    """Tried in order; the first that gives something is taken. Empty for fields that are not fetched."""
    case: str = ""
    """`title`, `lower`, `upper` or `slug`; empty for as printed."""
    split: str = ""
    """A regular expression between the names of a list, or between a name and its aliases."""
    rename: Mapping[str, str]
    """Names as the text has them, with the name to use instead; the old one becomes an alias."""
    refers: tuple[str, ...] = ()
    """The kinds whose entities the words of this field name: published as their ids."""
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Where the entities of a kind start in the text."""

    how: str
    """One of the words in `schemas/kind.schema.json` under `x-match`."""
    argument: Any
    under: tuple[str, ...] = ()
    """Titles of headings, one of which it stands below, at any depth; empty for anywhere."""
    pattern: re.Pattern[str] | None = None
    join: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    """For rows: a column of another table, and the column on which its rows are joined to these."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kind:
    """A type of thing in one game."""

    id: str
    title: str
    plural: str
    description: str
    match: Match
    name: tuple[str, ...]
    """Templates such as `Level {level}`, the first whose fields all have a value is taken; empty for field `name`."""
    rules: Mapping[str, FieldRule]
    body: tuple[Way, ...]
    schema: Mapping[str, Any]
    """JSON Schema of the `fields` of its entities, as published: without the keys that only the compiler reads."""
    ornament: str
    colour: str
    source: Source
    data: yaml12.Data


def load_kind(file: Path, report: Report) -> Kind:
    """Read one kind file. Raises `InvalidData`."""
    source, data = read_data(file, "invalid-kind", "kind", report)
    return read_kind(file.stem, source, data, report)


def read_kind(kind_id: str, source: Source, data: yaml12.Data, report: Report) -> Kind:
    """Turn the data of a kind into the kind. Raises `InvalidData` when a regular expression in it is broken."""
    value = data.value
    title = value["title"]
    required = value.get("required", [])

    def pattern(text: str | None, *path: str | int) -> re.Pattern[str] | None:
        try:
            return None if text is None else re.compile(text)
        except re.error as problem:
            report(error("invalid-kind", data.place(*path), f"this is not a regular expression: {problem}"))
            raise InvalidData(source.shown) from problem

    def way(written: Any, *path: str | int) -> Way:
        if isinstance(written, str):
            how, _, argument = written.partition(":")
            argument = argument.strip()
            if how == "pattern":
                return Way("text", "", pattern(argument, *path))
            return Way(how, argument)
        how = next((key for key in written if key not in ("pattern", "value")), "text")
        return Way(how, str(written.get(how) or ""), pattern(written.get("pattern"), *path), written.get("value"))

    def ways(written: Any, *path: str | int) -> tuple[Way, ...]:
        return tuple(way(one, *path) for one in (written if isinstance(written, list) else [written]))

    rules = {}
    for name, schema in value["properties"].items():
        here = ("properties", name)
        rules[name] = FieldRule(
            name=name,
            schema=_published(schema),
            ways=ways(schema["x-from"], *here, "x-from") if "x-from" in schema else (),
            case=schema.get("x-case", ""),
            split=schema.get("x-split", ""),
            rename=schema.get("x-rename", {}),
            refers=tuple(schema.get("x-refers", ())),
            required=name in required,
        )
    fields_schema = _fields_schema(value)
    _check_schema(fields_schema, source, data, report)
    written = value["x-match"]
    how = next(key for key in written if key not in ("under", "pattern", "join", "on"))
    match = Match(
        how=how,
        argument=_several(written[how]) if how in ("heading", "row", "names", "block") else written[how],
        under=names(written.get("under")),
        pattern=pattern(written.get("pattern"), "x-match", "pattern"),
        join=(names(written["join"]), names(written["on"])) if "join" in written else None,
    )
    return Kind(
        id=kind_id,
        title=title,
        plural=value.get("x-plural", title + "s"),
        description=value.get("description", "").strip(),
        match=match,
        name=names(value.get("x-name")),
        rules=rules,
        body=ways(value["x-body"], "x-body") if "x-body" in value else (),
        schema=fields_schema,
        ornament=value.get("x-ornament", "◆"),
        colour=value.get("x-colour", "fate"),
        source=source,
        data=data,
    )


def names(written: Any) -> tuple[str, ...]:
    """One word or a list of words, as data files may have either."""
    if written is None:
        return ()
    return _several(written)


def _several(written: Any) -> tuple[Any, ...]:
    return tuple(written) if isinstance(written, list | tuple) else (written,)


def _check_schema(schema: Mapping[str, Any], source: Source, data: yaml12.Data, report: Report) -> None:
    """Report what is no JSON Schema in the fields of a kind. Raises `InvalidData`."""
    from jsonschema_rs import meta

    if meta.is_valid(dict(schema)):
        return
    from jsonschema import Draft202012Validator

    problems = list(Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema))
    for problem in problems:
        where = ".".join(map(str, problem.absolute_path))
        message = f'at "{where}": this is not JSON Schema: {problem.message}'
        report(error("invalid-kind", data.place(*problem.absolute_path), message))
    if problems:
        raise InvalidData(source.shown)


def _fields_schema(value: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of `fields`: what every entity has (id, aliases, and its name) is described once, in the pack."""
    envelope = {"id", "aliases"} if "x-name" in value else {"id", "aliases", "name"}
    return {
        "type": "object",
        "required": [name for name in value.get("required", ()) if name not in envelope],
        "properties": {name: _published(one) for name, one in value["properties"].items() if name not in envelope},
        "additionalProperties": False,
    }


def _published(schema: Any) -> Any:
    """A schema without the keys that only the compiler reads."""
    if isinstance(schema, dict):
        return {key: _published(value) for key, value in schema.items() if not key.startswith("x-")}
    if isinstance(schema, list):
        return [_published(value) for value in schema]
    return schema

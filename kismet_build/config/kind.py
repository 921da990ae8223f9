"""Kinds: what types of thing a game has, where each starts in the text and where its fields come from."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kismet_build.config import yaml
from kismet_build.config.data_file import InvalidData, read_data, schema_problems
from kismet_build.model.diagnostic import Report, error
from kismet_build.model.source import Source
from kismet_build.model.text_normalization import folder_name

BESIDE = ("under", "pattern", "split", "join", "on")
"""What may stand beside the word that says how a kind matches."""
RESERVED_IDS = (
    *("calculators", "diagnostics", "doubtful", "pack"),
    *("boards", "glossary", "print"),
    *("section", "table"),
)
"""Ids that a kind cannot have: names of data files of its game, of folders of pages, and parts of other ids."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to fetch a value: `column:Roll` is how `column` and argument `Roll`."""

    how: str
    argument: str = ""
    pattern: re.Pattern[str] | None = None
    """Applied to the words that were fetched; its first group, or all of it, is the value."""
    value: Any = None
    """The value when the pattern is found, in place of the words."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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
    free: bool = False
    """Its wording is the author's: no fact of the rules."""
    unique: bool = False
    """No two entities have the same value."""
    is_sorted: bool = False
    """A list that is published by the letters of its words, as the order in the text is its author's."""
    parts: Mapping[str, "FieldRule"]
    """Of an object whose properties are fetched one by one, or of an array of such objects: how each of them is."""
    place: tuple[str | int, ...]
    """The keys that lead to it in the file of its kind."""

    @property
    def many(self) -> bool:
        """Whether it is a list."""
        return is_list(self.schema)

    def every(self) -> Iterator["FieldRule"]:
        """The rule itself and those of all its parts."""
        yield self
        for part in self.parts.values():
            yield from part.every()


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Where the entities of a kind start in the text."""

    how: str
    """One of the words in `schemas/kind.schema.json` under `x-match`."""
    argument: Any
    under: tuple[str, ...] = ()
    """Titles of headings, one of which it stands below, at any depth; empty for anywhere."""
    pattern: re.Pattern[str] | None = None
    split: re.Pattern[str] | None = None
    """For names: what stands between two of them; `None` for commas and the like."""
    join: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    """For rows: a column of another table, and the column on which its rows are joined to these."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kind:
    """A type of thing in one game."""

    id: str
    title: str
    plural: str
    description: str
    matches: tuple[Match, ...]
    """An entity that two of them find is found once."""
    name: tuple[str, ...]
    """Templates such as `Level {level}`, the first whose fields all have a value is taken; empty for field `name`."""
    rules: Mapping[str, FieldRule]
    body: tuple[Way, ...]
    repeated: str
    """What a name is that several entities would have: `label` for no entity at all; empty for a mistake."""
    schema: Mapping[str, Any]
    """JSON Schema of the `fields` of its entities, as published: without the keys that only the compiler reads."""
    ornament: str
    colour: str
    source: Source
    data: yaml.Data

    def every_rule(self) -> Iterator[FieldRule]:
        """The rules of all fields, each followed by those of its parts."""
        for rule in self.rules.values():
            yield from rule.every()


def load_kind(file: Path, report: Report) -> Kind:
    """Read one kind file. Raises `InvalidData`."""
    source, data = read_data(file, "invalid-kind", "kind", report)
    kind_id = folder_name(file.stem)
    if file.stem != kind_id or kind_id in RESERVED_IDS:
        message = f'a kind cannot have the id "{file.stem}", which is the name of its file'
        hint = f"rename the file to {kind_id}.yaml"
        if file.stem == kind_id:
            hint = "rename the file; this is the name of something else in the published tree"
        report(error("invalid-kind", source.whole(), message, hint))
        raise InvalidData(file.as_posix())
    return read_kind(kind_id, source, data, report)


def read_kind(kind_id: str, source: Source, data: yaml.Data, report: Report) -> Kind:
    """Turn the data of a kind into the kind. Raises `InvalidData` when something in it cannot mean anything."""
    value = data.value
    reading = _Reading(data, report)
    fields_schema = _fields_schema(value)
    # The envelope (id, aliases, name) is described in the pack, yet formulas read the types that are written here.
    for path, message, hint in schema_problems({**fields_schema, "properties": _published(value["properties"])}):
        reading.complain(message, *path, hint=hint)
    reading.finish()
    written = value["x-match"]
    if isinstance(written, list):
        matches = tuple(reading.match(one, "x-match", place) for place, one in enumerate(written))
    else:
        matches = (reading.match(written, "x-match"),)
    required = value.get("required", [])
    rules = {
        name: reading.rule(name, schema, name in required, "properties", name)
        for name, schema in value["properties"].items()
    }
    kind = Kind(
        id=kind_id,
        title=value["title"],
        plural=value.get("x-plural", value["title"] + "s"),
        description=value.get("description", "").strip(),
        matches=matches,
        name=names(value.get("x-name")),
        rules=rules,
        body=reading.ways(value["x-body"], "x-body") if "x-body" in value else (),
        repeated=value.get("x-repeated", ""),
        schema=fields_schema,
        ornament=value.get("x-ornament", "◆"),
        colour=value.get("x-colour", "fate"),
        source=source,
        data=data,
    )
    _check_names(kind, reading)
    reading.finish()
    return kind


def check_references(kind: Kind, kinds: Mapping[str, Kind], report: Report) -> None:
    """Report every field that refers to a kind which the game does not have. Raises `InvalidData`."""
    reading = _Reading(kind.data, report)
    for rule in kind.every_rule():
        for place, name in enumerate(rule.refers):
            if name not in kinds:
                message, hint = f'there is no kind "{name}"', "known kinds: " + ", ".join(kinds)
                reading.complain(message, *rule.place, "x-refers", place, hint=hint)
    reading.finish()


class _Reading:
    """The parts of one kind file turned into rules; every mistake is reported before the file is given up."""

    def __init__(self, data: yaml.Data, report: Report) -> None:
        self._data = data
        self._report = report
        self._is_sound = True

    def complain(self, message: str, *path: str | int, hint: str = "") -> None:
        """Report something at a place of the file."""
        self._report(error("invalid-kind", self._data.place(*path), message, hint))
        self._is_sound = False

    def finish(self) -> None:
        """Raise `InvalidData` if there was anything to complain of."""
        if not self._is_sound:
            raise InvalidData(self._data.whole.source.shown)

    def pattern(self, text: str | None, *path: str | int) -> re.Pattern[str] | None:
        try:
            return None if text is None else re.compile(text)
        except (re.error, OverflowError) as problem:
            self.complain(f"this is not a regular expression: {problem}", *path)
            return None

    def split(self, text: str | None, *path: str | int) -> re.Pattern[str] | None:
        """What stands between two names; a group in it would become a name itself."""
        found = self.pattern(text, *path)
        if found is not None and found.groups:
            self.complain("this keeps what stands between two names", *path, hint="write (?:...) instead of (...)")
        return found

    def way(self, written: Any, *path: str | int) -> Way:
        if isinstance(written, str):
            how, _, argument = written.partition(":")
            argument = argument.strip()
            if how == "pattern":
                return Way("text", "", self.pattern(argument, *path))
            return Way(how, argument)
        hows = [key for key in written if key not in ("pattern", "value")] or ["text"]
        if len(hows) > 1:
            self.complain(f'"{hows[0]}" and "{hows[1]}" are two ways', *path, hint="a list of ways is tried in order")
        given = written.get(hows[0])
        argument = "" if given is None or given is True else str(given)  # not `in`: 1 == True
        return Way(hows[0], argument, self.pattern(written.get("pattern"), *path), written.get("value"))

    def ways(self, written: Any, *path: str | int) -> tuple[Way, ...]:
        return tuple(self.way(one, *path) for one in (written if isinstance(written, list) else [written]))

    def match(self, written: Mapping[str, Any], *path: str | int) -> Match:
        how = next(key for key in written if key not in BESIDE)
        argument: Any = _several(written[how]) if how in ("heading", "row", "names", "block") else written[how]
        if how == "phrase":
            if "pattern" in written:
                self.complain('"phrase" has patterns of its own', *path, "pattern")
            argument = {
                name: tuple(filter(None, (self.pattern(one, *path, how, name) for one in _several(patterns))))
                for name, patterns in written[how].items()
            }
        if written.get("term") == "plain" and "pattern" not in written:
            self.complain('a plain term is known by its "pattern"', *path, "term")
        return Match(
            how=how,
            argument=argument,
            under=names(written.get("under")),
            pattern=self.pattern(written.get("pattern"), *path, "pattern"),
            split=self.split(written.get("split"), *path, "split"),
            join=(names(written["join"]), names(written["on"])) if "join" in written else None,
        )

    def rule(self, name: str, schema: Mapping[str, Any], required: bool, *path: str | int) -> FieldRule:
        self.split(schema.get("x-split"), *path, "x-split")
        ways = self.ways(schema["x-from"], *path, "x-from") if "x-from" in schema else ()
        parts, inside = self._parts(schema, *path)
        many = is_list(schema)
        if any(way.how == "table" for way in ways) and not (many and parts):
            hint = "type: array, and items of type object whose properties have x-from"
            self.complain("a table gives an array of objects", *path, "x-from", hint=hint)
        if many and parts and not ways:
            self.complain("nothing says where these objects come from", *path, hint="x-from: table, for example")
        if "x-sorted" in schema and (not many or _type(schema.get("items")) != "string"):
            hint = "type: array, and items of type string"
            self.complain("only a list of words can be sorted", *path, "x-sorted", hint=hint)
        if not parts and _buries_ways(schema):
            hint = "only the properties of an object, or of the objects in an array, are fetched"
            self.complain("an x-from in here would never be used", *path, hint=hint)
        for part in parts.values():
            if not part.ways and not part.parts and "default" not in part.schema:
                self.complain(f'nothing says where "{part.name}" comes from', *path, *inside, part.name)
        return FieldRule(
            name=name,
            schema=_published(schema),
            ways=ways,
            case=schema.get("x-case", ""),
            split=schema.get("x-split", ""),
            rename=schema.get("x-rename", {}),
            refers=tuple(schema.get("x-refers", ())),
            required=required,
            free=schema.get("x-free", False),
            unique=schema.get("x-unique", False),
            is_sorted=schema.get("x-sorted", False),
            parts=parts,
            place=path,
        )

    def _parts(self, schema: Mapping[str, Any], *path: str | int) -> tuple[dict[str, FieldRule], tuple[str | int, ...]]:
        """The rules of the properties of an object, or of the objects in an array, and the way to them.

        There are none where no property is fetched: the object is then one value, such as a range.
        """
        inside, one = _object(schema)
        written = one.get("properties", {})
        if not any(_is_fetched(part) for part in written.values()):
            return {}, ()
        required = one.get("required", ())
        to = (*inside, "properties")
        return {name: self.rule(name, part, name in required, *path, *to, name) for name, part in written.items()}, to


def is_list(schema: Mapping[str, Any]) -> bool:
    """Whether a schema describes an array, which may be null as well."""
    sort = schema.get("type")
    return sort == "array" or (isinstance(sort, list) and "array" in sort)


def _type(schema: Any) -> Any:
    """The type that a schema names, if it is an object and names one."""
    return schema.get("type") if isinstance(schema, dict) else None


def _buries_ways(schema: Any) -> bool:
    """Whether a part of a schema says where it is fetched."""
    inside = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    return any((isinstance(one, dict) and "x-from" in one) or _buries_ways(one) for one in inside)


def _object(schema: Mapping[str, Any]) -> tuple[tuple[str | int, ...], Mapping[str, Any]]:
    """The object that a schema describes, alone, in an array or beside null, and the keys that lead to it."""
    if is_list(schema) and isinstance(schema.get("items"), dict):
        path, found = _object(schema["items"])
        return ("items", *path), found
    for key in ("anyOf", "oneOf"):
        for place, option in enumerate(schema.get(key, ())):
            if isinstance(option, dict) and "properties" in option:
                return (key, place), option
    return (), schema


def _is_fetched(schema: Mapping[str, Any]) -> bool:
    return "x-from" in schema or any(_is_fetched(part) for part in _object(schema)[1].get("properties", {}).values())


def names(written: Any) -> tuple[str, ...]:
    """One word or a list of words, as data files may have either."""
    if written is None:
        return ()
    return _several(written)


def _several(written: Any) -> tuple[Any, ...]:
    return tuple(written) if isinstance(written, list | tuple) else (written,)


def _check_names(kind: Kind, reading: _Reading) -> None:
    """Report what names something that is not there: a group of no pattern, a field that is none."""
    groups = {group for match in kind.matches for group in _groups(match)}
    for rule in kind.every_rule():
        for way in rule.ways:
            if way.how == "capture" and way.argument not in groups:
                hint = (
                    f"the groups are: {', '.join(sorted(groups))}" if groups else "the match has no pattern with groups"
                )
                reading.complain(f'no pattern captures "{way.argument}"', *rule.place, "x-from", hint=hint)
    for key in (key for template in kind.name for key in template_keys(template)):
        if key not in kind.rules:
            reading.complain(f'there is no field "{key}"', "x-name", hint="the fields are: " + ", ".join(kind.rules))


def _groups(match: Match) -> Iterator[str]:
    patterns = [match.pattern] if match.pattern else []
    if match.how == "phrase":
        patterns += [pattern for some in match.argument.values() for pattern in some]
    for pattern in patterns:
        yield from pattern.groupindex


def template_keys(template: str) -> list[str]:
    """The fields that a template such as `Level {level}` names."""
    return [part.partition("}")[0] for part in template.split("{")[1:]]


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

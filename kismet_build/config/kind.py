"""Load kinds: the entity types of a game, with the rules that extract their entities and fields from the text.
docs/decisions/0008-vocabulary-of-kinds.md says when a new `x-` key may be added.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kismet_build.config import yaml
from kismet_build.config.data_file import parse_data, read_data, schema_errors
from kismet_build.config.data_reader import DataReader
from kismet_build.config.rule_terms import NO_RULE_TERMS, RuleTerms
from kismet_build.config.sentence import NAME, Template, UnreadableTemplate, conditions, paths, read_template
from kismet_build.model.diagnostic import Report
from kismet_build.model.language.inflection import plural
from kismet_build.model.pattern import Pattern
from kismet_build.model.source import Source
from kismet_build.model.suggestion import close_word, did_you_mean_or_list
from kismet_build.model.tag import tag_key
from kismet_build.model.text_normalization import folder_name, normalize_label

MATCH_OPTIONS = ("under", "pattern", "split", "join", "on", "folder", "file", "tag", "property", "with", "without")
"""The keys of an `x-match` entry, except the key that names the method."""
RESERVED_IDS = (
    *("calculators", "diagnostics", "doubtful", "migrations", "names", "pack", "questions"),
    *("csv", "downloads", "types"),
    *("boards", "glossary", "print", "tags"),
    *("section", "table"),
)
"""Ids that a kind cannot have, because data files, folders of pages or other ids of a game use them."""

PUBLISHED_KEYWORDS = ("x-refers", "x-unit")
"""The `x-` keys that remain in the published schema."""

FIELD_HINT = "change the text, or the schema of the field in the kind"
"""The hint for a value that does not satisfy the schema of its field."""

SCHEMA_KEYWORDS = (
    *("type", "enum", "const", "default", "title", "description", "examples", "format", "deprecated"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "items", "prefixItems", "contains"),
    *("properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties"),
    *("maxProperties", "dependentRequired", "anyOf", "oneOf", "allOf", "not", "if", "then", "else"),
)
"""Common keywords of JSON Schema, for suggestions. Other keywords are allowed."""

NAME_TEMPLATE = re.compile(r"(?:[^{}]|\{\w+\})*")
"""A template for names, such as `Level {level}`: text, and names of fields in braces."""


@dataclass(frozen=True, slots=True)
class FieldSource:
    """A place from which a field is fetched: `column:Roll` is the method `column` with the argument `Roll`."""

    method: str
    argument: str = ""
    pattern: Pattern | None = None
    """A pattern to search for in the fetched text.

    The groups of the pattern are the values, or the entire match if there are no groups.
    """
    value: Any = None
    """The value to use if the pattern matches; `None` to use the matched text."""
    mends: str = ""
    """Why the matched text is wrong and `value` is right; empty if the text means the same in other words."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FieldRule:
    """The rule that extracts one field of a kind."""

    name: str
    schema: Mapping[str, Any]
    sources: tuple[FieldSource, ...]
    """Where to fetch the field from: the first source with a value is used. Empty for fields that are not fetched."""
    case: str = ""
    """How to change the case of the text: `title`, `lower`, `upper` or `slug`; empty to leave it as it is."""
    split: Pattern | None = None
    """The separator between the names in a list, or between a name and its aliases."""
    rename: Mapping[str, str]
    """The new name for each name in the text. The old name of an entity becomes an alias."""
    mends: Mapping[str, str]
    """For each wrong name in the text, the reason why it is wrong."""
    referenced_kinds: tuple[str, ...] = ()
    """The kinds of the entities that the field names; it is published with their ids.

    Empty if the field is not a reference.
    """
    required: bool = False
    is_internal: bool = False
    """Whether the field is only in the data, not on pages."""
    free: bool = False
    """Whether the value is the author's wording and not a fact of the rules."""
    unique: bool = False
    """Whether each entity must have a different value."""
    expected: bool = False
    """Whether nearly all entities have a value. Entities without one are reported."""
    as_written: bool = False
    """Whether the constants of the schema are the author's words, as in found kinds, and not slugs."""
    is_sorted: bool = False
    """Whether a list is published in alphabetical order, because its order in the text has no meaning."""
    parts: Mapping[str, "FieldRule"]
    """By name, the rules of the properties of an object or of the objects in an array; empty if they are fetched
    together.
    """
    sentence: Template = ()
    """The template that puts an object, or each object of an array, into words; empty to show the parts with their
    labels.
    """
    schema_path: tuple[str | int, ...]
    """The keys that lead to the schema of the field in the kind file."""

    @property
    def is_list(self) -> bool:
        return is_list(self.schema)

    @property
    def unit(self) -> str:
        """The unit of the numbers, in the plural; may be empty."""
        return str(self.schema.get("x-unit", ""))

    def with_parts(self) -> Iterator["FieldRule"]:
        """This rule and the rules of its parts, at any depth."""
        yield self
        for part in self.parts.values():
            yield from part.with_parts()


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A rule that finds the entities of a kind in the text: an entry of `x-match`."""

    method: str
    """One of the methods in `schemas/kind.schema.json` under `match`."""
    argument: Any
    """The value of the method's key, as `schemas/kind.schema.json` describes it."""
    under: tuple[str, ...] = ()
    """Titles of headings. Entities are searched for below them, at any depth; empty for the entire book."""
    pattern: Pattern | None = None
    split: Pattern | None = None
    """The separator of names, for the method `names`; `None` for the default separators."""
    join: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    """For the method `row`: possible names of a column in another table, and of the column on which rows are joined."""
    note: "NoteConditions | None" = None
    """For the method `document`: conditions that a note must satisfy; `None` for every document."""
    labels: frozenset[str] = frozenset()
    """The normalized labels from which the kind takes fields.

    A label also ends the value of another label on its line.
    """
    rule_terms: RuleTerms = NO_RULE_TERMS
    """For the method `term` with the argument `defined`: the terms that the game file names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteConditions:
    """Conditions that a note must satisfy, in addition to the pattern for its title."""

    folders: tuple[str, ...] = ()
    """Globs for the folder of the note, as the author wrote them."""
    folder_patterns: tuple[re.Pattern[str], ...] = ()
    """`folders` as patterns, one of which must match the path of the note's folder. Index notes do not match."""
    file: Pattern | None = None
    """A pattern to search for in the name of the note's file, without suffix."""
    tags: tuple[str, ...] = ()
    """Tags, one of which the note must have. A tag nested in one of them counts, too."""
    properties: Mapping[str, tuple[Any, ...]]
    """Properties that the note must have, each with the values that it may have; empty for any value."""
    sources: tuple[FieldSource, ...] = ()
    """Sources, one of which must have a value."""
    without_statblock: bool = False
    """Whether a note that consists of a single statblock does not match."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kind:
    """An entity type of a game."""

    id: str
    title: str
    plural: str
    description: str
    matches: tuple[Match, ...]
    """Rules that find the entities in the text. An entity that several rules find is extracted once."""
    name: tuple[str, ...]
    """Templates such as `Level {level}`; the first whose fields all have values is used.

    If empty, the field `name` is used.
    """
    rules: Mapping[str, FieldRule]
    body: tuple[FieldSource, ...]
    sentences: tuple[Template, ...] = ()
    """Templates of sentences about the fields of an entity."""
    repeated: str
    """What it means if several entities have the same name.

    `label`: it is a label in the text; empty: it is an error.
    """
    schema: Mapping[str, Any]
    """The JSON Schema for the `fields` of the entities, without the `x-` keys that only this program reads."""
    is_lenient: bool
    """Whether an invalid value is only a warning."""
    is_internal: bool = False
    """Whether the entities are in the data, but have no pages."""
    ornament: str
    colour: str
    source: Source
    data: yaml.Data

    def all_rules(self) -> Iterator[FieldRule]:
        """The rules of all fields, each followed by the rules of its parts."""
        for rule in self.rules.values():
            yield from rule.with_parts()


def load_kind(file: Path, report: Report) -> Kind:
    """Load a kind file. Raises `InvalidData` if it is invalid."""
    source, data = read_data(file, "invalid-kind", "kind", report)
    kind_id = folder_name(file.stem)
    if file.stem != kind_id or kind_id in RESERVED_IDS:
        message = f'a kind cannot have the id "{file.stem}", which is the name of its file'
        hint = f"rename the file to {kind_id}.yaml"
        if file.stem == kind_id:
            hint = "rename the file; the published tree uses this name for something else"
        reader = DataReader(data, "invalid-kind", report)
        reader.refuse((), message, hint)
        reader.finish()
    return read_kind(kind_id, source, data, report)


def parse_kind(kind_id: str, text: str, report: Report) -> Kind:
    """Read the text of a kind file. Raises `InvalidData` after all errors are reported."""
    source = Source(path=f"{kind_id}.yaml", text=text)
    return read_kind(kind_id, source, parse_data(source, "invalid-kind", "kind", report), report)


def read_kind(kind_id: str, source: Source, data: yaml.Data, report: Report) -> Kind:
    """Make a kind from the data of its file. Raises `InvalidData` after all errors are reported."""
    value = data.value
    reader = _KindReader(data, report)
    fields_schema = _fields_schema(value)
    # All properties are checked, including id, aliases and name: formulas use their types from this file.
    for path, message, hint in schema_errors({**fields_schema, "properties": _without_x_keys(value["properties"])}):
        reader.refuse(path, message, hint)
    for name in value.get("required", ()):
        if name not in value["properties"]:
            hint = did_you_mean_or_list(name, value["properties"], "the fields are")
            reader.refuse(("required", value["required"].index(name)), f'there is no field "{name}"', hint)
    reader.finish()
    raw = value["x-match"]
    if isinstance(raw, list):
        matches = tuple(reader.match(entry, "x-match", index) for index, entry in enumerate(raw))
    else:
        matches = (reader.match(raw, "x-match"),)
    required = value.get("required", [])
    rules = {
        name: reader.rule(name, schema, name in required, "properties", name)
        for name, schema in value["properties"].items()
    }
    labels = frozenset(
        normalize_label(source.argument)
        for rule in rules.values()
        for part in rule.with_parts()
        for source in part.sources
        if source.method == "label"
    )
    kind = Kind(
        id=kind_id,
        title=value["title"],
        plural=value.get("x-plural", plural(value["title"])),
        description=value.get("description", "").strip(),
        matches=tuple(replace(match, labels=labels) for match in matches),
        name=names(value.get("x-name")),
        rules=rules,
        body=reader.sources(value["x-body"], "x-body") if "x-body" in value else (),
        sentences=tuple(
            reader.template(text, rules, "x-text", *index) for text, *index in _with_paths(value.get("x-text", ()))
        ),
        repeated=value.get("x-repeated", ""),
        schema=fields_schema,
        is_lenient=value.get("x-lenient", False),
        is_internal=value.get("x-internal", False),
        ornament=value.get("x-ornament", "◆"),
        colour=value.get("x-colour", "fate"),
        source=source,
        data=data,
    )
    _check_names(kind, reader)
    reader.finish()
    return kind


def with_rule_terms(kind: Kind, terms: RuleTerms) -> Kind:
    """A copy of the kind with the terms that the game file names."""
    return replace(kind, matches=tuple(replace(match, rule_terms=terms) for match in kind.matches))


def check_references(kind: Kind, kinds: Mapping[str, Kind], report: Report) -> None:
    """Report reference fields that name an unknown kind. Raises `InvalidData` if there are any."""
    reader = _KindReader(kind.data, report)
    for rule in kind.all_rules():
        for index, name in enumerate(rule.referenced_kinds):
            if name not in kinds:
                message = f'there is no kind "{name}"'
                hint = did_you_mean_or_list(name, kinds, "the kinds are")
                reader.refuse((*rule.schema_path, "x-refers", index), message, hint)
    reader.finish()


class _KindReader(DataReader):
    """Reads the rules of a kind file. Each `path` is the path of a value in the file."""

    def __init__(self, data: yaml.Data, report: Report) -> None:
        super().__init__(data, "invalid-kind", report)

    def pattern(self, text: str | None, *path: str | int) -> Pattern | None:
        try:
            return None if text is None else Pattern(text, path)
        except re.error as problem:
            hint = r"write \ before a character that is meant literally: \(, \[, \*, \+, \?"
            self.refuse(path, f"this is not a regular expression: {problem}", hint)
            return None

    def split(self, text: str | None, *path: str | int) -> Pattern | None:
        """A pattern for separators. A group in it is an error, because `split` would return its text as a name."""
        pattern = self.pattern(text, *path)
        if pattern is not None and pattern.group_count:
            self.refuse(path, "this would keep the separators as names", "write (?:...) instead of (...)")
        return pattern

    def source(self, raw: Any, *path: str | int) -> FieldSource:
        if isinstance(raw, str):
            method, _, argument = raw.partition(":")
            argument = argument.strip()
            if method == "pattern":
                return FieldSource("text", "", self.pattern(argument, *path))
            return FieldSource(method, argument)
        methods = [key for key in raw if key not in ("pattern", "value", "mends")] or ["text"]
        if len(methods) > 1:
            hint = "to try several ways in order, write a list"
            self.refuse(path, f'"{methods[0]}" and "{methods[1]}" cannot be used together', hint)
        value = raw.get(methods[0])
        argument = "" if value is None or value is True else str(value)  # not `in`: 1 == True
        pattern = self.pattern(raw.get("pattern"), *path)
        return FieldSource(methods[0], argument, pattern, raw.get("value"), raw.get("mends", ""))

    def sources(self, raw: Any, *path: str | int) -> tuple[FieldSource, ...]:
        return tuple(self.source(entry, *path) for entry in (raw if isinstance(raw, list) else [raw]))

    def template(self, text: str, rules: Mapping[str, FieldRule], *path: str | int) -> Template:
        """A template for a sentence about these fields. The sentences of a kind may also use the name."""
        try:
            template = read_template(text)
        except UnreadableTemplate as problem:
            self.refuse(path, f'"{text}" is not a template: {problem}')
            return ()
        found = {keys: _rule_at(rules, keys) for keys in paths(template) if keys != (NAME,) or path[0] != "x-text"}
        for keys in (keys for keys, rule in found.items() if rule is None):
            hint = did_you_mean_or_list(keys[0], rules, "the fields are")
            self.refuse(path, f'there is no field "{".".join(keys)}"', hint)
        for condition in conditions(template):
            rule, value = found.get(condition.path), condition.value
            choices = list(constants(rule.schema)) if rule else []
            if value is not None and choices and value not in choices and not value.lstrip("-").isdigit():
                message = f'"{rule.name}" is never "{value}"' if rule else ""
                self.refuse(path, message, "its values are: " + ", ".join(choices))
        return template

    def match(self, raw: Mapping[str, Any], *path: str | int) -> Match:
        method = next(key for key in raw if key not in MATCH_OPTIONS)
        argument: Any = (
            _as_tuple(raw[method]) if method in ("heading", "row", "names", "block", "statblock") else raw[method]
        )
        if method == "phrase":
            if "pattern" in raw:
                self.refuse((*path, "pattern"), '"phrase" cannot have a "pattern": it has its own')
            argument = {
                name: tuple(filter(None, (self.pattern(text, *path, method, name) for text in _as_tuple(patterns))))
                for name, patterns in raw[method].items()
            }
        if raw.get("term") == "plain" and "pattern" not in raw:
            self.refuse((*path, "term"), 'a plain term needs a "pattern"')
        return Match(
            method=method,
            argument=argument,
            under=names(raw.get("under")),
            pattern=self.pattern(raw.get("pattern"), *path, "pattern"),
            split=self.split(raw.get("split"), *path, "split"),
            join=(names(raw["join"]), names(raw["on"])) if "join" in raw else None,
            note=self._note_conditions(raw, *path),
        )

    def _note_conditions(self, raw: Mapping[str, Any], *path: str | int) -> NoteConditions | None:
        if not any(key in raw for key in ("folder", "file", "tag", "property", "with", "without")):
            return None
        properties = raw.get("property", {})
        if not isinstance(properties, dict):
            properties = dict.fromkeys(names(properties), ())
        folders = names(raw.get("folder"))
        return NoteConditions(
            folders=folders,
            folder_patterns=tuple(map(folder_pattern, folders)),
            file=self.pattern(raw.get("file"), *path, "file"),
            tags=tuple(map(tag_key, names(raw.get("tag")))),
            properties={name: _as_tuple(values) for name, values in properties.items()},
            sources=self.sources(raw["with"], *path, "with") if "with" in raw else (),
            without_statblock="without" in raw,
        )

    def rule(self, name: str, schema: Mapping[str, Any], required: bool, *path: str | int) -> FieldRule:
        sources = self.sources(schema["x-from"], *path, "x-from") if "x-from" in schema else ()
        parts, inside = self._parts(schema, *path)
        many = is_list(schema)
        if any(source.method == "table" for source in sources) and not (many and parts):
            hint = "write type: array, and items of type object whose properties have x-from"
            self.refuse((*path, "x-from"), "a table produces an array of objects", hint)
        if many and parts and not sources:
            self.refuse(path, "this list of objects has no x-from", "for example, write x-from: table")
        if "x-sorted" in schema and (not many or _type(schema.get("items")) != "string"):
            hint = "write type: array, and items of type string"
            self.refuse((*path, "x-sorted"), "only a list of words can be sorted", hint)
        if not parts and _has_unused_source(schema):
            hint = "only properties of an object, or of objects in an array, can have x-from"
            self.refuse(path, "this x-from would never be used", hint)
        for key in schema:
            if not key.startswith("x-") and key not in SCHEMA_KEYWORDS and (close := close_word(key, SCHEMA_KEYWORDS)):
                self.refuse((*path, key), f'the key "{key}" is not known here', f'did you mean "{close}"?')
        renamed = schema.get("x-rename", {})
        for part in parts.values():
            if not part.sources and not part.parts and "default" not in part.schema:
                self.refuse((*path, *inside, part.name), f'"{part.name}" has no x-from, so it would have no value')
        return FieldRule(
            name=name,
            schema=_without_x_keys(schema),
            sources=sources,
            case=schema.get("x-case", ""),
            split=self.split(schema.get("x-split"), *path, "x-split"),
            rename={name: new if isinstance(new, str) else new["name"] for name, new in renamed.items()},
            mends={name: new["mends"] for name, new in renamed.items() if not isinstance(new, str)},
            referenced_kinds=tuple(schema.get("x-refers", ())),
            required=required,
            is_internal=schema.get("x-internal", False),
            free=schema.get("x-free", False),
            unique=schema.get("x-unique", False),
            expected=schema.get("x-expected", False),
            as_written=self.value.get("x-lenient", False),
            is_sorted=schema.get("x-sorted", False),
            parts=parts,
            sentence=self.template(schema["x-text"], parts, *path, "x-text") if "x-text" in schema else (),
            schema_path=path,
        )

    def _parts(self, schema: Mapping[str, Any], *path: str | int) -> tuple[dict[str, FieldRule], tuple[str | int, ...]]:
        """The rules of the properties of an object, or of the objects in an array, and the path to the properties.

        Both are empty if no property has a source of its own, because the object is a single value, such as a range.
        """
        object_path, object_schema = _object(schema)
        properties = object_schema.get("properties", {})
        if not any(_has_source(part) for part in properties.values()):
            return {}, ()
        required = object_schema.get("required", ())
        inside = (*object_path, "properties")
        parts = {
            name: self.rule(name, part, name in required, *path, *inside, name) for name, part in properties.items()
        }
        return parts, inside


def folder_pattern(glob: str) -> re.Pattern[str]:
    """A pattern for the folder paths that a glob matches: `*` is a part of a name, `**` any number of folders.

    Paths begin with `/`, but that of the root is empty. `Spells/**` means the folder `Spells` and all folders in it.
    """
    pattern = ""
    for part in glob.strip("/").split("/"):
        if part == "**":
            pattern += r"(?:/[^/]+)*"
        elif part not in ("", "."):
            pattern += "/" + re.escape(part).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
    return re.compile(pattern)


def is_list(schema: Mapping[str, Any]) -> bool:
    """Whether a schema describes an array, or an array or null."""
    type_ = schema.get("type")
    return type_ == "array" or (isinstance(type_, list) and "array" in type_)


def _type(schema: Any) -> Any:
    return schema.get("type") if isinstance(schema, dict) else None


def _has_unused_source(schema: Any) -> bool:
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    return any((isinstance(part, dict) and "x-from" in part) or _has_unused_source(part) for part in parts)


def _object(schema: Mapping[str, Any]) -> tuple[tuple[str | int, ...], Mapping[str, Any]]:
    """The object schema in a schema, and its path.

    The object schema may be the schema itself, the schema of an array's items, or an alternative.
    """
    if is_list(schema) and isinstance(schema.get("items"), dict):
        path, object_schema = _object(schema["items"])
        return ("items", *path), object_schema
    for key in ("anyOf", "oneOf"):
        for index, option in enumerate(schema.get(key, ())):
            if isinstance(option, dict) and "properties" in option:
                return (key, index), option
    return (), schema


def _has_source(schema: Mapping[str, Any]) -> bool:
    return "x-from" in schema or any(_has_source(part) for part in _object(schema)[1].get("properties", {}).values())


def _rule_at(rules: Mapping[str, FieldRule], path: Sequence[str]) -> FieldRule | None:
    rule = None
    for name in path:
        rule = rules.get(name)
        rules = rule.parts if rule else {}
    return rule


def constants(schema: Any) -> Iterator[str]:
    """The strings in `enum` and `const` of a schema, including those in its alternatives and items."""
    if isinstance(schema, Mapping):
        yield from (value for value in schema.get("enum", ()) if isinstance(value, str))
        if isinstance(schema.get("const"), str):
            yield schema["const"]
        for key in ("anyOf", "oneOf", "allOf"):
            for part in schema.get(key, ()):
                yield from constants(part)
        yield from constants(schema.get("items"))


def _with_paths(raw: Any) -> Iterator[tuple[Any, ...]]:
    """The items of a value that may be a single item or a list; each item is followed by its path in the value."""
    yield from ((item, index) for index, item in enumerate(raw)) if isinstance(raw, list | tuple) else ((raw,),)


def names(raw: Any) -> tuple[str, ...]:
    """The names in a value of a data file: a single name, a list of names, or nothing."""
    if raw is None:
        return ()
    return _as_tuple(raw)


def _as_tuple(raw: Any) -> tuple[Any, ...]:
    return tuple(raw) if isinstance(raw, list | tuple) else (raw,)


def _check_names(kind: Kind, reader: _KindReader) -> None:
    """Report `capture` sources whose group is in no pattern, and unusable name templates."""
    groups = {group for match in kind.matches for group in _groups(match)}
    for rule in kind.all_rules():
        for source in rule.sources:
            if source.method == "capture" and source.argument not in groups:
                hint = (
                    f"the groups are: {', '.join(sorted(groups))}" if groups else "the match has no pattern with groups"
                )
                reader.refuse((*rule.schema_path, "x-from"), f'no pattern captures "{source.argument}"', hint)
    for template in kind.name:
        if not NAME_TEMPLATE.fullmatch(template):
            hint = "write the name of a field in braces, as in Level {level}"
            reader.refuse(("x-name",), f'"{template}" is not a template of names', hint)
            continue
        for key in template_keys(template):
            if key not in kind.rules:
                hint = did_you_mean_or_list(key, kind.rules, "the fields are")
                reader.refuse(("x-name",), f'there is no field "{key}"', hint)


def _groups(match: Match) -> Iterator[str]:
    patterns = [match.pattern] if match.pattern else []
    if match.method == "phrase":
        patterns += [pattern for of_name in match.argument.values() for pattern in of_name]
    for pattern in patterns:
        yield from pattern.group_names


def template_keys(template: str) -> list[str]:
    """The fields that a template such as `Level {level}` names."""
    return [part.partition("}")[0] for part in template.split("{")[1:]]


def _fields_schema(value: Mapping[str, Any]) -> dict[str, Any]:
    """The published schema of `fields`, without properties that the pack schema has for all entities."""
    envelope = {"id", "aliases"} if "x-name" in value else {"id", "aliases", "name"}
    properties = value["properties"].items()
    return {
        "type": "object",
        "required": [name for name in value.get("required", ()) if name not in envelope],
        "properties": {name: _without_x_keys(schema) for name, schema in properties if name not in envelope},
        "additionalProperties": False,
    }


def _without_x_keys(schema: Any) -> Any:
    if isinstance(schema, dict):
        kept = (key for key in schema if not key.startswith("x-") or key in PUBLISHED_KEYWORDS)
        return {key: _without_x_keys(schema[key]) for key in kept}
    if isinstance(schema, list):
        return [_without_x_keys(item) for item in schema]
    return schema

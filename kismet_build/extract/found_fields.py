"""Infer the fields of a found kind from its notes: names, sources and types."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import basename
from typing import Any

from kismet_build.config.observed_schema import FORMATS
from kismet_build.extract.note_groups import MIN_NOTES, SHARED, NoteGroup
from kismet_build.extract.note_shape import INTEGER, MAX_FIELDS, WIKI_LINK, Occurrence, Value, field_key
from kismet_build.extract.value import AMBIGUOUS_COMMA
from kismet_build.model.text_normalization import key_label, normalize

EXPECTED = 0.85
"""Share of the notes of a kind that must have a field for it to be expected.

A field that only one of three or more notes lacks is also expected. A lower share gives more `missing-field`.
"""
MIN_LABEL_SHARE = 0.03
"""Share of the notes of a kind that must have a label for it to be a field.

At 0.05, a field of 3 in 79 notes is lost.
"""
NUMERIC = 0.9
"""Share of the texts after a label that must be a number, alone or with a note, for the field to be a number.

At 0.7 a rating becomes a number, and `1/4` is lost; at 1.0 a single odd value turns the entire field into text.
"""


LEADING_NUMBER = r"^[-+−]?\d[\d,]*(?=$|[ (;])"
"""The number at the start of a text."""
NUMBER_WITH_NOTE = re.compile(r"[-+−]?\d[\d,]*(?: \(.*\))?")
"""A number alone, or with a note such as `19 (natural armor)`. Other words after a number may be a unit."""


@dataclass(frozen=True, slots=True)
class FoundField:
    """A field of a found kind."""

    key: str
    schema: Mapping[str, Any]
    """The schema of the field in the kind file."""
    count: int
    """Number of notes with the field, or with the most frequent part of a map; 0 for `name` and `aliases`."""


@dataclass(eq=False)
class _FieldFacts:
    """The occurrences of one field in the notes of a kind."""

    label: str
    parents: tuple[str, ...] = ()
    notes: int = 0
    ways: dict[str, Occurrence] = field(default_factory=dict)
    is_list: bool = False
    values: list[Value] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The label without the keys of the enclosing maps."""
        return self.label.removeprefix(" ".join(self.parents)).strip()


METHODS = ("meta", "inline", "label", "tag", "brackets", "heading", "subtitle")
"""Methods of field sources, in order of precedence."""
METHODS_WITHOUT_HEADINGS = tuple(method for method in METHODS if method != "heading")


def found_fields(kind_id: str, group: NoteGroup, kind_of_name: Mapping[str, set[str]]) -> Iterator[FoundField]:
    """The fields of a kind: `name`, `aliases` and any `folder`, then those found in its notes."""
    name_ways = _name_ways(group)
    yield FoundField("name", {"type": "string", "x-from": [*name_ways, "title"] if name_ways else "title"}, 0)
    aliases = {"type": "array", "items": {"type": "string"}, "x-from": ["meta:aliases", "meta:alias"]}
    yield FoundField("aliases", aliases, 0)
    if group.has_folders and "folder" not in group.counts:
        yield FoundField("folder", {"type": "string", "x-from": "folder"}, len(group.notes))
    has_only_headings = {o.method for o in group.evidence} == {"heading"}
    methods = METHODS if has_only_headings else METHODS_WITHOUT_HEADINGS
    facts = _facts(map(group.fields_of, group.notes), methods, group.shared)
    # A heading with the name of another field may be the heading of a chapter about the kind.
    below_headings = _facts(map(group.fields_of, group.notes), ("heading",))
    facts |= {key: known for key, known in below_headings.items() if key not in facts}
    for key in ("id", "name", "aliases"):
        facts.pop(key, None)
    number = len(group.notes)
    frequent = {
        key: known
        for key, known in facts.items()
        if any(o.method in ("meta", "inline") for o in known.ways.values())
        or (
            any(o.method in ("label", "tag", "brackets", "subtitle") for o in known.ways.values())
            and known.notes >= max(min(MIN_NOTES, number / 2), MIN_LABEL_SHARE * number)
        )
        or key in group.shared
    }
    if len(frequent) > MAX_FIELDS:
        order = sorted(frequent, key=lambda key: -frequent[key].notes)[:MAX_FIELDS]
        frequent = {key: frequent[key] for key in frequent if key in order}
    objects: dict[str, dict[str, Any]] = {}
    counts: dict[str, int] = {}
    for key, known in frequent.items():
        # Pages show the text below a heading as part of the note, and in a column it would be too long.
        is_in_text = not has_only_headings and {o.method for o in known.ways.values()} == {"heading"}
        is_expected = not is_in_text and (known.notes >= EXPECTED * number or known.notes == number - 1 >= 2)
        for own_key, schema in _field_schemas(key, known, kind_id, kind_of_name, is_expected=is_expected):
            if is_in_text:
                schema["x-internal"] = True
            top = _add_field(objects, known, own_key, schema, facts)
            counts[top] = max(counts.get(top, 0), known.notes)
    for key, schema in objects.items():
        yield FoundField(key, schema, counts[key])


def _facts(
    of_notes: Iterable[Sequence[Occurrence]], methods: Sequence[str], shared: Collection[str] = ()
) -> dict[str, _FieldFacts]:
    """The facts of the fields that these methods find, by key, from the occurrences in each note."""
    facts: dict[str, _FieldFacts] = {}
    for of_note in of_notes:
        by_key: dict[str, list[Occurrence]] = defaultdict(list)
        for occurrence in of_note:
            if occurrence.method in methods:
                by_key[occurrence.key].append(occurrence)
        for key, occurrences in by_key.items():
            first = min(occurrences, key=lambda o: METHODS.index(o.method))
            known = facts.setdefault(key, _FieldFacts(first.label, first.parents))
            known.notes += 1
            known.is_list = known.is_list or first.is_list
            known.values.extend(next(((value,) for key, value in first.ends if key in shared), first.values))
            for occurrence in occurrences:
                known.ways.setdefault(occurrence.way, occurrence)
    return facts


def _add_field(
    schemas: dict[str, dict[str, Any]],
    known: _FieldFacts,
    key: str,
    schema: dict[str, Any],
    facts: Mapping[str, _FieldFacts],
) -> str:
    if not known.parents or field_key(known.parents[0]) in facts:
        schemas[key] = schema
        return key
    properties = schemas
    for parent in known.parents:
        empty = {"title": _title(parent), "type": ["object", "null"], "properties": {}}
        properties = properties.setdefault(field_key(parent), empty).get("properties", properties)
    part = {name: value for name, value in schema.items() if name != "x-expected"}
    if properties == schemas or field_key(known.name) in properties:
        # The property is a map in one note and a value in another.
        schemas[key] = part
        return key
    properties[field_key(known.name)] = part | {"title": _title(known.name)}
    return field_key(known.parents[0])


def _name_ways(group: NoteGroup) -> list[str]:
    """The field sources of a property or inline field `name`; empty if one of its values cannot be a name."""
    named = [o for note in group.notes for o in note.occurrences if o.key == "name" and o.method in ("meta", "inline")]
    if any(value.type in ("object", "any", "boolean") for occurrence in named for value in occurrence.values):
        return []
    return list(dict.fromkeys(occurrence.way for occurrence in sorted(named, key=lambda o: METHODS.index(o.method))))


def _field_schemas(
    key: str, known: _FieldFacts, kind_id: str, kind_of_name: Mapping[str, set[str]], *, is_expected: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    ways = [o.way for o in sorted(known.ways.values(), key=lambda o: METHODS.index(o.method))]
    methods = {o.method for o in known.ways.values()}
    schema: dict[str, Any] = {"title": _title(known.label)}
    source: Any = ways[0] if len(ways) == 1 else ways
    texts = [value.text for value in known.values]
    numeric = [text for text in texts if NUMBER_WITH_NOTE.fullmatch(text)]
    if "meta" not in methods and not known.is_list and len(numeric) >= NUMERIC * len(texts):
        is_plain = all(INTEGER.fullmatch(text) for text in texts)
        sources = [{**_way(way), "pattern": LEADING_NUMBER} for way in ways]
        number_source = source if is_plain else sources[0] if len(sources) == 1 else sources
        has_decimals = any(AMBIGUOUS_COMMA.search(text) for text in numeric)
        schema |= {"type": ["number" if has_decimals else "integer", "null"], "x-from": number_source}
        yield key, schema | ({"x-expected": True} if is_expected else {})
        if not is_plain:
            printed = {"title": f"{_title(known.label)} (text)", "type": ["string", "null"], "x-from": source}
            yield f"{key}_text", printed
        return
    schema |= _type(known, kind_id, kind_of_name)
    schema["x-from"] = source
    if is_expected:
        schema["x-expected"] = True
    if methods == {"heading"}:
        schema["x-free"] = True
    yield key, schema


def _way(way: str) -> dict[str, Any]:
    method, _, argument = way.partition(":")
    return {method: argument or True}


def _title(label: str) -> str:
    """The name of a property as the author spells it. A key such as `hp` or `save_dc` is turned into words."""
    is_key = label.islower() and " " not in label
    return key_label(label) if is_key else label[:1].upper() + label[1:]


def _type(known: _FieldFacts, kind_id: str, kind_of_name: Mapping[str, set[str]]) -> dict[str, Any]:
    if known.is_list and {value.type for value in known.values} == {"object"}:
        facts = _facts((value.parts for value in known.values), METHODS)
        properties: dict[str, dict[str, Any]] = {}
        for key, part in list(facts.items())[:MAX_FIELDS]:
            for own_key, schema in _field_schemas(key, part, kind_id, kind_of_name, is_expected=False):
                _add_field(properties, part, own_key, schema, facts)
        return {"type": ["array", "null"], "items": {"type": "object", "properties": properties}}
    referenced = _referenced_kind(known, kind_id, kind_of_name)
    item = {"type": "string"} if referenced else _item_type(known)
    refers = {"x-refers": [referenced]} if referenced else {}
    if known.is_list:
        return {"type": ["array", "null"], "items": item, **refers}
    if "type" not in item:
        return item
    types = item["type"]
    return {**item, "type": [*(types if isinstance(types, list) else [types]), "null"], **refers}


def _item_type(known: _FieldFacts) -> dict[str, Any]:
    types = {value.type for value in known.values}
    if "decimal" in types:
        # `1,5` may be a list of two numbers, but `0,5` is a number.
        are_numbers = types <= {"decimal", "integer", "number"} and any(map(_has_no_whole, known.values))
        types = types - {"decimal"} | {"number" if are_numbers else "text"}
    if types & {"object", "any"}:
        return {"type": "string"}
    if len(types) == 1 and types <= FORMATS.keys():
        return {"type": "string", "format": next(iter(types))}
    if types in ({"integer", "number"}, {"number"}):
        return {"type": "number"}
    names: list[str] = [name for name in ("integer", "number", "boolean") if name in types]
    names += ["string"] if types - {"integer", "number", "boolean"} else []
    return {"type": names[0] if len(names) == 1 else names}


def _has_no_whole(value: Value) -> bool:
    return value.type == "decimal" and value.text.lstrip("-+−").startswith("0,")


def _referenced_kind(known: _FieldFacts, kind_id: str, kind_of_name: Mapping[str, set[str]]) -> str:
    types = {value.type for value in known.values}
    if not types <= {"link", "text"} or not known.values:
        return ""
    is_linked = types == {"link"}
    votes: Counter[str] = Counter()
    for value in known.values:
        match = WIKI_LINK.fullmatch(value.text)
        kinds = kind_of_name.get(normalize(basename(match[1]) if match else value.text), ())
        votes.update(kind for kind in kinds if is_linked or kind != kind_id)
    for kind, count in votes.most_common(1):
        distinct = len({value.text for value in known.values})
        if count >= (SHARED if is_linked else 1) * len(known.values) and (is_linked or distinct > 1):
            return kind
    return ""

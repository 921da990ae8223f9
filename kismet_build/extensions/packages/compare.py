"""Compare two versions of a game's data by id and field, and say which step of the version the differences require.

The steps are those of Semantic Versioning (https://semver.org/), read for data: `major` if a program that reads the old
data may fail on the new, `minor` if there is something new to read, `patch` if only words and values differ.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

from kismet_build.output.entity_changes import Data, content_of, match, renamed_by_alias
from kismet_build.output.finished_data import FinishedData

MAX_NAMES = 3
"""Maximum number of names in a line; the rest are counted."""
UNCOMPARED_OF_GAME = frozenset(("version", "url", "sources"))
"""Keys of the game that are not compared: its version, where it is published, and the digests of its texts."""
EMPTY: tuple[Any, ...] = (None, "", [], {})
"""Empty values of a field."""
VERSION = re.compile(r"(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?", re.ASCII)
"""The form of a version whose steps can be told apart: up to three numbers."""

Types = frozenset[str]
"""JSON types that a field may have, including `absent` if it may be missing."""
Version = tuple[int, int, int]


class Step(IntEnum):
    """A step of a version, as in Semantic Versioning. A larger step includes the smaller ones."""

    NONE, PATCH, MINOR, MAJOR = range(4)

    def __str__(self) -> str:
        """`major`."""
        return self.name.lower()


class Change(NamedTuple):
    """Differences that need the same step and are of the same type."""

    step: Step
    what: str
    """What happened to the items, such as `removed`."""
    names: Sequence[str]

    def __str__(self) -> str:
        """`major: 2 removed: talent Kindling, section Kindling`."""
        others = len(self.names) - MAX_NAMES
        listed = ", ".join(self.names[:MAX_NAMES]) + (f" and {others} more" if others > 0 else "")
        return f"{self.step}: {len(self.names)} {self.what}: {listed}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The differences between two versions of a game's data."""

    changes: Sequence[Change]
    """The largest step first."""
    has_same_texts: bool
    """Whether both were made from the same texts."""
    generators: tuple[str, str]
    """The programs that made the old and the new data; empty if the data does not say."""

    @property
    def step(self) -> Step:
        """The step that the differences require."""
        return max((change.step for change in self.changes), default=Step.NONE)

    @property
    def cause(self) -> str:
        """Why the data differs although the texts do not; empty if the texts or nothing differ."""
        old, new = self.generators
        if not self.changes or not self.has_same_texts:
            return ""
        if old == new:
            return "the texts are the same: the change comes from game.yaml or another data file"
        made = f"the released data was made by {old or 'another kismet-build'}, the new data by {new or 'another one'}"
        return f"the texts are the same, and {made}: unless game.yaml or another data file changed, this is the cause"


class _Item(NamedTuple):
    """An item of the data."""

    label: str
    """The name of the item in messages: `talent Kindling`."""
    data: Data
    parts: Mapping[str, Types] = {}
    """The parts by which programs read the item: fields, columns, inputs."""


def compare(old: FinishedData, new: FinishedData) -> Comparison:
    """The differences between the released data of a game and its new data.

    If the old data has another format, its items are not compared.
    """
    found: dict[tuple[Step, str], list[str]] = defaultdict(list)
    before, after = old.pack, new.pack
    if before["format"] != after["format"]:
        found[Step.MAJOR, "changed by kismet-build"].append(f"the format {before['format']} to {after['format']}")
    else:
        for step, what, name in _differences(old, new):
            found[step, what].append(name)
    sources = [[source["sha256"] for source in pack["game"].get("sources", ())] for pack in (before, after)]
    return Comparison(
        changes=[
            Change(*key, names) for key, names in sorted(found.items(), key=lambda item: (-item[0][0], item[0][1]))
        ],
        has_same_texts=sources[0] == sources[1],
        generators=(before.get("generator", ""), after.get("generator", "")),
    )


def numbers(version: str) -> Version | None:
    """The three numbers of a version, with 0 for missing ones; `None` if the version has another form."""
    match_ = VERSION.fullmatch(version)
    if match_ is None:
        return None
    major, minor, patch = (int(number or 0) for number in match_.groups())
    return major, minor, patch


def next_version(version: Version, step: Step) -> Version:
    """The lowest version that follows `version` by a step of this size.

    Before 1.0.0, the second number counts major steps and the third all others, as in npm and Cargo.
    """
    major, minor, patch = version
    if step is Step.MAJOR and major:
        return major + 1, 0, 0
    if step is Step.MAJOR or (step is Step.MINOR and major):
        return major, minor + 1, 0
    return (major, minor, patch + 1) if step else version


def _differences(old: FinishedData, new: FinishedData) -> Iterator[tuple[Step, str, str]]:
    """All differences: for each, the step that it needs, what happened, and the item."""
    before, after = _items(old), _items(new)
    matched = match(
        {key: item.data for key, item in before.items()}, {key: item.data for key, item in after.items()}, _renamed(new)
    )
    for key in matched.gone:
        yield Step.MAJOR, "removed", before[key].label
    for key in matched.added:
        yield Step.MINOR, "added", after[key].label
    for key, other in matched.pairs:
        one, two = before[key], after[other]
        if key != other:
            yield Step.MAJOR, "renamed", f"{one.label} (now {other})"
        yield from _changed_parts(one, two)
        if content_of(one.data) != content_of(two.data):
            if key == other:
                yield Step.PATCH, "changed", two.label
        elif content_of(one.data, ("source",)) != content_of(two.data, ("source",)):
            yield Step.PATCH, "changed only in HTML, links or addresses", two.label


def _changed_parts(old: _Item, new: _Item) -> Iterator[tuple[Step, str, str]]:
    for name, types in old.parts.items():
        if name not in new.parts:
            yield Step.MAJOR, "removed", f"{name} of {old.label}"
        elif wider := new.parts[name] - types:
            added = " or ".join(sorted(wider))
            yield Step.MAJOR, "with another type", f"{name} of {old.label} (now also {added})"
        elif types != new.parts[name]:
            yield Step.MINOR, "with fewer types", f"{name} of {old.label}"
    for name in new.parts:
        if name not in old.parts:
            yield Step.MINOR, "added", f"{name} of {new.label}"


def _renamed(data: FinishedData) -> dict[str, str]:
    renamed: dict[str, str] = {}
    for kind, of_kind in data.pack["entities"].items():
        renamed |= renamed_by_alias(f"{data.pack['game']['id']}/{kind}/", of_kind)
    migrations = json.loads(data.files["migrations.json"]) if "migrations.json" in data.files else []
    return renamed | {entry["from"]: entry["to"] for entry in migrations if entry["to"]}


def _items(data: FinishedData) -> dict[str, _Item]:
    """Everything in a pack, by id. Parts without an id get a key that cannot be an id."""
    pack = data.pack
    items = {
        f"kind {kind}": _Item(f"the kind {kind}", {**of_kind, "schema": ""}, _fields(data, kind))
        for kind, of_kind in pack["kinds"].items()
    }
    for kind, entities in pack["entities"].items():
        items |= {entity["id"]: _Item(f"{kind} {entity['name']}", entity) for entity in entities}
    for entry in pack["calculators"]:
        items[entry["id"]] = _Item(f"calculator {entry['title']}", entry, _inputs(entry))
    for table in pack["tables"]:
        columns = dict.fromkeys((f'the column "{column}"' for column in table["columns"]), Types())
        items[table["id"]] = _Item(f"table {table['caption']}", table, columns)
    items |= {f"roll {roll['id']}": _Item(f"roll {roll['title']}", roll) for roll in pack["rolls"]}
    items |= {f"word {word}": _Item(f"word {word}", {"title": title}) for word, title in pack["words"].items()}
    # Older data has no circumstances.
    named = pack.get("circumstances", {})
    items |= {f"circumstance {id_}": _Item(f"circumstance {one['title']}", one) for id_, one in named.items()}
    items |= {section["id"]: _Item(f"section {section['title']}", section) for section in pack["sections"]}
    game = {key: value for key, value in pack["game"].items() if key not in UNCOMPARED_OF_GAME}
    licence = pack.get("licence_text", "")
    items["game"] = _Item("the description of the game", {**game, "licence_text": licence})
    items["corrections"] = _Item("corrections of the source", {"": pack["corrections"]})
    items["dice"] = _Item("dice in the text", {"": pack["dice"]})
    return items


def _fields(data: FinishedData, kind: str) -> dict[str, Types]:
    """The fields of a kind that some entity has, and the parts of these fields, each with its types."""
    entities = data.pack["entities"].get(kind, ())
    used = {name for entity in entities for name, value in entity["fields"].items() if value not in EMPTY}
    types: dict[str, set[str]] = defaultdict(set)
    schema = data.fields_schema(kind)
    for name, field in schema["properties"].items():
        if name in used:
            _add_types(data, field, f"the field {name}", types, is_required=name in schema["required"])
    return {name: frozenset(of_field) for name, of_field in types.items()}


def _add_types(
    data: FinishedData,
    schema: Data,
    name: str,
    types: dict[str, set[str]],
    *,
    is_required: bool = True,
    above: tuple[str, ...] = (),
) -> None:
    """Add the types of a field and of its parts.

    `above` has the references that led to the field, to stop at cycles.
    """
    reference = schema.get("$ref", "")
    if reference in above:
        return
    above = (*above, reference) if reference else above
    resolved = data.resolved(schema)
    if not is_required:
        types[name].add("absent")
    for option in (*resolved.get("anyOf", ()), *resolved.get("oneOf", ())):
        _add_types(data, option, name, types, above=above)
    written = resolved.get("type", ())
    types[name].update([written] if isinstance(written, str) else written)
    if "number" in types[name]:
        types[name].add("integer")  # a number may be an integer
    values = [*resolved.get("enum", ()), *([resolved["const"]] if "const" in resolved else ())]
    if not written:
        types[name].update(map(_type_of, values))
    for key, inner in resolved.get("properties", {}).items():
        is_always = key in resolved.get("required", ())
        _add_types(data, inner, f"{name}.{key}", types, is_required=is_always, above=above)
    if isinstance(resolved.get("items"), Mapping):
        _add_types(data, resolved["items"], f"{name}[]", types, above=above)


def _type_of(value: Any) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null")


def _inputs(calculator: Data) -> dict[str, Types]:
    """The inputs of a calculator with their types and the options of each, and the type of its result."""
    parts = {"the result": Types((calculator["result"]["type"],))}
    for entry in calculator["inputs"]:
        name = f"the input {entry['name']}"
        parts[name] = Types((entry["type"],))
        parts |= {f'{name} "{option}"': Types() for option in (*entry.get("options", ()), *entry.get("kinds", ()))}
    return parts

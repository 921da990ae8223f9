"""Load `effects.yaml`: the effects of entities, in the vocabulary of `schemas/effects.schema.json`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kismet_build.config.calculator_definition import read_citation
from kismet_build.config.data_file import InvalidData, read_entries, shipped_schema
from kismet_build.config.yaml import Data
from kismet_build.mechanics.calculator import Citation
from kismet_build.model.diagnostic import Report, error
from kismet_build.model.source import Span

EFFECTS_FILE = "effects"
"""Name of an optional file in the folder of `game.yaml`, without suffix."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Effect:
    """One effect of an entity."""

    subject: str
    """The local id of the entity: `kind/slug`."""
    operation: str
    """The key of the vocabulary for the operation, such as `causes`."""
    payload: Mapping[str, Any]
    """The effect in the order of the vocabulary, with default values and full ids; values are lists where allowed."""
    citation: Citation
    names: tuple[tuple[str, Span], ...]
    """The local ids of all entities that the effect names, its subject first, each with its span."""
    span: Span


def load_effects(file: Path, game_id: str, report: Report) -> dict[str, tuple[Effect, ...]]:
    """The effects of a game by the local id of their entity. Invalid entries are reported and left out."""
    if not file.is_file():
        return {}
    try:
        _, data, valid = read_entries(file, file.name, "invalid-effects", "effects", report)
    except InvalidData:
        return {}
    by_subject = {}
    for subject, entries in data.value.items():
        if subject in valid:
            effects = [_effect(game_id, subject, index, data, report) for index in range(len(entries))]
            by_subject[subject] = tuple(effect for effect in effects if effect is not None)
    return by_subject


def operations() -> tuple[str, ...]:
    """The keys of the vocabulary that are operations; each effect has exactly one of them."""
    return tuple(alternative["required"][0] for alternative in _vocabulary()["anyOf"])


def _vocabulary() -> Mapping[str, Any]:
    vocabulary: Mapping[str, Any] = shipped_schema("effects")["$defs"]["effect"]
    return vocabulary


def _effect(game_id: str, subject: str, index: int, data: Data, report: Report) -> Effect | None:
    """The effect at an index of its subject's list; `None` if it is invalid, which is reported."""
    entry = data.value[subject][index]
    used = [key for key in operations() if key in entry]
    if len(used) > 1:
        message = f'an effect does one thing, and "{used[0]}" and "{used[1]}" are two'
        report(error("invalid-effects", data.span_of(subject, index, used[1]), message, "write two effects"))
        return None
    payload: dict[str, Any] = {}
    ids = [(subject, data.span_of(subject))]
    for key, schema in _vocabulary()["properties"].items():
        if key == "citation" or (key not in entry and "default" not in schema):
            continue
        value = entry.get(key, schema.get("default"))
        if key in _reference_keys():
            ids.extend(_local_ids(value, data, subject, index, key))
            value = _with_full_ids(value, game_id)
        payload[key] = [value] if key in _list_keys() and not isinstance(value, list) else value
    return Effect(
        subject=subject,
        operation=used[0],
        payload=payload,
        citation=read_citation(data, subject, index, "citation"),
        names=tuple(ids),
        span=data.span_of(subject, index),
    )


def _local_ids(value: Any, data: Data, *path: str | int) -> Iterator[tuple[str, Span]]:
    """The local ids in a value, without its plain words."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _local_ids(item, data, *path, index)
    elif _is_id(value):
        yield value, data.span_of(*path)


def _with_full_ids(value: Any, game_id: str) -> Any:
    if isinstance(value, list):
        return [_with_full_ids(item, game_id) for item in value]
    return f"{game_id}/{value}" if _is_id(value) else value


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and "/" in value


@cache
def _reference_keys() -> frozenset[str]:
    """The keys whose values may be ids."""
    properties = _vocabulary()["properties"].items()
    return frozenset(key for key, schema in properties if _contains(schema, "#/$defs/id"))


@cache
def _list_keys() -> frozenset[str]:
    """The keys whose values may be lists; they are published as lists."""
    properties = _vocabulary()["properties"].items()
    return frozenset(
        key
        for key, schema in properties
        if any(option.get("type") == "array" for option in (schema, *schema.get("anyOf", ())))
    )


def _contains(schema: Any, reference: str) -> bool:
    match schema:
        case dict():
            return any(_contains(part, reference) for part in schema.values())
        case list():
            return any(_contains(part, reference) for part in schema)
        case _:
            return bool(schema == reference)

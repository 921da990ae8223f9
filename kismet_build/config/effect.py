"""Effects: what the things of a game do, as data in the closed vocabulary of schemas/effects.schema.json."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kismet_build.config.calculator_file import read_citation
from kismet_build.config.data_file import InvalidData, read_entries, shipped_schema
from kismet_build.config.yaml import Data
from kismet_build.mechanics.calculator import Citation
from kismet_build.model.diagnostic import Report, error
from kismet_build.model.source import Span

FILE = "effects.yaml"
"""Beside the `game.yaml` of a game; a game may do without."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Effect:
    """One thing that something does."""

    subject: str
    """The local id of the entity that does it: `kind/slug`."""
    operation: str
    """The one key of the vocabulary that says what is done."""
    payload: Mapping[str, Any]
    """All that is said, in the order of the vocabulary: defaults filled in, lists where lists may be, whole ids."""
    citation: Citation
    names: tuple[tuple[str, Span], ...]
    """The local ids of the entities that it names, its subject first, each with its place."""
    span: Span


def load_effects(file: Path, game_id: str, report: Report) -> dict[str, tuple[Effect, ...]]:
    """The effects of a game by the local id of what has them; entries that cannot be used are reported and left out."""
    if not file.is_file():
        return {}
    try:
        _, data, sound = read_entries(file, file.name, "invalid-effects", "effects", report)
    except InvalidData:
        return {}
    found = {}
    for subject, written in data.value.items():
        if subject in sound:
            effects = [_effect(game_id, subject, place, data, report) for place in range(len(written))]
            found[subject] = tuple(effect for effect in effects if effect is not None)
    return found


def operations() -> tuple[str, ...]:
    """The keys of the vocabulary that say what is done; an effect has one of them."""
    return tuple(one["required"][0] for one in _vocabulary()["anyOf"])


def _vocabulary() -> Mapping[str, Any]:
    vocabulary: Mapping[str, Any] = shipped_schema("effects")["$defs"]["effect"]
    return vocabulary


def _effect(game_id: str, subject: str, place: int, data: Data, report: Report) -> Effect | None:
    written = data.value[subject][place]
    done = [key for key in operations() if key in written]
    if len(done) > 1:
        message = f'an effect does one thing, and "{done[0]}" and "{done[1]}" are two'
        report(error("invalid-effects", data.place(subject, place, done[1]), message, "write two effects"))
        return None
    payload: dict[str, Any] = {}
    ids = [(subject, data.place(subject))]
    for key, schema in _vocabulary()["properties"].items():
        if key == "citation" or (key not in written and "default" not in schema):
            continue
        value = written.get(key, schema.get("default"))
        if key in _referring():
            ids.extend(_ids(value, data, subject, place, key))
            value = _whole(value, game_id)
        payload[key] = [value] if key in _listed() and not isinstance(value, list) else value
    return Effect(
        subject=subject,
        operation=done[0],
        payload=payload,
        citation=read_citation(data, subject, place, "citation"),
        names=tuple(ids),
        span=data.place(subject, place),
    )


def _ids(value: Any, data: Data, *path: str | int) -> Iterator[tuple[str, Span]]:
    """The ids in a value, among words that are none."""
    if isinstance(value, list):
        for place, one in enumerate(value):
            yield from _ids(one, data, *path, place)
    elif _is_id(value):
        yield value, data.place(*path)


def _whole(value: Any, game_id: str) -> Any:
    if isinstance(value, list):
        return [_whole(one, game_id) for one in value]
    return f"{game_id}/{value}" if _is_id(value) else value


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and "/" in value


@cache
def _referring() -> frozenset[str]:
    """The keys whose values may be ids."""
    return frozenset(key for key, one in _vocabulary()["properties"].items() if _mentions(one, "#/$defs/id"))


@cache
def _listed() -> frozenset[str]:
    """The keys whose values may be lists, and are published as such."""
    properties = _vocabulary()["properties"].items()
    return frozenset(
        key for key, one in properties if any(part.get("type") == "array" for part in (one, *one.get("anyOf", ())))
    )


def _mentions(schema: Any, reference: str) -> bool:
    match schema:
        case dict():
            return any(_mentions(one, reference) for one in schema.values())
        case list():
            return any(_mentions(one, reference) for one in schema)
        case _:
            return bool(schema == reference)

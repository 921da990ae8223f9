"""Effects as badges, in the words of the vocabulary (`effects.schema.json`)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from markupsafe import Markup, escape

from kismet_build.config.data_file import shipped_schema
from kismet_build.mechanics.calculator import Citation
from kismet_build.pack import Entity, Pack
from kismet_build.render.html.addresses import INDEX
from kismet_build.render.html.escape import link_html


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectBadge:
    """One effect, ready for a template."""

    operation: str
    payload: Mapping[str, Any]
    """The data of the effect; `None` for each other key of the vocabulary."""
    html: Mapping[str, Markup]
    """The data as HTML: titles of the vocabulary and links to entities, lists joined."""
    citation: Citation


def effect_badges(pack: Pack, entity: Entity, root: str) -> tuple[EffectBadge, ...]:
    """The effects of an entity; links start with `root`."""
    return tuple(
        EffectBadge(
            operation=effect.operation,
            payload={**dict.fromkeys(_properties()), **effect.payload},
            html={key: _value_html(pack, key, value, root) for key, value in effect.payload.items()},
            citation=effect.citation,
        )
        for effect in pack.game.effects.get(f"{entity.kind}/{entity.slug}", ())
    )


def _value_html(pack: Pack, key: str, value: Any, root: str) -> Markup:
    match value:
        case list():
            return Markup(" and " if key == "roll" else ", ").join(_items(pack, key, value, root))
        case {"unit": unit}:
            title = _titles(key).get(unit, unit)
            amount = value.get("amount")
            if amount is None:
                return escape(title)
            least = "at least " if "least" in value else ""
            return escape(f"{least}{amount} {title if amount == 1 else unit}")
        case str() if (entity := pack.by_id.get(value)) is not None:
            return link_html(f"{root}{entity.id}/{INDEX}", entity.name)
        case str():
            return escape(_titles(key).get(value) or value.rpartition("/")[2].replace("-", " "))
        case _:
            return escape(value)


def _items(pack: Pack, key: str, values: list[Any], root: str) -> Iterator[Markup]:
    """The items of a list; all entities of a kind are replaced by the kind."""
    remaining = list(values)
    for kind, entities in pack.entities.items():
        if len(entities) > 1 and all(entity.id in remaining for entity in entities):
            yield "all " + link_html(f"{root}{pack.game.id}/{kind}/{INDEX}", pack.game.kinds[kind].plural)
            remaining = [value for value in remaining if all(value != entity.id for entity in entities)]
    for value in remaining:
        yield _value_html(pack, key, value, root)


def _properties() -> Mapping[str, Any]:
    """The keys of the vocabulary with their schemas."""
    properties: Mapping[str, Any] = shipped_schema("effects")["$defs"]["effect"]["properties"]
    return properties


@cache
def _titles(key: str) -> Mapping[str, str]:
    """The title of each constant that a key allows."""
    return dict(_titled_constants(_properties()[key], shipped_schema("effects")["$defs"]))


def _titled_constants(schema: Any, parts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if isinstance(schema, dict):
        if isinstance(schema.get("const"), str) and "title" in schema:
            yield schema["const"], schema["title"]
        if "$ref" in schema:
            yield from _titled_constants(parts[schema["$ref"].rpartition("/")[2]], parts)
        for part in schema.values():
            yield from _titled_constants(part, parts)
    elif isinstance(schema, list):
        for part in schema:
            yield from _titled_constants(part, parts)

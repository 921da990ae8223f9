"""Effects as badges, in words from the catalog and from the game."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from kismet_build.config.effect import AMOUNT_KEYS, CIRCUMSTANCE_KEYS, GIVEN, TARGET_KEY
from kismet_build.config.language.catalog import Catalog
from kismet_build.config.roll import effect_keys
from kismet_build.mechanics.calculator import Citation
from kismet_build.mechanics.situation import field_value
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.field import label
from kismet_build.render.html.addresses import INDEX, entity_href
from kismet_build.render.html.escape import link_html

CONSTANTS: Mapping[str, Mapping[str, str]] = {
    "whose": {"own": "constant.own", "attacker": "constant.attacker", "opponent": "constant.opponent"},
    "ends": {
        key.partition(".")[2]: key
        for key in (
            *("constant.damage", "constant.attack", "constant.healing", "constant.action", "constant.roll"),
            *("constant.ability", "constant.item", "constant.time", "constant.removal"),
        )
    },
}
"""For each key of an effect, the catalog keys of the words for its constants in `schemas/effects.schema.json`."""

SIGNS = {"bonus": "+", "penalty": "−"}


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectBadge:
    """An effect, for a template."""

    operation: str
    payload: Mapping[str, Any]
    """The values of the effect by key, with field values in place of field names; `None` for missing keys."""
    html: Mapping[str, Markup]
    """The stated values as HTML: titles of constants, links to entities, joined lists. `units` is the unit as
    written."""
    roll_gets: Markup
    """What the roll gets, as HTML; empty unless the operation concerns a roll."""
    on_own_rolls: Markup
    """The rolls of whoever has the effect, such as `on its attacks`, as HTML; can be empty."""
    tone: str
    """For the colour: `bonus` or `penalty` if the value determines it, otherwise the operation."""
    citation: Citation
    items: tuple[Markup, ...]
    """The value of the operation as HTML, item by item if it is a list."""
    sign: str
    """A plus or minus sign if the roll gets a named bonus or penalty; otherwise empty."""


def effect_badges(pack: Pack, entity: Entity, root: str) -> tuple[EffectBadge, ...]:
    """The badges of an entity's effects; links start with `root`."""
    return tuple(
        _badge(pack, entity, effect.operation, effect.payload, effect.citation, root)
        for effect in pack.game.effects.get(entity.local_id, ())
    )


def _badge(
    pack: Pack, entity: Entity, operation: str, stated: Mapping[str, Any], citation: Citation, root: str
) -> EffectBadge:
    payload = {
        key: field_value(entity.fields, value) if key in (operation, *AMOUNT_KEYS, TARGET_KEY) else value
        for key, value in stated.items()
    }
    html = {key: value_html(pack, key, value, root) for key, value in payload.items()}
    value = payload[operation]
    items = tuple(_items(pack, operation, value, root)) if isinstance(value, list) else (html[operation],)
    if operation in ("changes", "sets"):
        # The badge starts with this word. A link to an entity keeps the spelling of its name.
        html[operation] = html[operation][:1].upper() + html[operation][1:]
    if isinstance(name := stated.get(TARGET_KEY), str) and (rule := pack.kind(entity).rules.get(name)):
        html[TARGET_KEY] = Markup("{} {}").format(label(rule), html[TARGET_KEY])
    elif TARGET_KEY in stated:
        html[TARGET_KEY] = pack.game.catalog.html("effect.against", what=html[TARGET_KEY])
    if unit := payload.get("unit"):
        html["units"] = escape(unit.replace("-", " "))
    roll_gets = Markup()
    tone = _tone(operation, payload)
    if operation not in effect_keys():
        title = _title(pack, operation)
        match value:
            case bool():
                roll_gets = escape(title)
            case int() | float():
                roll_gets = Markup("{} {}").format(title, html[operation])
            case _ if value in (None, GIVEN):
                roll_gets = escape(title)
            case _:
                roll_gets = (
                    html[operation] if value in _titles(pack) else Markup("{} {}").format(title, html[operation])
                )
    return EffectBadge(
        operation=operation,
        payload={**dict.fromkeys(effect_keys()), **payload},
        html=html,
        roll_gets=roll_gets,
        on_own_rolls=on_own_rolls(pack.game.catalog, html["roll"]) if "roll" in html else Markup(),
        tone=tone,
        citation=citation,
        items=items,
        sign=SIGNS.get(tone, "") if roll_gets and isinstance(value, str) else "",
    )


def on_own_rolls(words: Catalog, roll: Markup) -> Markup:
    """The phrase `on its attacks`, or `on all its rolls` if the name of the rolls starts with "all"."""
    rest = without_all(words, roll)
    return words.html("effect.own_rolls", roll=roll) if rest is None else words.html("effect.own_all_rolls", roll=rest)


def without_all(words: Catalog, name: Markup) -> Markup | None:
    """A name without "all" (in the language of the catalog) at its start; `None` for any other name."""
    all_ = words.text("effect.all", kind="")
    return name[len(all_) :] if all_.strip() and name.casefold().startswith(all_.casefold()) else None


def _tone(operation: str, payload: Mapping[str, Any]) -> str:
    amount = payload.get("by") if operation == "changes" else payload[operation]
    if amount in ("bonus", "penalty"):
        return str(amount)
    if operation in effect_keys() or isinstance(amount, bool) or not isinstance(amount, int | float) or not amount:
        return operation
    return "bonus" if amount > 0 else "penalty"


def value_html(pack: Pack, key: str, value: Any, root: str) -> Markup:
    """The value of a key as HTML; links start with `root`."""
    match value:
        case list():
            *items, last = _items(pack, key, value, root)
            if key in CIRCUMSTANCE_KEYS and items:
                joined = "effect.and" if key == "when" else "effect.or"
                return pack.game.catalog.html(joined, first=Markup(", ").join(items), second=last)
            if key != "roll" or not items:
                return Markup(", ").join((*items, last))
            return pack.game.catalog.html("effect.and", first=Markup(", ").join(items), second=last)
        case {"unit": unit}:
            title = _title(pack, unit)
            amount = value.get("amount")
            if amount is None:
                return escape(title)
            shown = f"{amount} {title if amount == 1 else unit.replace('-', ' ')}"
            return escape(pack.game.catalog.text("effect.at_least", amount=shown) if "least" in value else shown)
        case str() if (entity := pack.by_id.get(value)) is not None:
            link = link_html(entity_href(pack, entity.id, root), entity.name)
            return pack.game.catalog.html("effect.applies", state=link) if key == "when" else link
        case str() if key in CIRCUMSTANCE_KEYS:
            circumstance = pack.game.definition.effect_words.circumstances.get(value)
            return escape(circumstance.title if circumstance else value)
        case str():
            rolls = pack.game.definition.effect_words.rolls
            if key == "roll" and value in rolls:
                return escape(rolls[value].title)
            return escape(_constant(pack, key, value) or _title(pack, value.rpartition("/")[2]))
        case int() | float() if not isinstance(value, bool):
            return escape(pack.game.catalog.number(f"{value:g}".replace("-", "−")))
        case _:
            return escape(value)


def _items(pack: Pack, key: str, values: list[Any], root: str) -> Iterator[Markup]:
    """The items of a list. If it contains all entities of a kind with several, the kind replaces them."""
    remaining = list(values)
    for kind, entities in pack.entities.items():
        if len(entities) > 1 and all(entity.id in remaining for entity in entities):
            link = link_html(f"{root}{pack.game.id}/{kind}/{INDEX}", pack.game.kinds[kind].plural)
            yield pack.game.catalog.html("effect.all", kind=link)
            remaining = [value for value in remaining if all(value != entity.id for entity in entities)]
    for value in remaining:
        yield value_html(pack, key, value, root)


def _constant(pack: Pack, key: str, value: str) -> str:
    words = CONSTANTS.get(key, {}).get(value)
    return pack.game.catalog.text(words) if words else ""


def _titles(pack: Pack) -> Mapping[str, str]:
    return pack.game.definition.effect_words.titles


def _title(pack: Pack, word: str) -> str:
    return _titles(pack).get(word) or word.replace("-", " ").replace("_", " ")

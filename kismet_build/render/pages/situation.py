"""The page that computes the chance of a roll with states chosen for both sides, and links to that page."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kismet_build.config.game import Game
from kismet_build.config.roll import Roll
from kismet_build.mechanics.calculator import Calculator
from kismet_build.mechanics.situation import CONDITION_KEYS, SIDES
from kismet_build.model.json_writer import encode
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.calculator import calculator_card, script_input
from kismet_build.render.components.citation_link import citation_link
from kismet_build.render.components.effect_badge import EffectBadge, effect_badges, value_html
from kismet_build.render.data.calculator_json import rolls_data
from kismet_build.render.html.addresses import INDEX, PageLink, entity_href, path_to_root
from kismet_build.render.html.excerpt import summary
from kismet_build.render.html.templates import macro
from kismet_build.render.pages.page import Page


def has_situation(game: Game) -> bool:
    """Whether a game has the situation page, which needs an effect that feeds a calculator."""
    return any(situation_links(game, subject) for subject in game.effects)


def situation_links(game: Game, subject: str) -> tuple[tuple[str, str], ...]:
    """The sides on which an entity (`kind/slug`) changes a roll, each with the address that preselects it there."""
    links = []
    for side in SIDES:
        roll = next((roll for roll in _rolls(game) if _feeds(game, subject, roll, side)), None)
        if roll is not None:
            links.append((side, f"{situation_address(game)}{INDEX}?roll={roll.id}&{side}={subject}"))
    return tuple(links)


def _rolls(game: Game) -> Iterator[Roll]:
    return (roll for roll in game.definition.effect_words.rolls.values() if roll.calculator in game.calculators)


def _feeds(game: Game, subject: str, roll: Roll, side: str) -> bool:
    for effect in game.effects.get(subject, ()):
        is_roller = (effect.payload["whose"] == "own") == (side == SIDES[0])
        name, inputs = (roll.id, roll.inputs) if is_roller else (roll.against, roll.opposing)
        if effect.operation in inputs and not {*_with_enclosing(game, name)}.isdisjoint(effect.payload.get("roll", ())):
            return True
    return False


def _with_enclosing(game: Game, name: str) -> Iterator[str]:
    """The name of a roll, then of each roll that encloses it by `within`."""
    rolls = game.definition.effect_words.rolls
    while name:
        yield name
        name = rolls[name].within if name in rolls else ""


def situation_page(pack: Pack) -> Page:
    """The situation page of a game."""
    game = pack.game
    address = situation_address(game)
    rolls = rolls_data(pack)
    fed = _fed_inputs(rolls)
    cards = [calculator_card(pack, calculator, address, with_table=False) for calculator in roll_calculators(pack)]
    return Page(
        address=address,
        title=game.catalog.text("title.situation"),
        role="situation",
        article=macro("article_situation", "article", game.catalog)(
            game, rolls, cards, fed, encode(_situation_data(pack)).decode()
        ),
        breadcrumbs=(PageLink(f"{game.id}/", game.title),),
        description=summary(game.catalog.text("situation.description", game=game.title)),
    )


def situation_address(game: Game) -> str:
    """The address of the situation page."""
    return f"{game.id}/situation/"


def roll_calculators(pack: Pack) -> list[Calculator]:
    """The calculators of the rolls, without duplicates."""
    slugs = dict.fromkeys(roll["calculator"].rpartition("/")[2] for roll in rolls_data(pack))
    return [pack.game.calculators[slug] for slug in slugs]


def _fed_inputs(rolls: list[dict[str, Any]]) -> Mapping[str, frozenset[str]]:
    fed: dict[str, frozenset[str]] = {}
    for roll in rolls:
        slug = roll["calculator"].rpartition("/")[2]
        opposing = roll["against"]["inputs"].values() if roll["against"] else ()
        fed[slug] = fed.get(slug, frozenset()) | {*roll["inputs"].values(), *opposing}
    return fed


def _situation_data(pack: Pack) -> dict[str, Any]:
    """The data for the page's script: rolls, inputs of their calculators, and states with their effects.

    The page contains the data, because most of it is text to show. Formulas are loaded once a reader touches the page.
    """
    root = path_to_root(situation_address(pack.game))
    states = {
        entity.local_id: {
            "name": entity.name,
            "kind": entity.kind,
            "url": entity_href(pack, entity.id, root),
            "effects": [_effect(pack, badge) for badge in effect_badges(pack, entity, root)],
        }
        for entity in _states(pack)
    }
    kinds = {state["kind"] for state in states.values()}
    return {
        "rolls": [{**roll, "calculator": roll["calculator"].rpartition("/")[2]} for roll in rolls_data(pack)],
        "calculators": {
            calculator.slug: {"inputs": [script_input(input_) for input_ in calculator.inputs]}
            for calculator in roll_calculators(pack)
        },
        "states": states,
        "groups": {kind.id: kind.plural for kind in pack.game.kinds.values() if kind.id in kinds},
    }


def _states(pack: Pack) -> Iterator[Entity]:
    for entities in pack.entities.values():
        for entity in entities:
            if situation_links(pack.game, entity.local_id):
                yield entity


def _effect(pack: Pack, badge: EffectBadge) -> dict[str, Any]:
    """An effect for the script: whom it concerns, what it feeds, and how to word it.

    Empty members except `value` are left out.
    """
    payload, words = badge.payload, pack.game.catalog
    citation = citation_link(pack, badge.citation, situation_address(pack.game))
    unconditional = replace(badge, payload={**payload, **dict.fromkeys(CONDITION_KEYS)})
    named = (name for key in ("causes", "counts_as") for name in payload[key] or ())
    effect = {
        "operation": badge.operation,
        "whose": payload["whose"],
        "roll": payload["roll"],
        "value": payload[badge.operation],
        "says": [macro("effect", name, words)(badge).striptags() for name in ("head", "operation")],
        "asks": [*_asks(pack, badge)],
        "exception": [key for key in CONDITION_KEYS if payload[key]] == ["except"] or None,
        "limits": macro("effect", "limits", words)(unconditional).striptags(),
        "brings": [name.partition("/")[2] for name in named if name in pack.by_id],
        "why": [citation.address, citation.quote, citation.heading],
    }
    return {key: value for key, value in effect.items() if value not in (None, [], "") or key == "value"}


def _asks(pack: Pack, badge: EffectBadge) -> Iterator[dict[str, Any]]:
    """The conditions of an effect as worded for readers, each with the states that meet it.

    `own` has states of whoever has the effect, `other` has states of the other side, and `unless` has own states that
    are exceptions.
    """
    payload, html, words = badge.payload, badge.html, pack.game.catalog
    if payload["of"]:
        yield {"says": words.html("situation.of", what=html["of"]).striptags()}
    for item in payload["when"] or ():
        says = words.html("effect.when", state=value_html(pack, "when", item, "")).striptags()
        yield {"says": says, **_answers(pack, "own", [item])}
    if payload["against"]:
        says = words.html("effect.against", what=html["against"]).striptags()
        yield {"says": says, **_answers(pack, "other", payload["against"])}
    if payload["except"]:
        says = words.html("effect.except", what=html["except"]).striptags()
        yield {"says": says, **_answers(pack, "unless", payload["except"])}


def _answers(pack: Pack, key: str, items: list[str]) -> dict[str, list[str]]:
    states = [pack.by_id[item].local_id for item in items if item in pack.by_id]
    return {key: states} if states else {}

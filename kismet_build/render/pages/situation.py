"""The page with the chance of a roll in the states that a reader ticks for both sides; links to it from entities."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from kismet_build.config.game import Game
from kismet_build.config.roll import Roll
from kismet_build.mechanics.calculator import Calculator
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.calculator import calculator_card, script_input
from kismet_build.render.components.citation_link import citation_link
from kismet_build.render.components.effect_badge import EffectBadge, effect_badges
from kismet_build.render.data.calculator_json import rolls_data
from kismet_build.render.data.json_writer import encode
from kismet_build.render.html.addresses import INDEX, PageLink, path_to_root
from kismet_build.render.html.excerpt import summary
from kismet_build.render.html.templates import macro
from kismet_build.render.pages.page import Page

TAG = re.compile(r"<[^>]*>")
SIDES = ("on", "target")
"""The sides of a roll, as the address of the page names them: whoever rolls, and the other side."""
CONDITION_KEYS = ("of", "when", "against", "except")
"""Keys of effects that restrict them to rolls of which only the reader knows."""


def has_situation(game: Game) -> bool:
    """Whether a game has the page: an effect feeds a calculator."""
    return any(situation_links(game, subject) for subject in game.effects)


def situation_links(game: Game, subject: str) -> tuple[tuple[str, str], ...]:
    """For each side on which an entity (`kind/slug`) concerns a roll: the side, and the address with both chosen."""
    links = []
    for side in SIDES:
        roll = next((roll for roll in _rolls(game) if _feeds(game, subject, roll, side)), None)
        if roll is not None:
            links.append((side, f"{situation_address(game)}{INDEX}?roll={roll.id}&{side}={subject}"))
    return tuple(links)


def _rolls(game: Game) -> Iterator[Roll]:
    return (roll for roll in game.effect_words.rolls.values() if roll.calculator in game.calculators)


def _feeds(game: Game, subject: str, roll: Roll, side: str) -> bool:
    """Whether an entity on a side changes a roll."""
    for effect in game.effects.get(subject, ()):
        is_roller = (effect.payload["whose"] == "own") == (side == SIDES[0])
        name, inputs = (roll.id, roll.inputs) if is_roller else (roll.against, roll.opposing)
        if effect.operation in inputs and not {*_around(game, name)}.isdisjoint(effect.payload.get("roll", ())):
            return True
    return False


def _around(game: Game, name: str) -> Iterator[str]:
    """A roll and those that it is within."""
    rolls = game.effect_words.rolls
    while name:
        yield name
        name = rolls[name].within if name in rolls else ""


def situation_page(pack: Pack) -> Iterator[Page]:
    """The page, if effects feed a calculator."""
    game = pack.game
    if not has_situation(game):
        return
    address = situation_address(game)
    rolls = rolls_data(pack)
    fed = _fed_inputs(rolls)
    cards = [calculator_card(pack, calculator, address, with_table=False) for calculator in roll_calculators(pack)]
    yield Page(
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
    """The address of the page."""
    return f"{game.id}/situation/"


def roll_calculators(pack: Pack) -> list[Calculator]:
    """The calculators of the rolls, without duplicates."""
    slugs = dict.fromkeys(roll["calculator"].rpartition("/")[2] for roll in rolls_data(pack))
    return [pack.game.calculators[slug] for slug in slugs]


def _fed_inputs(rolls: list[dict[str, Any]]) -> Mapping[str, frozenset[str]]:
    """By slug of a calculator, the inputs that effects feed."""
    fed: dict[str, frozenset[str]] = {}
    for roll in rolls:
        slug = roll["calculator"].rpartition("/")[2]
        opposing = roll["against"]["inputs"].values() if roll["against"] else ()
        fed[slug] = fed.get(slug, frozenset()) | {*roll["inputs"].values(), *opposing}
    return fed


def _situation_data(pack: Pack) -> dict[str, Any]:
    """What the script of the page needs at once: rolls, the inputs of their calculators, the states with their effects.

    It is in the HTML of the page, because most of it is words. Formulas are loaded when the reader touches the page.
    """
    root = path_to_root(situation_address(pack.game))
    states = {
        state_id(entity): {
            "name": entity.name,
            "kind": entity.kind,
            "url": f"{root}{entity.id}/{INDEX}",
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


def state_id(entity: Entity) -> str:
    """The id of an entity on the page and in its address."""
    return f"{entity.kind}/{entity.slug}"


def _states(pack: Pack) -> Iterator[Entity]:
    """The entities with an effect on a roll."""
    for entities in pack.entities.values():
        for entity in entities:
            if situation_links(pack.game, state_id(entity)):
                yield entity


def _effect(pack: Pack, badge: EffectBadge) -> dict[str, Any]:
    """One effect: whom it concerns and what it feeds, then its words; what is empty is left out."""
    payload, words = badge.payload, pack.game.catalog
    citation = citation_link(pack, badge.citation, situation_address(pack.game))
    html = {**badge.html}
    if payload["of"]:
        html["of"] = words.html("situation.of", what=html["of"])
    for key, name in (("when", "state"), ("against", "what"), ("except", "what")):
        if payload[key]:
            html[key] = words.html(f"effect.{key}", **{name: html[key]})
    unconditional = replace(badge, payload={**payload, **dict.fromkeys(CONDITION_KEYS)})
    named = (name for key in ("causes", "counts_as") for name in payload[key] or ())
    effect = {
        "operation": badge.operation,
        "whose": payload["whose"],
        "roll": payload["roll"],
        "value": payload[badge.operation],
        "says": [_plain(macro("effect", name, words)(badge)) for name in ("head", "operation")],
        "asks": [_plain(html[key]) for key in CONDITION_KEYS if payload[key]],
        "limits": _plain(macro("effect", "limits", words)(unconditional)),
        "brings": [name.partition("/")[2] for name in named if name in pack.by_id],
        "why": [citation.address, citation.quote, citation.heading],
    }
    return {key: value for key, value in effect.items() if value not in (None, [], "") or key == "value"}


def _plain(html: Markup) -> str:
    """HTML as plain text on one line."""
    return " ".join(Markup(TAG.sub("", html)).unescape().split())

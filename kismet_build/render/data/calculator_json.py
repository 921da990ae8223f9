"""A pack's calculators and effects as JSON data."""

from typing import Any

from kismet_build.mechanics.calculator import Agreement, Calculator, Citation, Example, Input, Reading, Step
from kismet_build.mechanics.formula import without_offsets
from kismet_build.model.source import Span
from kismet_build.pack import Entity, Pack
from kismet_build.render.fragments.page_context import anchor_address
from kismet_build.render.html.addresses import calculator_address

Data = dict[str, Any]
"""A JSON object."""


def calculator_data(pack: Pack, calculator: Calculator) -> Data:
    """A calculator as in docs/CONTRACT.md."""
    result, odds = calculator.result, calculator.odds
    return {
        "id": calculator.id,
        "title": calculator.title,
        "answers": calculator.answers,
        "group": calculator.group,
        "inputs": [_input(input_) for input_ in calculator.inputs],
        "steps": [_step(pack, step) for step in calculator.steps],
        "formula": calculator.formula,
        "ast": without_offsets(calculator.tree),
        "result": {"type": result.type, "unit": result.unit, "label": result.label, "sentence": result.sentence},
        "odds": None if odds is None else without_offsets({"dice": odds.dice, "add": odds.add, "target": odds.target}),
        "citation": citation_data(pack, calculator.citation),
        "readings": [_reading(pack, reading) for reading in calculator.readings],
        "reason": calculator.reason,
        "examples": [_example(pack, example) for example in calculator.examples],
        "agrees": [_agreement(agreement) for agreement in calculator.agreements],
        "url": calculator_address(calculator),
    }


def rolls_data(pack: Pack) -> list[Data]:
    """The rolls that effects can change, except any whose calculator is left out."""
    game = pack.game
    return [
        {
            "id": roll.id,
            "title": roll.title,
            "calculator": f"{game.id}/calculator/{roll.calculator}",
            "inputs": dict(roll.inputs),
            "within": roll.within or None,
            "against": {"roll": roll.against, "inputs": dict(roll.opposing)} if roll.against else None,
        }
        for roll in game.definition.effect_words.rolls.values()
        if roll.calculator in game.calculators
    ]


def effects_data(pack: Pack, entity: Entity) -> list[Data]:
    """The effects of an entity, each with its citation."""
    effects = pack.game.effects.get(entity.local_id, ())
    return [{**effect.payload, "citation": citation_data(pack, effect.citation)} for effect in effects]


def citation_data(pack: Pack, citation: Citation) -> Data:
    """A citation. `url` and `source` are `None` if the document no longer contains the quotation."""
    cited = pack.cited.get(citation.span)
    return {
        "document": citation.document,
        "heading": citation.heading,
        "quote": citation.quotes[0] if cited is None else cited.quote,
        "url": None if cited is None else anchor_address(pack, cited.section.anchor),
        "source": None if cited is None else _lines(cited.span),
    }


def place_data(span: Span, headings: tuple[str, ...]) -> Data:
    """The place of a span, with the headings of its section, outermost first."""
    return {**_lines(span), "headings": list(headings)}


def _lines(span: Span) -> Data:
    """The file of a span, and its first and last line there, counted from 1."""
    place = span.original
    first, last = place.line_range
    return {"path": place.source.path, "line": first, "end_line": last}


def _input(input_: Input) -> Data:
    group = {"group": input_.group} if input_.group else {}
    data: Data = {"name": input_.name, "label": input_.label, **group, "type": input_.type}
    match input_.type:
        case "integer" | "number":
            data |= {"unit": input_.unit, "min": input_.low, "max": input_.high}
            data |= {} if input_.step is None else {"step": input_.step}
        case "choice":
            data["options"] = list(input_.options)
        case "entity":
            data["kinds"] = list(input_.kinds)
    if input_.many or input_.type == "entity":
        data["many"] = input_.many
    return {**data, "default": list(input_.default) if input_.many else input_.default}


def _step(pack: Pack, step: Step) -> Data:
    return {
        "name": step.name,
        "label": step.label,
        "formula": step.formula,
        "ast": without_offsets(step.tree),
        "type": step.type,
        "unit": step.unit,
        "says": step.says,
        "citation": None if step.citation is None else citation_data(pack, step.citation),
    }


def _reading(pack: Pack, reading: Reading) -> Data:
    return {
        "title": reading.title,
        "formula": reading.formula,
        "ast": without_offsets(reading.tree),
        "citation": citation_data(pack, reading.citation),
    }


def _example(pack: Pack, example: Example) -> Data:
    misprint = pack.misprint(example)
    printed = {} if misprint is None else {"printed": misprint}
    citation = citation_data(pack, example.citation)
    return {"inputs": dict(example.inputs), "result": example.result, **printed, "citation": citation}


def _agreement(agreement: Agreement) -> Data:
    return {
        "kind": agreement.kind,
        "inputs": dict(agreement.inputs),
        "given": dict(agreement.given),
        "result": agreement.result,
    }

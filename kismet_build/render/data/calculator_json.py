"""Calculators and effects as a pack publishes them."""

from typing import Any

from kismet_build.mechanics.calculator import Agreement, Calculator, Citation, Example, Input, Reading, Step
from kismet_build.model.source import Span
from kismet_build.pack import Entity, Pack
from kismet_build.render.html.addresses import fragment
from kismet_build.render.html.page_context import chapter_address

Data = dict[str, Any]


def calculator_data(pack: Pack, calculator: Calculator) -> Data:
    """One calculator as CONTRACT.md shows it."""
    result, odds = calculator.result, calculator.odds
    return {
        "id": calculator.id,
        "title": calculator.title,
        "group": calculator.group,
        "inputs": [_input(one) for one in calculator.inputs],
        "steps": [_step(pack, one) for one in calculator.steps],
        "formula": calculator.formula,
        "ast": calculator.tree,
        "result": {"type": result.type, "unit": result.unit, "label": result.label, "sentence": result.sentence},
        "odds": None if odds is None else {"dice": odds.dice, "add": odds.add, "target": odds.target},
        "citation": citation_data(pack, calculator.citation),
        "readings": [_reading(pack, one) for one in calculator.readings],
        "reason": calculator.reason,
        "examples": [_example(pack, one) for one in calculator.examples],
        "agrees": [_agreement(one) for one in calculator.agreements],
        "url": f"{pack.game.id}/calculators/#{calculator.slug}",
    }


def effects_data(pack: Pack, entity: Entity) -> list[Data]:
    """What an entity does, each effect with the passage that says so."""
    effects = pack.game.effects.get(f"{entity.kind}/{entity.slug}", ())
    return [{**effect.payload, "citation": citation_data(pack, effect.citation)} for effect in effects]


def citation_data(pack: Pack, citation: Citation) -> Data:
    """A citation; the address of its section and its place are `None` where the text no longer says so."""
    cited = pack.cited.get(citation.span)
    return {
        "document": citation.document,
        "heading": citation.heading,
        "quote": citation.quotes[0] if cited is None else cited.quote,
        "url": None
        if cited is None
        else chapter_address(pack, cited.section.anchor) + fragment(cited.section.anchor.id),
        "source": None if cited is None else place_data(cited.span, tuple(one.title for one in cited.section.headings)),
    }


def place_data(span: Span, headings: tuple[str, ...]) -> Data:
    """Where something stands: lines from 1, the headings above it from the outermost down."""
    first, last = span.lines
    return {"path": span.source.path, "line": first, "end_line": last, "headings": list(headings)}


def _input(one: Input) -> Data:
    said: Data = {"name": one.name, "label": one.label, **({"group": one.group} if one.group else {}), "type": one.type}
    match one.type:
        case "integer" | "number":
            said |= {"unit": one.unit, "min": one.low, "max": one.high, "step": one.step}
        case "choice":
            said["options"] = list(one.options)
        case "entity":
            said |= {"kinds": list(one.kinds), "many": one.many}
    return {**said, "default": list(one.default) if one.many else one.default}


def _step(pack: Pack, step: Step) -> Data:
    return {
        "name": step.name,
        "label": step.label,
        "formula": step.formula,
        "ast": step.tree,
        "type": step.type,
        "unit": step.unit,
        "says": step.says,
        "citation": None if step.citation is None else citation_data(pack, step.citation),
    }


def _reading(pack: Pack, reading: Reading) -> Data:
    return {
        "title": reading.title,
        "formula": reading.formula,
        "ast": reading.tree,
        "citation": citation_data(pack, reading.citation),
    }


def _example(pack: Pack, example: Example) -> Data:
    figure = pack.misprint(example)
    printed = {} if figure is None else {"printed": figure}
    citation = citation_data(pack, example.citation)
    return {"inputs": dict(example.inputs), "result": example.result, **printed, "citation": citation}


def _agreement(agreement: Agreement) -> Data:
    return {
        "kind": agreement.kind,
        "inputs": dict(agreement.inputs),
        "given": dict(agreement.given),
        "result": agreement.result,
    }

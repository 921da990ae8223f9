"""Appendices of a book as Typst code: calculators, questions with their rulings, and a glossary."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kismet_build.mechanics.calculator import Calculator
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Pack
from kismet_build.render.book.facts import calculator_groups
from kismet_build.render.book.parts import printed_texts
from kismet_build.render.components.calculator import calculator_card
from kismet_build.render.components.calculator_table import ResultTable
from kismet_build.render.components.entity_text import entity_text
from kismet_build.render.fragments.typst import string, words
from kismet_build.render.html.excerpt import first_sentence

TERM_KINDS = ("term", "rule")
"""The kinds that ship with kismet: what a text defines outside any list."""


class Appendix(NamedTuple):
    """An appendix: a chapter after those of the texts."""

    name: str
    title: str
    sections: Sequence[tuple[str, str]]
    """The title of each section, which may be empty, and its code."""


def calculators(pack: Pack) -> Iterator[Appendix]:
    """The calculators by group: question, answer for the usual values, formula, examples of the text and results."""
    groups = calculator_groups(pack.game)
    if not groups:
        return
    sections = [(group, "\n".join(_calculator(pack, each) for each in shown)) for group, shown in groups.items()]
    yield Appendix("calculators", pack.game.catalog.text("title.calculators"), sections)


def glossary(pack: Pack, place_of: Callable[[Entity], str]) -> Iterator[Appendix]:
    """The terms of the game, each with its first sentence. `place_of`: the name of the place that defines it."""
    terms = [entity for kind in TERM_KINDS for entity in pack.entities.get(kind, ())]
    printed = printed_texts(pack)
    lines = [
        f"glossary-entry({words(entity.name)}, {words(sentence)}, {string(place_of(entity))})"
        for entity in sorted(terms, key=lambda entity: normalize(entity.name))
        if entity.span.source.path in printed and (sentence := first_sentence(entity_text(pack, entity)))
    ]
    if lines:
        yield Appendix("glossary", pack.game.catalog.text("title.glossary"), [("", "\n".join(lines))])


def _calculator(pack: Pack, calculator: Calculator) -> str:
    card = calculator_card(pack, calculator, "", with_table=True)
    examples = [_pair(preset.inputs, preset.result.striptags()) for preset in card.presets]
    formulas = [_pair(step.label, step.formula) for step in calculator.steps]
    formulas.append(_pair(card.label, calculator.formula))
    return (
        f"calculator({words(card.title)}, {words(card.sentence)}, {_tuple(formulas)}, "
        f"{_tuple(examples)}, {_table(card.table) if card.table else 'none'})"
    )


def _table(table: ResultTable) -> str:
    header = _tuple(map(words, (table.down, *table.columns)))
    rows = _tuple(_tuple(map(words, (label, *(cell.striptags() for cell in cells)))) for label, cells in table.rows)
    fixed = ", ".join(f"{label} {value}" for label, value in table.fixed)
    return f"(across: {words(table.across)}, header: {header}, rows: {rows}, fixed: {words(fixed)})"


def _pair(left: str, right: str) -> str:
    return f"({words(left)}, {words(right)})"


def _tuple(items: "Iterator[str] | Sequence[str] | map[str]") -> str:
    return "(" + "".join(f"{item}, " for item in items) + ")"

"""Appendices of a book as Typst code: calculators, and questions with their rulings."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kismet_build.mechanics.calculator import Calculator
from kismet_build.pack import Pack
from kismet_build.render.book.facts import calculator_groups
from kismet_build.render.components.calculator import calculator_card
from kismet_build.render.components.calculator_table import ResultTable
from kismet_build.render.fragments.typst import words


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

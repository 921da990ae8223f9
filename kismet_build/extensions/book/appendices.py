"""Appendices of a book as Typst code: calculators, a glossary, and boards."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from kismet_build.extensions.book.facts import calculator_groups
from kismet_build.extensions.book.parts import is_printed, printed_entities
from kismet_build.extensions.book.typst_fragments import string, words
from kismet_build.mechanics.calculator import Calculator
from kismet_build.model.nodes import Table
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.calculator import calculator_card
from kismet_build.render.components.calculator_table import ResultTable
from kismet_build.render.components.entity_text import summary
from kismet_build.render.pages.board import Panel, panels

TERM_KINDS = ("term", "rule")
"""The built-in kinds for terms that a text defines outside any list."""

ARITHMETIC = re.compile(r"(?!.*\b(?:if|and|or|not)\b)[A-Za-z0-9 .,+*/()-]*")
"""A formula without conditions and comparisons, which a reader can follow as arithmetic."""


class Appendix(NamedTuple):
    """A chapter after those with the game's texts."""

    name: str
    title: str
    sections: Sequence[tuple[str, str]]
    """The title (which may be empty) and the code of each section."""


def calculators(pack: Pack) -> Iterator[Appendix]:
    """The appendix of calculators, with a section for each group; nothing if there is nothing to show."""
    groups = calculator_groups(pack.game)
    sections = [(group, "\n".join(_calculators(pack, shown))) for group, shown in groups.items()]
    shown = [(group, code) for group, code in sections if code]
    if shown:
        yield Appendix("calculators", pack.game.catalog.text("title.calculators"), shown)


def boards(pack: Pack, table_code: Callable[[Table], str]) -> Iterator[Appendix]:
    """The appendix of boards. `table_code`: returns the code of a table in the text."""
    sections = []
    for board in pack.game.boards:
        shown = [code for panel in panels(pack, board, "") if (code := _panel(pack, panel, table_code))]
        if shown:
            sections.append((board.title, "\n".join([f"par({words(board.description)})", *shown])))
    if sections:
        yield Appendix("boards", pack.game.catalog.text("title.boards"), sections)


def _panel(pack: Pack, panel: Panel, table_code: Callable[[Table], str]) -> str:
    entries = [entry for entry in panel.entries if is_printed(pack, entry.span)]
    if panel.table:
        body = table_code(panel.table) if is_printed(pack, panel.table.span) else ""
    elif panel.results:
        body = f"results({_table(panel.results)})"
    elif not entries:
        body = ""
    else:
        labels = [f"{badge.group} {badge.label}".strip() for badge in entries[0].badges]
        header = [panel.kind.title if panel.kind else "", *labels]
        rows = [[entry.name, *(badge.value.striptags() for badge in entry.badges)] for entry in entries]
        if panel.has_summary:
            header.append(pack.game.catalog.text("table.in_short"))
            for row, entry in zip(rows, entries, strict=True):
                row.append("; ".join(filter(None, (*(chip.text for chip in entry.effects), entry.excerpt))))
        code = _tuple(_tuple(map(words, row)) for row in rows)
        body = f'results((across: "", header: {_tuple(map(words, header))}, rows: {code}, fixed: ""))'
    return f"panel({words(panel.title)}, {body})" if body else ""


def glossary(pack: Pack, place_of: Callable[[Entity], str]) -> Iterator[Appendix]:
    """The appendix with the terms of the game that have a text, each with its first sentence.

    `place_of`: returns the name of the place that defines an entity.
    """
    terms = [entity for entity in printed_entities(pack) if entity.kind in TERM_KINDS]
    lines = [
        f"glossary-entry({words(entity.name)}, {words(sentence)}, {string(place_of(entity))})"
        for entity in sorted(terms, key=lambda entity: normalize(entity.name))
        if (sentence := summary(pack, entity))
    ]
    if lines:
        yield Appendix("glossary", pack.game.catalog.text("title.glossary"), [("", "\n".join(lines))])


def _calculators(pack: Pack, calculators: Iterable[Calculator]) -> Iterator[str]:
    for calculator in calculators:
        card = calculator_card(pack, calculator, "", with_table=True)
        examples = [_pair(preset.inputs, preset.result.striptags()) for preset in card.presets]
        formulas = [*((step.label, step.formula) for step in calculator.steps), (card.label, calculator.formula)]
        if not all(ARITHMETIC.fullmatch(formula) for _, formula in formulas):
            formulas = []
        if formulas or examples or card.table:
            yield (
                f"calculator({words(card.title)}, {words(card.sentence)}, {_tuple(_pair(*each) for each in formulas)}, "
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

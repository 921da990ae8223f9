"""`odd-value`: a value that does not look like the others of its field or column, but nearly does."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date

from kismet_build.model.diagnostic import Diagnosed, Diagnostic, Report, warning
from kismet_build.model.nodes import Document, Table, plain_text
from kismet_build.model.source import Span
from kismet_build.model.suggestion import LIKE_DIGITS, is_typo
from kismet_build.pack import Pack

MIN_VALUES = 4
"""Number of values from which the form of most of them says something."""
USUAL = 0.75
"""Share of the values that must have the same form."""
MAX_LENGTH = 40
"""Maximum length of a value that is compared, in characters."""
MAX_REPEATED = 2
"""Maximum number of values with the same unusual form. If there are more, the author means it."""
NUMBER = re.compile(r"\d+")
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
NUMBER_WITH_UNIT = re.compile(r"(?P<number>[-+−]?\d+) ?(?P<unit>[^\W\d]+)")
NO_DAY = "no day"
"""The form of a date that no calendar has."""


def odd_cells(document: Document) -> Diagnosed[None]:
    """A diagnostic for each odd value in the columns of the tables of a document."""
    found: list[Diagnostic] = []
    for table in (node for node in document.nodes if isinstance(node, Table)):
        for place, header in enumerate(table.header.cells):
            cells = (row.cells[place] for row in table.rows if place < len(row.cells))
            found += _odd_values(
                plain_text(*header.children).strip(), [(plain_text(*cell.children), cell.span) for cell in cells]
            )
    return Diagnosed(None, tuple(found))


def odd_fields(pack: Pack, report: Report) -> None:
    """Report each odd value in the fields of a kind. `odd_cells` finds those in tables."""
    for kind in pack.game.kinds.values():
        entities = [entity for entity in pack.entities[kind.id] if entity.is_document or not entity.is_table_row]
        for rule in kind.rules.values():
            values = [(entity.fields.get(rule.name), entity.span_of(rule.name)) for entity in entities]
            texts = [(str(value), span) for value, span in values if isinstance(value, str | int | float)]
            for diagnostic in _odd_values(str(rule.schema.get("title", rule.name)), texts):
                report(diagnostic)


def _odd_values(name: str, values: Iterable[tuple[str, Span]]) -> Iterator[Diagnostic]:
    """A diagnostic for each value that is not written like most of the others, but could be by a small change."""
    stripped = [(text.strip(), span) for text, span in values]
    texts = [(text, span) for text, span in stripped if 0 < len(text) <= MAX_LENGTH]
    forms = Counter(_form(text) for text, _ in texts)
    if len(texts) < MIN_VALUES or len(forms) == 1:
        return
    usual, count = forms.most_common(1)[0]
    if "9" not in usual or count < USUAL * len(texts):
        return
    for text, span in texts:
        form = _form(text)
        message = f'"{text}" is not written like {count} others of "{name}"'
        if form == NO_DAY and usual == "9-9-9":
            yield warning("odd-value", span, message, "no month has this day")
        elif (
            form != usual
            and forms[form] <= MAX_REPEATED
            and (meant := next((m for m in _near(text, usual, name) if _form(m) == usual), ""))
        ):
            yield warning("odd-value", span, message, f'did you mean "{meant}"?')


def _form(text: str) -> str:
    """A text with `9` for each number."""
    if ISO_DATE.fullmatch(text):
        try:
            date.fromisoformat(text)
        except ValueError:
            return NO_DAY
    return NUMBER.sub("9", text)


def _near(text: str, usual: str, name: str) -> Iterator[str]:
    """Texts that differ little from this one: with digits for letters, or with the usual unit or none."""
    if any(map(str.isdigit, text)):
        yield text.translate(LIKE_DIGITS)
    if typed := NUMBER_WITH_UNIT.fullmatch(text):
        unit = typed["unit"].casefold()
        if unit.rstrip("s") == name.casefold().rstrip("s"):
            yield typed["number"]
        of_usual = NUMBER_WITH_UNIT.fullmatch(usual)
        usual_unit = of_usual["unit"].casefold() if of_usual else ""
        is_plural = unit.rstrip("s") == usual_unit.rstrip("s")
        if of_usual and not is_plural and is_typo(unit, usual_unit):
            yield typed["number"] + usual.removeprefix(of_usual["number"])

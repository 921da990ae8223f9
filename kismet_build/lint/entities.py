"""Checks of entities, their fields and their names. `odd_cells` compares the values of a table in the same way."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from kismet_build.config.data_file import Keys, schema_validator, violations
from kismet_build.config.kind import FIELD_HINT, Kind
from kismet_build.config.observed_schema import has_other_format
from kismet_build.model.diagnostic import Diagnosed, Diagnostic, Related, Report, Severity, error, warning
from kismet_build.model.nodes import Document, Table, plain_text
from kismet_build.model.source import Span, file_stem
from kismet_build.model.suggestion import LIKE_DIGITS, close_word, is_typo
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Pack

# --- ids and fields of one entity


def duplicate_id(pack: Pack, report: Report) -> None:
    """Report every entity with the same id as an earlier entity."""
    first: dict[str, Entity] = {}
    for entity in pack.all_entities():
        other = first.setdefault(entity.id, entity)
        if other is not entity:
            kind = pack.kind(entity).title
            message = f'two entries of the kind {kind} are called "{entity.name}"'
            hint = f"rename one of them: both would have the id {entity.id}"
            related = (Related(other.span, "the other one"),)
            report(error("duplicate-id", entity.span, message, hint, related, entity.subject))


def invalid_entity(pack: Pack, report: Report) -> None:
    """Report every value that does not match the schema of its kind, unless extraction has already reported it.

    For a lenient kind, a value that the published schema allows is only a warning.
    """
    for kind in pack.game.kinds.values():
        fits = schema_validator(kind.schema)
        invalid = [entity for entity in pack.entities[kind.id] if not fits(entity.fields)]
        published = pack.published_schema(kind) if invalid else {}
        for name, part in kind.schema["properties"].items() if kind.is_lenient else ():
            for entity in pack.entities[kind.id]:
                value = entity.fields.get(name)
                if isinstance(value, str) and has_other_format(part, value):
                    message = f'"{name}" of "{entity.name}" is "{value[:60]}", but must be a {part["format"]}'
                    report(warning("invalid-entity", entity.span_of(name), message, FIELD_HINT))
        for entity in invalid:
            fields = dict(entity.fields)
            faults = {violation.path for violation in violations(published, fields)}
            for path, reason, hint, _ in violations(kind.schema, fields):
                name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
                if path and (_value_at(fields, path) is None or name.startswith(tuple(entity.unparsed))):
                    continue  # extraction has already reported this value
                field = f'"{name}" of ' if name else ""
                message = f'{field}"{entity.name}" is not valid: {reason}'
                hint = hint or FIELD_HINT
                found = error("invalid-entity", entity.span_of(name), message, hint, subject=entity.subject)
                report(found if path in faults else replace(found, severity=Severity.WARNING))


def _value_at(value: Any, path: Keys) -> Any:
    for part in path:
        value = value.get(part) if isinstance(value, dict) else value[part] if isinstance(part, int) else None
    return value


def missing_field(pack: Pack, report: Report) -> None:
    """Report every entity that lacks a field with `x-expected`."""
    for kind in pack.game.kinds.values():
        for rule in kind.rules.values():
            if rule.expected:
                _report_missing(
                    kind, rule.name, str(rule.schema.get("title", rule.name)), pack.entities[kind.id], report
                )


def _report_missing(kind: Kind, name: str, label: str, entities: Sequence[Entity], report: Report) -> None:
    # A dash is not a value, but the note does have the field.
    missing = [e for e in entities if e.fields.get(name) in (None, []) and name not in e.field_spans]
    for entity in missing:
        span = entity.span.source.span(entity.span.start, entity.span.start)
        message = f'this {kind.title} has no "{label}": {len(entities) - len(missing)} of {len(entities)} have it'
        hint = ""
        if entity.is_document and (close := close_word(name, _other_properties(kind, entity))):
            document = entity.section.anchor.chapter.document
            span, hint = document.property_span(close), f'the note has "{close}": did you mean "{label}"?'
        elif typed := _typed_with_one_colon(kind, name, entity):
            span, hint = typed, f'did you mean "{typed.text.replace(":", "::", 1)}"?'
        report(warning("missing-field", span, message, hint))


def _typed_with_one_colon(kind: Kind, name: str, entity: Entity) -> Span | None:
    """The line of a field that others write as `key:: value`, if this entity has only one colon."""
    for argument in (source.argument for source in kind.rules[name].sources if source.method == "inline"):
        if match := re.search(rf"^{re.escape(argument)}:(?!:)[^\n]+", entity.span.text, re.MULTILINE | re.IGNORECASE):
            return entity.span.source.span(entity.span.start + match.start(), entity.span.start + match.end())
    return None


def _other_properties(kind: Kind, entity: Entity) -> list[str]:
    """Properties of a note from which no expected field is read."""
    expected = {source.argument for rule in kind.rules.values() if rule.expected for source in rule.sources}
    return [name for name in entity.section.anchor.chapter.document.metadata if name not in expected]


# --- values that differ from those of other entities

MIN_VALUES = 4
"""Number of values from which the form of most of them says something."""
USUAL = 0.75
"""Share of the values that must have the same form."""
MAX_COMPARED_LENGTH = 40
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
    texts = [(text, span) for text, span in stripped if 0 < len(text) <= MAX_COMPARED_LENGTH]
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


# --- repetitions


def repeated_name(pack: Pack, report: Report) -> None:
    """Report each alias that is the file name of another text, to which links by this name lead."""
    documents = [chapter.document for chapter in pack.book.chapters]
    by_name = {normalize(file_stem(document.source.path)): document for document in reversed(documents)}
    for document in documents:
        for alias in document.aliases:
            other = by_name.get(normalize(alias), document)
            if other is not document and normalize(file_stem(document.source.path)) != normalize(alias):
                message = f'the alias "{alias}" is the name of another text: links lead there'
                related = (Related(other.source.span(0, 0), "the other text"),)
                hint = "choose another alias, or write a path in links to this text"
                report(warning("repeated-name", document.property_span("aliases"), message, hint, related))


def repeated_value(pack: Pack, report: Report) -> None:
    """Report every value of an `x-unique` field already used by an earlier entity of the kind."""
    for kind in pack.game.kinds.values():
        for rule in (rule for rule in kind.rules.values() if rule.unique):
            first: dict[str, Entity] = {}
            for entity in pack.entities[kind.id]:
                value = entity.fields.get(rule.name)
                if value is None:
                    continue
                other = first.setdefault(normalize(str(value)), entity)
                if other is not entity:
                    message = f'"{entity.name}" and "{other.name}" have the same "{rule.name}": "{value}"'
                    related = (Related(other.span_of(rule.name), "the first one"),)
                    report(warning("repeated-value", entity.span_of(rule.name), message, "", related))

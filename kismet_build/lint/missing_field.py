"""`missing-field`: an entity lacks a field that nearly all other entities of its kind have."""

import re
from collections.abc import Sequence

from kismet_build.config.kind import Kind
from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.source import Span
from kismet_build.model.suggestion import close_word
from kismet_build.pack import Entity, Pack


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

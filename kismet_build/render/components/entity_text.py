"""An entity's text as sentences: its own words, then facts found only in its fields, worded by its kind's `x-text`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kismet_build.config.correction import Correction
from kismet_build.config.kind import FieldRule, Kind, constants
from kismet_build.config.language.catalog import Catalog
from kismet_build.config.sentence import NAME, Condition, Optional, Placeholder, Template
from kismet_build.model.book import Section
from kismet_build.model.nodes import plain_text, reading_text
from kismet_build.pack import ROW_METHODS, Entity, Pack, corrected_value
from kismet_build.render.components.field import EMPTY, constant_text, label, range_text, signed, unit_beside_label
from kismet_build.render.components.value_text import unit_suffix
from kismet_build.render.html.escape import with_minus
from kismet_build.render.html.excerpt import first_sentence

PART_NAME = re.compile(r"\w+(?![\w\]])")
"""The name of a field or part in a path such as `levels[2].cost`, ignoring positions in lists."""
SENTENCE_ENDS = (".", "!", "?", "…")


def entity_text(pack: Pack, entity: Entity, *, is_data: bool = False) -> str:
    """An entity's own words, then the facts that they lack; see `text_parts`."""
    return "\n".join(filter(None, text_parts(pack, entity, is_data=is_data)))


def text_parts(pack: Pack, entity: Entity, *, is_data: bool = False) -> tuple[str, str]:
    """An entity's own words, and the sentences with the facts that these words lack; either can be empty.

    `is_data`: whether the words are complete, with code, LaTeX and the entity's name at the start. Question boxes are
    not part of the own words. For an entity that is only a table row, the sentences of its kind, if any, replace its
    own words. An entity without words and sentences is described by its fields, each with its label.
    """
    kind = pack.game.kinds[entity.kind]
    body = pack.rules_body(entity)
    own_words = plain_text(*body) if is_data else reading_text(*body).removeprefix(f"{entity.name}\n")
    sentences = [*_sentences(pack, kind, entity)]
    if sentences and entity.is_table_row:
        own_words = ""
    methods = {match.method for match in kind.matches}
    if "phrase" in methods:
        # The sentence that contains the name does not show which of its facts belong to the name.
        missing = [sentence.words for sentence in sentences]
    else:
        is_cell = not methods.isdisjoint(ROW_METHODS)
        missing = [sentence.words for sentence in sentences if not sentence.is_in(own_words, is_cell=is_cell)]
    facts = " ".join(missing)
    return own_words, facts if own_words or facts else _all_fields(pack, kind, entity)


def summary(pack: Pack, entity: Entity) -> str:
    """The first sentence of an entity's text."""
    return first_sentence(entity_text(pack, entity))


def field_words(pack: Pack, entity: Entity, rule: FieldRule) -> str:
    """The wording of a field's value; empty if there is no value."""
    return _one_line(_Words(pack, entity, {}, [], has_units=True).value(rule, entity.fields.get(rule.name)))


def taken_text(pack: Pack, subject: Entity | Section, correction: Correction) -> str:
    """The words that a correction puts in place of the printed ones, or else the value of the corrected field."""
    value = corrected_value(subject, correction.field)
    if correction.taken or isinstance(subject, Section):
        return correction.taken or str(value)
    rules = rules_at(pack.game.kinds[subject.kind], correction.field)
    return _Words(pack, subject, {}, []).value(rules[-1], value) if rules else str(value)


def rules_at(kind: Kind, path: str) -> list[FieldRule]:
    """The rules of a field and its parts along a path such as `levels[2].cost`. Unknown names are skipped."""
    found: list[FieldRule] = []
    rules = kind.rules
    for name in PART_NAME.findall(path):
        if name in rules:
            found.append(rules[name])
            rules = rules[name].parts
    return found


class _Sentence(NamedTuple):
    """A sentence made from an entity's fields."""

    words: str
    facts: Sequence[str | None]
    """The wording of each value in the sentence; `None` for constants and names of one word, because a word such as
    `physical` is ambiguous."""

    def is_in(self, text: str, *, is_cell: bool) -> bool:
        """Whether a text contains all facts of the sentence. An empty text contains none.

        In a table cell, one-word facts do not count: the number or word may mean something else there.
        """
        facts = self.facts or (self.words.rstrip("".join(SENTENCE_ENDS)),)
        return bool(text) and all(
            fact is not None and (" " in fact or not is_cell) and _occurs(fact, text) for fact in facts
        )


def _sentences(pack: Pack, kind: Kind, entity: Entity) -> Iterator[_Sentence]:
    """The sentences of `x-text`, except those that need a field without a value."""
    for template in kind.sentences:
        facts: list[str | None] = []
        if words := _one_line(_Words(pack, entity, kind.rules, facts).fill(template, entity.fields)):
            yield _Sentence(words, facts)


def _all_fields(pack: Pack, kind: Kind, entity: Entity) -> str:
    """An entity's fields with labels, except any that repeat its name or kind; if none is left, its name and kind."""
    words = _Words(pack, entity, kind.rules, [], has_units=True)
    known = {_plain(entity.name), _plain(kind.title), _plain(kind.plural)}
    values = [
        f"{label(rule)}: {value}"
        for rule in kind.rules.values()
        if (value := words.value(rule, entity.fields.get(rule.name))) and _plain(value) not in known
    ]
    return _end("; ".join(values) or f"{entity.name}: {kind.title}")


class _Words(NamedTuple):
    """Expresses the values of an entity in words."""

    pack: Pack
    entity: Entity
    rules: Mapping[str, FieldRule]
    """The rules of the fields used in templates."""
    facts: list[str | None]
    has_units: bool = False
    """Whether a number has its unit. A template has a word for it."""

    def fill(self, template: Template, fields: Mapping[str, Any]) -> str:
        """A template filled with the values of these fields; empty if one that is not optional is missing."""
        text = ""
        before = len(self.facts)
        for part in template:
            match part:
                case Placeholder(path, is_signed):
                    rule, value = self._at(path, fields)
                    words = self.entity.name if rule is None else self.value(rule, value, is_signed=is_signed)
                    if not words:
                        del self.facts[before:]
                        return ""
                    text += words
                case Optional(condition, parts):
                    if condition is None or self._holds(condition, fields):
                        text += self.fill(parts, fields)
                case str():
                    text += part.removeprefix(".") if text.endswith(SENTENCE_ENDS) else part
        return text

    def value(self, rule: FieldRule, value: Any, *, is_signed: bool = False) -> str:
        """The wording of a value; empty for an empty value."""
        match value:
            case _ if value in EMPTY:
                return ""
            case [*items]:
                return _joined([self.value(rule, item, is_signed=is_signed) for item in items])
            case Mapping() if rule.sentence:
                return self._replace(rules=rule.parts, has_units=False).fill(rule.sentence, value)
            case Mapping() if rule.parts:
                parts = ((label(part), self.value(part, value.get(name))) for name, part in rule.parts.items())
                return ", ".join(f"{name} {words}" for name, words in parts if words)
            case {"min": low, "max": high, **others} if not others:
                words = range_text(low, high, self.pack.game.catalog) + self._unit(rule, high)
            case Mapping():
                parts = ((name, self.value(rule, part)) for name, part in value.items())
                return ", ".join(f"{name} {words}" for name, words in parts if words)
            case bool():
                catalog = self.pack.game.catalog
                words = catalog.text("value.yes") if value else catalog.text("value.no")
            case int() | float():
                words = _number(value, self.pack.game.catalog, is_signed=is_signed) + self._unit(rule, value)
            case str() if any(value in ids for ids in self.entity.references.values()):
                words = self.pack.by_id[value].name
                self.facts.append(words if " " in words else None)
                return words
            case str() if not rule.as_written and value in constants(rule.schema):
                self.facts.append(None)
                return constant_text(value)
            case _:
                words = str(value)
        self.facts.append(words)
        return words

    def _unit(self, rule: FieldRule, value: Any) -> str:
        return unit_suffix(value, unit_beside_label(rule), self.pack.game.catalog) if self.has_units else ""

    def _holds(self, condition: Condition, fields: Mapping[str, Any]) -> bool:
        rule, value = self._at(condition.path, fields)
        if condition.value is None:
            is_met = rule is None or (value is not False and value not in EMPTY)
        else:
            is_met = not isinstance(value, bool) and str(value) == condition.value
        return is_met is not condition.negated

    def _at(self, path: Sequence[str], fields: Mapping[str, Any]) -> tuple[FieldRule | None, Any]:
        """The rule and value at this path; the rule is `None` for the entity's name."""
        if tuple(path) == (NAME,) and fields is self.entity.fields:
            return None, self.entity.name
        value: Any = fields
        rules, rule = self.rules, None
        for name in path:
            rule = rules[name]
            rules, value = rule.parts, value.get(name) if isinstance(value, Mapping) else None
        return rule, value


def _number(value: float, catalog: Catalog, *, is_signed: bool) -> str:
    sign = "" if not is_signed or value < 0 else "+" if value else "±"
    return sign + signed(value, catalog)


def _joined(items: Sequence[str]) -> str:
    if any(item.endswith(SENTENCE_ENDS) for item in items):
        return " ".join(_end(item) for item in items if item)
    return ("; " if any("," in item for item in items) else ", ").join(filter(None, items))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _end(text: str) -> str:
    return _one_line(text if text.endswith(SENTENCE_ENDS) else f"{text}.")


def _occurs(fact: str, text: str) -> bool:
    return bool(re.search(rf"(?<![\w])(?<!\d[.,])(?<!\s-){re.escape(_plain(fact))}(?!\w|[.,]\d)", _plain(text)))


def _plain(text: str) -> str:
    return " ".join(re.sub("[–—−]", "-", text).casefold().split())


class ShownCorrection(NamedTuple):
    """A correction of an entity or section."""

    field: str
    """The labels from the outermost field to the corrected one, or `Name`, `Title` or `Text`."""
    printed: str
    taken: str
    reason: str


def shown_corrections(pack: Pack, subject: Entity | Section) -> Iterator[ShownCorrection]:
    """The corrections of an entity or section."""
    for correction in pack.corrections_of(subject):
        rules = () if isinstance(subject, Section) else rules_at(pack.game.kinds[subject.kind], correction.field)
        yield ShownCorrection(
            field=": ".join(map(label, rules)) or correction.field.capitalize(),
            printed=with_minus(correction.printed),
            taken=with_minus(taken_text(pack, subject, correction)),
            reason=with_minus(correction.reason),
        )

"""Show the values of fields to readers: ranges with a dash, ids as links, nothing as a dash, parts labelled."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from kismet_build.config.kind import FieldRule, Kind
from kismet_build.model.nodes import plain_text
from kismet_build.pack import Entity, Pack
from kismet_build.render.html.addresses import INDEX
from kismet_build.render.html.dice_buttons import words_with_dice
from kismet_build.render.html.escape import linked, quoted

NOTHING = Markup('<span class="nothing">—</span>')
LONG = 40
"""Characters from which on an item of a list gets a line of its own."""

NARROW = 4
"""Columns up to which a small table stays one on a phone; with more, its rows become cards there."""


@dataclass(frozen=True, slots=True)
class Column:
    """What the table of a kind has one column for: a field, or a part of one that is an object."""

    path: tuple[FieldRule, ...]

    @property
    def rule(self) -> FieldRule:
        """The rule of what is shown."""
        return self.path[-1]

    @property
    def group(self) -> str:
        """The label of the field that it is a part of; empty for a field."""
        return label(self.path[0]) if len(self.path) > 1 else ""

    @property
    def label(self) -> str:
        """What it is called below the label of its group."""
        return label(self.rule)

    def of(self, entity: Entity) -> Any:
        """The value in it."""
        value: Any = entity.fields
        for rule in self.path:
            value = value.get(rule.name) if isinstance(value, Mapping) else None
        return value


def label(rule: FieldRule) -> str:
    """What a field is called: its title in the schema, or its name."""
    words = str(rule.schema.get("title") or rule.name.replace("_", " "))
    return words[:1].upper() + words[1:]


def shown_fields(kind: Kind, entities: Sequence[Entity]) -> tuple[FieldRule, ...]:
    """The fields that tell something about these entities which their names do not."""
    return tuple(rule for rule in kind.rules.values() if rule.name not in ("id", "aliases") and _tells(rule, entities))


def _tells(rule: FieldRule, entities: Sequence[Entity]) -> bool:
    """Whether a field says more of an entity than its name and its text, which stand beside it."""
    for entity in entities:
        value = entity.fields.get(rule.name)
        if value is None or value in ([], entity.name):
            continue
        if value != " ".join(plain_text(*entity.body).split()):
            return True
    return False


def columns_of(rules: Sequence[FieldRule], entities: Sequence[Entity]) -> tuple[Column, ...]:
    """The columns of a table of these entities: an object of which every part is short has one for each part."""
    found: list[Column] = []
    for rule in rules:
        parts = [Column((rule, part)) for part in rule.parts.values()] if rule.parts and not rule.many else []
        if any(isinstance(part.of(entity), list) or part.rule.parts for part in parts for entity in entities):
            parts = []
        found += [part for part in parts if any(part.of(entity) is not None for entity in entities)] or [
            Column((rule,))
        ]
    return tuple(found)


def number_field(kind: Kind, entities: Sequence[Entity]) -> str:
    """The field that cards of this kind set large: the first that is a number or a range in all of them."""
    for name in kind.rules:
        if entities and all(_is_number(entity.fields.get(name)) for entity in entities):
            return name
    return ""


def field_html(pack: Pack, entity: Entity, rule: FieldRule, up: str) -> Markup:
    """The value of one field, whole; links start with `up`."""
    showing = _Showing(pack, entity.references.get(rule.name, ()), up)
    return showing.whole(rule, entity.fields.get(rule.name))


def column_html(pack: Pack, entity: Entity, column: Column, up: str) -> Markup:
    """The value in one column of the table of a kind: of a list of objects only how many there are."""
    value = column.of(entity)
    if column.rule.many and column.rule.parts:
        return escape(len(value)) if value else NOTHING
    showing = _Showing(pack, entity.references.get(column.path[0].name, ()), up)
    return showing.whole(column.rule, value)


class _Showing(NamedTuple):
    """What the parts of one field may link to."""

    pack: Pack
    ids: Collection[str]
    up: str

    def whole(self, rule: FieldRule, value: Any) -> Markup:
        """A value with all of its parts."""
        match value:
            case Mapping() if rule.parts:
                return self._labelled(rule, value)
            case [_, *_] if rule.parts:
                return self._table(rule, value)
            case _:
                return self._value(value, _constants(rule))

    def _labelled(self, rule: FieldRule, value: Mapping[str, Any]) -> Markup:
        """The parts of an object, each under its label; those that have no value are left out, if others have one."""
        parts = "".join(
            f"<div><dt>{quoted(label(part))}</dt><dd>{self.whole(part, value[name])}</dd></div>"
            for name, part in rule.parts.items()
            if value.get(name) not in (None, [], "")
        )
        return Markup(f'<dl class="parts">{parts}</dl>') if parts else NOTHING

    def _table(self, rule: FieldRule, value: Sequence[Mapping[str, Any]]) -> Markup:
        """A list of objects as a small table, without the columns that are empty in all of them."""
        shown = [part for name, part in rule.parts.items() if any(one.get(name) not in (None, [], "") for one in value)]
        figures = {part.name for part in shown if all(_is_figure(one.get(part.name)) for one in value)}
        right = [' class="right"' if part.name in figures else "" for part in shown]
        labels = [quoted(label(part)) for part in shown]
        heads = "".join(f'<th scope="col"{side}>{words}</th>' for side, words in zip(right, labels, strict=True))
        starts = [f'<td{side} data-label="{words}">' for side, words in zip(right, labels, strict=True)]
        rows = ""
        for one in value:
            cells = zip(starts, (self.whole(part, one.get(part.name)) for part in shown), strict=True)
            rows += f"<tr>{''.join(f'{start}{words}</td>' for start, words in cells)}</tr>"
        sort = "parts figures" if len(shown) <= NARROW else "parts long"
        head, body = f"<thead><tr>{heads}</tr></thead>", f"<tbody>{rows}</tbody>"
        return Markup(f'<div class="table"><table class="{sort}">{head}{body}</table></div>')

    def _value(self, value: Any, known: Collection[str]) -> Markup:
        match value:
            case None | [] | "":
                return NOTHING
            case bool():
                return Markup("yes" if value else "no")
            case str() if value in self.ids:
                return linked(f"{self.up}{value}/{INDEX}", self.pack.by_id[value].name)
            case str() if value in known:
                return escape(value.replace("-", " "))
            case {"min": low, "max": None}:
                return escape(f"{_signed(low)}+")
            case {"min": low, "max": high}:
                return escape(_signed(low) if low == high else _span(low, high))
            case Mapping():
                return Markup("; ".join(f"{quoted(name)} {self._value(one, known)}" for name, one in value.items()))
            case list():
                return self._items(value, known)
            case str() if "\n" in value:
                return _bullets(map(_words, value.split("\n")))
            case str():
                return _words(value)
            case int() | float():
                return escape(_signed(value))
            case _:
                return escape(value)

    def _items(self, value: Sequence[Any], known: Collection[str]) -> Markup:
        items = [self._value(item, known) for item in value]
        if any(len(str(item)) > LONG for item in value if str(item) not in self.ids):
            return _bullets(items)
        return Markup(", ".join(items))


@lru_cache(maxsize=1024)
def _constants(rule: FieldRule) -> frozenset[str]:
    return frozenset(constants(rule.schema))


@lru_cache(maxsize=4096)
def _words(value: str) -> Markup:
    # Things of a kind have many values in common, and each is shown on its page, in a table and where links point.
    return Markup(words_with_dice(value))


def _bullets(items: Iterable[Markup]) -> Markup:
    return Markup(f"<ul>{''.join(f'<li>{one}</li>' for one in items)}</ul>")


def _signed(number: float) -> str:
    """A number as a reader sees it, with a real minus sign."""
    return str(number).replace("-", "−")


def _span(low: float, high: float) -> str:
    """A range; with a word between numbers of which one has a sign, as two dashes are hard to read."""
    return f"{low}–{high}" if low >= 0 and high >= 0 else f"{_signed(low)} to {_signed(high)}"


def _is_number(value: Any) -> bool:
    match value:
        case bool():
            return False
        case {"min": int() | float(), "max": int() | float() | None}:
            return True
        case _:
            return isinstance(value, int | float)


def _is_figure(value: Any) -> bool:
    return value is None or _is_number(value)


def is_figure(column: Column, entities: Sequence[Entity]) -> bool:
    """Whether a column holds numbers, and nothing else but gaps."""
    values = [column.of(entity) for entity in entities]
    is_count = column.rule.many and bool(column.rule.parts)
    return is_count or (any(map(_is_number, values)) and all(map(_is_figure, values)))


def constants(schema: Any) -> Iterator[str]:
    """The words that a schema allows as they are: the kind's own terms, not the text's."""
    if isinstance(schema, Mapping):
        yield from (word for word in schema.get("enum", ()) if isinstance(word, str))
        if isinstance(schema.get("const"), str):
            yield schema["const"]
        for key in ("anyOf", "oneOf", "allOf"):
            for part in schema.get(key, ()):
                yield from constants(part)
        yield from constants(schema.get("items"))

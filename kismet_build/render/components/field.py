"""Field values as HTML: links for entity ids, ranges with a dash, lists or tables for objects, `—` for no value."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from kismet_build.config.kind import FieldRule, Kind, constants
from kismet_build.config.language.catalog import Catalog
from kismet_build.model.language import Language
from kismet_build.model.nodes import MODIFIER_KEYS, TARGETS, Block, Paragraph, plain_text
from kismet_build.model.text_cache import cached_texts
from kismet_build.model.text_normalization import slug
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.value_text import unit_suffix
from kismet_build.render.fragments.page_context import render_context
from kismet_build.render.fragments.renderer import RenderContext, paragraph_html, to_html
from kismet_build.render.html.addresses import INDEX
from kismet_build.render.html.dice_buttons import text_with_dice
from kismet_build.render.html.escape import link_html
from kismet_build.render.html.templates import macro

NOTHING = Markup('<span class="nothing">—</span>')
EMPTY: tuple[Any, ...] = (None, [], "")
"""Field values that are shown like missing ones."""
MAX_INLINE_ITEM_CHARACTERS = 40
"""If any item of a list, except a link, has more characters, each item is shown on its own line."""
MAX_SHOWN_ITEMS = 50
"""Number of list items shown in a card or cell. The entity's page has the others behind a fold; other places show how
many others there are."""

MAX_NARROW_COLUMNS = 4
"""On a phone, a table with more columns is shown as cards, one for each row."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column in a kind's table: a field, or a part of an object field."""

    path: tuple[FieldRule, ...]

    @property
    def rule(self) -> FieldRule:
        return self.path[-1]

    @property
    def group(self) -> str:
        """The label of the object field that contains the part; empty for a field."""
        return label(self.path[0]) if len(self.path) > 1 else ""

    @property
    def label(self) -> str:
        return label(self.rule)

    def value(self, entity: Entity) -> Any:
        """An entity's value in this column, or `None`."""
        value: Any = entity.fields
        for rule in self.path:
            value = value.get(rule.name) if isinstance(value, Mapping) else None
        return value


PRINTED_TEXT = " (text)"
"""The end of the title of a found field that keeps the printed text of a number; another field has the number."""


def label(rule: FieldRule) -> str:
    """The title of a field in the schema, or else its name; capitalised."""
    words = str(rule.schema.get("title") or rule.name.replace("_", " "))
    return words[:1].upper() + words[1:]


def unit_beside_label(rule: FieldRule) -> str:
    """The unit of a field's numbers; empty if it has none, or if its label names the unit."""
    unit = rule.unit
    return "" if unit.casefold() in label(rule).casefold() else unit


def is_printed_text(rule: FieldRule | None) -> bool:
    """Whether a field has the printed text of a number: `armour_text` is `15 (hide)` if `armour` is 15."""
    return rule is not None and label(rule).endswith(PRINTED_TEXT)


def shown_fields(kind: Kind, entities: Sequence[Entity]) -> tuple[FieldRule, ...]:
    """The fields to show for these entities.

    The fields `id` and `aliases` and internal fields are left out. So is a field that for every entity is empty or only
    repeats the entity's name, kind or entire text.
    """
    kind_names = frozenset(map(slug, (kind.id, kind.title, kind.plural)))

    @cache
    def whole_text(index: int) -> str:
        return " ".join(plain_text(*entities[index].body).split())

    return tuple(
        rule
        for rule in kind.rules.values()
        if rule.name not in ("id", "aliases")
        and not rule.is_internal
        and _is_informative(rule, entities, kind_names, whole_text)
    )


def _is_informative(
    rule: FieldRule, entities: Sequence[Entity], kind_names: Collection[str], whole_text: Callable[[int], str]
) -> bool:
    for index, entity in enumerate(entities):
        value = entity.fields.get(rule.name)
        if value is None or value in ([], entity.name):
            continue
        if isinstance(value, str) and slug(value) in kind_names:
            continue
        if value != whole_text(index):
            return True
    return False


def columns_of(rules: Sequence[FieldRule], entities: Sequence[Entity]) -> tuple[Column, ...]:
    """The columns of a table of these entities: one for each field, or for each filled part of a flat object."""
    columns: list[Column] = []
    for rule in rules:
        parts = [Column((rule, part)) for part in rule.parts.values()] if rule.parts and not rule.is_list else []
        if any(isinstance(part.value(entity), list) or part.rule.parts for part in parts for entity in entities):
            parts = []
        columns += [part for part in parts if any(part.value(entity) is not None for entity in entities)] or [
            Column((rule,))
        ]
    return tuple(columns)


def number_field(kind: Kind, entities: Sequence[Entity]) -> str:
    """The name of the field that cards show in large type: the first that is a number or range in all entities.

    An empty string if there is no such field.
    """
    for name in kind.rules:
        if entities and all(_is_number(entity.fields.get(name)) for entity in entities):
            return name
    return ""


def field_html(pack: Pack, entity: Entity, rule: FieldRule, root: str, *, folds: bool) -> Markup:
    """A field's value with all of its parts, as HTML; links start with `root`.

    `folds`: whether a long list shows its other items behind a fold, rather than only their number.
    """
    renderer = _renderer(pack, entity, rule, root, folds=folds)
    return renderer.render(rule, entity.fields.get(rule.name))


def column_html(pack: Pack, entity: Entity, column: Column, root: str) -> Markup:
    """The value in a column of a kind's table, as HTML. A list of objects is shown as their number.

    Links start with `root`.
    """
    value = column.value(entity)
    if has_objects(column.rule):
        return escape(len(value)) if value else NOTHING
    renderer = _renderer(pack, entity, column.path[0], root)
    return renderer.render(column.rule, value)


def has_objects(rule: FieldRule) -> bool:
    """Whether the value of a field is a list of objects."""
    items = rule.schema.get("items", {})
    return rule.is_list and (bool(rule.parts) or (isinstance(items, Mapping) and items.get("type") == "object"))


def is_empty(value: Any, entity: Entity) -> bool:
    """Whether a value has nothing to show in a card or table, or only repeats the entity's name."""
    return value in (*EMPTY, entity.name)


def _renderer(pack: Pack, entity: Entity, rule: FieldRule, root: str, *, folds: bool = False) -> "_ValueRenderer":
    texts = entity.field_texts.get(rule.name)
    shown = _shown_texts(texts, render_context(pack, "", end=INDEX, root=root)) if texts else {}
    return _ValueRenderer(
        pack, pack.game.catalog, entity.references.get(rule.name, ()), root, folds, shown, rule.name in MODIFIER_KEYS
    )


def _shown_texts(texts: Mapping[str, tuple[Block, ...]], context: RenderContext) -> Mapping[str, Markup]:
    return {
        words: Markup(
            paragraph_html(only, context)
            if len(blocks) == 1 and isinstance(only := blocks[0], Paragraph)
            else to_html(blocks, context)
        )
        for words, blocks in texts.items()
        if blocks
    }


class _ValueRenderer(NamedTuple):
    """Renders the value of one field of an entity."""

    pack: Pack
    words: Catalog
    ids: Collection[str]
    """Ids of the entities that the field refers to, which become links."""
    root: str
    folds: bool = False
    """Whether list items beyond `MAX_SHOWN_ITEMS` are shown behind a fold."""
    texts: Mapping[str, Markup] = MappingProxyType({})
    """The HTML of Markdown values, by value."""
    has_signs: bool = False
    """Whether numbers are modifiers, which are shown with a sign."""

    def render(self, rule: FieldRule, value: Any) -> Markup:
        match value:
            case Mapping() if rule.parts:
                return self._object(rule, value)
            case [_, *_] if rule.parts:
                return self._in_parts(value, lambda rows: self._table(rule, rows))
            case _:
                return self._value(value, rule)

    def _object(self, rule: FieldRule, value: Mapping[str, Any]) -> Markup:
        parts = [
            (label(part), self.render(part, value[name]))
            for name, part in rule.parts.items()
            if value.get(name) not in EMPTY
        ]
        return macro("field", "object", self.words)(parts) if parts else NOTHING

    def _table(self, rule: FieldRule, value: Sequence[Mapping[str, Any]]) -> Markup:
        shown = [part for name, part in rule.parts.items() if any(row.get(name) not in EMPTY for row in value)]
        numbers = {part.name for part in shown if all(_is_number_or_none(row.get(part.name)) for row in value)}
        columns = [(label(part), part.name in numbers) for part in shown]
        rows = [[self.render(part, row.get(part.name)) for part in shown] for row in value]
        return macro("field", "table", self.words)(columns, rows, len(shown) <= MAX_NARROW_COLUMNS)

    def _value(self, value: Any, rule: FieldRule) -> Markup:
        match value:
            case None | [] | "":
                return NOTHING
            case bool():
                return self.words.html("value.yes") if value else self.words.html("value.no")
            case str() if value in self.ids:
                return link_html(f"{self.root}{value}/{INDEX}", self.pack.by_id[value].name)
            case str() if self.texts and (words := " ".join(value.split())) in self.texts:
                return self.texts[words]
            case str() if value in _constants(rule):
                return escape(constant_text(value))
            case {"min": low, "max": high}:
                return self._with_unit(range_text(low, high, self.words), high, rule)
            case {"name": str() as name, **others}:
                text = others.pop("desc", None)
                rest = [self._value(part, rule) for part in (text, others) if part not in (*EMPTY, {})]
                return macro("field", "entry", self.words)(name, rest)
            case Mapping():
                parts = (f"{escape(name)} {self._value(part, rule)}" for name, part in value.items())
                return Markup("; ".join(parts))
            case list():
                return self._in_parts(value, lambda items: self._items(items, rule))
            case str() if "\n" in value:
                return _bullets(_text(line, self.pack.game.text_language) for line in value.split("\n"))
            case str():
                return _text(value, self.pack.game.text_language)
            case int() | float():
                plus = "+" if self.has_signs and value >= 0 and rule.name not in TARGETS else ""
                return self._with_unit(plus + signed(value, self.words), value, rule)
            case _:
                return escape(value)

    def _with_unit(self, shown: str, value: Any, rule: FieldRule) -> Markup:
        unit = unit_suffix(value, unit_beside_label(rule), self.words)
        return Markup('<span class="unit">{}{}</span>').format(shown, unit) if unit else escape(shown)

    def _in_parts(self, value: Sequence[Any], render: Callable[[Sequence[Any]], Markup]) -> Markup:
        shown, others = value[:MAX_SHOWN_ITEMS], value[MAX_SHOWN_ITEMS:]
        if not others:
            return render(shown)
        return render(shown) + macro("field", "more", self.words)(len(others), render(others) if self.folds else "")

    def _items(self, value: Sequence[Any], rule: FieldRule) -> Markup:
        items = [self._value(item, rule) for item in value]
        if any(len(str(item)) > MAX_INLINE_ITEM_CHARACTERS for item in value if str(item) not in self.ids):
            return _bullets(items)
        return Markup(", ".join(items))


@lru_cache(maxsize=128)
def _constants(rule: FieldRule) -> frozenset[str]:
    return frozenset() if rule.as_written else frozenset(constants(rule.schema))


def constant_text(constant: str) -> str:
    """A constant such as `same-track` as shown to readers, without hyphens."""
    return constant.replace("-", " ")


@cached_texts(4096)
def _text(value: str, language: Language) -> Markup:
    return Markup(text_with_dice(value, language=language))


def _bullets(items: Iterable[Markup]) -> Markup:
    return Markup(f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>")


def signed(number: float, words: Catalog) -> str:
    """A number with a typographic minus sign."""
    return words.number(str(number).replace("-", "−"))


def range_text(low: float, high: float | None, words: Catalog) -> str:
    """A range: `6`, `1–6`, `10+`, or `−1 to 6` where a dash next to a minus sign would be hard to read."""
    if high is None or low == high:
        return signed(low, words) + ("+" if high is None else "")
    if low >= 0 and high >= 0:
        return f"{signed(low, words)}–{signed(high, words)}"
    return words.text("value.range", low=signed(low, words), high=signed(high, words))


def _is_number(value: Any) -> bool:
    match value:
        case bool():
            return False
        case {"min": int() | float(), "max": int() | float() | None}:
            return True
        case _:
            return isinstance(value, int | float)


def _is_number_or_none(value: Any) -> bool:
    return value is None or _is_number(value)


def is_number_column(column: Column, entities: Sequence[Entity]) -> bool:
    """Whether a column shows only numbers or ranges, apart from empty cells."""
    values = [column.value(entity) for entity in entities]
    return has_objects(column.rule) or (any(map(_is_number, values)) and all(map(_is_number_or_none, values)))

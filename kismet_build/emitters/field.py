"""Show the values of fields to readers: ranges with a dash, ids as links, nothing as a dash."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from kismet_build.emitters.page import INDEX
from kismet_build.emitters.rolls import words_with_dice
from kismet_build.entity import Entity, Pack
from kismet_build.kind import FieldRule, Kind

NOTHING = Markup('<span class="nothing">—</span>')
LONG = 40
"""Characters from which on an item of a list gets a line of its own."""


def label(rule: FieldRule) -> str:
    """What a field is called: its title in the schema, or its name."""
    words = str(rule.schema.get("title") or rule.name.replace("_", " "))
    return words[:1].upper() + words[1:]


def shown_fields(kind: Kind, entities: Sequence[Entity]) -> tuple[FieldRule, ...]:
    """The fields that tell something about these entities which their names do not."""
    return tuple(
        rule
        for rule in kind.rules.values()
        if rule.name not in ("id", "aliases")
        and any(entity.fields.get(rule.name) not in (None, [], entity.name) for entity in entities)
    )


def number_field(kind: Kind, entities: Sequence[Entity]) -> str:
    """The field that cards of this kind set large: the first that is a number or a range in all of them."""
    for name in kind.rules:
        if entities and all(_is_number(entity.fields.get(name)) for entity in entities):
            return name
    return ""


def field_html(pack: Pack, entity: Entity, rule: FieldRule, up: str) -> Markup:
    """The value of one field; links start with `up`."""
    known = set(_constants(rule.schema))
    return _value(entity.fields.get(rule.name), pack, entity.references.get(rule.name, ()), known, up)


def _value(value: Any, pack: Pack, ids: Collection[str], known: Collection[str], up: str) -> Markup:
    match value:
        case None | [] | "":
            return NOTHING
        case bool():
            return Markup("yes" if value else "no")
        case str() if value in ids:
            return Markup('<a href="{}">{}</a>').format(f"{up}{value}/{INDEX}", pack.by_id[value].name)
        case str() if value in known:
            return escape(value.replace("-", " "))
        case {"min": low, "max": high}:
            return escape(low if low == high else f"{low}–{high}")
        case Mapping():
            parts = (Markup("{} {}").format(name, _value(v, pack, ids, known, up)) for name, v in value.items())
            return Markup("; ").join(parts)
        case list():
            items = [_value(item, pack, ids, known, up) for item in value]
            if any(len(str(item)) > LONG for item in value if str(item) not in ids):
                return Markup("<ul>{}</ul>").format(Markup("").join(Markup("<li>{}</li>").format(i) for i in items))
            return Markup(", ").join(items)
        case str():
            return Markup(words_with_dice(value))
        case _:
            return escape(value)


def _is_number(value: Any) -> bool:
    match value:
        case bool():
            return False
        case {"min": int() | float(), "max": int() | float()}:
            return True
        case _:
            return isinstance(value, int | float)


def is_figure(rule: FieldRule, entities: Sequence[Entity]) -> bool:
    """Whether a column holds numbers, and nothing else but gaps."""
    values = [entity.fields.get(rule.name) for entity in entities]
    return any(map(_is_number, values)) and all(value is None or _is_number(value) for value in values)


def _constants(schema: Any) -> Iterator[str]:
    """The words that a schema allows as they are: the kind's own terms, not the text's."""
    if isinstance(schema, Mapping):
        yield from (word for word in schema.get("enum", ()) if isinstance(word, str))
        if isinstance(schema.get("const"), str):
            yield schema["const"]
        for key in ("anyOf", "oneOf", "allOf"):
            for part in schema.get(key, ()):
                yield from _constants(part)
        yield from _constants(schema.get("items"))

"""Backlinks of an entity, grouped by the kind of their origin and by the type of reference."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from kismet_build.config.kind import FieldRule
from kismet_build.config.language.catalog import Catalog
from kismet_build.mechanics.calculator import Calculator
from kismet_build.model.book import Section
from kismet_build.model.text_normalization import key_label, normalize, slug
from kismet_build.pack import Entity, Mention, Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.components.field import label
from kismet_build.render.components.kind_table import filter_key
from kismet_build.render.fragments.page_context import anchor_address, chapter_address
from kismet_build.render.html.addresses import INDEX, PageLink, calculator_address, entity_href
from kismet_build.render.pages.calculators import calculators_in_order, shown_calculator

RELATION_KEYS = {
    **{"how": "relation.action", "when": "relation.times"},
    **{
        key.partition(".")[2]: key
        for key in (
            *("relation.action", "relation.against", "relation.allows", "relation.as", "relation.causes"),
            *("relation.changes", "relation.counts_as", "relation.except", "relation.immune", "relation.loses"),
            *("relation.multiplies", "relation.of", "relation.paid_in", "relation.sets", "relation.times"),
            *("relation.type", "relation.vulnerable"),
        )
    },
}
"""The catalog key of the label for backlinks from effects, by the key of the effect that names the entity."""
MAX_VISIBLE_LINKS = 10
"""Number of backlinks of an entity shown before lists are expanded. At least one is shown for each reason."""
PREPOSITIONS = frozenset(
    ("about", "against", "as", "at", "by", "for", "from", "in", "into", "of", "on", "than", "to", "with")
)
"""A label that ends in one of these words is followed by "this". Any other label is replaced by "Used by"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BacklinkReason:
    """All backlinks with the same reason, such as a field that refers to the entity."""

    label: str
    is_label_hidden: bool = False
    """Whether only screen readers get the label, because it adds nothing to the title of the group."""
    by_origin: dict[str, PageLink] = field(default_factory=dict)
    """Links by the id of the origin, in book order."""
    table: str = ""
    """Address of a table that shows exactly these origins, or an empty string."""
    max_visible: int = MAX_VISIBLE_LINKS

    @property
    def links(self) -> list[PageLink]:
        return list(self.by_origin.values())

    @property
    def visible(self) -> list[PageLink]:
        """The links that are always visible."""
        # A single further link takes no more space than the button that would show it.
        return self.links if len(self.by_origin) <= self.max_visible + 1 else self.links[: self.max_visible]

    @property
    def collapsed(self) -> list[PageLink]:
        """The links that are hidden until the list is expanded."""
        return self.links[len(self.visible) :]


@dataclass(frozen=True, slots=True)
class BacklinkGroup:
    """Backlinks from the entities of one kind, from sections, or from calculators."""

    title: str
    reasons: tuple[BacklinkReason, ...]
    are_sections: bool = False


def backlinks(pack: Pack, entity: Entity, root: str) -> tuple[BacklinkGroup, ...]:
    """The backlinks of an entity, without duplicate origins in a reason; links start with `root`."""
    by_kind: dict[str, dict[str, BacklinkReason]] = {}
    words = pack.game.catalog
    in_the_text = words.text("entity.in_the_text")
    mentions = pack.mentions_of.get(entity.id, ())
    for mention in sorted(mentions, key=lambda mention: _sort_key(pack, mention)):
        origin = pack.by_id.get(mention.origin)
        if origin is not None and origin.kind not in pack.internal_kinds:
            kind, link = origin.kind, PageLink(entity_href(pack, origin.id, root), origin.name)
        elif section := _section(pack, mention):
            kind, link = "", section_breadcrumbs(pack, section, root)[-1]
        else:
            continue
        is_in_text = not mention.field and not mention.effect and not mention.property
        if is_in_text and any(mention.origin in reason.by_origin for reason in by_kind.get(kind, {}).values()):
            continue  # The text that mentions the entity is also the source of the field.
        for reason_label, table in _reasons(pack, entity, origin, mention):
            reason = by_kind.setdefault(kind, {}).setdefault(
                reason_label,
                BacklinkReason(
                    label=reason_label, is_label_hidden=reason_label == in_the_text, table=table and root + table
                ),
            )
            reason.by_origin.setdefault(mention.origin, link)
    groups = [
        BacklinkGroup(
            pack.game.kinds[kind].plural if kind else words.text("title.sections"),
            tuple(by_kind[kind].values()),
            not kind,
        )
        for kind in (*pack.game.kinds, "")
        if kind in by_kind
    ]
    groups += _calculator_group(pack, entity, root)
    shares = iter(_shares([len(reason.by_origin) for group in groups for reason in group.reasons]))
    return tuple(
        replace(group, reasons=tuple(replace(reason, max_visible=next(shares)) for reason in group.reasons))
        for group in groups
    )


def _shares(numbers: Sequence[int]) -> list[int]:
    """The number of visible links for each reason.

    Each gets one, then the rest of `MAX_VISIBLE_LINKS` is dealt out in turn.
    """
    shares = [1] * len(numbers)
    position, left = 0, MAX_VISIBLE_LINKS - len(numbers)
    while left > 0 and shares != [*numbers]:
        if shares[position] < numbers[position]:
            shares[position] += 1
            left -= 1
        position = (position + 1) % len(numbers)
    return shares


@cached_in_pack
def book_order(pack: Pack) -> Mapping[str, int]:
    """The position of each document in the book, by path.

    Documents with the same citation name share the last position.
    """
    last = {chapter.citation_name: position for position, chapter in enumerate(pack.book.chapters)}
    return {chapter.source.path: last[chapter.citation_name] for chapter in pack.book.chapters}


def _section(pack: Pack, mention: Mention) -> Section | None:
    prefix = f"{pack.game.id}/section/"
    if not mention.origin.startswith(prefix):
        return None
    return pack.book.section(mention.span.source.path, mention.origin.removeprefix(prefix))


def section_breadcrumbs(pack: Pack, section: Section, root: str) -> list[PageLink]:
    """Links to the chapter of a section, the headings above it, and the section itself; links start with `root`."""
    chapter = section.anchor.chapter
    links = [PageLink(f"{root}{chapter_address(pack, chapter)}{INDEX}", chapter.title)]
    links.extend(
        PageLink(root + anchor_address(pack, anchor, INDEX), anchor.shown_title)
        for anchor in section.headings
        if normalize(anchor.title) != normalize(chapter.title)
    )
    return links


def _sort_key(pack: Pack, mention: Mention) -> tuple[bool, bool, bool, int, int]:
    """A sort key that puts fields first, then effects, properties and text, each group in book order."""
    origin = pack.by_id.get(mention.origin)
    section = origin.section if origin else _section(pack, mention)
    start = origin.span.start if origin else section.anchor.span.start if section else 0
    position = book_order(pack).get(section.anchor.chapter.source.path, 0) if section else 0
    return (not mention.field, not mention.effect, not mention.property, position, start)


def _reasons(pack: Pack, target: Entity, origin: Entity | None, mention: Mention) -> Iterator[tuple[str, str]]:
    """The labels of a mention, each with the address of a table.

    The table lists the entities that refer to the target in the same field; without such a table, the address is empty.
    """
    words = pack.game.catalog
    if origin is not None and mention.effect:
        key = mention.effect
        if key in RELATION_KEYS:
            yield words.text(RELATION_KEYS[key]), ""
        else:
            title = pack.game.definition.effect_words.titles.get(key, key.replace("_", " "))
            yield words.text("entity.this", field=title), ""
    elif mention.property:
        name = slug(mention.property).replace("-", "_")
        rule = None if origin is None else pack.kind(origin).rules.get(name)
        title = key_label(mention.property) if rule is None else label(rule)
        yield words.text("entity.as_property", property=_inside_sentence(title, words)), ""
    elif origin is None or not mention.field:
        yield words.text("entity.in_the_text"), ""
    else:
        rule = pack.kind(origin).rules[mention.field]
        table = f"{pack.game.id}/{origin.kind}/{INDEX}?{urlencode({filter_key(rule.name): target.name})}"
        for field_label in dict.fromkeys(_field_labels(rule, origin.fields.get(rule.name), target.id, words)):
            yield _reason(field_label, words), "" if rule.parts else table


def _inside_sentence(title: str, words: Catalog) -> str:
    """A label after other words. In English, it starts with a small letter unless it is all in capitals."""
    return title if title.isupper() or words.language != "en" else title[:1].lower() + title[1:]


def _reason(field_label: str, words: Catalog) -> str:
    # Only English labels can end in a preposition.
    has_preposition = words.language == "en" and field_label.rpartition(" ")[2].casefold() in PREPOSITIONS
    return words.text("entity.this", field=field_label) if has_preposition else words.text("entity.used_by")


def _field_labels(rule: FieldRule, value: Any, target: str, words: Catalog) -> Iterator[str]:
    """The label of a field if its value is the target, or of each part whose value is the target: `Levels, cost`."""
    if isinstance(value, list):
        for item in value:
            yield from _field_labels(rule, item, target, words)
    elif isinstance(value, Mapping) and rule.parts:
        for name, part in rule.parts.items():
            for part_label in _field_labels(part, value.get(name), target, words):
                is_acronym = not part_label[1:2].islower()
                yield f"{label(rule)}, {part_label if is_acronym else _inside_sentence(part_label, words)}"
    elif value == target:
        yield label(rule)


def _calculator_group(pack: Pack, entity: Entity, root: str) -> Iterator[BacklinkGroup]:
    """The calculators that offer the entity as an option, except the one shown beside its text."""
    option = BacklinkReason(label=pack.game.catalog.text("entity.also_used_by"))
    shown = shown_calculator(pack, entity)
    for calculator in _calculators_by_kind(pack).get(entity.kind, ()):
        if calculator is not shown:
            address = f"{root}{calculator_address(calculator)}{INDEX}"
            option.by_origin[calculator.id] = PageLink(address, calculator.title)
    if option.by_origin:
        yield BacklinkGroup(pack.game.catalog.text("title.calculators"), (option,))


@cached_in_pack
def _calculators_by_kind(pack: Pack) -> Mapping[str, tuple[Calculator, ...]]:
    calculators = calculators_in_order(pack)
    return {
        kind: tuple(
            calculator for calculator in calculators if any(kind in input_.kinds for input_ in calculator.inputs)
        )
        for kind in pack.game.kinds
    }

"""What refers to an entity: by the kind of what refers, then by the reason, as lists of ways there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from kismet_build.config.data_file import shipped_schema
from kismet_build.config.kind import FieldRule
from kismet_build.mechanics.calculator import Calculator
from kismet_build.model.book import Section
from kismet_build.model.source import Source
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Mention, Pack, section_id
from kismet_build.render.components.field import label
from kismet_build.render.components.kind_table import key_of
from kismet_build.render.html.addresses import INDEX, Signpost, fragment
from kismet_build.render.html.page_context import chapter_address
from kismet_build.render.pages.calculators import in_order, sheet_address

FOLD = 12
"""How many of a long list are shown before it is opened."""
JOINING = frozenset(
    ("about", "against", "as", "at", "by", "for", "from", "in", "into", "of", "on", "than", "to", "with")
)
"""Words that a label may end in so that what it names can follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """All that refers in one way."""

    label: str
    places: dict[str, Signpost] = field(default_factory=dict)
    """By the ids of what refers, in the order of the book."""
    table: str = ""
    """The address of a table that shows just these; empty where there is none."""

    @property
    def shown(self) -> list[Signpost]:
        """Those that stand in the open."""
        places = list(self.places.values())
        # One more costs no more room than the word that there is one.
        return places if len(places) <= FOLD + 1 else places[:FOLD]

    @property
    def folded(self) -> list[Signpost]:
        """The rest of a long list."""
        return list(self.places.values())[len(self.shown) :]


@dataclass(frozen=True, slots=True)
class Group:
    """All of one kind that refers."""

    title: str
    reasons: tuple[Reason, ...]
    are_sections: bool = False


def references(pack: Pack, entity: Entity, up: str, order: Mapping[str, int]) -> tuple[Group, ...]:
    """Everything that refers to an entity, each origin once for every reason; links start with `up`.

    `order` is that of the book, as `book_order` has it.
    """
    found: dict[str, dict[str, Reason]] = {}
    for mention in sorted(pack.mentions_of.get(entity.id, ()), key=lambda one: _place(pack, one, order)):
        origin = pack.by_id.get(mention.origin)
        if origin is not None:
            kind, signpost = origin.kind, Signpost(f"{up}{origin.id}/{INDEX}", origin.name)
        elif section := _section(pack, mention):
            kind, signpost = "", trail(pack, section, up)[-1]
        else:
            continue
        by_text = not mention.field and not mention.effect
        if by_text and any(mention.origin in reason.places for reason in found.get(kind, {}).values()):
            continue  # which the text said that a field was taken from
        for words, table in _reasons(pack, entity, origin, mention):
            reason = found.setdefault(kind, {}).setdefault(words, Reason(label=words, table=table and up + table))
            reason.places.setdefault(mention.origin, signpost)
    groups = [
        Group(pack.game.kinds[kind].plural if kind else "Sections", tuple(found[kind].values()), not kind)
        for kind in (*pack.game.kinds, "")
        if kind in found
    ]
    return (*groups, *_calculators(pack, entity, up))


@lru_cache(maxsize=2)
def book_order(pack: Pack) -> Mapping[str, int]:
    """Where in the book each text stands, by its path; those of one key stand at the place of the last of them."""
    last = {chapter.key: place for place, chapter in enumerate(pack.book.chapters)}
    return {chapter.source.path: last[chapter.key] for chapter in pack.book.chapters}


def _section(pack: Pack, mention: Mention) -> Section | None:
    """The section that refers; it stands in the text that the mention is in."""
    source, known = mention.span.source, _sections(pack)
    if source not in known:
        known[source] = {section_id(pack.game, one): one for one in pack.book.sections.get(source, ())}
    return known[source].get(mention.origin)


@lru_cache(maxsize=2)
def _sections(_pack: Pack) -> dict[Source, Mapping[str, Section]]:
    """The sections of texts, by their ids, as far as they were asked for: of a single page those of a few."""
    return {}


def trail(pack: Pack, section: Section, up: str) -> list[Signpost]:
    """The chapter and the headings that a section stands below, and its own."""
    chapter = section.anchor.chapter
    address = f"{up}{chapter_address(pack, section.anchor)}{INDEX}"
    found = [Signpost(address, chapter.title)]
    found.extend(
        Signpost(address + fragment(anchor.id), anchor.title)
        for anchor in section.headings
        if normalize(anchor.title) != normalize(chapter.title)
    )
    return found


def _place(pack: Pack, mention: Mention, order: Mapping[str, int]) -> tuple[bool, bool, int, int]:
    """Fields before effects before the text, and each in the order of the book."""
    origin = pack.by_id.get(mention.origin)
    section = origin.section if origin else _section(pack, mention)
    start = origin.span.start if origin else section.anchor.span.start if section else 0
    place = order.get(section.anchor.chapter.source.path, 0) if section else 0
    return (not mention.field, not mention.effect, place, start)


def _reasons(pack: Pack, target: Entity, origin: Entity | None, mention: Mention) -> Iterator[tuple[str, str]]:
    """Why something refers, so that "this" may stand for what it refers to, and the address of all that do so."""
    if origin is not None and mention.effect:
        title = shipped_schema("effects")["$defs"]["effect"]["properties"][mention.effect].get("title", mention.effect)
        yield f"{title} this", ""
    elif origin is None or not mention.field:
        yield "In the text", ""
    else:
        rule = pack.kind(origin).rules[mention.field]
        table = f"{pack.game.id}/{origin.kind}/{INDEX}?{urlencode({key_of(rule.name): target.name})}"
        for words in dict.fromkeys(_labels(rule, origin.fields.get(rule.name), target.id)):
            joined = words.rpartition(" ")[2].casefold() in JOINING
            yield f"{words} this" if joined else f"{words}: this", "" if rule.parts else table


def _labels(rule: FieldRule, value: Any, target: str) -> Iterator[str]:
    """What the parts of a field are called that name an entity: `Levels, cost`, or the field itself."""
    if isinstance(value, list):
        for one in value:
            yield from _labels(rule, one, target)
    elif isinstance(value, Mapping) and rule.parts:
        for name, part in rule.parts.items():
            for words in _labels(part, value.get(name), target):
                lowered = words[:1].lower() if words[1:2].islower() else words[:1]
                yield f"{label(rule)}, {lowered}{words[1:]}"
    elif value == target:
        yield label(rule)


def _calculators(pack: Pack, entity: Entity, up: str) -> Iterator[Group]:
    """The calculators in which an entity can be chosen, and those that come from its text or its section."""
    choosing = Reason(label="Can be chosen in")
    own = Reason(label="Worked out from this")
    near = Reason(label="From the same section")
    for calculator in _choosing(pack).get(entity.kind, ()):
        choosing.places[calculator.id] = _way(pack, calculator, up)
    for calculator in _citing(pack).get(entity.section, ()):
        cited = pack.cited[calculator.citation.span].span
        inside = entity.span.start <= cited.start and cited.end <= entity.span.end
        (own if inside else near).places[calculator.id] = _way(pack, calculator, up)
    reasons = tuple(reason for reason in (own, choosing, near) if reason.places)
    if reasons:
        yield Group("Calculators", reasons)


@lru_cache(maxsize=2)
def _choosing(pack: Pack) -> Mapping[str, tuple[Calculator, ...]]:
    """For each kind the calculators that pick from it."""
    calculators = in_order(pack)
    return {
        kind: tuple(one for one in calculators if any(kind in given.kinds for given in one.inputs))
        for kind in pack.game.kinds
    }


@lru_cache(maxsize=2)
def _citing(pack: Pack) -> Mapping[Section, list[Calculator]]:
    """For each section the calculators that cite a passage of it."""
    found: dict[Section, list[Calculator]] = {}
    for calculator in in_order(pack):
        if cited := pack.cited.get(calculator.citation.span):
            found.setdefault(cited.section, []).append(calculator)
    return found


def _way(pack: Pack, calculator: Calculator, up: str) -> Signpost:
    if calculator.sheet:
        return Signpost(f"{up}{sheet_address(calculator)}{INDEX}", calculator.title)
    return Signpost(f"{up}{pack.game.id}/calculators/{INDEX}#{calculator.slug}", calculator.title)

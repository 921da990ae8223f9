"""Write the effects of an entity as sentences, in the order of the book. Equal effects are merged."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from markupsafe import Markup, escape

from kismet_build.config.effect import GIVEN
from kismet_build.config.language.catalog import Catalog
from kismet_build.mechanics.calculator import Citation
from kismet_build.model.book import Section
from kismet_build.model.language.inflection import is_plural
from kismet_build.model.source import Span
from kismet_build.pack import CitedPassage, Entity, Pack
from kismet_build.pack.cached import cached_in_pack
from kismet_build.render.components.citation_link import cited_sentence
from kismet_build.render.components.effect_badge import EffectBadge, effect_badges, on_own_rolls, without_all

LISTS = {
    "loses": "effect.loses_its",
    "immune": "effect.is_immune",
    "vulnerable": "effect.is_vulnerable",
    "causes": "effect.becomes",
    "counts_as": "effect.counts",
    "allows": "effect.has_access",
}
"""Catalog keys of the phrases for operations with lists of values."""
SUBJECTS = {"own": "effect.it_does", "attacker": "effect.attacker_does", "opponent": "effect.opponent_does"}
OWNERS = {"own": "effect.of_it", "attacker": "effect.of_attacker", "opponent": "effect.of_opponent"}
"""Catalog keys of the subject and of the owner in a sentence, by whom an effect concerns (`whose`)."""
VALUES = ("changes", "sets", "multiplies")
"""Operations that change a statistic."""
ENDS, UNSAID = "ends", "unsaid"
ENDINGS = (".", "!", "?", "…")
"""Punctuation marks after which no full stop is added."""


class EffectSentence(NamedTuple):
    """A sentence about one or more effects of an entity."""

    html: Markup
    tone: str
    """For the colour: the common tone of the effects; empty if they differ."""
    citation: Citation
    """The citation of the first effect. The citations of the others are in the same section."""


class EffectChip(NamedTuple):
    """One or more effects in a few words, as plain text."""

    text: str
    head: str
    """What rolls get, as in the filters of tables; empty for other effects."""
    condition: str
    """Against whom and in which situations the effects apply, and exceptions; can be empty."""
    tone: str
    sign: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clause:
    """A clause for one effect, or for several that were merged."""

    operation: str
    whose: str
    head: Markup
    """What rolls get; empty for other operations."""
    items: tuple[Markup, ...]
    """The rolls, or the values of a list; for any other operation, a single item with its wording."""
    against: tuple[Markup, ...] = ()
    limits: tuple[Markup, ...] = ()
    states: tuple[Markup, ...] = ()
    """The situations; the effect applies in any of them."""
    restrictions: tuple[Markup, ...] = ()
    """What follows the situations in the sentence, each with its punctuation mark."""
    tone: str
    sign: str = ""
    citation: Citation
    section: Section | None
    is_condition: bool = False
    """Whether the ending is worded as a condition: `when …`."""

    @property
    def is_roll(self) -> bool:
        return bool(self.head)

    @property
    def is_about_value(self) -> bool:
        """Whether the subject of the clause is a statistic."""
        return self.operation in VALUES

    @property
    def is_simple(self) -> bool:
        """Whether the clause can share a sentence with another one that has the same subject."""
        is_limited = self.against or self.limits or self.states or self.restrictions
        return not (self.is_roll or is_limited or self.operation in (ENDS, UNSAID))


def effect_sentences(pack: Pack, entity: Entity, root: str) -> tuple[EffectSentence, ...]:
    """The effects of an entity as sentences; links start with `root`.

    An effect that the data leaves open is quoted if it comes from another text. An `unsaid` effect from the entity's
    own text is left out.
    """
    clauses = _clauses(pack, entity, root)
    states = [(clause.states, clause.section) for clause in clauses]
    groups: dict[object, list[_Clause]] = {}
    key: object = None
    for number, clause in enumerate(clauses):
        before = clauses[number - 1] if number else clause
        if clause.operation == ENDS:
            key = (ENDS, clause.section)
        elif clause.states and states.count((clause.states, clause.section)) > 1:
            key = (clause.states, clause.section)
        elif not (key is not None and clause.is_simple and before.is_simple and _same_subject(before, clause)):
            key = number
        groups.setdefault(key, []).append(clause)
    return tuple(_sentence(pack.game.catalog, group) for group in groups.values())


def effect_chips(pack: Pack, entity: Entity, root: str) -> tuple[EffectChip, ...]:
    """The effects of an entity as short labels, except those that end it or that are only quoted (`unsaid`)."""
    words = pack.game.catalog
    return tuple(
        EffectChip(
            text=_capital(_words(words, clause, short=True)).striptags(),
            head=clause.head.striptags(),
            condition=_with_limits(words, replace(clause, limits=()), Markup()).striptags().lstrip(", "),
            tone=clause.tone,
            sign=clause.sign,
        )
        for clause in _clauses(pack, entity, root)
        if clause.operation not in (ENDS, UNSAID)
    )


# --- clauses


def _clauses(pack: Pack, entity: Entity, root: str) -> list[_Clause]:
    """The effects of an entity in the order of the book, with equal ones merged.

    Effects from the entity's own text come first, and those that end the entity come last.
    """
    found = [*filter(None, (_clause(pack, entity, badge) for badge in _in_order_of_book(pack, entity, root)))]
    lists: dict[tuple[object, ...], _Clause] = {}
    for number, clause in enumerate(found):
        shared = (clause.operation, clause.whose, clause.head, clause.section)
        limits = (clause.against, clause.limits, clause.states, clause.restrictions)
        is_list = clause.is_roll or clause.operation in LISTS
        key: tuple[object, ...] = (*shared, limits, () if is_list else clause.items)
        if clause.operation == ENDS:
            key = (number,)
        if (same := lists.get(key)) is not None:
            clause = replace(same, items=tuple(dict.fromkeys((*same.items, *clause.items))))
        lists[key] = clause
    merged: dict[tuple[object, ...], _Clause] = {}
    for clause in lists.values():
        shared = (clause.operation, clause.whose, clause.head, clause.section)
        key = (*shared, clause.items, clause.against, clause.limits, clause.restrictions, bool(clause.states))
        if (same := merged.get(key)) is not None:
            clause = replace(same, states=tuple(dict.fromkeys((*same.states, *clause.states))))
        merged[key] = clause
    return sorted(merged.values(), key=lambda clause: clause.operation == ENDS)


def _in_order_of_book(pack: Pack, entity: Entity, root: str) -> list[EffectBadge]:
    badges = _with_sums(effect_badges(pack, entity, root))
    documents = _document_numbers(pack)
    places: list[tuple[bool, int, int]] = []
    for badge in badges:
        cited = pack.cited.get(badge.citation.span)
        if cited is None:  # the cited text has changed
            places.append(places[-1] if places else (False, 0, 0))
        else:
            span = cited.span
            places.append((not _is_within(span, entity.span), documents.get(span.source.path, 0), span.start))
    return [badges[number] for number in sorted(range(len(badges)), key=lambda number: places[number])]


def _with_sums(badges: Iterable[EffectBadge]) -> list[EffectBadge]:
    """The effects, with numeric changes of the same statistic under the same conditions added up."""
    found: dict[object, EffectBadge] = {}
    for number, badge in enumerate(badges):
        key: object = number
        if isinstance(by := badge.payload["by"], int | float) and badge.operation == "changes":
            key = repr({**badge.payload, "by": None})
            if isinstance(key, str) and (same := found.get(key)) is not None:
                badge = replace(same, payload={**same.payload, "by": same.payload["by"] + by})
        found[key] = badge
    return [*found.values()]


def _is_within(span: Span, outer: Span) -> bool:
    return span.source == outer.source and outer.start <= span.start and span.end <= outer.end


@cached_in_pack
def _document_numbers(pack: Pack) -> Mapping[str, int]:
    return {path: number for number, path in enumerate(pack.book.outlines)}


def _clause(pack: Pack, entity: Entity, badge: EffectBadge) -> _Clause | None:
    """The clause of one effect; `None` for an `unsaid` effect from the entity's own text."""
    words, payload, html = pack.game.catalog, badge.payload, badge.html
    cited = pack.cited.get(badge.citation.span)
    is_elsewhere = cited is not None and not _is_within(cited.span, entity.span)
    head = Markup()
    items: tuple[Markup, ...]
    if badge.operation == UNSAID and cited is not None and not is_elsewhere:
        return None
    if cited is not None and is_elsewhere and _is_left_open(badge):
        return _quotation(words, badge, cited)
    if badge.operation == UNSAID:
        items = (html[UNSAID],)
    elif badge.roll_gets:
        kind = f" ({html['type']})" if payload["type"] else ""
        head = badge.roll_gets + Markup(kind)
        items = (html["roll"] + Markup(" ({})").format(html["of"]) if payload["of"] else html["roll"],)
    elif badge.operation in LISTS:
        items = badge.items
    else:
        items = (_end(words, badge) if badge.operation == ENDS else _change(words, badge),)
    return _Clause(
        operation=badge.operation,
        whose=payload["whose"],
        head=head,
        items=items,
        against=(words.html("effect.against", what=html["against"]),) if payload["against"] else (),
        limits=tuple(_limits(words, badge)),
        states=(html["when"],) if payload["when"] else (),
        restrictions=tuple(_restrictions(words, badge)),
        tone=badge.tone,
        sign=badge.sign,
        citation=badge.citation,
        section=None if cited is None else cited.section,
        is_condition=badge.operation == ENDS and _ends_on_condition(badge),
    )


def _is_left_open(badge: EffectBadge) -> bool:
    """Whether the data leaves open what the effect does, or by how much."""
    value = badge.payload[
        "by" if badge.operation == "changes" else "to" if badge.operation == "sets" else badge.operation
    ]
    return badge.operation == UNSAID or value == GIVEN


def _quotation(words: Catalog, badge: EffectBadge, cited: CitedPassage) -> _Clause:
    return _Clause(
        operation=UNSAID,
        whose="own",
        head=Markup(),
        items=(words.html("effect.quoted", quote=cited_sentence(cited)),),
        tone=badge.tone,
        citation=badge.citation,
        section=cited.section,
    )


def _change(words: Catalog, badge: EffectBadge) -> Markup:
    """A clause about what happens to a statistic; for `moves` and `kills`, a predicate without its subject."""
    payload, html = badge.payload, badge.html
    match badge.operation:
        case "moves":
            unit = html["unit" if payload["moves"] == 1 else "units"] if payload["unit"] else ""
            distance = Markup("{} {}").format(html["moves"], unit) if unit else html["moves"]
            return words.html("effect.is_moved", distance=distance)
        case "kills":
            return words.html("effect.dies")
    (title,) = badge.items
    what = words.html(OWNERS[payload["whose"]], what=title)
    number = 2 if is_plural(title.striptags()) else 1
    match badge.operation:
        case "sets" if payload["to"] == GIVEN:
            return words.html("effect.changes_value", what=what, n=number)
        case "sets":
            return words.html("effect.has_value", what=what, value=html["to"], n=number)
        case "multiplies" if payload["by"] == 0.5:
            return words.html("effect.is_halved", what=what, n=number)
        case "multiplies":
            return words.html("effect.is_multiplied", what=what, factor=html["by"], n=number)
    by = payload["by"]
    named = Markup(", ").join(html[key] for key in ("as", "type") if payload[key])
    after = Markup(" ({})").format(named) if named else Markup()
    if by == GIVEN and not payload["times"]:
        return words.html("effect.changes_value", what=what, n=number) + after
    size = abs(by) if isinstance(by, int | float) else None
    amount = html["by"] if size is None else escape(words.number(f"{size:g}"))
    if payload["times"]:
        times = words.html(OWNERS[payload["times_whose"] or "own"], what=html["times"])
        if size == 0.5:
            amount = words.html("effect.half_of", what=times)
        else:
            amount = times if size == 1 else Markup("{} × {}").format(amount, times)
    falls = size is not None and by < 0
    return words.html("effect.falls" if falls else "effect.rises", what=what, amount=amount, n=number) + after


def _end(words: Catalog, badge: EffectBadge) -> Markup:
    """What ends the entity, as a phrase: `with …`, `after …`."""
    payload, html = badge.payload, badge.html
    how = html["how"] if payload["how"] else Markup()
    parts: list[Markup] = []
    if payload["lasts"]:
        parts.append(words.html("effect.after" if "amount" in payload["lasts"] else "effect.at", time=html["lasts"]))
    elif payload["action"]:
        parts.append(words.html("effect.with_action", action=html["action"]))
    elif _ends_on_condition(badge):
        return words.html("effect.when", state=how)
    elif not payload["roll"]:
        parts.append(words.html("effect.with", what=html[ENDS]))
    if payload["roll"]:
        notes = Markup("; ").join(html[key] for key in ("of", "dl", "how") if payload[key] is not None)
        roll = html["roll"] + (Markup(" ({})").format(notes) if notes else "")
        parts.append(words.html("effect.with", what=roll))
    elif how:
        parts[-1] = Markup("{} ({})").format(parts[-1], how)
    return _join(words, "effect.and", parts)


def _ends_on_condition(badge: EffectBadge) -> bool:
    """Whether only `how` says what ends the entity."""
    payload = badge.payload
    has_other = payload["lasts"] or payload["action"] or payload["roll"]
    return bool(payload["how"]) and not has_other and payload[ENDS] in ("time", "removal")


def _limits(words: Catalog, badge: EffectBadge) -> Iterator[Markup]:
    payload, html = badge.payload, badge.html
    if payload["at"]:
        yield html["at"]
    if payload["lasts"] and badge.operation != ENDS:
        yield words.html("effect.for" if "amount" in payload["lasts"] else "effect.until", time=html["lasts"])
    if payload["within"]:
        yield words.html("effect.within", what=html["within"])
    if payload["cost"]:
        cost = Markup("{} {}").format(html["cost"], html["paid_in"]) if payload["paid_in"] else html["cost"]
        yield words.html("effect.costs", cost=cost)
    if payload["per"]:
        yield words.html("effect.once_per", time=html["per"])


def _restrictions(words: Catalog, badge: EffectBadge) -> Iterator[Markup]:
    payload, html = badge.payload, badge.html
    if payload["except"]:
        yield Markup(", ") + words.html("effect.except", what=html["except"])
    if payload["adds"]:
        yield Markup(", ") + words.html("effect.adds")
    if payload["despite_immunity"]:
        yield Markup(", ") + words.html("effect.despite_immunity")


# --- sentences


def _same_subject(one: _Clause, other: _Clause) -> bool:
    is_same = one.whose == other.whose and one.is_about_value == other.is_about_value
    return is_same and one.section == other.section


def _sentence(words: Catalog, clauses: list[_Clause]) -> EffectSentence:
    first, *others = clauses
    if first.operation == ENDS:
        ways = _join(words, "effect.or", (_with_limits(words, clause, clause.items[0]) for clause in clauses))
        html = words.html("effect.ends_if" if first.is_condition else "effect.ends_with", what=ways)
    elif first.operation == UNSAID:
        html = first.items[0]
    elif first.states and others:
        shared = [replace(clause, states=()) for clause in clauses]
        state = _capital(_states(words, first.states)[0])
        html = Markup("{}: {}").format(state, Markup("; ").join(_joined(words, shared)))
    else:
        html = Markup("; ").join(_joined(words, clauses))
    tones = {clause.tone for clause in clauses}
    html = _capital(html)
    if not html.striptags().rstrip("”“»’)").endswith(ENDINGS):
        html += "."
    return EffectSentence(html, tones.pop() if len(tones) == 1 else "", first.citation)


def _joined(words: Catalog, clauses: list[_Clause]) -> Iterator[Markup]:
    pending: list[_Clause] = []
    for clause in clauses:
        if pending and not (clause.is_simple and pending[-1].is_simple and _same_subject(pending[-1], clause)):
            yield _subject(words, pending)
            pending = []
        pending.append(clause)
    yield _subject(words, pending)


def _subject(words: Catalog, clauses: list[_Clause]) -> Markup:
    parts = [_with_limits(words, clause, _words(words, clause)) for clause in clauses]
    if clauses[0].is_roll:
        return parts[0]
    if clauses[0].is_about_value:
        return _join(words, "effect.and", parts)
    return words.html(SUBJECTS[clauses[0].whose], does=_join(words, "effect.and", parts))


def _words(words: Catalog, clause: _Clause, *, short: bool = False) -> Markup:
    """A clause without its subject. `short`: keep the subject if it is somebody other than the entity."""
    items = _join(words, "effect.and", clause.items)
    if clause.is_roll:
        if clause.whose == "attacker":
            rolls = words.html("effect.rolls_against", roll=items)
        elif clause.whose == "opponent":
            rolls = words.html("effect.rolls_of_opponent", roll=items)
        else:
            rolls = on_own_rolls(words, items)
        return Markup("{} {}" if short else "<b>{}</b> {}").format(clause.head, rolls)
    does = items
    if clause.operation == "loses" and (rest := without_all(words, items)) is not None:
        does = words.html("effect.loses_all", what=rest)
    elif clause.operation in LISTS:
        does = words.html(LISTS[clause.operation], what=items)
    needs_subject = short and clause.whose != "own" and not clause.is_about_value
    return words.html(SUBJECTS[clause.whose], does=does) if needs_subject else does


def _with_limits(words: Catalog, clause: _Clause, html: Markup) -> Markup:
    html = Markup(" ").join((html, *clause.against))
    if clause.limits:
        html = Markup("{} {}").format(html, Markup(", ").join(clause.limits))
    for state in _states(words, clause.states):
        is_long = len(clause.limits) > 1
        html = Markup("{}, {}").format(html, state) if is_long else words.html("effect.if", what=html, state=state)
    return html + Markup("").join(clause.restrictions)


def _states(words: Catalog, states: tuple[Markup, ...]) -> tuple[Markup, ...]:
    """The situations joined into one condition; empty if there are none."""
    return (_join(words, "effect.or", (words.html("effect.when", state=state) for state in states)),) if states else ()


def _join(words: Catalog, key: str, parts: Iterable[Markup]) -> Markup:
    *others, last = parts
    return words.html(key, first=Markup(", ").join(others), second=last) if others else last


def _capital(html: Markup) -> Markup:
    """A sentence with a capital letter, unless it starts with a link, which keeps the spelling of its name."""
    start = len("<b>") if html.startswith("<b>") else 0
    return html[:start] + html[start : start + 1].upper() + html[start + 1 :]

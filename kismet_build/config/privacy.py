"""Which texts their properties keep private: one table, and the only code that reads it.

A text is private if kismet does not understand its properties: docs/decisions/0021-private-texts.md. The manual has the
table in words, in content/docs/reference/private-notes.md.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from fnmatch import fnmatch
from itertools import chain
from math import inf
from posixpath import basename
from typing import Any, NamedTuple

from kismet_build.config.answers import YES_WORDS, Answer, alone, answer, folded, word_of
from kismet_build.config.moments import moment
from kismet_build.config.unread_properties import heads_of, unread_properties
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source


class Row(Enum):
    """A row of the table, with the names of its properties."""

    PUBLISH = ("publish", "dg-publish")
    DRAFT = ("draft",)
    PUBLIC = ("published", "public", "share")
    PRIVATE = ("private", "hidden", "unpublished", "unpublish", "no-publish", "secret", "gm-only", "dm-only")
    STATE = ("status", "visibility", "access")


ROWS: Mapping[str, Row] = {name: row for row in Row for name in row.value}
OF_THEMES = frozenset(("hidden", "status", "visibility"))
"""Properties of the table that the themes of site generators read: they decide about badges and menus."""
DRAWING = "excalidraw-plugin"
"""The property of a drawing, whose text is data for the plugin Excalidraw."""
DRAWING_SUFFIX = ".excalidraw.md"
MARKED_ATTRIBUTE = re.compile(rf"^:!?(?:page-)?(?:{'|'.join((*ROWS, DRAWING))})!?:", re.MULTILINE | re.IGNORECASE)
DATED_NAME = re.compile(r"(?:\d{4}|\d\d)-\d\d?-\d\d?(?!\d)")
YEARS = 10_000
"""Numbers below this one are years, unless a site reads them as seconds."""

MEASURE = re.compile(r"[^\w\s]*\d|\d*[dw]\d|.*(?:\[\[|\]\(|://)", re.DOTALL)
"""A number with or without a unit, dice or a link: the draft of a ship."""

SIGNS = re.compile(r"^\W+|\W+$")
"""Signs around a word, such as brackets, a full stop or an emoji."""
HIDING_STATES = frozenset(("draft", "private", "unpublished"))
SECRET_WORDS = HIDING_STATES.union(
    ("dm", "dm only", "gm", "gm only", "hidden", "in progress", "internal", "restricted", "secret", "spoiler"),
    ("todo", "unlisted", "wip", "work in progress"),
)
"""Values that look as if they kept a text private."""

BY_PROPERTIES = "by properties"
BY_DRAWING = "drawn in Excalidraw"
BY_SETTINGS = "by settings"
UNCERTAIN = "because "
"""The start of the reasons that name what was not understood. The others name a rule that the author set."""
WITHOUT = "without "
"""The start of the reason that names a property that a text lacks."""
BY_UNREADABLE_PROPERTIES = f"{UNCERTAIN}properties that cannot be read name a mark"
BY_REFUSED_INCLUDE = f"{UNCERTAIN}a file that the header includes cannot be shown"
"""Reasons why texts are private, as phrases for the summary of a build."""


class PublicationRules(NamedTuple):
    """What a vault or a site generator adds to the table."""

    fields: frozenset[str] = frozenset()
    """Properties that the author made fields. They hide nothing, but for a clear `draft` or `publish`."""
    ignored: frozenset[str] = frozenset()
    """Properties of the table that mean something else to the site generator."""
    casts_numbers: bool = False
    """Whether every number but 0 makes a draft, and a number as a time is in seconds since 1970, as in Hugo."""
    needed: tuple[str, ...] = ()
    """Properties that a published text must have, with a yes, such as `dg-publish`."""
    needs_true: tuple[str, ...] = ()
    """Properties that a published text must have, in exactly this spelling and with exactly `true`."""
    only: Mapping[str, Any] = {}
    """Properties that a published text must have."""
    empty_is_no: tuple[str, ...] = ()
    """Properties without which a text is published, but that must not be empty, such as `published` in Jekyll."""
    published_with: Mapping[str, frozenset[str]] = {}
    """Properties of the generator, each with the values that do not keep a text private. An empty one never does.

    `build.render` is the key `render` below `build`.
    """
    not_before: tuple[str, ...] = ()
    """Properties with a time before which a text is private, such as `publishDate`. The first one of a text counts."""
    not_after: tuple[str, ...] = ()
    """Properties with a time after which a text is private, such as `expiryDate`."""
    dated: str = ""
    """Regular expression for the start of the paths of texts whose times count; empty for all texts."""
    has_dated_names: bool = False
    """Whether the name of a text may begin with a date, which counts if it has none of `not_before`."""
    needs_properties: tuple[str, ...] = ()
    """Patterns in lower case for the names of texts that are published only if they have properties."""
    has_one_home: bool = False
    """Whether a README is not published in a folder that has an index."""
    has_bundles: bool = False
    """Whether the other texts in a folder with an `index` have no pages: only templates of the site show them."""

    @property
    def names(self) -> tuple[str, ...]:
        """The properties that these rules read, besides those of the table."""
        return (*self.needed, *self.needs_true, *self.published_with, *self.not_before, *self.not_after)


class Verdict(NamedTuple):
    """Whether a text is published."""

    reason: str = ""
    """Why it is private, as a phrase; empty if it is published from `start` to `end`."""
    start: float = -inf
    end: float = inf
    """The times between which it is published, in seconds since 1970."""
    lookalikes: tuple[str, ...] = ()
    """Properties that look as if they kept the text private, but do not."""

    def at(self, now: float) -> "Verdict":
        """The verdict at a time."""
        return self if self.reason or self.start <= now < self.end else self._replace(reason=BY_PROPERTIES)

    def next_change(self, now: float) -> float:
        """When the text appears or vanishes, after a time."""
        return min((time for time in (self.start, self.end) if time > now and not self.reason), default=inf)


PUBLISHED = Verdict()
PRIVATE = Verdict(BY_PROPERTIES)


def name_of(name: object) -> str:
    """The form of a property's name in which names are compared: `draft` for `Is_Draft?`."""
    form = re.sub(r"[_\s]", "-", folded(str(name))).strip("-.?!")
    bare = form.removeprefix("is").removeprefix("-")
    return bare if bare in ROWS else form


# --- the table


def _of_row(name: str, value: Any, rules: PublicationRules, is_attribute: bool) -> Verdict:
    """What one property of the table says. `is_attribute`: whether it is an attribute, which is set without a value."""
    said = answer(value)
    if is_attribute and said is Answer.EMPTY:
        said = Answer.YES
    match ROWS[name]:
        case Row.PUBLISH:
            if said in (Answer.YES, Answer.EMPTY):
                return PUBLISHED
            return PRIVATE if said is Answer.NO else _from(value) or _uncertain(name, value, said)
        case Row.DRAFT:
            return _draft(name, value, said, rules)
        case _ if name in rules.fields:
            return PUBLISHED
        case Row.PUBLIC:
            found = _clear(name, value, said, Answer.NO, Answer.NEARLY_NO)
        case Row.PRIVATE:
            found = _clear(name, value, said, Answer.YES, Answer.NEARLY_YES)
        case Row.STATE:
            words = value if isinstance(value, list) else [value]
            found = PRIVATE if any(SIGNS.sub("", word_of(word)) in HIDING_STATES for word in words) else PUBLISHED
    if found.reason and name not in rules.ignored:
        return found
    return _lookalike(name, value) if found.reason or word_of(alone(value)) in SECRET_WORDS else PUBLISHED


def _clear(name: str, value: Any, said: Answer, hides: Answer, nearly: Answer) -> Verdict:
    return PRIVATE if said is hides else _uncertain(name, value, said) if said is nearly else PUBLISHED


def _draft(name: str, value: Any, said: Answer, rules: PublicationRules) -> Verdict:
    word = word_of(alone(value))
    if said in (Answer.NO, Answer.EMPTY):
        return PUBLISHED
    if said is Answer.YES and word != "1":
        return PRIVATE
    if name in rules.fields:
        return PUBLISHED
    if isinstance(alone(value), list | Mapping) or said in (Answer.NEARLY_YES, Answer.NEARLY_NO):
        return _uncertain(name, value, said)
    if word == "1" or (rules.casts_numbers and MEASURE.match(word)):
        return PRIVATE
    if MEASURE.match(word):
        return PUBLISHED
    is_phrase = " " in word and word.partition(" ")[0] not in YES_WORDS
    return _lookalike(name, value) if is_phrase else _uncertain(name, value, said)


def _uncertain(name: str, value: Any, said: Answer) -> Verdict:
    """A value that is not understood is quoted only if it is nearly a yes or no: others may be secret."""
    nearly = said in (Answer.NEARLY_YES, Answer.NEARLY_NO) and " " not in word_of(alone(value))
    mark = f"`{name}: {word_of(alone(value))}`" if nearly else f"a value of `{name}`"
    return Verdict(f"{UNCERTAIN}{mark} is neither yes nor no")


def _lookalike(name: str, value: Any) -> Verdict:
    return Verdict(lookalikes=(f"{name}: {word_of(alone(value))}",))


def _from(value: Any) -> Verdict | None:
    """The verdict on a time of publication; `None` if the value is not a time."""
    time = moment(alone(value))
    return Verdict(start=time.latest) if time else None


class Place(NamedTuple):
    """Where a text is in a folder that has rules of its own, such as the site of a generator."""

    path: str
    """The path of the text in that folder."""
    rules: PublicationRules
    given: Mapping[str, Any] = {}
    """The properties that the text inherits there."""
    of_folders: Verdict = PUBLISHED
    """The verdict on the texts about the folders around it, whose drafts hide everything in the folder."""


def privacy_of(
    document: Document,
    places: Sequence[Place],
    excluded: Collection[str],
    only: Iterable[Mapping[str, Any]],
) -> Verdict:
    """Whether a document is published. It is private if any of its places says so.

    `excluded`: paths that settings make private. `only`: properties required for publication.
    """
    if document.source.path in excluded:
        return Verdict(BY_SETTINGS)
    return joined(_at_place(document, place, [*only]) for place in places)


def _at_place(document: Document, place: Place, only: Sequence[Mapping[str, Any]]) -> Verdict:
    properties = {**without_own(place.given, document), **document.metadata}
    name = basename(place.path).casefold()
    needs_properties = any(fnmatch(name, pattern) for pattern in place.rules.needs_properties)
    if needs_properties and not document.source.text.startswith("---"):
        return Verdict(BY_SETTINGS)
    conditions = [item for condition in (*only, place.rules.only) for item in condition.items()]
    if not all(_has(properties, required, wanted) for required, wanted in conditions):
        return PRIVATE
    return joined((place.of_folders, _of_document(document, place.path, properties, place.rules)))


def are_private(properties: Mapping[str, Any], rules: PublicationRules) -> bool:
    """Whether a file that is not a text, with these properties, may be private."""
    return joined(_of_properties(properties.items(), rules)) != PUBLISHED


def verdict_on_folder(document: Document, path: str, rules: PublicationRules, passed_down: str) -> Verdict:
    """The verdict on a text about a folder, at this path, as far as it holds for everything in the folder.

    `passed_down`: the property that other texts inherit, and which they can overrule.
    """
    own = {name: value for name, value in document.metadata.items() if name.casefold() != passed_down}
    # A text without a page of its own hides nothing else.
    return _of_document(document, path, own, rules._replace(published_with={}))


def is_marked_file(text: str, rules: PublicationRules) -> bool:
    """Whether the start of a file that is no text, such as a web page, has properties that keep it private."""
    document = Document(source=Source("", text), dialect="", blocks=())
    return bool(joined(_of_unread(document, rules)).reason)


def without_own(given: Mapping[str, Any], document: Document) -> dict[str, Any]:
    """The given properties that a document does not have itself."""
    own = {name.casefold() for name in document.metadata}
    return {name: value for name, value in given.items() if name.casefold() not in own}


def _has(properties: Mapping[str, Any], name: str, wanted: object) -> bool:
    values = [value for key, value in properties.items() if key.casefold() == name.casefold()]
    return any(
        word_of(item) == word_of(wanted) for value in values for item in (value if isinstance(value, list) else [value])
    )


def _of_document(document: Document, path: str, properties: Mapping[str, Any], rules: PublicationRules) -> Verdict:
    """What these properties of a document say, and those that no parser read."""
    source = document.source
    if rules.dated and not re.match(rules.dated, path):
        rules = rules._replace(not_before=(), not_after=(), has_dated_names=False)
    is_attribute = document.dialect == "asciidoc"
    found = [*_of_properties(properties.items(), rules, is_attribute), *_of_unread(document, rules)]
    if is_attribute:
        found += _of_properties(attribute_entries(source.text), rules, is_attribute)
    if path.casefold().endswith(DRAWING_SUFFIX):
        found.append(Verdict(BY_DRAWING))
    has_date = any(answer(properties.get(name)) is not Answer.EMPTY for name in rules.not_before)
    if rules.has_dated_names and not has_date and (dated := DATED_NAME.match(basename(path))) is not None:
        found.append(_from(dated[0]) or Verdict(f"{UNCERTAIN}a date cannot be read"))
    said = {name_of(name): answer(value) for name, value in properties.items()}
    found += (Verdict(f"{WITHOUT}{name}") for name in rules.needed if said.get(name) is not Answer.YES)
    found += (
        Verdict(f"{WITHOUT}{name}: true") for name in rules.needs_true if properties.get(name) not in (True, "true")
    )
    if source.is_incomplete:
        found.append(Verdict(BY_REFUSED_INCLUDE))
    return joined(found)


def _of_unread(document: Document, rules: PublicationRules) -> Iterator[Verdict]:
    """What properties say that no parser read, and those of which it read only one of several."""
    read = set(_names_in(document.metadata))
    for head in heads_of(document.source.text):
        at_top = [*unread_properties(head.text, at_top=True)]
        names = {name_of(name) for name, _ in at_top}
        if not head.is_marked:
            # They may be the first words of a text, so only a clear answer to a property of the table counts.
            table = PublicationRules(fields=rules.fields, ignored=rules.ignored, casts_numbers=rules.casts_numbers)
            said = _of_properties(at_top, table)
            yield PRIVATE if any(one.reason and not one.reason.startswith(UNCERTAIN) for one in said) else PUBLISHED
        elif (
            document.has_invalid_metadata
            or document.has_repeated_metadata
            or len(names) < len(at_top)
            or not read.issuperset(names)
        ):
            found = joined(_of_properties(unread_properties(head.text, at_top=False), rules))
            yield found._replace(reason=found.reason and BY_UNREADABLE_PROPERTIES)


def _names_in(value: Any) -> Iterator[str]:
    """The names of all properties, including those inside others."""
    if isinstance(value, Mapping):
        yield from map(name_of, value)
    for item in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from _names_in(item)


def joined(found: Iterable[Verdict]) -> Verdict:
    """What several readings of a text say together: it is private if one of them says so.

    Of the reasons, one that the author set comes first.
    """
    found = tuple(found)
    start, end = max((one.start for one in found), default=-inf), min((one.end for one in found), default=inf)
    reasons = [one.reason for one in found if one.reason]
    if reasons:
        return Verdict(min(reasons, key=lambda reason: reason.startswith(UNCERTAIN)))
    return Verdict("", start, end, tuple(dict.fromkeys(look for one in found for look in one.lookalikes)))


def _of_properties(
    properties: Iterable[tuple[str, Any]], rules: PublicationRules, is_attribute: bool = False
) -> Iterator[Verdict]:
    by_name: dict[str, list[Any]] = {}
    for name, value in properties:
        # Programs that make sites of AsciiDoc read `page-published` as a property of the page.
        own = name_of(name).removeprefix("page-") if is_attribute else name_of(name)
        by_name.setdefault(own, []).append(value)
    for name, values in by_name.items():
        for value in values:
            if name in ROWS:
                yield _of_row(name, value, rules, is_attribute)
            if name == DRAWING and answer(value) is not Answer.EMPTY:
                yield Verdict(BY_DRAWING)
            if isinstance(value, list | Mapping) and _is_marked(value):
                yield PRIVATE
    for name in rules.empty_is_no:
        if any(answer(value) is Answer.EMPTY for value in by_name.get(name, ())):
            yield PRIVATE
    for name, words in rules.published_with.items():
        for value in _values_at(by_name, name):
            if answer(value) is not Answer.EMPTY and word_of(alone(value)) not in words:
                yield PRIVATE
    yield from _of_times(by_name, rules)


def _of_times(by_name: Mapping[str, Iterable[Any]], rules: PublicationRules) -> Iterator[Verdict]:
    def times(name: str) -> list[Any]:
        written = [value for value in by_name.get(name_of(name), ()) if answer(value) is not Answer.EMPTY]
        written = [value.get("created", value) if isinstance(value, Mapping) else value for value in written]
        # `published: yes` has no time.
        return [value for value in written if isinstance(value, int) or answer(value) is not Answer.YES]

    def is_long_ago(value: Any) -> bool:
        return rules.casts_numbers and isinstance(value, int) and value < YEARS

    for value in next(filter(None, map(times, rules.not_before)), []):
        if not is_long_ago(value):
            yield _from(value) or Verdict(f"{UNCERTAIN}a date cannot be read")
    for value in chain.from_iterable(map(times, rules.not_after)):
        time = moment(alone(value))
        if is_long_ago(value):
            yield PRIVATE
        else:
            yield Verdict(end=time.earliest) if time else Verdict(f"{UNCERTAIN}a date cannot be read")


def _values_at(by_name: Mapping[str, Iterable[Any]], name: str) -> Iterator[Any]:
    """The values of a property; for `build.render`, those below `build`, and any that is no map itself."""
    name, _, inner = name_of(name).partition(".")
    for value in by_name.get(name, ()):
        if not inner or not isinstance(value, Mapping):
            yield value
        else:
            yield from (item for key, item in value.items() if name_of(key) == inner)


def _is_marked(value: Any) -> bool:
    """Whether a clear value of the first two rows is anywhere inside a value."""
    if isinstance(value, list):
        return any(map(_is_marked, value))
    if not isinstance(value, Mapping):
        return False
    return any(
        _is_marked(item)
        or (ROWS.get(name_of(name)) is Row.PUBLISH and answer(item) is Answer.NO)
        or (ROWS.get(name_of(name)) is Row.DRAFT and answer(item) is Answer.YES and word_of(alone(item)) != "1")
        for name, item in value.items()
    )


VERBATIM = re.compile(r"(-{4,}|\.{4,}|/{4,}|\+{4,}|`{3,})[^\S\n]*\w*")
ATTRIBUTE = re.compile(r":(?P<not>!?)(?P<name>[\w][\w-]*)(?P<unset>!?):(?:[ \t]+(?P<value>.*))?")


def attribute_entries(text: str) -> Iterator[tuple[str, str]]:
    """All attributes that lines of a text in AsciiDoc set, outside of verbatim blocks. One that is unset is a no."""
    if MARKED_ATTRIBUTE.search(text) is None:
        return
    fence = ""
    for line in text.split("\n"):
        line = line.rstrip()
        if fence:
            fence = "" if line == fence else fence
        elif (opening := VERBATIM.fullmatch(line)) is not None:
            fence = opening[1]
        elif (entry := ATTRIBUTE.fullmatch(line)) is not None:
            value = (entry["value"] or "").removesuffix("@")
            yield entry["name"], "false" if entry["not"] or entry["unset"] else value

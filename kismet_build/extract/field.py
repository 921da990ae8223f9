"""The fields of one entity: fetched, turned into values, part by part where a field is made of parts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kismet_build.config.kind import FieldRule, Way
from kismet_build.extract.field_sources import Words, fetch, parts
from kismet_build.extract.match_result import Found
from kismet_build.extract.value import NOTHING, Unreadable, empty, value
from kismet_build.model.diagnostic import Report, error
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize

ABSENT = object()
"""The value of a part that may be missing, and is."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Fetches the fields of an entity, and keeps where each of them stands."""

    title: str
    """Of the kind, for messages."""
    report: Report
    spans: dict[str, Span] = field(default_factory=dict)
    """By path: `xp`, `levels[2].xp`."""

    def of(self, rule: FieldRule, found: Found) -> Any:
        """The value of a field of the entity itself."""
        given = self._of(rule, found, rule.name)
        return None if given is ABSENT else given

    def _of(self, rule: FieldRule, found: Found, path: str) -> Any:
        if not rule.parts:
            return self._value(rule, fetch(rule.ways, found), found, path)
        if rule.many:
            return self._list(rule, found, path)
        if not rule.ways:
            return self._object(rule, found, path)
        places = parts(rule.ways, found)
        given = self._object(rule, places[0], path) if places else None
        return self._missing(rule, found, path) if given is None else given

    def _list(self, rule: FieldRule, found: Found, path: str) -> Any:
        places = parts(rule.ways, found)
        for place in places[:1]:
            self.spans[path] = place.place
        records = [self._record(rule, place, f"{path}[{number}]") for number, place in enumerate(places)]
        return records or self._missing(rule, found, path)

    def _object(self, rule: FieldRule, found: Found, path: str) -> Any:
        """An object with its parts, or nothing where nothing is found for any of them and nothing may be there."""
        may_be_empty, nothing = empty(rule)
        if may_be_empty and all(_blank(fetch(part.ways, found)) for part in rule.every() if part is not rule):
            return nothing
        record = self._record(rule, found, path)
        inside = [span for name, span in self.spans.items() if name.startswith(f"{path}.")]
        if found.words is not None or inside:
            self.spans[path] = found.place if found.words is not None else inside[0]
        return record

    def _record(self, rule: FieldRule, found: Found, path: str) -> Mapping[str, Any]:
        given = ((name, self._of(part, found, f"{path}.{name}")) for name, part in rule.parts.items())
        return {name: one for name, one in given if one is not ABSENT}

    def _value(self, rule: FieldRule, words: tuple[Words, ...], found: Found, path: str) -> Any:
        if words:
            self.spans[path] = _around(words)
        if _blank(words):
            return self._missing(rule, found, path)
        try:
            return value(rule, tuple(one.value for one in words))
        except Unreadable as wanted:
            message = f'"{path}" is "{wanted.printed[:60]}", which is not {wanted}'
            self.report(error("unreadable-field", self.spans[path], message))
            return empty(rule)[1]

    def _missing(self, rule: FieldRule, found: Found, path: str) -> Any:
        may_be_empty, nothing = empty(rule)
        if not may_be_empty and rule.required:
            hint = f"it is looked for by: {', '.join(map(_shown, rule.ways)) or 'nothing'}"
            self.report(error("empty-field", found.place, f'this {self.title} has no "{path}"', hint))
        elif not may_be_empty:
            return ABSENT
        return nothing


def _blank(words: tuple[Words, ...]) -> bool:
    """Whether nothing was found, or only what is printed for nothing."""
    return all(isinstance(one.value, str) and normalize(one.value) in NOTHING for one in words)


def _around(words: tuple[Words, ...]) -> Span:
    """From the first find to the last, where they follow each other."""
    first, last = words[0].span, words[-1].span
    if first.source is last.source and first.start <= last.end:
        return first.source.span(first.start, max(first.end, last.end))
    return first


def _shown(way: Way) -> str:
    argument = f":{way.argument}" if way.argument else ""
    return way.how + argument + (f" ~ {way.pattern.pattern}" if way.pattern else "")

"""Extract the fields of an entity: fetch the text of each field and part of a field, and parse it into a value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kismet_build.config.correction import Correction
from kismet_build.config.kind import FIELD_HINT, FieldRule, FieldSource
from kismet_build.extract.field_sources import FetchedValue, fetch, fetch_parts, nested_value
from kismet_build.extract.match_result import MatchResult
from kismet_build.extract.property_texts import SHOWN_AS_WORDS, property_words, texts_in
from kismet_build.extract.value import (
    NO_VALUE_TEXTS,
    UnreadableValue,
    as_found,
    empty_value,
    has_ambiguous_comma,
    is_numeric,
    is_of_type,
    parse_value,
    split_names,
    unit_hint,
)
from kismet_build.model.diagnostic import Report, Severity, error, warning
from kismet_build.model.language import Language
from kismet_build.model.nodes import Block, walk
from kismet_build.model.source import Span
from kismet_build.model.suggestion import close_word
from kismet_build.model.text_normalization import normalize

ABSENT = object()
"""Stands for an optional part that is missing. The part is left out of its object."""


@dataclass(frozen=True, slots=True)
class FieldExtractor:
    """Extracts the fields of one entity and records their spans."""

    title: str
    """The title of the kind, for messages."""
    report: Report
    language: Language
    is_lenient: bool = False
    """Whether an unreadable value is kept as written, with a warning."""
    spans: dict[str, Span] = field(default_factory=dict)
    """The spans of fields and their parts, by path: `xp`, `levels[2].xp`."""
    texts: dict[str, dict[str, tuple[Block, ...]]] = field(default_factory=dict)
    """The texts of fields with Markdown, as in `Entity.field_texts`."""
    corrections: list[Correction] = field(default_factory=list)
    """The corrections of printed values, as in `Entity.corrections`."""
    unparsed: set[str] = field(default_factory=set)
    """The paths of unreadable values that are kept as written, as in `Entity.unparsed`."""

    def keep_printed(self, rule: FieldRule, fetched: Sequence[FetchedValue], path: str) -> None:
        """Record the printed words that the kind replaces because they are wrong."""
        for item in fetched:
            if item.mends and normalize(item.printed) != normalize(str(item.value)):
                self.corrections.append(Correction(path, item.printed, str(item.value), item.mends, item.span))
            for name in split_names(rule, str(item.value)) if rule.mends else ():
                if name in rule.mends:
                    self.corrections.append(Correction(path, name, rule.rename[name], rule.mends[name], item.span))

    def extract(self, rule: FieldRule, result: MatchResult) -> Any:
        """The value of a field of the entity; `None` if it is absent."""
        extracted = self._extract_field(rule, result, rule.name)
        return None if extracted is ABSENT else extracted

    def _extract_field(self, rule: FieldRule, result: MatchResult, path: str) -> Any:
        if not rule.parts:
            return self._value(rule, fetch(rule.sources, result), result, path)
        if rule.is_list:
            return self._list(rule, result, path)
        if not rule.sources:
            return self._object(rule, result, path)
        part_results = fetch_parts(rule.sources, result)
        extracted = self._object(rule, part_results[0], path) if part_results else None
        return self._missing(rule, result, path) if extracted is None else extracted

    def _list(self, rule: FieldRule, result: MatchResult, path: str) -> Any:
        part_results = fetch_parts(rule.sources, result)
        for first in part_results[:1]:
            self.spans[path] = first.error_span
        records = [self._record(rule, part, f"{path}[{index}]") for index, part in enumerate(part_results)]
        if not records and _is_empty_list(rule, result):
            self.spans[path] = result.data_span or result.title_span
            return []
        return records or self._missing(rule, result, path)

    def _object(self, rule: FieldRule, result: MatchResult, path: str) -> Any:
        """An object with its parts.

        If no part is found and the field may be empty, it is empty. A lenient kind keeps a value that is not a map.
        """
        may_be_empty, empty = empty_value(rule)
        if may_be_empty and all(_is_blank(fetch(part.sources, result)) for part in rule.with_parts() if part != rule):
            return empty if not self.is_lenient else self._unparsed_map(rule, result, path) or empty
        record = self._record(rule, result, path)
        part_spans = [span for name, span in self.spans.items() if name.startswith(f"{path}.")]
        if result.fetched_text is not None or part_spans:
            self.spans[path] = result.error_span if result.fetched_text is not None else part_spans[0]
        return record

    def _unparsed_map(self, rule: FieldRule, result: MatchResult, path: str) -> Any:
        parents = {
            source.argument.rpartition(".")[0]: None
            for part in rule.parts.values()
            for source in part.sources
            if source.method == "meta"
        }
        values = [
            value for parent in parents if not isinstance(value := nested_value(result.data, parent), dict | None)
        ]
        if not values:
            return None
        self.spans[path] = result.data_span or result.title_span
        message = f'"{path}" is "{str(values[0])[:60]}", but must be a map'
        self.report(warning("unreadable-field", self.spans[path], message, FIELD_HINT))
        self.unparsed.add(path)
        return as_found(rule, values)

    def _record(self, rule: FieldRule, result: MatchResult, path: str) -> Mapping[str, Any]:
        parts = ((name, self._extract_field(part, result, f"{path}.{name}")) for name, part in rule.parts.items())
        return {name: value for name, value in parts if value is not ABSENT}

    def _value(self, rule: FieldRule, fetched: tuple[FetchedValue, ...], result: MatchResult, path: str) -> Any:
        if fetched:
            self.spans[path] = _enclosing_span(fetched)
        if rule.is_list and not fetched and _is_empty_list(rule, result):
            self.spans[path] = result.data_span or result.title_span
            return []
        if _is_blank(fetched):
            return self._missing(rule, result, path)
        self.keep_printed(rule, fetched, path)
        # References keep their links, because the entity is looked up by the target of the link, not by its words.
        if rule.referenced_kinds:
            values = tuple(item.value for item in fetched)
        else:
            texts = result.texts
            values = tuple(property_words(item.value, texts) if item.is_data else item.value for item in fetched)
            for text in texts_in([item.value for item in fetched], texts) if texts else ():
                self._keep_text(path, property_words(text, texts), texts[text])
            for item in fetched:
                if item.text and not any(isinstance(node, SHOWN_AS_WORDS) for node in walk(*item.text)):
                    self._keep_text(path, item.value, item.text)
        if all(item.is_data for item in fetched) and is_of_type(rule, values):
            return list(values) if rule.is_list else values[0]
        try:
            if self.is_lenient and len(values) > 1 and not rule.is_list:
                raise UnreadableValue("one value", ", ".join(map(str, values)))
            value = parse_value(rule, values, self.language)
        except UnreadableValue as failure:
            message = f'"{path}" is "{failure.text[:60]}", but must be {failure}'
            hint = unit_hint(rule, failure.text) if is_numeric(rule) else ""
            problem = error("unreadable-field", self.spans[path], message, hint or FIELD_HINT)
            if not self.is_lenient:
                self.report(problem)
                return empty_value(rule)[1]
            self.report(replace(problem, severity=Severity.WARNING))
            self.unparsed.add(path)
            return as_found(rule, values)
        if has_ambiguous_comma(value, values, self.language):
            message = f'"{path}" has a comma, which is read as a decimal point'
            hint = "write a point, or name the language in game.yaml, for example language: de"
            self.report(warning("ambiguous-number", self.spans[path], message, hint))
        return value

    def _keep_text(self, path: str, words: str, blocks: tuple[Block, ...]) -> None:
        """Keep the nodes of a value with Markdown. If the same words occur with different nodes, keep no nodes."""
        of_field = self.texts.setdefault(path.partition(".")[0].partition("[")[0], {})
        words = " ".join(words.split())
        if of_field.setdefault(words, blocks) != blocks:
            of_field[words] = ()

    def _missing(self, rule: FieldRule, result: MatchResult, path: str) -> Any:
        """The value of a missing field: its empty value, or `ABSENT` for an optional part without one.

        A missing required field is reported and is `None`.
        """
        may_be_empty, empty = empty_value(rule)
        if not may_be_empty and rule.required:
            hint = f"looked for: {', '.join(map(_format_source, rule.sources)) or 'nothing'}"
            near = _near_source(rule, result)
            self.report(error("empty-field", result.error_span, f'this {self.title} has no "{path}"', hint + near))
        elif not may_be_empty:
            return ABSENT
        return empty


def _is_empty_list(rule: FieldRule, result: MatchResult) -> bool:
    if rule.schema.get("minItems") or "default" in rule.schema:
        return False
    return any(nested_value(result.data, source.argument) == [] for source in rule.sources if source.method == "meta")


def _is_blank(fetched: tuple[FetchedValue, ...]) -> bool:
    """Whether nothing was fetched, or only a sign for a missing value, such as a dash. YAML data is taken literally."""
    return all(
        isinstance(item.value, str)
        and (not item.value.strip() if item.is_data else normalize(item.value) in NO_VALUE_TEXTS)
        for item in fetched
    )


def _enclosing_span(fetched: tuple[FetchedValue, ...]) -> Span:
    """The span from the first item to the last; the span of the first item if this is not possible."""
    first, last = fetched[0].span, fetched[-1].span
    if first.source == last.source and first.start <= last.end:
        return first.source.span(first.start, max(first.end, last.end))
    return first


def _near_source(rule: FieldRule, result: MatchResult) -> str:
    """The end of a hint: a similar name in the text, or all columns; may be empty."""
    for source in rule.sources:
        match source.method:
            case "column":
                names = list(result.cells)
            case "label":
                names = [labelled.label.strip("*_ ") for labelled in result.labels.values()]
            case "inline":
                names = list(result.inline_fields)
            case "meta":
                names = list(result.data)
            case _:
                continue
        if normalize(source.argument) in map(normalize, names):
            return ""
        if close := close_word(source.argument, names):
            return f'; did you mean "{source.method}:{close}"?'
        if source.method == "column" and names:
            return f"; the columns are: {', '.join(names)}"
    return ""


def _format_source(source: FieldSource) -> str:
    argument = f":{source.argument}" if source.argument else ""
    return source.method + argument + (f" ~ {source.pattern.text}" if source.pattern else "")

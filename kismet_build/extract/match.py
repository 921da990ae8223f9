"""Find the matches of a kind in a book. Other modules match names, rows and terms."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kismet_build.config import yaml
from kismet_build.config.kind import Kind, Match, NoteConditions
from kismet_build.extract.candidates import Candidates, capture_groups, normalize_all
from kismet_build.extract.field_sources import fetch, nested_value
from kismet_build.extract.match_result import MatchResult
from kismet_build.extract.name_lists import match_names, match_phrases
from kismet_build.extract.note_shape import folder_path, is_index_note
from kismet_build.extract.property_texts import property_texts
from kismet_build.extract.rows import match_cells, match_rows
from kismet_build.extract.statblocks import layout_kind, note_data, statblock_records
from kismet_build.extract.terms import match_items, match_terms
from kismet_build.model import nodes
from kismet_build.model.book import Chapter
from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import plain_text, walk_blocks
from kismet_build.model.source import Source, Span, file_stem
from kismet_build.model.tag import keys_with_parents, tag_key
from kismet_build.model.text_normalization import normalize

Matcher = Callable[[Match, Candidates, Report], Iterator[MatchResult]]


def find_matches(kind: Kind, candidates: Candidates, report: Report) -> list[MatchResult]:
    """The matches of a kind. With several `x-match` entries, they are in book order, and a span matches once."""
    if len(kind.matches) == 1:
        return list(_results(kind, kind.matches[0], candidates, report))
    order: dict[Source, int] = {outline.chapter.source: index for index, outline in enumerate(candidates.outlines)}
    results: dict[tuple[Span, str], MatchResult] = {}
    for match in kind.matches:
        for result in _results(kind, match, candidates, report):
            # A sentence may define several names, so several matches may have the same span.
            results.setdefault((result.span, result.title if match.method == "phrase" else ""), result)
    return sorted(results.values(), key=lambda result: (order[result.span.source], result.span.start, -result.span.end))


def _results(kind: Kind, match: Match, candidates: Candidates, report: Report) -> Iterator[MatchResult]:
    if match.method == "code":
        return _code(kind, match, candidates, report)
    return MATCHERS[match.method](match, candidates, report)


def _documents(match: Match, candidates: Candidates, _report: Report) -> Iterator[MatchResult]:
    for outline in candidates.outlines:
        chapter = outline.chapter
        if match.note is not None and not _is_note(match.note, chapter.document):
            continue
        if (groups := capture_groups(match.pattern, chapter.name)) is None:
            continue
        result = MatchResult(
            title=chapter.title,
            title_span=chapter.source.span(0, 0),
            captures=groups,
            span=chapter.source.full_span(),
            section=outline.sections[0],
            body=_without_title(chapter),
            known_labels=match.labels,
            data=note_data(chapter.document),
            texts=property_texts(chapter.document),
        )
        if match.note is None or not match.note.sources or fetch(match.note.sources, result):
            yield result


def _is_note(conditions: NoteConditions, document: nodes.Document) -> bool:
    """Whether a note is an entity by these conditions. A condition on folders excludes index notes."""
    return meets_conditions(conditions, document) and not (
        conditions.folder_patterns and is_index_note(document.source.path)
    )


def meets_conditions(conditions: NoteConditions, document: nodes.Document) -> bool:
    """Whether a note meets the conditions, except those on index notes and on field sources.

    Notes with unreadable properties never do.
    """
    path, metadata = document.source.path, document.metadata
    folder = folder_path(path)
    # Folders are checked first, because a vault may have many kinds, each with its own folder.
    if conditions.folder_patterns and not any(pattern.fullmatch(folder) for pattern in conditions.folder_patterns):
        return False
    if document.has_invalid_metadata:
        return False
    if conditions.without_statblock and any(record.is_note for record in statblock_records(document)):
        return False
    if conditions.file is not None and not conditions.file.search(file_stem(path)):
        return False
    if conditions.tags and not any(
        wanted in keys_with_parents(tag_key(tag)) for tag in document.tags for wanted in conditions.tags
    ):
        return False
    return all(_has_property(metadata, name, values) for name, values in conditions.properties.items())


def _has_property(metadata: Mapping[str, Any], name: str, values: Sequence[Any]) -> bool:
    """Whether a property has one of these values or, without `values`, any value. Each item of a list is a value."""
    value = nested_value(metadata, name)
    items = [item for item in (value if isinstance(value, list) else [value]) if item is not None]
    return bool(items) and (not values or any(item in values and type(item) in map(type, values) for item in items))


def _without_title(chapter: Chapter) -> tuple[nodes.Block, ...]:
    first, *following = chapter.document.blocks or (None,)
    repeats = (
        isinstance(first, nodes.Heading)
        and first.level == 1
        and normalize(plain_text(first)) == normalize(chapter.title)
    )
    return tuple(following) if repeats else chapter.document.blocks


def _headings(match: Match, candidates: Candidates, _report: Report) -> Iterator[MatchResult]:
    for candidate in candidates.for_match(match):
        anchor = candidate.section.anchor
        if anchor.level not in match.argument or (groups := capture_groups(match.pattern, anchor.title)) is None:
            continue
        body = candidate.outline.embedded_blocks(anchor)[1:]
        end = max((block.span.end for block in body), default=anchor.span.end)
        yield MatchResult(
            title=anchor.title,
            title_span=anchor.span,
            captures=groups,
            span=anchor.span.source.span(anchor.span.start, end),
            section=candidate.section,
            body=body,
            known_labels=match.labels,
        )


def _blocks(match: Match, candidates: Candidates, _report: Report) -> Iterator[MatchResult]:
    wanted = normalize_all(match.argument)
    for candidate in candidates.for_match(match):
        for block in walk_blocks(*candidate.section.blocks):
            match block:
                case nodes.Callout(kind=name, title=inlines, children=body) if normalize(name) in wanted:
                    title = " ".join(plain_text(*inlines).split())
                case nodes.Div(name=name, children=body) if normalize(name) in wanted:
                    title = ""
                case _:
                    continue
            if (groups := capture_groups(match.pattern, title)) is not None:
                yield MatchResult(
                    title=title,
                    title_span=block.span,
                    captures=groups,
                    span=block.span,
                    section=candidate.section,
                    body=body,
                    known_labels=match.labels,
                )


def _statblocks(match: Match, candidates: Candidates, _report: Report) -> Iterator[MatchResult]:
    for outline in candidates.outlines:
        chapter = outline.chapter
        layouts = None if match.argument == (True,) else {*map(layout_kind, match.argument)}
        records = [each for each in statblock_records(chapter.document) if layouts is None or each.kind in layouts]
        if not records:
            continue
        sections = {
            block.span: candidate.section
            for candidate in Candidates((outline,)).for_match(match)
            for block in walk_blocks(*candidate.section.blocks)
            if isinstance(block, nodes.Statblock)
        }
        for record in records:
            title = record.name or chapter.title
            block = record.block
            section = sections.get(block.span) if block is not None else outline.sections[0]
            if section is None or (groups := capture_groups(match.pattern, title)) is None:
                continue
            span = chapter.source.full_span() if record.is_note or block is None else block.span
            yield MatchResult(
                title=title,
                title_span=chapter.source.span(0, 0) if block is None else block.span,
                captures=groups,
                span=span,
                section=outline.sections[0] if record.is_note else section,
                body=_without_title(chapter) if record.is_note or block is None else (block,),
                known_labels=match.labels,
                data=record.data,
                data_spans={} if block is None else {item.key: item.span for item in block.children},
                texts=property_texts(chapter.document) if record.is_note else {},
            )


def _code(kind: Kind, match: Match, candidates: Candidates, report: Report) -> Iterator[MatchResult]:
    """Code blocks with the info string `kismet <kind>`. Their content is YAML with the fields by name."""
    for candidate in candidates.for_match(match):
        for block in candidate.section.blocks:
            if not isinstance(block, nodes.CodeBlock) or block.info.split()[:2] != ["kismet", kind.id]:
                continue
            start = block.span.start + block.span.text.find("\n") + 1
            end = (
                block.span.end
                if not block.text.strip()
                else start + block.span.source.text[start : block.span.end].rfind("\n")
            )
            data = yaml.parse(block.span.source, report, "invalid-data", start, end)
            if data is not None and isinstance(data.value, dict):
                yield MatchResult(
                    title=str(data.value.get("name", "")),
                    title_span=block.span,
                    captures={},
                    span=block.span,
                    section=candidate.section,
                    body=(),
                    data=data.value,
                    data_span=block.span,
                )


MATCHERS: dict[str, Matcher] = {
    "document": _documents,
    "heading": _headings,
    "row": match_rows,
    "cells": match_cells,
    "term": match_terms,
    "item": match_items,
    "names": match_names,
    "phrase": match_phrases,
    "block": _blocks,
    "statblock": _statblocks,
}
"""Matchers by their names in `schemas/kind.schema.json` under `match`, except for `code`, which also needs the kind."""

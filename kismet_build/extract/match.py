"""Find where the entities of a kind start: the table of the ways to match, and those that take parts of a text."""

from collections.abc import Callable, Iterator

from kismet_build.config import yaml
from kismet_build.config.kind import Kind, Match
from kismet_build.extract.candidates import Places, captures, folded
from kismet_build.extract.match_result import Found
from kismet_build.extract.name_lists import names, phrases
from kismet_build.extract.rows import cells, rows
from kismet_build.extract.terms import items, terms
from kismet_build.model.diagnostic import Report
from kismet_build.model.nodes import Callout, CodeBlock, Div, plain_text, walk_blocks
from kismet_build.model.source import Source, Span
from kismet_build.model.text_normalization import normalize

Matcher = Callable[[Match, Places, Report], Iterator[Found]]


def matches(kind: Kind, places: Places, report: Report) -> list[Found]:
    """Every place where an entity of the kind starts, in the order of the book; what two ways find is found once."""
    if len(kind.matches) == 1:
        return list(_matches(kind, kind.matches[0], places, report))
    order: dict[Source, int] = {chapter.source: number for number, chapter in enumerate(places.book.chapters)}
    once: dict[tuple[Span, str], Found] = {}
    for match in kind.matches:
        for one in _matches(kind, match, places, report):
            # One sentence may define several names.
            once.setdefault((one.span, one.title if match.how == "phrase" else ""), one)
    return sorted(once.values(), key=lambda one: (order[one.span.source], one.span.start, -one.span.end))


def _matches(kind: Kind, match: Match, places: Places, report: Report) -> Iterator[Found]:
    return _code(kind, match, places, report) if match.how == "code" else MATCHERS[match.how](match, places, report)


def _documents(match: Match, places: Places, _report: Report) -> Iterator[Found]:
    for chapter in places.book.chapters:
        if (groups := captures(match.pattern, chapter.title)) is not None:
            yield Found(
                title=chapter.title,
                title_span=chapter.source.span(0, 0),
                captures=groups,
                span=chapter.source.whole(),
                section=places.book.sections[chapter.source][0],
                body=chapter.document.blocks,
                data=chapter.document.metadata,
            )


def _headings(match: Match, places: Places, _report: Report) -> Iterator[Found]:
    for place in places.of(match):
        anchor = place.section.anchor
        if anchor.level not in match.argument or (groups := captures(match.pattern, anchor.title)) is None:
            continue
        body = places.book.extent(anchor)[1:]
        end = max((block.span.end for block in body), default=anchor.span.end)
        yield Found(
            title=anchor.title,
            title_span=anchor.span,
            captures=groups,
            span=anchor.span.source.span(anchor.span.start, end),
            section=place.section,
            body=body,
        )


def _blocks(match: Match, places: Places, _report: Report) -> Iterator[Found]:
    wanted = folded(match.argument)
    for place in places.of(match):
        for block in walk_blocks(*place.section.blocks):
            match block:
                case Callout(kind=name, title=words, children=body) if normalize(name) in wanted:
                    title = " ".join(plain_text(*words).split())
                case Div(name=name, children=body) if normalize(name) in wanted:
                    title = ""
                case _:
                    continue
            if (groups := captures(match.pattern, title)) is not None:
                yield Found(
                    title=title,
                    title_span=block.span,
                    captures=groups,
                    span=block.span,
                    section=place.section,
                    body=body,
                )


def _code(kind: Kind, match: Match, places: Places, report: Report) -> Iterator[Found]:
    """A fence whose info is `kismet <kind>`: its YAML gives the fields by name."""
    for place in places.of(match):
        for block in place.section.blocks:
            if not isinstance(block, CodeBlock) or block.info.split()[:2] != ["kismet", kind.id]:
                continue
            start = block.span.start + block.span.text.find("\n") + 1
            end = (
                block.span.end
                if not block.text.strip()
                else start + block.span.source.text[start : block.span.end].rfind("\n")
            )
            data = yaml.parse(block.span.source, report, "invalid-data", start, end)
            if data is not None and isinstance(data.value, dict):
                yield Found(
                    title=str(data.value.get("name", "")),
                    title_span=block.span,
                    captures={},
                    span=block.span,
                    section=place.section,
                    body=(),
                    data=data.value,
                    data_span=block.span,
                )


MATCHERS: dict[str, Matcher] = {
    "document": _documents,
    "heading": _headings,
    "row": rows,
    "cells": cells,
    "term": terms,
    "item": items,
    "names": names,
    "phrase": phrases,
    "block": _blocks,
}
"""By the words of schemas/kind.schema.json under `match`; `code` needs to know its kind."""

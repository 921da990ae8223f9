"""Ambiguous mentions for review by a person, as data and on the page of errata."""

from typing import Any, NamedTuple

from kismet_build.config.autolink import AmbiguousMention
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack

CONTEXT_CHARACTERS = 60
"""Characters of the line that are shown before and after a mention."""

REASONS = {
    "shared": "several things have this name",
    "common": "it may be meant plainly",
    "longer": "it links, but may be part of a longer name",
    "inflected": "it may be a form of this name, but nothing says so",
}


class ReviewItem(NamedTuple):
    """An ambiguous mention with its context."""

    before: str
    words: str
    after: str
    path: str
    line: int
    reason: str
    names: tuple[str, ...]
    """Kind and name of each entity that may be meant."""


def review_items(pack: Pack) -> list[ReviewItem]:
    """The ambiguous mentions of a game, sorted by their words."""
    return [
        _item(pack, mention) for mention in sorted(pack.ambiguous_mentions, key=lambda mention: normalize(mention.text))
    ]


def ambiguous_mentions_data(pack: Pack) -> list[dict[str, Any]]:
    """The ambiguous mentions of a game as JSON data, in the order of the book."""
    return [
        {
            "words": mention.text,
            "reason": mention.reason,
            "links": mention.links,
            "candidates": list(mention.candidates),
            "path": mention.span.source.path,
            "line": mention.span.line_range[0],
            "column": mention.span.source.line_and_column(mention.span.start)[1],
        }
        for mention in pack.ambiguous_mentions
    ]


def _item(pack: Pack, mention: AmbiguousMention) -> ReviewItem:
    span = mention.span
    line = span.source.line(span.line_range[0])
    column = span.source.line_and_column(span.start)[1] - 1
    # The source may spell the words differently; then the context starts at the span.
    found = line.find(mention.text, column)
    start = column if found < 0 else found
    end = start + len(mention.text)
    candidates = (pack.by_id[entity_id] for entity_id in mention.candidates)
    return ReviewItem(
        line[max(0, start - CONTEXT_CHARACTERS) : start].lstrip(),
        mention.text,
        line[end : end + CONTEXT_CHARACTERS].rstrip(),
        span.source.path,
        span.line_range[0],
        REASONS[mention.reason],
        tuple(f"{pack.kind(entity).title}: {entity.name}" for entity in candidates),
    )

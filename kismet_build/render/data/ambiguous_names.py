"""Ambiguous mentions as data, for an author to review."""

from typing import Any

from kismet_build.config.autolink import AmbiguousMention
from kismet_build.pack import Pack


def ambiguous_mentions_data(pack: Pack) -> list[dict[str, Any]]:
    """The ambiguous mentions of a game as JSON data, in book order."""
    return [_mention_data(mention) for mention in pack.ambiguous_mentions]


def _mention_data(mention: AmbiguousMention) -> dict[str, Any]:
    place = mention.span.original
    line, column = place.source.line_and_column(place.start)
    return {
        "words": mention.text,
        "reason": mention.reason,
        "links": mention.links,
        "candidates": list(mention.candidates),
        "path": place.source.path,
        "line": line,
        "column": column,
    }

"""Ambiguous mentions as data, for review by an author."""

from typing import Any

from kismet_build.pack import Pack


def ambiguous_mentions_data(pack: Pack) -> list[dict[str, Any]]:
    """The ambiguous mentions of a game as JSON data, in book order."""
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

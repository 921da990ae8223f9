"""Words that may name something: what a person should look at, as data and on the page of errata."""

from typing import Any, NamedTuple

from kismet_build.config.autolink import AmbiguousMention
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack

AROUND = 60
"""Characters of the text that are shown on either side."""

REASONS = {
    "shared": "several things have this name",
    "common": "it may be meant plainly",
    "longer": "it links, but may be part of a longer name",
}


class Look(NamedTuple):
    """Words with what stands around them."""

    before: str
    words: str
    after: str
    path: str
    line: int
    reason: str
    names: tuple[str, ...]
    """What the words may name: kind and name."""


def looks(pack: Pack) -> list[Look]:
    """What a person should look at, the same words together, in the order of the alphabet."""
    order = sorted(pack.ambiguous_mentions, key=lambda one: normalize(one.words))
    return [_look(pack, doubt) for doubt in order]


def ambiguous_mentions_data(pack: Pack) -> list[dict[str, Any]]:
    """The same for programs, in the order of the book."""
    return [
        {
            "words": doubt.words,
            "reason": doubt.reason,
            "links": doubt.links,
            "candidates": list(doubt.candidates),
            "path": doubt.span.source.path,
            "line": doubt.span.lines[0],
            "column": doubt.span.source.place(doubt.span.start)[1],
        }
        for doubt in pack.ambiguous_mentions
    ]


def _look(pack: Pack, doubt: AmbiguousMention) -> Look:
    span = doubt.span
    line = span.source.line(span.lines[0])
    start = span.source.place(span.start)[1] - 1
    at = line.find(doubt.words, start)
    at = start if at < 0 else at
    end = at + len(doubt.words)
    named = (pack.by_id[one] for one in doubt.candidates)
    return Look(
        line[max(0, at - AROUND) : at].lstrip(),
        doubt.words,
        line[end : end + AROUND].rstrip(),
        span.source.path,
        span.lines[0],
        REASONS[doubt.reason],
        tuple(f"{pack.kind(one).title}: {one.name}" for one in named),
    )

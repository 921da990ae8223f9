"""Clean the HTML that authors wrote, without touching what stands between its tags."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

MARK = re.compile("\ue000(\\d+)\ue001")
"""Stands for what is not the author's while the rest is cleaned; letters for private use, so no text has them."""

PROGRAM = re.compile(r"<\s*(?:script|style)", re.IGNORECASE)
"""What is dropped with all that is in it, as long as that is the author's HTML too."""

BLANK = re.compile(r"[\x00-\x20]+")
FOLLOWED = re.compile(r"(?!javascript:|vbscript:|data:)", re.IGNORECASE)
SHOWN = re.compile(r"(?!javascript:|vbscript:|data:(?!image/))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a page."""

    html: str
    foreign: bool = False
    """Typed by an author as HTML."""


def may_follow(address: str) -> bool:
    """Whether a link may lead to an address; browsers pass over spaces and controls in its scheme."""
    # Nearly every address is one of ours, and has no scheme.
    return ":" not in address or FOLLOWED.match(_bare(address)) is not None


def may_show(address: str) -> bool:
    """Whether a picture may be loaded from an address."""
    return SHOWN.match(_bare(address)) is not None


def joined(pieces: Sequence[Piece], between: str) -> str:
    """The pieces as one text, the author's HTML cleaned."""
    marked = between.join(
        _bare_html(piece) if piece.foreign else f"\ue000{place}\ue001" for place, piece in enumerate(pieces)
    )
    ours = [place for place, piece in enumerate(pieces) if not piece.foreign]
    cleaned = _clean(marked, dropped=set())
    if [int(place) for place in MARK.findall(cleaned)] != ours:
        # A tag that is never closed swallowed or moved what follows it: clean each tag for itself.
        return between.join(_clean(piece.html) if piece.foreign else piece.html for piece in pieces)
    return MARK.sub(lambda found: pieces[int(found[1])].html, cleaned)


def _bare_html(piece: Piece) -> str:
    html = MARK.sub("", piece.html)
    return _clean(html) if PROGRAM.search(html) else html


def _clean(html: str, dropped: set[str] | None = None) -> str:
    # Few texts hold any HTML, and the cleaner takes a while to load.
    import nh3

    return nh3.clean(html, clean_content_tags=dropped, attribute_filter=_unmarked)


def _unmarked(_tag: str, _name: str, value: str) -> str | None:
    """Drop a value that was left open and took in what is not the author's: our tags must never stand in one."""
    return None if "\ue000" in value else value


def _bare(address: str) -> str:
    return BLANK.sub("", address)

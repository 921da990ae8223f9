"""The answers to what a text alone cannot say when it is shown."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from markdown_it.common.normalize_url import normalizeLink

from kismet_build.mechanics.dice.roll_table import RollTable
from kismet_build.model.nodes import Block, Embed, Heading, Image, Link, Table, Text
from kismet_build.render.html.escape import escaped


class Href(NamedTuple):
    """Where a link leads."""

    address: str
    state: Literal["ok", "external", "missing"] = "ok"
    title: str = ""
    """Shown on pointing: for a missing place, what is missing."""
    place: str = ""
    """What the place is called, for paper, as far as the words of the link do not say it."""


class Term(NamedTuple):
    """A part of some words that links by itself."""

    start: int
    end: int
    """Offsets in the words, the end not included."""
    address: str
    opens: bool
    closes: bool
    """Whether the link begins and ends here: one may go over the end of a line."""


def as_typed(link: Link) -> Href:
    """The address that the author typed."""
    return Href(normalizeLink(link.target))


def picture_as_typed(image: Image) -> str:
    """The address of a picture that the author typed."""
    return normalizeLink(image.target)


def nothing_embedded(_embed: Embed) -> tuple[Block, ...] | None:
    """No embed can be shown."""
    return None


def no_mark(_block: Block) -> str:
    """Nothing stands beside a block."""
    return ""


def nothing_after(_block: Block) -> str:
    """Nothing stands after a block."""
    return ""


def no_id(_heading: Heading) -> str:
    """No heading can be linked to."""
    return ""


def as_written(heading: Heading) -> int:
    """The level of a heading that the author gave it."""
    return heading.level


def as_words(text: str, _goes_on: bool = False) -> str:
    """Words and nothing else."""
    return escaped(text)


def no_terms(_text: Text) -> tuple[Term, ...]:
    """No words link by themselves."""
    return ()


def not_rolled_on(_table: Table) -> RollTable | None:
    """A table to read."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderContext:
    """Where blocks are shown: the answers to what a text alone cannot say."""

    href: Callable[[Link], Href] = as_typed
    picture: Callable[[Image], str] = picture_as_typed
    """The address of a picture."""
    embed: Callable[[Embed], tuple[Block, ...] | None] = nothing_embedded
    """What an embed shows; `None` where there is nothing to show, or where it is being shown already."""
    heading_id: Callable[[Heading], str] = no_id
    """The id of a heading; empty for none."""
    mark: Callable[[Block], str] = no_mark
    """Finished HTML beside the words of a heading or before those of a paragraph; empty for none."""
    after: Callable[[Block], str] = nothing_after
    """Finished HTML after a block; not asked for what stands in a list or a table."""
    permalinks: bool = False
    """Headings link to themselves."""
    raw: bool = False
    """HTML from authors is passed through as it is."""
    id_prefix: str = ""
    """Put before the ids of footnotes and named blocks, so that a page may show two texts."""
    heading_level: Callable[[Heading], int] = as_written
    """The level at which a heading is shown; below the sixth there is none."""
    words: Callable[[str, bool], str] = as_words
    """Plain words as HTML, told whether others follow them directly; not asked where nothing can be pressed."""
    terms: Callable[[Text], tuple[Term, ...]] = no_terms
    """What of some words links by itself; not asked where nothing can be pressed."""
    roll: Callable[[Table], RollTable | None] = not_rolled_on
    """How to roll on a table; `None` for one that is only read."""

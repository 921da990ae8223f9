"""The context of rendering: everything about blocks and inlines that depends on the page, not on the text."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from markdown_it.common.normalize_url import normalizeLink

from kismet_build.config.catalog import Catalog, catalog
from kismet_build.config.strings import DEFAULT
from kismet_build.mechanics.dice.roll_table import RollTable
from kismet_build.model.nodes import Block, DiceRoll, Embed, Heading, Image, Link, Table, Tag, Text
from kismet_build.render.html.escape import escaped


class Href(NamedTuple):
    """The target of a link."""

    address: str
    state: Literal["ok", "external", "missing"] = "ok"
    title: str = ""
    """Tooltip; for a missing target, a message."""
    print_label: str = ""
    """Name of the target for readers on paper; empty if the words of the link say it."""
    download: str = ""
    """Name under which the target is saved instead of opened; empty for a target that is opened."""


class Term(NamedTuple):
    """A part of a text node that is an automatic link."""

    start: int
    end: int
    """Offsets in the text; the end is excluded."""
    address: str
    opens: bool
    closes: bool
    """Whether the link starts and ends in this part: a link across a line break has one part for each line."""


def link_as_written(link: Link) -> Href:
    """The address that the author wrote."""
    return Href(normalizeLink(link.target))


def _no_words(_link: Link) -> str:
    return ""


def image_as_written(image: Image) -> str:
    """The address of an image that the author wrote."""
    return normalizeLink(image.target)


def _no_embed(_embed: Embed) -> tuple[Block, ...] | None:
    return None


def no_html(_block: Block) -> str:
    """No HTML before a block."""
    return ""


def _unchanged(_block: Block, html: str) -> str:
    return html


def _no_id(_heading: Heading) -> str:
    return ""


def _level_as_written(heading: Heading) -> int:
    return heading.level


def without_dice(text: str, _has_next: bool = False) -> str:
    """Text as HTML, without dice buttons."""
    return escaped(text)


def _no_terms(_text: Text) -> tuple[Term, ...]:
    return ()


def _no_dice_roll(_roll: DiceRoll) -> str:
    return ""


def _no_tag_address(_tag: Tag) -> str:
    return ""


def _no_roll_table(_table: Table) -> RollTable | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderContext:
    """Functions and settings by which the renderer depends on the page; the defaults suit a text without a site."""

    href: Callable[[Link], Href] = link_as_written
    link_words: Callable[[Link], str] = _no_words
    """Plain text that replaces the content of a link; empty to keep it."""
    image_address: Callable[[Image], str] = image_as_written
    embed: Callable[[Embed], tuple[Block, ...] | None] = _no_embed
    """Blocks of an embed; `None` if its target is missing or contains the embed itself."""
    heading_id: Callable[[Heading], str] = _no_id
    """HTML id of a heading; empty for none."""
    heading_title: Callable[[Heading], str] = _no_id
    """Plain text that replaces the content of a heading; empty to keep it."""
    mark: Callable[[Block], str] = no_html
    """HTML after the text of a heading, or before that of a paragraph or term; empty for none."""
    decorate: Callable[[Block, str], str] = _unchanged
    """Adds HTML of the page after or beside that of a block; not called for blocks in lists and tables."""
    permalinks: bool = False
    """Whether headings have a link to themselves."""
    unsafe: bool = False
    """Whether HTML of authors is passed through without being sanitized."""
    for_site: bool = True
    """Whether HTML has what only our style sheet and scripts use, such as the label of the column on each cell."""
    catalog: Catalog = field(default_factory=lambda: catalog(DEFAULT))
    """The words of the website."""
    id_prefix: str = ""
    """Starts the HTML ids of footnotes and named blocks, so that a page can show several texts."""
    heading_level: Callable[[Heading], int] = _level_as_written
    """Level of a heading; below 6 it is `<h6>` with `aria-level`."""
    text: Callable[[str, bool], str] = without_dice
    """Plain text as HTML. The flag says whether more inlines follow. Not called inside links and headings."""
    terms: Callable[[Text], tuple[Term, ...]] = _no_terms
    """Automatic links of a text node. Not called inside links and headings."""
    dice_roll: Callable[[DiceRoll], str] = _no_dice_roll
    """Attributes of the `<span>` of inline code that rolls; empty if a reader cannot roll it."""
    tag_address: Callable[[Tag], str] = _no_tag_address
    """Address of the page of a tag; empty for none."""
    roll_table: Callable[[Table], RollTable | None] = _no_roll_table
    """How to roll on a table; `None` for an ordinary table."""

"""The rendering context: how a place fills the holes in fragments."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from markdown_it.common.normalize_url import normalizeLink

from kismet_build.config.autolink import AutolinkRange
from kismet_build.model.nodes import Block, Heading, Image, Link, Tag
from kismet_build.render.fragments.html import HtmlFragments
from kismet_build.render.fragments.markdown import MarkdownFragments


class Href(NamedTuple):
    """The target of a link."""

    address: str
    state: Literal["ok", "external", "missing"] = "ok"
    title: str = ""
    """Tooltip. For a missing target, a message."""
    print_label: str = ""
    """Name of the target for readers on paper; empty if the link text already contains it."""
    download: str = ""
    """File name for saving a target that browsers download; empty for a target that they open."""


def link_as_written(link: Link) -> Href:
    """The link to the address that the author wrote."""
    return Href(normalizeLink(link.target))


def image_as_written(image: Image) -> str:
    """The address of an image that the author wrote."""
    return normalizeLink(image.target)


def no_html(_block: Block) -> str:
    """No HTML, which is the default mark of a block."""
    return ""


def unchanged(_block: Block, html: str) -> str:
    """The HTML of a block without decoration."""
    return html


def _no_id(_heading: Heading) -> str:
    return ""


def _level_as_written(heading: Heading) -> int:
    return heading.level


def _no_term_address(_term: AutolinkRange) -> str:
    return ""


def _no_tag_address(_tag: Tag) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderContext:
    """How one place shows the fragments of a book. The defaults are for showing text outside a website."""

    fragments: HtmlFragments = field(default_factory=HtmlFragments)
    """The fragments of the book."""
    markdown: MarkdownFragments = field(default_factory=MarkdownFragments)
    """The same fragments in Markdown."""
    href: Callable[[Link], Href] = link_as_written
    image_address: Callable[[Image], str] = image_as_written
    heading_id: Callable[[Heading], str] = _no_id
    """HTML id of a heading, or an empty string."""
    mark: Callable[[Block], str] = no_html
    """HTML to insert after the text of a heading, or before the text of a paragraph or term; may be empty."""
    decorate: Callable[[Block, str], str] = unchanged
    """Adds a page's own HTML after or around the HTML of a block. Called only outside embeds, for blocks of the text
    itself and for blocks in columns and `Div` nodes."""
    permalinks: bool = False
    """Whether headings link to themselves."""
    for_site: bool = True
    """Whether to include what only the website's style sheet and scripts use, such as the column label on each cell."""
    has_dice: bool = True
    """Whether readers can roll, with dice buttons and on tables."""
    has_captions: bool = True
    """Whether tables have captions."""
    id_prefix: str = ""
    """Prefix of the HTML ids of footnotes and named blocks, for pages that show several documents."""
    heading_level: Callable[[Heading], int] = _level_as_written
    """Level of a heading. From the seventh on, a heading is `<h6>` with `aria-level`."""
    term_address: Callable[[AutolinkRange], str] = _no_term_address
    """Address of an automatic link, or an empty string."""
    tag_address: Callable[[Tag], str] = _no_tag_address
    """Address of a tag's page, or an empty string."""

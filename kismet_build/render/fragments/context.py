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
    """Tooltip; if the target is missing, a message."""
    print_label: str = ""
    """Name of the target for readers on paper; empty if the link text already contains it."""
    download: str = ""
    """File name for a target that is downloaded instead of opened; empty for any other target."""


def link_as_written(link: Link) -> Href:
    """The address as written by the author."""
    return Href(normalizeLink(link.target))


def image_as_written(image: Image) -> str:
    """The address of an image as written by the author."""
    return normalizeLink(image.target)


def no_html(_block: Block) -> str:
    """No HTML: the default mark of a block."""
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
    """How one place shows the fragments of a book. The defaults suit a text without a website."""

    fragments: HtmlFragments = field(default_factory=HtmlFragments)
    """The fragments of the book that contains the texts."""
    markdown: MarkdownFragments = field(default_factory=MarkdownFragments)
    """The same fragments in Markdown."""
    href: Callable[[Link], Href] = link_as_written
    image_address: Callable[[Image], str] = image_as_written
    heading_id: Callable[[Heading], str] = _no_id
    """HTML id of a heading, or an empty string."""
    mark: Callable[[Block], str] = no_html
    """HTML after the text of a heading, or before that of a paragraph or term; may be empty."""
    decorate: Callable[[Block, str], str] = unchanged
    """Adds the page's HTML after or around that of a block; not called for blocks in lists and tables."""
    permalinks: bool = False
    """Whether headings link to themselves."""
    for_site: bool = True
    """Whether to include what only our style sheet and scripts use, such as the column label on each cell."""
    has_dice: bool = True
    """Whether readers can roll, by dice buttons and on tables."""
    has_captions: bool = True
    """Whether tables have captions."""
    id_prefix: str = ""
    """Prefix of the HTML ids of footnotes and named blocks, for pages that show several texts."""
    heading_level: Callable[[Heading], int] = _level_as_written
    """Level of a heading; from 7 on it becomes `<h6>` with `aria-level`."""
    term_address: Callable[[AutolinkRange], str] = _no_term_address
    """Address of an automatic link, or an empty string."""
    tag_address: Callable[[Tag], str] = _no_tag_address
    """Address of a tag's page, or an empty string."""

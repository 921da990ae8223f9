"""Render blocks and inlines as HTML for one place, whose context fills the holes in their fragments."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from markdown_it.common.normalize_url import normalizeLink

from kismet_build.config.autolink import AutolinkRange
from kismet_build.model.nodes import Block, FootnoteDefinition, Heading, Image, Inline, Link, Paragraph, Tag
from kismet_build.render.fragments.holes import FootnoteNumbers, NoteKey, Place, footnotes_start, nothing
from kismet_build.render.fragments.html import HtmlFragments
from kismet_build.render.fragments.markdown import MarkdownFragments
from kismet_build.render.html.escape import escaped


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


def _unchanged(_block: Block, html: str) -> str:
    return html


def _level_as_written(heading: Heading) -> int:
    return heading.level


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderContext:
    """How one place shows the fragments of a book. The defaults are for showing text outside a website."""

    fragments: HtmlFragments = field(default_factory=HtmlFragments)
    """The fragments of the book."""
    markdown: MarkdownFragments = field(default_factory=MarkdownFragments)
    """The same fragments in Markdown."""
    href: Callable[[Link], Href] = link_as_written
    image_address: Callable[[Image], str] = image_as_written
    heading_id: Callable[[Heading], str] = nothing
    """HTML id of a heading, or an empty string."""
    mark: Callable[[Block], str] = nothing
    """HTML to insert after the text of a heading, or before the text of a paragraph or term; may be empty."""
    decorate: Callable[[Block, str], str] = _unchanged
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
    term_address: Callable[[AutolinkRange], str] = nothing
    """Address of an automatic link, or an empty string."""
    tag_address: Callable[[Tag], str] = nothing
    """Address of a tag's page, or an empty string."""


__all__ = ["Href", "RenderContext", "inline_html", "paragraph_html", "to_html"]

DEFAULT_CONTEXT = RenderContext()


def to_html(
    blocks: Sequence[Block],
    context: RenderContext = DEFAULT_CONTEXT,
    footnotes: Mapping[NoteKey, FootnoteDefinition] | None = None,
    *,
    is_embedded: bool = False,
) -> str:
    """Blocks as HTML, followed by the footnotes they refer to.

    `footnotes`: by key, the definitions of footnotes that the blocks do not define. `is_embedded`: leave out the ids of
    headings and named blocks.
    """
    place = Place(context, FootnoteNumbers(blocks, footnotes or {}), is_embedded)
    body = place.blocks(blocks) + _footnotes(place)
    return body + "\n" if body else ""


def inline_html(inlines: Sequence[Inline], context: RenderContext = DEFAULT_CONTEXT) -> str:
    """Inlines as HTML. References to footnotes are not links."""
    return Place(context, FootnoteNumbers((), {})).html(context.fragments.inlines(inlines))


def paragraph_html(paragraph: Paragraph, context: RenderContext) -> str:
    """The words of a paragraph as HTML. References to footnotes are not links."""
    return Place(context, FootnoteNumbers((), {})).html(context.fragments.content(paragraph))


def _footnotes(place: Place) -> str:
    notes, catalog = place.notes, place.context.fragments.catalog
    contents: dict[NoteKey, tuple[str, str]] = {}
    for key in notes.keys:  # `keys` grows during the loop, as footnotes may refer to others.
        note = notes.find(key)
        blocks = note.children if note is not None else ()
        last = blocks[-1] if blocks else None
        inside = place._replace(is_embedded=not isinstance(key, str))
        last_line = f"{inside.html(place.context.fragments.content(last))} " if isinstance(last, Paragraph) else ""
        contents[key] = (inside.blocks(blocks[:-1] if last_line else blocks), last_line)
    if not contents:
        return ""
    prefix = escaped(place.context.id_prefix)
    # Footnotes are written after all references are counted, because each links back to all of its references.
    items = []
    for number, (key, (first_blocks, last_line)) in enumerate(contents.items(), 1):
        before = f"{first_blocks}\n" if first_blocks else ""
        back_links = notes.back_links(key, prefix, catalog.html("chapter.footnote_back"))
        items.append(f'<li id="{prefix}fn:{number}">\n{before}<p>{last_line}{back_links}</p>\n</li>\n')
    start = footnotes_start(catalog.html("chapter.footnotes"))
    return f"\n{start}\n<ol>\n{''.join(items)}</ol>\n</section>"

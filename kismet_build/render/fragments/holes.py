"""Fragments: rendered blocks with typed holes for what differs from place to place.

A fragment is made once from its nodes. Pages, print, cards, previews and data each fill its holes in their own way. A
hole is an object, not a marker in the text, so authors cannot write one: docs/decisions/0030-fragments.md.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import unquote

from kismet_build.config.autolink import AutolinkRange
from kismet_build.model import nodes
from kismet_build.model.nodes import is_url, plain_text, with_raw_addresses
from kismet_build.render.fragments.footnote_numbers import FootnoteNumbers, NoteKey, reference_id
from kismet_build.render.fragments.sanitize import Sanitizable, is_safe_image, is_safe_link, join_sanitized
from kismet_build.render.fragments.statblock import StatblockRenderer
from kismet_build.render.html.addresses import fragment as address_part
from kismet_build.render.html.escape import attribute, escaped

if TYPE_CHECKING:
    from kismet_build.render.fragments.context import RenderContext


class Hole(Protocol):
    """A part of a fragment that each place fills in its own way."""

    def fill(self, place: "Place") -> str:
        """The HTML of this part in a place."""
        ...


Fragment = Sequence[str | Hole]
"""HTML, with holes between its pieces."""


class Place(NamedTuple):
    """A place in which fragments are shown: a text on a page, or an embed in that text."""

    context: "RenderContext"
    notes: FootnoteNumbers
    is_embedded: bool = False
    """Whether the fragments belong to an embed. If so, headings and named blocks have no ids, since ids must be unique
    on a page."""

    def html(self, fragment: Fragment) -> str:
        """The HTML of a fragment, with its holes filled."""
        return "".join([piece if piece.__class__ is str else piece.fill(self) for piece in fragment])  # type: ignore[union-attr]

    def blocks(self, blocks: Sequence[nodes.Block]) -> str:
        """The HTML of blocks on separate lines, each with its decoration. A block without HTML leaves no empty line."""
        fragments = self.context.fragments
        decorate = None if self.is_embedded else self.context.decorate
        parts: list[tuple[str, bool]] = []
        has_raw = False
        previous: nodes.Block | None = None
        for block in blocks:
            html = self.html(fragments.of(block, previous))
            if decorate is not None:
                html = decorate(block, html)
            if html:
                is_raw = type(block) is nodes.RawBlock
                has_raw = has_raw or is_raw
                parts.append((html, is_raw))
            previous = block
        if has_raw and not fragments.unsafe:
            return join_sanitized([Sanitizable(*part) for part in parts], "\n")
        return "\n".join([html for html, _ in parts])

    def key(self, reference: nodes.FootnoteReference) -> NoteKey:
        """The key of the footnote that a reference names."""
        return (reference.span.source.path, reference.label) if self.is_embedded else reference.label


class OnSite(NamedTuple):
    """HTML that only the website's style sheet and scripts use, with its replacement for other places."""

    site: str
    elsewhere: str = ""

    def fill(self, place: Place) -> str:
        """The HTML for this place."""
        return self.site if place.context.for_site else self.elsewhere


class Rolls(NamedTuple):
    """Something to roll, with its replacement for places where readers cannot roll, such as paper."""

    button: str
    words: str = ""

    def fill(self, place: Place) -> str:
        """The HTML for this place."""
        return self.button if place.context.has_dice else self.words


class RollAttributes(NamedTuple):
    """Attributes of a table or row that readers can roll on."""

    attributes: str

    def fill(self, place: Place) -> str:
        """The attributes for this place."""
        return self.attributes if place.context.for_site and place.context.has_dice else ""


class Caption(NamedTuple):
    """The caption of a table."""

    words: Fragment

    def fill(self, place: Place) -> str:
        """The caption for this place."""
        line_end = "\n" if place.context.for_site else ""
        return f"<caption>{place.html(self.words)}</caption>{line_end}" if place.context.has_captions else ""


class BlockId(NamedTuple):
    """The `id` attribute of a named block."""

    name: str

    def fill(self, place: Place) -> str:
        """The attribute for this place."""
        return "" if place.is_embedded else f' id="{escaped(place.context.id_prefix)}{escaped(self.name)}"'


class Mark(NamedTuple):
    """The mark before the words of a block."""

    block: nodes.Paragraph | nodes.DefinitionItem

    def fill(self, place: Place) -> str:
        """The mark for this place."""
        return place.context.mark(self.block)


class HeadingHole(NamedTuple):
    """A heading with its level, id, mark and permalink."""

    heading: nodes.Heading
    content: Fragment
    title: str
    """Plain text that replaces the content, except in embeds; empty to keep the content."""

    def fill(self, place: Place) -> str:
        """The heading for this place."""
        context, heading = place.context, self.heading
        wanted_level = heading.level if place.is_embedded else context.heading_level(heading)
        level = min(wanted_level, 6)
        title = "" if place.is_embedded else self.title
        content = escaped(title) if title else place.html(self.content)
        content = f"{escaped(heading.number)} {content}" if heading.number else content
        if mark := "" if place.is_embedded else context.mark(heading):
            content += f" {mark}"
        id_attribute = BlockId(heading.block_id).fill(place) if heading.block_id else ""
        if html_id := "" if place.is_embedded else context.heading_id(heading):
            id_attribute = f' id="{escaped(html_id)}"'
            if context.permalinks:
                words = title or " ".join(plain_text(heading).split())
                label = context.fragments.catalog.html("chapter.permalink", heading=words)
                content += f' <a class="permalink" href="{address_part(html_id)}" aria-label="{label}">#</a>'
        # HTML has only six levels; `aria-level` tells screen readers the real one.
        aria_level = f' aria-level="{wanted_level}"' if wanted_level > level else ""
        return f"<h{level}{id_attribute}{aria_level}>{content}</h{level}>"


class LinkHole(NamedTuple):
    """A link, or only its words if the target is missing or unsafe."""

    link: nodes.Link
    words: Fragment

    def fill(self, place: Place) -> str:
        """The link for this place."""
        content = place.html(self.words)
        href = place.context.href(self.link)
        if href.state == "missing":
            return f'<span class="unwritten"{attribute("title", href.title)}>{content}</span>'
        if not place.context.fragments.unsafe and not is_safe_link(href.address):
            return content
        css_class = ' class="external"' if href.state == "external" else ""
        attributes = attribute("title", self.link.title or href.title) + attribute("data-place", href.print_label)
        attributes += attribute("download", href.download)
        return f'<a{css_class} href="{escaped(href.address)}"{attributes}>{content}</a>'


class TermHole(NamedTuple):
    """An automatic link, or only its words in a place without such links."""

    term: AutolinkRange
    linked: str
    unlinked: Fragment

    def fill(self, place: Place) -> str:
        """The link for this place."""
        address = place.context.term_address(self.term)
        if not address:
            return place.html(self.unlinked)
        start = f'<a class="term" href="{escaped(address)}">' if self.term.starts_link else ""
        return start + self.linked + ("</a>" if self.term.ends_link else "")


class TagHole(NamedTuple):
    """A tag, with a link if it has a page."""

    tag: nodes.Tag

    def fill(self, place: Place) -> str:
        """The tag for this place."""
        address, name = place.context.tag_address(self.tag), f"#{escaped(self.tag.name)}"
        return f'<a class="tag" href="{escaped(address)}">{name}</a>' if address else name


class ImageHole(NamedTuple):
    """An image, or its alternative text if its address is missing or unsafe."""

    image: nodes.Image

    def fill(self, place: Place) -> str:
        """The image for this place."""
        image = self.image
        address, alternative = place.context.image_address(image), plain_text(*image.children)
        if not place.context.fragments.unsafe and not (address and is_safe_image(address)):
            return escaped(alternative)
        size = f' width="{image.width}"' if image.width is not None else ""
        size += f' height="{image.height}"' if image.height is not None else ""
        title = attribute("title", image.title)
        return f'<img src="{escaped(address)}" alt="{escaped(alternative)}"{title}{size} />'


class RawHole(NamedTuple):
    """Raw HTML, with the names of files and documents in its images and links replaced by addresses."""

    node: nodes.RawBlock | nodes.RawInline

    def fill(self, place: Place) -> str:
        """The HTML for this place, not sanitized."""

        def address(link: nodes.Image | nodes.Link) -> str | None:
            if isinstance(link, nodes.Link):
                href = place.context.href(link)
                is_found = href.state == "ok" and unquote(href.address) != link.target
                return escaped(href.address) if is_found else None
            return None if is_url(link.target) else escaped(place.context.image_address(link)) or None

        html = with_raw_addresses(self.node, address)
        return html.removesuffix("\n") if isinstance(self.node, nodes.RawBlock) else html


class Sanitized(NamedTuple):
    """Adjacent fragments, some of them raw HTML. The raw HTML is sanitized as one text."""

    fragments: Sequence[tuple[Fragment, bool]]
    """Each fragment with a flag for raw HTML."""
    separator: str
    end: str = ""
    """Appended unless the HTML is empty."""

    def fill(self, place: Place) -> str:
        """The HTML for this place."""
        parts = [Sanitizable(place.html(fragment), is_raw) for fragment, is_raw in self.fragments]
        html = join_sanitized(parts, self.separator)
        return html + self.end if html else ""


class Blocks(NamedTuple):
    """Blocks inside a `<div>`, such as a column. Places may decorate these blocks."""

    blocks: Sequence[nodes.Block]

    def fill(self, place: Place) -> str:
        """The blocks for this place, followed by a line end."""
        return f"{content}\n" if (content := place.blocks(self.blocks)) else ""


class EmbedHole(NamedTuple):
    """The blocks of an embed, followed by a line end unless they are inline.

    Their fragments are not copied.
    """

    blocks: Sequence[nodes.Block]
    is_inline: bool
    """Whether the embed is a single paragraph shown among other words."""

    def fill(self, place: Place) -> str:
        """The content for this place."""
        inside = place._replace(is_embedded=True)
        if self.is_inline and isinstance(paragraph := self.blocks[0], nodes.Paragraph):
            return inside.html(place.context.fragments.content(paragraph))
        return f"{content}\n" if (content := inside.blocks(self.blocks)) else ""


class StatblockHole(NamedTuple):
    """A statblock, whose card is made by a template."""

    statblock: nodes.Statblock

    def fill(self, place: Place) -> str:
        """The card for this place."""
        fragments = place.context.fragments

        def words(paragraph: nodes.Paragraph) -> str:
            return place.html(fragments.content(paragraph))

        id_attribute = BlockId(self.statblock.block_id).fill(place) if self.statblock.block_id else ""
        return StatblockRenderer(words, place.blocks, fragments.catalog).html(self.statblock, id_attribute)


class ReferenceHole(NamedTuple):
    """A reference to a footnote, or only its label if the footnote is not defined."""

    reference: nodes.FootnoteReference

    def fill(self, place: Place) -> str:
        """The reference for this place, which also counts it."""
        key = place.key(self.reference)
        if place.notes.find(key) is None:
            return f'<sup class="footnote">{escaped(self.reference.label)}</sup>'
        number, count = place.notes.add_reference(key)
        prefix = escaped(place.context.id_prefix)
        html_id = reference_id(prefix, number, count)
        return f'<sup class="footnote"><a href="#{prefix}fn:{number}" id="{html_id}">{number}</a></sup>'


def compact(pieces: Sequence[str | Hole]) -> Fragment:
    """The pieces of a fragment, with adjacent plain pieces joined."""
    joined: list[str | Hole] = []
    run: list[str | OnSite] = []
    for piece in pieces:
        if isinstance(piece, str | OnSite):
            run.append(piece)
        else:
            joined += _joined(run)
            run = []
            joined.append(piece)
    joined += _joined(run)
    return joined


def _joined(run: Sequence[str | OnSite]) -> tuple[()] | tuple[str | OnSite]:
    if len(run) > 1 and OnSite in map(type, run):
        parts = [(piece.site, piece.elsewhere) if isinstance(piece, OnSite) else (piece, piece) for piece in run]
        site, elsewhere = zip(*parts, strict=True)
        return (OnSite("".join(site), "".join(elsewhere)),)
    only = run[0] if len(run) == 1 else "".join(run)  # type: ignore[arg-type]  # no `OnSite` among them
    return (only,) if only else ()

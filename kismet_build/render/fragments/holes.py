"""Fragments: rendered blocks with typed holes for what differs from place to place.

A fragment is made once from its nodes. Pages, print, cards, previews and data each fill its holes in their own way. A
hole is an object, not a marker in the text, so authors cannot write one: docs/decisions/0030-fragments.md.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar
from urllib.parse import unquote

from markupsafe import Markup

from kismet_build.config.autolink import AutolinkRange
from kismet_build.model import nodes
from kismet_build.model.nodes import Block, FootnoteDefinition, is_url, plain_text, walk, with_raw_addresses
from kismet_build.render.fragments.sanitize import is_safe_image, is_safe_link, join_sanitized
from kismet_build.render.fragments.statblock import StatblockRenderer
from kismet_build.render.html.addresses import fragment as address_part
from kismet_build.render.html.escape import attribute, escaped

if TYPE_CHECKING:
    from kismet_build.render.fragments.renderer import RenderContext

Made = TypeVar("Made")


def nothing(_: object) -> str:
    """No words, no HTML and no address: what many functions of a place return by default."""
    return ""


def no_terms(_: object) -> tuple[AutolinkRange, ...]:
    """No automatic links, which is the default."""
    return ()


def _never(_: object) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class KeptFragments(Generic[Made]):
    """The fragments of the blocks for which `is_kept` is true, each made once."""

    is_kept: Callable[[Block], bool] = _never
    """Whether the book contains this block (the object itself, not an equal one)."""
    _made: dict[str, dict[int, tuple[Block, Made]]] = field(default_factory=dict)
    """For each document, blocks with their fragments. The keys are `id(block)`, as comparing blocks would be slow."""

    def get(self, block: Block, make: Callable[[Block], Made]) -> Made:
        """The fragment of a block: the kept one, or else the result of `make`."""
        if not self.is_kept(block):
            return make(block)
        made = self._made.setdefault(block.span.source.path, {})
        if id(block) not in made:
            made[id(block)] = (block, make(block))
        return made[id(block)][1]

    def forget(self, path: str) -> None:
        """Drop the fragments of a document that will not be shown again."""
        self._made.pop(path, None)


NoteKey = str | tuple[str, str]
"""The label of a footnote; inside an embed, the path of its document and its label."""


def footnotes_start(label: Markup) -> str:
    """The start tag of the list of footnotes. `label`: for screen readers."""
    return f'<section class="footnotes" aria-label="{label}">'


@dataclass(slots=True)
class FootnoteNumbers:
    """The footnotes of a text, with the number of references written so far."""

    blocks: Sequence[Block]
    other_definitions: Mapping[NoteKey, FootnoteDefinition]
    """Definitions of footnotes that the blocks do not define, by key."""
    numbers: dict[NoteKey, int] = field(default_factory=dict)
    """Number of each referenced footnote, by key."""
    keys: list[NoteKey] = field(default_factory=list)
    """Keys of the referenced footnotes, in the order of their numbers."""
    references: dict[NoteKey, int] = field(default_factory=dict)
    """Number of references to each footnote, by key."""
    own_definitions: dict[NoteKey, FootnoteDefinition] | None = None

    def find(self, key: NoteKey) -> FootnoteDefinition | None:
        """The footnote with this key; `None` if it is not defined."""
        if self.own_definitions is None:
            # Definitions are collected at the first reference, because few texts have any and the walk is slow.
            definitions = (node for node in walk(*self.blocks) if isinstance(node, FootnoteDefinition))
            self.own_definitions = {definition.label: definition for definition in definitions}
        return self.own_definitions.get(key) or self.other_definitions.get(key)

    def add_reference(self, key: NoteKey) -> tuple[int, int]:
        """Count a reference. Returns the number of the footnote, and the number of its references so far."""
        self.references[key] = self.references.get(key, 0) + 1
        if key not in self.numbers:
            self.keys.append(key)
            self.numbers[key] = len(self.keys)
        return self.numbers[key], self.references[key]

    def back_links(self, key: NoteKey, id_prefix: str, link_label: Markup) -> str:
        """Links from a footnote to all its references, as HTML. `link_label`: text for screen readers."""
        number = self.numbers[key]
        ids = (reference_id(id_prefix, number, count) for count in range(1, self.references[key] + 1))
        return " ".join(
            f'<a class="footnote-back" href="#{html_id}" aria-label="{link_label}">↩</a>' for html_id in ids
        )


def reference_id(id_prefix: str, number: int, count: int) -> str:
    """HTML id of the first, second, … reference to a footnote."""
    return f"{id_prefix}fnref:{number}" + (f"-{count}" if count > 1 else "")


class Hole(Protocol):
    """A part of a fragment that each place fills in its own way."""

    def fill(self, place: "Place") -> str:
        """The HTML of this part in a place."""


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
            return join_sanitized(parts, "\n")
        return "\n".join([html for html, _ in parts])

    def key(self, reference: nodes.FootnoteReference) -> NoteKey:
        return (reference.span.source.path, reference.label) if self.is_embedded else reference.label


class OnSite(NamedTuple):
    """HTML that only the website's style sheet and scripts use, with its replacement for other places."""

    site: str
    elsewhere: str = ""

    def fill(self, place: Place) -> str:
        return self.site if place.context.for_site else self.elsewhere


class Rolls(NamedTuple):
    """Something to roll, with its replacement for places where readers cannot roll, such as paper."""

    button: str
    words: str = ""

    def fill(self, place: Place) -> str:
        return self.button if place.context.has_dice else self.words


class RollAttributes(NamedTuple):
    """Attributes of a table or row that readers can roll on."""

    attributes: str

    def fill(self, place: Place) -> str:
        return self.attributes if place.context.for_site and place.context.has_dice else ""


class Caption(NamedTuple):
    """The caption of a table."""

    words: Fragment

    def fill(self, place: Place) -> str:
        line_end = "\n" if place.context.for_site else ""
        return f"<caption>{place.html(self.words)}</caption>{line_end}" if place.context.has_captions else ""


class BlockId(NamedTuple):
    """The `id` attribute of a named block."""

    name: str

    def fill(self, place: Place) -> str:
        return "" if place.is_embedded else f' id="{escaped(place.context.id_prefix)}{escaped(self.name)}"'


class Mark(NamedTuple):
    """The mark before the words of a block."""

    block: nodes.Paragraph | nodes.DefinitionItem

    def fill(self, place: Place) -> str:
        return place.context.mark(self.block)


class HeadingHole(NamedTuple):
    """A heading with its level, id, mark and permalink."""

    heading: nodes.Heading
    content: Fragment
    title: str
    """Plain text that replaces the content, except in embeds; empty to keep the content."""

    def fill(self, place: Place) -> str:
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
        address = place.context.term_address(self.term)
        if not address:
            return place.html(self.unlinked)
        start = f'<a class="term" href="{escaped(address)}">' if self.term.starts_link else ""
        return start + self.linked + ("</a>" if self.term.ends_link else "")


class TagHole(NamedTuple):
    """A tag, with a link if it has a page."""

    tag: nodes.Tag

    def fill(self, place: Place) -> str:
        address, name = place.context.tag_address(self.tag), f"#{escaped(self.tag.name)}"
        return f'<a class="tag" href="{escaped(address)}">{name}</a>' if address else name


class ImageHole(NamedTuple):
    """An image, or its alternative text if its address is missing or unsafe."""

    image: nodes.Image

    def fill(self, place: Place) -> str:
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
        parts = [(place.html(fragment), is_raw) for fragment, is_raw in self.fragments]
        html = join_sanitized(parts, self.separator)
        return html + self.end if html else ""


class Blocks(NamedTuple):
    """Blocks inside a `<div>`, such as a column. Places may decorate these blocks."""

    blocks: Sequence[nodes.Block]

    def fill(self, place: Place) -> str:
        return f"{content}\n" if (content := place.blocks(self.blocks)) else ""


class EmbedHole(NamedTuple):
    """The blocks of an embed, followed by a line end unless they are inline.

    Their fragments are not copied.
    """

    blocks: Sequence[nodes.Block]
    is_inline: bool
    """Whether the embed is a single paragraph shown among other words."""

    def fill(self, place: Place) -> str:
        inside = place._replace(is_embedded=True)
        if self.is_inline and isinstance(paragraph := self.blocks[0], nodes.Paragraph):
            return inside.html(place.context.fragments.content(paragraph))
        return f"{content}\n" if (content := inside.blocks(self.blocks)) else ""


class StatblockHole(NamedTuple):
    """A statblock, whose card is made by a template."""

    statblock: nodes.Statblock

    def fill(self, place: Place) -> str:
        fragments = place.context.fragments

        def words(paragraph: nodes.Paragraph) -> str:
            return place.html(fragments.content(paragraph))

        id_attribute = BlockId(self.statblock.block_id).fill(place) if self.statblock.block_id else ""
        return StatblockRenderer(words, place.blocks, fragments.catalog).html(self.statblock, id_attribute)


class ReferenceHole(NamedTuple):
    """A reference to a footnote, or only its label if the footnote is not defined."""

    reference: nodes.FootnoteReference

    def fill(self, place: Place) -> str:
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

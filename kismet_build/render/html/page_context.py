"""Answer what the text alone cannot know: where its links, pictures and embeds lead from one page of the tree."""

from collections.abc import Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from kismet_build.config.game import display_title
from kismet_build.model.book import BLOCK, Anchor, Target
from kismet_build.model.nodes import (
    Block,
    Embed,
    FootnoteDefinition,
    FootnoteReference,
    Heading,
    Image,
    Link,
    Node,
    Paragraph,
    Text,
    is_address,
    plain_text,
)
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Pack
from kismet_build.render.html.addresses import fragment, root
from kismet_build.render.html.context import Href, RenderContext, Term, as_typed, no_mark, picture_as_typed
from kismet_build.render.html.dice_buttons import rolled_on, words_with_dice

NO_MARKS: Mapping[Span, str] = MappingProxyType({})
NO_LEVELS: Mapping[Span, int] = MappingProxyType({})
NOTHING_AFTER: Mapping[int, str] = MappingProxyType({})


def outlet(
    pack: Pack,
    address: str,
    *,
    end: str = "",
    marks: Mapping[Span, str] = NO_MARKS,
    after: Mapping[int, str] = NOTHING_AFTER,
    permalinks: bool = False,
    levels: Mapping[Span, int] = NO_LEVELS,
    spelled: bool = False,
) -> RenderContext:
    """The outlet for a page at an address; links to other pages end in `/` and then in `end`.

    Those that are `spelled` say on paper what they lead to.

    What stands `after` blocks is given by their identity: a block that is shown twice is another object there.
    """
    book, autolinks, up = pack.book, pack.autolinks, root(address)

    def href(link: Link) -> Href:
        if (file := book.files.get(link.span)) is not None:
            _, sign, part = link.target.partition("#")
            return Href(up + file_address(pack, file) + sign + quote(part, safe="=&,"), "ok", link.title)
        target = book.targets.get(link.span)
        if target is None:
            return Href(as_typed(link).address, "external", link.title)
        there = _there(pack, link, target)
        if there is None:
            return Href("", "missing", f"not yet written: {missing_title(link.target)}")
        way = f"{up}{there.id}/{end}" if isinstance(there, Entity) else _to_anchor(there)
        return Href(way, "ok", link.title, _unsaid(pack, link, there, address) if spelled else "")

    def _to_anchor(anchor: Anchor) -> str:
        there = chapter_address(pack, anchor)
        place = fragment(anchor.id)
        return place if there == address and place else f"{up}{there}{end}{place}"

    def picture(image: Image) -> str:
        if (file := book.files.get(image.span)) is not None:
            return up + file_address(pack, file)
        return picture_as_typed(image) if is_address(image.target) else ""

    def embed(node: Embed) -> tuple[Block, ...] | None:
        if node.span in book.files:
            return _linked(node)
        shown = book.shown(node)
        if shown is None:
            return None
        # What is shown twice on a page can have its names only once.
        return _linked(node) if book.cycle(node) else tuple(shown_again(block) for block in book.extent(shown))  # type: ignore[misc]

    def heading_id(heading: Heading) -> str:
        anchor = book.anchor_of.get(heading.span)
        return anchor.id if anchor is not None else ""

    def terms(text: Text) -> tuple[Term, ...]:
        found = autolinks.get(text.span)
        if found is None:
            return ()
        return tuple(
            Term(one.start, one.end, f"{up}{one.target}/{end}", one.opens, one.closes)
            for one in found.within(text.value)
            if address != f"{one.target}/"
        )

    def mark(block: Block) -> str:
        return marks.get(block.span, "")

    return RenderContext(
        href=href,
        picture=picture,
        embed=embed,
        heading_id=heading_id,
        mark=mark if marks else no_mark,
        after=lambda block: after.get(id(block), ""),
        permalinks=permalinks,
        heading_level=lambda heading: levels.get(heading.span, heading.level),
        words=words_with_dice,
        terms=terms,
        roll=rolled_on,
    )


def place_on_paper(pack: Pack, link: Link, address: str) -> str:
    """What a link leads to, for who reads the page at an address on paper: as far as its words do not say it."""
    there = _there(pack, link, pack.book.targets.get(link.span))
    return "" if there is None else _unsaid(pack, link, there, address)


def _there(pack: Pack, link: Link, target: Target | None) -> Entity | Anchor | None:
    """What a link with a target leads to: the card of an entity, else a place in the text."""
    anchor = None if target is None else target.anchor
    entity = pack.link_entities.get(link.span)
    if entity is not None and (anchor is None or anchor.span.start != entity.span.start):
        return entity
    return anchor


def _unsaid(pack: Pack, link: Link, there: Entity | Anchor, address: str) -> str:
    """What the words of a link do not say of the place that it leads to."""
    words = normalize(plain_text(*link.children))
    if isinstance(there, Entity):
        return "" if normalize(there.name) in words else f"{pack.kind(there).title}: {there.name}"
    names = [there.chapter.title] if chapter_address(pack, there) != address else []
    names += [there.title] if 0 < there.level < BLOCK else []
    return ", ".join(name for name in names if normalize(name) not in words)


def chapter_address(pack: Pack, anchor: Anchor) -> str:
    """The address of the page that an anchor stands on."""
    return f"{pack.game.id}/{anchor.chapter.slug}/"


def file_address(pack: Pack, file: str) -> str:
    """Where a file that stands beside the texts is copied to."""
    return pack.addresses[file]


def missing_title(target: str) -> str:
    """The title of a document that nobody wrote yet, from a link to it."""
    return display_title(target.partition("#")[0].strip().rpartition("/")[2])


def shown_again(node: Node) -> Node:
    """A node as it is shown a second time: without ids, its footnotes told apart from those of the page."""
    changes: dict[str, Any] = {}
    for field in fields(node):
        value = getattr(node, field.name)
        if field.name == "block_id":
            changes["block_id"] = ""
        elif isinstance(value, Node):
            changes[field.name] = shown_again(value)
        elif isinstance(value, tuple) and any(isinstance(item, Node) for item in value):
            changes[field.name] = tuple(map(shown_again, value))
    source, start = node.span.source, node.span.start
    match node:
        case Heading():
            # The anchor of a heading is found by its span.
            changes["span"] = source.span(start, start)
        case FootnoteReference(label=label) | FootnoteDefinition(label=label):
            changes["label"] = f"{source.path}#{label}"
        case _:
            pass
    return replace(node, **changes) if changes else node


def _linked(node: Embed) -> tuple[Block, ...]:
    """A link in the place of an embed that cannot be shown there."""
    label = Text(node.span, node.label or node.target.replace("#", " > ").strip(" >"))
    return (Paragraph(span=node.span, children=(Link(span=node.span, target=node.target, children=(label,)),)),)

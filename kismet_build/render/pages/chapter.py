"""The pages of a book's chapters."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from kismet_build.config.kind import Kind
from kismet_build.model.book import Chapter
from kismet_build.model.nodes import (
    Block,
    DefinitionItem,
    Heading,
    Link,
    Paragraph,
    Row,
    Text,
    flow,
    plain_text,
    walk,
    walk_blocks,
)
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Entity, Pack
from kismet_build.render.html.addresses import INDEX, Signpost, root
from kismet_build.render.html.escape import quoted
from kismet_build.render.html.excerpt import summary
from kismet_build.render.html.footnotes import Footnotes
from kismet_build.render.html.page_context import outlet
from kismet_build.render.html.renderer import inline_html, to_html
from kismet_build.render.html.templates import ornament
from kismet_build.render.pages.calculators import beside
from kismet_build.render.pages.folder import crumbs, listing
from kismet_build.render.pages.navigation import Folder
from kismet_build.render.pages.page import Entry, Lines, Page
from kismet_build.render.pages.table_of_contents import MANY, Branch, openings, shown_levels, tree

MARKED = frozenset((Heading, Paragraph, DefinitionItem, Row))
"""What may begin with a link to the card of an entity."""


def top_sections(pack: Pack, chapter: Chapter) -> list[str]:
    """The titles of the sections of a chapter that are in no other."""
    headings = _headings(_split(chapter).rest)
    return [entry.title for entry in _contents(pack, headings, shown_levels(headings)) if entry.level == 1]


def chapter_page(
    pack: Pack,
    by_slug: Mapping[str, Folder],
    place: int,
    footnotes: Footnotes,
) -> Page:
    """The page of the chapter at a place in the book, whose folders are given by their slugs."""
    chapters = pack.book.chapters
    chapter = chapters[place]
    address = _address(pack, chapter)
    folder = by_slug.get(chapter.slug)
    trail, titles, rest = _split(chapter)
    headings = _headings(rest)
    levels = shown_levels(headings)
    anchor_of = pack.book.anchor_of
    marks = _marks(pack, chapter, root(address))
    contents = _contents(pack, headings, levels)
    branches = tree(contents)
    # A heading is cited by no calculator, so that nothing of the two is lost.
    after = {**_openings(headings, contents, branches), **beside(pack, chapter, rest, address)}
    ways = outlet(pack, address, end=INDEX, marks=marks, after=after, permalinks=True, levels=levels, spelled=True)
    article = chapter_html(
        title=title_html(
            chapter.title,
            ids=[anchor_of[title.span].id for title in titles],
            trail=inline_html(trail.children, ways) if trail else "",
            trail_id=anchor_of[trail.span].id if trail else "",
        ),
        opening="" if _lists_itself(rest) else _opening(chapter.title, branches),
        text=to_html(rest, ways, footnotes=footnotes.get(chapter.source, {})),
        listing=listing(pack, folder, address) if folder else "",
    )
    return Page(
        address=address,
        title=chapter.title,
        role="chapter",
        article=article,
        contents=contents,
        breadcrumbs=crumbs(pack, by_slug[chapter.slug.rpartition("/")[0]]),
        previous=_signpost(pack, chapters[place - 1]) if place else None,
        next=_signpost(pack, chapters[place + 1]) if place + 1 < len(chapters) else None,
        source=(Lines(chapter.source.path, *chapter.source.whole().lines),),
        data=f"data/{pack.game.id}/pack.json",
        description=_description(rest) or f"{chapter.title}, a chapter of {pack.game.title}",
    )


class _Parts(NamedTuple):
    """What a text consists of."""

    trail: Heading | None
    """The way to the chapter."""
    titles: list[Heading]
    """Headings that only repeat the title."""
    rest: tuple[Block, ...]


def _split(chapter: Chapter) -> _Parts:
    blocks = chapter.document.blocks
    trail = _trail(blocks, chapter)
    titles = [block for block in blocks if isinstance(block, Heading) and _is_title(block, chapter)]
    return _Parts(trail, titles, tuple(block for block in blocks if block is not trail and block not in titles))


def _headings(blocks: tuple[Block, ...]) -> list[Heading]:
    return [block for block in flow(blocks) if isinstance(block, Heading)]


def _contents(pack: Pack, headings: Sequence[Heading], levels: Mapping[Span, int]) -> tuple[Entry, ...]:
    anchors = [pack.book.anchor_of[heading.span] for heading in headings]
    return tuple(
        Entry(levels[heading.span] - 1, anchor.title, anchor.id)
        for heading, anchor in zip(headings, anchors, strict=True)
    )


def _address(pack: Pack, chapter: Chapter) -> str:
    return f"{pack.game.id}/{chapter.slug}/"


def _signpost(pack: Pack, chapter: Chapter) -> Signpost:
    return Signpost(_address(pack, chapter), chapter.title)


def _openings(headings: Sequence[Heading], contents: Sequence[Entry], branches: Sequence[Branch]) -> Mapping[int, str]:
    """For the headings of long sections what these begin with, by the identity of the heading."""
    found = openings(branches)
    return {
        id(heading): f"\n{_opening(entry.title, found[entry.id])}".rstrip("\n")
        for heading, entry in zip(headings, contents, strict=True)
        if entry.id in found
    }


def _opening(title: str, branches: Sequence[Branch]) -> str:
    return opening_html(title, branches) if len(branches) >= MANY else ""


def _lists_itself(blocks: Sequence[Block]) -> bool:
    """Whether a text begins with its own list of its sections."""
    before = takewhile(lambda block: not isinstance(block, Heading), blocks)
    return sum(isinstance(node, Link) for node in walk(*before)) >= MANY


def _marks(pack: Pack, chapter: Chapter, up: str) -> Mapping[Span, str]:
    """For each heading, paragraph or term that an entity starts with, the link to its card."""
    starts: dict[int, list[Entity]] = {}
    for entity in pack.by_source.get(chapter.source, ()):
        starts.setdefault(entity.span.start, []).append(entity)
    places = sorted(starts)
    marks: dict[Span, str] = {}
    for node in walk_blocks(*chapter.document.blocks) if starts else ():
        if type(node) not in MARKED or (start := node.span.start) not in starts:
            continue
        match node:
            case Heading() | Paragraph():
                # A paragraph that names many things is the card of none of them.
                inside = places[bisect_left(places, start) : bisect_left(places, node.span.end)]
                if inside == [start]:
                    marks[node.span] = _mark(pack, starts[start], isinstance(node, Heading), up)
            case DefinitionItem():
                marks[node.span] = _mark(pack, starts[start], False, up)
            case Row():
                first = next((block for cell in node.cells for block in cell.children), None)
                if first is not None:
                    marks[first.span] = _mark(pack, starts.pop(start), False, up)
    return marks


def _mark(pack: Pack, entities: list[Entity], spelled: bool, up: str) -> str:
    """The ornament of a card as a link to it; beside a heading with the word, in a text with the word for listeners."""
    return " ".join(to_card(pack.kind(entity), entity.name, f"{up}{entity.id}/{INDEX}", spelled) for entity in entities)


def _is_title(block: Heading, chapter: Chapter) -> bool:
    """Whether a heading only repeats the title of the chapter, which stands above its text already."""
    return block.level == 1 and normalize(plain_text(block)) == normalize(chapter.title)


def _trail(blocks: tuple[Block, ...], chapter: Chapter) -> Heading | None:
    """The heading of links that some authors begin with, ending in the title: a way to here, and no section."""
    first = blocks[0] if blocks else None
    if not isinstance(first, Heading) or first.level != 1:
        return None
    links = [child for child in first.children if isinstance(child, Link)]
    rest = normalize("".join(child.value for child in first.children if isinstance(child, Text)))
    only = all(isinstance(child, Link | Text) for child in first.children)
    return first if links and only and not any(map(str.isalnum, rest.removesuffix(normalize(chapter.title)))) else None


def _description(blocks: tuple[Block, ...]) -> str:
    """The first paragraph that is prose, not a list of links."""
    for block in flow(blocks):
        words = plain_text(block) if isinstance(block, Paragraph) else ""
        if len(words) <= 40:
            continue
        if len(words) > 2 * sum(len(plain_text(node)) for node in walk(block) if isinstance(node, Link)):
            return summary(words)
    return ""


def chapter_html(title: str, opening: str, text: str, listing: str) -> str:
    """A chapter: its title, the names of its sections where those are many, its text, what is in its folder."""
    within = f'<div class="of-chapter">\n{opening}</div>\n' if opening else ""
    return f"""{title}{within}<div class="text">
{text}
</div>
{_in_folder(listing)}"""


def title_html(title: str, ids: Sequence[str], trail: str, trail_id: str) -> str:
    """The title of a chapter with the way to it, which is HTML, and with the ids of all headings that say the same."""
    way = f'<p class="trail" id="{quoted(trail_id)}">{trail}</p>\n' if trail else ""
    # The headings that repeat the title are gone; links to them still lead here.
    others = "".join(f'<span id="{quoted(one)}"></span>\n' for one in ids[1:])
    named = f' id="{quoted(ids[0])}"' if ids else ""
    return f'<header class="title">\n{way}{others}<h1{named}>{quoted(title)}</h1>\n</header>\n'


def opening_html(title: str, branches: Sequence[Branch]) -> str:
    """What a long section begins with: the names of what is in it."""
    lines = "".join(f'<li><a href="{entry.link}">{quoted(entry.title)}</a></li>\n' for entry, _ in branches)
    return f'<ul class="opening" aria-label="Sections of {quoted(title)}">\n{lines}</ul>\n'


def to_card(kind: Kind, name: str, href: str, spelled: bool) -> str:
    """The way from where a text defines something to its card; beside a heading with the word for it."""
    named = quoted(name)
    words = " card" if spelled else f'<span class="heard">Card of {named}</span>'
    title = f"{quoted(kind.title)}: {named}"
    opening = f'<a class="to-card tint-{quoted(kind.colour)}" href="{href}" title="{title}">'
    return f"{opening}{ornament(kind.ornament)}{words}</a>"


def _in_folder(listing: str) -> str:
    if not listing:
        return ""
    return f"""<section class="in-folder" aria-labelledby="_in-folder">
<h2 id="_in-folder">In this folder</h2>
{listing}
</section>
"""

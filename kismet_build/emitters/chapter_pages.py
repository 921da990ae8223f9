"""The page of a chapter."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import takewhile

from markupsafe import Markup

from kismet_build.book import Chapter
from kismet_build.emitters.calculator_pages import beside
from kismet_build.emitters.contents import MANY, Branch, openings, shown_levels, tree
from kismet_build.emitters.folder_pages import crumbs, listing
from kismet_build.emitters.folders import Folder
from kismet_build.emitters.html import inline_html, to_html
from kismet_build.emitters.outlet import outlet
from kismet_build.emitters.page import INDEX, Entry, Lines, Page, Signpost, root, summary
from kismet_build.emitters.template import ornament, template
from kismet_build.entity import Entity, Pack
from kismet_build.model import (
    Block,
    DefinitionItem,
    FootnoteDefinition,
    Heading,
    Link,
    Paragraph,
    Row,
    Text,
    flow,
    plain_text,
    walk,
)
from kismet_build.name import fold
from kismet_build.source import Span


def chapter_page(
    pack: Pack, place: int, by_slug: Mapping[str, Folder], footnotes: Mapping[str, FootnoteDefinition]
) -> Page:
    """The page of the chapter at a place in the reading order; the folders of the game are given by their slugs."""
    chapter = pack.book.chapters[place]
    address = f"{pack.game.id}/{chapter.slug}/"
    blocks = chapter.document.blocks
    trail = _trail(blocks, chapter)
    titles = [block for block in blocks if _is_title(block, chapter)]
    rest = tuple(block for block in blocks if block is not trail and block not in titles)
    headings = [block for block in flow(rest) if isinstance(block, Heading)]
    levels = shown_levels(headings)
    anchor_of = pack.book.anchor_of
    marks = _marks(pack, chapter, root(address))
    contents = tuple(
        Entry(levels[heading.span] - 1, anchor_of[heading.span].title, anchor_of[heading.span].id)
        for heading in headings
    )
    # A heading is cited by no calculator, so that nothing of the two is lost.
    after = {**_openings(headings, contents), **beside(pack, chapter, rest, address)}
    ways = outlet(pack, address, end=INDEX, marks=marks, after=after, permalinks=True, levels=levels, spelled=True)
    article = template("article_chapter").render(
        title=chapter.title,
        ids=[anchor_of[title.span].id for title in titles],
        trail=Markup(inline_html(trail.children, ways)) if trail else "",
        trail_id=anchor_of[trail.span].id if trail else "",
        opening="" if _lists_itself(rest) else _opening(chapter.title, tree(contents)),
        text=Markup(to_html(rest, ways, footnotes=footnotes)),
        listing=listing(pack, by_slug[chapter.slug], address) if chapter.slug in by_slug else "",
    )
    return Page(
        address=address,
        title=chapter.title,
        role="chapter",
        article=article,
        contents=contents,
        breadcrumbs=crumbs(pack, by_slug[chapter.slug.rpartition("/")[0]]),
        previous=_signpost(pack, place - 1),
        next=_signpost(pack, place + 1),
        source=(Lines(chapter.source.path, *chapter.source.whole().lines),),
        data=f"data/{pack.game.id}/pack.json",
        description=_description(rest) or f"{chapter.title}, a chapter of {pack.game.title}",
    )


def _signpost(pack: Pack, place: int) -> Signpost | None:
    chapters = pack.book.chapters
    if not 0 <= place < len(chapters):
        return None
    return Signpost(f"{pack.game.id}/{chapters[place].slug}/", chapters[place].title)


def _openings(headings: Sequence[Heading], contents: Sequence[Entry]) -> Mapping[int, str]:
    """For the headings of long sections what these begin with, by the identity of the heading."""
    found = openings(tree(contents))
    return {
        id(heading): f"\n{_opening(entry.title, found[entry.id])}".rstrip("\n")
        for heading, entry in zip(headings, contents, strict=True)
        if entry.id in found
    }


def _opening(title: str, branches: Sequence[Branch]) -> Markup:
    if len(branches) < MANY:
        return Markup("")
    return Markup(template("opening").render(title=title, branches=branches))


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
    for node in chapter.document.nodes:
        match node:
            case Heading() | Paragraph():
                # A paragraph that names many things is the card of none of them.
                start, end = node.span.start, node.span.end
                inside = places[bisect_left(places, start) : bisect_left(places, end)]
                if inside == [start] and start in starts:
                    marks[node.span] = _mark(pack, starts[node.span.start], isinstance(node, Heading), up)
            case DefinitionItem() if node.span.start in starts:
                marks[node.span] = _mark(pack, starts[node.span.start], False, up)
            case Row() if node.span.start in starts:
                first = next((block for cell in node.cells for block in cell.children), None)
                if first is not None:
                    marks[first.span] = _mark(pack, starts.pop(node.span.start), False, up)
    return marks


def _mark(pack: Pack, entities: list[Entity], spelled: bool, up: str) -> str:
    """The ornament of a card as a link to it; beside a heading with the word, in a text with the word for listeners."""
    links = []
    for entity in entities:
        kind = pack.kind(entity)
        word = Markup(" card") if spelled else Markup('<span class="heard">Card of {}</span>').format(entity.name)
        link = Markup('<a class="to-card tint-{}" href="{}" title="{}: {}">{}{}</a>')
        href = f"{up}{entity.id}/{INDEX}"
        links.append(link.format(kind.colour, href, kind.title, entity.name, ornament(kind.ornament), word))
    return str(Markup(" ").join(links))


def _is_title(block: Block, chapter: Chapter) -> bool:
    """Whether a block only repeats the title of the chapter, which stands above its text already."""
    return isinstance(block, Heading) and block.level == 1 and fold(plain_text(block)) == fold(chapter.title)


def _trail(blocks: tuple[Block, ...], chapter: Chapter) -> Heading | None:
    """The heading of links that some authors begin with, ending in the title: a way to here, and no section."""
    first = blocks[0] if blocks else None
    if not isinstance(first, Heading) or first.level != 1:
        return None
    links = [child for child in first.children if isinstance(child, Link)]
    rest = fold("".join(child.value for child in first.children if isinstance(child, Text)))
    only = all(isinstance(child, Link | Text) for child in first.children)
    return first if links and only and not any(map(str.isalnum, rest.removesuffix(fold(chapter.title)))) else None


def _description(blocks: tuple[Block, ...]) -> str:
    """The first paragraph that is prose, not a list of links."""
    for block in flow(blocks):
        words = plain_text(block) if isinstance(block, Paragraph) else ""
        linked = sum(len(plain_text(node)) for node in walk(block) if isinstance(node, Link))
        if len(words) > max(40, 2 * linked):
            return summary(words)
    return ""

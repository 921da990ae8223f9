"""The pages of a book's chapters."""

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from kismet_build.book import Chapter
from kismet_build.emitters.calculator_pages import beside
from kismet_build.emitters.html import inline_html, to_html
from kismet_build.emitters.outlet import outlet
from kismet_build.emitters.page import INDEX, Entry, Page, Signpost, root, summary
from kismet_build.emitters.template import ornament, template
from kismet_build.entity import Entity, Pack
from kismet_build.model import Block, FootnoteDefinition, Heading, Link, Paragraph, Row, Text, flow, plain_text, walk
from kismet_build.name import fold
from kismet_build.source import Source, Span


def chapter_pages(pack: Pack, footnotes: Mapping[Source, Mapping[str, FootnoteDefinition]]) -> Iterator[Page]:
    """A page for each chapter, in reading order."""
    chapters = pack.book.chapters
    signposts = [Signpost(f"{pack.game.id}/{chapter.slug}/", chapter.title) for chapter in chapters]
    for place, chapter in enumerate(chapters):
        yield _page(
            pack,
            chapter,
            footnotes.get(chapter.source, {}),
            previous=signposts[place - 1] if place else None,
            following=signposts[place + 1] if place + 1 < len(signposts) else None,
        )


def _page(
    pack: Pack,
    chapter: Chapter,
    footnotes: Mapping[str, FootnoteDefinition],
    *,
    previous: Signpost | None,
    following: Signpost | None,
) -> Page:
    address = f"{pack.game.id}/{chapter.slug}/"
    blocks = chapter.document.blocks
    trail = _trail(blocks, chapter)
    titles = [block for block in blocks if _is_title(block, chapter)]
    rest = tuple(block for block in blocks if block is not trail and block not in titles)
    headings = [block for block in flow(rest) if isinstance(block, Heading)]
    levels = _levels(headings)
    anchor_of = pack.book.anchor_of
    marks = _marks(pack, chapter, root(address))
    after = beside(pack, chapter, rest, address)
    ways = outlet(pack, address, end=INDEX, marks=marks, after=after, permalinks=True, levels=levels)
    article = template("article_chapter").render(
        title=chapter.title,
        ids=[anchor_of[title.span].id for title in titles],
        trail=Markup(inline_html(trail.children, ways)) if trail else "",
        trail_id=anchor_of[trail.span].id if trail else "",
        text=Markup(to_html(rest, ways, footnotes=footnotes)),
    )
    return Page(
        address=address,
        title=chapter.title,
        role="chapter",
        article=article,
        contents=tuple(
            Entry(levels[heading.span] - 1, anchor_of[heading.span].title, anchor_of[heading.span].id)
            for heading in headings
        ),
        breadcrumbs=(Signpost(f"{pack.game.id}/", pack.game.title),),
        previous=previous,
        next=following,
        description=_description(rest) or f"{chapter.title}, a chapter of {pack.game.title}",
    )


def _levels(headings: Sequence[Heading]) -> Mapping[Span, int]:
    """The levels at which headings are shown: one `<h1>` a page, which is the title, and no level left out below it."""
    levels: dict[Span, int] = {}
    above: list[int] = []
    for heading in headings:
        while above and above[-1] >= heading.level:
            above.pop()
        above.append(heading.level)
        levels[heading.span] = 1 + len(above)
    return levels


def _marks(pack: Pack, chapter: Chapter, up: str) -> Mapping[Span, str]:
    """For each heading or paragraph that an entity starts with, the link to its card."""
    starts: dict[int, list[Entity]] = {}
    for entity in pack.every():
        if entity.span.source is chapter.source:
            starts.setdefault(entity.span.start, []).append(entity)
    marks: dict[Span, str] = {}
    for node in walk(*chapter.document.blocks):
        match node:
            case Heading() | Paragraph():
                # A paragraph that names many things is the card of none of them.
                inside = [place for place in starts if node.span.start <= place < node.span.end]
                if inside == [node.span.start]:
                    marks[node.span] = _mark(pack, starts[node.span.start], isinstance(node, Heading), up)
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

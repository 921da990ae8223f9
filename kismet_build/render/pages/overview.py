"""The pages that look at a whole game: its home, glossary, downloads and errata."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from kismet_build.model.book import BLOCK, Anchor, Book
from kismet_build.model.diagnostic import Diagnostic, count
from kismet_build.model.nodes import Embed, Link
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import natural_order, normalize
from kismet_build.pack import Pack
from kismet_build.render.data.ambiguous_names import looks
from kismet_build.render.html.addresses import INDEX, Signpost, fragment, root
from kismet_build.render.html.excerpt import summary
from kismet_build.render.html.page_context import chapter_address, missing_title
from kismet_build.render.html.templates import template
from kismet_build.render.pages.board import board_address
from kismet_build.render.pages.calculators import sheet_address, sheets
from kismet_build.render.pages.folder import listing
from kismet_build.render.pages.glossary import by_letter, contents
from kismet_build.render.pages.library import GLOSSARY as LIBRARY_GLOSSARY
from kismet_build.render.pages.navigation import Folder
from kismet_build.render.pages.page import Entry, Page
from kismet_build.render.pages.print import is_printable, printed_kinds


def home_page(pack: Pack, top: Folder, sections: Mapping[str, Sequence[str]]) -> Page:
    """The first page of a game: its folders, and the chapters in none, with the titles of their sections by slug."""
    game = pack.game
    address = f"{game.id}/"
    article = template("article_home").render(
        game=game,
        up=root(address),
        index=INDEX,
        listing=listing(pack, top, address, sections),
        kinds=[(kind, len(pack.entities.get(kind.id, ()))) for kind in game.kinds.values()],
        boards=[(board, board_address(pack, board)) for board in game.boards],
        printable=is_printable(pack),
        cards=printed_kinds(pack),
        unwritten=_unwritten(pack),
        sheets=[(calculator.title, sheet_address(calculator)) for calculator in sheets(pack)],
        counts=count(pack.diagnostics),
    )
    description = summary(game.description or f"The rules of {game.title}")
    return Page(address=address, title=game.title, role="home", article=article, description=description)


def glossary_page(pack: Pack) -> Page:
    """Every name of the game from A to Z; an alias says which name to see."""
    address = f"{pack.game.id}/glossary/"
    names = [(entity.name, entity.id, (entity.name, entity, False)) for entity in pack.every()]
    names += [(alias, entity.id, (alias, entity, True)) for entity in pack.every() for alias in entity.aliases]
    letters = by_letter(names)
    article = template("article_glossary").render(
        letters=letters,
        up=root(address),
        index=INDEX,
        kind_of=lambda entity: pack.kind(entity),
        game=pack.game,
        every=LIBRARY_GLOSSARY,
    )
    about = f"Every name in {pack.game.title} from A to Z"
    return _page(pack, address, "Glossary", "glossary", article, about, contents(letters))


def downloads_page(pack: Pack) -> Page:
    """Every data file of the game with what it is and the schema that it satisfies."""
    address = f"{pack.game.id}/downloads/"
    kinds = [(kind, len(pack.entities.get(kind.id, ()))) for kind in pack.game.kinds.values()]
    article = template("article_downloads").render(
        game=pack.game,
        up=root(address),
        index=INDEX,
        kinds=kinds,
        findings=len(pack.diagnostics),
        printable=is_printable(pack),
        cards=printed_kinds(pack),
    )
    return _page(pack, address, "Data", "downloads", article, f"{pack.game.title} as JSON, with schemas")


def errata_page(pack: Pack) -> Page:
    """What was found wrong in the text, by chapter."""
    address = f"{pack.game.id}/errata/"
    titles = {chapter.source: chapter.title for chapter in pack.book.chapters}
    order = {source: place for place, source in enumerate(titles)}
    found = sorted(pack.diagnostics, key=lambda one: (order.get(one.span.source, len(order)), one.order))
    chapters = [
        (titles.get(source, source.path), source.path, f"_{place}", [_finding(pack, one) for one in diagnostics])
        for place, (source, diagnostics) in enumerate(groupby(found, key=lambda one: one.span.source))
    ]
    article = template("article_errata").render(
        game=pack.game, up=root(address), chapters=chapters, counts=count(pack.diagnostics), looks=looks(pack)
    )
    return _page(
        pack,
        address,
        "Errata",
        "errata",
        article,
        f"What the compiler found in the text of {pack.game.title}, with places",
        tuple(Entry(1, title, chapter_id) for title, _, chapter_id, _ in chapters),
    )


def _page(
    pack: Pack,
    address: str,
    title: str,
    role: Any,
    article: str,
    description: str,
    contents: tuple[Entry, ...] = (),
) -> Page:
    return Page(
        address=address,
        title=title,
        role=role,
        article=article,
        contents=contents,
        breadcrumbs=(Signpost(f"{pack.game.id}/", pack.game.title),),
        description=description,
    )


class Finding(NamedTuple):
    """A diagnostic with the way to the section that it stands in."""

    diagnostic: Diagnostic
    place: str
    others: str
    """Lines of the places that belong to it."""
    section: Signpost | None


def _finding(pack: Pack, diagnostic: Diagnostic) -> Finding:
    span = diagnostic.span
    line, column = span.source.place(span.start)
    return Finding(diagnostic, f"line {line}, column {column}", _others(diagnostic), _section(pack, span))


def _others(diagnostic: Diagnostic) -> str:
    """The lines of the places that belong to a diagnostic, those in its own text first."""
    lines: dict[str, list[int]] = {diagnostic.span.source.path: []}
    for related in diagnostic.related:
        source = related.span.source
        lines.setdefault(source.path, []).append(source.place(related.span.start)[0])
    parts = []
    for place, (path, numbers) in enumerate(lines.items()):
        unique = sorted(set(numbers))
        if unique:
            word = "line" if len(unique) == 1 else "lines"
            parts.append(f"{path + ', ' if place else ''}{word} {', '.join(map(str, unique))}")
    return "; ".join(parts)


def _section(pack: Pack, span: Span) -> Signpost | None:
    """The heading above a place in a chapter."""
    above = [anchor for anchor in pack.book.anchors.get(span.source, ()) if _starts_before(anchor, span)]
    if not above:
        return None
    anchor = above[-1]
    return Signpost(chapter_address(pack, anchor) + INDEX + fragment(anchor.id), anchor.title)


def _starts_before(anchor: Anchor, span: Span) -> bool:
    return anchor.level < BLOCK and anchor.span.start <= span.start


def _unwritten(pack: Pack) -> list[tuple[str, int]]:
    """The documents that the text links to and nobody wrote, each with the number of links, in order of their files."""
    found: dict[str, tuple[str, int]] = {}
    for path in _missing(pack.book, pack):
        first, number = found.get(normalize(path), (path, 0))
        found[normalize(path)] = (first, number + 1)
    ordered = sorted(found.values(), key=lambda row: natural_order(row[0]))
    return [(missing_title(path), number) for path, number in ordered]


def _missing(book: Book, pack: Pack) -> Iterator[str]:
    for chapter in book.chapters:
        for node in chapter.document.links:
            if not isinstance(node, (Link, Embed)) or node.span in pack.link_entities:
                continue
            target = book.targets.get(node.span)
            if target is not None and target.status == "missing-document":
                yield node.target.partition("#")[0].strip()

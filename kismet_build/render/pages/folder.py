"""The pages of folders, and what any page shows of the folder that it stands for."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from markupsafe import Markup

from kismet_build.model.book import Chapter
from kismet_build.pack import Pack
from kismet_build.render.html.addresses import INDEX, Signpost, root
from kismet_build.render.html.templates import template
from kismet_build.render.pages.navigation import Folder
from kismet_build.render.pages.page import Page

MOST_CARDS = 60
"""Of more chapters than this a page has a plain list."""
TOLD = 4
"""So many of the texts in a folder are named on its card."""
NO_SECTIONS: Mapping[str, Sequence[str]] = MappingProxyType({})


def folder_pages(pack: Pack, top: Folder) -> Iterator[Page]:
    """A page for each folder, but for those that have a text of their own at their address."""
    for folder in top.every():
        if folder is top or folder.chapter is not None:
            continue
        address = f"{pack.game.id}/{folder.slug}/"
        yield Page(
            address=address,
            title=folder.title,
            role="folder",
            article=template("article_folder").render(title=folder.title, listing=listing(pack, folder, address)),
            breadcrumbs=crumbs(pack, folder.above),
            description=f"{folder.number} chapters of {pack.game.title}",
        )


def crumbs(pack: Pack, folder: Folder | None) -> tuple[Signpost, ...]:
    """The game, and the folders from the outermost down to this one."""
    game = pack.game
    around = () if folder is None else folder.trail()
    return (Signpost(f"{game.id}/", game.title), *(Signpost(f"{game.id}/{one.slug}/", one.title) for one in around))


def listing(pack: Pack, folder: Folder, address: str, sections: Mapping[str, Sequence[str]] = NO_SECTIONS) -> Markup:
    """What is in a folder, for the page at an address; `sections` are the headings of chapters by their slugs."""
    chapters = [item for item in folder.items if isinstance(item, Chapter)]
    return Markup(
        template("folder").render(
            folders=[
                (item, [one.title for one in item.items[:TOLD]]) for item in folder.items if isinstance(item, Folder)
            ],
            chapters=[(chapter, sections.get(chapter.slug, ())) for chapter in chapters],
            as_cards=len(chapters) <= MOST_CARDS,
            up=f"{root(address)}{pack.game.id}/",
            index=INDEX,
        )
    )

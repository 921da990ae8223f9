"""Pages of folders, and the list of a folder's contents for any page."""

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType

from markupsafe import Markup

from kismet_build.model.book import Chapter
from kismet_build.pack import Pack
from kismet_build.render.html.addresses import INDEX, PageLink, path_to_root
from kismet_build.render.html.templates import template
from kismet_build.render.pages.navigation import Folder, folders
from kismet_build.render.pages.page import LazyPages, Page

MAX_CARDS = 60
"""Maximum number of chapters in a folder that are shown as cards. More are shown as a plain list."""
TITLES_PER_CARD = 4
"""Number of document titles on a folder's card."""
NO_SECTIONS: Mapping[str, Sequence[str]] = MappingProxyType({})


def folder_pages(pack: Pack) -> LazyPages:
    """A page for each folder, except one that shares the page of a chapter or kind."""
    top = folders(pack)
    for folder in top.every():
        if folder is not top and folder.chapter is None and not folder.kind:
            address = f"{pack.game.id}/{folder.slug}/"
            yield address, partial(_folder_page, pack, folder, address)


def _folder_page(pack: Pack, folder: Folder, address: str) -> Page:
    listing = folder_listing(pack, folder, address)
    return Page(
        address=address,
        title=folder.title,
        role="folder",
        article=template("article_folder", pack.game.catalog).render(title=folder.title, listing=listing),
        breadcrumbs=folder_breadcrumbs(pack, folder.parent),
        description=pack.game.catalog.text(
            "chapter.folder_description", count=folder.counted(pack.game.catalog), game=pack.game.title
        ),
    )


def folder_breadcrumbs(pack: Pack, folder: Folder | None) -> tuple[PageLink, ...]:
    """Links to the game and to each folder, from the outermost to this one."""
    game = pack.game
    path = () if folder is None else folder.path()
    links = (PageLink(f"{game.id}/{ancestor.page_slug}/", ancestor.title) for ancestor in path)
    return (PageLink(f"{game.id}/", game.title), *links)


def folder_listing(
    pack: Pack, folder: Folder, address: str, sections: Mapping[str, Sequence[str]] = NO_SECTIONS
) -> Markup:
    """The contents of a folder as HTML for the page at this address. `sections`: headings by chapter slug."""
    chapters = [item for item in folder.items if isinstance(item, Chapter)]
    folders = [item for item in folder.items if isinstance(item, Folder)]
    return Markup(
        template("folder", pack.game.catalog).render(
            folders=[
                (child, child.counted(pack.game.catalog), [item.title for item in child.items[:TITLES_PER_CARD]])
                for child in folders
            ],
            chapters=[
                (chapter.title, pack.addresses.page_slug(chapter), sections.get(chapter.slug, ()))
                for chapter in chapters
            ],
            as_cards=len(chapters) <= MAX_CARDS,
            kind=folder.listed_kind,
            total=folder.total,
            game_root=f"{path_to_root(address)}{pack.game.id}/",
            index=INDEX,
        )
    )

"""Redirect pages for former and other addresses, such as aliases of entities and documents."""

from collections.abc import Collection, Iterator
from functools import partial
from urllib.parse import quote

from kismet_build.model.book import PRINT_PAGE, RESERVED_SLUGS
from kismet_build.model.text_normalization import UniqueNames, folder_name
from kismet_build.pack import Pack
from kismet_build.pack.addresses import free_slug
from kismet_build.render.fragments.page_context import chapter_address
from kismet_build.render.html.addresses import INDEX, LazyFiles, path_to_root
from kismet_build.render.html.content_security_policy import POLICY
from kismet_build.render.html.templates import template
from kismet_build.render.pages.navigation import folders

MOVED = {"errata": ("questions", "title.questions")}
"""Renamed pages of a game: for each old name, the current name and the catalog key of the title."""
MIN_SECTION_CHARACTERS = 1_000
"""Minimum average length of the sections that get redirects.

Only sections up to some heading level get one. The level is chosen such that they have this many characters on average.
Otherwise a text of 20,000 short sections would have 20,000 redirects.
"""


def redirect_files(pack: Pack, pages: Collection[str]) -> LazyFiles:
    """A redirect from each former or other address that none of these pages has, unless it has several targets.

    `http-equiv="refresh"` identifies redirects, which are left out of the sitemap, search index and service worker.
    """
    taken = {*pages} | {f"{pack.game.id}/{name}/" for name in (*RESERVED_SLUGS, *pack.game.kinds)}
    moved = [*_without_pages(pack), *(() if pack.game.is_manual else _moved(pack, pages))]
    taken.update(address for address, _, _ in moved)
    targets_by_address = {address: {target: title} for address, target, title in moved}
    others = (*_entity_aliases(pack), *_document_aliases(pack), *_folders(pack), *_sections(pack))
    for address, target, title in others:
        if address not in taken:
            targets_by_address.setdefault(address, {})[target] = title
    for address, targets in targets_by_address.items():
        if len(targets) == 1:
            [(target, title)] = targets.items()
            yield address + INDEX, partial(_redirect, pack, address, target, title)


def _redirect(pack: Pack, address: str, target: str, title: str) -> bytes:
    root, url = path_to_root(address), pack.game.library_config.url
    path, mark, fragment = target.partition("#")
    page_href = f"{root}{path}{INDEX}"
    page = template("redirect", pack.game.catalog).render(
        title=title,
        root=root,
        href=f"{page_href}{mark}{fragment}",
        canonical=url + path if url else page_href,
        language=pack.game.language,
        policy=POLICY,
    )
    return page.encode()


def _moved(pack: Pack, pages: Collection[str]) -> Iterator[tuple[str, str, str]]:
    for old, (new, title_key) in MOVED.items():
        if (target := f"{pack.game.id}/{new}/") in pages:
            yield f"{pack.game.id}/{old}/", target, pack.game.catalog.text(title_key)


def _without_pages(pack: Pack) -> Iterator[tuple[str, str, str]]:
    """For each entity or kind without a page: the address of a redirect, the address that shows it, and its name."""
    for kind in sorted(pack.internal_kinds):
        yield f"{pack.game.id}/{kind}/", f"{pack.game.id}/", pack.game.title
    for kind in sorted(pack.table_kinds | pack.internal_kinds):
        for entity in pack.entities.get(kind, ()):
            yield f"{entity.id}/", pack.addresses.entities[entity.id], entity.name


def _entity_aliases(pack: Pack) -> Iterator[tuple[str, str, str]]:
    """For each alias of an entity: its address, the address of the entity, and the entity's name."""
    for entity in pack.all_entities():
        for alias in entity.aliases:
            yield f"{pack.game.id}/{entity.kind}/{folder_name(alias)}/", pack.addresses.entities[entity.id], entity.name


def _folders(pack: Pack) -> Iterator[tuple[str, str, str]]:
    """For each folder that shares the page of a kind: the folder's address, the address of the kind, and the title."""
    for folder in folders(pack).every():
        if folder.kind and folder.slug != free_slug(pack.game, pack.by_id, folder.kind):
            yield f"{pack.game.id}/{folder.slug}/", f"{pack.game.id}/{folder.kind}/", folder.title


def _document_aliases(pack: Pack) -> Iterator[tuple[str, str, str]]:
    """Address, target and title of each redirect from an alias of a document, or from a slug that its page lacks."""
    for chapter in pack.book.chapters:
        target = chapter_address(pack, chapter)
        if pack.addresses.page_slug(chapter) != chapter.slug:
            yield f"{pack.game.id}/{chapter.slug}/", target, chapter.title
        for alias in chapter.document.aliases:
            yield f"{pack.game.id}/{folder_name(alias)}/", target, chapter.title


def _sections(pack: Pack) -> Iterator[tuple[str, str, str]]:
    """Address, target and title of a redirect for each section of a split chapter that does not start a page.

    An edit that changes a section's length may give it a page or take its page away; links to it work in either case.
    """
    for outline in pack.book.outlines.values():
        chapter, headings = outline.chapter, [section.anchor for section in outline.sections if section.anchor.level]
        if not headings or not headings[-1].page:
            continue
        address = chapter_address(pack, chapter)
        levels = sorted(heading.level for heading in headings)
        number = len(chapter.source.text) // MIN_SECTION_CHARACTERS
        first_without = levels[number] if number < len(levels) else levels[-1] + 1
        names = UniqueNames((PRINT_PAGE, *{heading.page for heading in headings}))
        starts = {page: heading.ref for heading in reversed(headings) if (page := heading.page)}
        for heading in sorted(headings, key=lambda heading: heading.level):
            if heading.level < first_without and heading.page and starts[heading.page] != heading.ref:
                name = names.add(folder_name(heading.title), 2)
                page = f"{address}{heading.page}/"
                yield f"{address}{name}/", f"{page}#{quote(heading.id)}", heading.shown_title

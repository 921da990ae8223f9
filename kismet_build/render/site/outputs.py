"""All outputs of a game: the addresses of its pages and the paths of its files, each made when needed.

Add a new type of page to `PAGES`, and a new file to `files_of_game` or `files_of_document`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from kismet_build.config.library import LibraryConfig
from kismet_build.model.active_content import published_content
from kismet_build.model.source import read_regular_file
from kismet_build.pack import Pack
from kismet_build.pack.cached import cached_in_pack, keep_result
from kismet_build.render.components.card import infobox_fields
from kismet_build.render.data.listing import Listing
from kismet_build.render.data.names_json import names_file
from kismet_build.render.data.pack_json import (
    chapter_data,
    data_files,
    entity_files,
    migrations_file,
    schema_files,
    tables_by_source,
)
from kismet_build.render.data.questions_json import questions_file
from kismet_build.render.html.addresses import INDEX, LazyFiles, emblem_address
from kismet_build.render.html.dice_buttons import dice_notations
from kismet_build.render.pages.backlinks import book_order
from kismet_build.render.pages.board import board_pages, my_table_page
from kismet_build.render.pages.calculators import calculator_pages, calculators_page
from kismet_build.render.pages.data_page import data_page
from kismet_build.render.pages.entity import entity_page, index_page
from kismet_build.render.pages.layout import Layout
from kismet_build.render.pages.library import has_many
from kismet_build.render.pages.navigation import Folder, folder_pages, folders
from kismet_build.render.pages.overview import glossary_page, home_page, licence_page
from kismet_build.render.pages.page import LazyPages, Page
from kismet_build.render.pages.print import print_pages
from kismet_build.render.pages.questions import has_questions_page, questions_page
from kismet_build.render.pages.sections import chapter_pages
from kismet_build.render.pages.situation import has_situation, situation_address, situation_page
from kismet_build.render.pages.tags import tag_pages
from kismet_build.render.site.assets import asset_files, emblem_file, library_page_files
from kismet_build.render.site.link_previews import link_previews, preview_files
from kismet_build.render.site.markdown_pages import FULL_TEXT, markdown_of_document, markdown_pages
from kismet_build.render.site.name_shards import name_shards
from kismet_build.render.site.redirects import redirect_files
from kismet_build.render.site.scripts import script_files
from kismet_build.render.site.search_entries import game_list, search_file, search_index, search_words
from kismet_build.render.site.search_units import search_units
from kismet_build.render.site.service_worker import MANIFEST, OFFLINE_PAGE, manifest, offline_page
from kismet_build.render.site.sitemap import llms_files, llms_full, sitemap_files

MAX_CHAPTERS_PER_SHARD = 25
"""Maximum number of chapters in a shard. In a small game, each shard has an eighth of the chapters."""

# --- pages


def _home(pack: Pack) -> LazyPages:
    yield f"{pack.game.id}/", partial(home_page, pack)


def _kinds(pack: Pack) -> LazyPages:
    for kind in pack.game.kinds.values():
        if not kind.is_internal:
            yield f"{pack.game.id}/{kind.id}/", partial(index_page, pack, kind)


def _single_pages(pack: Pack) -> LazyPages:
    """My table and downloads, and also glossary, licence, questions, calculators and situation if they have content."""
    pages: tuple[tuple[str, object, Callable[[Pack], Page]], ...] = (
        ("table", True, my_table_page),
        ("glossary", any(pack.entities.values()), glossary_page),
        ("downloads", True, data_page),
        ("downloads/licence", pack.game.licence_text, licence_page),
        ("questions", has_questions_page(pack), questions_page),
        ("calculators", pack.game.calculators, calculators_page),
    )
    yield from ((f"{pack.game.id}/{name}/", partial(make, pack)) for name, is_there, make in pages if is_there)
    if has_situation(pack.game):
        yield situation_address(pack.game), partial(situation_page, pack)


MANUAL_PAGES: tuple[Callable[[Pack], LazyPages], ...] = (_home, folder_pages, _kinds, tag_pages)
PAGES = (*MANUAL_PAGES, board_pages, print_pages, calculator_pages, _single_pages)
"""Functions for the pages that do not belong to a single document. A manual only uses `MANUAL_PAGES`."""


def pages_of_game(pack: Pack) -> LazyPages:
    """The pages that do not belong to a single document."""
    return chain.from_iterable(pages(pack) for pages in (MANUAL_PAGES if pack.game.is_manual else PAGES))


def pages_of_document(pack: Pack, path: str) -> LazyPages:
    """The pages of the document at this path, then the pages of its entities."""
    chapter = pack.book.outlines[path].chapter
    page = pack.addresses.texts[path]
    if page.slug and page.about in ("text", "folder"):
        yield from chapter_pages(pack, _folders_by_slug(pack), _chapter_positions(pack)[path])
    for entity in pack.by_source.get(chapter.source, ()):
        if entity.kind not in pack.table_kinds and entity.kind not in pack.internal_kinds:
            yield f"{entity.id}/", partial(entity_page, pack, entity)


@cached_in_pack
def _folders_by_slug(pack: Pack) -> Mapping[str, Folder]:
    return {folder.slug: folder for folder in folders(pack).every()}


@cached_in_pack
def _chapter_positions(pack: Pack) -> Mapping[str, int]:
    return {chapter.source.path: position for position, chapter in enumerate(pack.book.chapters)}


@cached_in_pack
def _pages(pack: Pack) -> Mapping[str, Callable[[], Page]]:
    return dict(chain(pages_of_game(pack), *(pages_of_document(pack, path) for path in pack.documents)))


def addresses(pack: Pack) -> tuple[str, ...]:
    """The addresses of all pages of a game: first those that belong to no document, then document by document."""
    return tuple(_pages(pack))


def page(pack: Pack, address: str) -> Page:
    """The page at this address, without its layout. Raises `KeyError` if no page has this address."""
    return _pages(pack)[address]()


def pages(pack: Pack) -> Iterator[Page]:
    """Every page of a game, without its layout."""
    return (page(pack, address) for address in addresses(pack))


@cached_in_pack
def _layout(pack: Pack) -> Layout:
    return Layout(pack)


def prepare(pack: Pack) -> None:
    """Compute everything that documents share, so that forked processes share its memory."""
    pack.compute_indexes()
    for index in (_folders_by_slug, _chapter_positions, _layout, book_order, infobox_fields, tables_by_source):
        index(pack)


# --- files


def in_layout(pack: Pack, pages: LazyPages) -> LazyFiles:
    """The HTML files of these pages, with the layout added."""
    for address, make in pages:
        yield address + INDEX, partial(_page_file, pack, make)


def _page_file(pack: Pack, make: Callable[[], Page]) -> bytes:
    return _layout(pack).page_html(make()).encode()


def files_of_document(pack: Pack, path: str) -> LazyFiles:
    """The pages, the Markdown and, outside manuals, the entities' data of the document at this path."""
    yield from in_layout(pack, pages_of_document(pack, path))
    yield from markdown_pages(pack, pack.book.outlines[path].chapter)
    if not pack.game.is_manual:
        yield from entity_files(pack, path)


def files_of_game(pack: Pack) -> LazyFiles:
    """The files about the entire game, except its pages."""
    game = pack.game
    if not game.is_manual:
        yield from data_files(pack)
        yield f"data/{game.id}/names.json", partial(names_file, pack)
        yield f"data/{game.id}/questions.json", partial(questions_file, pack)
        yield f"data/{game.id}/search.json", partial(search_file, pack)
        yield f"{game.id}/{FULL_TEXT}", partial(llms_full, pack)
        if game.definition.migrations or game.options.linked_exports:  # Packages always contain this file.
            yield f"data/{game.id}/migrations.json", partial(migrations_file, pack)
    yield emblem_address(game.id), partial(emblem_file, pack)
    yield from preview_files(pack)
    yield from script_files(pack)
    yield from redirect_files(pack, _pages(pack).keys())
    yield f"assets/{game.id}-search.js", partial(search_index, pack)
    for attachment in sorted(set(pack.book.attachment_of.values())):
        yield pack.addresses.attachments[attachment], partial(_attachment, pack, attachment)


def _attachment(pack: Pack, path: str) -> bytes:
    """An attachment as published. Raises `OSError` if it cannot be read."""
    files = pack.game.files
    return published_content(path, read_regular_file(files.file(path), files.root_of(path)))


def shards(pack: Pack) -> list[Sequence[str]]:
    """The paths of the documents, divided into tasks for worker processes."""
    documents = [*pack.documents]
    size = max(1, min(MAX_CHAPTERS_PER_SHARD, len(documents) // 8))
    return [documents[start : start + size] for start in range(0, len(documents), size)]


@cached_in_pack
def _files(pack: Pack) -> Mapping[str, Callable[[], bytes]]:
    of_documents = (files_of_document(pack, path) for path in pack.documents)
    return dict(chain(in_layout(pack, pages_of_game(pack)), *of_documents, files_of_game(pack)))


def paths(pack: Pack) -> tuple[str, ...]:
    """The paths of all of a game's files, from the root of the website."""
    return tuple(_files(pack))


def find(pack: Pack, path: str) -> Callable[[], bytes] | None:
    """The function that makes a game's file at this path; `None` if there is no such file."""
    make_page = _pages(pack).get(path.removesuffix(INDEX)) if path.endswith(INDEX) else None
    # Pages first, because listing all files takes longer than making one page.
    return partial(_page_file, pack, make_page) if make_page else _files(pack).get(path)


def render(pack: Pack, path: str) -> bytes:
    """The game's file at this path. Raises `KeyError`, or `OSError` if an attachment cannot be read."""
    make = find(pack, path)
    if make is None:
        raise KeyError(path)
    return make()


DOCUMENT_PARTS: tuple[Callable[[Pack, str], Any], ...] = (
    chapter_data,
    dice_notations,
    link_previews,
    markdown_of_document,
    search_units,
)
"""What each document contributes to files about the entire game. The process that renders a document computes it."""


def document_parts(pack: Pack, path: str) -> list[Any]:
    """What the document at this path contributes, as plain data that a worker process can return."""
    return [part(pack, path) for part in DOCUMENT_PARTS]


def adopt_parts(pack: Pack, path: str, parts: Sequence[Any]) -> None:
    """Add the contributions of a document that another process has computed."""
    for function, part in zip(DOCUMENT_PARTS, parts, strict=True):
        keep_result(pack, function, (path,), part)


# --- library


def general_schemas() -> LazyFiles:
    """The schemas shared by all games."""
    yield from ((path, partial(bytes, content)) for path, content in schema_files().items())


def library_files(
    packs: Sequence[Listing], library_config: LibraryConfig, list_pages: Callable[[], Iterable[str]]
) -> LazyFiles:
    """The files shared by all games, except their schemas and the files that need digests of others.

    Those are `data/index.json`, `data/manifest.json`, and the service worker with its lists of files.

    `list_pages`: the paths of all pages, including those of the library.
    """
    starts, shards = name_shards(packs) if has_many(packs) else ((), ())
    yield "assets/games.js", partial(game_list, packs, starts)
    yield from shards
    yield "assets/search-words.js", search_words
    yield from library_page_files(packs, library_config)
    yield from asset_files(packs, library_config)
    yield OFFLINE_PAGE, partial(offline_page, packs, library_config)
    yield MANIFEST, partial(manifest, packs, library_config)
    yield from llms_files(packs, library_config)
    yield from sitemap_files(packs, library_config, list_pages)

"""Render the bundles of a game, and the files about the whole game, which need the results of all bundles."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain

from kismet_build.model.book import Chapter
from kismet_build.pack import Pack
from kismet_build.render.components.card import InfoboxRenderer
from kismet_build.render.data.bundle import emit_data_bundle
from kismet_build.render.data.names_json import emit_names
from kismet_build.render.data.pack_json import ChapterData, emit_data
from kismet_build.render.data.questions_json import emit_questions
from kismet_build.render.data.shard_result import ShardResult
from kismet_build.render.html.addresses import INDEX, Files
from kismet_build.render.html.footnotes import footnotes, footnotes_of
from kismet_build.render.html.recorded_pack import ALL_DOCUMENTS, LAYOUT, Key, RecordedPack
from kismet_build.render.pages.backlinks import book_order
from kismet_build.render.pages.board import board_pages, my_table_page
from kismet_build.render.pages.calculators import calculators_page, sheet_pages
from kismet_build.render.pages.chapter import top_sections
from kismet_build.render.pages.data_page import data_page
from kismet_build.render.pages.entity import entity_page, index_page
from kismet_build.render.pages.folder import folder_pages
from kismet_build.render.pages.layout import Layout
from kismet_build.render.pages.navigation import Navigator, folders
from kismet_build.render.pages.overview import (
    glossary_page,
    home_page,
    licence_page,
    missing_documents,
    missing_paths,
)
from kismet_build.render.pages.page import Page
from kismet_build.render.pages.print import is_printable, print_pages
from kismet_build.render.pages.questions import has_questions_page, questions_page
from kismet_build.render.pages.sections import chapter_pages
from kismet_build.render.pages.situation import situation_page
from kismet_build.render.pages.tags import tag_pages
from kismet_build.render.site.assets import emit_emblem
from kismet_build.render.site.link_previews import LinkPreviewRenderer, emit_link_previews
from kismet_build.render.site.markdown_pages import markdown_pages
from kismet_build.render.site.redirects import emit_redirects
from kismet_build.render.site.scripts import emit_script_data
from kismet_build.render.site.search_lines import search_lines
from kismet_build.render.site.search_names import emit_name_index

MAX_CHAPTERS_PER_SHARD = 25
"""In a small game, a shard has an eighth of the chapters."""


class BundleRenderer:
    """Renders a pack in bundles, so that after an edit only the outdated bundles are rendered.

    The bundle of a document has its pages and data files; the other bundles have the pages of the whole game.
    """

    def __init__(self, pack: Pack) -> None:
        """Prepare the data that all pages share."""
        self.pack = pack
        self._pages = ChapterPages(pack)

    @cached_property
    def _data(self) -> ChapterData:
        return ChapterData(self.pack)

    def prepare(self) -> None:
        """Compute now what all bundles share, so that forked processes share its memory. Pages alone need less."""
        self.pack.compute_indexes()
        self._data  # noqa: B018

    def names(self) -> tuple[str, ...]:
        """The names of all bundles: numbers of `GAME_PAGE_RENDERERS`, then the paths of documents."""
        return (*map(str, range(len(GAME_PAGE_RENDERERS))), *self.pack.documents)

    @property
    def game_page_count(self) -> int:
        """Number of bundles with pages of the whole game; they come first in `names`."""
        return len(GAME_PAGE_RENDERERS)

    def shards(self, names: Sequence[str]) -> list[Sequence[str]]:
        """Divide these bundles into shards, the tasks of the processes that render."""
        pages = [[name] for name in names if name not in self.pack.documents]
        documents = [name for name in names if name in self.pack.documents]
        size = max(1, min(MAX_CHAPTERS_PER_SHARD, len(documents) // 8))
        return [*pages, *(documents[start : start + size] for start in range(0, len(documents), size))]

    def pages(self, path: str) -> Files:
        """The page of the document at a path, then those of its entities."""
        return self._pages.files(self.pack, path)

    def files(self, name: str, result: ShardResult, read_keys: set[Key]) -> Files:
        """The files of a bundle.

        Adds its data for `emit_game_files` to `result`, and the keys that it reads from the pack to `read_keys`.
        """
        pack = RecordedPack.of(self.pack, read_keys)
        read_keys.add(LAYOUT)
        if name not in self.pack.documents:
            renderer = GAME_PAGE_RENDERERS[int(name)]
            if renderer is not tag_pages:
                read_keys.add(ALL_DOCUMENTS)  # they show titles, lines and excerpts of all documents
            yield from self._pages.page_files(renderer(pack))
            return
        chapter = self.pack.book.outlines[name].chapter
        read_keys.add(("tables", name))
        for entity in self.pack.documents[name].entities:
            # Positions in the kind, and the fields that infoboxes show.
            read_keys |= {("ids", entity.kind), ("shown fields", entity.kind)}
        yield from self._pages.files(pack, name)
        yield from markdown_pages(pack, chapter)
        if not pack.game.is_manual:
            yield from self._data.files(pack, [chapter], result)
        result.link_previews = [*LinkPreviewRenderer(pack, self._pages.infoboxes).of_chapter(chapter)]
        result.search_lines = search_lines(pack, self._pages.infoboxes, chapter)
        result.missing_documents = [*missing_paths(pack, chapter)]


def emit_game_files(pack: Pack, results: Sequence[ShardResult], paths: Iterable[str]) -> Files:
    """Files about the whole game, from the results of its bundles in their order and the paths of its pages."""
    if not pack.game.is_manual:
        data = chain(emit_data(pack, results), emit_names(pack), emit_questions(pack))
        if pack.game.has_data_bundle:
            files = dict(data)
            data = chain(files.items(), emit_data_bundle(pack, files))
        yield from data
    yield from emit_emblem(pack)
    yield from emit_link_previews(pack, chain.from_iterable(result.link_previews for result in results))
    yield from emit_script_data(pack, chain.from_iterable(result.rolled for result in results))
    yield from emit_redirects(pack, {path.removesuffix(INDEX) for path in paths})
    missing = missing_documents(pack, chain.from_iterable(result.missing_documents for result in results))
    yield from emit_name_index(
        pack, {key: line for result in results for key, line in result.search_lines.items()}, missing
    )


def pages(pack: Pack) -> tuple[Page, ...]:
    """Every page of a game, without its layout."""
    chapters = ChapterPages(pack)
    return (
        *chain.from_iterable(render_pages(pack) for render_pages in GAME_PAGE_RENDERERS),
        *chain.from_iterable(chapters.pages(pack, path) for path in pack.documents),
    )


def _home_and_folder_pages(pack: Pack) -> Iterator[Page]:
    top = folders(pack)
    in_no_folder = (item for item in top.items if isinstance(item, Chapter))
    sections = {chapter.slug: top_sections(pack, chapter) for chapter in in_no_folder}
    yield home_page(pack, top, sections, partial(footnotes_of, pack))
    yield from folder_pages(pack, top)


def _kind_pages(pack: Pack) -> Iterator[Page]:
    return (index_page(pack, kind) for kind in pack.game.kinds.values())


def _overview_pages(pack: Pack) -> Iterator[Page]:
    """Boards, My table, print pages, glossary, downloads, licence and questions."""
    if pack.game.is_manual:
        return
    yield from board_pages(pack)
    yield my_table_page(pack)
    yield from print_pages(pack, footnotes(pack) if is_printable(pack) else {})
    if any(pack.entities.values()):
        yield glossary_page(pack)
    yield data_page(pack)
    if pack.game.licence_text:
        yield licence_page(pack)
    if has_questions_page(pack):
        yield questions_page(pack)


def _calculator_pages(pack: Pack) -> Iterator[Page]:
    if pack.game.is_manual:
        return
    if pack.game.calculators:
        yield calculators_page(pack)
    yield from sheet_pages(pack)
    yield from situation_page(pack)


GAME_PAGE_RENDERERS = (_home_and_folder_pages, _kind_pages, _overview_pages, _calculator_pages, tag_pages)
"""Functions that render the pages which belong to no single chapter."""


class ChapterPages:
    """Renders the pages of single chapters, each with the pages of its entities."""

    def __init__(self, pack: Pack) -> None:
        """Prepare the data that all chapters share. Methods take this pack, or a `RecordedPack` of it."""
        top = folders(pack)
        self._pack = pack
        self._order = book_order(pack)
        self._folders_by_slug = {folder.slug: folder for folder in top.every()}
        self._layout = Layout(pack, Navigator(pack, top))
        sequences = (pack.book.chapters, *pack.entities.values())
        self._positions = {id(item): position for items in sequences for position, item in enumerate(items)}
        self.infoboxes = {kind.id: InfoboxRenderer(pack, kind) for kind in pack.game.kinds.values()}
        """Renderer of the infoboxes of each kind, by its id."""

    def files(self, pack: Pack, path: str) -> Files:
        """The page of the chapter with the document at a path, then those of its entities."""
        yield from self.page_files(self.pages(pack, path))

    def page_files(self, pages: Iterable[Page]) -> Files:
        """Pages of the game in their layout."""
        for page in pages:
            yield page.address + INDEX, self._layout.page_html(page).encode()

    def pages(self, pack: Pack, path: str) -> Iterator[Page]:
        """The page of the chapter with the document at a path, then those of its entities, without their layout."""
        chapter = self._pack.book.outlines[path].chapter
        footnotes = footnotes_of(pack, chapter)
        if pack.page_slug(chapter) and path not in pack.note_entities and path not in pack.kind_notes:
            yield from chapter_pages(pack, self._folders_by_slug, self._positions[id(chapter)], footnotes)
        for entity in self._pack.by_source.get(chapter.source, ()):
            renderer = self.infoboxes[entity.kind]
            renderer.pack = pack
            yield entity_page(pack, renderer, entity, self._positions[id(entity)], footnotes, self._order)

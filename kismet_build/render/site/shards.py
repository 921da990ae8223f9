"""Shards of a game, which several processes can render, and the files that need the results of all shards."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

from kismet_build.config.kind import Kind
from kismet_build.model.book import Chapter
from kismet_build.pack import Entity, Pack
from kismet_build.render.components.card import InfoboxRenderer
from kismet_build.render.components.field import shown_fields
from kismet_build.render.data.pack_json import ChapterData, emit_data
from kismet_build.render.data.shard_result import ShardResult
from kismet_build.render.html.addresses import INDEX, Files
from kismet_build.render.html.footnotes import footnotes, footnotes_of
from kismet_build.render.pages.backlinks import book_order
from kismet_build.render.pages.board import board_pages
from kismet_build.render.pages.calculators import calculators_page, sheet_pages
from kismet_build.render.pages.chapter import chapter_page, top_sections
from kismet_build.render.pages.entity import entity_page, index_page
from kismet_build.render.pages.folder import folder_pages
from kismet_build.render.pages.layout import Layout
from kismet_build.render.pages.navigation import Navigator, folders
from kismet_build.render.pages.overview import (
    downloads_page,
    errata_page,
    glossary_page,
    home_page,
)
from kismet_build.render.pages.page import Page
from kismet_build.render.pages.print import is_printable, print_pages
from kismet_build.render.site.link_previews import LinkPreviewRenderer, emit_link_previews
from kismet_build.render.site.redirects import emit_redirects
from kismet_build.render.site.scripts import emit_script_data
from kismet_build.render.site.search_names import emit_name_index

Shard = Callable[[ShardResult], Files]
"""Renders one shard: yields its files, and fills in the result that `emit_game_files` needs."""

MAX_CHAPTERS_PER_SHARD = 25
"""A small game has an eighth of its chapters in each shard instead."""


def shards(pack: Pack) -> list[Shard]:
    """The independent shards of a game, the slowest first. `emit_game_files` takes their results."""
    # Compute shared indexes before the processes fork, so that they share the memory.
    pack.work_out()
    pages = ChapterPages(pack)
    render_chapters = partial(
        _emit_chapters, pack, pages, ChapterData(pack), LinkPreviewRenderer(pack, pages.infoboxes)
    )
    total = len(pack.book.chapters)
    size = max(1, min(MAX_CHAPTERS_PER_SHARD, total // 8))
    ranges = (range(start, min(start + size, total)) for start in range(0, total, size))
    return [
        *(partial(_emit_game_pages, pack, pages, render_pages) for render_pages in GAME_PAGE_RENDERERS),
        *(partial(render_chapters, positions) for positions in ranges),
    ]


def emit_game_files(pack: Pack, results: Sequence[ShardResult], paths: Iterable[str]) -> Files:
    """Files about the whole game, from the results of its shards in their order and the paths of its pages."""
    yield from emit_data(pack, results)
    yield from emit_link_previews(pack, chain.from_iterable(result.link_previews for result in results))
    yield from emit_script_data(pack, chain.from_iterable(result.rolled for result in results))
    yield from emit_redirects(pack, {path.removesuffix(INDEX) for path in paths})
    yield from emit_name_index(pack)


def _emit_game_pages(
    pack: Pack, pages: "ChapterPages", render_pages: Callable[[Pack], Iterable[Page]], _result: ShardResult
) -> Files:
    return pages.page_files(render_pages(pack))


def _emit_chapters(
    pack: Pack,
    pages: "ChapterPages",
    data: ChapterData,
    link_previews: LinkPreviewRenderer,
    positions: range,
    result: ShardResult,
) -> Files:
    """All files of the chapters at these positions in the book and of their entities."""
    chapters = pack.book.chapters[positions.start : positions.stop]
    yield from pages.page_files(chain.from_iterable(pages.pages(pack, position) for position in positions))
    yield from data.files(chapters, result)
    result.link_previews = [preview for chapter in chapters for preview in link_previews.of_chapter(chapter)]


def pages(pack: Pack) -> tuple[Page, ...]:
    """Every page of a game, without its layout."""
    chapters = ChapterPages(pack)
    return (
        *chain.from_iterable(render_pages(pack) for render_pages in GAME_PAGE_RENDERERS),
        *chain.from_iterable(chapters.pages(pack, position) for position in range(len(pack.book.chapters))),
    )


def _home_and_folder_pages(pack: Pack) -> Iterator[Page]:
    top = folders(pack)
    in_no_folder = (item for item in top.items if isinstance(item, Chapter))
    yield home_page(pack, top, {chapter.slug: top_sections(pack, chapter) for chapter in in_no_folder})
    yield from folder_pages(pack, top)


def _kind_pages(pack: Pack) -> Iterator[Page]:
    return (index_page(pack, kind) for kind in pack.game.kinds.values())


def _overview_pages(pack: Pack) -> Iterator[Page]:
    """Boards, print pages, glossary, downloads and errata."""
    yield from board_pages(pack)
    yield from print_pages(pack, footnotes(pack) if is_printable(pack) else {})
    yield glossary_page(pack)
    yield downloads_page(pack)
    yield errata_page(pack)


def _calculator_pages(pack: Pack) -> Iterator[Page]:
    yield calculators_page(pack)
    yield from sheet_pages(pack)


GAME_PAGE_RENDERERS = (_home_and_folder_pages, _kind_pages, _overview_pages, _calculator_pages)
"""Functions that render the pages which belong to no single chapter."""


class ChapterPages:
    """Renders the pages of single chapters, each with the pages of its entities, also after edits."""

    def __init__(self, pack: Pack) -> None:
        """Prepare what an edit of one chapter leaves unchanged: addresses, titles and the order of chapters."""
        top = folders(pack)
        self._order = book_order(pack)
        self._folders_by_slug = {folder.slug: folder for folder in top.every()}
        self._navigator = Navigator(pack, top)
        self._layout = Layout(pack, self._navigator)
        self._layout_inputs = _layout_inputs(pack)
        self._kinds = pack.game.kinds
        self._positions_of: Pack | None = None
        self._positions_in(pack)
        self.infoboxes = {kind.id: InfoboxRenderer(pack, kind) for kind in self._kinds.values()}
        """Renderer of the infoboxes of each kind, by its id."""

    def next_version(self, old: Pack, new: Pack) -> "ChapterPages":
        """The renderer of the next version of a pack: this one without what is outdated, or a new one."""
        if [(chapter.title, chapter.slug) for chapter in old.book.chapters] != [
            (chapter.title, chapter.slug) for chapter in new.book.chapters
        ]:
            return ChapterPages(new)
        changed = [path for path, facts in new.documents.items() if facts is not old.documents.get(path)]
        before, after = (
            [entity for path in changed for entity in pack.documents[path].entities] for pack in (old, new)
        )
        # An infobox depends on the fields of all entities of its kind.
        for kind_id in {entity.kind for entity in (*before, *after)}:
            kind = self._kinds[kind_id]
            if _infobox_inputs(kind, before) != _infobox_inputs(kind, after):
                self.infoboxes.pop(kind_id, None)
        return self

    def files(self, pack: Pack, path: str) -> Files:
        """The page of the chapter with the document at a path, then those of its entities."""
        if self._layout_inputs != (inputs := _layout_inputs(pack)):
            self._layout, self._layout_inputs = Layout(pack, self._navigator), inputs
        chapter = pack.book.outlines[path].chapter
        yield from self.page_files(self.pages(pack, self._positions_in(pack)[id(chapter)]))

    def page_files(self, pages: Iterable[Page]) -> Files:
        """Pages of the game in their layout."""
        for page in pages:
            yield page.address + INDEX, self._layout.page_html(page).encode()

    def pages(self, pack: Pack, position: int) -> Iterator[Page]:
        """The page of the chapter at a position in the book, then those of its entities, without their layout."""
        chapter = pack.book.chapters[position]
        footnotes = footnotes_of(pack, chapter)
        yield chapter_page(pack, self._folders_by_slug, position, footnotes)
        positions = self._positions_in(pack)
        for entity in pack.by_source.get(chapter.source, ()):
            renderer = self._infobox_renderer(pack, entity.kind)
            yield entity_page(pack, renderer, positions[id(entity)], footnotes, self._order)

    def _positions_in(self, pack: Pack) -> Mapping[int, int]:
        """The position of each chapter in the book and of each entity in its kind, by object identity."""
        if self._positions_of is not pack:
            sequences = (pack.book.chapters, *pack.entities.values())
            self._positions_of = pack
            self._positions = {id(item): position for items in sequences for position, item in enumerate(items)}
        return self._positions

    def _infobox_renderer(self, pack: Pack, kind_id: str) -> InfoboxRenderer:
        if kind_id not in self.infoboxes:
            self.infoboxes[kind_id] = InfoboxRenderer(pack, self._kinds[kind_id])
        self.infoboxes[kind_id].pack = pack
        return self.infoboxes[kind_id]


def _infobox_inputs(kind: Kind, entities: Sequence[Entity]) -> object:
    """The part of these entities that the infoboxes of a kind depend on, to compare two versions."""
    of_kind = [entity for entity in entities if entity.kind == kind.id]
    return [entity.fields for entity in of_kind], shown_fields(kind, of_kind)


def _layout_inputs(pack: Pack) -> object:
    """The part of a pack that the layout depends on and an edit of one chapter can change."""
    return is_printable(pack), *map(len, pack.entities.values())

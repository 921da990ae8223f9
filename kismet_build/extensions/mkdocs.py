"""MkDocs plugin: adds the rendered pages of a library to a MkDocs site, whose theme supplies the layout.

Themes print titles and descriptions unescaped, because MkDocs treats them as HTML. So all of them are escaped here and
marked as `Markup`, which the template filter `e` does not escape again.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from markupsafe import escape
from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, get_plugin_logger
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page as FramedPage
from mkdocs.structure.toc import AnchorLink, TableOfContents

from kismet_build.config.data_file import UsageError
from kismet_build.config.language.catalog import Catalog
from kismet_build.config.library import LibraryConfig, SiteLink
from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.driver.publish import render_library
from kismet_build.model.diagnostic import Diagnostic, Severity, to_text
from kismet_build.model.nodes import is_url
from kismet_build.pack import Pack
from kismet_build.render.data.listing import listing
from kismet_build.render.html.addresses import path_to_root
from kismet_build.render.pages.layout import provenance
from kismet_build.render.pages.library import GLOSSARY, library_catalog, library_pages
from kismet_build.render.pages.page import Entry, Page, Role
from kismet_build.render.site.outputs import pages

LOG = get_plugin_logger("kismet")


class KismetConfig(Config):  # type: ignore[no-untyped-call]
    """Options under `kismet:` in `mkdocs.yml`; paths are relative to its folder."""

    library = config_options.Dir(exists=True, default="../content")
    game = config_options.Optional(config_options.File(exists=True))


class KismetPlugin(BasePlugin[KismetConfig]):  # type: ignore[no-untyped-call]
    """Adds the pages of a library to a MkDocs site."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.catalogs: dict[str, Catalog] = {}
        """The catalog of each page's words, by the keys of `pages`."""

    def on_files(self, files: Files, /, *, config: MkDocsConfig) -> Files:
        """Compile the library, and add its pages, data files and images."""
        packs = self._compile()
        listings = [listing(pack) for pack in packs]
        library_config = packs[0].game.library_config if packs else LibraryConfig()
        words = library_catalog(listings, library_config)
        page_words = [(make(), words) for _, make in library_pages(listings, library_config)]
        page_words += [(page, pack.game.catalog) for pack in packs for page in pages(pack) if page.role != "pins"]
        self.pages = {_source(page): page for page, _ in page_words}
        self.catalogs = {_source(page): words for page, words in page_words}
        for source, page in self.pages.items():
            # Hundreds of entity pages would hide the chapters in the navigation. Overview pages link to them.
            is_listed = page.role not in ("entity", "folder", "calculator-page")
            inclusion = InclusionLevel.INCLUDED if is_listed else InclusionLevel.NOT_IN_NAV
            files.append(File.generated(config, source, content=page.article, inclusion=inclusion))
        for path, content in _files(packs):
            # MkDocs would turn these Markdown files into pages.
            if not path.endswith((".html", ".html.md")) and not path.startswith("assets/"):
                files.append(File.generated(config, path, content=content))
        navigation = list(_navigation(page_words))
        config.nav = _escaped(
            _author_navigation(library_config.nav, navigation, self.pages)
            if library_config.nav
            else ({title: value} for _, title, value in navigation)
        )
        return files

    def on_page_markdown(self, markdown: str, /, *, page: FramedPage, **_rest: Any) -> str:
        """Set the title and description of a page. Its Markdown is empty, because the HTML is added later."""
        kismet_page = self.pages.get(page.file.src_uri)
        if kismet_page is None:
            return markdown
        page.meta["title"] = escape(kismet_page.title)
        page.meta["description"] = escape(kismet_page.description)
        return ""

    def on_page_content(self, html: str, /, *, page: FramedPage, **_rest: Any) -> str:
        """Set the article and the table of contents of a page."""
        kismet_page = self.pages.get(page.file.src_uri)
        if kismet_page is None:
            return html
        page.toc = TableOfContents(_table_of_contents(kismet_page.contents))
        words = self.catalogs[page.file.src_uri]
        # `join` and not `+`, because an article that is `Markup` would escape the rest.
        return f"{kismet_page.article}{provenance(kismet_page, path_to_root(kismet_page.address), words)}"

    def _compile(self) -> tuple[Pack, ...]:
        diagnostics: list[Diagnostic] = []
        game = Path(self.config.game) if self.config.game else None
        try:
            library = load_library(Path(self.config.library), game, diagnostics.append)
            if library.broken:
                raise UsageError("; ".join(failure.reason for failure in library.broken))
            # MkDocs makes exactly one page for each file.
            unsplit = (replace(game, definition=replace(game.definition, split=None)) for game in library.games)
            packs = tuple(compile_game(game, diagnostics.append) for game in unsplit)
        except UsageError as problem:
            raise PluginError("\n\n".join([*map(to_text, diagnostics), str(problem)])) from problem
        errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR]
        if errors:
            raise PluginError("\n\n".join(map(to_text, errors)))
        return packs


def _files(packs: Sequence[Pack]) -> Iterator[tuple[str, bytes]]:
    diagnostics: list[Diagnostic] = []
    try:
        yield from render_library(packs, diagnostics.append)
    except UsageError as problem:
        raise PluginError("\n\n".join([*map(to_text, diagnostics), str(problem)])) from problem


OTHER_ROLES: tuple[Role, ...] = (
    *("glossary", "calculators", "situation", "sheet", "print"),
    *("downloads", "licence", "questions"),
)
"""Roles of the pages at the end of a game's navigation, in this order."""


def _source(page: Page) -> str:
    """Path of the Markdown file that MkDocs expects for a page; it determines the page's URL."""
    return f"{page.address}index.md"


def _navigation(page_words: Sequence[tuple[Page, Catalog]]) -> Iterator[tuple[str, str, Any]]:
    """The entries for the library, its glossary and its games.

    Each entry consists of the source of its page, its title, and the value for MkDocs: the source, or a list for a
    game.
    """
    for page, words in page_words:
        match page.role:
            case "library":
                yield _source(page), page.title, _source(page)
            case "glossary" if page.address == GLOSSARY and page.contents:
                yield _source(page), page.title, _source(page)
            case "home":
                game_pages = [other for other, _ in page_words if other.address.startswith(page.address)]
                others = _entries(game_pages, *OTHER_ROLES)
                sections: list[dict[str, Any]] = [
                    {words.text("title.home"): _source(page)},
                    {words.text("title.chapters"): _chapters(game_pages)},
                    {words.text("title.boards"): _entries(game_pages, "board")},
                    {words.text("title.browse"): _entries(game_pages, "kind")},
                    *others,
                ]
                yield _source(page), page.title, [section for section in sections if all(section.values())]


def _author_navigation(
    links: Sequence[SiteLink], navigation: Sequence[tuple[str, str, Any]], pages: Collection[str]
) -> Iterator[dict[str, Any]]:
    """The entries of `nav` in `library.yaml`, then any game that it does not name, since nothing else lists its pages.

    The entry of a game has its pages below it. An entry for anything that is not a page in MkDocs, such as the manual,
    is left out and logged.
    """
    found = {source: value for source, _, value in navigation}
    named = {
        link.address if is_url(link.address) else f"{link.address.partition('#')[0]}index.md": link for link in links
    }
    for source, link in named.items():
        if is_url(source) or source in pages:
            yield {link.title: found.get(source, source)}
        else:
            # Not a warning, which would stop a strict build, because `nav` is correct for kismet's own website.
            LOG.info('"%s" of nav in library.yaml is left out: MkDocs has no page %s', link.title, link.address)
    for source, title, value in navigation:
        if source not in named and isinstance(value, list):
            yield {title: value}


def _chapters(game_pages: Sequence[Page]) -> list[dict[str, Any]]:
    folders: dict[str, list[dict[str, Any]]] = {}
    top: list[dict[str, Any]] = []
    for page in game_pages:
        if page.role == "chapter":
            entries = top
            for folder in page.breadcrumbs[1:]:
                if folder.address not in folders:
                    folders[folder.address] = []
                    entries.append({folder.title: folders[folder.address]})
                entries = folders[folder.address]
            entries.append({page.title: _source(page)})
    return top


def _entries(game_pages: Sequence[Page], *roles: str) -> list[dict[str, Any]]:
    return [{page.title: _source(page)} for page in game_pages if page.role in roles]


def _escaped(navigation: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {escape(title): _escaped(value) if isinstance(value, list) else value for title, value in entry.items()}
        for entry in navigation
    ]


def _table_of_contents(entries: Sequence[Entry]) -> list[AnchorLink]:
    top: list[AnchorLink] = []
    ancestors: list[AnchorLink] = []
    for entry in entries:
        link = AnchorLink(escape(entry.title), escape(entry.id), entry.level)
        while ancestors and ancestors[-1].level >= entry.level:
            ancestors.pop()
        (ancestors[-1].children if ancestors else top).append(link)
        ancestors.append(link)
    return top

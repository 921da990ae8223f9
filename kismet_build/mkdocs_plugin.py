"""The plugin for MkDocs: it hands over finished pages, so that any theme can frame them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page as FramedPage
from mkdocs.structure.toc import AnchorLink, TableOfContents

from kismet_build.build.pipeline import compile_game, emit
from kismet_build.config.data_file import UsageError
from kismet_build.config.game import load_library
from kismet_build.model.diagnostic import Diagnostic, Severity, to_text
from kismet_build.pack import Pack
from kismet_build.render.data.pack_json import listing, text_dice
from kismet_build.render.html.addresses import path_to_root
from kismet_build.render.pages.layout import provenance
from kismet_build.render.pages.library import GLOSSARY, library_pages
from kismet_build.render.pages.page import Entry, Page
from kismet_build.render.site.shards import pages


class KismetConfig(Config):  # type: ignore[no-untyped-call]
    """What `mkdocs.yml` says under `kismet:`; paths start at its folder."""

    library = config_options.Dir(exists=True, default="../content")
    game = config_options.Optional(config_options.File(exists=True))


class KismetPlugin(BasePlugin[KismetConfig]):  # type: ignore[no-untyped-call]
    """Every page of a library at its own address, with its title, contents and place in the navigation."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}

    def on_files(self, files: Files, /, *, config: MkDocsConfig) -> Files:
        """Compile the library; add its pages, its data and its pictures."""
        packs = self._compiled()
        every = [
            *library_pages([listing(pack, text_dice(pack)) for pack in packs]),
            *(page for pack in packs for page in pages(pack)),
        ]
        self.pages = {_source(page): page for page in every}
        for source, page in self.pages.items():
            # Hundreds of cards would bury the chapters; they are reached through their kinds, as folders through homes.
            shown = InclusionLevel.NOT_IN_NAV if page.role in ("entity", "folder") else InclusionLevel.INCLUDED
            files.append(File.generated(config, source, content=page.article, inclusion=shown))
        for path, content in emit(packs):
            if not path.endswith(".html") and not path.startswith("assets/"):
                files.append(File.generated(config, path, content=content))
        config.nav = list(_navigation(every))
        return files

    def on_page_markdown(self, markdown: str, /, *, page: FramedPage, **_rest: Any) -> str:
        """Give a page its title, and MkDocs nothing to parse."""
        ours = self.pages.get(page.file.src_uri)
        if ours is None:
            return markdown
        page.meta["title"] = ours.title
        page.meta["description"] = ours.description
        return ""

    def on_page_content(self, html: str, /, *, page: FramedPage, **_rest: Any) -> str:
        """Give a page its article and its contents."""
        ours = self.pages.get(page.file.src_uri)
        if ours is None:
            return html
        page.toc = TableOfContents(_contents(ours.contents))
        return ours.article + provenance(ours, path_to_root(ours.address))

    def _compiled(self) -> tuple[Pack, ...]:
        found: list[Diagnostic] = []
        game = Path(self.config.game) if self.config.game else None
        try:
            library = load_library(Path(self.config.library), game, found.append)
            if library.broken:
                raise UsageError("; ".join(one.reason for one in library.broken))
            packs = tuple(compile_game(game, found.append) for game in library.games)
        except UsageError as misuse:
            raise PluginError("\n\n".join([*map(to_text, found), str(misuse)])) from misuse
        if errors := [one for one in found if one.severity is Severity.ERROR]:
            raise PluginError("\n\n".join(map(to_text, errors)))
        return packs


def _source(page: Page) -> str:
    """What MkDocs takes a page to be made from; its address follows from it."""
    return f"{page.address}index.md"


def _navigation(every: Sequence[Page]) -> Iterator[dict[str, Any]]:
    """The library, then for each game its chapters, its kinds and the rest."""
    for page in every:
        match page.role:
            case "library":
                yield {page.title: _source(page)}
            case "glossary" if page.address == GLOSSARY:
                yield {page.title: _source(page)}
            case "home":
                below = [other for other in every if other.address.startswith(page.address)]
                chapters, kinds = _grouped(below), _listed(below, "kind")
                rest = _listed(below, "glossary", "calculators", "sheet", "print", "downloads", "errata")
                parts: list[dict[str, Any]] = [
                    {"Home": _source(page)},
                    {"Chapters": chapters},
                    {"Boards": _listed(below, "board")},
                    {"Kinds": kinds},
                    *rest,
                ]
                yield {page.title: [part for part in parts if all(part.values())]}


def _grouped(below: Sequence[Page]) -> list[dict[str, Any]]:
    """The chapters of a game, those of a folder below its title."""
    groups: dict[str, list[dict[str, Any]]] = {}
    top: list[dict[str, Any]] = []
    for page in below:
        if page.role == "chapter":
            inside = top
            for crumb in page.breadcrumbs[1:]:
                if crumb.address not in groups:
                    groups[crumb.address] = []
                    inside.append({crumb.title: groups[crumb.address]})
                inside = groups[crumb.address]
            inside.append({page.title: _source(page)})
    return top


def _listed(below: Sequence[Page], *roles: str) -> list[dict[str, Any]]:
    return [{page.title: _source(page)} for page in below if page.role in roles]


def _contents(entries: Sequence[Entry]) -> list[AnchorLink]:
    """The contents of a page as a tree."""
    top: list[AnchorLink] = []
    above: list[AnchorLink] = []
    for entry in entries:
        link = AnchorLink(entry.title, entry.id, entry.level)
        while above and above[-1].level >= entry.level:
            above.pop()
        (above[-1].children if above else top).append(link)
        above.append(link)
    return top

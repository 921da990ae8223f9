"""Render all files of a game, and the files that the games of a library share."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kismet_build.config.data_file import InvalidData, UsageError
from kismet_build.config.design import Design
from kismet_build.config.library import LibraryConfig
from kismet_build.driver.processes import run_parallel
from kismet_build.model.diagnostic import FailedText, Report, error, warning
from kismet_build.model.json_writer import json_file
from kismet_build.model.nodes import Document
from kismet_build.model.source import read_source
from kismet_build.model.text_normalization import folder_name
from kismet_build.model.watchdog import watched
from kismet_build.output.tree import (
    MANIFEST,
    FileDigest,
    OutputFile,
    Progress,
    Writer,
    describe_file,
    no_progress,
)
from kismet_build.pack import Pack
from kismet_build.parse import read
from kismet_build.render.data.listing import Listing, data_index, listing
from kismet_build.render.fragments.page_context import forget_fragments
from kismet_build.render.html.addresses import LazyFiles
from kismet_build.render.html.templates import author_template_errors
from kismet_build.render.pages.library import dead_entries, dead_links
from kismet_build.render.site import outputs
from kismet_build.render.site.service_worker import emit_service_worker

MIN_SHARDS_FOR_WORKERS = 100
"""Number of shards above which workers are replaced regularly, since each copies a part of the large pack."""
SHARDS_PER_WORKER = 16
"""Shards that each worker renders before it is replaced, to limit its memory."""

SITE_DIALECT = "obsidian"
"""The dialect of pages outside games."""
SEARCH_INDEX = re.compile(r"assets/([a-z0-9-]+)-search\.js")
"""Path of the search index of a game or manual; the group is the id of the game."""


class FailedRendering(Exception):
    """The files of one text of a game cannot be rendered because of a bug in this program."""

    def __init__(self, game: str, text: FailedText) -> None:
        super().__init__(game, text)
        self.game, self.text = game, text


def render_game(pack: Pack, write: Writer, jobs: int = 1, progress: Progress = no_progress) -> list[OutputFile]:
    """Render all files of a game with at most `jobs` processes. Each process writes the files that it renders.

    Raises `FailedRendering` if a text cannot be rendered.
    """
    outputs.prepare(pack)
    # Pages of the entire game come first, because they take longest.
    tasks: list[Sequence[str]] = [(), *outputs.shards(pack)]
    is_large = len(tasks) > MIN_SHARDS_FOR_WORKERS
    # These pages read the entire pack, and a worker would copy all of a large pack into its own memory.
    local = 1 if is_large else 0

    def render_task(number: int) -> tuple[list[OutputFile], dict[str, list[Any]]]:
        paths = tasks[number]
        if not number:
            return [*render_files(write, outputs.in_layout(pack, outputs.pages_of_game(pack)))], {}
        files = [file for path in paths for file in _render_document(pack, path, write)]
        parts = {path: outputs.document_parts(pack, path) for path in paths}
        for path in paths if is_large else ():
            forget_fragments(pack, path)
        return files, parts

    written = [file for number in range(local) for file in render_task(number)[0]]
    numbers = range(local, len(tasks))
    for _, (files, parts) in run_parallel(render_task, numbers, jobs, SHARDS_PER_WORKER if is_large else 0):
        for path, of_document in parts.items():
            outputs.adopt_parts(pack, path, of_document)
        written += files
        progress(f"{pack.game.title}: writing", len(written), 0)
    return [*written, *render_files(write, outputs.files_of_game(pack))]


def _render_document(pack: Pack, path: str, write: Writer) -> Iterator[OutputFile]:
    """Raises `FailedRendering` for a bug in this program."""
    try:
        for file, make in outputs.files_of_document(pack, path):
            with watched():
                written = [*render_files(write, iter([(file, make)]))]
            yield from written
    except (OSError, UsageError):
        raise
    except Exception as problem:
        raise FailedRendering(pack.game.id, FailedText(path, "render", problem)) from problem


def render_files(write: Writer, files: LazyFiles) -> Iterator[OutputFile]:
    """Render and write files one at a time, because together they take far more memory than the pack."""
    with author_template_errors():
        for path, make in files:
            yield write(path, make())


def shared_files(
    written: Iterable[OutputFile],
    listings: Iterable[Listing],
    library_config: LibraryConfig,
    write: Writer,
    report: Report = lambda _: None,
    *,
    has_manual: bool = False,
) -> Iterator[OutputFile]:
    """Write the files that all games share; the manifest comes last.

    `written` are all other files of the tree. `report` gets the diagnostics of the author's pages and navigation.
    Raises `InvalidData` for an entry of the navigation without a target, `UsageError` if an author's page is
    unreadable.
    """
    files = [*written]
    packs = sorted(listings, key=lambda pack: pack["game"]["id"])
    titles = [(pack["game"]["title"], pack["game"]["id"]) for pack in packs]
    library_config = configured(library_config, titles, report, has_manual=has_manual)
    digests = {
        file.path.removeprefix("data/"): (file.digest.size, file.digest.sha256) for file in files if file.is_data
    }
    files.append(write("data/index.json", data_index(packs, digests)))
    yield files[-1]

    def list_pages() -> list[str]:
        """The pages that are already written. The sitemap comes after the pages of the library."""
        return [file.path for file in files if file.is_page and not file.is_data]

    for file in render_files(write, outputs.library_files(packs, library_config, list_pages)):
        files.append(file)
        yield file
    paths = {file.path for file in files}
    for span, address, hint in dead_links(library_config, paths):
        report(warning("unresolved-link", span, f'nothing is published at "{address}"', hint))
    _check_entries(library_config, paths, report)
    yield write(MANIFEST, manifest(file for file in files if file.is_data))


def manifest(data: Iterable[OutputFile]) -> bytes:
    """The list of all data files, each with its size and digest."""
    files = [
        {"path": file.path.removeprefix("data/"), "size": file.digest.size, "sha256": file.digest.sha256}
        for file in sorted(data)
    ]
    return json_file({"format": 1, "files": files})


def configured(
    library_config: LibraryConfig, titles: Sequence[tuple[str, str]], report: Report, *, has_manual: bool
) -> LibraryConfig:
    """The settings of a library with the author's pages, and the ids of its games by title.

    The pages do not link to a manual that is missing or has errors. Raises `UsageError` if a page is unreadable.
    """
    return replace(
        library_config,
        manual=library_config.manual if has_manual else None,
        pages=tuple(_read_site_pages(library_config.design, report)),
        games={folder_name(title): game for title, game in titles},
    )


def _check_entries(library_config: LibraryConfig, paths: Collection[str], report: Report) -> None:
    """Report entries of `nav` and `links` that do not lead to one of these files.

    Raises `InvalidData` if one of them does not lead to a game or manual with errors.
    """
    dead = [*dead_entries(library_config, paths)]
    for link, hint, is_folder_there in dead:
        if is_folder_there:
            message = f'"{link.title}" leads to "{link.target}", where there is neither a page nor a file'
            report(error("invalid-library", link.span, message, hint))
        else:  # a game or manual with errors does not block the others
            message = f'"{link.title}" leads to "{link.target}", which is not published because of errors'
            report(warning("unresolved-link", link.span, message, "fix its errors, which are also reported"))
    for link in (link for link, _, is_folder_there in dead if is_folder_there):
        raise InvalidData(link.span.source.display_path)


def _read_site_pages(design: Design, report: Report) -> Iterator[tuple[str, Document]]:
    """Raises `UsageError` if a page is unreadable."""
    for address, path in design.pages:
        file = Path(design.folder, path)
        try:
            source = read_source(file, path, file.as_posix())
        except (OSError, UnicodeDecodeError) as problem:
            why = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8"
            raise UsageError(f"{file} cannot be read: {why}") from None
        yield address, read(source, SITE_DIALECT, report)


def render_library(packs: Sequence[Pack], report: Report = lambda _: None) -> Iterator[tuple[str, bytes]]:
    """Render a library in memory: path and content of every file. `report` is as in `shared_files`."""
    contents: dict[str, bytes] = {}

    def keep(path: str, content: bytes) -> OutputFile:
        contents[path] = content
        return describe_file(path, content)

    def made() -> Iterator[tuple[str, bytes]]:
        yield from contents.items()
        contents.clear()

    written: list[OutputFile] = []
    for pack in packs:
        written += render_game(pack, keep)
        yield from made()
    written += render_files(keep, outputs.general_schemas())
    for _ in shared_files(written, map(listing, packs), packs[0].game.library_config, keep, report):
        yield from made()


def service_worker(digests: Mapping[str, FileDigest]) -> Iterator[tuple[str, bytes]]:
    """The service worker and its list of files, from the digests of all other files of the tree; none without a search
    index.
    """
    # Each game has a search index, and so has the manual.
    games = [match[1] for path in sorted(digests) if (match := SEARCH_INDEX.fullmatch(path))]
    if games:
        # Redirects and data files are not cached on a device.
        cached = {path: (digest.size, digest.sha256) for path, digest in digests.items() if digest.is_site}
        yield from emit_service_worker(cached, games)

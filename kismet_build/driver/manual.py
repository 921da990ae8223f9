"""Build the manual of kismet as a separate website in the user's cache folder."""

import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from kismet_build.config.data_file import SHIPPED
from kismet_build.config.library import LibraryConfig
from kismet_build.config.load_library import load_manual
from kismet_build.driver.build_cache import file_digests, program_digest, source_paths
from kismet_build.driver.compile import compile_game
from kismet_build.driver.publish import render_game
from kismet_build.model.cache_folder import cache_folder, create_cache_folder
from kismet_build.output.tree import OutputFile, Writer, replace_tree
from kismet_build.render.site.outputs import library_files

MANUAL = SHIPPED / "content" / "docs"
"""The folder with the texts of the manual."""
SHARED_FILES = "assets/"
"""The start of the paths of the files that the pages of all games share."""


def build_manual() -> Path:
    """Build the manual unless it is already built, and return the path of its first page."""
    digests = file_digests(source_paths([str(MANUAL)]))
    key = sha256(repr((program_digest(), sorted(digests.items()))).encode()).hexdigest()[:16]
    folder = cache_folder("manual")
    page = folder / key / MANUAL.name / "index.html"
    if not page.is_file():
        create_cache_folder(folder)
        replace_tree(_emit, folder / key, search=False)
        for other in folder.glob("[!.]*"):
            if other.name != key:
                shutil.rmtree(other, ignore_errors=True)
    return page


def _emit(write: Writer) -> Iterator[OutputFile]:
    manual = load_manual(MANUAL, lambda _: None)
    pack = compile_game(manual.with_options(is_alone=True), lambda _: None)
    yield from render_game(pack, write)
    shared = library_files((), LibraryConfig(), tuple)
    yield from (write(path, make()) for path, make in shared if path.startswith(SHARED_FILES))

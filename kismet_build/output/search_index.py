"""Index the page text for search: one Pagefind index for each game, made while the pages of the next are written."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from kismet_build.config.data_file import SHIPPED

ARTICLE_START = b"<article data-pagefind-body"
"""Start of the article of a page whose text is indexed; the page templates write it."""
INDEX_FOLDER = "assets/pagefind"
"""Folder of the indexes in a tree, with one folder for each game id."""
LICENCE = SHIPPED / "site" / "pagefind.txt"
"""Licence of Pagefind, published with each index."""
DIGEST_FILE = "made-from.txt"
"""File of an index that holds the digest of the pages it was made from."""

EXCLUDED_SELECTORS = (
    # Kind names and symbols. The search index of names holds the kind of each page.
    *(".card-kind", ".ornament", ".to-card", ".permalink", ".heard"),
    # Embedded content of other pages, and controls.
    *(
        ".stands-in",
        ".references",
        ".source",
        ".why",
        ".calculators",
        "kismet-calculator",
        "nav",
        "form",
        "button",
        "dialog",
    ),
)
"""CSS selectors of the parts of an article that are not indexed."""
UNUSED_FILES = ("pagefind-*ui.*", "pagefind-highlight.js", "pagefind-worker.js", "wasm.unknown.pagefind")
"""Files of Pagefind that the site's own search box does not use."""


class SearchIndexer:
    """Makes the search indexes of a tree while it is written.

    `add` is called for every written file. The index of a game starts when the first file of the next game arrives.
    An index in the old tree is reused if its pages are unchanged.
    """

    def __init__(self, tree: Path, old: Path | None, indexes: Path | None = None) -> None:
        """Index the pages of `tree`, and write the indexes to `indexes` (default: `INDEX_FOLDER` of the tree).

        `old` is the tree whose indexes may be reused; without it every page is indexed.
        """
        self.tree = tree
        self.old = old
        self.indexes = indexes or tree / INDEX_FOLDER
        self.reused: set[str] = set()
        """Ids of the games whose index of the old tree is reused."""
        self.version = pagefind_version()
        self.program = pagefind_program() if self.version else None
        self.pages: dict[str, dict[str, bytes]] = {}
        """For each game, by page path, the digest of the indexed text."""
        self.current_game = ""
        """Id of the game whose pages are being written."""
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        """Pagefind processes by game id."""

    def add(self, path: str, text_digest: bytes) -> None:
        """Add a written file. `text_digest` is what `indexed_text_digest` gives for it."""
        game = path.partition("/")[0]
        if game != self.current_game:
            self._start(self.current_game)
            self.current_game = ""
        if text_digest:
            self._stop(game)  # if its index was started too early
            self.current_game = game
            self.pages.setdefault(game, {})[path] = text_digest

    def finish(self) -> str:
        """Wait for all indexes. Returns the reason if one could not be made, or an empty string."""
        self._start(self.current_game)
        if self.pages and self.program is None:
            return "there is no Pagefind for this machine"
        problem = ""
        for game, process in self.running.items():
            _, stderr = process.communicate()
            folder = self.indexes / game
            if process.returncode:
                shutil.rmtree(folder, ignore_errors=True)
                lines = stderr.decode("utf-8", "replace").strip().splitlines()
                problem = f"Pagefind failed{': ' + lines[-1] if lines else ''}"
                continue
            for unused in [file for pattern in UNUSED_FILES for file in folder.glob(pattern)]:
                unused.unlink()
            shutil.copyfile(LICENCE, folder / "licence.txt")
            (folder / DIGEST_FILE).write_text(self._input_digest(game), encoding="ascii", newline="\n")
        self.running.clear()
        return problem

    def stop(self) -> None:
        """Kill all running Pagefind processes."""
        for game in tuple(self.running):
            self._stop(game)

    def _start(self, game: str) -> None:
        if not game or self.program is None or game in self.running or self._reuse(game):
            return
        self.running[game] = subprocess.Popen(
            pagefind_command(self.program, self.tree, game, self.indexes),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def _stop(self, game: str) -> None:
        if process := self.running.pop(game, None):
            process.kill()
            process.communicate()
        self.reused.discard(game)
        if game in self.pages and game != self.current_game:
            shutil.rmtree(self.indexes / game, ignore_errors=True)

    def _reuse(self, game: str) -> bool:
        """Take the index of the old tree if it was made from the same text; return whether it was."""
        if self.old is None:
            return False
        index = self.old / INDEX_FOLDER / game
        try:
            if (index / DIGEST_FILE).read_text(encoding="ascii") != self._input_digest(game):
                return False
        except (OSError, ValueError):
            return False
        if self.old != self.tree:
            shutil.copytree(index, self.indexes / game, copy_function=_link_or_copy)
        self.reused.add(game)
        return True

    def _input_digest(self, game: str) -> str:
        """Digest of everything that the index of a game depends on."""
        parts = [self.version, *EXCLUDED_SELECTORS, *UNUSED_FILES]
        parts += [f"{path} {digest.hex()}" for path, digest in sorted(self.pages[game].items())]
        return sha256("\n".join(parts).encode()).hexdigest() + "\n"


def indexed_text_digest(path: str, content: bytes) -> bytes:
    """Digest of the part of a file that Pagefind reads; empty if the file is not indexed."""
    begin = content.find(ARTICLE_START) if path.endswith(".html") else -1
    if begin < 0:
        return b""
    return sha256(content[: content.find(b"<head>")] + content[begin : content.rfind(b"</article>")]).digest()


def pagefind_version() -> str:
    """Version of the installed Pagefind; empty if it is not installed."""
    # Imported here: the import takes 5 % of the start-up time, and many builds make no index.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("pagefind_bin")
    except PackageNotFoundError:
        return ""


def pagefind_program() -> Path | None:
    """Path of the Pagefind executable; `None` if there is none for this platform."""
    spec = find_spec("pagefind_bin")
    folders: Sequence[str] = (spec.submodule_search_locations or ()) if spec else ()
    for folder in folders:
        file = Path(folder) / ("pagefind.exe" if os.name == "nt" else "pagefind")
        if os.access(file, os.X_OK):
            return file
    return None


def pagefind_command(pagefind: Path, tree: Path, game: str, indexes: Path) -> list[str]:
    """Command line that indexes the pages of one game. URLs keep `index.html`, as those of the site's links do."""
    options = {
        "--site": str(tree),
        "--glob": f"{game}/**/*.html",
        "--output-path": str(indexes / game),
        "--exclude-selectors": ", ".join(EXCLUDED_SELECTORS),
    }
    return [str(pagefind), *(word for option in options.items() for word in option), "--keep-index-url", "--silent"]


def _link_or_copy(source: str, target: str) -> str:
    """Hard-link a file of the old tree into the new one; copy it if the file system has no hard links."""
    with suppress(OSError):
        os.link(source, target)
        return target
    return shutil.copy2(source, target)

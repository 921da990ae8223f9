"""Make the text of a fresh tree searchable: one index of Pagefind for each game, made while the next one is written."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from kismet_build.config.data_file import SHIPPED

INDEXED = b"<article data-pagefind-body"
"""How the article of a page begins whose text is searched; the templates say which pages those are."""
FOLDER = "assets/pagefind"
"""Where the indexes are in a tree, each in a folder with the id of its game."""
LICENCE = SHIPPED / "site" / "pagefind.txt"
"""Whose work is published with each index, and on what terms."""
MADE_FROM = "made-from.txt"
"""The file of an index that tells whether the pages that it was made from are the same as now."""

IGNORED = (
    # Names of kinds and signs: the names of a game say which page is of what kind.
    *(".card-kind", ".ornament", ".to-card", ".permalink", ".heard"),
    # What a page shows of other pages, and what can be used on it rather than read.
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
"""Selectors of what is in an article and not its text."""
UNUSED = ("pagefind-*ui.*", "pagefind-highlight.js", "pagefind-worker.js", "wasm.unknown.pagefind")
"""Files of Pagefind that a site with a search box of its own never asks for."""


class FullText:
    """The indexes of a tree that is being written: it is told of every file, and starts where a game is complete.

    Indexes of games whose pages are what they were are taken from the old tree.
    """

    def __init__(self, tree: Path, old: Path | None, indexes: Path | None = None) -> None:
        """Begin with a tree that is being written, where its indexes go if nothing else is said.

        Without an old one everything is indexed again.
        """
        self.tree = tree
        self.old = old
        self.indexes = indexes or tree / FOLDER
        self.reused: set[str] = set()
        """The games whose indexes in the old tree are still right."""
        self.version = pagefind_version()
        self.program = program() if self.version else None
        self.pages: dict[str, dict[str, bytes]] = {}
        """For each game a digest of what is indexed of each page."""
        self.waiting = ""
        """The game whose pages are being written."""
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def saw(self, path: str, searched: bytes) -> None:
        """Take note of a file that was written, and of the digest of what is searched of it."""
        game = path.partition("/")[0]
        if game != self.waiting:
            self._start(self.waiting)
            self.waiting = ""
        if searched:
            self._stop(game)  # if it was thought complete
            self.waiting = game
            self.pages.setdefault(game, {})[path] = searched

    def finish(self) -> str:
        """Wait until everything is indexed. What is returned says why something is not; it is empty if all is well."""
        self._start(self.waiting)
        if self.pages and self.program is None:
            return "there is no Pagefind for this machine"
        problem = ""
        for game, process in self.running.items():
            _, said = process.communicate()
            folder = self.indexes / game
            if process.returncode:
                shutil.rmtree(folder, ignore_errors=True)
                lines = said.decode("utf-8", "replace").strip().splitlines()
                problem = f"Pagefind failed{': ' + lines[-1] if lines else ''}"
                continue
            for unused in [file for pattern in UNUSED for file in folder.glob(pattern)]:
                unused.unlink()
            shutil.copyfile(LICENCE, folder / "licence.txt")
            (folder / MADE_FROM).write_text(self._made_from(game), encoding="ascii", newline="\n")
        self.running.clear()
        return problem

    def stop(self) -> None:
        """End what still runs."""
        for game in tuple(self.running):
            self._stop(game)

    def _start(self, game: str) -> None:
        if not game or self.program is None or game in self.running or self._reused(game):
            return
        self.running[game] = subprocess.Popen(
            command(self.program, self.tree, game, self.indexes),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def _stop(self, game: str) -> None:
        if process := self.running.pop(game, None):
            process.kill()
            process.communicate()
        self.reused.discard(game)
        if game in self.pages and game != self.waiting:
            shutil.rmtree(self.indexes / game, ignore_errors=True)

    def _reused(self, game: str) -> bool:
        """Whether the old tree has this very index, which is then in the new one as well."""
        if self.old is None:
            return False
        index = self.old / FOLDER / game
        try:
            if (index / MADE_FROM).read_text(encoding="ascii") != self._made_from(game):
                return False
        except (OSError, ValueError):
            return False
        if self.old != self.tree:
            shutil.copytree(index, self.indexes / game, copy_function=_linked)
        self.reused.add(game)
        return True

    def _made_from(self, game: str) -> str:
        """A digest of everything that the index of a game depends on."""
        parts = [self.version, *IGNORED, *UNUSED]
        parts += [f"{path} {digest.hex()}" for path, digest in sorted(self.pages[game].items())]
        return sha256("\n".join(parts).encode()).hexdigest() + "\n"


def searched_of(path: str, content: bytes) -> bytes:
    """A digest of what is searched of a file; empty where nothing is."""
    begin = content.find(INDEXED) if path.endswith(".html") else -1
    if begin < 0:
        return b""
    return sha256(content[: content.find(b"<head>")] + content[begin : content.rfind(b"</article>")]).digest()


def pagefind_version() -> str:
    """The version of Pagefind that is installed; empty where none is."""
    # Here, because it takes a twentieth of the time of a start, and many builds make no index.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("pagefind_bin")
    except PackageNotFoundError:
        return ""


def program() -> Path | None:
    """The program that makes the indexes; `None` on a machine that there is none for."""
    found = find_spec("pagefind_bin")
    folders: Sequence[str] = (found.submodule_search_locations or ()) if found else ()
    for folder in folders:
        file = Path(folder) / ("pagefind.exe" if os.name == "nt" else "pagefind")
        if os.access(file, os.X_OK):
            return file
    return None


def command(pagefind: Path, tree: Path, game: str, indexes: Path) -> list[str]:
    """How the pages of one game are indexed. Addresses keep `index.html`, so that they can be compared with ours."""
    options = {
        "--site": str(tree),
        "--glob": f"{game}/**/*.html",
        "--output-path": str(indexes / game),
        "--exclude-selectors": ", ".join(IGNORED),
    }
    return [str(pagefind), *(word for option in options.items() for word in option), "--keep-index-url", "--silent"]


def _linked(source: str, target: str) -> str:
    """Put a file in a second place: the old tree goes when the new one comes."""
    with suppress(OSError):
        os.link(source, target)
        return target
    return shutil.copy2(source, target)

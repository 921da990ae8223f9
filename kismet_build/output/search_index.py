"""Index the text of pages for search with Pagefind. A game's indexes are built while the next game is written.

A large game has several indexes, called shards. After an edit, usually only the shard of the edited page is built
again.
"""

import gzip
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from kismet_build.config.data_file import SHIPPED
from kismet_build.model.process import end_with_parent, prepare

ARTICLE_START, ARTICLE_END = b"<article data-pagefind-body", b"</article>"
"""Start and end of the indexed part of a page, as in `layout.html`. Pages without them are not indexed: most
games have their entire text in the index for `search-rank.js`."""
INDEX_FOLDER = "assets/pagefind"
"""Folder of the indexes in a tree, with a subfolder for each game id."""
LICENCE = SHIPPED / "site" / "pagefind.txt"
"""Pagefind's licence, published with the indexes of each game."""
LICENCE_FILE = "licence.txt"
SHARD_LIST = "shards.json"
"""A game's list of indexes for `search-box.js`: name and digest of each and, for several, their numbers of pages and
words."""
DIGEST_DIGITS = 16
"""Number of hexadecimal digits of a shard's digest."""
SHARDS_BY_PAGES = ((10_000, 32), (1_200, 16), (600, 8), (300, 4))
"""The number of shards for each minimum number of indexed pages. Smaller games have one index. There are few steps,
because any page may change its shard at a step: docs/decisions/0017-full-text-search.md."""
CHUNK_SIZE = 20_000
"""Size of the index chunks of a game with one index, in word positions; Pagefind's default."""
MAX_PROCESSES = min(os.cpu_count() or 1, 4)
"""Maximum number of Pagefind processes that run at the same time, each with its own threads."""

EXCLUDED_CLASSES = (
    # Names and symbols of kinds; the search index of names has the kind of each page.
    *("card-kind", "ornament", "to-card", "permalink", "heard"),
    # Embedded content of other pages.
    *("stands-in", "references", "source", "why", "calculators"),
)
EXCLUDED_ELEMENTS = ("kismet-calculator", "nav", "form", "button", "dialog")
"""Elements for controls and navigation. They are not indexed; nor are elements with `EXCLUDED_CLASSES`."""
EXCLUDED_SELECTORS = (*(f".{name}" for name in EXCLUDED_CLASSES), *EXCLUDED_ELEMENTS)
EXCLUDED = re.compile(
    rf"<({'|'.join(EXCLUDED_ELEMENTS)})(?=[\s>])|"
    rf'<([a-z][a-z0-9-]*) (?:[^<>]* )?class="(?:[^"<>]* )?(?:{"|".join(EXCLUDED_CLASSES)})[ "]'.encode()
)
"""Start of an element that is not indexed."""
ENGINE_FILES = ("pagefind.js", "wasm.*.pagefind")
"""Pagefind files that only the first shard of a game has."""
UNUSED_FILES = ("pagefind-*ui.*", "pagefind-highlight.js", "pagefind-worker.js", "wasm.unknown.pagefind")
"""Pagefind files that the website's own search box does not use."""
EXPORT_ENGINE = b"\nexport { Pagefind };\n"
"""Appended to `pagefind.js` if a game has shards: `search-shards.js` needs the verbose results of each, because a shard
computes scores from its own statistics (docs/decisions/0017-full-text-search.md)."""


class Shard(NamedTuple):
    """An index of a game."""

    game: str
    name: str
    """The shard's folder below that of the game; empty if the game has only one index."""

    @property
    def folder(self) -> str:
        """The shard's folder below that of all indexes."""
        return f"{self.game}/{self.name}".rstrip("/")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    process: subprocess.Popen[bytes]
    pages: Path
    """Temporary folder with the pages to index."""


class SearchIndexer:
    """Builds the search indexes of a tree while it is written.

    `add` is called for each written file. A game's indexing is started when the first page of the next game arrives.
    Shards of the old tree are reused if their indexed text is unchanged.
    """

    def __init__(self, tree: Path, old: Path | None, scratch: Path) -> None:
        """Index the pages of `tree`, and write the indexes to its `INDEX_FOLDER`.

        `old`: the tree whose shards may be reused; if `None`, every page is indexed. `scratch`: a folder for temporary
        files.
        """
        self.tree = tree
        self.old = old
        self.scratch = scratch
        self.indexes = tree / INDEX_FOLDER
        self.version = pagefind_version()
        self.program = pagefind_program() if self.version else None
        self.pages: dict[str, dict[str, str]] = {}
        """The digest of the indexed text of each page, by game and by the path of the page."""
        self.current_game = ""
        """Id of the game whose pages are being written."""
        self.digests: dict[str, dict[Shard, str]] = {}
        """The digest of each shard, sorted by name, for each game whose indexing has started."""
        self.sizes: dict[Shard, tuple[int, ...]] = {}
        """The numbers of pages and words in each shard of a game with more than one."""
        self.waiting: deque[tuple[Shard, Sequence[str]]] = deque()
        """Shards waiting for a process, with the paths of their pages."""
        self.running: dict[Shard, _Job] = {}
        self.problems: dict[str, str] = {}
        """Why a shard could not be built, by game."""

    def add(self, path: str, text_digest: str) -> None:
        """Add a written file. `text_digest`: the result of `indexed_text_digest`."""
        if text_digest:
            game = path.partition("/")[0]
            if game != self.current_game:
                self._start(self.current_game)
                self.current_game = game
            self._stop(game)  # The game may have been started already, if its pages are not written consecutively.
            self.pages.setdefault(game, {})[path] = text_digest
        for shard in [shard for shard, job in self.running.items() if job.process.poll() is not None]:
            self._end(shard)

    def finish(self) -> str:
        """Wait for all indexes. Returns the reason if one of them failed, or else an empty string."""
        self._start(self.current_game)
        if self.pages and self.program is None:
            return "Pagefind is not available for this machine"
        while self.running:
            self._end(next(iter(self.running)))
        for game, digests in self.digests.items():
            if game in self.problems:
                shutil.rmtree(self.indexes / game, ignore_errors=True)
            else:
                self._write_game_files(game, digests)
        return next(iter(self.problems.values()), "")

    def stop(self) -> None:
        """Kill all Pagefind processes and drop the waiting shards."""
        self.waiting.clear()
        for shard in tuple(self.running):
            self._kill(shard)

    def _start(self, game: str) -> None:
        if not game or self.program is None or game in self.digests:
            return
        pages = self.pages[game]
        shards = divide(game, pages)
        self.digests[game] = {
            shard: self._input_digest({path: pages[path] for path in paths}, len(shards), is_first=place == 0)
            for place, (shard, paths) in enumerate(shards.items())
        }
        before = _read_shard_list(self.old / INDEX_FOLDER / game) if self.old else {}
        for shard, paths in shards.items():
            digest, size = before.get(shard.name, ("", ()))
            if digest == self.digests[game][shard] and self._reuse(shard):
                self.sizes[shard] = size
            else:
                self.waiting.append((shard, paths))
        self._run_waiting()

    def _run_waiting(self) -> None:
        while self.program and self.waiting and len(self.running) < MAX_PROCESSES:
            shard, paths = self.waiting.popleft()
            pages = Path(tempfile.mkdtemp(prefix="pages-", dir=self.scratch))
            for path in paths:
                page = pages / path
                page.parent.mkdir(parents=True, exist_ok=True)
                page.write_bytes(indexed_text((self.tree / path).read_bytes()) + ARTICLE_END)
            prepare()
            chunk_size = CHUNK_SIZE // len(self.digests[shard.game])
            process = subprocess.Popen(
                pagefind_command(self.program, pages, self.indexes / shard.folder),
                # An unstable option. Without it, Pagefind makes larger chunks, so each search loads more bytes.
                env={**os.environ, "PAGEFIND_UNSTABLE_INDEX_CHUNK_SIZE": str(chunk_size)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                # With a `preexec_fn`, the child could hang, because this process has threads.
                preexec_fn=partial(end_with_parent, os.getpid()) if threading.active_count() == 1 else None,
            )
            self.running[shard] = _Job(process=process, pages=pages)

    def _end(self, shard: Shard) -> None:
        job = self.running.pop(shard)
        _, stderr = job.process.communicate()
        shutil.rmtree(job.pages, ignore_errors=True)
        if job.process.returncode:
            lines = stderr.decode("utf-8", "replace").strip().splitlines()
            failure = "failed" if job.process.returncode > 0 else f"was killed by signal {-job.process.returncode}"
            self.problems[shard.game] = f"Pagefind {failure}{': ' + lines[-1] if lines else ''}"
        else:
            is_first = shard == next(iter(self.digests[shard.game]))
            folder = self.indexes / shard.folder
            for pattern in (*UNUSED_FILES, *(() if is_first else ENGINE_FILES)):
                for file in folder.glob(pattern):
                    file.unlink()
            if shard.name:
                words = [_word_count(fragment) for fragment in (folder / "fragment").iterdir()]
                self.sizes[shard] = (len(words), sum(words))
                if is_first:
                    with (folder / "pagefind.js").open("ab") as engine:
                        engine.write(EXPORT_ENGINE)
        self._run_waiting()

    def _write_game_files(self, game: str, digests: Mapping[Shard, str]) -> None:
        folder = self.indexes / game
        folder.mkdir(parents=True, exist_ok=True)
        listed = [(shard.name, digest, *self.sizes.get(shard, ())) for shard, digest in digests.items()]
        _write(folder / SHARD_LIST, json.dumps(listed).encode())
        _write(folder / LICENCE_FILE, LICENCE.read_bytes())
        first = next(iter(digests))
        if first.name:
            _write(folder / "pagefind.js", f'export {{ Pagefind }} from "./{first.name}/pagefind.js";\n'.encode())

    def _kill(self, shard: Shard) -> None:
        job = self.running.pop(shard)
        job.process.kill()
        job.process.communicate()
        shutil.rmtree(job.pages, ignore_errors=True)
        shutil.rmtree(self.indexes / shard.folder, ignore_errors=True)

    def _stop(self, game: str) -> None:
        """Discard the indexes of a game if they were started before its last page was written."""
        if game not in self.digests:
            return
        self.waiting = deque(entry for entry in self.waiting if entry[0].game != game)
        for shard in [shard for shard in self.running if shard.game == game]:
            self._kill(shard)
        del self.digests[game]
        self.problems.pop(game, None)
        shutil.rmtree(self.indexes / game, ignore_errors=True)
        self._run_waiting()

    def _reuse(self, shard: Shard) -> bool:
        """Returns whether the old tree has the shard."""
        assert self.old is not None
        index = self.old / INDEX_FOLDER / shard.folder
        if not (index / "pagefind-entry.json").is_file():
            return False
        ignored = None if shard.name else shutil.ignore_patterns(SHARD_LIST, LICENCE_FILE)
        shutil.copytree(index, self.indexes / shard.folder, copy_function=link_or_copy, ignore=ignored)
        return True

    def _input_digest(self, pages: Mapping[str, str], shards: int, *, is_first: bool) -> str:
        parts = [self.version, *EXCLUDED_SELECTORS, *UNUSED_FILES, str(CHUNK_SIZE), str(shards), str(is_first)]
        parts += [f"{path} {digest}" for path, digest in sorted(pages.items())]
        return sha256("\n".join(parts).encode()).hexdigest()[:DIGEST_DIGITS]


def shard_count(pages: int) -> int:
    """Number of indexes for a game with this number of indexed pages."""
    return next((count for limit, count in SHARDS_BY_PAGES if pages >= limit), 1)


def divide(game: str, paths: Iterable[str]) -> dict[Shard, list[str]]:
    """The pages of each shard of a game, which a hash of their paths decides. Sorted by shard name."""
    ordered = sorted(paths)
    count = shard_count(len(ordered))
    shards: dict[Shard, list[str]] = {}
    for path in ordered:
        number = int.from_bytes(sha256(path.encode()).digest()[:8], "big") % count
        shards.setdefault(Shard(game, f"{number:02}" if count > 1 else ""), []).append(path)
    return dict(sorted(shards.items()))


def indexed_text_digest(path: str, content: bytes) -> str:
    """Digest of the part of a file that Pagefind reads; empty if the file is not indexed."""
    return sha256(indexed_text(content)).hexdigest() if path.endswith(".html") and ARTICLE_START in content else ""


def indexed_text(page: bytes) -> bytes:
    """The indexed part of a page: the start tag with its language, and its article without the excluded elements."""
    begin, end = page.find(ARTICLE_START), page.rfind(ARTICLE_END)
    parts = [page[: page.find(b"<head>")]]
    while excluded := EXCLUDED.search(page, begin, end):
        after = _end_of_element(page, excluded[1] or excluded[2], excluded.end(), end)
        # An element without an end tag stays in the digest, although Pagefind excludes it, too.
        parts.append(page[begin : excluded.start() if after else excluded.end()])
        begin = after or excluded.end()
    return b"".join((*parts, page[begin:end]))


def _end_of_element(page: bytes, name: bytes, begin: int, end: int) -> int:
    """Position after the end tag of an element that starts before `begin`; 0 if the tag is not before `end`."""
    depth = 1
    for tag in re.compile(rb"<(/?)%b[\s>]" % name).finditer(page, begin, end):
        depth += -1 if tag[1] else 1
        if not depth:
            return tag.end()
    return 0


def pagefind_version() -> str:
    """Version of the installed Pagefind; empty if it is not installed."""
    # Imported late, because many builds make no index.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("pagefind_bin")
    except PackageNotFoundError:
        return ""


def pagefind_program() -> Path | None:
    """Path of the Pagefind executable; `None` if Pagefind is not installed for this platform."""
    spec = find_spec("pagefind_bin")
    folders: Sequence[str] = (spec.submodule_search_locations or ()) if spec else ()
    for folder in folders:
        file = Path(folder) / ("pagefind.exe" if os.name == "nt" else "pagefind")
        if os.access(file, os.X_OK):
            return file
    return None


def pagefind_command(pagefind: Path, pages: Path, index: Path) -> list[str]:
    """Command that indexes the pages of one shard. URLs keep `index.html`, like the links of the website."""
    options = {"--site": str(pages), "--output-path": str(index), "--exclude-selectors": ", ".join(EXCLUDED_SELECTORS)}
    return [str(pagefind), *(word for option in options.items() for word in option), "--keep-index-url", "--silent"]


def _read_shard_list(folder: Path) -> Mapping[str, tuple[str, tuple[int, ...]]]:
    try:
        listed = json.loads((folder / SHARD_LIST).read_bytes())
        return {name: (digest, tuple(size)) for name, digest, *size in listed}
    except (OSError, ValueError, TypeError, RecursionError):
        return {}


def _word_count(fragment: Path) -> int:
    match = re.search(rb'"word_count":(\d+)', gzip.decompress(fragment.read_bytes()))
    return int(match[1]) if match else 0


def _write(file: Path, content: bytes) -> None:
    """Write a file.

    An existing one is replaced, not overwritten, as it may be a hard link to a file of the old tree.
    """
    file.unlink(missing_ok=True)
    file.write_bytes(content)


def link_or_copy(source: str, target: str) -> str:
    """Hard-link a file of the old tree into the new one, or copy it if the file system has no hard links."""
    with suppress(OSError):
        os.link(source, target)
        return target
    return shutil.copy2(source, target)

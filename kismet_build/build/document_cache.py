"""Parse source files once. Documents are cached in memory, and those of large games on disk too."""

import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import closing, suppress
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from kismet_build.build.build_cache import program_digest
from kismet_build.build.cached_pickle import from_pickle, to_pickle
from kismet_build.build.processes import run_parallel
from kismet_build.config.discovery import relative_path
from kismet_build.config.game import Game
from kismet_build.model.cache_folder import cache_folder, create_cache_folder, prune, seal, unseal
from kismet_build.model.diagnostic import Diagnostic, Report, error
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source, read_source
from kismet_build.output.tree import Progress, no_progress
from kismet_build.pack import ParsedFile
from kismet_build.parse import read

MAX_CACHED_DOCUMENTS = 20_000
"""Documents that are held in memory, to bound it."""
MIN_DOCUMENTS_FOR_WORKERS = 100
"""Fewest new documents that are parsed by several processes and cached on disk. For fewer, parsing is as fast."""
BATCH_SIZE = 25
"""Documents that a worker process parses before it returns them."""

SUFFIX = ".sqlite"


class ParseResult(NamedTuple):
    """A document and the diagnostics of its parse."""

    document: Document
    diagnostics: tuple[Diagnostic, ...]


class _ParseInput(NamedTuple):
    """Everything that a document depends on."""

    source: Source
    dialect: str
    strict_line_breaks: bool

    @property
    def key(self) -> bytes:
        """Cache key."""
        source = self.source
        return sha256(
            "\0".join((source.digest, source.path, source.display_path, *map(str, self[1:]))).encode()
        ).digest()

    def parse(self) -> ParseResult:
        diagnostics: list[Diagnostic] = []
        options = {"strict_line_breaks": True} if self.strict_line_breaks else {}
        return ParseResult(read(self.source, self.dialect, diagnostics.append, **options), tuple(diagnostics))


class DocumentCache:
    """Parses files, and caches the documents by path and content."""

    def __init__(self, *, is_persistent: bool = False) -> None:
        """Start with an empty memory cache; a persistent cache also reads and writes the one on disk."""
        self._results: dict[bytes, ParseResult] = {}
        """In least-recently-used order."""
        self._is_persistent = is_persistent

    def parse_files(
        self, game: Game, files: Iterable[tuple[Path, str]], progress: Progress = no_progress, jobs: int = 1
    ) -> dict[Path, ParsedFile]:
        """Parse files of a game, given with their dialects, with at most `jobs` processes. Raises `OSError`."""
        inputs: dict[Path, _ParseInput | None] = {}
        diagnostics: dict[Path, list[Diagnostic]] = {}
        for file, dialect in files:
            diagnostics[file] = []
            inputs[file] = _parse_input(game, file, dialect, diagnostics[file].append)
        keys = {file: given.key for file, given in inputs.items() if given is not None}
        new = {key: given for file, key in keys.items() if key not in self._results and (given := inputs[file])}
        if len(new) >= MIN_DOCUMENTS_FOR_WORKERS and (jobs > 1 or self._is_persistent):
            # Only a call for all files of the game knows which documents are no longer used.
            used = set(keys.values()) if len(inputs) == len(game.files) else None
            self._load_or_parse(game, new, used, progress, jobs)
        return {
            file: ParsedFile(None, tuple(diagnostics[file]))
            if given is None
            else self._parsed(keys[file], given, diagnostics[file])
            for file, given in inputs.items()
        }

    def _parsed(self, key: bytes, given: _ParseInput, diagnostics: Iterable[Diagnostic]) -> ParsedFile:
        result = self._results.pop(key, None) or given.parse()
        self._results[key] = result  # at the end: most recently used
        if len(self._results) > MAX_CACHED_DOCUMENTS:
            del self._results[next(iter(self._results))]
        return ParsedFile(result.document, (*diagnostics, *result.diagnostics))

    def _load_or_parse(
        self, game: Game, new: Mapping[bytes, _ParseInput], used: Set[bytes] | None, progress: Progress, jobs: int
    ) -> None:
        """Load documents from the disk cache, parse the others, and store those."""
        file = _cache_file(game) if self._is_persistent else None
        loaded = dict(_load(file, new)) if file else {}
        missing = [key for key in new if key not in loaded]
        batches = [missing[start : start + BATCH_SIZE] for start in range(0, len(missing), BATCH_SIZE)]
        main_process = os.getpid()

        def parse_batch(number: int) -> list[tuple[bytes, bytes]]:
            progress(f"{game.title}: reading", number * BATCH_SIZE, len(missing))
            results = [(key, new[key].parse()) for key in batches[number]]
            if os.getpid() == main_process:
                self._results.update(results)
                if not file:
                    return []
            return [(key, seal(key, to_pickle(result))) for key, result in results]

        parsed: dict[bytes, bytes] = {}
        batch_results = (batch for _, batch in run_parallel(parse_batch, range(len(batches)), jobs))
        for pickled in chain([loaded.items()], batch_results):
            # Unpickled here while the workers parse the next batches.
            for key, content in pickled:
                if key not in self._results and (result := _restore(key, content)):
                    self._results[key] = result
                if key not in loaded:
                    parsed[key] = content
        if file:
            _store(file, parsed, used)


def _restore(key: bytes, sealed: bytes) -> ParseResult | None:
    """The parse result of a text; `None` if it is damaged or that of another text."""
    content = unseal(key, sealed)
    result = None if content is None else from_pickle(content)
    return result if isinstance(result, ParseResult) else None


def _cache_file(game: Game) -> Path:
    """The disk cache of a game, for this version of the compiler."""
    key = f"{game.folder.resolve()}\n{program_digest()}"
    return cache_folder("documents") / f"{sha256(key.encode()).hexdigest()[:32]}{SUFFIX}"


def _load(file: Path, keys: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """The pickled documents that are in a disk cache, with their keys."""
    import sqlite3

    if file.is_file():
        # A message of SQLite that quotes a damaged schema may not be UTF-8.
        with suppress(sqlite3.Error, UnicodeDecodeError), closing(sqlite3.connect(file)) as database:
            for key in keys:
                for (content,) in database.execute("SELECT document FROM documents WHERE key = ?", (key,)):
                    if isinstance(content, bytes):  # a damaged database may have any type
                        yield key, content


def _store(file: Path, documents: Mapping[bytes, bytes], used_keys: Set[bytes] | None) -> None:
    """Store documents in a disk cache, and delete those not in `used_keys`, if given. A failure is ignored."""
    import sqlite3

    with suppress(OSError):
        create_cache_folder(file.parent)
        try:
            with closing(sqlite3.connect(file)) as database, database:
                database.execute("CREATE TABLE IF NOT EXISTS documents (key BLOB PRIMARY KEY, document BLOB)")
                if used_keys is not None:
                    stored = {key for (key,) in database.execute("SELECT key FROM documents")}
                    unused = ((key,) for key in stored - used_keys)
                    database.executemany("DELETE FROM documents WHERE key = ?", unused)
                database.executemany("INSERT OR REPLACE INTO documents VALUES (?, ?)", documents.items())
        except (sqlite3.Error, UnicodeDecodeError) as failure:
            if getattr(failure, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:  # locked by another build
                file.unlink(missing_ok=True)  # damaged: the next build creates it
        prune(file.parent, f"*{SUFFIX}")


def _parse_input(game: Game, file: Path, dialect: str, report: Report) -> _ParseInput | None:
    source = _decode(game, file, report)
    return None if source is None else _ParseInput(source, dialect, bool(game.options.get("strict_line_breaks")))


def _decode(game: Game, file: Path, report: Report) -> Source | None:
    """Read a file as UTF-8. If its bytes are not UTF-8, report the first bad byte and return `None`.

    In a game without kinds the text is then decoded with the most likely encoding instead.
    """
    path, shown = _document_path(game, file), _replace_undecodable(file.as_posix())
    try:
        return read_source(file, path, shown)
    except UnicodeDecodeError as failure:
        data = failure.object  # not the file, which may have changed
        before = data[: failure.start].decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
        text = before + data[failure.start :].decode("utf-8", "replace")
        source = Source(path, text, display_path=shown)
        hint = "save it as UTF-8; this byte looks like an older encoding such as Windows-1252"
        message = f"this file is not UTF-8: the byte 0x{data[failure.start]:02X} cannot be read"
        report(error("invalid-encoding", source.span(len(before), len(before) + 1), message, hint))
        return _decode_legacy(data, path, shown) if game.publishes_faulty_texts else None


def _decode_legacy(data: bytes, path: str, shown: str) -> Source:
    """Decode bytes that are not UTF-8 as Windows programs write them: UTF-16 with a byte order mark, else cp1252."""
    encoding = "utf-16" if data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "cp1252"
    text = data.decode(encoding, "replace").replace("\r\n", "\n").replace("\r", "\n")
    return Source(path, text, sha256(data).hexdigest(), shown)


def _document_path(game: Game, file: Path) -> str:
    """The path of a document, by which all others name it; unique in the game, also where bytes had to be replaced."""
    path = _replace_undecodable(relative_path(file, game.folder))
    if path == relative_path(file, game.folder):
        return path
    paths = (_replace_undecodable(relative_path(other, game.folder)) for other, _ in game.files)
    before = [other for (other, _), shown in zip(game.files, paths, strict=True) if shown == path].index(file)
    stem, _, suffix = path.rpartition(".")
    return f"{stem} {before + 1}.{suffix}" if before else path


def _replace_undecodable(path: str) -> str:
    """Replace the bytes of a file name that are not UTF-8 by U+FFFD."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

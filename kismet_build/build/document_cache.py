"""Read the texts of games, each of them once: documents are kept, those of long games on the disk as well."""

import copyreg
import os
import pickle
import threading
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from hashlib import sha256
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from kismet_build.build.build_cache import UNREADABLE, program_digest
from kismet_build.build.process_pool import run_parallel
from kismet_build.config.discovery import within
from kismet_build.config.game import Game
from kismet_build.model.cache_folder import cache, prune
from kismet_build.model.diagnostic import Diagnostic, Report, error
from kismet_build.model.nodes import Document
from kismet_build.model.source import Source, read_source
from kismet_build.output.tree import Progress, no_progress
from kismet_build.parse import read

MOST = 20_000
"""So many documents are kept in memory."""
MANY = 100
"""So many texts are read in several processes, and kept on the disk; of fewer, that would take as long as reading."""
PIECE = 25
"""So many texts are read by one process at a time."""

SUFFIX = ".sqlite"
PROTOCOL = pickle.HIGHEST_PROTOCOL


class ParseResult(NamedTuple):
    """A document with what was found while it was read."""

    document: Document
    found: tuple[Diagnostic, ...]


class _Text(NamedTuple):
    """What a document is made from."""

    source: Source
    dialect: str
    is_strict: bool

    @property
    def key(self) -> bytes:
        """The same for the same document, and for no other."""
        source = self.source
        return sha256("\0".join((source.digest, source.path, source.shown, *map(str, self[1:]))).encode()).digest()

    def read(self) -> ParseResult:
        found: list[Diagnostic] = []
        options = {"strict_line_breaks": True} if self.is_strict else {}
        return ParseResult(read(self.source, self.dialect, found.append, **options), tuple(found))


class DocumentCache:
    """Reads texts, and keeps the documents: one that has the same bytes in the same place is not read again."""

    def __init__(self, *, is_persistent: bool = False) -> None:
        """Know nothing yet, or where documents are kept, what is on the disk."""
        self._known: dict[bytes, ParseResult] = {}
        self._is_kept = is_persistent

    def document(self, game: Game, file: Path, dialect: str, report: Report) -> Document | None:
        """One text of a game; nothing comes of one that cannot be decoded. Raises `OSError`."""
        text = _text(game, file, dialect, report)
        return None if text is None else self._told(text.key, text, report)

    def of_game(self, game: Game, report: Report, progress: Progress = no_progress, jobs: int = 1) -> list[Document]:
        """All texts of a game, read in so many processes at most. Raises `OSError`."""
        read = (_text(game, file, dialect, report) for file, dialect in game.files)
        documents = [(text.key, text) for text in read if text is not None]
        new = {key: text for key, text in documents if key not in self._known}
        if len(new) >= MANY and (jobs > 1 or self._is_kept):
            self._read_all(game, new, progress, jobs)
        return [self._told(key, text, report) for key, text in documents]

    def _told(self, key: bytes, text: _Text, report: Report) -> Document:
        # What is asked for comes last, so that the first is what was not asked for longest.
        there = self._known.pop(key, None) or text.read()
        self._known[key] = there
        if len(self._known) > MOST:
            del self._known[next(iter(self._known))]
        for one in there.found:
            report(one)
        return there.document

    def _read_all(self, game: Game, new: Mapping[bytes, _Text], progress: Progress, jobs: int) -> None:
        """Get documents from the disk, and read those that are not there."""
        place = _place(game) if self._is_kept else None
        there = dict(_kept(place, new)) if place else {}
        left = [key for key in new if key not in there]
        pieces = [left[start : start + PIECE] for start in range(0, len(left), PIECE)]
        here = os.getpid()

        def read_piece(number: int) -> list[tuple[bytes, bytes]]:
            progress(f"{game.title}: reading", number * PIECE, len(left))
            made = [(key, new[key].read()) for key in pieces[number]]
            if os.getpid() == here:
                self._known.update(made)
            return [(key, _packed(told)) for key, told in made] if place or os.getpid() != here else []

        made: dict[bytes, bytes] = {}
        for some in chain([there.items()], (some for _, some in run_parallel(read_piece, range(len(pieces)), jobs))):
            # As they come, while other processes still read.
            for key, content in some:
                if key not in self._known:
                    with suppress(*UNREADABLE):
                        self._known[key] = _unpacked(content, new[key].source)
                if key not in there:
                    made[key] = content
        if place:
            _keep(place, made, new)


def _packed(told: ParseResult) -> bytes:
    """A document as bytes, without its text: whoever asks for it has that."""
    file = BytesIO()
    pickler = pickle.Pickler(file, PROTOCOL)
    pickler.dispatch_table = WITHOUT_SOURCE
    pickler.dump(told)
    return file.getvalue()


def _unpacked(content: bytes, source: Source) -> ParseResult:
    """A document that was packed, of this text. Raises what `UNREADABLE` says."""
    _AT_HAND.source = source
    told = pickle.loads(content)
    if not isinstance(told, ParseResult):
        raise TypeError(content[:20])
    return told


class _AtHand(threading.local):
    """The text of the document that is being unpacked."""

    source: Source


_AT_HAND = _AtHand()


def _source_at_hand() -> Source:
    return _AT_HAND.source


WITHOUT_SOURCE = {**copyreg.dispatch_table, Source: lambda _: (_source_at_hand, ())}
"""How a document and all in it is pickled: everything that it says of a source it says of its own."""


def _place(game: Game) -> Path:
    """Where the documents of a game are kept that this very program has read."""
    told = f"{game.folder.resolve()}\n{program_digest()}"
    return cache("documents") / f"{sha256(told.encode()).hexdigest()[:32]}{SUFFIX}"


def _kept(place: Path, keys: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    import sqlite3

    if place.is_file():
        with suppress(sqlite3.Error), closing(sqlite3.connect(place)) as store:
            for key in keys:
                for (content,) in store.execute("SELECT document FROM documents WHERE key = ?", (key,)):
                    yield key, content


def _keep(place: Path, made: Mapping[bytes, bytes], now: Iterable[bytes]) -> None:
    """Keep documents, and of those that were kept before what is there now; without room there they are read again."""
    import sqlite3

    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            with closing(sqlite3.connect(place)) as store, store:
                store.execute("CREATE TABLE IF NOT EXISTS documents (key BLOB PRIMARY KEY, document BLOB)")
                known = {key for (key,) in store.execute("SELECT key FROM documents")}
                gone = ((key,) for key in known.difference(now))
                store.executemany("DELETE FROM documents WHERE key = ?", gone)
                store.executemany("INSERT OR REPLACE INTO documents VALUES (?, ?)", made.items())
        except sqlite3.Error:
            place.unlink(missing_ok=True)  # whatever is wrong with it, the next build makes another
        prune(place.parent, f"*{SUFFIX}")


def _text(game: Game, file: Path, dialect: str, report: Report) -> _Text | None:
    source = _source(game, file, report)
    return None if source is None else _Text(source, dialect, bool(game.options.get("strict_line_breaks")))


def _source(game: Game, file: Path, report: Report) -> Source | None:
    """A text; one that is not UTF-8 is reported at the first byte that is not, and left out, but in a plain vault."""
    path, shown = _printable(within(file, game.folder)), _printable(file.as_posix())
    try:
        return read_source(file, path, shown)
    except UnicodeDecodeError as failure:
        data = file.read_bytes()
        before = data[: failure.start].decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
        text = before + data[failure.start :].decode("utf-8", "replace")
        source = Source(path, text, shown=shown)
        hint = "save it as UTF-8; this byte looks like an older encoding such as Windows-1252"
        message = f"this file is not UTF-8: the byte 0x{data[failure.start]:02X} cannot be read"
        report(error("invalid-encoding", source.span(len(before), len(before) + 1), message, hint))
        return _otherwise(data, path, shown) if game.is_plain else None


def _otherwise(data: bytes, path: str, shown: str) -> Source:
    """A text in the encoding that it most likely has: what Windows writes."""
    encoding = "utf-16" if data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "cp1252"
    text = data.decode(encoding, "replace").replace("\r\n", "\n").replace("\r", "\n")
    return Source(path, text, sha256(data).hexdigest(), shown)


def _printable(path: str) -> str:
    """A path without what no text can hold: the bytes of a name that are not UTF-8."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

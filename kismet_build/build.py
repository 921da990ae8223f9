"""The pipeline: texts to packs to files. The only writer."""

import shutil
import tempfile
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain
from pathlib import Path

import orjson

from kismet_build.beside import beside
from kismet_build.calculator.calculation import runnable
from kismet_build.checks import CHECKS
from kismet_build.cite import cite
from kismet_build.datafile import Misuse
from kismet_build.diagnostic import Diagnostic, Report, Severity, error, in_order
from kismet_build.emitters import (
    EMITTERS,
    LIBRARY_EMITTERS,
    SHELF_EMITTERS,
    emit_sitemap,
    emit_worker,
    is_page,
    to_bytes,
)
from kismet_build.entity import Pack
from kismet_build.extract import extract
from kismet_build.game import Game, Library
from kismet_build.kept import Kept, kept
from kismet_build.link import link
from kismet_build.mention import mention
from kismet_build.model import Document
from kismet_build.readers import read
from kismet_build.search import FullText
from kismet_build.self_link import self_link
from kismet_build.source import Source, read_source

MANIFEST = "data/manifest.json"

OF_ONE_TEXT = frozenset(("invalid-encoding", "invalid-frontmatter", "embed-cycle"))
"""Errors that only warn in a plain vault: one bad file among hundreds must not keep the others from being read."""


def compile_game(game: Game, report: Report) -> Pack:
    """Read, link, extract and check one game. Raises `OSError` when a text cannot be read from the disk."""
    found: list[Diagnostic] = []
    documents = []
    for file, dialect in game.files:
        source = _source(game, file, found.append)
        if source is not None:
            options = {"strict_line_breaks": True} if game.options.get("strict_line_breaks") else {}
            documents.append(read(source, dialect, found.append, **options))
    pack = compile_documents(game, documents, found.append)
    if game.is_plain:
        found = [replace(one, severity=Severity.WARNING) if one.code in OF_ONE_TEXT else one for one in found]
    for diagnostic in (diagnostics := tuple(in_order(found))):
        report(diagnostic)
    return replace(pack, diagnostics=diagnostics)


def compile_documents(game: Game, documents: Sequence[Document], report: Report) -> Pack:
    """Link, extract and check documents that were read."""
    book = link(documents, game.kinds, game.attachments)
    pack = cite(self_link(mention(runnable(Pack(game=game, book=book, entities=extract(book, game, report))))))
    for fault in game.faults:
        report(fault)
    for check in CHECKS:
        check(pack, report)
    return pack


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What became of a library."""

    packs: tuple[Pack, ...]
    """Of every game that was compiled, good or not."""
    stay: frozenset[str]
    """The ids of games that are not published as they stand now, and keep their last good pages."""
    written: bool
    """Whether there is a new tree; there is none without a game that can be published."""
    unsearched: str = ""
    """Why the text of the pages cannot be searched, where it cannot; names can always be."""


def build(library: Library, out: Path, report: Report, jobs: int = 1, *, again: bool = False) -> Built:
    """Compile every game and publish those without errors at `out`; of the others the last good pages stay.

    With more than one job some of it is emitted in a second process; the bytes are the same. What can be taken from
    the tree that is there already is made `again` only when asked for.

    Raises `Misuse` when `out` holds what this program did not write.
    """
    packs = tuple(compile_game(game, report) for game in library.games)
    good = [pack for pack in packs if not has_errors(pack)]
    failed = {pack.game.id for pack in packs if has_errors(pack)}.union(one.id for one in library.broken)
    failed -= {pack.game.id for pack in good}
    stay = [one for one in (kept(out, game) for game in sorted(failed)) if one is not None]
    unsearched = ""
    if good:
        refuse_foreign(out)
        unsearched = publish(emit(good, jobs, stay), out, again=again)
    ids = frozenset(one.pack["game"]["id"] for one in stay)
    return Built(packs=packs, stay=ids, written=bool(good), unsearched=unsearched)


def has_errors(pack: Pack) -> bool:
    """Whether something was found that keeps a game from being published."""
    return any(one.severity is Severity.ERROR for one in pack.diagnostics)


def emit(packs: Sequence[Pack], jobs: int = 1, stay: Sequence[Kept] = ()) -> Iterator[tuple[str, bytes]]:
    """Every file of the tree: of each game, of those that stay as they are, of all together; the manifest last."""
    data: dict[str, bytes] = {}
    pages: list[str] = []
    published = [one.pack for one in stay]
    for path, content in chain(_emitted(packs, jobs), *(one.files() for one in stay)):
        if path.startswith("data/"):
            data[path] = content
        elif is_page(path, content):
            pages.append(path)
        yield path, content
    published += [orjson.loads(data[f"data/{pack.game.id}/pack.json"]) for pack in packs]
    shelf = packs[0].game.shelf
    for path, content in chain(
        *(emit_library(published) for emit_library in LIBRARY_EMITTERS),
        *(emit_library(published, shelf) for emit_library in SHELF_EMITTERS),
    ):
        if path.startswith("data/"):
            data[path] = content
        elif is_page(path, content):
            pages.append(path)
        yield path, content
    yield from emit_sitemap(shelf, pages)
    files = [
        {"path": path.removeprefix("data/"), "size": len(content), "sha256": sha256(content).hexdigest()}
        for path, content in sorted(data.items())
    ]
    yield MANIFEST, to_bytes({"format": 1, "files": files})


def publish(files: Iterator[tuple[str, bytes]], out: Path, *, again: bool = False) -> str:
    """Write a tree beside `out`, then put it in its place, so that there is never half a tree.

    What is returned says why its text cannot be searched; it is empty where it can.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    text = FullText(fresh, None if again else out)
    try:
        fresh.chmod(0o755)
        folders: set[Path] = set()
        for path, content in files:
            file = fresh / path
            if file.parent not in folders:
                file.parent.mkdir(parents=True, exist_ok=True)
                folders.add(file.parent)
            file.write_bytes(content)
            text.saw(path, content)
        unsearched = text.finish()
        _finish(fresh)
        _swap(fresh, out)
        return unsearched
    finally:
        text.stop()
        shutil.rmtree(fresh, ignore_errors=True)


def _finish(tree: Path) -> None:
    """Write what depends on every other file of a tree: the service worker, which knows all that belongs together."""
    games = [file.parent.name for file in sorted(tree.glob("data/*/pack.json"))]
    if not games:
        return
    digests: dict[str, tuple[int, str]] = {}
    tops = [top for top in tree.iterdir() if top.name != "data"]
    for file in (file for top in tops for file in (top, *top.rglob("*")) if file.is_file()):
        path, content = file.relative_to(tree).as_posix(), file.read_bytes()
        # What only leads on from an old address is not kept on a device.
        if is_page(path, content) or not path.endswith("/index.html"):
            digests[path] = (len(content), sha256(content).hexdigest())
    for path, content in emit_worker(digests, games):
        (tree / path).write_bytes(content)


def _swap(fresh: Path, out: Path) -> None:
    """Put a tree in the place of another; if that fails, the other one is back where it was."""
    if not out.exists():
        fresh.rename(out)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        out.rename(aside / "old")
        fresh.rename(out)
    except OSError:
        if (aside / "old").exists():
            (aside / "old").rename(out)
        aside.rmdir()
        raise
    shutil.rmtree(aside, ignore_errors=True)


def refuse_foreign(out: Path) -> None:
    """Raise `Misuse` rather than replace a folder that this program did not write."""
    if out.exists() and not out.is_dir():
        raise Misuse(f'"{out}" is a file, not a folder')
    if out.is_dir() and any(out.iterdir()) and not (out / MANIFEST).is_file():
        raise Misuse(f'"{out}" holds files that were not made by kismet build: choose an empty folder')


def _source(game: Game, file: Path, report: Report) -> Source | None:
    """A text; one that is not UTF-8 is reported at the first byte that is not, and left out, but in a plain vault."""
    path, shown = (_printable(one.as_posix()) for one in (file.relative_to(game.folder), file))
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


def _emitted(packs: Sequence[Pack], jobs: int) -> Iterator[tuple[str, bytes]]:
    first, *others = EMITTERS
    rest = beside(lambda: [file for pack in packs for emit_pack in others for file in emit_pack(pack)], jobs)
    for pack in packs:
        yield from first(pack)
        for path in sorted(set(pack.book.files.values())):
            yield pack.addresses[path], (pack.game.folder / path).read_bytes()
    yield from rest()

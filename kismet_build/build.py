"""The pipeline: texts to packs to files. The only writer."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from kismet_build.beside import beside
from kismet_build.calculator.calculation import runnable
from kismet_build.checks import CHECKS
from kismet_build.cite import cite
from kismet_build.datafile import Misuse
from kismet_build.diagnostic import Diagnostic, Report, Severity, error, in_order
from kismet_build.dialects import DIALECTS
from kismet_build.emitters import EMITTERS, LIBRARY_EMITTERS, to_bytes
from kismet_build.entity import Pack
from kismet_build.extract import extract
from kismet_build.game import Game, Library
from kismet_build.link import link
from kismet_build.mention import mention
from kismet_build.model import Document
from kismet_build.readers.markdown import read
from kismet_build.source import Source, read_source

MANIFEST = "data/manifest.json"


def compile_game(game: Game, report: Report) -> Pack:
    """Read, link, extract and check one game. Raises `OSError` when a text cannot be read from the disk."""
    found: list[Diagnostic] = []
    documents = []
    for file, dialect in game.files:
        source = _source(game, file, found.append)
        if source is not None:
            options = {"strict_line_breaks": True} if game.options.get("strict_line_breaks") else {}
            documents.append(read(source, DIALECTS[dialect], found.append, **options))
    pack = compile_documents(game, documents, found.append)
    for diagnostic in (diagnostics := tuple(in_order(found))):
        report(diagnostic)
    return replace(pack, diagnostics=diagnostics)


def compile_documents(game: Game, documents: Sequence[Document], report: Report) -> Pack:
    """Link, extract and check documents that were read."""
    book = link(documents, game.kinds, game.attachments)
    pack = cite(mention(runnable(Pack(game=game, book=book, entities=extract(book, game, report)))))
    for fault in game.faults:
        report(fault)
    for check in CHECKS:
        check(pack, report)
    return pack


def build(library: Library, out: Path, report: Report, jobs: int = 1) -> tuple[Pack, ...]:
    """Compile every game and publish all of it at `out`, or nothing when an error was reported.

    With more than one job some of it is emitted in a second process; the bytes are the same.

    Raises `Misuse` when `out` holds what this program did not write.
    """
    packs = tuple(compile_game(game, report) for game in library.games)
    if not any(one.severity is Severity.ERROR for pack in packs for one in pack.diagnostics):
        refuse_foreign(out)
        publish(emit(packs, jobs), out)
    return packs


def emit(packs: Sequence[Pack], jobs: int = 1) -> Iterator[tuple[str, bytes]]:
    """Every file of the tree, the manifest of its data last."""
    data: dict[str, bytes] = {}
    for path, content in _emitted(packs, jobs):
        if path.startswith("data/"):
            data[path] = content
        yield path, content
    files = [
        {"path": path.removeprefix("data/"), "size": len(content), "sha256": sha256(content).hexdigest()}
        for path, content in sorted(data.items())
    ]
    yield MANIFEST, to_bytes({"format": 1, "files": files})


def publish(files: Iterator[tuple[str, bytes]], out: Path) -> None:
    """Write a tree beside `out`, then put it in its place, so that there is never half a tree."""
    out.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        fresh.chmod(0o755)
        folders: set[Path] = set()
        for path, content in files:
            file = fresh / path
            if file.parent not in folders:
                file.parent.mkdir(parents=True, exist_ok=True)
                folders.add(file.parent)
            file.write_bytes(content)
        _swap(fresh, out)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


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
    """A text, or `None` when it is not UTF-8, which is reported at the first byte that is not."""
    path = file.relative_to(game.folder).as_posix()
    try:
        return read_source(file, path, file.as_posix())
    except UnicodeDecodeError as failure:
        data = file.read_bytes()
        before = data[: failure.start].decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
        text = before + data[failure.start :].decode("utf-8", "replace")
        source = Source(path, text, shown=file.as_posix())
        hint = "save it as UTF-8; this byte looks like an older encoding such as Windows-1252"
        message = f"this file is not UTF-8: the byte 0x{data[failure.start]:02X} cannot be read"
        report(error("invalid-encoding", source.span(len(before), len(before) + 1), message, hint))
        return None


def _emitted(packs: Sequence[Pack], jobs: int) -> Iterator[tuple[str, bytes]]:
    first, *others = EMITTERS
    rest = beside(lambda: [file for pack in packs for emit_pack in others for file in emit_pack(pack)], jobs)
    for emit_library in LIBRARY_EMITTERS:
        yield from emit_library(packs)
    for pack in packs:
        yield from first(pack)
        for path in sorted(set(pack.book.files.values())):
            yield f"{pack.game.id}/files/{path}", (pack.game.folder / path).read_bytes()
    yield from rest()

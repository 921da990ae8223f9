"""Decode and parse source files, for a large game in several processes."""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Mapping
from errno import EACCES, EFBIG, EMFILE, ENFILE, ENOMEM, EPERM
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from kismet_build.build.processes import run_parallel
from kismet_build.config.discovery import relative_path
from kismet_build.config.game import Game
from kismet_build.model.diagnostic import Diagnostic, FailedText, Report, error
from kismet_build.model.dialects import DIALECTS
from kismet_build.model.nodes import Document, HardBreak, Paragraph, Text
from kismet_build.model.source import Source, Span, encoding_fault, read_source
from kismet_build.model.watchdog import watched
from kismet_build.output.tree import Progress, no_progress
from kismet_build.pack import Pack, ParsedFile
from kismet_build.parse import read

MIN_FOR_WORKERS = 100
"""Minimum number of documents to parse in several processes. For fewer, one process is as fast."""
BATCH_SIZE = 25
"""Number of documents that a worker process parses before it returns them."""
FAULTS_OF_THE_MACHINE = frozenset((EMFILE, ENFILE, ENOMEM))
"""Errors of the system that are not about the opened file."""
PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")


class _ParseInput(NamedTuple):
    """Everything that a document depends on."""

    source: Source
    dialect: str
    strict_line_breaks: bool

    def parse(self) -> ParsedFile:
        diagnostics: list[Diagnostic] = []
        options = {"strict_line_breaks": True} if self.strict_line_breaks else {}
        try:
            with watched():
                document = read(self.source, self.dialect, diagnostics.append, options)
        except Exception as problem:
            culprit = "kismet" if self.dialect in DIALECTS.ours else f'the dialect "{self.dialect}"'
            return failed_file(FailedText(self.source.path, "parse", problem), self.source.full_span(), culprit=culprit)
        return ParsedFile(document, tuple(diagnostics))


def failed_file(
    failure: FailedText, span: Span, document: Document | None = None, culprit: str = "kismet"
) -> ParsedFile:
    """The result for a text that a step of the compiler failed on. `document`: its words without markup.

    `culprit`: the program at fault.
    """
    why = type(failure.problem).__name__ + (f": {failure.problem}" if str(failure.problem) else "")
    shown = "its words are published without markup" if document else "it is left out"
    message = f'{culprit} failed on this text in the step "{failure.step}" ({" ".join(why.split())}): {shown}'
    hint = f"this is a bug in {culprit}: please report it, with the text if you can; a simpler text may avoid it"
    return ParsedFile(document, (error("failed-text", span, message, hint),))


def without_markup(document: Document) -> Document:
    """The words of a text as its author typed them, in paragraphs, with its properties."""
    source = document.source
    blocks = []
    for paragraph in PARAGRAPH.finditer(source.text):
        children: list[Text | HardBreak] = []
        for line in re.finditer(r"[^\n]+", source.text[slice(*paragraph.span())]):
            start, end = (paragraph.start() + offset for offset in line.span())
            if children:
                children.append(HardBreak(source.span(start - 1, start)))
            children.append(Text(source.span(start, end)))
        blocks.append(Paragraph(span=source.span(*paragraph.span()), children=tuple(children)))
    return Document(source=source, dialect=document.dialect, blocks=tuple(blocks), metadata=document.metadata)


def parse_files(
    game: Game,
    files: Iterable[tuple[Path, str]],
    previous: Pack | None = None,
    progress: Progress = no_progress,
    jobs: int = 1,
) -> dict[Path, ParsedFile]:
    """Parse files of a game, given with their dialects, with at most `jobs` processes.

    A file that cannot be read or parsed has no document, but a diagnostic. Raises `OSError` for a machine fault.
    `previous` is the pack of an earlier version of the game: a file whose text is the same is not parsed again.
    """
    known: Mapping[Path, ParsedFile] = {}
    dialects: Mapping[Path, str] = {}
    if previous is not None and _has_strict_line_breaks(game) == _has_strict_line_breaks(previous.game):
        known, dialects = previous.files, dict(previous.game.files.texts)
    decoding: dict[Path, list[Diagnostic]] = {}
    inputs: dict[Path, _ParseInput] = {}
    parsed: dict[Path, ParsedFile] = {}
    for file, dialect in files:
        decoding[file] = []
        source = _decode(game, file, decoding[file].append)
        if source is None:
            parsed[file] = ParsedFile(None, tuple(decoding[file]))
        elif dialects.get(file) == dialect and _has_text(known.get(file), source):
            parsed[file] = known[file]
        else:
            inputs[file] = _ParseInput(source, dialect, _has_strict_line_breaks(game))
    for file, result in _parse(game, inputs, progress, jobs):
        parsed[file] = result._replace(diagnostics=(*decoding[file], *result.diagnostics))
    return {file: parsed[file] for file in decoding}


def _has_text(parsed: ParsedFile | None, source: Source) -> bool:
    """Whether a file was parsed with this text and path."""
    if parsed is None or parsed.document is None:
        return False
    known = parsed.document.source
    return (known.digest, known.path, known.display_path) == (source.digest, source.path, source.display_path)


def _parse(
    game: Game, inputs: Mapping[Path, _ParseInput], progress: Progress, jobs: int
) -> Iterator[tuple[Path, ParsedFile]]:
    """Parse texts, in no particular order."""
    files = [*inputs]
    batches = [files[start : start + BATCH_SIZE] for start in range(0, len(files), BATCH_SIZE)]

    def parse_batch(number: int) -> list[ParsedFile]:
        progress(f"{game.title}: reading", number * BATCH_SIZE, len(files))
        return [inputs[file].parse() for file in batches[number]]

    for number, results in run_parallel(parse_batch, range(len(batches)), jobs if len(files) >= MIN_FOR_WORKERS else 1):
        yield from zip(batches[number], results, strict=True)


def _has_strict_line_breaks(game: Game) -> bool:
    return bool(game.definition.dialect_options.get("strict_line_breaks"))


def _decode(game: Game, file: Path, report: Report) -> Source | None:
    """Read a file as UTF-8. If it cannot be read, report it and return `None`.

    In a plain vault, and in a game without kinds, bytes that are not UTF-8 are decoded with the most likely encoding.
    """
    path, shown = _document_path(game, file), _replace_undecodable(file.as_posix())
    try:
        return read_source(file, path, shown, game.files.vault, game.library_config.max_text_size)
    except OSError as failure:
        if failure.errno in FAULTS_OF_THE_MACHINE:
            raise
        span = Source(path, "", display_path=shown).full_span()
        message, hint = f"this text cannot be read: {failure.strerror}", "it is left out until it can"
        if failure.errno in (EACCES, EPERM):
            hint = "it is left out until you change its permissions"
        elif failure.errno == EFBIG:
            message, hint = str(failure.strerror), "divide it, or raise `max_text_size` in library.yaml"
        report(error("unreadable-text", span, message, hint))
        return None
    except UnicodeDecodeError as failure:
        _, span, message, hint = encoding_fault(failure, path, shown)
        report(error("invalid-encoding", span, message, hint))
        return _decode_legacy(failure.object, path, shown) if game.publishes_faulty_texts else None


def _decode_legacy(data: bytes, path: str, shown: str) -> Source:
    """Decode bytes that are not UTF-8 as Windows programs do: UTF-16 with a byte order mark, otherwise cp1252."""
    encoding = "utf-16" if data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "cp1252"
    text = data.decode(encoding, "replace").replace("\r\n", "\n").replace("\r", "\n")
    return Source(path, text, sha256(data).hexdigest(), shown)


def _document_path(game: Game, file: Path) -> str:
    """The path by which all others name a document; unique in the game even if bytes had to be replaced."""
    path = _replace_undecodable(relative_path(file, game.files.folder))
    if path == relative_path(file, game.files.folder):
        return path
    paths = (_replace_undecodable(relative_path(other, game.files.folder)) for other, _ in game.files.texts)
    before = [other for (other, _), shown in zip(game.files.texts, paths, strict=True) if shown == path].index(file)
    stem, _, suffix = path.rpartition(".")
    return f"{stem} {before + 1}.{suffix}" if before else path


def _replace_undecodable(path: str) -> str:
    """Replace the bytes of a file name that are not UTF-8 with U+FFFD."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

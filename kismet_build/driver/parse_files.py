"""Decode and parse source files; the files of a large game in several processes."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from kismet_build.config.game import Game
from kismet_build.driver.included_files import FAULTS_OF_THE_MACHINE, Files, IncludedFiles, decode
from kismet_build.driver.processes import run_parallel
from kismet_build.model.diagnostic import Diagnostic, FailedText, error
from kismet_build.model.dialects import DIALECTS
from kismet_build.model.nodes import Document, HardBreak, Paragraph, Text
from kismet_build.model.source import Source, Span
from kismet_build.model.watchdog import watched
from kismet_build.output.tree import Progress, no_progress
from kismet_build.pack import OpenedFile, Pack, ParsedFile
from kismet_build.parse import included_names, read

Value = TypeVar("Value")

MIN_FOR_WORKERS = 100
"""Minimum number of documents that several processes parse. For fewer, one process is as fast."""
BATCH_SIZE = 25
"""Number of documents that a worker process parses before it returns them."""
PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")


class _Read(NamedTuple):
    """The result of parsing a text. The document is `None` if parsing failed."""

    document: Document | None
    diagnostics: tuple[Diagnostic, ...]


class _ParseInput(NamedTuple):
    """Everything that a document depends on."""

    source: Source
    """The text with the files that it includes."""
    dialect: str
    options: Mapping[str, Any]

    def parse(self) -> _Read:
        diagnostics: list[Diagnostic] = []

        def read_text() -> Document:
            return read(self.source, self.dialect, diagnostics.append, self.options)

        document = _attempt("parse", self.source, self.dialect, read_text)
        return _Read(None, (document,)) if isinstance(document, Diagnostic) else _Read(document, tuple(diagnostics))


def _attempt(step: str, source: Source, dialect: str, function: Callable[[], Value]) -> Value | Diagnostic:
    """The result of a step, or a diagnostic if the step fails on the text. Raises `OSError` for a machine fault."""
    try:
        with watched():
            return function()
    except Exception as problem:
        if isinstance(problem, OSError) and problem.errno in FAULTS_OF_THE_MACHINE:
            raise
        culprit = "kismet" if dialect in DIALECTS.ours else f'the dialect "{dialect}"'
        return failed_text(FailedText(source.path, step, problem), source.full_span(), culprit=culprit)


def failed_text(failure: FailedText, span: Span, has_words: bool = False, culprit: str = "kismet") -> Diagnostic:
    """The diagnostic about a text on which a step of the compiler failed.

    `has_words`: whether its words are published without markup. `culprit` is the program at fault.
    """
    why = type(failure.problem).__name__ + (f": {failure.problem}" if str(failure.problem) else "")
    shown = "its words are published without markup" if has_words else "it is left out"
    message = f'{culprit} failed on this text in the step "{failure.step}" ({" ".join(why.split())}): {shown}'
    hint = f"this is a bug in {culprit}: please report it, with the text if you can; a simpler text may avoid it"
    return error("failed-text", span, message, hint)


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


def open_files(
    game: Game, texts: Iterable[tuple[Path, str]], files: Files, previous: Pack | None = None
) -> dict[Path, OpenedFile]:
    """Decode texts of a game, given with their dialects, and read their properties.

    Raises `OSError` for a machine fault. `previous`: as in `parse_files`.
    """
    known = _known_files(game, previous)
    return {file: _opened(game, file, dialect, files, known.get(file)) for file, dialect in texts}


def _opened(game: Game, file: Path, dialect: str, files: Files, known: ParsedFile | None) -> OpenedFile:
    diagnostics: list[Diagnostic] = []
    source = decode(game, file, diagnostics.append)
    if source is None:
        return OpenedFile(None, None, tuple(diagnostics))
    if known and _has_text(known.opened.source, source) and not known.opened.header_files:
        return known.opened
    properties = _attempt("parse", source, dialect, partial(files.properties, source, dialect))
    if isinstance(properties, Diagnostic):
        return OpenedFile(None, None, (*diagnostics, properties))
    return OpenedFile(source, properties, tuple(diagnostics))


def parse_files(
    game: Game,
    files: Mapping[Path, OpenedFile],
    included: IncludedFiles,
    previous: Pack | None = None,
    progress: Progress = no_progress,
    jobs: int = 1,
) -> dict[Path, ParsedFile]:
    """Parse files of a game with at most `jobs` processes. `included`: the files that they may include.

    A file that cannot be read or parsed has no document, but a diagnostic. Raises `OSError` for a machine fault.
    `previous` is the pack of an earlier version of the game: a file whose text is the same is not parsed again, unless
    it includes others.
    """
    known, dialects = _known_files(game, previous), dict(game.files.texts)
    expanded: dict[Path, ParsedFile] = {}
    """The files as far as they are expanded, with a document only if they need not be parsed."""
    unparsed: dict[Path, _ParseInput] = {}
    shown: set[str] = set()
    for file in _including_first(files, dialects):
        opened, dialect = files[file], dialects[file]
        if opened.source is None:
            expanded[file] = ParsedFile(opened, None, opened.diagnostics)
            continue
        if opened.path in shown and included.is_public(opened.path):
            part = Document(source=opened.source, dialect=dialect, blocks=())
            expanded[file] = ParsedFile(opened, part, opened.diagnostics, is_parsed=False)
            continue
        said, before = [*opened.diagnostics], included.budget.left
        expand_text = partial(included.expand, opened.source, dialect, said.append)
        found = _attempt("expand", opened.source, dialect, expand_text)
        if isinstance(found, Diagnostic):
            expanded[file] = ParsedFile(opened, None, (found,))
            continue
        source, inputs, until = found
        added = before - included.budget.left
        expanded[file] = ParsedFile(opened, None, tuple(said), inputs, until, added=added)
        shown |= source.included & inputs
        last = known.get(file)
        # An included file may have changed.
        if last and last.document and not source.pieces and _has_text(last.document.source, source):
            expanded[file] = last._replace(opened=opened)
        else:
            unparsed[file] = _ParseInput(source, dialect, game.definition.dialect_options)
    for file, (document, found_in_text) in _parse(game, unparsed, progress, jobs):
        diagnostics = (*expanded[file].diagnostics, *found_in_text)
        expanded[file] = expanded[file]._replace(document=document, diagnostics=diagnostics)
    return {file: expanded[file] for file in files}


def _including_first(files: Mapping[Path, OpenedFile], dialects: Mapping[Path, str]) -> list[Path]:
    """The files, beginning with those that no other file includes by name.

    If including files come first, most parts need not be expanded on their own.
    """
    sources = {file: opened.source for file, opened in files.items() if opened.source}
    names = {name for file, source in sources.items() for name in included_names(source, dialects[file])}
    return sorted(files, key=lambda file: file.name in names)


def _known_files(game: Game, previous: Pack | None) -> Mapping[Path, ParsedFile]:
    """The files of an earlier version of a game that would be read in the same way."""
    if previous is None or game.definition.dialect_options != previous.game.definition.dialect_options:
        return {}
    dialects = dict(game.files.texts)
    before = dict(previous.game.files.texts)
    return {file: parsed for file, parsed in previous.files.items() if dialects.get(file) == before.get(file)}


def _has_text(known: Source | None, source: Source) -> bool:
    """Whether a source has the text and the paths of one that is known."""
    key = (source.digest, source.path, source.display_path)
    return known is not None and (known.digest, known.path, known.display_path) == key


def _parse(
    game: Game, inputs: Mapping[Path, _ParseInput], progress: Progress, jobs: int
) -> Iterator[tuple[Path, _Read]]:
    files = [*inputs]
    batches = [files[start : start + BATCH_SIZE] for start in range(0, len(files), BATCH_SIZE)]

    def parse_batch(number: int) -> list[_Read]:
        progress(f"{game.title}: reading", number * BATCH_SIZE, len(files))
        return [inputs[file].parse() for file in batches[number]]

    for number, results in run_parallel(parse_batch, range(len(batches)), jobs if len(files) >= MIN_FOR_WORKERS else 1):
        yield from zip(batches[number], results, strict=True)

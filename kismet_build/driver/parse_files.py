"""Decode and parse source files; the files of a large game in several processes."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from kismet_build.config.game import Game
from kismet_build.driver.decode import FAULTS_OF_THE_MACHINE, decode
from kismet_build.driver.included_files import IncludedFiles
from kismet_build.driver.processes import run_parallel
from kismet_build.model.diagnostic import Diagnostic, FailedText, error
from kismet_build.model.dialects import DIALECTS
from kismet_build.model.nodes import Document, HardBreak, Paragraph, Text
from kismet_build.model.source import Source, Span
from kismet_build.model.watchdog import watched
from kismet_build.output.tree import Progress, no_progress
from kismet_build.pack import Pack, ParsedFile
from kismet_build.parse import read
from kismet_build.parse.expansion import named_files

Value = TypeVar("Value")

MIN_FOR_WORKERS = 100
"""Minimum number of documents that several processes parse. For fewer, one process is as fast."""
BATCH_SIZE = 25
"""Number of documents that a worker process parses before it returns them."""
PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")


class _ParseInput(NamedTuple):
    """Everything that a document depends on."""

    source: Source
    dialect: str
    options: Mapping[str, Any]

    def parse(self) -> ParsedFile:
        diagnostics: list[Diagnostic] = []
        document = self.attempt("parse", lambda: read(self.source, self.dialect, diagnostics.append, self.options))
        return document if isinstance(document, ParsedFile) else ParsedFile(document, tuple(diagnostics))

    def without_blocks(self) -> Document:
        return Document(source=self.source, dialect=self.dialect, blocks=())

    def attempt(self, step: str, function: Callable[[], Value]) -> Value | ParsedFile:
        """The result of a step, or of `failed_file` if the step fails on the text.

        Raises `OSError` for a machine fault.
        """
        try:
            with watched():
                return function()
        except Exception as problem:
            if isinstance(problem, OSError) and problem.errno in FAULTS_OF_THE_MACHINE:
                raise
            culprit = "kismet" if self.dialect in DIALECTS.ours else f'the dialect "{self.dialect}"'
            return failed_file(FailedText(self.source.path, step, problem), self.source.full_span(), culprit=culprit)


def failed_file(
    failure: FailedText, span: Span, document: Document | None = None, culprit: str = "kismet"
) -> ParsedFile:
    """The result for a text on which a step of the compiler failed.

    `document` has the words of the text without markup. `culprit` is the program at fault.
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
    `previous` is the pack of an earlier version of the game: a file whose text is the same is not parsed again, unless
    it includes others.
    """
    known: Mapping[Path, ParsedFile] = {}
    dialects: Mapping[Path, str] = {}
    options = game.definition.dialect_options
    if previous is not None and options == previous.game.definition.dialect_options:
        known, dialects = previous.files, dict(previous.game.files.texts)
    decoding: dict[Path, list[Diagnostic]] = {}
    included = IncludedFiles(game, lambda source, dialect: _ParseInput(source, dialect, options).parse().document)
    inputs: dict[Path, frozenset[str]] = {}
    until: dict[Path, float] = {}
    added: dict[Path, int] = {}
    unparsed: dict[Path, _ParseInput] = {}
    parsed: dict[Path, ParsedFile] = {}
    dialect_of = dict(files)
    sources: dict[Path, Source] = {}
    for file in dialect_of:
        decoding[file] = []
        source = decode(game, file, decoding[file].append)
        if source is None:
            parsed[file] = ParsedFile(None, tuple(decoding[file]))
        else:
            sources[file] = source
    shown: set[str] = set()
    for file in _including_first(sources, dialect_of):
        source, dialect = sources[file], dialect_of[file]
        unexpanded = _ParseInput(source, dialect, options)
        if source.path in shown and included.is_public(source.path):
            parsed[file] = ParsedFile(unexpanded.without_blocks(), tuple(decoding[file]), is_parsed=False)
            continue
        before = included.budget.left
        expanded = unexpanded.attempt("expand", partial(included.expand, source, dialect, decoding[file].append))
        if isinstance(expanded, ParsedFile):
            parsed[file] = expanded
            continue
        source, inputs[file], until[file] = expanded
        added[file] = before - included.budget.left
        shown |= source.included & inputs[file]
        if dialects.get(file) == dialect and _has_text(known.get(file), source):
            parsed[file] = known[file]
        else:
            unparsed[file] = _ParseInput(source, dialect, options)
    for file, result in _parse(game, unparsed, progress, jobs):
        parsed[file] = result._replace(
            diagnostics=(*decoding[file], *result.diagnostics),
            inputs=inputs[file],
            until=until[file],
            added=added[file],
        )
    return {file: parsed[file] for file in decoding}


def _including_first(sources: Mapping[Path, Source], dialects: Mapping[Path, str]) -> list[Path]:
    """The files, beginning with those that no other file includes by name.

    If including files come first, most parts need not be expanded on their own.
    """
    names = {name for file, source in sources.items() for name in named_files(source, dialects[file])}
    return sorted(sources, key=lambda file: file.name in names)


def _has_text(parsed: ParsedFile | None, source: Source) -> bool:
    """Whether a file was parsed with this text and path.

    A composed text counts as changed, because an included file may differ.
    """
    if parsed is None or parsed.document is None or source.pieces:
        return False
    known = parsed.document.source
    return (known.digest, known.path, known.display_path) == (source.digest, source.path, source.display_path)


def _parse(
    game: Game, inputs: Mapping[Path, _ParseInput], progress: Progress, jobs: int
) -> Iterator[tuple[Path, ParsedFile]]:
    files = [*inputs]
    batches = [files[start : start + BATCH_SIZE] for start in range(0, len(files), BATCH_SIZE)]

    def parse_batch(number: int) -> list[ParsedFile]:
        progress(f"{game.title}: reading", number * BATCH_SIZE, len(files))
        return [inputs[file].parse() for file in batches[number]]

    for number, results in run_parallel(parse_batch, range(len(batches)), jobs if len(files) >= MIN_FOR_WORKERS else 1):
        yield from zip(batches[number], results, strict=True)

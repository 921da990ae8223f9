"""Compile one game: parse its texts, run the passes and the checks, and reuse the results of an earlier version."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from kismet_build.config.data_file import UsageError
from kismet_build.config.discovery import relative_path
from kismet_build.config.game import Game
from kismet_build.config.privacy import BY_SETTINGS, PUBLISHED, WITHOUT, Verdict
from kismet_build.driver.included_files import parts_of
from kismet_build.driver.parse_files import failed_file, parse_files, without_markup
from kismet_build.driver.passes import PASSES, SELECTION, Pass
from kismet_build.export.entity_changes import entities_in
from kismet_build.extract.found_kinds import FoundKind
from kismet_build.lint import CHECKS
from kismet_build.mechanics.calculator.calculation import calculators_without
from kismet_build.model.book import Book
from kismet_build.model.diagnostic import (
    KIND,
    Diagnosed,
    Diagnostic,
    FailedText,
    Report,
    Severity,
    Subject,
    UnusableDefinition,
    has_errors,
    sort_diagnostics,
)
from kismet_build.model.memo import Memo
from kismet_build.model.nodes import Document
from kismet_build.model.watchdog import watched
from kismet_build.output.tree import Progress, no_progress
from kismet_build.pack import Pack, ParsedFile
from kismet_build.parse.composition import MAX_ADDED_OF_GAME

Result = TypeVar("Result")

MISSING_NAME_CODES = frozenset(
    (
        *("empty-kind", "missing-rule", "stale-citation", "stale-correction", "stale-migration"),
        *("unknown-part", "unknown-search-name", "unknown-subject", "unresolved-link"),
    )
)
"""Codes about unknown names.

Such codes are not reported while a text is unreadable, because that text may define the name.
"""
SINGLE_FILE_ERRORS = frozenset(("failed-text", "invalid-encoding", "invalid-frontmatter", "unreadable-text"))
"""Codes that are only warnings if no data depends on the file: one bad file must not block all others."""


def compile_game(
    game: Game,
    report: Report,
    progress: Progress = no_progress,
    jobs: int = 1,
    previous: Pack | None = None,
    changed: Collection[Path] | None = None,
    *,
    previous_tree: Path | None = None,
    failures: Sequence[FailedText] = (),
) -> Pack:
    """Parse, resolve, extract, cross-reference and lint one game.

    A text that cannot be read or compiled does not stop the other texts: a diagnostic names the faulty text. Raises
    `OSError` for a machine fault.

    `previous` is the pack of an earlier version of the game; its results are reused if their inputs are the same.
    `changed` are the files that may have changed since; a known text is read again only if it is or includes one of
    them. `None` means all files, for example if the definitions of the game differ. `previous_tree` and `failures`: as
    in `BuildOptions`.
    """
    known = previous.files if previous is not None and changed is not None else {}
    changed_paths = {relative_path(file, game.files.folder) for file in changed or ()}
    unread = [
        (file, dialect)
        for file, dialect in game.files.texts
        if file not in known or file in (changed or ()) or not changed_paths.isdisjoint(known[file].inputs)
    ]
    parsed = parse_files(game, unread, previous, progress, jobs)
    files = {file: parsed[file] if file in parsed else known[file] for file, _ in game.files.texts}
    if len(unread) < len(files) and (_fill_the_room(files) or _fill_the_room(known)):
        # The first texts of a game have room, not those that are already known.
        files = parse_files(game, game.files.texts, None, progress, jobs)
    files |= parse_files(game, _no_longer_parts(game, files), None, progress, jobs)
    progress(f"{game.title}: linking", 0, 0)
    memo = Memo(previous.memo if previous else None)
    for failure in failures:
        files = _without_failure(files, failure)
    pack = _without_failures(lambda files: _compile_files(game, files, memo, previous_tree), files)
    for diagnostic in pack.diagnostics:
        report(diagnostic)
    return pack


def private_texts(game: Game) -> Mapping[str, str]:
    """The paths of the texts of a game that are not published, each with the reason, without compiling it."""
    files = parse_files(game, game.files.texts, None)
    return _without_failures(lambda files: _select(game, files, Memo()).private, files)


def _fill_the_room(files: Mapping[Path, ParsedFile]) -> bool:
    return sum(parsed.added for parsed in files.values()) >= MAX_ADDED_OF_GAME


def _without_failures(step: Callable[[Mapping[Path, ParsedFile]], Result], files: Mapping[Path, ParsedFile]) -> Result:
    """The result of a step for the files of a game. A text on which the step fails is reduced until it succeeds."""
    while True:
        try:
            return step(files)
        except FailedText as failure:
            files = _without_failure(files, failure)


def _no_longer_parts(game: Game, files: Mapping[Path, ParsedFile]) -> list[tuple[Path, str]]:
    """The texts that were parts of others when they were last read, but are not any more, with their dialects."""
    unparsed = [(file, dialect) for file, dialect in game.files.texts if not files[file].is_parsed]
    if not unparsed:
        return []
    documents = {file: parsed.document for file, parsed in files.items() if parsed.document is not None}
    parts = parts_of(document.source for document in documents.values())
    return [(file, dialect) for file, dialect in unparsed if documents[file].source.path not in parts]


def _without_failure(files: Mapping[Path, ParsedFile], failure: FailedText) -> dict[Path, ParsedFile]:
    """The files after a step failed on a text: only the words of this text are kept, or nothing if the words failed,
    too.
    """
    result = dict(files)
    for file, (document, diagnostics, inputs, until, *_) in files.items():
        if document is not None and document.source.path == failure.path:
            has_failed = any(diagnostic.code == "failed-text" for diagnostic in diagnostics)
            words = None if has_failed else without_markup(document)
            result[file] = failed_file(failure, document.source.span(0, 0), words)._replace(inputs=inputs, until=until)
    return result


class _Selection(NamedTuple):
    game: Game
    """The game, without the attachments that only private texts publish."""
    documents: tuple[Document, ...]
    public: Sequence[ParsedFile]
    private: Mapping[str, str]
    """The paths of the private texts, each with the reason."""
    until: float
    """When a text appears or vanishes, in seconds since 1970."""
    diagnostics: Sequence[Diagnostic]


def _select(game: Game, files: Mapping[Path, ParsedFile], memo: Memo) -> _Selection:
    """Raises `FailedText` if this fails for a text."""
    paths = {file: _path(game, file, parsed) for file, parsed in files.items()}
    excluded = {path for file, path in paths.items() if game.files.text_path(file) in game.files.excluded}
    diagnostics: list[Diagnostic] = []
    values: dict[str, Any] = {
        "game": game,
        "text": {paths[file]: parsed.document for file, parsed in files.items() if parsed.document is not None},
        "excluded": game.files.excluded | excluded,
        "undecoded": tuple(paths[file] for file, parsed in files.items() if parsed.document is None),
        "parts": parts_of(parsed.document.source for parsed in files.values() if parsed.document is not None),
    }
    _run(SELECTION, values, memo, diagnostics.append)
    by_settings = f"by {game.project.file.name}" if game.project else BY_SETTINGS
    verdicts: Mapping[str, Verdict] = values["verdicts"]
    reasons = {
        path: by_settings if path in excluded else verdicts.get(path, PUBLISHED).reason for path in paths.values()
    }
    changes = (verdict.next_change(game.files.listed_at) for verdict in values["privacy"].values())
    until = min((*changes, *(parsed.until for parsed in files.values())), default=inf)
    private = {path: reason for path, reason in reasons.items() if reason}
    if len(private) == len(paths) and (lacking := [why for why in private.values() if why.startswith(WITHOUT)]):
        raise UsageError(
            f"{game.files.folder}: all texts are {lacking[0]}: true, so nothing would be published. Set it in some, "
            "or write `source: folder` in library.yaml to publish all others, too"
        )
    unpublished = private.keys() | values["parts"]
    public = [parsed for file, parsed in files.items() if paths[file] not in unpublished]
    diagnostics += [diagnostic for parsed in public for diagnostic in parsed.diagnostics]
    withheld = game.files.excluded | values["excluded"].intersection(game.files.attachments)
    documents = tuple(values["document"].values())
    return _Selection(game.with_files(excluded=withheld), documents, public, private, until, diagnostics)


def _compile_files(game: Game, files: Mapping[Path, ParsedFile], memo: Memo, previous_tree: Path | None) -> Pack:
    """Raises `FailedText` if a pass fails for a text."""
    game, documents, public, private, until, selected = _select(game, files, memo)
    diagnostics = [*selected]
    pack = compile_documents(game, documents, diagnostics.append, memo)
    if len(documents) < len(public):
        diagnostics = [diagnostic for diagnostic in diagnostics if diagnostic.code not in MISSING_NAME_CODES]
    if previous_tree is not None:
        diagnostics = [_error_if_emptied(diagnostic, pack, previous_tree, private) for diagnostic in diagnostics]
    ordered = tuple(sort_diagnostics(adjust_severity(pack, diagnostics)))
    if game.options.keeps_going and has_errors(ordered):
        pack = _compile_without_errors(game, documents, pack, ordered)
    shown = tuple(sort_diagnostics(diagnostic.original for diagnostic in ordered))
    return replace(pack, diagnostics=shown, files=files, private=private, until=until)


def _path(game: Game, file: Path, parsed: ParsedFile) -> str:
    if parsed.document is not None:
        return parsed.document.source.path
    return next((found.span.source.path for found in parsed.diagnostics), game.files.text_path(file))


def compile_documents(game: Game, documents: Sequence[Document], report: Report, memo: Memo | None = None) -> Pack:
    """Resolve, extract, cross-reference and lint the documents that are published.

    `memo` has the results of the previous compilation: a pass runs only if its inputs changed.
    """
    memo = memo or Memo()
    by_path = {document.source.path: document for document in documents}
    unusable: dict[str, Diagnostic] = {}
    while True:
        diagnostics = [*unusable.values()]
        values: dict[str, Any] = {"game": game, "document": by_path, "unusable kinds": frozenset(unusable)}
        try:
            _run(PASSES, values, memo, diagnostics.append)
        except UnusableDefinition as problem:
            # Leave out this kind's entities in other documents, too: the order of verdict must not matter.
            unusable[problem.name] = problem.diagnostic
        else:
            break
    pack = Pack(
        game=values["game"],
        book=Book(outlines=values["outline"], links=values["links"], navigation=values["navigation"]),
        documents=values["facts"],
        effect_mentions=values["effect mentions"],
        cited=values["cited"],
        memo=memo,
    )
    for diagnostic in (*diagnostics, *game.faults):
        report(diagnostic)
    for check in CHECKS:
        with watched():
            check(pack, report)
    return pack


def found_kinds(pack: Pack) -> tuple[FoundKind, ...]:
    """The kinds that the notes of a game define."""
    found: tuple[FoundKind, ...] = pack.memo.result("found kinds")
    return found


def _run(passes: Iterable[Pass], values: dict[str, Any], memo: Memo, report: Report) -> None:
    """Raises `FailedText` if a pass fails for a document."""

    def run(row: Pass, path: str, *inputs: Any) -> Any:
        found = memo.run(row.name, path, row.function, *inputs)
        if isinstance(found, Diagnosed):
            for diagnostic in found.diagnostics:
                report(diagnostic)
            return found.value
        return found

    def value(name: str) -> Any:
        name, _, attribute = name.partition(".")
        found = values.get(name, {})
        for part in filter(None, attribute.split(".")):
            found = getattr(found, part)
        return found

    for row in passes:
        if row.when and not value(row.when):
            continue
        shared = [value(name) for name in row.game]
        found: Any
        if row.document:
            first, *others = (value(name) for name in row.document)
            found = {
                path: run(row, path, own, *[of.get(path) for of in others], *shared) for path, own in first.items()
            }
            if row.gives:
                found = {**values[row.gives], **found}
        else:
            found = run(row, "", *shared)
        values[row.gives or row.name] = found


def _error_if_emptied(diagnostic: Diagnostic, pack: Pack, tree: Path, private: Collection[str]) -> Diagnostic:
    """The diagnostic, as an error if it is about an empty kind that had public entities in the last build."""
    if diagnostic.code != "empty-kind":
        return diagnostic
    kind = next(kind for kind in pack.game.kinds.values() if kind.data.span_of("x-match") == diagnostic.span)
    entities = entities_in(tree, pack.game.id, kind.id)
    number = sum(entity.get("source", {}).get("path") not in private for entity in entities)
    if not number:
        return diagnostic
    counted = "1 entry" if number == 1 else f"{number} entries"
    return replace(
        diagnostic,
        severity=Severity.ERROR,
        message=f"{diagnostic.message}, and the last build had {counted}",
        hint=f"{diagnostic.hint}; if you removed these entries on purpose, build with --accept".removeprefix("; "),
        subject=Subject(KIND, kind.id, diagnostic.span),
    )


def _compile_without_errors(
    game: Game, documents: Sequence[Document], pack: Pack, diagnostics: Iterable[Diagnostic]
) -> Pack:
    """Compile a game without the data that its errors affect; repeat if that causes new errors.

    Returns the `pack` unchanged if an error does not say which data it affects.
    """
    left_out: dict[Subject, None] = {}
    reduced = pack
    while subjects := dict.fromkeys(
        subject
        for diagnostic in diagnostics
        if diagnostic.severity is Severity.ERROR and (subject := _subject(diagnostic, game)) not in left_out
    ):
        for subject in subjects:
            if subject is None:
                return pack
            left_out[subject] = None
        found: list[Diagnostic] = []
        reduced = compile_documents(_without(game, frozenset(left_out)), documents, found.append, Memo(reduced.memo))
        diagnostics = found
    return replace(reduced, left_out=tuple(subject.original for subject in left_out))


def _subject(diagnostic: Diagnostic, game: Game) -> Subject | None:
    if diagnostic in game.faults:
        line = diagnostic.span.source.line_and_column(diagnostic.span.start)[0]
        return Subject("definition", f"{diagnostic.span.source.path}:{line}", diagnostic.span)
    if diagnostic.code in SINGLE_FILE_ERRORS:
        return Subject("text", diagnostic.span.source.path, diagnostic.span)
    return diagnostic.subject


def _without(game: Game, left_out: frozenset[Subject]) -> Game:
    """A game without these subjects. Invalid definitions were already left out when the game was loaded."""
    spans = {subject.span for subject in left_out}
    calculators = {subject.name for subject in left_out if subject.type == "calculator"}
    effects = {
        name: tuple(effect for effect in effects if spans.isdisjoint(span for _, span in effect.names))
        for name, effects in game.effects.items()
    }
    return replace(
        game,
        left_out=left_out,
        calculators=calculators_without(game.calculators, calculators),
        effects={name: of_subject for name, of_subject in effects.items() if of_subject},
        boards=tuple(
            replace(board, parts=tuple(part for part in board.parts if part.subject.span not in spans))
            for board in game.boards
        ),
    )


def adjust_severity(pack: Pack, diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Turn `SINGLE_FILE_ERRORS` into warnings unless they make data wrong."""
    for diagnostic in diagnostics:
        is_warning = diagnostic.code in SINGLE_FILE_ERRORS and not _makes_data_untrue(diagnostic, pack)
        yield replace(diagnostic, severity=Severity.WARNING) if is_warning else diagnostic


def _makes_data_untrue(diagnostic: Diagnostic, pack: Pack) -> bool:
    """Whether a faulty text may make the data wrong: entities of a kind that is not lenient may lack its values."""
    if pack.game.publishes_faulty_texts:
        return False
    facts = pack.documents.get(diagnostic.span.source.path)
    return facts is None or any(not pack.game.kinds[entity.kind].is_lenient for entity in facts.entities)

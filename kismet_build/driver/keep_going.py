"""`--keep-going`: compile a game without the data that its errors affect."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from kismet_build.config.game import Game
from kismet_build.mechanics.calculator.calculation import calculators_without
from kismet_build.model.diagnostic import KIND, Diagnostic, Report, Severity, Subject
from kismet_build.output.entity_changes import entities_in
from kismet_build.pack import Pack

SINGLE_FILE_ERRORS = frozenset(("failed-text", "invalid-encoding", "invalid-frontmatter", "unreadable-text"))
"""Codes that are only warnings if no data depends on the file: one bad file must not block all others."""


def error_if_emptied(diagnostic: Diagnostic, pack: Pack, tree: Path, private: Collection[str]) -> Diagnostic:
    """A diagnostic, as an error if it is about an empty kind that had public entities in the last build."""
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


Compile = Callable[[Game, Report, Pack], Pack]
"""Compiles a game, given the pack of the previous attempt."""


def without_errors(compile_: Compile, game: Game, pack: Pack, diagnostics: Iterable[Diagnostic]) -> Pack:
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
        reduced = compile_(_without(game, frozenset(left_out)), found.append, reduced)
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

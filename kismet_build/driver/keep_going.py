"""`--keep-going`: compile a game without the data that its errors affect."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from kismet_build.config.game import Game
from kismet_build.driver.severity import SINGLE_FILE_ERRORS
from kismet_build.mechanics.calculator.calculation import calculators_without
from kismet_build.model.diagnostic import Diagnostic, Report, Severity, Subject
from kismet_build.pack import Pack

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

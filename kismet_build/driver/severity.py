"""The severity of a diagnostic, where it depends on the data of the game or of the last build."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from kismet_build.model.diagnostic import KIND, Diagnostic, Severity, Subject
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

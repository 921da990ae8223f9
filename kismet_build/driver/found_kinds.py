"""Summarize the kinds that were found in a vault, for authors to check."""

from collections.abc import Iterator

from kismet_build.config.kind import Kind
from kismet_build.pack import Pack

MAX_SUMMARY_LENGTH = 300
"""Maximum length of the summary of a build: three lines of a terminal."""


def kinds_summary(pack: Pack) -> str:
    """The found kinds, the largest first, and the number of other notes.

    Empty for a game without found kinds, unless it is a vault.
    """
    if not _found_kinds(pack) and not pack.game.is_plain:
        return ""
    kinds = sorted(_found_kinds(pack), key=lambda kind: -len(pack.entities[kind.id]))
    parts = [f"{_counted_notes(pack, kind)}, {_counted(len(_fields(kind)), 'field')}" for kind in kinds]
    pages = _counted(_page_count(pack), "note")
    last = f"{pages} {'is only a page, not an entry' if pages == '1 note' else 'are only pages, not entries'}"
    shown = len(parts)
    while shown and len("; ".join(_shortened(parts, shown, last))) > MAX_SUMMARY_LENGTH:
        shown -= 1
    return "; ".join(_shortened(parts, shown, last))


def _shortened(parts: list[str], shown: int, last: str) -> list[str]:
    more = [f"{_counted(len(parts) - shown, 'more kind')} (kismet check lists them)"] if shown < len(parts) else []
    return [*parts[:shown], *more, last]


def kinds_list(pack: Pack) -> Iterator[str]:
    """A line for each found kind, with the fields that its entities have."""
    for kind in _found_kinds(pack):
        entities = pack.entities[kind.id]
        counts = {name: sum(entity.fields.get(name) not in (None, []) for entity in entities) for name in _fields(kind)}
        fields = (name if count == len(entities) else f"{name} ({count})" for name, count in counts.items())
        yield f"{_counted_notes(pack, kind)}: {', '.join(fields) or 'no fields'}"


def _found_kinds(pack: Pack) -> list[Kind]:
    if not pack.game.is_plain and not pack.game.kind_rules.folders:
        return []
    return [kind for kind in pack.game.kinds.values() if kind.is_lenient and pack.entities[kind.id]]


def _fields(kind: Kind) -> list[str]:
    return [name for name in kind.rules if name not in ("id", "name", "aliases")]


def _counted_notes(pack: Pack, kind: Kind) -> str:
    notes = [match.note for match in kind.matches if match.note is not None]
    folders = ", ".join(folder.removesuffix("**") or "the vault" for note in notes for folder in note.folders)
    if any(match.method == "statblock" for match in kind.matches):
        count = _counted(len(pack.entities[kind.id]), "statblock")
        places = f"{count} and notes in {folders}" if folders else count
        return f"{kind.id}: {places}"
    return f"{kind.id}: {_counted(len(pack.entities[kind.id]), 'note')} in {folders}"


def _page_count(pack: Pack) -> int:
    return sum(
        all(entity.span != outline.chapter.source.full_span() for entity in pack.documents[path].entities)
        for path, outline in pack.book.outlines.items()
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

"""The data of the panel on a page: diagnostics, and what changed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kismet_build.model.diagnostic import Diagnostic, Severity, count_by_severity
from kismet_build.serve.console import counted
from kismet_build.serve.served_library import Update
from kismet_build.serve.source_links import Editor, SourceMap
from kismet_build.serve.urls import INDEX

MAX_PROBLEMS = 100
"""Maximum number of diagnostics in each of the two lists on a page."""

State = dict[str, Any]
"""JSON object."""


def page_panel(update: Update, source_maps: Mapping[str, SourceMap], page: str, editor: Editor | None) -> State:
    """The content of the panel for the page at this path. `editor`: the program that opens their places."""
    address = page.removesuffix(INDEX)
    return {
        **_page_problems(editor, update, source_maps, address),
        **_page_changes(update, address.partition("/")[0]),
        "advice": update.advice if address.count("/") <= 1 else "",  # The home pages of the library and of games.
    }


def _page_problems(editor: Editor | None, update: Update, source_maps: Mapping[str, SourceMap], page: str) -> State:
    game = page.partition("/")[0]
    is_partial = game in update.left_out and game not in update.unpublished
    if game in source_maps or game in update.diagnostics_by_game:
        all_found = [(game, diagnostic) for diagnostic in update.diagnostics_by_game.get(game, ())]
        is_unpublished = game in update.unpublished
        own = [
            (game, diagnostic)
            for game, diagnostic in all_found
            if (is_unpublished and diagnostic.severity is Severity.ERROR)
            or _is_shown_on(source_maps.get(game), page, game, diagnostic)
        ]
        notices = [_notice(source_maps, game, update)] if is_unpublished else [update.problem]
        if is_partial:
            notices.append(f"{source_maps[game].title} is published without {update.left_out[game]}.")
    else:
        # A page of the library shows why games are not published.
        all_found = own = [
            (game, diagnostic)
            for game in sorted(update.unpublished)
            for diagnostic in update.diagnostics_by_game.get(game, ())
            if diagnostic.severity is Severity.ERROR
        ] or [("", diagnostic) for diagnostic in update.diagnostics if update.problem]
        notices = [_notice(source_maps, game, update) for game in sorted(update.unpublished)] or [update.problem]
    all_found, own = (
        [(game, diagnostic) for game, diagnostic in found if diagnostic.severity is not Severity.INFO]
        for found in (all_found, own)
    )
    shown = {id(diagnostic) for _, diagnostic in own}
    others = [(game, diagnostic) for game, diagnostic in all_found if id(diagnostic) not in shown]
    for problems in (own, others):
        problems.sort(key=lambda item: (item[1].severity is not Severity.ERROR, item[1].sort_key))
    counts = count_by_severity(diagnostic for _, diagnostic in own)
    return {
        "errors": counts["error"],
        "warnings": counts["warning"],
        "problems": [_problem(editor, source_maps.get(game), diagnostic) for game, diagnostic in own[:MAX_PROBLEMS]],
        "notices": [notice for notice in notices if notice],
        "noticeTitle": "Published in part" if is_partial else "Not published",
        "elsewhere": f"{counted(len(others), 'problem')} elsewhere in this game" if others else "",
        "others": [_problem(editor, source_maps.get(game), diagnostic) for game, diagnostic in others[:MAX_PROBLEMS]],
    }


def _problem(editor: Editor | None, source_map: SourceMap | None, diagnostic: Diagnostic) -> State:
    source = diagnostic.span.source
    line, column = source.line_and_column(diagnostic.span.start)
    url = source_map.url(source.path, line) if source_map else ""
    file = Path(source.display_path)
    return {
        "severity": diagnostic.severity.value,
        "code": diagnostic.code,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
        "place": f"{source.path if url else source.display_path}:{line}:{column}",
        "href": f"/{url}" if url else "",
        "editor": editor.url(file, line, column) if editor else "",
        "program": editor.title if editor else "",
    }


def _page_changes(update: Update, game: str) -> State:
    """Changes since the last build, in the game of a page, or in all games for a page of the library."""
    shown = [change for id_, changes in update.changes.items() for change in changes if game in (id_, "", "glossary")]
    counts = (
        (sum(len(change.vanished) for change in shown), "fewer"),
        (sum(len(change.added) for change in shown), "more"),
        (sum(change.changed for change in shown), "changed"),
    )
    games = {change.game for change in shown}
    return {
        "changes": [f"{change.game + '/' if len(games) > 1 else ''}{change}" for change in shown],
        "changed": ", ".join(f"{number} {word}" for number, word in counts if number),
        "hasVanished": bool(counts[0][0]),
    }


def _notice(source_maps: Mapping[str, SourceMap], game: str, update: Update) -> str:
    reason = update.unpublished[game]
    if game not in source_maps:
        return f'"{game}" is not published: {reason}.'
    return f"{source_maps[game].title} is not published: {reason}. Its last good pages stay."


def _is_shown_on(source_map: SourceMap | None, page: str, game: str, diagnostic: Diagnostic) -> bool:
    """Whether a diagnostic is in the source of a page. One in a data file is shown on the home page of the game."""
    path = diagnostic.span.source.path
    if source_map is None:
        return True
    if page == f"{game}/":
        return path not in source_map.sections
    line = diagnostic.span.source.line_and_column(diagnostic.span.start)[0]
    return any(place.contains(path, line) for place in source_map.pages.get(page, ()))

"""Live reload: events for the open pages, and the diagnostics that each page shows."""

import secrets
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from threading import Condition
from typing import Any

from kismet_build.model.diagnostic import Diagnostic, Severity, count_by_severity
from kismet_build.serve.console import counted
from kismet_build.serve.editor_links import Editor
from kismet_build.serve.rebuilder import Digests, Update
from kismet_build.serve.source_map import SourceMap, load_source_maps
from kismet_build.serve.urls import INDEX, page_digest, read_file

MAX_PROBLEMS = 100
"""Diagnostics that one page shows."""
MAX_EVENTS = 50
"""Events that are stored for pages that read them slowly. A page that missed more gets the latest ones."""

State = dict[str, Any]
"""JSON object."""


@dataclass(frozen=True, slots=True)
class Event:
    """A server-sent event."""

    number: int
    """Number of the update that it is about, from 1; 0 before the first."""
    name: str
    data: Mapping[str, Any]


class LiveReload:
    """State of the last update, shared by all threads of the server."""

    def __init__(self, tree: Path, editor: Editor | None) -> None:
        """Start without an update. `editor` opens the places of diagnostics."""
        self.tree = tree
        self.editor = editor
        self._session = secrets.token_hex(4)
        """Differs from that of an earlier server on the same port, whose pages may still be open."""
        self._number = 0
        self._update = Update()
        self._digests: Digests = {}
        self._source_maps: dict[str, SourceMap] = {}
        self._events: deque[Event] = deque(maxlen=MAX_EVENTS)
        self._new_events = Condition()
        """Guards all state."""
        self._is_closed = False

    @property
    def build(self) -> str:
        """Unique name of the last update."""
        return f"{self._session}-{self._number}"

    def publish(self, update: Update, digests: Digests) -> None:
        """Store an update, and send it to all open pages."""
        # A partial update writes pages only: `pack.json` and so the source maps are unchanged.
        source_maps = self._source_maps if update.is_partial else load_source_maps(self.tree)
        with self._new_events:
            has_new_problems = self._number == 0 or _problems(update) != _problems(self._update)
            self._update, self._digests, self._source_maps = update, digests, source_maps
            self._number += 1
            data = {
                "build": self.build,
                "pages": tuple(map(intern, update.pages)),  # most events have the same ones
                "assets": update.assets,
                "gone": update.removed,
                "diagnostics": has_new_problems,
            }
            self._events.append(Event(self._number, "update", data))
            self._new_events.notify_all()

    def close(self) -> None:
        """End all event streams."""
        with self._new_events:
            self._is_closed = True
            self._new_events.notify_all()

    def hello_event(self) -> Event:
        """First event of a stream: the name of the last update."""
        with self._new_events:
            return Event(self._number, "state", {"build": self.build})

    def events_after(self, number: int, timeout: float) -> Sequence[Event] | None:
        """Wait at most `timeout` seconds for events after a number. Empty if there are none; `None` when closed."""
        with self._new_events:
            self._new_events.wait_for(lambda: self._is_closed or self._number > number, timeout)
            return None if self._is_closed else [event for event in self._events if event.number > number]

    def page_state(self, path: str) -> State:
        """State that the script of a page asks for: digests of the page and of all assets, and its diagnostics."""
        with self._new_events:
            build, update, digests, source_maps = self.build, self._update, self._digests, self._source_maps
        content = read_file(self.tree, path)
        return {
            "build": build,
            "page": page_digest(content) if isinstance(content, bytes) else None,
            "assets": digests,
            **self._page_problems(update, source_maps, path.removesuffix(INDEX)),
            **_page_changes(update, path.partition("/")[0]),
            "advice": update.advice if path.removesuffix(INDEX).count("/") <= 1 else "",  # home pages
        }

    def _page_problems(self, update: Update, source_maps: Mapping[str, SourceMap], page: str) -> State:
        """Diagnostics that concern a page, errors first, without notes."""
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
            "problems": [self._problem(source_maps.get(game), diagnostic) for game, diagnostic in own[:MAX_PROBLEMS]],
            "notices": [notice for notice in notices if notice],
            "noticeTitle": "Published in part" if is_partial else "Not published",
            "elsewhere": f"{counted(len(others), 'problem')} elsewhere in this game" if others else "",
            "others": [self._problem(source_maps.get(game), diagnostic) for game, diagnostic in others[:MAX_PROBLEMS]],
        }

    def _problem(self, source_map: SourceMap | None, diagnostic: Diagnostic) -> State:
        """One diagnostic as JSON."""
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
            "editor": self.editor.url(file, line, column) if self.editor else "",
            "program": self.editor.title if self.editor else "",
        }


def _page_changes(update: Update, game: str) -> State:
    """Changes since the last build: in the game of a page or, for a page of the library, in all games."""
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
    """Sentence that says why a game is not published."""
    reason = update.unpublished[game]
    if game not in source_maps:
        return f'"{game}" is not published: {reason}.'
    return f"{source_maps[game].title} is not published: {reason}. Its last good pages stay."


def _is_shown_on(source_map: SourceMap | None, page: str, game: str, diagnostic: Diagnostic) -> bool:
    """Whether a diagnostic is in the source of a page. Those of data files belong to the home page of the game."""
    path = diagnostic.span.source.path
    if source_map is None:
        return True
    if page == f"{game}/":
        return path not in source_map.sections
    line = diagnostic.span.source.line_and_column(diagnostic.span.start)[0]
    return page in source_map.pages and source_map.pages[page].contains(path, line)


def _problems(update: Update) -> object:
    """Everything of an update that the diagnostics panel of a page may show."""
    diagnostics = [
        (diagnostic.code, diagnostic.message, diagnostic.span.source.path, diagnostic.span.start, diagnostic.hint)
        for diagnostic in update.diagnostics
    ]
    others = (update.unpublished, update.left_out, update.changes)
    return diagnostics, *map(dict, others), update.problem, update.advice

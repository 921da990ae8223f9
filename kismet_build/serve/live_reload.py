"""What open pages are told: that there is something new, and what is wrong with what they show."""

import secrets
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Condition
from typing import Any

from kismet_build.model.diagnostic import Diagnostic, Severity, count
from kismet_build.serve.console import counted
from kismet_build.serve.editor_links import Editor
from kismet_build.serve.rebuilder import Digests, Update
from kismet_build.serve.source_map import Places, places
from kismet_build.serve.urls import INDEX, digest, read

MOST = 100
"""So many diagnostics are shown on one page."""
REMEMBERED = 50
"""So many updates are kept for pages that are slow to listen; who missed more is told the last one."""

State = dict[str, Any]
"""As JSON."""


@dataclass(frozen=True, slots=True)
class Event:
    """One update as open pages hear of it."""

    number: int
    name: str
    data: Mapping[str, Any]


class Live:
    """What all threads of the server know of the last build."""

    def __init__(self, tree: Path, editor: Editor | None) -> None:
        """Know nothing yet of the tree."""
        self.tree = tree
        self.editor = editor
        self._run = secrets.token_hex(4)
        """Tells this run from one before on the same port, whose pages may still be open."""
        self._number = 0
        self._update = Update()
        self._digests: Digests = {}
        self._places: dict[str, Places] = {}
        self._events: deque[Event] = deque(maxlen=REMEMBERED)
        self._news = Condition()
        self._is_closed = False

    @property
    def build(self) -> str:
        """The name of the last build, which no other has."""
        return f"{self._run}-{self._number}"

    def take(self, update: Update, digests: Digests) -> None:
        """Keep what a rebuild gave, and tell it to all who listen."""
        # What comes first changes pages alone, and nothing waits for it.
        found = self._places if update.is_first else places(self.tree)
        with self._news:
            differs = self._number == 0 or _said(update) != _said(self._update)
            self._update, self._digests, self._places = update, digests, found
            self._number += 1
            data = {
                "build": self.build,
                "pages": update.pages,
                "assets": update.assets,
                "gone": update.gone,
                "diagnostics": differs,
            }
            self._events.append(Event(self._number, "update", data))
            self._news.notify_all()

    def close(self) -> None:
        """Let all who listen go."""
        with self._news:
            self._is_closed = True
            self._news.notify_all()

    def greeting(self) -> Event:
        """What a page hears first: which build is the last one."""
        with self._news:
            return Event(self._number, "state", {"build": self.build})

    def after(self, number: int, patience: float) -> Sequence[Event] | None:
        """The events after one; none if nothing happens for so many seconds, `None` when nothing ever will."""
        with self._news:
            self._news.wait_for(lambda: self._is_closed or self._number > number, patience)
            return None if self._is_closed else [event for event in self._events if event.number > number]

    def state(self, path: str) -> State:
        """What the page at a path in the tree has to know."""
        with self._news:
            build, update, digests, known = self.build, self._update, self._digests, self._places
        content = read(self.tree, path)
        return {
            "build": build,
            "page": digest(content) if isinstance(content, bytes) else None,
            "assets": digests,
            **self._wrong(update, known, path.removesuffix(INDEX)),
        }

    def _wrong(self, update: Update, known: Mapping[str, Places], page: str) -> State:
        """What is wrong, as far as it belongs to a page, the worst first."""
        game = page.partition("/")[0]
        if game in known or game in update.of_game:
            every = [(game, one) for one in update.of_game.get(game, ())]
            is_held = game in update.unpublished
            mine = [
                (game, one)
                for game, one in every
                if (is_held and one.severity is Severity.ERROR) or _is_on(known.get(game), page, game, one)
            ]
            notices = [_notice(known, game, update)] if is_held else [update.problem]
        else:
            # A page of the library: why the pages of games are not what their texts are.
            every = mine = [
                (game, one)
                for game in sorted(update.unpublished)
                for one in update.of_game.get(game, ())
                if one.severity is Severity.ERROR
            ] or [("", one) for one in update.found if update.problem]
            notices = [_notice(known, one, update) for one in sorted(update.unpublished)] or [update.problem]
        every, mine = ([one for one in some if one[1].severity is not Severity.INFO] for some in (every, mine))
        mine.sort(key=lambda one: (one[1].severity is not Severity.ERROR, one[1].order))
        numbers = count(one for _, one in mine)
        rest = len(every) - len(mine)
        return {
            "errors": numbers["error"],
            "warnings": numbers["warning"],
            "problems": [self._problem(known.get(game), one) for game, one in mine[:MOST]],
            "notices": [notice for notice in notices if notice],
            "elsewhere": f"{counted(rest, 'more place')} in this game" if rest else "",
            "errata": f"/{game}/errata/" if game in known else "",
        }

    def _problem(self, here: Places | None, one: Diagnostic) -> State:
        """One diagnostic as a page shows it."""
        source = one.span.source
        line, column = source.place(one.span.start)
        address = here.address(source.path, line) if here else ""
        file = Path(source.shown)
        return {
            "severity": one.severity.value,
            "code": one.code,
            "message": one.message,
            "hint": one.hint,
            "place": f"{source.path if address else source.shown}:{line}:{column}",
            "href": f"/{address}" if address else "",
            "editor": self.editor.address(file, line, column) if self.editor else "",
            "program": self.editor.title if self.editor else "",
        }


def _notice(known: Mapping[str, Places], game: str, update: Update) -> str:
    """Why the pages of a game are not what its text is."""
    reason = update.unpublished[game]
    if game not in known:
        return f'"{game}" is not published: {reason}.'
    return f"{known[game].title} is not published: {reason}. Its last good pages stay."


def _is_on(here: Places | None, page: str, game: str, one: Diagnostic) -> bool:
    """Whether what was found stands in what a page shows; what is in no text stands on the first page of its game."""
    path = one.span.source.path
    if here is None:
        return True
    if page == f"{game}/":
        return path not in here.sections
    return page in here.pages and here.pages[page].holds(path, one.span.source.place(one.span.start)[0])


def _said(update: Update) -> object:
    """What a page may show of an update beside itself."""
    found = [(one.code, one.message, one.span.source.path, one.span.start, one.hint) for one in update.found]
    return found, dict(update.unpublished), update.problem

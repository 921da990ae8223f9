"""Live reload: send events to the open pages."""

import secrets
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Condition

MAX_EVENTS = 50
"""Maximum number of events stored for slow pages. A page that missed more only gets the latest ones."""


@dataclass(frozen=True, slots=True)
class Event:
    """A server-sent event."""

    number: int
    """The number of the update, from 1; 0 before the first one."""
    name: str
    build: str
    """Unique name of the update."""


class LiveReload:
    """The latest events, shared by all threads of the server."""

    def __init__(self) -> None:
        """Start without an update."""
        self._session = secrets.token_hex(4)
        """Random, to differ from an earlier server on the same port, whose pages may still be open."""
        self._number = 0
        self._events: deque[Event] = deque(maxlen=MAX_EVENTS)
        self._new_events = Condition()
        """Guards the other attributes that change."""
        self._is_closed = False

    def build(self, version: int) -> str:
        """Unique name of a version of the library."""
        return f"{self._session}-{version}"

    def publish(self) -> None:
        """Tell all open pages that something changed, so they request their state again."""
        with self._new_events:
            self._number += 1
            self._events.append(Event(self._number, "update", self.build(self._number)))
            self._new_events.notify_all()

    def close(self) -> None:
        """End all event streams."""
        with self._new_events:
            self._is_closed = True
            self._new_events.notify_all()

    def hello_event(self) -> Event:
        """The first event of a stream, with the name of the last update."""
        with self._new_events:
            return Event(self._number, "state", self.build(self._number))

    def events_after(self, number: int, timeout: float) -> Sequence[Event] | None:
        """The events after this number; waits at most `timeout` seconds for the first. `None` once closed."""
        with self._new_events:
            self._new_events.wait_for(lambda: self._is_closed or self._number > number, timeout)
            return None if self._is_closed else [event for event in self._events if event.number > number]

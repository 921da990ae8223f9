"""Live reload: tell the open pages that something changed."""

import secrets
from threading import Condition


class LiveReload:
    """The number of updates so far, for all threads of the server."""

    def __init__(self) -> None:
        """Start without an update."""
        self._session = secrets.token_hex(4)
        """Random, to differ from an earlier server on the same port, whose pages may still be open."""
        self._number = 0
        self._update = Condition()
        """Guards the other attributes that change."""
        self._is_closed = False

    @property
    def number(self) -> int:
        """The number of the last update; 0 before the first one."""
        return self._number

    def build(self, number: int) -> str:
        """Unique name of an update, or of a version of the library."""
        return f"{self._session}-{number}"

    def publish(self) -> None:
        """Tell the open pages that something changed, so they request their state again."""
        with self._update:
            self._number += 1
            self._update.notify_all()

    def close(self) -> None:
        """End all event streams."""
        with self._update:
            self._is_closed = True
            self._update.notify_all()

    def wait(self, number: int, timeout: float) -> int | None:
        """The number of the last update. Waits at most `timeout` seconds for one after `number`. `None` once closed."""
        with self._update:
            self._update.wait_for(lambda: self._is_closed or self._number > number, timeout)
            return None if self._is_closed else self._number

"""The HTTP server's view of the library. Requests become questions to the process that compiles and renders."""

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from threading import RLock
from typing import Any, Literal, NamedTuple

from kismet_build.serve.live_reload import LiveReload
from kismet_build.serve.urls import Redirect

UPDATE = 0
"""The number of a message about a change. An answer has the number of its question instead."""
MAX_PAGES = 500
"""Maximum number of pages whose last version is remembered."""


@dataclass(frozen=True, slots=True)
class Problem:
    """The answer to a request for a file that cannot be made."""

    message: str


class Answered(NamedTuple):
    """An answer, with the number of the version that it comes from; 0 without a version or an answer."""

    version: int
    content: bytes | Redirect | Problem | dict[str, Any] | None


class Question(NamedTuple):
    """A question on behalf of a request."""

    kind: Literal["file", "state", "drop"]
    """`drop` means that nobody waits for the answer to the question with this number any more."""
    number: int
    path: str
    version: int = 0
    """The number of the version that should answer; 0 for the newest."""
    assets: tuple[str, ...] = ()
    """The files whose digests belong to the state of a page."""


class RemoteSite:
    """Asks questions for the server's threads. If several threads wait for the same answer, it is requested once."""

    def __init__(self) -> None:
        self.live = LiveReload()
        self._send: Callable[[Question], None] | None = None
        self._lock = RLock()
        """Guards all attributes below."""
        self._number = UPDATE
        self._waiting: dict[tuple[object, ...], tuple[int, Future[Answered], int]] = {}
        """For each question without its number: its number, its answer, and how many threads wait for it."""
        self._versions: OrderedDict[str, int] = OrderedDict()
        """The version of each page when it was last sent, by path. Files that the page loads come from the same
        version."""

    def connect(self, send: Callable[[Question], None]) -> None:
        """Use this function to send questions from now on."""
        self._send = send

    def close(self) -> None:
        """End all event streams, and give all waiting threads an empty answer."""
        self.live.close()
        with self._lock:
            for _, future, _ in self._waiting.values():
                future.set_result(Answered(0, None))
            self._waiting.clear()

    def receive(self, number: int, answer: Answered) -> None:
        """Give the answer to the threads that wait for it."""
        with self._lock:
            for key, (asked, future, _) in self._waiting.items():
                if asked == number:
                    del self._waiting[key]
                    future.set_result(answer)
                    return

    def page(self, path: str, has_left: Callable[[], bool]) -> Answered:
        """The page at this path, of the newest version.

        `has_left` tells whether the client has closed the connection and does not need the answer.
        """
        answer = self._ask("file", path, 0, (), has_left)
        with self._lock:
            self._versions[path] = answer.version
            self._versions.move_to_end(path)
            if len(self._versions) > MAX_PAGES:
                self._versions.popitem(last=False)
        return answer

    def file(self, path: str, page: str | None, has_left: Callable[[], bool]) -> Answered:
        """The file at this path, from the same version as the page that loads it, or else from the newest one."""
        with self._lock:
            version = 0 if page is None else self._versions.get(page, 0)
        return self._ask("file", path, version, (), has_left)

    def state(self, path: str, assets: tuple[str, ...], has_left: Callable[[], bool]) -> Answered:
        return self._ask("state", path, 0, assets, has_left)

    def _ask(
        self,
        kind: Literal["file", "state"],
        path: str,
        version: int,
        assets: tuple[str, ...],
        has_left: Callable[[], bool],
    ) -> Answered:
        # The number of the last event is part of the key, so a question after a change gets a new answer.
        key = (kind, path, version, assets, self.live.hello_event().number)
        with self._lock:
            number, future, readers = self._waiting.get(key, (0, Future[Answered](), 0))
            is_new = not number
            if is_new:
                self._number += 1
                number = self._number
            self._waiting[key] = number, future, readers + 1
            if is_new and self._send is not None:
                self._send(Question(kind, number, path, version, assets))
        while True:
            with suppress(TimeoutError):
                return future.result(timeout=1.0)
            if has_left():
                self._leave(key)
                return Answered(0, None)

    def _leave(self, key: tuple[object, ...]) -> None:
        with self._lock:
            if key not in self._waiting:
                return
            number, future, readers = self._waiting[key]
            if readers > 1:
                self._waiting[key] = number, future, readers - 1
                return
            del self._waiting[key]
            if self._send is not None:
                self._send(Question("drop", number, ""))

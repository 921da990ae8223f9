"""The loop of `kismet serve`: compile after a save, answer requests, and check the entire library in between.

The loop runs in the main thread, and only the main thread uses the library. The threads of the server and of the
watcher put their requests and changes into queues. Two more threads make what takes long, from copies of the packs.
docs/decisions/0028-serve-on-demand.md compares threads with processes.
"""

import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Condition, Event, Thread
from time import monotonic, time
from typing import TypeVar

from kismet_build.config.data_file import UsageError
from kismet_build.model.watchdog import watched
from kismet_build.render.html.templates import author_template_errors
from kismet_build.serve.console import Console
from kismet_build.serve.memory import release_memory
from kismet_build.serve.panel import State, page_panel
from kismet_build.serve.served_library import Answer, CheckResult, ServedLibrary, is_heavy
from kismet_build.serve.source_links import Editor, source_map
from kismet_build.serve.urls import page_digest
from kismet_build.serve.watcher import Watcher


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


Value = TypeVar("Value")

CHECK_DELAY = 2.0
"""Minimum number of seconds without a save before the entire library is checked and its text is indexed."""
CHECK_PAUSE = 3.0
"""Minimum pause before a check, as a multiple of the time that the last check took. A large library is checked less
often (docs/decisions/0028-serve-on-demand.md)."""
MAX_WAIT = 0.5
"""Maximum number of seconds until the clock is looked at again. On Windows, Ctrl-C does not end a longer wait."""
MAX_BACKGROUND = 2
"""Maximum number of `HEAVY` files and checks that are made at the same time."""
MAX_KEPT = 30
"""Maximum number of answers to keep until the next update. A browser requests the digest of a page, then the page."""
MAX_KEPT_SIZE = 2**24
"""Maximum size in bytes of the answers to keep."""
SWITCH_INTERVAL = 0.001
"""Seconds after which Python lets another thread run; its default is 0.005. A request needs Python in several threads,
and each time it waits this long for every thread that works in the background."""


@dataclass(frozen=True, slots=True)
class Problem:
    """The answer to a request for a file that cannot be made."""

    message: str


class _Cancelled(Exception):
    """Raised in a check to end it, because its result is not needed."""


class Session:
    """Serves one library: `run` in the main thread, `content` and `state` in the threads of the server."""

    def __init__(self, library: ServedLibrary, console: Console, editor: Editor | None) -> None:
        self.library = library
        self.live = LiveReload()
        self._console = console
        self._editor = editor
        self._changes: SimpleQueue[frozenset[Path] | OSError] = SimpleQueue()
        self._questions: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._has_work = Event()
        """Set after something was put into a queue, and after a check."""
        self._answers: dict[str, Future[Answer]] = {}
        """Answers since the last update that are kept or being made, by path."""
        self._background = ThreadPoolExecutor(MAX_BACKGROUND)
        self._check: Future[CheckResult] | None = None
        self._is_cancelled = Event()
        """Tells the present check to end."""
        self._check_time: float | None = None
        """Time of `monotonic` at which the next check is due."""
        self._check_start = 0.0
        self._check_delay = CHECK_DELAY

    def run(self, watcher: Watcher, announce: Callable[[], None]) -> None:
        """Serve forever. `announce` is called as soon as the library is compiled.

        Raises `OSError` if the files cannot be watched.
        """
        sys.setswitchinterval(SWITCH_INTERVAL)
        try:
            changes = watcher.changes()
            next(changes)  # From now on, every change is reported.
            self._compile(frozenset())
            announce()
            Thread(target=self._watch, args=(changes,), daemon=True).start()
            while True:
                self._turn()
        finally:
            self._stop()

    def _turn(self) -> None:
        """Do the most urgent work, or wait for some."""
        if not self._changes.empty() or time() >= self.library.update.until:
            self._compile(self._changed_files())
        elif not self._questions.empty():
            self._questions.get()()
        elif self._check is not None and self._check.done():
            self._finish_check(self._check)
        elif self._check is None and self._check_time is not None and monotonic() >= self._check_time:
            self._start_check()
        else:
            self._has_work.wait(MAX_WAIT)
            self._has_work.clear()

    def _stop(self) -> None:
        self.live.close()
        self._is_cancelled.set()
        self._background.shutdown(wait=False, cancel_futures=True)
        if self._check is not None:
            wait([self._check])  # It writes to the temporary folder, which is removed next.

    # --- saves

    def _watch(self, changes: Iterator[frozenset[Path]]) -> None:
        """Put changes into the queue, in the thread of the watcher."""
        try:
            for files in changes:
                if files:
                    self._put(self._changes, files)
        except OSError as failure:
            self._put(self._changes, failure)

    def _put(self, queue: "SimpleQueue[Value]", value: Value) -> None:
        queue.put(value)
        self._has_work.set()

    def _changed_files(self) -> frozenset[Path]:
        """The files that changed since the last call. Raises `OSError` if the files cannot be watched."""
        files: frozenset[Path] = frozenset()
        while not self._changes.empty():
            change = self._changes.get()
            if isinstance(change, OSError):
                raise change
            files |= change
        return files

    def _compile(self, files: frozenset[Path]) -> None:
        if self.library.has_snapshot:  # Without a snapshot, the check provides the entities to compare with.
            self._is_cancelled.set()
        update = self.library.compile(files)
        self._publish()
        self._console.print_update(files, update)
        self._check_time = monotonic() + (self._check_delay if files else 0)

    def _publish(self) -> None:
        self._answers.clear()
        self.live.publish()

    # --- checks

    def _start_check(self) -> None:
        self._check_time, self._check_start = None, monotonic()
        self._is_cancelled.clear()
        self._check = self._background.submit(self.library.check, self._end_if_cancelled)
        self._check.add_done_callback(lambda _: self._has_work.set())

    def _end_if_cancelled(self, *_progress: object) -> None:
        if self._is_cancelled.is_set():
            raise _Cancelled

    def _finish_check(self, check: Future[CheckResult]) -> None:
        self._check = None
        if self._is_cancelled.is_set():
            return
        self._check_delay = max(CHECK_DELAY, CHECK_PAUSE * (monotonic() - self._check_start))
        self._console.print_check(self.library.adopt_check(check.result()))
        self._publish()
        release_memory()  # At this point, this does not delay anything.

    # --- requests

    @property
    def build(self) -> str:
        """Name of the last update."""
        return self.live.build(self.live.number)

    def content(self, path: str) -> Answer | Problem:
        """The answer for a path. The path of a folder ends in a slash; the root is empty."""
        return _content(self._ask(lambda: self._answer(path)))

    def state(self, path: str, assets: Sequence[str]) -> State:
        """What an open page compares with its own: digests of the page and its files. Also its panel."""
        build, answers, panel = self._ask(lambda: self._state(path, assets))
        contents = {name: _content(answer) for name, answer in answers.items()}
        if isinstance(contents[path], Problem):
            return {"build": build}
        digests = {name: page_digest(content) for name, content in contents.items() if isinstance(content, bytes)}
        own = {name: digests[name] for name in assets if name in digests}
        return {"build": build, "page": digests.get(path), "assets": own, **panel}

    def _ask(self, question: Callable[[], Value]) -> Value:
        """The answer to a question, from the main thread."""
        answer: Future[Value] = Future()
        self._put(self._questions, lambda: _fulfil(answer, question))
        return answer.result()

    def _answer(self, path: str) -> Future[Answer]:
        """The answer for this path, which another thread may still be making."""
        answer = self._answers.get(path)
        if answer is None:
            if len(self._answers) >= MAX_KEPT or sum(map(_size, self._answers.values())) > MAX_KEPT_SIZE:
                self._answers = {other: made for other, made in self._answers.items() if not made.done()}
            answer = self._answers[path] = Future()
            version = self.library.newest
            if version and is_heavy(path):
                self._background.submit(_fulfil, answer, lambda: version.make_apart(path))
            else:
                _fulfil(answer, lambda: self.library.answer(path)())
        return answer

    def _state(self, path: str, assets: Sequence[str]) -> tuple[str, dict[str, Future[Answer]], State]:
        packs = self.library.newest.packs if self.library.newest else {}
        maps = {game: source_map(pack) for game, pack in packs.items() if not pack.game.is_manual}
        # The page comes last, because it is requested next, and only the last answers are kept.
        answers = {name: self._answer(name) for name in (*assets, path)}
        return self.build, answers, page_panel(self.library.update, maps, path, self._editor)


def _fulfil(answer: Future[Value], make: Callable[[], Value]) -> None:
    try:
        with author_template_errors(), watched():
            content = make()
    except Exception as failure:  # A bug in this program must not end the server.
        answer.set_exception(failure)
    else:
        answer.set_result(content)


def _size(answer: Future[Answer]) -> int:
    """The bytes of an answer, if it has been made."""
    content = answer.result() if answer.done() and not answer.exception() else None
    return len(content) if isinstance(content, bytes) else 0


def _content(answer: Future[Answer]) -> Answer | Problem:
    """Wait for an answer."""
    failure = answer.exception()
    if failure is None:
        return answer.result()
    is_expected = isinstance(failure, UsageError | OSError)
    return Problem(str(failure) if is_expected else f"internal error in kismet, please report it: {failure!r}")

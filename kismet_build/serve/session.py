"""The loop of `kismet serve`: compile after a save, answer questions, and check the entire library in between."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic, time
from typing import Any

from kismet_build.config.data_file import UsageError
from kismet_build.driver.processes import BackgroundTask, can_fork
from kismet_build.model.watchdog import watched
from kismet_build.render.html.templates import author_template_errors
from kismet_build.serve.console import Console
from kismet_build.serve.editor_links import Editor
from kismet_build.serve.memory import release_memory
from kismet_build.serve.panel import page_panel
from kismet_build.serve.served_library import CheckResult, ServedLibrary, Version, is_heavy
from kismet_build.serve.site import UPDATE, Answered, Problem, Question
from kismet_build.serve.source_map import SourceMap, source_map
from kismet_build.serve.urls import page_digest

CHECK_DELAY = 2.0
"""Minimum number of seconds without a save before the entire library is checked and its text is indexed."""
CHECK_PAUSE = 3.0
"""Minimum pause before a check, as a multiple of the time that the last check took. A large library is checked less
often (docs/decisions/0028-serve-on-demand.md)."""
MAX_WAIT = 3600.0
"""Maximum number of seconds until a scheduled time is looked at again: the clock may have been set."""
KILLED = "a process of kismet serve was killed; start it again"
MAX_HEAVY = 2
"""Maximum number of `HEAVY` files that are made at the same time."""


@dataclass(frozen=True, slots=True)
class _Heavy:
    question: Question
    task: BackgroundTask[Answered]


class Session:
    """Answers the questions of one server about one library."""

    def __init__(
        self,
        library: ServedLibrary,
        requests: Connection,
        changes: Connection,
        console: Console,
        editor: Editor | None,
    ) -> None:
        """`requests`: the connection for questions and answers. `changes`: the connection for sets of changed files."""
        self.library = library
        self._requests = requests
        self._changes = changes
        self._console = console
        self._editor = editor
        self._questions: deque[Question] = deque()
        self._waiting: deque[Question] = deque()
        """Questions that wait for a child process."""
        self._heavy: list[_Heavy] = []
        self._check: BackgroundTask[CheckResult] | None = None
        self._check_time: float | None = None
        """Time of `monotonic` at which the next check is due."""
        self._check_start = 0.0
        self._check_delay = CHECK_DELAY
        self._source_maps: dict[str, SourceMap] = {}
        self._mapped: Version | None = None
        self.shares_process = not can_fork()
        """Whether the server is a thread of this process."""

    def run(self, announce: Callable[[], None]) -> None:
        """Answer questions forever. `announce` is called as soon as the library is compiled.

        Raises `OSError` if the files cannot be watched, or if one of the other processes was killed.
        """
        try:
            self._receive_change()  # The first set is empty, and shows that all files are being watched.
            self._compile(frozenset())
            announce()
            while True:
                self._turn()
        except EOFError as failure:
            raise OSError(KILLED) from failure
        finally:
            self._stop()

    def _turn(self) -> None:
        sources: list[Any] = [self._requests, self._changes]
        tasks: list[BackgroundTask[Any]] = [heavy.task for heavy in self._heavy]
        tasks += [self._check] if self._check else []
        sources += [task.connection for task in tasks if task.connection is not None]
        ready = wait(sources, self._timeout())
        if time() >= self.library.update.until:
            self._compile(frozenset())
            return
        if self._changes in ready:  # A save has priority over everything else.
            self._compile(self._receive_change())
            return
        while self._requests.poll():
            self._add(self._requests.recv())
        for heavy in [heavy for heavy in self._heavy if heavy.task.is_done]:
            self._heavy.remove(heavy)
            self._answer(heavy.question, heavy.task.result())
        if self._questions:
            question = self._questions.popleft()
            self._answer(question, self.answered(question))
        elif self._waiting and len(self._heavy) < MAX_HEAVY:
            question = self._waiting.popleft()
            task = BackgroundTask(lambda: self.answered(question))
            task.start()
            self._heavy.append(_Heavy(question, task))
        elif self._check is not None and self._check.is_done:
            result, self._check = self._check.result(), None
            self._check_delay = max(CHECK_DELAY, CHECK_PAUSE * (monotonic() - self._check_start))
            self._console.print_check(self.library.adopt_check(result))
            self._publish()
            release_memory()  # At this point, this does not delay anything.
        elif self._check is None and self._check_time is not None and monotonic() >= self._check_time:
            self._check_time, self._check_start = None, monotonic()
            self._check = BackgroundTask(self.library.check)
            self._check.start()

    def _timeout(self) -> float | None:
        """Seconds until the next scheduled work; `None` if nothing is scheduled."""
        if self._questions or (self._waiting and len(self._heavy) < MAX_HEAVY):
            return 0
        if any(task.connection is None for task in (*(heavy.task for heavy in self._heavy), self._check) if task):
            return 0  # Such a task only runs when its result is requested.
        waits = [self.library.update.until - time()]
        if self._check_time is not None and not self._check:
            waits.append(self._check_time - monotonic())
        return min(max(0.0, min(waits)), MAX_WAIT) if min(waits) < inf else None

    # --- saves

    def _receive_change(self) -> frozenset[Path]:
        """The files that changed since the last call. Waits for one. Raises `OSError` if files cannot be watched."""
        files: set[Path] = set()
        while not files or self._changes.poll():
            change = self._changes.recv()
            if isinstance(change, OSError):
                raise change
            files |= change
            if not change:
                break
        return frozenset(files)

    def _compile(self, files: frozenset[Path]) -> None:
        if self.library.has_snapshot:  # Without a snapshot, the check provides the entities to compare with.
            self._stop_check()
        update = self.library.compile(files)
        self._publish()
        self._console.print_update(files, update)
        self._check_time = monotonic() + (self._check_delay if files else 0)

    def _publish(self) -> None:
        self._send(UPDATE, None)

    def _send(self, number: int, answer: Answered | None) -> None:
        try:
            self._requests.send((number, answer))
        except BrokenPipeError as failure:  # The pipe to the server is broken, not standard output.
            raise OSError(KILLED) from failure

    def _stop_check(self) -> None:
        if self._check is not None:
            self._check.stop()
            self._check = None

    def _stop(self) -> None:
        self._stop_check()
        for heavy in self._heavy:
            heavy.task.stop()

    # --- questions

    def _add(self, question: Question) -> None:
        match question:
            case Question("drop", number=number):
                self._questions = deque(other for other in self._questions if other.number != number)
                self._waiting = deque(other for other in self._waiting if other.number != number)
                for heavy in [heavy for heavy in self._heavy if heavy.question.number == number]:
                    heavy.task.stop()
                    self._heavy.remove(heavy)
            case _ if is_heavy(question.path):
                self._waiting.append(question)
            case _:
                self._questions.append(question)

    def _answer(self, question: Question, answer: Answered) -> None:
        self._send(question.number, answer)

    def answered(self, question: Question) -> Answered:
        """The answer to a question, made in this process."""
        version = self.library.version(question.version)
        number = version.number if version else 0
        try:
            with author_template_errors(), watched():
                if question.kind == "state":
                    return Answered(number, self._state(question))
                return Answered(number, self.library.answer(question.path, question.version)())
        except (UsageError, OSError) as failure:
            return Answered(number, Problem(str(failure)))
        except Exception as failure:  # A bug in this program must not end the server.
            return Answered(number, Problem(f"internal error in kismet, please report it: {failure!r}"))

    def _state(self, question: Question) -> dict[str, Any]:
        contents = {path: self.library.answer(path)() for path in (question.path, *question.assets)}
        digests = {path: page_digest(content) for path, content in contents.items() if isinstance(content, bytes)}
        page = digests.get(question.path)
        return {
            "page": page,
            "assets": {path: digests[path] for path in question.assets if path in digests},
            **page_panel(self.library.update, self._maps(), question.path, self._editor),
        }

    def _maps(self) -> dict[str, SourceMap]:
        newest = self.library.newest
        if newest is not self._mapped:
            packs = newest.packs if newest else {}
            self._source_maps = {game: source_map(pack) for game, pack in packs.items() if not pack.game.is_manual}
            self._mapped = newest
        return self._source_maps

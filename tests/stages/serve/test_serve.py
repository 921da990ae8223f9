"""`kismet serve`: HTTP responses, live reload events, rebuilds, file watching and terminal output."""

import gc
import json
import re
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from ctypes import CDLL
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse
from math import inf
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from kismet_build.cli.arguments import EDITORS as NAMES
from kismet_build.config.game import Game
from kismet_build.config.kind import Kind
from kismet_build.config.library import LibraryConfig
from kismet_build.driver.library import build_games
from kismet_build.model import text_cache
from kismet_build.pack import Pack
from kismet_build.serve import served_library
from kismet_build.serve.console import MAX_WARNINGS, Console
from kismet_build.serve.http_server import Server, is_allowed_host, open_server
from kismet_build.serve.memory import release_memory
from kismet_build.serve.served_library import CheckResult, ServedLibrary, Update, Version
from kismet_build.serve.session import MAX_KEPT, MAX_KEPT_SIZE, LiveReload, Problem, Session
from kismet_build.serve.source_links import EDITORS, NONE, editor_of
from kismet_build.serve.urls import Redirect
from kismet_build.serve.watcher import Watcher, changed_names
from tests.command import kismet, kismet_process, write_files
from tests.serve_process import TIMEOUT, ServeProcess, start_server
from tests.small_library import GAME, KIND, TEXT, write_library

BROKEN = TEXT.replace("**Cost:** 2", "**Cost:** many")
EVENT = tuple[str, dict[str, Any]]

# --- HTTP responses


FILES: dict[str, bytes | Redirect | Problem] = {
    "": b"<head></head>All",
    "game/": b"<head></head>Game",
    "game": Redirect("/game/"),
    "game/a b.txt": b"text",
    "old.html": b'<head><meta http-equiv="refresh" content="0; url=./"></head>',
    "broken/": Problem("its template is wrong"),
}
"""What a library answers, by path."""


class FixedSession(Session):
    """A session that always gives the same answers."""

    def __init__(self, files: Mapping[str, bytes | Redirect | Problem] = FILES) -> None:
        super().__init__(ServedLibrary(Path(), None, Path()), Console(lambda *_: None), None)
        self.library.newest = Version({}, LibraryConfig()) if files else None
        self.files = files

    def content(self, path: str) -> bytes | Redirect | Problem | None:
        return self.files.get(path)


@contextmanager
def running_server(session: Session) -> Iterator[Server]:
    with open_server("127.0.0.1", 0, session) as opened:
        opened.start()
        try:
            yield opened
        finally:
            session.live.close()


@pytest.fixture
def server() -> Iterator[Server]:
    with running_server(FixedSession()) as opened:
        yield opened


@contextmanager
def http_response(server: Server, target: str, method: str = "GET", host: str = "127.0.0.1") -> Iterator[HTTPResponse]:
    """The response to a request whose target is sent without normalization."""
    connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=TIMEOUT)
    connection.putrequest(method, target, skip_host=True)
    connection.putheader("Host", host)
    connection.endheaders()
    try:
        yield connection.getresponse()
    finally:
        connection.close()


def status(server: Server, target: str, method: str = "GET", host: str = "127.0.0.1") -> int:
    with http_response(server, target, method, host) as answer:
        return answer.status


def test_served_page_has_live_reload_script(server: Server) -> None:
    with http_response(server, "/game/") as answer:
        page = answer.read().decode()
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert answer.headers["Cache-Control"] == "no-store"
    assert page.startswith('<head><script src="/_kismet/live.js" data-build=')
    assert page.endswith("</script>\n</head>Game")


def test_redirect_page_gets_no_live_reload_script(server: Server) -> None:
    with http_response(server, "/old.html") as answer:
        assert b"script" not in answer.read()


@pytest.mark.parametrize(
    ("target", "kind"), [("/game/a%20b.txt", "text/plain; charset=utf-8"), ("/?x=/../", "text/html")]
)
def test_url_is_decoded_and_response_has_content_type(server: Server, target: str, kind: str) -> None:
    with http_response(server, target) as answer:
        assert answer.status == 200
        assert answer.headers["Content-Type"].startswith(kind)


@pytest.mark.parametrize(
    "target",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/game/..%2f..%2fsecret.txt",
        "/game/%2e%2e/index.html",
        "/..%5csecret.txt",
        "/%00",
        "/%ff",
        "/index.html/",
        "/" + "a" * 5000,
        "secret.txt",
        "http://127.0.0.1/index.html",
    ],
)
def test_path_of_no_file_is_not_found(server: Server, target: str) -> None:
    with http_response(server, target) as answer:
        assert answer.status == 404
        assert b"There is no such page" in answer.read()


def test_folder_without_trailing_slash_is_redirected(server: Server) -> None:
    with http_response(server, "/game") as answer:
        assert (answer.status, answer.headers["Location"]) == (302, "/game/")


def test_only_get_and_head_methods_are_allowed(server: Server) -> None:
    assert [status(server, "/", method) for method in ("POST", "PUT", "DELETE", "OPTIONS", "PROPFIND")] == [405] * 5


def test_head_response_has_content_length_of_get_and_no_body(server: Server) -> None:
    with http_response(server, "/game/") as get, http_response(server, "/game/", "HEAD") as head:
        assert head.headers["Content-Length"] == get.headers["Content-Length"] == str(len(get.read()))
        assert head.read() == b""


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "10.0.0.1"])
def test_request_with_foreign_host_header_is_forbidden(server: Server, host: str) -> None:
    with http_response(server, "/", host=host) as answer:
        assert answer.status == 403
        assert b"names of this machine" in answer.read()


def test_allowed_host_headers() -> None:
    assert all(
        is_allowed_host([name], "127.0.0.1")
        for name in ("localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]", "[::1]:80")
    )
    assert is_allowed_host(["table.local:8000"], "table.local")
    assert not is_allowed_host(["localhost", "evil.example"], "127.0.0.1")
    assert not is_allowed_host([], "127.0.0.1")
    # A server on all interfaces accepts any IP address as host, but no names, since anyone can register a name.
    assert is_allowed_host(["192.168.1.7:8000"], "0.0.0.0")
    assert not is_allowed_host(["evil.example"], "0.0.0.0")


def test_served_service_worker_unregisters_itself(server: Server) -> None:
    with http_response(server, "/sw.js") as answer:
        assert b"registration.unregister()" in answer.read()


def test_unpublished_library_gets_status_503_with_a_message() -> None:
    with running_server(FixedSession({})) as server:
        with http_response(server, "/") as answer:
            assert answer.status == 503
            assert b"Nothing in this library can be published yet" in answer.read()
        assert status(server, "/_kismet/site.css") == 200
        assert status(server, "/_kismet/fonts/text.woff2") == 200


def test_page_that_cannot_be_made_says_why(server: Server) -> None:
    with http_response(server, "/broken/") as answer:
        assert answer.status == 500
        assert b"its template is wrong" in answer.read()


# --- events for open pages


def read_event(answer: HTTPResponse) -> EVENT:
    """The next event of a stream, without comments."""
    name, data = "", ""
    while True:
        line = answer.readline().decode().rstrip("\n")
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            data = line.removeprefix("data: ")
        elif not line and name:
            return name, json.loads(data)


def test_every_event_stream_receives_every_update() -> None:
    session = FixedSession()
    with (
        running_server(session) as server,
        http_response(server, "/_kismet/events") as stream,
        http_response(server, "/_kismet/events") as other,
    ):
        first = read_event(stream)
        assert first == read_event(other)
        assert first[0] == "state"
        session.live.publish()
        name, data = read_event(stream)
        assert (name, data) == read_event(other)
        assert name == "update"
        assert data["build"] != first[1]["build"]


def test_connections_of_many_clients_wait_until_they_are_accepted() -> None:
    server = open_server("127.0.0.1", 0, FixedSession())
    try:
        with ExitStack() as stack:
            for _ in range(100):  # a full queue would make the client wait
                stack.enter_context(socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=0.5))
    finally:
        server.server_close()


def test_number_of_open_connections_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kismet_build.serve.http_server.MAX_CONNECTIONS", 2)
    session = FixedSession()
    with (
        running_server(session) as server,
        http_response(server, "/_kismet/events") as stream,
        http_response(server, "/_kismet/events") as other,
    ):
        assert (read_event(stream)[0], read_event(other)[0]) == ("state", "state")
        with socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=TIMEOUT) as third:
            assert third.recv(1) == b"", "it is closed"
        session.live.close()
        assert stream.read().strip() == other.read().strip() == b""
        assert eventually(lambda: status(server, "/") == 200)


def eventually(is_true: Callable[[], bool]) -> bool:
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        with suppress(OSError, HTTPException):
            if is_true():
                return True
        time.sleep(0.01)
    return False


def test_each_server_run_has_its_own_build_id() -> None:
    assert LiveReload().build(1) != LiveReload().build(1)


@pytest.fixture
def court(tmp_path: Path) -> Path:
    return write_library(tmp_path / "court")


@contextmanager
def turning(session: Session) -> Iterator[None]:
    """Let another thread be the main thread of a session, which answers requests."""
    has_ended = Event()

    def turn() -> None:
        while not has_ended.is_set():
            session._turn()

    thread = Thread(target=turn)
    thread.start()
    try:
        yield
    finally:
        has_ended.set()
        session._has_work.set()
        thread.join()


class Served:
    def __init__(self, texts: Path, folder: Path, *, keep_going: bool = False) -> None:
        folder.mkdir()
        self.library = ServedLibrary(texts, None, folder, keep_going=keep_going)
        self.session = Session(self.library, Console(lambda *_: None), None)

    def compile(self, *files: Path) -> Update:
        update = self.library.compile([file.resolve() for file in files])
        self.session._publish()
        return update

    def check(self) -> Update:
        return self.library.adopt_check(self.library.check())

    def page(self, path: str) -> str:
        content = self.library.answer(path)()
        return content.decode() if isinstance(content, bytes) else ""

    def state(self, path: str, *assets: str) -> dict[str, Any]:
        with turning(self.session):
            return self.session.state(path, assets)

    def problems(self, path: str) -> dict[str, Any]:
        state = self.state(path)
        problems = [(problem["severity"], problem["place"], problem["href"]) for problem in state["problems"]]
        return {"problems": problems, "notices": state["notices"], "elsewhere": state["elsewhere"]}


@pytest.fixture
def served(court: Path, tmp_path: Path) -> Served:
    served = Served(court, tmp_path / "served")
    served.compile()
    return served


def test_saves_leave_few_versions_in_memory(tmp_path: Path) -> None:
    texts = write_library(tmp_path / "texts")
    served = Served(texts, tmp_path / "served")
    counts = []
    for number in range(9):
        text = (texts / "1 Court.md").resolve()
        text.write_text(f"{TEXT}\n{number} more guests.\n", encoding="utf-8")
        (texts / "game.yaml").write_text(f"{GAME}description: Of {number} guests.\n", encoding="utf-8")
        (texts / "kinds" / "grace.yaml").write_text(KIND.replace("Grace", f"Grace {number}"), encoding="utf-8")
        served.compile()
        text.write_text(f"{TEXT}\n{number} more chairs.\n", encoding="utf-8")
        served.compile(text)
        assert f"{number} more chairs" in served.page("ember-court/court/")
        gc.unfreeze()
        gc.collect()
        counts.append(Counter(type(known) for known in gc.get_objects() if type(known) in (Game, Kind, Pack)))
    assert not counts[-1] - counts[4]  # of which other tests may hold some


def test_caches_of_texts_are_empty_after_a_check(served: Served) -> None:
    served.page("ember-court/court/")
    assert any(cache.cache_info().currsize for cache in text_cache._caches)
    release_memory()
    assert not any(cache.cache_info().currsize for cache in text_cache._caches)


@pytest.mark.skipif(not hasattr(CDLL(None), "malloc_trim"), reason="another library than glibc")
def test_freed_memory_is_returned_to_the_system() -> None:
    blocks = [bytes([1]) * 4_000 for _ in range(20_000)]
    kept = blocks[::50]  # so that `free` returns nothing
    del blocks
    before = memory()
    release_memory()
    assert memory() < before - 50
    assert len(kept) == 400


def memory() -> float:
    """Megabytes that this process has filled."""
    text = Path("/proc/self/smaps_rollup").read_text(encoding="utf-8")
    found = re.search(r"^Anonymous: +(\d+)", text, re.MULTILINE)
    assert found
    return int(found[1]) / 1024


def test_manual_is_compiled_with_the_library(tmp_path: Path) -> None:
    texts = write_library(tmp_path / "texts")
    write_files(texts, {"library.yaml": "manual: handbook\n", "handbook/index.md": "# Guide\n\nRoll.\n"})
    served = Served(texts, tmp_path / "served")
    served.compile()
    assert "Roll." in served.page("handbook/")
    (texts / "handbook" / "index.md").write_text("# Guide\n\nRoll twice.\n", encoding="utf-8")
    served.compile(texts / "handbook" / "index.md")
    assert "Roll twice." in served.page("handbook/")


def test_diagnostics_are_shown_on_the_pages_of_their_text(court: Path, served: Served) -> None:
    write_library(court, text=TEXT.replace("Two people", "[[Nowhere]]: two people"))
    served.compile(court / "1 Court.md")
    problem = ("warning", "1 Court.md:15:1", "/ember-court/court/#whisper")
    for page in ("ember-court/court/", "ember-court/court/index.html", "ember-court/grace/whisper/"):
        assert served.problems(page) == {"problems": [problem], "notices": [], "elsewhere": ""}
    for page in ("ember-court/grace/bow/", "ember-court/"):
        assert served.problems(page) == {"problems": [], "notices": [], "elsewhere": "1 problem elsewhere in this game"}


def test_game_with_errors_keeps_its_last_good_pages(court: Path, served: Served) -> None:
    good = served.page("ember-court/court/")
    write_library(court, text=BROKEN)
    update = served.compile(court / "1 Court.md")
    assert update.unpublished == {"ember-court": "it has 1 error"}
    assert [diagnostic.code for diagnostic in update.diagnostics_by_game["ember-court"]] == ["unreadable-field"]
    assert served.page("ember-court/court/") == good
    wrong = {
        "problems": [("error", "1 Court.md:11:1", "/ember-court/court/#bow")],
        "notices": ["Ember Court is not published: it has 1 error. Its last good pages stay."],
        "elsewhere": "",
    }
    for page in ("", "ember-court/", "ember-court/grace/whisper/"):
        assert served.problems(page) == wrong
    write_library(court, text=TEXT.replace("forgives", "forgets"))
    served.compile(court / "1 Court.md")
    assert "forgets" in served.page("ember-court/court/")
    assert served.problems("ember-court/") == {"problems": [], "notices": [], "elsewhere": ""}


def test_pages_with_a_text_that_is_private_now_do_not_stay(court: Path, served: Served) -> None:
    (court / "2 Yard.md").write_text("# Yard\n\nA well.\n", encoding="utf-8")
    served.compile()
    assert "A well." in served.page("ember-court/yard/")
    (court / "2 Yard.md").write_text("---\npublish: false\n---\n# Yard\n\nA well.\n", encoding="utf-8")
    write_library(court, text=BROKEN)
    served.compile(court / "2 Yard.md", court / "1 Court.md")
    assert served.page("ember-court/yard/") == ""


def test_library_that_cannot_be_loaded_keeps_its_published_pages(court: Path, served: Served) -> None:
    good = served.page("ember-court/grace/bow/")
    write_library(court, game=GAME + "colour: red\n")
    assert served.compile(court / "game.yaml").problem.endswith("game.yaml cannot be used")
    assert served.problems("ember-court/grace/bow/")["problems"] == [("error", f"{court}/game.yaml:8:1", "")]
    assert served.page("ember-court/grace/bow/") == good
    write_library(court)
    assert served.compile(court / "game.yaml").problem == ""


def test_invalid_game_does_not_affect_pages_of_other_games(tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    write_library(texts / "ember")
    write_library(texts / "ash", game=GAME.replace("ember-court", "ash-court").replace("Ember", "Ash"))
    served = Served(texts, tmp_path / "served")
    served.compile()
    (texts / "ash" / "kinds" / "grace.yaml").write_text(KIND + "x-nothing: 1\n", encoding="utf-8")
    update = served.compile(texts / "ash" / "kinds" / "grace.yaml")
    assert [*update.unpublished] == ["ash-court"]
    assert served.problems("ember-court/grace/bow/")["notices"] == []
    assert len(served.problems("ash-court/grace/bow/")["problems"]) == 1
    assert len(served.problems("")["problems"]) == 1
    assert served.page("ash-court/grace/bow/")


def test_entries_that_changed_since_the_server_was_started_are_shown(court: Path, served: Served) -> None:
    assert served.check().changes == {}
    for text, lines, summary in (
        (TEXT.replace("### Bow", "#### Bow"), ["grace: 1 fewer: Bow"], "1 fewer"),
        (TEXT.replace("You bend", "You nod"), ["grace: 1 changed"], "1 changed"),
        (TEXT, [], ""),
        (f"---\npublish: false\n---\n{TEXT}", [], ""),
    ):
        write_library(court, text=text)
        served.compile(court / "1 Court.md")
        update = served.check()
        for page in ("ember-court/court/", ""):
            state = served.state(page)
            assert (state["changes"], state["changed"], state["hasVanished"]) == (lines, summary, "fewer" in summary)
    assert update.private == ("Ember Court: 1 private text left out (1 by properties)",)


def test_entries_are_compared_with_the_last_build(court: Path, tmp_path: Path) -> None:
    assert kismet("build", court, "--out", tmp_path / "out").status == 0
    write_library(court, text=TEXT.replace("### Bow", "#### Bow"))
    served = Served(court, tmp_path / "served")
    served.compile()
    (change,) = served.check().changes["ember-court"]
    assert str(change) == "grace: 1 fewer: Bow"


def test_game_with_errors_is_served_in_part_with_keep_going(court: Path, tmp_path: Path) -> None:
    write_library(court, text=BROKEN)
    served = Served(court, tmp_path / "served", keep_going=True)
    assert served.compile().unpublished == {}
    notice = "Ember Court is published without grace: Bow."
    state = served.state("ember-court/grace/whisper/")
    assert (state["notices"], state["noticeTitle"]) == ([notice], "Published in part")


def test_state_has_the_digests_of_the_page_and_of_its_files(court: Path, served: Served) -> None:
    page, assets = "ember-court/grace/bow/", ("assets/site.css", "assets/page.js", "assets/none.js")
    before = served.state(page, *assets)
    assert [*before["assets"]] == ["assets/site.css", "assets/page.js"]
    write_library(court, text=TEXT.replace("forgives", "forgets"))
    served.compile(court / "1 Court.md")
    assert served.state(page)["page"] != before["page"]
    write_library(court, game=GAME + "second_accent: {light: '#7A1230', dark: '#FFB3C7'}\n")
    served.compile(court / "game.yaml")
    after = served.state(page, *assets)
    assert after["page"] == before["page"]
    assert [path for path in after["assets"] if after["assets"][path] != before["assets"][path]] == ["assets/site.css"]
    write_library(court, text=TEXT.replace("### Bow", "### Nod"))
    served.compile(court / "1 Court.md")
    assert served.state(page)["page"] is None


@pytest.mark.parametrize("name", ["sed12345", "gone.md"])
def test_temporary_file_of_an_editor_is_ignored(court: Path, served: Served, name: str) -> None:
    write_library(court, text=TEXT.replace("forgives", "forgets"))
    before = served.library._library
    served.compile(court / "1 Court.md", court / name)
    assert "forgets" in served.page("ember-court/court/")
    assert served.library._library is before, "the library is not loaded again"


def test_error_in_a_template_keeps_the_pages(court: Path, served: Served) -> None:
    good = served.page("ember-court/court/")
    write_files(court, {"library.yaml": "site: look\n", "look/templates/footer.html": "{{ nothing.here }}"})
    assert "nothing" in served.compile(court / "library.yaml").problem
    assert served.page("ember-court/court/") == good


def test_editor_urls_and_choice_of_the_editor(tmp_path: Path) -> None:
    assert sorted([*EDITORS, NONE]) == list(NAMES)
    file = tmp_path / "1 Court.md"
    assert EDITORS["vscode"].url(file, 3, 7) == f"vscode://file{tmp_path.as_posix()}/1%20Court.md:3:7"
    assert editor_of("", tmp_path) is None
    (tmp_path / ".obsidian").mkdir()
    assert editor_of("", tmp_path) is EDITORS["obsidian"]
    assert editor_of("none", tmp_path) is None


def test_texts_appear_and_vanish_at_their_times(tmp_path: Path) -> None:
    soon = datetime.fromtimestamp(time.time() + 3, UTC).isoformat()
    files = {"Home.md": "Welcome", "Oil.md": f"---\npublish: {soon}\n---\nIt burns."}
    served = Served(write_files(tmp_path / "lamps", files), tmp_path / "served")
    served.session._compile(frozenset())
    assert "It burns" not in served.page("lamps/oil/")
    while "It burns" not in served.page("lamps/oil/"):
        assert time.time() < served.library.update.until + 60
        served.session._turn()
    assert served.library.update.until == inf
    served.session._stop()


# --- the loop


COURT = "ember-court/court/"
HEAVY_FILE = "data/ember-court/pack.json"


def test_page_is_made_once_between_updates(court: Path, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    find = Version.find

    def find_and_note(version: Version, path: str) -> Any:
        made.append(path)
        return find(version, path)

    monkeypatch.setattr(Version, "find", find_and_note)
    with turning(served.session):
        for words in ("forgives", "forgets"):
            write_library(court, text=TEXT.replace("forgives", words))
            build = served.session.build
            served.session._put(served.session._changes, frozenset([(court / "1 Court.md").resolve()]))
            while served.session.build == build:
                time.sleep(0.01)
            served.session.state(COURT, ())
            page = served.session.content(COURT)
            assert isinstance(page, bytes)
            assert words in page.decode()
    assert made == [f"{COURT}index.html"] * 2


def test_few_answers_are_kept(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    large = bytes(MAX_KEPT_SIZE + 1)
    monkeypatch.setattr(Version, "answer", lambda _, path: lambda: large if path == "large" else path.encode())
    with turning(served.session):
        for number in range(MAX_KEPT + 1):
            served.session.content(f"{number}/")
        assert [*served.session._answers] == [f"{MAX_KEPT}/"]
        for path in ("large", "small"):
            served.session.content(path)
        assert [*served.session._answers] == ["small"]


def test_heavy_file_is_made_once_while_pages_are_answered(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    started, go = [], Event()

    def make(version: Version, path: str) -> Any:
        started.append(path)
        go.wait(TIMEOUT)
        return version.answer(path)()

    monkeypatch.setattr(Version, "make_apart", make)
    with turning(served.session), running_server(served.session) as server, ExitStack() as stack:
        connections = [HTTPConnection("127.0.0.1", server.server_address[1], timeout=TIMEOUT) for _ in range(20)]
        for connection in connections:
            stack.callback(connection.close)
            connection.request("GET", f"/{HEAVY_FILE}")
        assert eventually(lambda: started == [HEAVY_FILE])
        assert status(server, f"/{COURT}") == 200
        go.set()
        assert {connection.getresponse().status for connection in connections} == {200}
    assert started == [HEAVY_FILE]


def test_heavy_file_is_made_from_copies(served: Served) -> None:
    assert served.library.newest
    packs = served.library.newest.packs
    before = {game: set(vars(pack)) for game, pack in packs.items()}
    with turning(served.session):
        content = served.session.content(HEAVY_FILE)
    assert {game: set(vars(pack)) for game, pack in packs.items()} == before
    assert content == served.library.answer(HEAVY_FILE)()


@pytest.mark.parametrize("failure", [OSError("the disk is gone"), ZeroDivisionError("a bug")])
@pytest.mark.parametrize("path", [COURT, HEAVY_FILE])
def test_answer_that_fails_does_not_end_the_server(
    served: Served, monkeypatch: pytest.MonkeyPatch, failure: Exception, path: str
) -> None:
    def fail(*_: object) -> bytes:
        raise failure

    with monkeypatch.context() as patches, turning(served.session):
        patches.setattr(Version, "find", fail)
        content = served.session.content(path)
        assert isinstance(content, Problem)
        assert str(failure) in content.message
        assert [*served.session.state(path, ())] == ["build"]
    served.session._publish()
    with turning(served.session):
        assert isinstance(served.session.content(path), bytes)


def test_save_ends_a_check(court: Path, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    served.check()
    assert served.library.has_snapshot
    progress_calls: list[float] = []

    def check_without_end(progress: Callable[..., None]) -> CheckResult:
        while True:
            progress("checking", len(progress_calls), 0)
            progress_calls.append(time.monotonic())
            time.sleep(0.01)

    monkeypatch.setattr(served.library, "check", check_without_end)
    served.session._check_time = 0
    with turning(served.session):
        assert eventually(lambda: progress_calls != [])
        write_library(court, text=TEXT.replace("forgives", "forgets"))
        served.session._put(served.session._changes, frozenset([(court / "1 Court.md").resolve()]))
        assert eventually(lambda: served.session._check is None)
        answer = served.session.content(COURT)
    assert isinstance(answer, bytes)
    assert b"forgets" in answer
    assert served.session._check_time is not None, "another check is due"


def test_search_index_with_a_text_that_is_private_now_is_not_served(court: Path, served: Served) -> None:
    served.check()
    index = served.library.tree / "assets" / "pagefind" / "words"
    index.parent.mkdir(parents=True, exist_ok=True)
    index.write_bytes(b"bow")
    assert served.library.answer("assets/pagefind/words")() == b"bow"
    write_library(court, text=f"---\npublish: false\n---\n{TEXT}")
    served.compile(court / "1 Court.md")
    assert served.library.answer("assets/pagefind/words")() is None
    served.check()
    assert served.library.answer("assets/pagefind/words")() != b"bow"


def test_search_index_of_a_check_without_a_result_is_not_served_with_a_private_text(
    court: Path, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(*arguments: Any) -> Any:
        build_games(*arguments)
        write_files(served.library.tree, {"assets/pagefind/words": "bow"})
        raise InterruptedError

    with monkeypatch.context() as patches:
        patches.setattr(served_library, "build_games", build)
        served.library.check()
    write_library(court, text=f"---\npublish: false\n---\n{TEXT}")
    served.compile(court / "1 Court.md")
    assert served.library.answer("assets/pagefind/words")() is None


# --- file watcher


def until(changes: Iterator[frozenset[Path]], name: str) -> set[str]:
    """All changed names up to this one: a save may be reported in parts."""
    seen: set[str] = set()
    while name not in seen:
        seen |= {*changed_names(next(changes))}
    return seen


def test_watcher_reports_library_files_only(court: Path) -> None:
    watcher = Watcher(court, None, court / "public")
    changes = watcher.changes()
    assert next(changes) == frozenset()
    for name in (".obsidian/workspace.json", "public/index.html", "1 Court.md~", ".1 Court.md.swp", "4913", "a.tmp"):
        (court / name).parent.mkdir(exist_ok=True)
        (court / name).write_text("not of the library")
    (court / "2 Yard.md").write_text("# Yard\n")
    assert until(changes, "2 Yard.md") == {"2 Yard.md"}
    (court / "kinds" / "grace.yaml").write_text(KIND)
    assert until(changes, "grace.yaml") <= {"grace.yaml", "2 Yard.md"}
    changes.close()


def test_watcher_reports_a_save_made_between_two_reads(court: Path) -> None:
    changes = Watcher(court, None, court / "public").changes()
    assert next(changes) == frozenset()
    (court / "1 Court.md").write_text(BROKEN)  # as while a build runs
    until(changes, "1 Court.md")
    changes.close()


def test_watcher_reports_settings_of_a_vault_above(court: Path) -> None:
    settings = court.parent / ".obsidian"
    settings.mkdir()
    changes = Watcher(court, None, court / "public").changes()
    assert next(changes) == frozenset()
    for name in ("workspace.json", "templates.json", "app.json"):
        (settings / name).write_text("{}")
    assert until(changes, "app.json") <= {"templates.json", "app.json"}
    (court / "library.yaml").write_text("title: All\n")
    assert "workspace.json" not in until(changes, "library.yaml")
    changes.close()


def test_watcher_reports_the_project_file_above_the_texts(tmp_path: Path) -> None:
    site = write_files(tmp_path / "caravans", {"mkdocs.yml": "docs_dir: texts\n", "texts/index.md": "# Caravans\n"})
    changes = Watcher(site / "texts", None, tmp_path / "tree").changes()
    assert next(changes) == frozenset()
    (site / "mkdocs.yml").write_text("docs_dir: texts\nsite_name: Salt Road\n")
    until(changes, "mkdocs.yml")
    changes.close()


def test_watcher_reports_settings_of_the_library_above(court: Path) -> None:
    (court.parent / ".git").mkdir()
    changes = Watcher(court, None, court / "public").changes()
    assert next(changes) == frozenset()
    (court.parent / "library.yaml").write_text("exclude: [court/Plan.md]\n")
    until(changes, "library.yaml")
    changes.close()


def test_watcher_follows_a_kinds_folder_outside_the_library(court: Path, tmp_path: Path) -> None:
    game = tmp_path / "games" / "ember" / "game.yaml"
    game.parent.mkdir(parents=True)
    game.write_text(GAME.replace("kinds: kinds", "kinds: ../kinds # of all"))
    (game.parent.parent / "kinds").mkdir()
    changes = Watcher(court, game, tmp_path / "tree").changes()
    assert next(changes) == frozenset()
    (game.parent.parent / "kinds" / "grace.yaml").write_text(KIND)
    until(changes, "grace.yaml")
    changes.close()


def test_watcher_follows_a_replaced_library_folder(court: Path) -> None:
    changes = Watcher(court, None, court / "public").changes()
    assert next(changes) == frozenset()
    court.rename(court.with_name("old"))
    write_library(court, text=BROKEN)
    next(changes)
    (court / "2 Yard.md").write_text("# Yard\n")
    until(changes, "2 Yard.md")
    changes.close()


# --- the command


def test_advice_is_in_the_corner_of_home_pages_and_once_on_the_terminal(court: Path, tmp_path: Path) -> None:
    with (court / "game.yaml").open("a", encoding="utf-8") as file:
        file.write("description: Bows and whispers.\n")
    served = Served(court, tmp_path / "served")
    assert served.compile().advice == served.state("ember-court/")["advice"] == ""
    write_library(court)
    advice = served.compile(court / "game.yaml").advice
    assert 'set "description" in game.yaml' in advice
    pages = ("", "ember-court/", "ember-court/index.html", "ember-court/court/", "ember-court/grace/bow/index.html")
    assert [served.state(page)["advice"] for page in pages] == [advice] * 3 + [""] * 2
    with start_server(court) as server:
        (court / "1 Court.md").write_text(TEXT.replace("forgives", "forgets"), encoding="utf-8")
        until_good(server)
        assert server.output_lines.count(advice) == 1


def test_terminal_reports_the_result_of_every_save(court: Path) -> None:
    with start_server(court) as server:
        assert server.address.startswith("http://127.0.0.1:")
        text = court / "1 Court.md"
        text.write_text(BROKEN, encoding="utf-8")
        server.until("1 error, 0 warnings")
        assert '"cost" is "many", but must be a whole number' in server.text
        assert '"ember-court" is not published: it has 1 error' in server.text
        text.write_text("A line above.\n\n" + BROKEN, encoding="utf-8")
        server.built()
        text.write_text(TEXT.replace("forgives", "forgets"), encoding="utf-8")
        until_good(server)
        assert server.text.count("but must be a whole number") == 1, (
            "an error is printed once, even when its line changes"
        )
        assert " 1 Court.md: " in server.output_lines[-1]
        server.until("^since the last build: grace: 1 changed$")
        text.write_text(f"---\npublish: false\n---\n{TEXT}", encoding="utf-8")
        server.until(r"1 private text left out \(1 by properties\)")


def test_terminal_prints_each_new_warning_once(court: Path) -> None:
    links = " ".join(f"[[Nowhere {number}]]" for number in range(8))
    write_library(court, text=f"{TEXT}\n{links}\n")
    with start_server(court) as server:
        warnings = [line for line in server.output_lines if line.startswith("warning")]
        assert len(warnings) == MAX_WARNINGS
        place = f"{court}/1 Court.md:19:1"
        assert warnings[0] == f'warning[unresolved-link]: nothing is named "Nowhere 0" --> {place}'
        assert "and 3 more: see the pages, or run kismet check" in server.output_lines
        (court / "2 \x1b[31mYard.md").write_text("# Yard\n\n[[Gone]]", encoding="utf-8")
        server.until('^warning.*nothing is named "Gone"')
        server.built()
        assert server.text.count("Nowhere 0") == 1
        assert "\x1b" not in server.text


def until_good(server: ServeProcess) -> None:
    while "0 errors" not in server.built():
        pass


def test_invalid_game_file_can_be_fixed_while_serving(court: Path) -> None:
    write_library(court, game="id: [\n")
    with start_server(court) as server:
        assert "game.yaml cannot be used" in server.text
        write_library(court)
        until_good(server)


def test_ctrl_c_exits_with_status_0_and_removes_temporary_files(
    court: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    with start_server(court) as server:
        assert [*temporary.glob("kismet-*")] != []
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(TIMEOUT) == 0
    assert [*temporary.glob("kismet-*")] == []


def test_requested_port_in_use_is_an_error(court: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        run = kismet_process("serve", court, "--port", str(other.getsockname()[1]))
        assert run.status == 3
        assert "is in use; leave out --port to use a free one" in run.err


def test_invalid_serve_arguments_are_a_usage_error(court: Path, tmp_path: Path) -> None:
    assert kismet_process("serve", tmp_path / "none").status == 2
    assert kismet_process("serve", court / "game.yaml").status == 2

"""`kismet serve`: HTTP responses, live reload events, rebuilds, file watching and terminal output."""

import gc
import json
import re
import signal
import socket
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from ctypes import CDLL
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from kismet_build.build.build_cache import BuildRequest
from kismet_build.build.pipeline import build_library
from kismet_build.cli import EDITORS as NAMES
from kismet_build.config.game import Game
from kismet_build.config.kind import Kind
from kismet_build.model import text_cache
from kismet_build.pack import Pack
from kismet_build.serve.console import MAX_WARNINGS
from kismet_build.serve.editor_links import EDITORS, NONE, editor_of
from kismet_build.serve.http_server import Server, is_allowed_host, open_server
from kismet_build.serve.live_reload import LiveReload
from kismet_build.serve.memory import release_memory
from kismet_build.serve.rebuilder import Rebuilder, Update
from kismet_build.serve.server_process import serve_in_threads
from kismet_build.serve.watcher import Watcher, changed_names
from tests.command import ROOT, kismet, kismet_process, tree, write_files
from tests.serve_process import TIMEOUT, ServeProcess, start_server
from tests.small_library import GAME, KIND, TEXT, write_library

BROKEN = TEXT.replace("**Cost:** 2", "**Cost:** many")
EVENT = tuple[str, dict[str, Any]]

# --- HTTP responses


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tree with a file outside of it that must not be served."""
    (tmp_path / "secret.txt").write_text("secret")
    files = {"index.html": "<head></head>All", "game/index.html": "<head></head>Game", "game/a b.txt": "text"}
    for path, text in files.items():
        (tmp_path / "tree" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / path).write_text(text)
    (tmp_path / "tree" / "bare").mkdir()
    (tmp_path / "tree" / "old.html").write_text('<head><meta http-equiv="refresh" content="0; url=./"></head>')
    return tmp_path / "tree"


@contextmanager
def running_server(tree: Path, live: LiveReload) -> Iterator[Server]:
    opened = open_server("127.0.0.1", 0, tree, live)
    with serve_in_threads(opened, live):
        yield opened


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    with running_server(folder, LiveReload(folder, None)) as opened:
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


def test_served_page_has_live_reload_script_and_file_stays_unchanged(server: Server, folder: Path) -> None:
    with http_response(server, "/game/") as answer:
        page = answer.read().decode()
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert answer.headers["Cache-Control"] == "no-store"
    assert page.startswith('<head><script src="/_kismet/live.js" data-build=')
    assert page.endswith("</script>\n</head>Game")
    assert (folder / "game/index.html").read_text() == "<head></head>Game"


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
def test_path_outside_the_output_folder_is_not_found(server: Server, target: str) -> None:
    with http_response(server, target) as answer:
        assert answer.status == 404
        assert b"secret" not in answer.read()


def test_symlink_out_of_the_output_folder_is_not_followed(server: Server, folder: Path) -> None:
    (folder / "link.txt").symlink_to(folder.parent / "secret.txt")
    (folder / "up").symlink_to(folder.parent)
    (folder / "round").symlink_to(folder / "round")
    (folder / "inside.txt").symlink_to(folder / "game/a b.txt")
    assert [status(server, path) for path in ("/link.txt", "/up/secret.txt", "/up/", "/round")] == [404] * 4
    assert status(server, "/inside.txt") == 200


def test_folder_without_index_is_not_listed(server: Server) -> None:
    assert status(server, "/bare/") == 404
    assert status(server, "/bare") == 404


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


def test_unpublished_library_gets_status_503_with_a_message(tmp_path: Path) -> None:
    nowhere = tmp_path / "none"
    with running_server(nowhere, LiveReload(nowhere, None)) as server:
        with http_response(server, "/") as answer:
            assert answer.status == 503
            assert b"Nothing of this library is published yet" in answer.read()
        assert status(server, "/_kismet/site.css") == 200
        assert status(server, "/_kismet/fonts/text.woff2") == 200


def test_request_during_exchange_of_output_folders_succeeds(
    server: Server, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    aside = folder.with_name("aside")
    folder.rename(aside)
    # The new tree exists by the second attempt.
    monkeypatch.setattr("kismet_build.serve.http_server.time.sleep", lambda _: aside.rename(folder))
    assert status(server, "/game/") == 200


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


def test_every_event_stream_receives_every_update(folder: Path) -> None:
    live = LiveReload(folder, None)
    with (
        running_server(folder, live) as server,
        http_response(server, "/_kismet/events") as stream,
        http_response(server, "/_kismet/events") as other,
    ):
        first = read_event(stream)
        assert first == read_event(other)
        assert first[0] == "state"
        live.publish(Update(pages=("game/index.html",)), {})
        name, data = read_event(stream)
        assert (name, data) == read_event(other)
        assert name == "update"
        assert data["pages"] == ["game/index.html"]
        assert data["build"] != first[1]["build"]


def test_connections_of_many_clients_wait_until_they_are_accepted(folder: Path) -> None:
    server = open_server("127.0.0.1", 0, folder, LiveReload(folder, None))
    try:
        with ExitStack() as stack:
            for _ in range(100):  # a full queue would make the client wait
                stack.enter_context(socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=0.5))
    finally:
        server.server_close()


def test_number_of_open_connections_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kismet_build.serve.http_server.MAX_CONNECTIONS", 2)
    live = LiveReload(folder, None)
    with (
        running_server(folder, live) as server,
        http_response(server, "/_kismet/events") as stream,
        http_response(server, "/_kismet/events") as other,
    ):
        assert (read_event(stream)[0], read_event(other)[0]) == ("state", "state")
        with socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=TIMEOUT) as third:
            assert third.recv(1) == b"", "it is closed"
        live.close()
        assert stream.read().strip() == other.read().strip() == b""
        assert eventually(lambda: status(server, "/") == 200)


def eventually(is_true: Callable[[], bool]) -> bool:
    """Whether a condition becomes true before the timeout."""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        with suppress(OSError, HTTPException):
            if is_true():
                return True
        time.sleep(0.01)
    return False


def test_each_server_run_has_its_own_build_id(folder: Path) -> None:
    assert LiveReload(folder, None).build != LiveReload(folder, None).build


@pytest.fixture
def court(tmp_path: Path) -> Path:
    return write_library(tmp_path / "court")


def state_of(live: LiveReload, path: str) -> dict[str, Any]:
    """The diagnostics shown on a page, in short form."""
    state = live.page_state(path)
    problems = [(problem["severity"], problem["place"], problem["href"]) for problem in state["problems"]]
    return {"problems": problems, "notices": state["notices"], "elsewhere": state["elsewhere"]}


def test_saves_leave_no_former_version_in_memory(tmp_path: Path) -> None:
    texts = write_library(tmp_path / "texts")
    rebuilder = rebuilder_of(texts, tmp_path)
    counts = []
    for number in range(7):
        text = (texts / "1 Court.md").resolve()
        text.write_text(f"{TEXT}\n{number} more guests.\n", encoding="utf-8")
        (texts / "game.yaml").write_text(f"{GAME}description: Of {number} guests.\n", encoding="utf-8")
        (texts / "kinds" / "grace.yaml").write_text(KIND.replace("Grace", f"Grace {number}"), encoding="utf-8")
        rebuilder.rebuild()
        text.write_text(f"{TEXT}\n{number} more chairs.\n", encoding="utf-8")
        assert [*rebuilder.write_changed_pages([text])]
        gc.unfreeze()
        gc.collect()
        counts.append(Counter(type(known) for known in gc.get_objects() if type(known) in (Game, Kind, Pack)))
    assert not counts[-1] - counts[2]  # of which other tests may hold some


def test_caches_of_texts_are_empty_after_a_rebuild(tmp_path: Path) -> None:
    rebuilder_of(write_library(tmp_path / "texts"), tmp_path).rebuild()
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


def test_manual_is_not_made_again_with_every_save(tmp_path: Path) -> None:
    texts = write_library(tmp_path / "texts")
    write_files(texts, {"library.yaml": "manual: handbook\n", "handbook/index.md": "# Guide\n\nRoll.\n"})
    rebuilder = prepared(texts, tmp_path)
    bundles = dict(rebuilder._rendered["handbook"].bundles)
    assert bundles
    write_library(texts, text=TEXT.replace("forgives", "forgets"))
    assert [*write_changed_pages(rebuilder, texts / "1 Court.md")]
    rebuilder.rebuild()
    assert rebuilder._rendered["handbook"].bundles == bundles
    (texts / "handbook" / "index.md").write_text("# Guide\n\nRoll twice.\n", encoding="utf-8")
    assert not write_changed_pages(rebuilder, texts / "handbook" / "index.md"), "only a full rebuild makes a manual"
    assert "handbook/index.html" in rebuilder.rebuild().pages
    build_library(BuildRequest(texts, None, tmp_path / "fresh"), lambda _: None)
    assert tree(tmp_path / "tree") == tree(tmp_path / "fresh")


def rebuilder_of(texts: Path, folder: Path) -> Rebuilder:
    (folder / "scratch").mkdir()
    return Rebuilder(texts, None, folder / "tree", folder / "scratch")


def rebuilt(rebuilder: Rebuilder, live: LiveReload) -> Update:
    update = rebuilder.rebuild()
    live.publish(update, rebuilder.digests)
    return update


def built_in_child(rebuilder: Rebuilder) -> Update:
    rebuilder.start()
    while (update := rebuilder.result()) is None:
        time.sleep(0.01)
    return update


def test_diagnostics_are_shown_on_the_pages_of_their_text(court: Path, tmp_path: Path) -> None:
    write_library(court, text=TEXT.replace("Two people", "[[Nowhere]]: two people"))
    rebuilder, live = rebuilder_of(court, tmp_path), LiveReload(tmp_path / "tree", None)
    rebuilt(rebuilder, live)
    problem = ("warning", "1 Court.md:15:1", "/ember-court/court/#whisper")
    for page in ("ember-court/court/", "ember-court/court/index.html", "ember-court/grace/whisper/"):
        assert state_of(live, page) == {"problems": [problem], "notices": [], "elsewhere": ""}
    for page in ("ember-court/grace/bow/", "ember-court/"):
        assert state_of(live, page) == {"problems": [], "notices": [], "elsewhere": "1 problem elsewhere in this game"}


def test_errors_of_an_unpublished_game_are_shown_on_all_its_pages(court: Path, tmp_path: Path) -> None:
    rebuilder, live = rebuilder_of(court, tmp_path), LiveReload(tmp_path / "tree", None)
    rebuilt(rebuilder, live)
    good = tree(tmp_path / "tree")
    write_library(court, text=BROKEN)
    update = rebuilt(rebuilder, live)
    assert (update.pages, update.assets, update.removed) == ((), (), ())
    assert tree(tmp_path / "tree") == good
    wrong = {
        "problems": [("error", "1 Court.md:11:1", "/ember-court/court/#bow")],
        "notices": ["Ember Court is not published: it has 1 error. Its last good pages stay."],
        "elsewhere": "",
    }
    for page in ("", "ember-court/", "ember-court/grace/whisper/"):
        assert state_of(live, page) == wrong
    write_library(court)
    assert rebuilt(rebuilder, live).pages == ()
    assert state_of(live, "ember-court/") == {"problems": [], "notices": [], "elsewhere": ""}


def test_library_that_cannot_be_loaded_keeps_its_published_pages(court: Path, tmp_path: Path) -> None:
    rebuilder, live = rebuilder_of(court, tmp_path), LiveReload(tmp_path / "tree", None)
    rebuilt(rebuilder, live)
    write_library(court, game=GAME + "colour: red\n")
    update = rebuilt(rebuilder, live)
    assert update.problem.endswith("game.yaml cannot be used")
    assert state_of(live, "ember-court/grace/bow/")["problems"] == [("error", f"{court}/game.yaml:8:1", "")]


def test_invalid_game_does_not_affect_pages_of_other_games(tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    write_library(texts / "ember")
    write_library(texts / "ash", game=GAME.replace("ember-court", "ash-court").replace("Ember", "Ash"))
    rebuilder, live = rebuilder_of(texts, tmp_path), LiveReload(tmp_path / "tree", None)
    rebuilt(rebuilder, live)
    (texts / "ash" / "kinds" / "grace.yaml").write_text(KIND + "x-nothing: 1\n", encoding="utf-8")
    update = rebuilt(rebuilder, live)
    assert [*update.unpublished] == ["ash-court"]
    assert state_of(live, "ember-court/grace/bow/")["notices"] == []
    assert len(state_of(live, "ash-court/grace/bow/")["problems"]) == 1
    assert len(state_of(live, "")["problems"]) == 1


def test_entries_that_changed_since_the_first_build_are_shown(court: Path, tmp_path: Path) -> None:
    rebuilder, live = rebuilder_of(court, tmp_path), LiveReload(tmp_path / "tree", None)
    assert rebuilt(rebuilder, live).changes == {}
    for text, lines, summary in (
        (TEXT.replace("### Bow", "#### Bow"), ["grace: 1 fewer: Bow"], "1 fewer"),
        (TEXT.replace("You bend", "You nod"), ["grace: 1 changed"], "1 changed"),
        (TEXT, [], ""),
        (f"---\npublish: false\n---\n{TEXT}", [], ""),
    ):
        write_library(court, text=text)
        deque(rebuilder.write_changed_pages([court / "1 Court.md"]))
        update = built_in_child(rebuilder)
        live.publish(update, rebuilder.digests)
        for page in ("ember-court/court/", ""):
            state = live.page_state(page)
            assert (state["changes"], state["changed"], state["hasVanished"]) == (lines, summary, "fewer" in summary)
    assert update.private == ("Ember Court: 1 text is private and kept back: 1 by properties",)


def test_entries_are_compared_with_the_last_build(court: Path, tmp_path: Path) -> None:
    assert kismet("build", court, "--out", tmp_path / "out").status == 0
    write_library(court, text=TEXT.replace("### Bow", "#### Bow"))
    rebuilder, live = rebuilder_of(court, tmp_path), LiveReload(tmp_path / "tree", None)
    (change,) = rebuilt(rebuilder, live).changes["ember-court"]
    assert str(change) == "grace: 1 fewer: Bow"


def test_game_with_errors_is_served_in_part_with_keep_going(court: Path, tmp_path: Path) -> None:
    write_library(court, text=BROKEN)
    (tmp_path / "scratch").mkdir()
    rebuilder = Rebuilder(court, None, tmp_path / "tree", tmp_path / "scratch", keep_going=True)
    live = LiveReload(tmp_path / "tree", None)
    assert rebuilt(rebuilder, live).unpublished == {}
    notice = "Ember Court is published without grace: Bow."
    state = live.page_state("ember-court/grace/whisper/")
    assert (state["notices"], state["noticeTitle"]) == ([notice], "Published in part")
    text = court / "1 Court.md"
    text.write_text(BROKEN.replace("Two people", "Three people"), encoding="utf-8")
    update, *_ = rebuilder.write_changed_pages([text])
    assert "ember-court/court/index.html" in update.pages


def test_update_lists_changed_and_removed_files(court: Path, tmp_path: Path) -> None:
    rebuilder = rebuilder_of(court, tmp_path)
    assert "ember-court/court/index.html" in rebuilder.rebuild().pages
    write_library(court, text=TEXT.replace("### Whisper", "### Murmur"))
    update = rebuilder.rebuild()
    assert "ember-court/grace/murmur/index.html" in update.pages
    assert update.removed == ("ember-court/grace/whisper/index.html",)
    write_library(
        court,
        text=TEXT.replace("### Whisper", "### Murmur"),
        game=GAME + "second_accent: {light: '#7A1230', dark: '#FFB3C7'}\n",
    )
    update = rebuilder.rebuild()
    assert (update.pages, update.assets) == ((), ("assets/site.css",))


# --- pages written before the full rebuild


def prepared(texts: Path, folder: Path) -> Rebuilder:
    """A rebuilder that has built and is ready for the next change."""
    rebuilder = rebuilder_of(texts, folder)
    rebuilder.rebuild()
    return rebuilder


def write_changed_pages(rebuilder: Rebuilder, *files: Path) -> list[Update]:
    return list(rebuilder.write_changed_pages([file.resolve() for file in files]))


def test_pages_of_a_changed_text_are_written_before_the_full_rebuild(court: Path, tmp_path: Path) -> None:
    rebuilder = prepared(court, tmp_path)
    write_library(court, text=TEXT.replace("forgives", "forgets"))
    first, then = write_changed_pages(rebuilder, court / "1 Court.md")
    assert first.pages == ("ember-court/court/index.html",)
    assert then.pages == ("ember-court/grace/bow/index.html",), "unchanged pages are not written"
    written = tree(tmp_path / "tree")
    assert b"forgets" in written["ember-court/court/index.html"]
    whole = rebuilder.rebuild()
    assert not {*whole.pages} & {*first.pages, *then.pages}, "the full rebuild writes none of these pages a second time"
    assert "ember-court/grace/index.html" in whole.pages


def test_error_is_reported_before_the_full_rebuild_and_pages_are_retained(court: Path, tmp_path: Path) -> None:
    rebuilder = prepared(court, tmp_path)
    good = tree(tmp_path / "tree")
    write_library(court, text=BROKEN)
    (update,) = write_changed_pages(rebuilder, court / "1 Court.md")
    assert [diagnostic.code for diagnostic in update.diagnostics_by_game["ember-court"]] == ["unreadable-field"]
    assert update.unpublished == {"ember-court": "it has 1 error"}
    (court / "2 Yard.md").write_text("# Yard\n", encoding="utf-8")
    assert write_changed_pages(rebuilder, court / "2 Yard.md") == [], "a game with errors has no page published"
    assert tree(tmp_path / "tree") == good
    rebuilder.rebuild()
    write_library(court, text=TEXT.replace("forgives", "forgets"))
    assert write_changed_pages(rebuilder, court / "1 Court.md") == [], (
        "no page is published early before a full build without errors"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    {
        "a text added": ("2 Yard.md", "# Yard\n"),
        "a kind": ("kinds/grace.yaml", KIND.replace("title: Grace", "title: Favour")),
    }.values(),
    ids=lambda change: change,
)
def test_change_that_affects_many_pages_waits_for_the_full_rebuild(
    court: Path, tmp_path: Path, name: str, text: str
) -> None:
    rebuilder = prepared(court, tmp_path)
    before = tree(tmp_path / "tree")
    (court / name).write_text(text, encoding="utf-8")
    assert write_changed_pages(rebuilder, court / name) == []
    assert tree(tmp_path / "tree") == before
    assert rebuilder.rebuild().pages


def test_temporary_file_of_an_editor_is_ignored(court: Path, tmp_path: Path) -> None:
    rebuilder = prepared(court, tmp_path)
    write_library(court, text=TEXT.replace("forgives", "forgets"))
    assert len(write_changed_pages(rebuilder, court / "1 Court.md", court / "sed12345")) == 2
    (court / "kinds" / "grace.yaml").unlink()
    assert write_changed_pages(rebuilder, court / "1 Court.md", court / "kinds" / "grace.yaml") == [], (
        "a removed file that belongs to the library requires a full rebuild"
    )


# --- build process


def test_stopped_builds_do_not_corrupt_the_output_folder(court: Path, tmp_path: Path) -> None:
    rebuilder = rebuilder_of(court, tmp_path)
    rebuilder.rebuild()
    for number in range(5):
        write_library(court, text=TEXT.replace("forgives", f"forgets {number} times"))
        rebuilder.start()
        time.sleep(0.02 * number)
    rebuilder.stop()
    (tmp_path / "scratch/file-1").touch()
    (tmp_path / "scratch/new").mkdir()
    rebuilder.rebuild()
    assert not [*(tmp_path / "scratch").iterdir()]
    build_library(BuildRequest(court, None, tmp_path / "fresh"), lambda _: None)
    assert tree(tmp_path / "tree") == tree(tmp_path / "fresh")


def test_editor_urls_and_choice_of_the_editor(tmp_path: Path) -> None:
    assert sorted([*EDITORS, NONE]) == list(NAMES)
    file = tmp_path / "1 Court.md"
    assert EDITORS["vscode"].url(file, 3, 7) == f"vscode://file{tmp_path.as_posix()}/1%20Court.md:3:7"
    assert editor_of("", tmp_path) is None
    (tmp_path / ".obsidian").mkdir()
    assert editor_of("", tmp_path) is EDITORS["obsidian"]
    assert editor_of("none", tmp_path) is None


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
    rebuilder, live = rebuilder_of(court, tmp_path), LiveReload(tmp_path / "tree", None)
    assert rebuilt(rebuilder, live).advice == live.page_state("ember-court/")["advice"] == ""
    write_library(court)
    advice = rebuilt(rebuilder, live).advice
    assert 'set "description" in game.yaml' in advice
    pages = ("", "ember-court/", "ember-court/index.html", "ember-court/court/", "ember-court/grace/bow/index.html")
    assert [live.page_state(page)["advice"] for page in pages] == [advice] * 3 + [""] * 2
    with start_server(court) as server:
        (court / "1 Court.md").write_text(TEXT.replace("forgives", "forgets"), encoding="utf-8")
        until_good(server)
        assert server.output_lines.count(advice) == 1


def test_terminal_reports_the_result_of_every_save(court: Path) -> None:
    with start_server(court) as server:
        assert server.address.startswith("http://127.0.0.1:")
        text = court / "1 Court.md"
        text.write_text(BROKEN, encoding="utf-8")
        server.until("0 pages, 1 error, 0 warnings")
        assert '"cost" is "many", which is not a whole number' in server.text
        assert '"ember-court" is not published: it has 1 error' in server.text
        text.write_text("A line above.\n\n" + BROKEN, encoding="utf-8")
        server.built()
        text.write_text(TEXT.replace("forgives", "forgets"), encoding="utf-8")
        until_good(server)
        assert server.text.count("which is not a whole number") == 1, (
            "an error is printed once, even when its line changes"
        )
        assert " 1 Court.md: " in server.output_lines[-1]
        assert "since the last build: grace: 1 changed" in server.output_lines
        text.write_text(f"---\npublish: false\n---\n{TEXT}", encoding="utf-8")
        server.until("1 text is private and kept back: 1 by properties")


def test_terminal_prints_each_new_warning_once(court: Path) -> None:
    links = " ".join(f"[[Nowhere {number}]]" for number in range(8))
    write_library(court, text=f"{TEXT}\n{links}\n")
    with start_server(court) as server:
        warnings = [line for line in server.output_lines if line.startswith("warning")]
        assert len(warnings) == MAX_WARNINGS
        place = f"{court}/1 Court.md:19:1"
        assert warnings[0] == f'warning[unresolved-link]: nothing is named "Nowhere 0" --> {place}'
        assert "and 3 more: each is on its page, and kismet check prints all" in server.output_lines
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


def test_out_option_leaves_the_same_files_as_a_build(court: Path, tmp_path: Path) -> None:
    with start_server(court, "--out", tmp_path / "tree"):
        pass
    run = kismet("build", court, "--out", tmp_path / "other")
    assert run.status == 0
    assert tree(tmp_path / "tree") == tree(tmp_path / "other"), "the output folder has no live reload code"


def test_requested_port_in_use_is_an_error(court: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        run = kismet_process("serve", court, "--port", str(other.getsockname()[1]))
        assert run.status == 3
        assert "is taken; without --port a free one is looked for" in run.err


def test_invalid_serve_arguments_are_a_usage_error(court: Path, tmp_path: Path) -> None:
    assert kismet_process("serve", tmp_path / "none").status == 2
    assert kismet_process("serve", court / "game.yaml").status == 2
    run = kismet_process("serve", court, "--out", ROOT / "tests")
    assert run.status == 2
    assert "choose an empty folder" in run.err

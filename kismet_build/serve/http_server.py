"""The server of one tree, for one author: it answers this machine, and nothing but what is asked for in the tree."""

import errno
import json
import os
import socket
import sys
import time
from collections.abc import Mapping
from functools import partial
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from socketserver import TCPServer
from typing import Any
from urllib.parse import parse_qs

from kismet_build.render.html.content_security_policy import POLICY
from kismet_build.render.html.templates import SITE
from kismet_build.serve.live_reload import Event, Live
from kismet_build.serve.urls import INDEX, Elsewhere, content_type, digest, read, tree_path

PORT = 8000
TRIES = 20
"""So many ports are tried where none was named."""
TAKEN = {errno.EADDRINUSE, errno.EACCES}
"""What is said of a port that another program has, or that the system keeps for one."""
HEARTBEAT = 15.0
"""In seconds: how long a page hears nothing at most; who is gone is noticed then."""
SWAP = 0.02
"""In seconds: longer than a tree needs to take the place of another."""

OWN = "_kismet/"
"""The folder of what is no part of the tree."""
FILES = {
    "_kismet/live.js": "live.js",
    "_kismet/live.css": "live.css",
    "_kismet/site.css": "assets/site.css",  # there before there is a tree, as are the fonts that it names
    **{f"_kismet/fonts/{font.name}": f"assets/fonts/{font.name}" for font in (SITE / "assets/fonts").glob("*.woff2")},
    "sw.js": "no-worker.js",
}
"""What is served from beside the templates: what keeps pages as they are now, and what removes a worker."""
LED_ON = b'http-equiv="refresh"'
"""In the head of a page that only leads on to another."""
HEAD = b"</head>"


class Server(ThreadingHTTPServer):
    """Answers in as many threads as there are browsers asking."""

    daemon_threads = True
    # Elsewhere this has a port answer again at once; on Windows it would share one with another program.
    allow_reuse_address = os.name != "nt"

    def __init__(self, host: str, port: int, tree: Path, live: Live) -> None:
        """Listen at a host and a port. Raises `OSError` when that cannot be."""
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # Where a name has several addresses, the old sort is what browsers try as well.
        self.address_family, _, _, _, place = min(found, key=lambda one: one[0] != socket.AF_INET)
        self.host = host
        super().__init__((str(place[0]), port), partial(Handler, tree=tree, live=live, host=host))

    @property
    def address(self) -> str:
        """Where the tree is to be found, for a browser on this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.server_address[1]}/"

    def server_bind(self) -> None:
        """Bind without asking a name server who we are, as the standard library would."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.host, self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        """Say in one line what went wrong with a request; browsers that went away are no news."""
        fault = sys.exception()
        if not isinstance(fault, ConnectionError | TimeoutError):
            print(f"kismet: a request could not be answered: {fault!r}", file=sys.stderr)


def listening(host: str, port: int | None, tree: Path, live: Live) -> Server:
    """A server at the port that was named; where none was, at the first that is free.

    It answers as soon as it is told to. Raises `OSError` when nobody can listen there.
    """
    for other in range(PORT, PORT + TRIES - 1) if port is None else ():
        try:
            return Server(host, other, tree, live)
        except OSError as fault:
            if fault.errno not in TAKEN:
                raise
    last = PORT + TRIES - 1 if port is None else port
    try:
        return Server(host, last, tree, live)
    except OSError as fault:
        if fault.errno != errno.EADDRINUSE:
            raise
        words = f"port {last} of {host} is taken; without --port a free one is looked for"
        raise OSError(fault.errno, words) from fault


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection, one after the other."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "kismet", ""
    timeout = 60  # seconds of silence, then the connection is closed

    def __init__(self, *arguments: Any, tree: Path, live: Live, host: str) -> None:
        """Answer from a tree to those who call us by the right name."""
        self.tree, self.live, self.host = tree, live, host
        super().__init__(*arguments)

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def _refuse_method(self) -> None:
        self.close_connection = True  # what it sends along is not read
        self._words(
            405, "Only reading", "Pages can only be asked for here.", {"Allow": "GET, HEAD", "Connection": "close"}
        )

    def __getattr__(self, name: str) -> Any:
        """What answers all methods but GET and HEAD."""
        if name.startswith("do_"):
            return self._refuse_method
        raise AttributeError(name)

    def log_message(self, *_: object) -> None:
        """Say nothing: the terminal is for the author's text."""

    def _answer(self) -> None:
        if not is_ours(self.headers.get_all("Host") or [], self.host):
            words = "This server answers to the names of this machine, and to the one that --host gives it."
            return self._words(403, "Not this name", words)
        path = tree_path(self.path)
        if path is None:
            return self._absent()
        if path in FILES:
            return self._send(200, content_type(path), (SITE / FILES[path]).read_bytes())
        if path == f"{OWN}events":
            return self._events()
        if path == f"{OWN}state":
            return self._state()
        build = self.live.build  # before the page is read: a page may be newer than it says, never older
        match self._read(path):
            case bytes() as content:
                is_page = path == "" or path.endswith(("/", ".html"))
                content = _with_script(content, build) if is_page else content
                return self._send(200, content_type(INDEX if is_page else path), content)
            case Elsewhere(location):
                return self._send(302, "text/plain", b"", {"Location": location})
            case None:
                return self._absent()

    def _read(self, path: str) -> bytes | Elsewhere | None:
        """What stands in the tree; asked a second time when another tree took its place meanwhile."""
        before = _stamp(self.tree)
        found = read(self.tree, path)
        if found is None and (before is None or before != _stamp(self.tree)):
            time.sleep(SWAP)
            found = read(self.tree, path)
        return found

    def _state(self) -> None:
        """Tell a page what it has to know of the last build."""
        request = parse_qs(self.path.partition("?")[2]).get("page", ["/"])[0]
        path = tree_path(request)
        if path is None:
            self._absent()
            return
        self._send(200, "application/json", json.dumps(self.live.state(path)).encode())

    def _events(self) -> None:
        """Tell of every update until one of us is gone."""
        self.close_connection = True
        self._head(200, "text/event-stream", {"Connection": "close"})
        if self.command == "HEAD":
            return
        self.wfile.write(b"retry: 1000\n\n")
        events: list[Event] | None = [self.live.greeting()]
        number = 0
        while events is not None:
            for event in events:
                number = event.number
                self.wfile.write(f"event: {event.name}\ndata: {json.dumps(event.data)}\n\n".encode())
            if not events:
                self.wfile.write(b": nothing new\n\n")
            self.wfile.flush()
            later = self.live.after(number, HEARTBEAT)
            events = None if later is None else list(later)

    def _absent(self) -> None:
        if (self.tree / INDEX).is_file():
            self._words(404, "Not found", "There is no such page; it may have had another name.", at="/")
        else:
            words = "Nothing of this library is published yet. This page shows it as soon as something is."
            self._words(503, "Nothing yet", words)

    def _words(
        self, status: int, title: str, words: str, headers: Mapping[str, str] | None = None, at: str = ""
    ) -> None:
        """Answer with a page that says one sentence, and where to go on."""
        said = escape(words) + (f' <a href="{at}">All games</a>' if at else "")
        page = (
            (SITE / "live.html")
            .read_text(encoding="utf-8")
            .format(policy=POLICY, title=escape(title), words=said)
            .encode()
        )
        if status in (404, 503):
            page = _with_script(page, self.live.build, "")
        self._send(status, "text/html; charset=utf-8", page, headers)

    def _send(self, status: int, kind: str, content: bytes, headers: Mapping[str, str] | None = None) -> None:
        self._head(status, kind, {"Content-Length": str(len(content)), **(headers or {})})
        if self.command != "HEAD":
            self.wfile.write(content)

    def _head(self, status: int, kind: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        common = {
            "Content-Type": kind,
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            # No website that is open beside may have our files as its scripts or pictures.
            "Cross-Origin-Resource-Policy": "same-origin",
        }
        for name, value in {**common, **headers}.items():
            self.send_header(name, value)
        self.end_headers()


def is_ours(named: list[str], host: str) -> bool:
    """Whether the Host headers of a request name us: a foreign page may have its own name lead to this machine."""
    if len(named) != 1:
        return False
    name = named[0].strip().casefold()
    bare = name.rpartition(":")[0] if name.rpartition(":")[2].isdecimal() and not name.endswith("]") else name
    bare = bare.removeprefix("[").removesuffix("]")
    if bare in {"localhost", "127.0.0.1", "::1", host.casefold()}:
        return True
    # Who listens everywhere is called by any of the machine's addresses; names stay refused.
    return host in ("0.0.0.0", "::") and _is_number(bare)


def _is_number(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _with_script(page: bytes, build: str, is_as: str | None = None) -> bytes:
    """A page with the script that keeps it as it is now; the policy of every page allows it."""
    head, end, rest = page.partition(HEAD)
    if not end or LED_ON in head:
        return page
    said = digest(page) if is_as is None else is_as
    tag = f'<script src="/{OWN}live.js" data-build="{build}" data-page="{said}"></script>\n'
    return head + tag.encode() + end + rest


def _stamp(tree: Path) -> int | None:
    """Which folder a tree is in just now; `None` while there is none."""
    try:
        return tree.stat().st_ino
    except OSError:
        return None

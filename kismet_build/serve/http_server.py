"""HTTP server for one library and one author.

It only answers requests for the names of its own machine, the name given with `--host` and, on all interfaces, any IP
address.
"""

import errno
import json
import os
import socket
import sys
from collections.abc import Mapping
from functools import partial
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from socketserver import TCPServer
from threading import BoundedSemaphore, Thread
from typing import Any
from urllib.parse import parse_qs

from kismet_build.render.html.content_security_policy import POLICY
from kismet_build.render.html.templates import SITE
from kismet_build.serve.session import Problem, Session
from kismet_build.serve.urls import INDEX, Redirect, content_type, page_digest, tree_path

DEFAULT_PORT = 8000
MAX_PORTS_TRIED = 20
"""Number of ports to try, from `DEFAULT_PORT` on, if the user did not name one."""
PORT_TAKEN = {errno.EADDRINUSE, errno.EACCES}
"""Error numbers for a port that another program uses or the system reserves."""
HEARTBEAT = 15.0
"""Maximum number of seconds without a message of an event stream. Writing to a closed connection ends its thread."""
MAX_CONNECTIONS = 1_000
"""Maximum number of open connections, each with a thread. Further connections are closed immediately."""

MAX_ASSETS = 200
"""Maximum number of files whose digests the state of a page contains."""

SERVER_PREFIX = "_kismet/"
"""URL prefix of files and endpoints that are not in the tree."""
SITE_FILES = {
    "_kismet/live.js": "live.js",
    "_kismet/live.css": "live.css",
    # The style sheets and their fonts are for error pages before there is a tree.
    **{f"_kismet/{name}.css": f"assets/{name}.css" for name in ("library", "site")},
    **{f"_kismet/fonts/{font.name}": f"assets/fonts/{font.name}" for font in (SITE / "assets/fonts").glob("*.woff2")},
    "sw.js": "no-worker.js",
}
"""Files of the `site` folder by URL path: for live reload, for error pages, and to unregister a service worker."""
REDIRECT = b'http-equiv="refresh"'
"""Part of the head of a redirect page."""
HEAD_END = b"</head>"


class Server(ThreadingHTTPServer):
    """Answers each connection in its own thread."""

    daemon_threads = True
    # Maximum number of connections waiting to be accepted. With the default of 5, a browser waits seconds to try again.
    request_queue_size = MAX_CONNECTIONS
    # Lets a restarted server reuse the port. On Windows, it would let two programs share the port.
    allow_reuse_address = os.name != "nt"

    def __init__(self, host: str, port: int, session: Session) -> None:
        """Listen at a host and a port. Raises `OSError` if that is not possible."""
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # IPv4 comes first, as every browser tries it.
        self.address_family, _, _, _, socket_address = min(addresses, key=lambda address: address[0] != socket.AF_INET)
        self.host = host
        self._free_connections = BoundedSemaphore(MAX_CONNECTIONS)
        self._thread: Thread | None = None
        super().__init__((str(socket_address[0]), port), partial(Handler, session=session, host=host))

    def start(self) -> None:
        """Answer requests, in another thread, until `server_close`."""
        self._thread = Thread(target=self.serve_forever, args=(0.1,), daemon=True)
        self._thread.start()

    def server_close(self) -> None:
        if self._thread is not None:
            self.shutdown()
            self._thread.join()
        super().server_close()

    @property
    def url(self) -> str:
        """URL of the site for a browser on this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.server_address[1]}/"

    def server_bind(self) -> None:
        """Bind without the name lookup of the standard library, which may be slow."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.host, self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection in a new thread, or close it if too many are open."""
        if self._free_connections.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free_connections.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        """Print one line for a failed request, unless the browser closed the connection."""
        failure = sys.exception()
        if not isinstance(failure, ConnectionError | TimeoutError):
            print(f"kismet: internal error while answering a request: {failure!r}", file=sys.stderr)


def open_server(host: str, port: int | None, session: Session) -> Server:
    """A server at a port, or at the first free one from `DEFAULT_PORT` on if none is named. It does not answer yet.

    Raises `OSError` if the server cannot listen at the port.
    """
    for candidate in range(DEFAULT_PORT, DEFAULT_PORT + MAX_PORTS_TRIED - 1) if port is None else ():
        try:
            return Server(host, candidate, session)
        except OSError as failure:
            if failure.errno not in PORT_TAKEN:
                raise
    last = DEFAULT_PORT + MAX_PORTS_TRIED - 1 if port is None else port
    try:
        return Server(host, last, session)
    except OSError as failure:
        if failure.errno != errno.EADDRINUSE:
            raise
        message = f"port {last} of {host} is in use; leave out --port to use a free one"
        raise OSError(failure.errno, message) from failure


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "kismet", ""
    timeout = 60  # Seconds without a request after which a connection is closed.

    def __init__(self, *arguments: Any, session: Session, host: str) -> None:
        """Answer from a session, if the `Host` header of a request is allowed for `host`."""
        self.session, self.host = session, host
        super().__init__(*arguments)

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def _refuse_method(self) -> None:
        self.close_connection = True  # The request body is not read, so the connection cannot be used again.
        self._send_message(
            405,
            "Method not allowed",
            "This server only answers GET and HEAD.",
            {"Allow": "GET, HEAD", "Connection": "close"},
        )

    def __getattr__(self, name: str) -> Any:
        """Provide `do_...` for every HTTP method, to refuse all but GET and HEAD."""
        if name.startswith("do_"):
            return self._refuse_method
        raise AttributeError(name)

    def log_message(self, *_: object) -> None:
        """Log nothing, because the terminal shows rebuilds."""

    def _answer(self) -> None:
        if not is_allowed_host(self.headers.get_all("Host") or [], self.host):
            message = "This server only answers requests for the names of this machine and the name given with --host."
            return self._send_message(403, "Unknown host name", message)
        path = tree_path(self.path)
        if path is None:
            return self._send_not_found()
        if path in SITE_FILES:
            return self._send(200, content_type(path), (SITE / SITE_FILES[path]).read_bytes())
        if path == f"{SERVER_PREFIX}events":
            return self._send_events()
        if path == f"{SERVER_PREFIX}state":
            return self._send_state()
        is_page = path == "" or path.endswith(("/", ".html"))
        build = (
            self.session.build
        )  # Before the content: if an update comes between, the page sees a new build and reloads.
        match self.session.content(path):
            case bytes() as content:
                content = _with_script(content, build) if is_page else content
                return self._send(200, content_type(INDEX if is_page else path), content)
            case Redirect(location):
                return self._send(302, "text/plain", b"", {"Location": location})
            case Problem(message):
                return self._send_message(500, "Page not made", message)
            case _:
                return self._send_not_found()

    def _send_state(self) -> None:
        query = parse_qs(self.path.partition("?")[2])
        path = tree_path(query.get("page", ["/"])[0])
        assets = tuple(filter(None, (tree_path(f"/{asset}") for asset in query.get("asset", ())[:MAX_ASSETS])))
        if path is None:
            self._send_not_found()
            return
        self._send(200, "application/json", json.dumps(self.session.state(path, assets)).encode())

    def _send_events(self) -> None:
        self.close_connection = True
        self._send_head(200, "text/event-stream", {"Connection": "close"})
        if self.command == "HEAD":
            return
        self.wfile.write(b"retry: 1000\n\n")
        live = self.session.live
        sent = live.number
        self._send_event("state", sent)
        while (number := live.wait(sent, HEARTBEAT)) is not None:
            self._send_event("update" if number > sent else "", number)
            sent = number

    def _send_event(self, name: str, number: int) -> None:
        """Send an event of a stream, or only a comment if the name is empty."""
        data = json.dumps({"build": self.session.live.build(number)})
        self.wfile.write((f"event: {name}\ndata: {data}\n\n" if name else ": nothing new\n\n").encode())
        self.wfile.flush()

    def _send_not_found(self) -> None:
        if self.session.library.newest:
            self._send_message(404, "Not found", "There is no such page. It may have been renamed.", link="/")
        else:
            message = "Nothing in this library can be published yet. This page reloads as soon as something can."
            self._send_message(503, "Nothing published yet", message)

    def _send_message(
        self, status: int, title: str, message: str, headers: Mapping[str, str] | None = None, link: str = ""
    ) -> None:
        """Send a page with a message, and with a link to all games at the address `link` unless that is empty."""
        html = escape(message) + (f' <a href="{link}">All games</a>' if link else "")
        page = (
            (SITE / "live.html")
            .read_text(encoding="utf-8")
            .format(policy=POLICY, title=escape(title), words=html)
            .encode()
        )
        if status in (404, 500, 503):
            page = _with_script(page, self.session.build, "")
        self._send(status, "text/html; charset=utf-8", page, headers)

    def _send(self, status: int, content_type: str, content: bytes, headers: Mapping[str, str] | None = None) -> None:
        self._send_head(status, content_type, {"Content-Length": str(len(content)), **(headers or {})})
        if self.command != "HEAD":
            self.wfile.write(content)

    def _send_head(self, status: int, content_type: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        common = {
            "Content-Type": content_type,
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            # Other websites in the same browser cannot load these files as scripts or images.
            "Cross-Origin-Resource-Policy": "same-origin",
        }
        for name, value in {**common, **headers}.items():
            self.send_header(name, value)
        self.end_headers()


def is_allowed_host(headers: list[str], host: str) -> bool:
    """Whether the `Host` headers of a request name this server, which prevents DNS rebinding by other websites."""
    if len(headers) != 1:
        return False
    name = headers[0].strip().casefold()
    bare = name.rpartition(":")[0] if name.rpartition(":")[2].isdecimal() and not name.endswith("]") else name
    bare = bare.removeprefix("[").removesuffix("]")
    if bare in {"localhost", "127.0.0.1", "::1", host.casefold()}:
        return True
    # A server on all interfaces accepts any IP address, but not other names.
    return host in ("0.0.0.0", "::") and _is_ip_address(bare)


def _is_ip_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _with_script(page: bytes, build: str, digest: str | None = None) -> bytes:
    """Add the live reload script to a page, except to a redirect.

    The attributes of the script contain the name of the update and the digest of the page.
    """
    head, end, rest = page.partition(HEAD_END)
    if not end or REDIRECT in head:
        return page
    digest = page_digest(page) if digest is None else digest
    tag = f'<script src="/{SERVER_PREFIX}live.js" data-build="{build}" data-page="{digest}"></script>\n'
    return head + tag.encode() + end + rest

"""Serve a folder as static hosts do."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import SHUT_RDWR, socket
from threading import Thread
from typing import Any
from urllib.parse import urlsplit


class QuietHandler(SimpleHTTPRequestHandler):
    """Logs nothing, and makes browsers revalidate every file."""

    cache_control = "no-cache"
    """The `Cache-Control` header."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", self.cache_control)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


class CompressingHandler(QuietHandler):
    protocol_version = "HTTP/1.1"
    cache_control = "max-age=600"

    def do_GET(self) -> None:
        file = Path(self.translate_path(urlsplit(self.path).path))
        file = file / "index.html" if file.is_dir() else file
        if not file.is_file():
            self.send_error(404)
            return
        content = file.read_bytes()
        kind = self.guess_type(str(file))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        if not kind.startswith("image/png"):
            content = gzip.compress(content, 6, mtime=0)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class Server(ThreadingHTTPServer):
    """Answers each request in its own thread."""

    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        self.connections: list[socket] = []
        super().__init__(*arguments)

    def get_request(self) -> tuple[socket, Any]:
        connection, address = super().get_request()
        self.connections.append(connection)
        return connection, address

    def server_close(self) -> None:
        """Also close all connections, as the end of a process does.

        A thread would still answer on a connection that a browser kept.
        """
        super().server_close()
        for connection in self.connections:
            with suppress(OSError):
                connection.shutdown(SHUT_RDWR)

    def handle_error(self, *_: object) -> None:
        """Ignore connections that a browser closed. Other errors fail in the browser."""


@contextmanager
def serve_folder(folder: Path, port: int = 0, host: type[QuietHandler] = QuietHandler) -> Iterator[str]:
    server = Server(("127.0.0.1", port), partial(host, directory=str(folder)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

"""Run the HTTP server in its own process, so that requests and builds do not block each other."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from threading import Thread

from kismet_build.build.processes import Child, can_fork
from kismet_build.serve.http_server import Server
from kismet_build.serve.live_reload import LiveReload
from kismet_build.serve.memory import release_memory
from kismet_build.serve.rebuilder import Digests, Update

Publish = Callable[[Update, Digests], None]
"""Sends an update, with the digests of the tree after it, to the open pages."""


@contextmanager
def serve_http(server: Server, live: LiveReload) -> Iterator[Publish]:
    """Answer requests until the end of the block, in a child process or, where that cannot be, in threads."""
    if not can_fork():
        with serve_in_threads(server, live):
            yield live.publish
        return
    child = Child(partial(_run_server, server, live), is_daemon=True)
    try:
        child.start()
        server.socket.close()
        yield partial(_send, child.connection, {})
    finally:
        child.stop()


@contextmanager
def serve_in_threads(server: Server, live: LiveReload) -> Iterator[None]:
    """Answer requests in threads of this process until the end of the block."""
    thread = Thread(target=partial(server.serve_forever, poll_interval=0.1), daemon=True)
    thread.start()
    try:
        yield
    finally:
        live.close()
        server.shutdown()
        server.server_close()
        thread.join()


def _send(connection: Connection, sent: dict[str, str], update: Update, digests: Digests) -> None:
    """Send an update and the digests that changed. `sent` has the digests that the child process knows."""
    changed = {path: digest for path, digest in digests.items() if sent.get(path) != digest}
    removed = sent.keys() - digests.keys()
    for path in removed:
        del sent[path]
    sent.update(changed)
    with suppress(BrokenPipeError):  # the child process was terminated with this one
        connection.send((update, changed, removed))


def _run_server(server: Server, live: LiveReload, connection: Connection) -> None:
    digests: dict[str, str] = {}
    with serve_in_threads(server, live), suppress(EOFError):  # until the parent ends
        while True:
            update, changed, removed = connection.recv()
            digests = {path: digest for path, digest in (digests | changed).items() if path not in removed}
            live.publish(update, digests)
            if not update.is_partial:
                release_memory()  # that of the data that it read

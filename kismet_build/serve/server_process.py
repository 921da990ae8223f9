"""Run the HTTP server in its own process, so that requests and builds do not block each other."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import ForkContext
from threading import Thread

from kismet_build.serve.build_process import can_fork
from kismet_build.serve.http_server import Server
from kismet_build.serve.live_reload import LiveReload
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
    context = ForkContext()
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run_server, args=(server, live, receiver, sender), daemon=True)
    process.start()
    receiver.close()
    server.socket.close()
    try:
        yield partial(_send, sender, {})
    finally:
        sender.close()
        process.join(1)
        process.kill()
        process.join()


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


def _send(sender: Connection, sent: dict[str, str], update: Update, digests: Digests) -> None:
    """Send an update and the digests that changed. `sent` has the digests that the child process knows."""
    changed = {path: digest for path, digest in digests.items() if sent.get(path) != digest}
    removed = sent.keys() - digests.keys()
    for path in removed:
        del sent[path]
    sent.update(changed)
    with suppress(BrokenPipeError):  # the child process was terminated with this one
        sender.send((update, changed, removed))


def _run_server(server: Server, live: LiveReload, receiver: Connection, sender: Connection) -> None:
    # The parent handles SIGINT. When it ends, the pipe breaks, and this process ends too.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sender.close()
    digests: dict[str, str] = {}
    with serve_in_threads(server, live), suppress(EOFError):
        while True:
            update, changed, removed = receiver.recv()
            digests = {path: digest for path, digest in (digests | changed).items() if path not in removed}
            live.publish(update, digests)

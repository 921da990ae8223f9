"""Answer requests in another process than the one that builds: neither waits for the other."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import ForkContext
from threading import Thread

from kismet_build.serve.build_process import can_fork
from kismet_build.serve.http_server import Server
from kismet_build.serve.live_reload import Live
from kismet_build.serve.rebuilder import Digests, Update

Take = Callable[[Update, Digests], None]
"""Takes what a rebuild gave, and the digests of the tree as it stands then."""


@contextmanager
def answering(server: Server, live: Live) -> Iterator[Take]:
    """Have a server answer until the end of the block. What is taken there is told to the pages that listen."""
    if not can_fork():
        with in_threads(server, live):
            yield live.take
        return
    context = ForkContext()
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(server, live, receiver, sender), daemon=True)
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
def in_threads(server: Server, live: Live) -> Iterator[None]:
    """Have a server answer in threads of this process until the end of the block."""
    thread = Thread(target=partial(server.serve_forever, poll_interval=0.1), daemon=True)
    thread.start()
    try:
        yield
    finally:
        live.close()
        server.shutdown()
        server.server_close()
        thread.join()


def _send(sender: Connection, known: dict[str, str], update: Update, digests: Digests) -> None:
    """Send an update, and of the digests what is new."""
    new = {path: digest for path, digest in digests.items() if known.get(path) != digest}
    gone = known.keys() - digests.keys()
    for path in gone:
        del known[path]
    known.update(new)
    with suppress(BrokenPipeError):  # what ends this process has ended that one
        sender.send((update, new, gone))


def _answer(server: Server, live: Live, receiver: Connection, sender: Connection) -> None:
    # Who ends the first process ends this one with it: the pipe breaks.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sender.close()
    digests: dict[str, str] = {}
    with in_threads(server, live), suppress(EOFError):
        while True:
            update, new, gone = receiver.recv()
            digests = {path: one for path, one in (digests | new).items() if path not in gone}
            live.take(update, digests)

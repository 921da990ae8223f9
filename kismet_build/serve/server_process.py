"""Run two companions of the library's process: one answers HTTP requests, one watches the files.

Each companion has a connection to the library's process, which compiles and renders. On a system that cannot fork,
the companions are threads in that process.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from threading import Thread

from kismet_build.driver.processes import Child, can_fork
from kismet_build.serve.http_server import Server
from kismet_build.serve.memory import release_memory
from kismet_build.serve.site import UPDATE, RemoteSite
from kismet_build.serve.watcher import Watcher


@contextmanager
def companion(run: Callable[[Connection], None]) -> Iterator[Connection]:
    """Run a function in parallel until the end of the block, and yield a connection to it."""
    if can_fork():
        child = Child(run, is_daemon=True)
        try:
            child.start()
            yield child.connection
        finally:
            child.stop()
        return
    ours, its = Pipe()
    Thread(target=run, args=(its,), daemon=True).start()
    try:
        yield ours
    finally:
        ours.close()


def run_server(server: Server, site: RemoteSite, connection: Connection) -> None:
    """Answer requests by sending questions through the connection, until that is closed."""
    site.connect(connection.send)
    thread = Thread(target=partial(server.serve_forever, poll_interval=0.1), daemon=True)
    thread.start()
    try:
        with suppress(EOFError, OSError):  # The connection ends with the process of the library.
            while True:
                number, answer = connection.recv()
                if number == UPDATE:
                    site.live.publish()
                    release_memory()  # This returns the memory of the pages that were sent.
                else:
                    site.receive(number, answer)
    finally:
        site.close()
        server.shutdown()
        server.server_close()
        thread.join()


def run_watcher(watcher: Watcher, connection: Connection) -> None:
    """Send each set of changed files (the first one is empty), or an `OSError` if the files cannot be watched."""
    with suppress(EOFError, BrokenPipeError):
        try:
            for number, files in enumerate(watcher.changes()):
                if files or not number:
                    connection.send(files)
        except OSError as failure:
            connection.send(failure)

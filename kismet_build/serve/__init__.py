"""`kismet serve`: build, serve, rebuild what changed, and keep the open page as its text is now."""

import gc
import shutil
import signal
import tempfile
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from kismet_build.datafile import Misuse
from kismet_build.diagnostic import Diagnostic
from kismet_build.publish import refuse_foreign
from kismet_build.serve.editor import editor_of
from kismet_build.serve.live import Live
from kismet_build.serve.server import Server, open_server
from kismet_build.serve.terminal import Terminal
from kismet_build.serve.watch import Watcher
from kismet_build.serve.workshop import Workshop

Show = Callable[[Sequence[Diagnostic], TextIO], None]
"""Prints diagnostics for a person."""


def serve(
    path: Path,
    game: Path | None,
    *,
    host: str,
    port: int | None,
    out: Path | None,
    editor: str,
    opened: bool,
    show: Show,
) -> None:
    """Serve the library at `path` until somebody interrupts.

    Raises `Misuse` for a path that is no folder or a foreign `out`, `OSError` when nobody can listen at `host`
    and `port`.
    """
    if not path.is_dir():
        raise Misuse(f'"{path}" is not a folder' if path.exists() else f'there is no folder "{path}"')
    # Whoever ends the command by a signal gets rid of the temporary folder as well.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    own = None if out else Path(tempfile.mkdtemp(prefix="kismet-"))
    tree = out.resolve() if out else Path(str(own)) / "public"
    try:
        refuse_foreign(tree)
        live = Live(tree, editor_of(editor, path))
        with open_server(host, port, tree, live) as server:
            _work(Workshop(path, game, tree), Watcher(path, game, tree), live, server, Terminal(show), opened)
    except KeyboardInterrupt:
        pass
    finally:
        if own:
            shutil.rmtree(own, ignore_errors=True)


def _work(workshop: Workshop, watcher: Watcher, live: Live, server: Server, terminal: Terminal, opened: bool) -> None:
    """Build, then build again for every change. The server answers from its own threads meanwhile."""
    for number, changed in enumerate(watcher.changes()):
        update = workshop.rebuild()
        live.take(update, workshop.digests)
        terminal.tell(changed, update)
        if number == 0:
            terminal.say(f"serving at {server.address} (Ctrl-C ends it)")
            if opened:
                webbrowser.open(server.address)
        gc.collect()  # Nobody waits now; what the build before left behind is large and holds on to itself.

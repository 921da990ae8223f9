"""`kismet serve`: build, serve, rebuild what changed, and keep the open page as its text is now."""

import gc
import shutil
import signal
import tempfile
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from kismet_build.config.data_file import UsageError
from kismet_build.model.diagnostic import Diagnostic
from kismet_build.output.lock import only_writer
from kismet_build.output.tree import refuse_foreign
from kismet_build.serve.console import Save, Terminal
from kismet_build.serve.editor_links import editor_of
from kismet_build.serve.http_server import listening
from kismet_build.serve.live_reload import Live
from kismet_build.serve.rebuilder import Rebuilder
from kismet_build.serve.server_process import Take, answering
from kismet_build.serve.watcher import Watcher

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

    Raises `UsageError` for a path that is no folder or a foreign `out`, `OSError` when nobody can listen at `host`
    and `port`.
    """
    if not path.is_dir():
        raise UsageError(f'"{path}" is not a folder' if path.exists() else f'there is no folder "{path}"')
    # Whoever ends the command by a signal gets rid of the temporary folder as well.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if out:
        refuse_foreign(out)
        out.parent.mkdir(parents=True, exist_ok=True)
    # Beside a tree that stays, because what is written there has to come into it at once.
    own = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent) if out else tempfile.mkdtemp(prefix="kismet-"))
    tree = out.resolve() if out else own / "public"
    try:
        live = Live(tree, editor_of(editor, path))
        server = listening(host, port, tree, live)
        with answering(server, live) as take, only_writer(tree):
            (own / "scratch").mkdir()
            workshop, terminal = Rebuilder(path, game, tree, own / "scratch"), Terminal(show)
            _work(workshop, Watcher(path, game, tree), take, terminal, server.address, opened)
    except KeyboardInterrupt:
        pass
    finally:
        shutil.rmtree(own, ignore_errors=True)


def _work(workshop: Rebuilder, watcher: Watcher, take: Take, terminal: Terminal, address: str, opened: bool) -> None:
    """Build for every change: at once what can be, and then all of it, while the next change is waited for."""
    save, is_served = Save(), False
    try:
        for number, changed in enumerate(watcher.changes()):
            if number == 0 or changed:
                save.files |= changed
                for update in workshop.write_changed_pages(changed):
                    save.take(update)
                    take(update, workshop.digests)
                    terminal.warn(update)
                workshop.begin()
                workshop.prepare()
            elif (whole := workshop.made()) is not None:
                take(whole, workshop.digests)
                terminal.progress(save, whole)
                save = Save()
                gc.collect()  # Nobody waits now.
                if not is_served:
                    is_served = True
                    terminal.say(f"serving at {address} (Ctrl-C ends it)")
                    if opened:
                        webbrowser.open(address)
    finally:
        workshop.stop()

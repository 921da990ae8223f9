"""`kismet serve`: serve a library, rebuild it after every change, and reload the open pages."""

import tempfile
import webbrowser
from contextlib import suppress
from pathlib import Path

from kismet_build.config.data_file import UsageError
from kismet_build.output.lock import lock_tree
from kismet_build.output.temporary_folder import (
    SCRATCH,
    SERVED_TREE,
    recover_killed_build,
    remove_leftovers,
    temporary_folder,
)
from kismet_build.output.tree import check_output_folder
from kismet_build.serve.console import Console, PendingChange, PrintDiagnostics
from kismet_build.serve.editor_links import editor_of
from kismet_build.serve.http_server import open_server
from kismet_build.serve.live_reload import LiveReload
from kismet_build.serve.memory import release_memory, share_arena
from kismet_build.serve.rebuilder import Rebuilder
from kismet_build.serve.server_process import Publish, serve_http
from kismet_build.serve.watcher import Watcher

TEMPORARY_PREFIX = "kismet-"
"""Prefix of the folder of a tree that is only served, in the system's folder for temporary files."""


def serve(
    path: Path,
    game: Path | None,
    *,
    host: str,
    port: int | None,
    out: Path | None,
    editor: str,
    open_browser: bool,
    keep_going: bool,
    print_diagnostics: PrintDiagnostics,
) -> None:
    """Serve the library at `path` until the process is interrupted.

    Raises `UsageError` if `path` is no folder or `out` has files of other programs, and `OSError` if the server cannot
    listen at `host` and `port`.
    """
    if not path.is_dir():
        raise UsageError(f'"{path}" is not a folder' if path.exists() else f'there is no folder "{path}"')
    share_arena()
    if out:
        out = out.resolve()
        check_output_folder(out)
        out.parent.mkdir(parents=True, exist_ok=True)
    # On the disk of the tree, because files are written here and then moved there.
    place = (f".{out.name}-", out.parent) if out else (TEMPORARY_PREFIX, Path(tempfile.gettempdir()))
    with suppress(KeyboardInterrupt), temporary_folder(*place) as temporary:
        tree = out or temporary / SERVED_TREE
        live = LiveReload(tree, editor_of(editor, path))
        server = open_server(host, port, tree, live)
        with serve_http(server, live) as publish, lock_tree(tree):
            recover_killed_build(tree)
            remove_leftovers(TEMPORARY_PREFIX, Path(tempfile.gettempdir()))
            scratch = temporary / SCRATCH
            scratch.mkdir()
            rebuilder = Rebuilder(path, game, tree, scratch, keep_going=keep_going)
            watcher = Watcher(path, game, tree)
            _rebuild_forever(rebuilder, watcher, publish, Console(print_diagnostics), server.url, open_browser)


def _rebuild_forever(
    rebuilder: Rebuilder, watcher: Watcher, publish: Publish, console: Console, url: str, open_browser: bool
) -> None:
    """After each change, write the pages of the changed documents, then build all in a child process."""
    change, is_announced = PendingChange(), False
    try:
        for number, files in enumerate(watcher.changes()):
            if number == 0 or files:
                change.files |= files
                for update in rebuilder.write_changed_pages(files):
                    change.add(update)
                    publish(update, rebuilder.digests)
                    console.print_problems(update)
                rebuilder.start()
            elif (full_update := rebuilder.result()) is not None:
                publish(full_update, rebuilder.digests)
                console.print_rebuild(change, full_update)
                change = PendingChange()
                release_memory()  # here, where it delays no update
                if not is_announced:
                    is_announced = True
                    console.print_line(f"serving at {url} (Ctrl-C ends it)")
                    if open_browser:
                        webbrowser.open(url)
    finally:
        rebuilder.stop()

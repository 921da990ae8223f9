"""`kismet serve`: compile a library after every change, render pages on request, and reload the open ones."""

import tempfile
import webbrowser
from contextlib import suppress
from pathlib import Path

from kismet_build.config.data_file import UsageError
from kismet_build.output.temporary_folder import remove_leftovers, temporary_folder
from kismet_build.serve.console import Console, PrintDiagnostics
from kismet_build.serve.http_server import open_server
from kismet_build.serve.memory import share_arena
from kismet_build.serve.served_library import ServedLibrary
from kismet_build.serve.session import Session
from kismet_build.serve.source_links import editor_of
from kismet_build.serve.watcher import Watcher

TEMPORARY_PREFIX = "kismet-"
"""Prefix of the folder for the search index, within the system's folder for temporary files."""


def serve(
    path: Path,
    game: Path | None,
    *,
    host: str,
    port: int | None,
    editor: str,
    open_browser: bool,
    keep_going: bool,
    print_diagnostics: PrintDiagnostics,
) -> None:
    """Serve the library at `path` until the process is interrupted.

    Raises `UsageError` if `path` is not a folder, and `OSError` if the server cannot listen at `host` and `port` or the
    texts cannot be watched.
    """
    if not path.is_dir():
        raise UsageError(f'"{path}" is not a folder' if path.exists() else f'there is no folder "{path}"')
    share_arena()
    parent = Path(tempfile.gettempdir())
    with suppress(KeyboardInterrupt), temporary_folder(TEMPORARY_PREFIX, parent) as temporary:
        remove_leftovers(TEMPORARY_PREFIX, parent)
        library = ServedLibrary(path, game, temporary, keep_going=keep_going)
        session = Session(library, Console(print_diagnostics), editor_of(editor, path))
        with open_server(host, port, session) as server:

            def announce() -> None:
                server.start()
                print(f"serving at {server.url} (press Ctrl-C to stop)", flush=True)
                if open_browser:
                    webbrowser.open(server.url)

            session.run(Watcher(path, game, library.tree), announce)

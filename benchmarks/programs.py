"""The measured programs: kismet, and its peers, which make websites of the same texts.

A peer shows the pages with working links and its usual navigation, without a search index. `peers/` has the
configuration and the templates of each peer's project.
"""

import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

PEER_PROJECTS = Path(__file__).parent / "peers"
KISMET = "from kismet_build.cli import run; run()"
"""The console script, for a checkout that is on Python's path."""

Command = Callable[[Path, Path], list[str]]
"""Returns a command that makes the website of a project, whose folder is the first argument and the working folder, in
a new folder, the second argument.
"""
Serve = Callable[[Path, int], list[str]]
"""Returns a command that serves a project at a port. A peer also writes the website into a folder."""


class MissingPeerError(Exception):
    """A peer cannot be used on this machine; the message has the reason."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program that is measured."""

    name: str
    build: Command
    serve: Serve | None = None
    """The command that serves the project and rebuilds after each change; `None` if serving is not measured."""
    writes_served_pages: bool = True
    """Whether served pages are read from the folder and not over HTTP."""
    texts: str = "content"
    """The folder of the texts in a project."""
    page: str = "{folder}/{page}/index.html"
    """The path, in the website, of a page of the generated library."""
    peer_project: str | None = None
    """Folder in `peers/` with all files of a project except its texts; `None` for kismet, which needs none."""
    setup: str = ""
    """Shell command that installs the program in a project and prints its version."""
    max_pages: int = 10_000
    """Pages of the largest library that is measured."""


def kismet(*flags: str, path: str = "content", checkout: Path | None = None) -> Program:
    """Kismet with flags of `build`, from another checkout if one is given; each built tree has its own cache."""

    def command(out: Path, *arguments: str) -> list[str]:
        environment = [f"KISMET_CACHE={out}.cache", *([f"PYTHONPATH={checkout}"] if checkout else [])]
        return ["env", *environment, sys.executable, "-c", KISMET, *arguments]

    return Program(
        name=" ".join(["kismet", *flags]),
        build=lambda _, out: command(out, "build", path, "--quiet", *flags, "--out", str(out)),
        serve=None if flags else lambda out, port: command(out, "serve", path, "--port", str(port)),
        writes_served_pages=False,
        page="generated/{folder}/{page}/index.html",
    )


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


HUGO = Program(
    name="Hugo",
    peer_project="hugo",
    setup="hugo version",
    build=lambda _, out: ["hugo", "--quiet", "--noBuildLock", "--destination", str(out)],
    serve=lambda out, port: [
        *("hugo", "server", "--renderToDisk", "--noBuildLock"),
        *("--port", str(port), "--destination", str(out)),
    ],
)
ELEVENTY = Program(
    name="Eleventy",
    peer_project="eleventy",
    setup="npm install --silent --ignore-scripts --no-audit --no-fund && node_modules/.bin/eleventy --version",
    build=lambda _, out: ["node_modules/.bin/eleventy", f"--output={out}"],
    serve=lambda out, port: [
        *("node_modules/.bin/eleventy", "--serve", "--incremental"),
        *(f"--port={port}", f"--output={out}"),
    ],
)
MKDOCS = Program(
    name="MkDocs with Material",
    peer_project="mkdocs",
    setup=f"{sys.executable} -m venv venv && venv/bin/pip install --quiet --disable-pip-version-check 'mkdocs<2' "
    "'mkdocs-material<10' && venv/bin/pip list | grep '^mkdocs-material '",
    texts="docs",
    build=lambda _, out: ["venv/bin/mkdocs", "build", "--quiet", "--site-dir", str(out)],
    max_pages=1_000,
)
PEERS = (HUGO, ELEVENTY, MKDOCS)


def prepare(program: Program, library: Path, project: Path) -> Program:
    """Make the project of a program from a generated library.

    Returns the program with its version in its name. Raises `MissingPeerError`.
    """
    if program.peer_project is None:
        shutil.copytree(library, project / program.texts)
        return program
    shutil.copytree(PEER_PROJECTS / program.peer_project, project)
    done = subprocess.run(program.setup, shell=True, cwd=project, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MissingPeerError(f"`{program.setup}` failed: {done.stderr.strip()[-300:]}")
    only_pages = shutil.ignore_patterns("game.yaml", "kinds")
    shutil.copytree(library, project / program.texts, ignore=only_pages, dirs_exist_ok=True)
    version = re.search(r"\d+(\.\d+)+", done.stdout)
    return replace(program, name=f"{program.name} {version[0]}") if version else program

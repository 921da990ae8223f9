"""Other programs that make websites of the same texts: how each is installed, set up, run and served.

They are kept beside other caches of the user, out of the repository. Each gets what it needs to show the pages with
working links and its usual navigation, and no search index, because that is measured apart.
"""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


class NotHereError(Exception):
    """A peer that cannot be installed on this machine; its words say why."""


Command = Callable[[Path, Path], list[str]]
"""What to run for a project in the first folder, so that the website is in the second one; it runs in the first."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A program that is measured beside ours."""

    name: str
    install: Callable[[], None]
    """Get the program. Raises `NotHereError`."""
    version: Callable[[], list[str]]
    """The command that says which version it is, in the first number that it prints."""
    texts: str
    """The folder of a project for the texts."""
    files: dict[str, str]
    """What else a project needs, by path."""
    build: Command
    page: str = "{folder}/{page}/index.html"
    """Where the website has a page."""
    serve: Command | None = None
    """How one sees changes while writing; `None` where that writes no files to look at."""
    kept: Sequence[str] = ()
    """Folders of a project in which it keeps what it made."""
    links: dict[str, Path] | None = None
    """What a project links to, by name."""
    most: int = 10_000
    """More pages than these it builds only when asked to, because it takes very long."""


def cache() -> Path:
    """Where peers are installed."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "kismet-build" / "peers"


def prepare(peer: Peer, library: Path, project: Path) -> None:
    """Make the project of a peer from the pages of a library."""
    for file in library.glob("folder-*/*.md"):
        copy = project / peer.texts / file.relative_to(library)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    for path, text in peer.files.items():
        file = project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for name, target in (peer.links or {}).items():
        (project / name).symlink_to(target)


def _run(*command: str | Path, cwd: Path | None = None) -> None:
    """Run a step of an installation. Raises `NotHereError` with what it said of its error."""
    try:
        done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False)
    except FileNotFoundError as missing:
        raise NotHereError(f"there is no {missing.filename}") from None
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        told = [line for line in lines if "error" in line.casefold()][:2] or lines[-1:]
        raise NotHereError(f"{command[0]} failed with status {done.returncode}: {'; '.join(told)}")


def _from_debian(package: str) -> Callable[[], None]:
    def install() -> None:
        if shutil.which(package):
            return
        if not shutil.which("apt-get"):
            raise NotHereError(f"there is no {package}, and no apt-get to install it with")
        if os.geteuid() != 0:
            raise NotHereError(f"there is no {package}; install it with: sudo apt-get install {package}")
        _run("apt-get", "update", "-q")
        _run("apt-get", "install", "-q", "-y", "--no-install-recommends", package)

    return install


def _from_npm(name: str, *packages: str) -> Callable[[], None]:
    def install() -> None:
        folder = cache() / name
        wanted = folder / "wanted.txt"
        if wanted.is_file() and wanted.read_text(encoding="utf-8").split() == [*packages]:
            return
        folder.mkdir(parents=True, exist_ok=True)
        _run("npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error", *packages)
        wanted.write_text("\n".join(packages), encoding="utf-8")

    return install


def _from_pypi(name: str, *packages: str) -> Callable[[], None]:
    def install() -> None:
        folder = cache() / name
        wanted = folder / "wanted.txt"
        if wanted.is_file() and wanted.read_text(encoding="utf-8").split() == [*packages]:
            return
        _run(sys.executable, "-m", "venv", "--clear", folder)
        _run(_python(name), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
        wanted.write_text("\n".join(packages), encoding="utf-8")

    return install


def _python(name: str) -> Path:
    return cache() / name / "bin" / "python"


def _module(name: str, module: str, *arguments: str | Path) -> list[str]:
    return [str(_python(name)), "-m", module, *map(str, arguments)]


def _version(name: str, package: str) -> list[str]:
    return [str(_python(name)), "-c", f"import importlib.metadata as m; print(m.version({package!r}))"]


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
        return port


HUGO = Peer(
    name="Hugo",
    install=_from_debian("hugo"),
    version=lambda: ["hugo", "version"],
    texts="content",
    files={
        "config.toml": """\
baseURL = "http://localhost/"
title = "Generated Library"
disableKinds = ["taxonomy", "term", "RSS"]
enableGitInfo = false
""",
        "layouts/_default/baseof.html": """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{{ .Title }} - {{ site.Title }}</title></head>
<body>
<nav>
<ul>{{ range site.Home.Sections }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>{{ end }}</ul>
<ul>{{ range .CurrentSection.RegularPages }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>{{ end }}</ul>
</nav>
<main>{{ block "main" . }}{{ end }}</main>
</body>
</html>
""",
        "layouts/_default/single.html": '{{ define "main" }}<article>{{ .Content }}</article>{{ end }}\n',
        "layouts/_default/list.html": """\
{{ define "main" }}<h1>{{ .Title }}</h1>
<ul>{{ range .Pages }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>{{ end }}</ul>{{ end }}
""",
        "layouts/_default/_markup/render-link.html": """\
{{- $to := .Destination -}}
{{- if not (hasPrefix $to "#") }}{{ $to = relref .Page $to }}{{ end -}}
<a href="{{ $to | safeURL }}">{{ .Text | safeHTML }}</a>
{{- /* no space after the link */ -}}
""",
    },
    build=lambda _, out: ["hugo", "--quiet", "--noBuildLock", "--destination", str(out)],
    serve=lambda _, out: [
        *("hugo", "server", "--renderToDisk", "--noBuildLock"),
        *("--port", str(free_port()), "--destination", str(out)),
    ],
)

ELEVENTY = Peer(
    name="Eleventy",
    install=_from_npm("eleventy", "@11ty/eleventy@3.1.5", "markdown-it-anchor@9", "markdown-it-deflist@3"),
    version=lambda: [str(cache() / "eleventy" / "node_modules" / ".bin" / "eleventy"), "--version"],
    texts="content",
    files={
        "package.json": '{"type": "module", "private": true}\n',
        "eleventy.config.js": """\
import { InputPathToUrlTransformPlugin } from "@11ty/eleventy";
import anchor from "markdown-it-anchor";
import definitions from "markdown-it-deflist";

export default function (config) {
  config.addPlugin(InputPathToUrlTransformPlugin);
  config.amendLibrary("md", (md) => md.use(anchor).use(definitions));
  config.addCollection("folders", (api) => {
    const folders = {};
    for (const page of api.getFilteredByGlob("content/folder-*/*.md"))
      (folders[page.filePathStem.split("/")[1]] ??= []).push(page);
    return folders;
  });
  config.setQuietMode(true);
}
export const config = { dir: { input: "content", includes: "../includes" }, markdownTemplateEngine: false };
""",
        "content/content.json": '{"layout": "page.njk"}\n',
        "content/index.njk": """\
---
title: Generated Library
---
<ul>{% for folder, pages in collections.folders %}
<li><a href="{{ pages[0].url }}">{{ folder }}</a></li>{% endfor %}</ul>
""",
        "includes/page.njk": """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{{ title }} - Generated Library</title></head>
<body>
<nav>
<ul>{% for folder, pages in collections.folders %}
<li><a href="{{ pages[0].url }}">{{ folder }}</a></li>{% endfor %}</ul>
<ul>{% for one in collections.folders[page.filePathStem.split("/")[1]] %}
<li><a href="{{ one.url }}">{{ one.data.title }}</a></li>{% endfor %}</ul>
</nav>
<main>{{ content | safe }}</main>
</body>
</html>
""",
    },
    links={"node_modules": cache() / "eleventy" / "node_modules"},
    build=lambda _, out: ["node_modules/.bin/eleventy", f"--output={out}"],
    serve=lambda _, out: [
        *("node_modules/.bin/eleventy", "--serve", "--incremental"),
        *(f"--port={free_port()}", f"--output={out}"),
    ],
)

_MATERIAL = """\
site_name: Generated Library
theme:
  name: material
  font: false
plugins: []
markdown_extensions: [def_list]
"""
_ZENSICAL = _MATERIAL.replace("plugins: []", "plugins: {search: {enabled: false}}")
_HOME = "# Generated Library\n\nPages of no meaning in the shape of rules.\n"


def _zensical(project: Path, out: Path) -> list[str]:
    """Zensical is told in its configuration alone where to write."""
    (project / "mkdocs.yml").write_text(f"{_ZENSICAL}site_dir: {out.relative_to(project)}\n", encoding="utf-8")
    return _module("zensical", "zensical", "build")


MKDOCS = Peer(
    name="MkDocs with Material",
    install=_from_pypi("mkdocs", "mkdocs<2", "mkdocs-material<10"),
    version=lambda: _version("mkdocs", "mkdocs-material"),
    texts="docs",
    files={"mkdocs.yml": _MATERIAL, "docs/index.md": _HOME},
    build=lambda _, out: _module("mkdocs", "mkdocs", "build", "--quiet", "--site-dir", out),
    most=1_000,
)

ZENSICAL = Peer(
    name="Zensical",
    install=_from_pypi("zensical", "zensical"),
    version=lambda: _version("zensical", "zensical"),
    texts="docs",
    files={"docs/index.md": _HOME},
    build=_zensical,
    kept=(".cache",),
    most=1_000,
)

SPHINX = Peer(
    name="Sphinx with MyST",
    install=_from_pypi("sphinx", "sphinx", "myst-parser"),
    version=lambda: _version("sphinx", "sphinx"),
    texts="docs",
    files={
        "docs/conf.py": """\
from sphinx.builders.html import StandaloneHTMLBuilder

project = "Generated Library"
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
StandaloneHTMLBuilder.search = False
""",
        "docs/index.md": _HOME + "\n```{toctree}\n:glob:\n\nfolder-*/*\n```\n",
    },
    build=lambda _, out: _module(
        "sphinx", "sphinx", "--quiet", "-j", "auto", "-b", "html", "-d", f"{out}.doctrees", "docs", out
    ),
    page="{folder}/{page}.html",
    most=1_000,
)

PEERS = (HUGO, ELEVENTY, MKDOCS, ZENSICAL, SPHINX)

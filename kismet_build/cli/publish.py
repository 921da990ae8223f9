"""Write what a host needs to build and serve a library: a workflow in the author's repository.

docs/decisions/0033-supply.md explains why it is pinned and never overwritten.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from string import Template

from kismet_build.config.data_file import UsageError
from kismet_build.config.load_library import load_library
from kismet_build.config.yaml import flow
from kismet_build.model.diagnostic import Report

HOSTS = Path(__file__).parent / "hosts"
"""Folder with a template of the workflow for each host."""
WORKFLOW = ".github/workflows/kismet.yml"
"""Path of the workflow in a repository."""
WORKFLOWS = Path(WORKFLOW).parent
ACTION = re.compile(r"^[\s-]*uses:\s*([\w.-]+/kismet-build)@([\w./-]+)", re.MULTILINE)
"""The action of this package in a workflow: its repository and its version."""
ONLY_WITH_BUNDLES = re.compile(r"^%%bundle\n(.*?)^%%end\n", re.MULTILINE | re.DOTALL)
"""A part of the workflow that builds and releases bundles."""
REMOTE = re.compile(r"^\s*url\s*=\s*\S*github\.com[:/]([\w.-]+)/([\w.-]+?)(?:\.git)?/?\s*$", re.MULTILINE)
"""The first repository on GitHub in the settings of a clone: owner and name."""


class _Template(Template):
    """A template whose placeholders begin with `%`, because workflows use `$` themselves."""

    delimiter = "%"


def repository_of(path: Path) -> Path:
    """The root of the Git repository that contains a path. Raises `UsageError` if the path is not in a repository."""
    resolved = path.resolve()
    root = next((folder for folder in (resolved, *resolved.parents) if (folder / ".git").exists()), None)
    if root is None:
        raise UsageError(f'"{path}" is not in a Git repository: create one with git init, or clone yours')
    return root


def requirement_for(root: Path, requirement: str) -> str:
    """What pip installs on the host: the argument, or else the repository from which the author's workflows take the
    action. Raises `UsageError` without either, because kismet-build is not on PyPI yet, or if the wheel does not exist.
    """
    if requirement and Path(requirement).exists():
        return f"./{_path_in(root, Path(requirement))}"
    if requirement.endswith(".whl") and "://" not in requirement:
        raise UsageError(f'the wheel "{requirement}" was not found: --requirement must name a file in the repository')
    if requirement:
        return requirement
    for file in sorted((root / WORKFLOWS).glob("*.y*ml")):
        if found := ACTION.search(file.read_text(encoding="utf-8", errors="replace")):
            return f"git+https://github.com/{found[1]}@{found[2]}"
    raise UsageError(
        "name what the host installs: --requirement git+https://..., or a wheel in the repository "
        "(kismet-build is not on PyPI yet)"
    )


def workflow(
    library: Path, game_file: Path | None, requirement: str, report: Report, *, bundle: bool = False
) -> tuple[Path, str]:
    """The path and the text of the workflow that publishes a library on GitHub Pages, and with `bundle` its releases.

    Raises `UsageError` if the library cannot be built, or if the workflow could not find one of the files.
    """
    root = repository_of(library)
    for failure in load_library(library, game_file, report).broken:
        raise UsageError(failure.reason)
    # A name that is not a file is the id of a game that ships with kismet.
    game = _path_in(root, game_file) if game_file is not None and game_file.is_file() else str(game_file or "")
    values = {
        "library": _path_in(root, library),
        "game": game,
        "requirement": requirement_for(root, requirement),
    }
    text = (HOSTS / "github-pages.yml").read_text(encoding="utf-8")
    text = ONLY_WITH_BUNDLES.sub(r"\1" if bundle else "", text)
    options = " --bundle $RELEASE" if bundle else ""
    written = {key: _value(value) for key, value in values.items()}
    return root / WORKFLOW, _Template(text).substitute(written, options=options)


def write_new(file: Path, text: str, *, force: bool) -> bool:
    """Write a file unless it exists with this text. Returns whether it was written.

    Raises `UsageError` if it exists with another text, except with `force`, which replaces it.
    """
    if file.exists() and not force:
        # Git may have changed the line endings.
        if file.is_file() and file.read_bytes().replace(b"\r\n", b"\n") == text.encode():
            return False
        raise UsageError(f'"{file}" already exists with other content, so it is unchanged (--force replaces it)')
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    return True


def next_steps(root: Path, *, bundle: bool = False) -> Iterator[str]:
    """The steps that remain for the author after the workflow is written, one line each."""
    address = site = ""
    config = root / ".git" / "config"
    if config.is_file() and (remote := REMOTE.search(config.read_text(encoding="utf-8", errors="replace"))):
        owner, name = remote.groups()
        address = f" (https://github.com/{owner}/{name}/settings/pages)"
        host = f"{owner.lower()}.github.io"
        site = f": https://{host}/" if name.lower() == host else f": https://{host}/{name}/"
    yield f'1. on GitHub, choose Settings > Pages > Source: "GitHub Actions"{address}'
    yield "2. commit the workflow and push it"
    yield f"3. the Actions tab shows the run; when it is finished, the site is online{site}"
    if bundle:
        yield "4. to release the data, set the version in game.yaml, commit, and push a tag, such as v1.0.0"


def _path_in(root: Path, path: Path) -> str:
    """The path of a file in a repository, relative to its root. Raises `UsageError` if it is outside."""
    resolved = path.resolve()
    if not resolved.is_relative_to(root):
        raise UsageError(f'"{path}" is not in the repository "{root}", so the workflow would not find it')
    return resolved.relative_to(root).as_posix()


def _value(text: str) -> str:
    """A text as a YAML value in a workflow. Raises `UsageError` if GitHub would read an expression in it."""
    if "${{" in text:
        raise UsageError(f'"{text}" cannot be used in a workflow: GitHub replaces expressions that begin with ${{{{')
    return flow(text)

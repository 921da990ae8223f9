"""Every command runs with the packages that `pip install .` installs, or says in one line what it needs."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest

from kismet_build.model.extras import EXTRAS
from tests.command import ROOT, Run, kismet_process, write_files
from tests.small_library import CALCULATORS, write_library

HIDING = """\
import sys
from importlib.machinery import PathFinder

class WithoutExtras(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in {hidden} else super().find_spec(name, path, target)

sys.meta_path = [WithoutExtras if finder is PathFinder else finder for finder in sys.meta_path]
"""
"""A `sitecustomize.py`, which every process of Python runs, that hides modules."""


def name_of(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def base_packages() -> set[str]:
    """The names of the packages that `pip install .` installs."""
    found, left = set[str](), ["kismet-build"]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            try:
                needed = requires(name) or []
            except PackageNotFoundError:
                continue  # for another platform
            left += [name_of(requirement) for requirement in needed if "extra ==" not in requirement]
    return found


@pytest.fixture(scope="module")
def hiding(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = base_packages()
    hidden = {
        module
        for module, packages in packages_distributions().items()
        if not any(name_of(package) in base for package in packages)
    }
    assert {module for extra in EXTRAS.values() for module in extra.modules} <= hidden
    folder = tmp_path_factory.mktemp("hiding")
    return write_files(folder, {"sitecustomize.py": HIDING.replace("{hidden}", repr(hidden))})


def run(hiding: Path, court: Path, *arguments: str) -> Run:
    return kismet_process(*arguments, cwd=court, env={"PYTHONPATH": f"{hiding}:{ROOT}"})


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_library(tmp_path_factory.mktemp("extras") / "court")
    return write_files(folder, {"calculators/court.yaml": CALCULATORS})


@pytest.mark.parametrize(
    "command",
    [
        *("build . --out ../site", "check .", "ask whisper .", "odds 2d6", "calc", "explain unresolved-link"),
        *("dump --format json 1.md", "new ../new", "completion bash", "book . --format epub --out ../court.epub"),
    ],
)
def test_commands_need_no_extras(command: str, hiding: Path, court: Path) -> None:
    found = run(hiding, court, *command.split())
    assert "internal error" not in found.output
    assert found.status in (0, 2), found.output


@pytest.mark.parametrize(
    ("command", "extra"),
    [("mcp .", "mcp"), ("book . --out ../court.pdf", "book"), ("build . --dask tcp://127.0.0.1:9", "dask")],
)
def test_what_an_extra_needs_is_named_in_one_line(command: str, extra: str, hiding: Path, court: Path) -> None:
    found = run(hiding, court, *command.split())
    install = " ".join(f"'{requirement}'" for requirement in EXTRAS[extra].requirements)
    assert (found.status, found.out, found.err.count("\n")) == (2, "", 1)
    assert found.err.endswith(f"pip install {install}\n")


def test_the_requirements_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: listed for name, listed in project["optional-dependencies"].items() if name != "test"}
    assert {name: [*extra.requirements] for name, extra in EXTRAS.items()} == extras

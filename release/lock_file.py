"""Read the lock file of kismet-build's dependencies."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = "kismet-build (pyproject.toml)"
"""The name of this project in the `# via` comments of lock files."""

_ENTRY = re.compile(r"^(\S+)==([^ \\]+).*((?:\n    --hash=.*)+)((?:\n    #.*)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LockedPackage:
    """A PyPI package in a lock file."""

    name: str
    version: str
    hashes: tuple[str, ...]
    """SHA-256 of each archive of this version, in hexadecimal."""
    required_by: frozenset[str]
    """What requires this package: names of packages in the lock file, `PROJECT`, or `-r -` for tools that install the
    project."""


def locked_packages() -> dict[str, LockedPackage]:
    """Return all packages in the lock file, by name."""
    text = (ROOT / ".ci" / "requirements.txt").read_text(encoding="utf-8")
    packages = {}
    for name, version, hashes, comments in _ENTRY.findall(text):
        required_by = frozenset(map("".join, re.findall(r"#   (\S.*)|# via (\S.*)", comments)))
        packages[name] = LockedPackage(name, version, tuple(re.findall(r"[0-9a-f]{64}", hashes)), required_by)
    return packages


def runtime_packages() -> dict[str, LockedPackage]:
    """Return the packages that the installed project needs, without the tools that install it."""
    packages = locked_packages()
    needed = {PROJECT}
    while added := {name for name in packages.keys() - needed if packages[name].required_by & needed}:
        needed |= added
    return {name: package for name, package in packages.items() if name in needed}

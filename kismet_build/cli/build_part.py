"""Extensions of `kismet build`, from kismet and from other packages, which add options to it."""

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from kismet_build.model.entry_points import EntryPointGroup

if TYPE_CHECKING:
    from kismet_build.driver.workers import Workers


class TreeRefused(Exception):
    """A check refuses the new tree, so the present one stays."""

    def print(self, out: Path) -> int:
        """Print why the tree in a folder is not replaced. Returns the exit status."""
        raise NotImplementedError


class TreeCheck(Protocol):
    """Judges the tree of a build."""

    def __call__(self, tree: Path) -> None:
        """Judge a tree before it is published. Raises `TreeRefused`."""

    def print_result(self) -> None:
        """Print what a build without `--quiet` says."""


class BuildPart(NamedTuple):
    """What a package registers in the group `kismet.builders`.

    The modules of our own are imported for each command, so they import what they need when they are used.
    """

    add_arguments: Callable[[argparse.ArgumentParser], None]
    """Adds options to `kismet build`, one of them with the name of the entry point: `--dask` for `dask`."""
    check: Callable[[argparse.Namespace, bool], TreeCheck | None] | None = None
    """Makes a check with these options, or `None` if they ask for no check. The second argument says whether anything
    changed since the last build. Raises `UsageError` for options that cannot be used."""
    workers: "Callable[[argparse.Namespace], AbstractContextManager[Workers | None]] | None" = None
    """Connects to the machines that build the games; `None` if the options name none. Raises `UsageError`."""


BUILDERS = EntryPointGroup(
    "kismet.builders",
    "builder",
    {
        "dask": "kismet_build.extensions.cluster.command:dask",
        "release": "kismet_build.extensions.packages.command:release",
    },
    BuildPart,
)
"""Our extensions of `kismet build`. Each is a `BuildPart`."""

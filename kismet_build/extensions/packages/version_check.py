"""Refuse a tree whose data changed more than its version says."""

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kismet_build.cli.build_part import TreeRefused
from kismet_build.cli.messages import CONTENT_ERROR, USAGE_ERROR, one_line, print_problem

if TYPE_CHECKING:
    from kismet_build.extensions.packages.release import Verdict


class UnfitVersion(TreeRefused):
    """The versions of some games do not fit their data, so the new tree is not published."""

    def __init__(self, verdicts: Sequence["Verdict"]) -> None:
        super().__init__(verdicts)
        self.verdicts = verdicts

    def print(self, out: Path) -> int:
        from kismet_build.extensions.packages.compare import numbers

        for verdict in self.verdicts:
            first, *rest = verdict.lines()
            print_problem(first)
            for line in rest:
                print(f"  {one_line(line)}", file=sys.stderr)
        print_problem(f'"{out}" is unchanged: set the version in game.yaml, then build again')
        return CONTENT_ERROR if all(numbers(verdict.version) for verdict in self.verdicts) else USAGE_ERROR


class VersionCheck:
    """Compares the data of a new tree with earlier data before the tree is published."""

    def __init__(self, judge: Callable[[Path], Iterable["Verdict"]], *, refuses: bool) -> None:
        """`judge` returns the verdicts about a tree. `refuses`: whether the check raises `UnfitVersion`."""
        self.verdicts: Sequence[Verdict] = ()
        self._judge = judge
        self._refuses = refuses

    def __call__(self, tree: Path) -> None:
        """Judge the games of a tree. If the check refuses trees, it raises `UnfitVersion`, or
        `UsageError` if the earlier data cannot be compared.
        """
        from kismet_build.config.data_file import UsageError

        try:
            self.verdicts = [*self._judge(tree)]
        except UsageError:
            if self._refuses:
                raise
            self.verdicts = ()  # an ordinary build does not fail because the last tree is damaged
        unfit = [verdict for verdict in self.verdicts if verdict.is_unfit]
        if unfit and self._refuses:
            raise UnfitVersion(unfit)

    def print_result(self) -> None:
        """Print each game's changes since its release.

        For an ordinary build, print only changes that the version does not show.
        """
        for verdict in self.verdicts:
            if self._refuses:
                for line in verdict.lines():
                    print(one_line(line))
            else:
                print(one_line(verdict.drift))


def version_check(out: Path, against: Path | None, *, is_release: bool) -> VersionCheck:
    """The version check for a build into a folder. Raises `UsageError` if the data to compare with cannot be read."""
    from kismet_build.extensions.packages.release import drifted, judge, read_released
    from kismet_build.output.tree import MANIFEST

    if against is not None:
        released = read_released(against)
        return VersionCheck(lambda tree: judge(released, tree), refuses=True)
    if is_release:
        return VersionCheck(
            lambda tree: judge(read_released(out) if (out / MANIFEST).is_file() else {}, tree), refuses=True
        )
    return VersionCheck(lambda tree: drifted(out, tree), refuses=False)

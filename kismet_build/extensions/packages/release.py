"""Compare a new tree with released data, to see whether the version of each game fits the changes in its data."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from kismet_build.cli.build_part import TreeRefused
from kismet_build.cli.messages import CONTENT_ERROR, USAGE_ERROR, one_line, print_problem
from kismet_build.extensions.packages.compare import Comparison, Step, Version, compare, next_version, numbers
from kismet_build.output.entity_changes import is_same_file
from kismet_build.output.finished_data import FinishedData, finished_data
from kismet_build.output.tree import MANIFEST
from kismet_build.output.verify_bundle import BadBundle, verify_bundle

UNSET_VERSION = "0"
"""The version of a vault without a `game.yaml`."""


class Released(NamedTuple):
    """The released data of a game, which readers have."""

    data: FinishedData
    place: Path
    """The bundle or folder that the data was read from."""

    @property
    def version(self) -> str:
        version: str = self.data.pack["game"]["version"]
        return version


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether the version of a game fits its new data."""

    game: str
    version: str
    released: Released | None
    """The data of the last release; `None` for a first release."""
    comparison: Comparison | None
    problem: str
    """Why the version does not fit the changes; empty if it does."""

    @property
    def is_unfit(self) -> bool:
        """Whether the new data must not be released with this version."""
        return bool(self.problem) or numbers(self.version) is None

    @property
    def drift(self) -> str:
        """One line if the data changed under the same version; otherwise empty."""
        version = numbers(self.version)
        is_same = self.released is not None and self.released.version == self.version != UNSET_VERSION
        step = self.comparison.step if self.comparison else Step.NONE
        if version is None or not is_same or not step:
            return ""
        needed = _written(next_version(version, step))
        return f"{self.game}: the data changed under version {self.version}; its release needs {needed} ({step})"

    def lines(self) -> Iterator[str]:
        """The lines to print: one about the version, then the changes and their cause."""
        start = f"{self.game} {self.version}"
        if numbers(self.version) is None:
            yield f'{self.game}: a release needs a version of one to three numbers, such as 1.0.0, not "{self.version}"'
        elif self.released is None or self.comparison is None:
            yield f"{start}: the first release, so nothing was compared"
        else:
            since = f'{self.released.version} in "{self.released.place}"'
            if self.problem:
                yield f"{start}: {self.problem} {since}"
            elif self.comparison.changes:
                yield f"{start}: the version fits the changes since {since}"
            else:
                yield f"{start}: the data is the same as that of {since}"
            yield from map(str, self.comparison.changes)
            if self.comparison.cause:
                yield self.comparison.cause


def read_released(path: Path) -> dict[str, Released]:
    """The released data of each game in a bundle, a tree, a folder of data, or a folder of zip files.

    Raises `BadBundle` if it cannot be compared, and `OSError` if it cannot be read.
    """
    is_folder_of_archives = path.is_dir() and not any((path / name).exists() for name in ("manifest.json", MANIFEST))
    archives = sorted(path.glob("*.zip")) if is_folder_of_archives else []
    released: dict[str, Released] = {}
    for bundle in archives or [path]:
        games = verify_bundle(bundle, accepts_older=True).games
        # A release also contains a module for Foundry VTT, which has no pack.
        if not games and not archives:
            raise BadBundle(f'"{bundle}" has no pack.json to compare with: name the zip with all data of the game')
        for game, files in games.items():
            if f"data/schemas/{game}/pack.json" not in files:
                raise BadBundle(f'"{bundle}" has no schema of its data: name the zip with all data of the game')
            found = Released(finished_data(game, files), bundle)
            other = released.setdefault(game, found)
            one, two = (of_game.data.pack["game"].get("version") for of_game in (other, found))
            if one != two:
                versions = f'{one} in "{other.place}" and {two} in "{found.place}"'
                raise BadBundle(f'there are two versions of "{game}" to compare with, {versions}: name one of them')
    if not released:
        raise BadBundle(f'"{path}" has no pack.json to compare with')
    return released


def drifted(old: Path, new: Path) -> Iterator[Verdict]:
    """The verdicts about the games whose data changed under the same version from one tree to another.

    A game whose files cannot be read is left out. Raises `BadBundle` if its data cannot be compared.
    """
    for file in sorted(new.glob("data/*/pack.json")):
        game, path = file.parent.name, file.relative_to(new)
        with suppress(OSError):
            if (old / path).is_file() and not is_same_file(old, new, str(path)):
                verdict = _verdict(game, Released(_data_in(old, game), old), _data_in(new, game))
                if verdict.drift:
                    yield verdict


def judge(released: Mapping[str, Released], tree: Path) -> Iterator[Verdict]:
    """The verdict on each game of a new tree. Raises `BadBundle` if its released data cannot be compared."""
    for file in sorted(tree.glob("data/*/pack.json")):
        game = file.parent.name
        new, old = _data_in(tree, game), released.get(game)
        yield _verdict(game, old, new)


def _data_in(tree: Path, game: str) -> FinishedData:
    """The data of a game in a tree, without its attachments."""
    paths = (f"data/{game}/pack.json", f"data/{game}/migrations.json", f"data/schemas/{game}/pack.json")
    return finished_data(game, {path: (tree / path).read_bytes() for path in paths if (tree / path).is_file()})


def _verdict(game: str, old: Released | None, new: FinishedData) -> Verdict:
    version: str = new.pack["game"]["version"]
    if old is None:
        return Verdict(game=game, version=version, released=None, comparison=None, problem="")
    try:
        comparison = compare(old.data, new)
        problem = _problem(old.version, version, comparison.step)
    except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as failure:
        what = f'the data of "{game}" in "{old.place}" is incomplete or has another form'
        raise BadBundle(f"{what}, so it cannot be compared: {failure!r}") from None
    return Verdict(game=game, version=version, released=old, comparison=comparison, problem=problem)


def _problem(old: str, new: str, step: Step) -> str:
    """Why a version does not fit the changes since the old version; empty if it does.

    The reason is a phrase that `Verdict.lines` continues with the old version.
    """
    before, now = numbers(old), numbers(new)
    if before is None or now is None:  # the steps of such versions cannot be told apart
        return ""
    if now < before:
        return "the version is lower than the released one,"
    needed = next_version(before, step)
    return "" if now >= needed else f"it must be at least {_written(needed)} ({step}) because of the changes since"


def _written(version: Version) -> str:
    return ".".join(map(str, version))


# --- the check of a build


class UnfitVersion(TreeRefused):
    """The versions of some games do not fit their data, so the new tree is not published."""

    def __init__(self, verdicts: Sequence[Verdict]) -> None:
        super().__init__(verdicts)
        self.verdicts = verdicts

    def print(self, out: Path) -> int:
        for verdict in self.verdicts:
            first, *rest = verdict.lines()
            print_problem(first)
            for line in rest:
                print(f"  {one_line(line)}", file=sys.stderr)
        print_problem(f'"{out}" is unchanged: set the version in game.yaml, then build again')
        return CONTENT_ERROR if all(numbers(verdict.version) for verdict in self.verdicts) else USAGE_ERROR


class VersionCheck:
    """Compares the data of a new tree with earlier data before the tree is published."""

    def __init__(self, judge: Callable[[Path], Iterable[Verdict]], *, refuses: bool) -> None:
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
    if against is not None:
        released = read_released(against)
        return VersionCheck(lambda tree: judge(released, tree), refuses=True)
    if is_release:
        return VersionCheck(
            lambda tree: judge(read_released(out) if (out / MANIFEST).is_file() else {}, tree), refuses=True
        )
    return VersionCheck(lambda tree: drifted(out, tree), refuses=False)

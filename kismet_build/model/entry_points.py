"""Functions that other packages provide, registered as entry points in a group, under a name.

The functions of kismet itself are registered in the same groups. kismet's functions are also listed in code, because
reading the entry points of all installed packages takes longer than many commands. The entry points are read only for
other names.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple

from kismet_build.model.suggestion import did_you_mean_or_list

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class UnusableEntryPoint(Exception):
    """Raised for a name that no package or several packages register, or with a function that cannot be imported."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}: {hint}")
        self.message, self.hint = message, hint


class Registered(NamedTuple):
    """A function that a package registers."""

    name: str
    package: str
    """The package that registers the function; empty for kismet."""
    function: Any

    @property
    def is_ours(self) -> bool:
        return not self.package


@dataclass(frozen=True, slots=True)
class EntryPointGroup:
    """A group of entry points."""

    group: str
    """The name of the group, which packages write in their `pyproject.toml`."""
    noun: str
    """The noun for a function of the group in messages."""
    ours: Mapping[str, str]
    """kismet's own functions by name, each as `module:function`. `pyproject.toml` registers the same functions."""
    kind: type | None = None
    """What a package must register; `None` for any function."""

    def load(self, name: str) -> Registered:
        """The function with this name.

        Raises `UnusableEntryPoint` as `check` does, and if the function cannot be imported or, for ours, was deleted.
        """
        if name in self.ours:
            try:
                return Registered(name, "", resolve_name(self.ours[name]))
            except ModuleNotFoundError as problem:
                message = f'the {self.noun} "{name}" of kismet is not installed'
                raise UnusableEntryPoint(message, str(problem)) from problem
        return self._loaded(self._find(name))

    def check(self, name: str) -> None:
        """Raise `UnusableEntryPoint` unless exactly one function has this name. Does not import the function."""
        if name not in self.ours:
            self._find(name)

    def _find(self, name: str) -> "EntryPoint":
        """The entry point of another package. A name that kismet uses always means kismet's own function."""
        others = self._others()
        if name not in others:
            hint = did_you_mean_or_list(name, sorted({*self.ours, *others}), "choose from")
            raise UnusableEntryPoint(f'there is no {self.noun} "{name}"', hint)
        packages = sorted({_package(found) for found in others[name]})
        if len(others[name]) > 1:
            listed = " and ".join(packages) if len(packages) > 1 else f"{packages[0]} twice"
            raise UnusableEntryPoint(f'the {self.noun} "{name}" is registered by {listed}', "uninstall all but one")
        return others[name][0]

    def names(self) -> list[str]:
        """All names in the group. kismet's own names come first."""
        return [*self.ours, *sorted(self._others().keys() - self.ours.keys())]

    def _others(self) -> dict[str, list["EntryPoint"]]:
        from importlib.metadata import entry_points  # imported when needed: most commands use only our functions

        found: dict[str, list[EntryPoint]] = {}
        for entry_point in entry_points(group=self.group):
            if entry_point.value not in self.ours.values():
                found.setdefault(entry_point.name, []).append(entry_point)
        return found

    def _loaded(self, entry_point: "EntryPoint") -> Registered:
        name, package = entry_point.name, _package(entry_point)
        try:
            function = entry_point.load()
        except (Exception, SystemExit) as problem:  # the code of the package may raise any exception
            why = f"{type(problem).__name__}: {problem}"
            raise UnusableEntryPoint(f'the {self.noun} "{name}" of {package} cannot be loaded', why) from problem
        if not (isinstance(function, self.kind) if self.kind else callable(function)):
            what = self.kind.__name__ if self.kind else "function"
            raise UnusableEntryPoint(f'the {self.noun} "{name}" of {package} is not a {what}', entry_point.value)
        return Registered(name, package, function)


def _package(entry_point: "EntryPoint") -> str:
    return entry_point.dist.name if entry_point.dist else "an unknown package"

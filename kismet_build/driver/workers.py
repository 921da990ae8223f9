"""Other machines that do the work of a build, which an extension or another package connects."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from kismet_build.driver.build_cache import digest_of_digests

Item = TypeVar("Item")
Result = TypeVar("Result")


class Sources(NamedTuple):
    """The files that some work reads."""

    roots: tuple[str, ...]
    """Files and folders."""
    digest: str
    """Digest of the digests of all these files, on the machine that gives the work."""


NO_SOURCES = Sources((), digest_of_digests({}))
"""The sources of work that reads only the tree."""


class Lost(NamedTuple):
    """The workers could not do some work."""

    reason: str


class Workers(Protocol):
    """Machines that do work."""

    def run(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        tree: Path,
        sources: Callable[[Item], Sources] = lambda _: NO_SOURCES,
        raises: tuple[type[Exception], ...] = (),
    ) -> Iterator[tuple[Item, Result | Lost]]:
        """Yield each item with the result of `work` for it, in any order.

        The first items are sent first. `work` may write to `tree`, which all machines must share. `sources` are the
        files that `work` reads; every worker must see the same content. If the files change meanwhile, the work uses
        their new content. A task whose worker ends is given to another worker. An item whose work fails twice is
        `Lost`. An exception of the work that is in `raises` is raised here. Raises `UsageError` if a worker does not
        share the folders or has another version of the program.
        """

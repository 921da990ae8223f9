"""The rendered bundles of a game: a new version of its pack removes those that it outdates."""

from dataclasses import dataclass

from kismet_build.output.tree import OutputFile
from kismet_build.pack import Pack
from kismet_build.render import Key, ShardResult, changed_keys


@dataclass(frozen=True, slots=True)
class Bundle:
    """Files that are rendered together, such as those of one document."""

    files: tuple[OutputFile, ...]
    result: ShardResult
    """What the files of the whole game need of it."""
    asked: frozenset[Key]
    """What was read of the pack to render it."""


class RenderedGame:
    """The bundles of one game that are up to date, by name."""

    def __init__(self, pack: Pack) -> None:
        """Start without bundles."""
        self.pack = pack
        self.bundles: dict[str, Bundle] = {}

    def replace_pack(self, pack: Pack) -> None:
        """Take the next version of the pack: bundles that read something else of it are removed."""
        changed = changed_keys(self.pack, pack)
        self.pack = pack
        self.bundles = {
            name: bundle
            for name, bundle in self.bundles.items()
            if changed is not None and bundle.asked.isdisjoint(changed)
        }

"""The rendered bundles of a game: a new version of its pack removes those that it outdates."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kismet_build.config.game import Game
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


NO_BUNDLES: Mapping[str, Bundle] = MappingProxyType({})


class RenderedGame:
    """The bundles of one game that are up to date, by name."""

    def __init__(self, game: Game, pack: Pack, bundles: Mapping[str, Bundle] = NO_BUNDLES) -> None:
        """Take a game, its pack and the bundles that were rendered of this pack."""
        self.game = game
        """As it was loaded: that of the pack lacks calculators that cannot run."""
        self.pack = pack
        self.bundles = dict(bundles)

    def remove(self, names: Collection[str]) -> None:
        """Remove bundles, so that they are rendered again."""
        self.bundles = {name: bundle for name, bundle in self.bundles.items() if name not in names}

    def replace_pack(self, game: Game, pack: Pack) -> None:
        """Take the next version of the game: bundles that read something of it which differs are removed."""
        changed = changed_keys(self.pack, pack)
        self.game, self.pack = game, pack
        self.remove(
            [name for name, bundle in self.bundles.items() if changed is None or not bundle.asked.isdisjoint(changed)]
        )

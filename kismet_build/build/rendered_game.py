"""The rendered bundles of a game. When its pack is replaced, the outdated bundles are removed."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kismet_build.config.game import Game
from kismet_build.output.tree import OutputFile
from kismet_build.pack import Pack
from kismet_build.render import Key, Parts, changed_keys


@dataclass(frozen=True, slots=True)
class Bundle:
    """All files of one document, or a group of pages of the whole game: the unit of rendering."""

    files: tuple[OutputFile, ...]
    parts: Parts
    """What the files about the whole game, such as `pack.json`, need of its document."""
    read_keys: frozenset[Key]
    """The keys of the pack that were read while the bundle was rendered. If one changes, the bundle is outdated."""


NO_BUNDLES: Mapping[str, Bundle] = MappingProxyType({})


class RenderedGame:
    """A compiled game, and its bundles that are up to date."""

    def __init__(self, game: Game, pack: Pack, bundles: Mapping[str, Bundle] = NO_BUNDLES) -> None:
        """`bundles`: those that were rendered from this pack, by name."""
        self.game = game
        """The game as it was loaded. `pack.game` lacks the calculators that cannot run."""
        self.pack = pack
        self.bundles = dict(bundles)

    def remove(self, names: Collection[str]) -> None:
        """Remove bundles, so that they are rendered again."""
        self.bundles = {name: bundle for name, bundle in self.bundles.items() if name not in names}

    def replace_pack(self, game: Game, pack: Pack) -> None:
        """Replace the game and its pack by the next version, and remove the outdated bundles."""
        changed = changed_keys(self.pack, pack)
        self.game, self.pack = game, pack
        outdated = [
            name for name, bundle in self.bundles.items() if changed is None or not bundle.read_keys.isdisjoint(changed)
        ]
        self.remove(outdated)

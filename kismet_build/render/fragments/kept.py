"""The fragments of a book that were made already, in one language of output."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from kismet_build.model.nodes import Block

Made = TypeVar("Made")


def never(_block: Block) -> bool:
    """Keep no fragment."""
    return False


@dataclass(frozen=True, slots=True)
class KeptFragments(Generic[Made]):
    """Makes the fragment of each block once; a block that was made up for one page is not kept."""

    is_kept: Callable[[Block], bool] = never
    """Whether the book has this very block."""
    _made: dict[str, dict[int, tuple[Block, Made]]] = field(default_factory=dict)
    """By document, the fragments with their blocks, by the identity of the block: comparing would walk through it."""

    def get(self, block: Block, make: Callable[[Block], Made]) -> Made:
        """The fragment of a block, which `make` makes."""
        if not self.is_kept(block):
            return make(block)
        made = self._made.setdefault(block.span.source.path, {})
        if id(block) not in made:
            made[id(block)] = (block, make(block))
        return made[id(block)][1]

    def forget(self, path: str) -> None:
        """Drop the fragments of a document, which will not be shown again."""
        self._made.pop(path, None)

"""The fragments of a book that have already been made, in one output language."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from kismet_build.model.nodes import Block

Made = TypeVar("Made")


def never(_block: Block) -> bool:
    """Always false: by default, no fragments are kept."""
    return False


@dataclass(frozen=True, slots=True)
class KeptFragments(Generic[Made]):
    """The fragments of the blocks for which `is_kept` is true, each made once."""

    is_kept: Callable[[Block], bool] = never
    """Whether the book contains this block (the object itself, not an equal one)."""
    _made: dict[str, dict[int, tuple[Block, Made]]] = field(default_factory=dict)
    """For each document, blocks with their fragments. The keys are `id(block)`, as comparing blocks would be slow."""

    def get(self, block: Block, make: Callable[[Block], Made]) -> Made:
        """The fragment of a block: the kept one, or else the result of `make`."""
        if not self.is_kept(block):
            return make(block)
        made = self._made.setdefault(block.span.source.path, {})
        if id(block) not in made:
            made[id(block)] = (block, make(block))
        return made[id(block)][1]

    def forget(self, path: str) -> None:
        """Drop the fragments of a document that will not be shown again."""
        self._made.pop(path, None)

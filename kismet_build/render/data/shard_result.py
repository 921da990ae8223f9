"""What a part of a game gives to the files that all of its parts make together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

LISTS = ("tables", "sections", "dice")
"""What a pack lists of its texts."""


class LinkCard(NamedTuple):
    """What the links to one place show."""

    key: str
    """The address of the place below its game: `grace/bow/`, `court/`, `court/#graces`."""
    html: bytes
    """Its links start at the root of the tree; where another card is shown for it, the key of that one instead."""

    @property
    def group(self) -> str:
        """What is kept together: the cards of a kind, of a chapter, of a folder of chapters."""
        return self.key.partition("/")[0]


@dataclass(slots=True)
class ShardResult:
    """Plain data that takes little room: it waits until every part is made, and comes from other processes."""

    entities: dict[str, list[tuple[int, bytes]]] = field(default_factory=dict)
    """Their data as JSON by kind, each with its place among all of the kind."""
    lists: Mapping[str, bytes] = field(default_factory=dict)
    """By the names of `LISTS`: items one after another, as `items` joins them."""
    dice: list[str] = field(default_factory=list)
    """What can be rolled in the texts, as often as it stands there."""
    cards: list[LinkCard] = field(default_factory=list)
    rolled: set[str] = field(default_factory=set)
    """What can be rolled on the pages."""

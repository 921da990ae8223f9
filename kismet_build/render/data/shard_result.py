"""Result of rendering one shard of a game: the input of the files about the whole game."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

LISTS = ("tables", "sections", "corrections", "dice")
"""Keys of the lists in a published pack that come from its documents."""


SearchLine = tuple[tuple[tuple[str, str], ...], str]
"""The line that search shows for an entity or section: names of fields with values, and the first words."""


class LinkPreview(NamedTuple):
    """Content of the popup on links to one target."""

    key: str
    """Address of the target below its game: `grace/bow/`, `court/`, `court/#graces`."""
    html: bytes
    """HTML whose links start at the root of the tree; or the key of the preview that is shown instead."""

    @property
    def group(self) -> str:
        """The kind, chapter or folder of the target; `index` for the home page. A group shares a file if it fits."""
        return "index" if self.key.startswith("#") else self.key.partition("/")[0]


@dataclass(slots=True)
class ShardResult:
    """Plain data, sent from a worker process and held in memory until all shards are rendered."""

    entities: dict[str, list[tuple[int, bytes]]] = field(default_factory=dict)
    """For each kind, the position of each entity in the kind and its JSON."""
    lists: Mapping[str, bytes] = field(default_factory=dict)
    """For each name in `LISTS`, JSON list items as `items` joins them."""
    dice: list[str] = field(default_factory=list)
    """Dice notations in the documents, with duplicates."""
    link_previews: list[LinkPreview] = field(default_factory=list)
    search_lines: dict[str, SearchLine] = field(default_factory=dict)
    """By entity id or `section_key`."""
    missing_documents: list[str] = field(default_factory=list)
    """The paths by which links of the documents name missing ones, with duplicates."""
    rolled: set[str] = field(default_factory=set)
    """Dice notations on the rendered pages."""

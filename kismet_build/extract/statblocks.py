"""Statblocks as records: the kind of a statblock, and whether it is the record of its whole note."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kismet_build.model.nodes import Document, Statblock
from kismet_build.model.source import file_stem
from kismet_build.model.text_normalization import folder_name, normalize, slug

DEFAULT_KIND = "monster"
"""The kind of statblocks with a layout that does not name a kind."""
DEFAULT_LAYOUT = re.compile(r"basic\b.*|.*\bmonsters?\b.*", re.IGNORECASE)
"""The names of layouts of the default kind."""


MIN_NUMBERS = 2
"""Minimum number of numeric properties that make a note with `statblock: inline` a statblock by itself."""


class StatblockRecord(NamedTuple):
    """A statblock, or a note marked as a statblock, as a record."""

    kind: str
    """The kind named by the layout, as an id."""
    name: str
    """The name of the statblock; empty if only the note has a name."""
    data: Mapping[str, Any]
    block: Statblock | None
    """The statblock; `None` for a note that is a record by its properties alone."""
    is_note: bool
    """Whether the record is the whole note."""


def layout_kind(layout: str) -> str:
    """The id of the kind that a layout names; `DEFAULT_KIND` for an empty layout or a default one."""
    if not layout.strip() or DEFAULT_LAYOUT.fullmatch(layout.strip()):
        return DEFAULT_KIND
    return folder_name(re.sub(r"(?<!\s)\s+layout\s*$", "", layout, flags=re.IGNORECASE))


def note_data(document: Document) -> Mapping[str, Any]:
    """The properties of a note. If the note has a single statblock, values in the statblock override its properties."""
    block = _only(document.statblocks)
    return document.metadata if block is None else _joined(document.metadata, block.data)


def statblock_records(document: Document) -> tuple[StatblockRecord, ...]:
    """The statblocks of a note that are records.

    If a note has one statblock, the record is the whole note, provided that the property `statblock` is set, or that
    the statblock has no name or that of the note. In all other notes with statblocks, each named statblock is a record.

    A note without a statblock is a record if its property `statblock` is true, or is a word such as `inline` and at
    least `MIN_NUMBERS` of its properties are numbers.

    There are no records if `statblock` is false, or if the properties cannot be read.
    """
    metadata = document.metadata
    blocks = document.statblocks
    mark = metadata.get("statblock")
    is_marked = mark is True or (isinstance(mark, str) and mark.casefold() not in ("", "false"))
    if document.has_invalid_metadata or mark is False:
        return ()
    block = _only(blocks)
    if not blocks:
        if mark is not True and (not is_marked or sum(map(_is_number, metadata.values())) < MIN_NUMBERS):
            return ()
        name = metadata.get("name")
        layout = metadata.get("layout")
        kind = layout_kind(layout if isinstance(layout, str) else "")
        return (StatblockRecord(kind, name if isinstance(name, str) else "", metadata, None, is_note=True),)
    names = {slug(name) for name in (file_stem(document.source.path), *document.aliases)}
    if block is not None and (is_marked or not block.name or slug(block.name) in names):
        data = _joined(metadata, block.data)
        return (StatblockRecord(layout_kind(block.layout), block.name, data, block, is_note=True),)
    return tuple(
        StatblockRecord(layout_kind(block.layout), block.name, block.data, block, is_note=False)
        for block in blocks
        if block.name
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _only(blocks: Sequence[Statblock]) -> Statblock | None:
    return blocks[0] if len(blocks) == 1 else None


def _joined(properties: Mapping[str, Any], own: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values of a statblock, then the properties of its note with other names."""
    names = {normalize(key) for key in own}
    return {**own, **{key: value for key, value in properties.items() if normalize(key) not in names}}

"""Load `corrections.yaml`: the places where the text of a game differs from its printed source, and why."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kismet_build.config.data_file import InvalidData, read_entries
from kismet_build.model.diagnostic import Report
from kismet_build.model.source import Span

CORRECTIONS_FILE = "corrections"
"""Name of an optional file in the folder of `game.yaml`, without suffix."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A value of an entity, or words of a section, that differ from the printed source."""

    field: str
    """`name`, `title`, `text`, or the path of a field: `ranges.8d4`, `levels[2].cost`."""
    printed: str
    taken: str
    """The words that replace the printed ones; empty if the value of the field replaces them."""
    reason: str
    span: Span
    """The span of the printed words in the text, or of the entry in the data file."""


def load_corrections(file: Path, report: Report) -> dict[str, tuple[Correction, ...]]:
    """The corrections of a game by the local id of their entity or section: `kind/slug`.

    Invalid entries are reported and left out.
    """
    try:
        _, data, valid = read_entries(file, file.name, "invalid-corrections", "corrections", report)
    except InvalidData:
        return {}
    return {
        subject: tuple(
            Correction(
                entry["field"], entry["printed"], entry.get("taken", ""), entry["reason"], data.span_of(subject, index)
            )
            for index, entry in enumerate(entries)
        )
        for subject, entries in data.value.items()
        if subject in valid
    }


def value_at(fields: Mapping[str, Any], path: str) -> Any:
    """The value at the path of a field or part, such as `levels[2].cost`, or `None`."""
    value: Any = fields
    for key in re.findall(r"[^.\[\]]+", path):
        match value:
            case list() if key.isdigit() and int(key) < len(value):
                value = value[int(key)]
            case Mapping():
                value = value.get(key)
            case _:
                return None
    return value

"""A made-up game on one screen, for tests that break it."""

from pathlib import Path

GAME = """\
id: ember-court
title: Ember Court
version: 1.0.0
licence: CC0 1.0
kinds: kinds
sources:
  - {glob: '**/*.md', dialect: obsidian}
"""

KIND = """\
title: Grace
x-match: {heading: 3, under: Graces}
required: [id, name, cost]
additionalProperties: false
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title}
  cost: {type: integer, x-from: 'label:Cost'}
"""

TEXT = """\
# Court

Every guest has one of the [[#Graces|graces]].

## Graces

### Bow

You bend, and the room forgives you.

**Cost:** 2

### Whisper

Two people hear you, no more. It follows [[#Bow]].

**Cost:** 3
"""


def write_library(folder: Path, **changes: str) -> Path:
    """Write the game into a folder; `game`, `kind` and `text` replace what usually stands there."""
    files = {
        "game.yaml": changes.get("game", GAME),
        "kinds/grace.yaml": changes.get("kind", KIND),
        "1 Court.md": changes.get("text", TEXT),
    }
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder

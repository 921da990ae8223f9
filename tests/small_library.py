"""A small made-up game, for tests that change it."""

from pathlib import Path

from tests.command import write_files

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

CALCULATORS = """\
far-jump:
  title: Far Jump
  inputs:
    speed: {label: Speed, type: integer, unit: tiles, min: 0, max: 20, default: 6}
    grace: {label: Grace, type: entity, pick: grace, default: bow}
    cold: {label: Cold, type: boolean, default: false}
    wind: {label: Wind, type: choice, options: [none, from ahead, from behind], default: none}
    others: {label: Other graces, type: entity, pick: grace, many: true, default: []}
  steps:
    half:
      label: Half of it
      formula: speed / 2
      says: Nobody jumps as far as they walk
      citation: &bow {document: 1 Court, heading: Bow, quote: You bend}
  formula: >-
    half + 1[tiles] * (grace.cost + sum(others.cost))
    - (if cold then 1 else 0) + (if wind == "from behind" then 1 else 0)
  result: {unit: tiles, label: Distance, sentence: "With {grace} you jump {result}"}
  citation: *bow
  readings:
    - {title: In whole tiles, formula: floor(half), citation: *bow}
  reason: Nothing is said of rounding
share:
  title: Share
  inputs:
    guests: {label: Guests, type: integer, min: 0, max: 9, default: 3}
  formula: 12 / guests
  result: {sentence: "Each of {guests} has {result}"}
  citation: {document: 1 Court, heading: Whisper, quote: no more}
"""


def write_library(folder: Path, **changes: str) -> Path:
    """`changes`: other contents for `game`, `kind` and `text`."""
    files = {
        "game.yaml": changes.get("game", GAME),
        "kinds/grace.yaml": changes.get("kind", KIND),
        "1 Court.md": changes.get("text", TEXT),
    }
    return write_files(folder, files)

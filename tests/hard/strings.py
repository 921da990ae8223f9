"""A vault and a game that have each string that an author can write: titles, names, labels, tags, captions.

`with_strings` makes them long. In a text, «name» is the place of a string.
"""

import re
from collections.abc import Collection, Mapping
from itertools import chain

VAULT: Mapping[str, str] = {
    f"«folder»/«file»{number}.md": f"""\
---
title: «title» {number}
harm: {number}
«short key»: a
? «key»
: «property»
list: [«list item», b]
tags: [«property tag», a]
aliases: [«alias» {number}]
---

# «heading»

ж See [[«file»{number % 3 + 1}|«link label»]], [ж](Text.md "«link title»"), [«text of a link»](Text.md), «mention».

#«tag» ж [«inline key»:: «inline value»]

**«label»:** ж «words»

«field»:: ж

- **«item label»:** ж
- «list item of the text»

> [!note] «title of a callout»
> ж

Table: «caption»

| «column» | b |
| --- | --- |
| «cell» | ж |

![«alternative text»](https://example.org/a.png)

ж[^a] `«code»` `dice: 1d6|«label of dice»`

[^a]: ж «footnote»

## «section»

ж ^«block»

«term»
: ж «definition»

```statblock
name: «name of a statblock» {number}
«short key of a statblock»: a
traits:
  - name: «trait»
    desc: «description of a trait»
```
"""
    for number in (1, 2, 3)
} | {
    "Text.md": "ж [[Missing «missing link»]] and ![[«embed»]]\n",
    "Text.adoc": """\
= «title of AsciiDoc»
:a: «attribute of AsciiDoc»

ж {a}

[#«id of AsciiDoc»]
== «section of AsciiDoc»

.«caption of AsciiDoc»
|===
|«column of AsciiDoc» |b

|ж |«cell of AsciiDoc»
|===

.«title of an example»
====
ж
====

«term of AsciiDoc»:: ж link:https://example.org[«label of AsciiDoc»] footnote:[«footnote of AsciiDoc»]
""",
}
"""A folder of three notes that are a kind, and two texts."""

GAME: Mapping[str, str] = {
    "game.yaml": """\
id: fen
title: Fen «title of the game»
version: 1.0.0
description: «description of the game»
licence: «licence»
authors: [«author»]
kinds: kinds
calculators: [far-jump]
sources:
  - {glob: '*.md', dialect: obsidian}
rules:
  «rule»: Rules
words:
  rounds: «word of an effect»
search:
  Swim: [«word of search»]
""",
    "kinds/skill.yaml": """\
title: «title of a kind»
description: «description of a kind»
x-plural: «plural of a kind»
x-match: {heading: 3, under: Skills}
required: [id, name]
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title}
  cost: {title: «title of a field», description: «description of a field», x-from: 'label:Cost'}
""",
    "calculators/jumps.yaml": """\
far-jump:
  title: «title of a calculator»
  inputs:
    speed: {label: «label of an input», type: integer, unit: tiles, min: 0, max: 20, default: 6}
    wind: {label: Wind, type: choice, options: [none, «option»], default: none}
    skill: {label: Skill, type: entity, pick: skill, default: swim}
  steps:
    half:
      label: «label of a step»
      formula: speed / 2
      says: «words of a step»
      citation: &text {document: Text, heading: Swim, quote: Like a fish}
  formula: half
  answers: «question of a calculator»
  result: {label: «label of a result», unit: tiles, sentence: "«sentence» {result}"}
  citation: *text
  readings:
    - {title: «title of a reading», formula: floor(half), citation: *text}
  reason: «reason»
""",
    "Text.md": """\
# Text

ж

## Rules

ж «words of a rule»

## Skills

### Swim

ж Like a fish.

**Cost:** «cost»

### «name»

ж

**Cost:** b
""",
}
"""A game with two entities and a calculator."""

PLACE = re.compile("«(.*?)»")
MAX_LENGTHS = {
    **dict.fromkeys(("file", "folder"), 200),  # a name has at most 255 bytes, with what the compiler adds
    **dict.fromkeys(("short key", "short key of a statblock", "rule"), 1_000),  # the line of YAML must be a key
}
"""The places with a limited length."""


def places(files: Mapping[str, str]) -> list[str]:
    return [*dict.fromkeys(PLACE.findall("".join(chain.from_iterable(files.items()))))]


def with_strings(files: Mapping[str, str], string: str, names: Collection[str]) -> dict[str, str]:
    """The files, where each of these places has its name followed by a string, and all others only have their names."""

    def string_at(match: re.Match[str]) -> str:
        name = match[1]
        return f"{name} {string}"[: MAX_LENGTHS.get(name)].strip() if name in names else name

    return {PLACE.sub(string_at, path): PLACE.sub(string_at, text) for path, text in files.items()}


def mixed(length: int) -> str:
    """A string of short words, words with hyphens and one long word."""
    third = length // 3
    return f"{('crow stone ' * third)[:third]} {('ab-' * third)[:third]}n {'x' * third}n"

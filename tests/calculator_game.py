"""A made-up game with calculators of every type, for tests of calculator pages and scripts."""

from pathlib import Path

from tests.command import write_files
from tests.small_library import GAME, KIND

TEXT = """\
# Court

Every guest has one of the [[#Graces|graces]].

## Graces

### Bow

You bend, and the room forgives you.

**Cost:** 2

### Whisper

Two people hear you, no more.

**Cost:** 3

## Favor

A guest's **favor** is their rank plus “5”. A guest of rank 4 has a favor of 9.

Two things are at work:

- At the ball, favor counts double.
- In the garden, the Queen's mood is added.

Some say that favor is halved in the garden, others that it is not.

| Rank | Seats |
| --- | --- |
| 1 | 2 |
| 2 | 4 |

## Duels

A duel is 1d10 plus your rank: meet the Queen's number and you win. Nobody divides by a rank of 0.

> [!note] Second thoughts
> Each grace spends its cost.

![[#Favor]]
"""

CALCULATORS = """\
favor:
  title: Favor
  inputs:
    rank: {label: Rank, type: integer, min: -3, max: 20, default: 3}
  formula: rank + 5
  result: {sentence: 'Rank +{rank} makes a favor of {result}'}
  citation: {document: 1 Court, heading: Favor, quote: rank plus "5"}
  examples:
    - {inputs: {rank: 4}, result: 9, citation: {document: 1 Court, heading: Favor, quote: has a favor of 9}}

garden:
  title: Favor in the Garden
  inputs:
    rank: {label: Rank, type: integer, min: 0, max: 5, default: 3}
    mood: {label: Mood, type: choice, options: [fair, foul], default: fair}
    masked: {label: Masked, type: boolean, default: false}
  steps:
    plain: {label: Favor elsewhere, formula: favor(rank)}
    swing:
      label: Mood of the Queen
      formula: 'if mood == "fair" then 1 else -1'
      says: She is easily bored
      citation: {document: 1 Court, heading: Favor, quote: the Queen's mood is added}
  formula: if masked then 0 else plain + swing
  result: {label: Favor there, sentence: 'In a {mood} mood the favor is {result}'}
  citation: {document: 1 Court, heading: Favor, quote: Two things are at work}
  readings:
    - title: Halved
      formula: floor((plain + swing) / 2)
      citation: {document: 1 Court, heading: Favor, quote: favor is halved in the garden}
  reason: Most tables play it so

seats:
  title: Seats
  inputs:
    rank: {label: Rank, type: integer, min: 1, max: 12, default: 1}
  formula: rank // 4
  result: {label: Seats, sentence: 'Rank {rank} has {result} seats'}
  citation: {document: 1 Court, heading: Favor, quote: Seats}

duel:
  title: Chance in a Duel
  inputs:
    rank: {label: Rank, type: integer, min: 0, max: 20, default: 3}
    target: {label: Number of the Queen, type: integer, min: 1, max: 40, default: 9}
  formula: chance(dice("1d10"), target - rank)
  result: {type: chance, label: Chance to win, sentence: 'Rank {rank} wins in {result} of duels'}
  odds: {dice: 'dice("1d10")', add: rank, target: target}
  citation: {document: 1 Court, heading: Duels, quote: meet the Queen's number}

toasts:
  title: Toasts
  inputs:
    guests: {label: Guests, type: integer, min: 1, max: 12, step: 3, default: 7}
  formula: 2 * guests
  result: {label: Toasts, sentence: '{guests} guests raise {result} toasts'}
  citation: {document: 1 Court, heading: Duels, quote: meet the Queen's number}

share:
  title: Share of a Prize
  inputs:
    rank: {label: Rank, type: integer, min: 0, max: 4, default: 2}
    prize: {label: Prize, type: integer, min: 0, max: 1000, unit: gold pieces, default: 100}
  formula: prize / rank
  result: {unit: gold pieces, label: Share, sentence: 'Each gets {result}'}
  citation: {document: 1 Court, heading: Duels, quote: Nobody divides by a rank}

cost:
  title: Cost of a Grace
  inputs:
    grace: {label: Grace, type: entity, pick: grace, default: bow}
  formula: grace.cost
  result: {label: Cost, sentence: '{grace} costs {result}'}
  citation: {document: 1 Court, heading: Duels, quote: spends its cost}

evening:
  title: An Evening at Court
  sheet: true
  inputs:
    graces: {label: Graces, type: entity, pick: grace, many: true, default: [whisper]}
    rank: {group: You, label: Rank, type: integer, min: 0, max: 20, default: 3}
    late: {group: You, label: You come late, type: boolean, default: true}
  steps:
    spent: {label: Spent on graces, formula: sum(graces.cost)}
    turns: {label: Guests you meet, type: outcomes, formula: '[[0, 0.5], [rank, 0.5]]'}
  formula: favor(rank) - spent - (if late then 1 else 0)
  result: {label: Favor left, sentence: 'With {graces}, {result} of your favor is left'}
  citation: {document: 1 Court, heading: Graces, quote: the room forgives you}
"""


def write_calculator_game(folder: Path, calculators: str = CALCULATORS, text: str = TEXT) -> Path:
    files = {
        "game.yaml": GAME,
        "kinds/grace.yaml": KIND,
        "1 Court.md": text,
        "calculators/court.yaml": calculators,
    }
    return write_files(folder, files)

"""A small made-up game in German, with one of each thing that pages show."""

from pathlib import Path

from tests.command import write_files

GAME = """\
id: glutsaal
title: Glutsaal
version: 1.2.0
language: de
description: Höfische Duelle am Rand eines Vulkans; gewürfelt wird mit einem Zehner.
licence: CC0 1.0
attribution: Erdacht für eine Prüfung.
notices: [Alle Namen sind erfunden.]
start: Am Hof
kinds: kinds
sources:
  - {glob: '**/*.md', dialect: obsidian}
rules:
  Gunst: Gunst
search:
  Gunst: [Ansehen, Ruhm]
rolls:
  duell:
    title: Duelle
    calculator: duell
    inputs: {rang: rang}
statistics: {tempo: Tempo}
words: {rang: Rang, runde: Runde}
boards:
  - id: spieltisch
    title: Spieltisch
    description: Gaben und Zustände auf einem Blatt.
    parts:
      - {kind: gabe, as: table, fields: [kosten, gewicht]}
      - {kind: zustand, fields: [text]}
      - {calculator: duell}
"""

GABE = """\
title: Gabe
x-plural: Gaben
x-match: {heading: 3, under: Gaben}
required: [id, name, kosten]
additionalProperties: false
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title}
  kosten: {type: integer, x-from: 'label:Kosten'}
  gewicht: {type: number, x-from: 'label:Gewicht'}
  schule: {type: string, x-from: 'label:Schule'}
  schaden: {type: string, format: dice, x-from: 'label:Schaden'}
"""

ZUSTAND = """\
title: Zustand
x-plural: Zustände
x-match: {heading: 3, under: Zustände}
required: [id, name, text]
additionalProperties: false
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title}
  text: {type: string, x-from: text}
"""

HOF = """\
---
tags: [hof, hof/ball]
---
# Am Hof

Jeder Gast hat eine der [[#Gaben|Gaben]]. Wer sie nutzt, kann [[#Verwirrt]] werden. Mehr steht bei [[Drachen]].

## Gunst

Die **Gunst** eines Gastes ist sein Rang plus 5. Ein Gast von Rang 4 hat eine Gunst von 9.[^1]

[^1]: So steht es im Protokoll.

> [!question] Zählt die Gunst auch nachts?
> Das Buch sagt es nicht.

> [!important]
> Gunst verfällt nie.

## Gaben

### Äther

Du atmest Licht. Der Wurf ist 2W6 + 3.

**Kosten:** 2
**Gewicht:** 1,5
**Schule:** Feuer
**Schaden:** 2W6

### Apfelregen

Früchte fallen, siehe [[#Verwirrt]].

**Kosten:** 3
**Gewicht:** 0,5
**Schule:** Wasser
**Schaden:** 1W8

### Azurblick

Blau wird alles.

**Kosten:** 12
**Gewicht:** 10
**Schule:** Feuer
**Schaden:** 3W6

### Zorn

Du schreist.

**Kosten:** 1
**Gewicht:** 2,25

## Zustände

### Verwirrt

Wer verwirrt ist, verliert die Richtung.

### Geblendet

Wer geblendet ist, sieht nichts.
"""

DUELLE = """\
# Duelle am Hof der Glutkönigin und ihrer Verbündeten

Ein Duell ist 1W10 plus dein Rang: Triff die Zahl der Königin. Niemand teilt durch einen Rang von 0.

## Patzer

| W6 | Folge |
| --- | --- |
| 1–2 | Verwirrt |
| 3–5 | Geblendet |
| 6 | Nichts |

## Preise

| Rang | Preis |
| --- | --- |
| 1 | 1,5 Taler |
| 2 | 1.500 Taler |
"""

RECHNER = """\
gunst:
  title: Gunst
  inputs:
    rang: {label: Rang, type: integer, min: -3, max: 20, default: 3}
    laune: {label: Laune, type: choice, options: [gut, schlecht], default: gut}
    maske: {label: Mit Maske, type: boolean, default: false}
    gabe: {label: Gabe, type: entity, pick: gabe, default: zorn}
    andere: {label: Andere Gaben, type: entity, pick: gabe, many: true, default: []}
  steps:
    halb: {label: Die Hälfte davon, formula: rang / 2}
  formula: 'if maske then 0 else rang + 5 + gabe.kosten / 4 + sum(andere.kosten)'
  result: {label: Gunst, sentence: 'Rang +{rang} ergibt eine Gunst von {result}'}
  citation: {document: Am Hof, heading: Gunst, quote: Rang plus 5}
  readings:
    - title: Ganze Punkte
      formula: floor(rang / 2)
      citation: {document: Am Hof, heading: Gunst, quote: Die Gunst eines Gastes}
  reason: So spielen es die meisten
  examples:
    - inputs: {rang: 4, gabe: azurblick}
      result: 12
      citation: {document: Am Hof, heading: Gunst, quote: eine Gunst von 9}
duell:
  title: Chance im Duell
  sheet: true
  inputs:
    rang: {label: Rang, type: integer, min: 0, max: 20, default: 3}
    ziel: {label: Zahl der Königin, type: integer, min: 1, max: 40, default: 9}
  steps:
    spanne: {label: Mögliche Zahlen, type: outcomes, formula: '[[1, 0.5], [rang, 0.5]]'}
  formula: chance(dice("1d10"), ziel - rang)
  result: {type: chance, label: Chance auf den Sieg, sentence: 'Rang {rang} gewinnt {result} der Duelle'}
  odds: {dice: 'dice("1d10")', add: rang, target: ziel}
  citation: {document: Duelle, heading: Duelle am Hof der Glutkönigin und ihrer Verbündeten, quote: Triff die Zahl}
anteil:
  title: Anteil am Preis
  inputs:
    rang: {label: Rang, type: integer, min: 0, max: 4, default: 2}
    preis: {label: Preis, type: number, unit: Münzen, min: 0, max: 1000, default: 100}
  formula: preis / rang + 0[Münzen]
  result: {unit: Münzen, label: Anteil, sentence: 'Jeder bekommt {result}'}
  citation: {document: Duelle, heading: Duelle am Hof der Glutkönigin und ihrer Verbündeten, quote: Niemand teilt}
"""

EFFEKTE = """\
gabe/ather:
  - roll: duell
    rang: 2
    when: der Saal brennt
    citation: &licht {document: Am Hof, heading: Äther, quote: Du atmest Licht}
  - causes: [zustand/verwirrt]
    against: Geblendete
    lasts: {amount: 2, unit: runde}
    citation: *licht
gabe/zorn:
  - changes: tempo
    by: -1.5
    lasts: {unit: runde}
    citation: {document: Am Hof, heading: Zorn, quote: Du schreist}
  - immune: [zustand/geblendet]
    citation: {document: Am Hof, heading: Zorn, quote: Du schreist}
"""

CORRECTIONS = """\
gabe/zorn:
  - {field: kosten, printed: '10', reason: Auf der Karte steht eine Eins.}
"""

LIBRARY = """\
title: Regeln vom Vulkan
language: de
url: https://regeln.example/
"""


def write_german_library(folder: Path) -> Path:
    game = {
        "game.yaml": GAME,
        "kinds/gabe.yaml": GABE,
        "kinds/zustand.yaml": ZUSTAND,
        "Am Hof.md": HOF,
        "Duelle.md": DUELLE,
        "calculators/hof.yaml": RECHNER,
        "effects.yaml": EFFEKTE,
        "corrections.yaml": CORRECTIONS,
    }
    return write_files(folder, {"library.yaml": LIBRARY, **{f"glutsaal/{name}": text for name, text in game.items()}})

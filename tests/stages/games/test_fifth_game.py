"""A game can be added with nothing but data: without Python, and without changes to the other games."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from typing import Any

import jsonschema_rs
import pytest
import yaml

from tests.command import CONTENT, GAMES, ROOT, Run, kismet, kismet_process, tree, write_files
from tests.conftest import BuiltTree

ID = "lantern-coast"

GAME = """\
id: lantern-coast
title: Lantern Coast
version: 0.1.0
licence: CC0 1.0
attribution: Made up for a test.
notices: [Nobody owns the Lantern Coast.]
order: [beacon, flare]
sources:
  - {glob: '*.md', dialect: github}
  - {glob: '*.adoc', dialect: asciidoc}
"""

BEACON = """\
title: Beacon
description: A light that ships steer by.
x-match:
  - {heading: 3, under: Towers}
  - {term: definition, under: Small Lights}
required: [id, name, strand, fuel, wicks]
additionalProperties: false
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title}
  strand: {enum: [north, south], x-case: lower, x-from: {above: true, pattern: '^(\\w+) Strand$'}}
  fuel: {type: string, x-unique: true, x-from: ['label:Fuel', 'pattern:burns (\\w+)']}
  wicks:
    type: array
    default: []
    x-from: table:Wick
    items:
      type: object
      properties:
        wick: {type: integer, x-from: 'column:Wick'}
        fathoms:
          type: object
          x-from: column:Fathoms
          properties:
            clear: {type: integer, x-from: 'pattern:^(\\d+)'}
            fog: {type: [integer, 'null'], x-from: 'pattern:/ (\\d+)$'}
"""

FLARE = """\
title: Flare
description: What is told with a light.
x-match: {cells: 3, under: Flares}
required: [id, name, flashes, endures]
additionalProperties: false
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title}
  flashes:
    type: object
    required: [min, max]
    properties: {min: {type: integer}, max: {type: [integer, 'null']}}
    x-from: cell:2
  endures: {type: integer, x-from: 'cell:3'}
"""

TOWERS = """\
# Towers

## North Strand

### Grey Tower

A tower of grey stone; [Old Mast](#old-mast) answers it.

**Fuel:** whale oil

| Wick | Fathoms |
|:----:|:-------:|
| 1    | 300 / 40 |
| 2    | 650     |

## South Strand

### Old Mast

A lamp on what was once a ship.

**Fuel:** tallow
"""

FLARES = """\
= Flares
:keeper: the keeper

Every light can say what {keeper} wants. A flash lasts two seconds.

.What a light says
[%header,cols="2,1,1"]
|===
|Flare |Flashes |Seconds

|Come |1 |2
|Keep off |2-3 |6
|===

== South Strand

=== Small Lights

[[torch]]Torch:: It burns pitch, and lights all of <<South Strand>>.
"""

CALCULATORS = """\
flare-time:
  title: Time of a Flare
  inputs:
    flashes: {label: Flashes, type: integer, min: 1, max: 9, default: 3}
  formula: flashes * 2[seconds]
  result: {unit: seconds, sentence: 'A flare of {flashes} flashes lasts {result}'}
  citation: {document: Flares, heading: Flares, quote: A flash lasts two seconds}
  agrees:
    - {kind: flare, inputs: {flashes: flashes.max}, result: endures}
"""

FILES = {
    f"content/{ID}/game.yaml": GAME,
    f"content/{ID}/Towers.md": TOWERS,
    f"content/{ID}/Flares.adoc": FLARES,
    f"content/{ID}/calculators/flares.yaml": CALCULATORS,
    f"schemas/{ID}/beacon.yaml": BEACON,
    f"schemas/{ID}/flare.yaml": FLARE,
}


@dataclass(frozen=True, slots=True)
class Library:
    folder: Path
    out: Path
    run: Run

    def load(self, path: str) -> Any:
        return json.loads((self.out / "data" / ID / path).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("library")
    copytree(CONTENT, folder / "content")
    copytree(ROOT / "schemas", folder / "schemas")
    write_files(folder, FILES)
    out = folder / "public"
    return Library(folder, out, kismet_process("build", folder / "content", "--out", out))


def test_added_game_is_built_with_the_other_games(library: Library) -> None:
    assert library.run.status == 0, library.run.output
    assert library.load("diagnostics.json") == []
    home = (library.out / "index.html").read_text(encoding="utf-8")
    assert all(f'href="{game}/index.html"' in home for game in (*GAMES, ID))


def test_output_of_other_games_is_unchanged(library: Library, content: BuiltTree) -> None:
    for folder in ("", "data/"):
        for game in GAMES:
            assert tree(library.out / folder / game) == tree(content.folder / folder / game), game


def test_entities_are_extracted_from_markdown_and_asciidoc(library: Library) -> None:
    records = library.load("pack.json")["entities"]
    assert {record["id"]: record["fields"] for records_of_kind in records.values() for record in records_of_kind} == {
        f"{ID}/beacon/grey-tower": {
            "strand": "north",
            "fuel": "whale oil",
            "wicks": [
                {"wick": 1, "fathoms": {"clear": 300, "fog": 40}},
                {"wick": 2, "fathoms": {"clear": 650, "fog": None}},
            ],
        },
        f"{ID}/beacon/old-mast": {"strand": "south", "fuel": "tallow", "wicks": []},
        f"{ID}/beacon/torch": {"strand": "south", "fuel": "pitch", "wicks": []},
        f"{ID}/flare/come": {"flashes": {"min": 1, "max": 1}, "endures": 2},
        f"{ID}/flare/keep-off": {"flashes": {"min": 2, "max": 3}, "endures": 6},
    }
    by_name = {record["name"]: record for records_of_kind in records.values() for record in records_of_kind}
    assert by_name["Old Mast"]["backlinks"] == [f"{ID}/beacon/grey-tower"]
    assert by_name["Torch"]["source"] == {
        "path": "Flares.adoc",
        "line": 19,
        "end_line": 19,
        "headings": ["Flares", "South Strand", "Small Lights"],
    }


def test_pack_is_valid_against_the_types_of_the_added_game(library: Library) -> None:
    pack, schemas = library.load("pack.json"), library.out / "data/schemas"
    schema = json.loads((schemas / ID / "pack.json").read_text(encoding="utf-8"))
    jsonschema_rs.validate(schema, pack)
    assert schema["$id"] == f"urn:kismet-build:3:{ID}:0.1.0:pack"
    assert schema["$defs"]["BeaconWicks"]["properties"]["fathoms"] == {"$ref": "#/$defs/BeaconWicksFathoms"}
    pack["entities"]["beacon"][0]["fields"]["strand"] = "west"
    assert not jsonschema_rs.is_valid(schema, pack)


def test_pages_show_entities_text_and_notices(library: Library) -> None:
    page = (library.out / ID / "beacon/grey-tower/index.html").read_text(encoding="utf-8")
    assert [word for word in ("Grey Tower", "whale oil", "300", "650") if word not in page] == []
    chapter = (library.out / ID / "flares/index.html").read_text(encoding="utf-8")
    assert "Every light can say what the keeper wants." in chapter
    assert 'id="torch"' in chapter
    assert "Nobody owns the Lantern Coast." in (library.out / ID / "index.html").read_text(encoding="utf-8")


def test_calculator_of_the_added_game_runs(library: Library) -> None:
    run = kismet("calc", f"{ID}/flare-time", "flashes=4", "--json", "--library", library.folder / "content")
    answer = json.loads(run.out)
    assert (answer["result"], answer["unit"]) == (8, "seconds")
    assert [calculator["id"] for calculator in library.load("calculators.json")["calculators"]] == [
        f"{ID}/calculator/flare-time"
    ]


def test_table_that_disagrees_with_a_calculator_is_an_error(tmp_path: Path) -> None:
    wrong = {**FILES, f"content/{ID}/Flares.adoc": FLARES.replace("2-3 |6", "2-3 |7")}
    write_files(tmp_path, wrong)
    run = kismet("check", tmp_path / "content" / ID)
    assert run.status == 1
    assert '"endures" of "Keep off" is 7, but "flare-time" gives 6 for flashes 3' in run.output


def test_repeated_value_of_a_unique_field_is_a_warning(tmp_path: Path) -> None:
    write_files(tmp_path, {**FILES, f"content/{ID}/Towers.md": TOWERS.replace("whale oil", "tallow")})
    run = kismet("check", tmp_path / "content" / ID)
    assert run.status == 0
    assert "warning[repeated-value]" in run.output


def words() -> Iterator[str]:
    """Words of the game: its titles, its kinds, and their fields except those that all games have."""
    yield from (ID, yaml.safe_load(GAME)["title"])
    for name, kind in (("beacon", BEACON), ("flare", FLARE)):
        yield name
        yield from yaml.safe_load(kind)["properties"].keys() - {"id", "name"}
    yield from ("fathoms", "Grey Tower", "Keep off")


def test_code_contains_no_words_of_the_added_game() -> None:
    pattern = re.compile(r"(?<![a-z])(" + "|".join(map(re.escape, words())) + r")(?![a-z])", re.IGNORECASE)
    files = [*(ROOT / "kismet_build").rglob("*.py"), *(ROOT / "site").rglob("*.html"), *(ROOT / "site").rglob("*.js")]
    assert len(files) > 80
    matches = [(file.name, hit[0]) for file in files if (hit := pattern.search(file.read_text(encoding="utf-8")))]
    assert matches == []

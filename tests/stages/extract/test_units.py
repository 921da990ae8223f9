"""A unit (`x-unit`) is read after a number, and shown with it to readers and in CSV; data has it in the schema."""

import json
import re
from pathlib import Path

import pytest

from tests.command import kismet, tree, write_files

GAME = """\
id: fleet
title: Fleet
version: 1.0.0
licence: none
sources: [{glob: '**/*.md', dialect: obsidian}]
"""
KIND = """\
title: Ship
x-match: {document: true, folder: Ships}
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title}
  speed: {type: [integer, 'null'], x-unit: knots, x-from: 'meta:speed'}
  load:
    type: object
    x-unit: tons
    x-from: 'meta:load'
    properties: {min: {type: integer}, max: {type: [integer, 'null']}}
  prices: {type: array, x-unit: crowns, x-from: 'meta:prices', items: {type: integer}}
  guns: {title: Number of guns, type: [integer, 'null'], x-unit: guns, x-from: 'meta:guns'}
"""
FLEET = {
    "game.yaml": GAME,
    "kinds/ship.yaml": KIND,
    "Ships/Heron.md": "---\nspeed: 12 knots\nload: 3-5 Tons\nprices: [3 crowns, 1]\nguns: 4 guns\n---\n\nGrey.\n",
    "Ships/Tern.md": "---\nspeed: 1 knot\nload: 2-4\nguns: 2\n---\n\nA white ship.\n",
}


def test_a_unit_stands_wherever_the_value_does(tmp_path: Path) -> None:
    run = kismet("build", write_files(tmp_path / "fleet", FLEET), "--out", tmp_path / "out", "--export", "csv")
    assert run.status == 0, run.output
    files = {path: content.decode("utf-8", "replace") for path, content in tree(tmp_path / "out").items()}
    for page in ("fleet/ship/heron/index.html", "fleet/ship/index.html", "assets/fleet/cards-ship.js"):
        for words in ("12 knots", "3–5 tons", "3 crowns, 1 crown"):
            assert words in re.sub("<[^>]*>", "", files[page]), (page, words)
        assert "4 guns" not in files[page], "the label names the unit"
    assert "speed (knots),load_min,load_max,prices (crowns),guns," in files["data/fleet/csv/ship.csv"]
    assert ",12,3,5," in files["data/fleet/csv/ship.csv"]
    fields = json.loads(files["data/fleet/ship.json"])["entities"][0]["fields"]
    assert fields == {"speed": 12, "load": {"min": 3, "max": 5}, "prices": [3, 1], "guns": 4}
    assert kismet("ask", "speed of the tern", tmp_path / "fleet").out.startswith("Speed: 1 knot\n")


@pytest.mark.parametrize(
    ("schema", "hint"),
    [("type: integer, x-unit: knots,", 'did you mean "9 knots"?'), ("type: integer,", "x-unit: knotts")],
)
def test_other_words_after_a_number_are_reported(schema: str, hint: str, tmp_path: Path) -> None:
    kind = KIND.replace("type: [integer, 'null'], x-unit: knots,", schema)
    notes = {"kinds/ship.yaml": kind, "Ships/Tern.md": "---\nspeed: 9 knotts\n---\n\nA white ship.\n"}
    run = kismet("check", write_files(tmp_path / "fleet", {**FLEET, "Ships/Heron.md": "", **notes}))
    assert run.status == 1
    assert hint in run.out

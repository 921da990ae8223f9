"""The first hour of a tool maker, with the package for Python: `python hour.py RESULT`, the result of a roll."""

import json
import sys

import kismet_data as data
from kismet_data.types import Section, Table


def damage_type(name: str) -> str:
    for item in data.find(name):
        if "kind" in item and item["kind"] == "damage-type-wound":
            return item["fields"]["damage_type"]
    raise LookupError(name)


def bonus_dice() -> list[str]:
    conditions = data.load()["entities"]["condition"]
    return [
        condition["name"]
        for condition in conditions
        if any(
            effect["operation"] == "die" and effect["die"] == "bonus" and effect["whose"] == "attacker"
            for effect in condition["effects"]
        )
    ]


def row(table: Table, result: int) -> list[str]:
    for cells, ranges in zip(table["rows"], table["ranges"], strict=True):
        for part in ranges:
            if (part["min"] is None or part["min"] <= result) and (part["max"] is None or result <= part["max"]):
                return cells
    raise LookupError(result)


def linked_names(section: Section) -> list[str]:
    items = [item for link in section["links"] if (item := data.get(link)) is not None]
    return [item["name"] if "name" in item else item["title"] for item in items if "caption" not in item]


chart = next(item for item in data.find("wounds chart") if "die" in item)
section = next(item for item in data.find("initiative") if "content" in item)
answers = [
    damage_type("blown away"),
    bonus_dice(),
    row(chart, int(sys.argv[1])),
    data.text_of(section),
    linked_names(section),
]
print(json.dumps(answers))

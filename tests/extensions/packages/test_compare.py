"""Two versions of a game's data are compared by id and field, and the difference has a step of the version."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from kismet_build.extensions.packages.compare import Step, compare, next_version, numbers
from kismet_build.output.finished_data import FinishedData, finished_data
from tests.command import kismet, write_files
from tests.small_library import CALCULATORS, KIND, TEXT, write_library

ID = "ember-court"
TABLE = "\n## Weather\n\n| d6 | Sky |\n| --- | --- |\n| 1-3 | Rain |\n| 4-6 | Sun |\n"
FIELDS = (
    "  mood: {x-from: 'label:Mood', anyOf: [{type: string}, {type: 'null'}]}\n"
    "  range: {x-from: 'label:Range', type: object, required: [min, max], additionalProperties: false, "
    "properties: {min: {type: integer}, max: {type: integer}}}\n"
)

Change = Callable[[dict[str, Any], dict[str, Any]], object]
"""Changes a pack and its schema."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("court")
    text = TEXT.replace("**Cost:** 2", "**Cost:** 2\n\n**Mood:** proud\n\n**Range:** 1-3") + TABLE
    library = write_library(folder / "game", text=text, kind=KIND + FIELDS)
    write_files(library, {"calculators/calculators.yaml": CALCULATORS})
    run = kismet("build", library, "--out", folder / "out", "--no-search")
    assert run.status == 0, run.output
    paths = (f"data/{ID}/pack.json", f"data/schemas/{ID}/pack.json")
    return {path: (folder / "out" / path).read_bytes() for path in paths}


def changed(data: dict[str, bytes], change: Change, migrations: str = "[]") -> FinishedData:
    pack, schema = map(json.loads, data.values())
    change(pack, schema)
    files = dict(zip(data, (json.dumps(pack).encode(), json.dumps(schema).encode()), strict=True))
    return finished_data(ID, {**files, f"data/{ID}/migrations.json": migrations.encode()})


def grace(pack: dict[str, Any]) -> Any:
    return pack["entities"]["grace"][0]


def calculator(pack: dict[str, Any]) -> Any:
    return pack["calculators"][0]


def fields(schema: dict[str, Any]) -> Any:
    return schema["$defs"]["GraceFields"]


NOTHING: Change = lambda _pack, _schema: None  # noqa: E731


@pytest.mark.parametrize(
    ("change", "forth", "back"),
    [
        (NOTHING, [], []),
        (
            lambda pack, _: pack["entities"]["grace"].pop(1),
            ["major: 1 removed: grace Whisper"],
            ["minor: 1 added: grace Whisper"],
        ),
        (
            lambda pack, _: pack["calculators"].pop(0),
            ["major: 1 removed: calculator Far Jump"],
            ["minor: 1 added: calculator Far Jump"],
        ),
        (
            lambda _, schema: (fields(schema)["properties"].pop("cost"), fields(schema)["required"].remove("cost")),
            ["major: 1 removed: the field cost of the kind grace"],
            ["minor: 1 added: the field cost of the kind grace"],
        ),
        # A field that no entity has any more is gone, whatever the schema allows.
        (
            lambda pack, _: grace(pack)["fields"].update(mood=None),
            ["major: 1 removed: the field mood of the kind grace", "patch: 1 changed: grace Bow"],
            ["minor: 1 added: the field mood of the kind grace", "patch: 1 changed: grace Bow"],
        ),
        (
            lambda _, schema: fields(schema)["properties"]["cost"].update(type=["integer", "string"]),
            ["major: 1 with another type: the field cost of the kind grace (now also string)"],
            ["minor: 1 with fewer types: the field cost of the kind grace"],
        ),
        (
            lambda _, schema: fields(schema)["properties"]["cost"].update(type="number"),
            ["major: 1 with another type: the field cost of the kind grace (now also number)"],
            ["minor: 1 with fewer types: the field cost of the kind grace"],
        ),
        (
            lambda _, schema: fields(schema)["required"].remove("cost"),
            ["major: 1 with another type: the field cost of the kind grace (now also absent)"],
            ["minor: 1 with fewer types: the field cost of the kind grace"],
        ),
        (
            lambda _, schema: fields(schema)["properties"]["cost"].update(description="What it costs.", minimum=1),
            [],
            [],
        ),
        (
            lambda pack, _: calculator(pack)["inputs"].pop(0),
            ["major: 1 removed: the input speed of calculator Far Jump", "patch: 1 changed: calculator Far Jump"],
            ["minor: 1 added: the input speed of calculator Far Jump", "patch: 1 changed: calculator Far Jump"],
        ),
        (
            lambda pack, _: calculator(pack)["inputs"][3]["options"].remove("none"),
            [
                'major: 1 removed: the input wind "none" of calculator Far Jump',
                "patch: 1 changed: calculator Far Jump",
            ],
            ['minor: 1 added: the input wind "none" of calculator Far Jump', "patch: 1 changed: calculator Far Jump"],
        ),
        (
            lambda pack, _: calculator(pack).update(formula="half"),
            ["patch: 1 changed: calculator Far Jump"],
            ["patch: 1 changed: calculator Far Jump"],
        ),
        (
            lambda pack, _: pack["tables"][0]["columns"].pop(),
            ['major: 1 removed: the column "Sky" of table Weather', "patch: 1 changed: table Weather"],
            ['minor: 1 added: the column "Sky" of table Weather', "patch: 1 changed: table Weather"],
        ),
        (
            lambda pack, _: grace(pack).update(text="Other words."),
            ["patch: 1 changed: grace Bow"],
            ["patch: 1 changed: grace Bow"],
        ),
        (
            lambda pack, _: pack["game"].update(licence="CC BY 4.0"),
            ["patch: 1 changed: the description of the game"],
            ["patch: 1 changed: the description of the game"],
        ),
        (
            lambda pack, _: [entity.update(backlinks=[]) for entity in pack["entities"]["grace"]],
            ["patch: 1 changed only in HTML, links or addresses: grace Bow"],
            ["patch: 1 changed only in HTML, links or addresses: grace Bow"],
        ),
        (
            lambda pack, _: calculator(pack)["citation"]["source"].update(line=3),
            [],
            [],
        ),
        (
            lambda pack, _: pack.update(format=9, entities=None),
            ["major: 1 changed by kismet-build: the format 3 to 9"],
            ["major: 1 changed by kismet-build: the format 9 to 3"],
        ),
        (
            lambda pack, _: pack["entities"].update(
                grace=[{**grace(pack), "id": f"{ID}/grace/{name}", "name": name} for name in "abcde"]
            ),
            ["major: 2 removed: grace Bow, grace Whisper", "minor: 5 added: grace a, grace b, grace c and 2 more"],
            ["major: 5 removed: grace a, grace b, grace c and 2 more", "minor: 2 added: grace Bow, grace Whisper"],
        ),
    ],
)
def test_each_change_has_a_step(data: dict[str, bytes], change: Change, forth: list[str], back: list[str]) -> None:
    one, two = changed(data, NOTHING), changed(data, change)
    assert [*map(str, compare(one, two).changes)] == forth
    assert [*map(str, compare(two, one).changes)] == back


def test_an_id_that_moved_is_major_whatever_says_where_to(data: dict[str, bytes]) -> None:
    def rename(pack: dict[str, Any], _: dict[str, Any], **changes: Any) -> None:
        grace(pack).update({"id": f"{ID}/grace/curtsy", "name": "Curtsy"} | changes)

    old = changed(data, NOTHING)
    line = f"major: 1 renamed: grace Bow (now {ID}/grace/curtsy)"
    aliased = changed(data, lambda pack, schema: rename(pack, schema, aliases=["Bow"]))
    assert [*map(str, compare(old, aliased).changes)] == [line]
    migrations = json.dumps([{"from": f"{ID}/grace/bow", "to": f"{ID}/grace/curtsy", "date": "", "reason": ""}])
    assert [*map(str, compare(old, changed(data, rename, migrations)).changes)] == [line]
    assert compare(old, changed(data, rename)).step is Step.MAJOR


def test_keys_of_an_author_are_values_even_if_they_are_called_like_ours(data: dict[str, bytes]) -> None:
    def cite(pack: dict[str, Any], _: dict[str, Any], source: str = "page 1") -> None:
        grace(pack)["properties"] = {"source": source, "url": source}

    one, two = changed(data, cite), changed(data, lambda pack, schema: cite(pack, schema, "page 2"))
    assert [*map(str, compare(one, two).changes)] == ["patch: 1 changed: grace Bow"]


def test_comparing_changes_nothing(data: dict[str, bytes]) -> None:
    one = changed(data, NOTHING)
    before = deepcopy((one.pack, one.schema))
    compare(one, one)
    assert before == (one.pack, one.schema)


@pytest.mark.parametrize(
    ("version", "patch", "minor", "major"),
    [
        ("1.2.3", (1, 2, 4), (1, 3, 0), (2, 0, 0)),
        ("2", (2, 0, 1), (2, 1, 0), (3, 0, 0)),
        ("2.7", (2, 7, 1), (2, 8, 0), (3, 0, 0)),
        ("0.3", (0, 3, 1), (0, 3, 1), (0, 4, 0)),
    ],
)
def test_next_version(version: str, patch: object, minor: object, major: object) -> None:
    now = numbers(version)
    assert now
    assert [next_version(now, step) for step in Step] == [now, patch, minor, major]


@pytest.mark.parametrize("version", ["", "v1", "1.0.0.0", "1.0.0-beta", "1.", "١", "1 ", "1\n", "9" * 5000])
def test_version_of_another_form_has_no_numbers(version: str) -> None:
    assert numbers(version) is None

"""Nested fields are rendered as small tables and labelled values, are linked, and have backlinks."""

import json
import re
from collections.abc import Mapping

import pytest
from jsonschema import Draft202012Validator

from kismet_build.render.data.schemas import KEYWORDS
from tests.command import kismet

GAME = """\
id: loom
title: Loom
version: 1.0.0
licence: CC0 1.0
kinds: kinds
sources: [{glob: '*.md', dialect: github}]
"""
KINDS = {
    "grade": """\
title: Grade
x-match: {row: Grade, under: Grades}
required: [id, name, ranges]
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: column:Grade}
  ranges:
    type: object
    required: [small, large]
    properties:
      small:
        title: 2d6
        type: [object, 'null']
        properties: &ends {min: {type: integer}, max: {type: [integer, 'null']}}
        x-from: column:2d6
      large: {title: 3d6, type: [object, 'null'], properties: *ends, x-from: 'column:3d6'}
""",
    "craft": """\
title: Craft
x-match: {heading: 2, under: Crafts}
required: [id, name, tasks]
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title}
  tasks:
    type: array
    items:
      type: object
      required: [grade, text]
      properties:
        grade: {type: string, x-from: 'cell:1', x-refers: [grade]}
        text: {type: string, x-from: 'cell:2'}
    x-from: table:Task
""",
}
TEXT = """\
# Grades

| Grade | 2d6    | 3d6 | Note      |
| ----- | ------ | --- | --------- |
| Easy  | -2, -1 | NA  | Rare[^1]  |
| Hard  | 1-3    | 4+  |           |

[^1]: With a footnote, grades have pages.

# Crafts

## Baking

| Grade | Task             |
| ----- | ---------------- |
| Easy  | Bread & ash \\<b> |
| Hard  | Puff pastry      |

## Weaving

| Grade | Task             | Tool |
| ----- | ---------------- | ---- |
| Hard  | A carpet         | Loom |
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    folder = tmp_path_factory.mktemp("loom")
    files = {"game.yaml": GAME, "Text.md": TEXT, **{f"kinds/{name}.yaml": text for name, text in KINDS.items()}}
    for path, text in files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    run = kismet("build", folder, "--out", folder / "out")
    assert run.status == 0, run.output
    out = folder / "out" / "loom"
    pages = {page.parent.relative_to(out).as_posix(): page.read_text(encoding="utf-8") for page in out.rglob("*.html")}
    data = folder / "out/data"
    named = {"data": data / "loom/pack.json", "schema": data / "schemas/loom/craft.json"}
    return {**pages, **{name: file.read_text(encoding="utf-8") for name, file in named.items()}}


def article(page: str) -> str:
    return page[page.index("<article") : page.index("</article>")] if "<article" in page else page


def test_object_field_has_a_column_for_each_property(pages: Mapping[str, str]) -> None:
    rows = re.findall(r"<tr.*?</tr>", article(pages["grade"]), re.DOTALL)
    words = [re.findall(r">([^<>]+)<", row) for row in rows]
    assert words == [
        ["Name", "Ranges"],
        ["2d6", "3d6"],
        ["Easy", "−2 to −1", "—"],
        ["Hard", "1–3", "4+"],
    ]
    assert 'colspan="2"' in rows[0]
    assert 'data-label="Ranges 2d6"' in rows[2]


def test_object_field_on_a_card_has_labels(pages: Mapping[str, str]) -> None:
    easy, hard = (article(pages[f"grade/{name}"]) for name in ("easy", "hard"))
    assert '<dl class="parts"><div><dt>2d6</dt><dd>1–3</dd></div><div><dt>3d6</dt><dd>4+</dd></div></dl>' in hard
    assert '<dl class="parts"><div><dt>2d6</dt><dd>−2 to −1</dd></div></dl>' in easy, "missing values are omitted"


def test_list_of_objects_is_a_table_with_links(pages: Mapping[str, str]) -> None:
    card = article(pages["craft/baking"])
    table = card[card.index('<table class="parts figures">') : card.index("</table>")]
    assert re.findall(r'<th scope="col">(.*?)</th>', table) == ["Grade", "Text"]
    assert '<a href="../../../loom/grade/easy/index.html">Easy</a>' in table
    assert '<td data-label="Text">Bread &amp; ash &lt;b&gt;</td>' in table
    assert "<b>" not in table


def test_kind_table_shows_the_length_of_a_list_of_objects(pages: Mapping[str, str]) -> None:
    rows = re.findall(r"<tr.*?</tr>", article(pages["craft"]), re.DOTALL)
    assert [re.findall(r">([^<>]+)<", row) for row in rows] == [["Name", "Tasks"], ["Baking", "2"], ["Weaving", "1"]]


def test_text_table_that_the_card_shows_completely_is_omitted(pages: Mapping[str, str]) -> None:
    assert article(pages["craft/baking"]).count("Puff pastry") == 1
    assert article(pages["craft/weaving"]).count("A carpet") == 2, (
        "the card does not show the tool, so the table is shown as well"
    )


def test_reference_in_a_nested_field_is_a_backlink(pages: Mapping[str, str]) -> None:
    entities = json.loads(pages["data"])["entities"]
    hard = next(grade for grade in entities["grade"] if grade["name"] == "Hard")
    assert hard["backlinks"] == ["loom/craft/baking", "loom/craft/weaving"]
    baking = entities["craft"][0]
    assert baking["links"] == ["loom/grade/easy", "loom/grade/hard"]
    assert [task["grade"] for task in baking["fields"]["tasks"]] == baking["links"]
    assert "Baking" in pages["grade/hard"].partition("Mentioned in")[2].partition("Weaving")[0]


def test_published_schema_has_no_compiler_keys_and_accepts_the_data(pages: Mapping[str, str]) -> None:
    assert set(re.findall('"(x-[a-z]+)"', pages["schema"])) <= KEYWORDS.keys()
    schema = json.loads(pages["schema"])
    assert schema["$defs"]["CraftFields"]["properties"]["tasks"]["items"] == {"$ref": "#/$defs/CraftTasks"}
    grade, text = schema["$defs"]["CraftTasks"]["properties"].values()
    assert (grade["x-refers"], text) == (["grade"], {"type": "string"})
    for craft in json.loads(pages["data"])["entities"]["craft"]:
        Draft202012Validator(schema).validate({"format": 3, "licence": "", "attribution": "", "entity": craft})

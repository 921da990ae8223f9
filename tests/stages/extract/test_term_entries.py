"""Terms of a definition list are entities: links to them count, and their text occurs once."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.command import kismet

FILES = {
    "game.yaml": """\
id: hearth
title: Hearth
version: 1.0.0
licence: CC0 1.0
kinds: kinds
sources: [{glob: '*.adoc', dialect: asciidoc}]
""",
    "kinds/gift.yaml": """\
title: Gift
x-match: {term: definition, under: Gifts}
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title}
  gives: {type: string, x-from: text}
  price: {type: [integer, 'null'], x-from: 'pattern:for (\\d+) coins'}
""",
    "hearth.adoc": """\
= Hearth

== Gifts

[[lamp]]Lamp::
Light for 3 coins.

Lantern::
As good as a <<lamp,Lamp>>.
""",
}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hearth")
    for path, text in FILES.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    run = kismet("build", folder, "--out", folder / "out")
    assert run.status == 0, run.output
    return folder / "out"


def gifts(out: Path) -> Mapping[str, Mapping[str, object]]:
    entities = json.loads((out / "data/hearth/pack.json").read_text(encoding="utf-8"))["entities"]
    return {gift["name"]: gift for gift in entities["gift"]}


def test_link_to_the_anchor_of_a_term_is_a_link_to_its_entity(out: Path) -> None:
    assert gifts(out)["Lantern"]["links"] == ["hearth/gift/lamp"]
    assert gifts(out)["Lamp"]["backlinks"] == ["hearth/gift/lantern"]


def test_field_equal_to_the_entity_text_has_no_column(out: Path) -> None:
    assert gifts(out)["Lamp"]["fields"] == {"gives": "Light for 3 coins.", "price": 3}
    page = (out / "hearth/gift/index.html").read_text(encoding="utf-8")
    assert re.findall(r'<th scope="col"[^>]*>([^<]+)<', page) == ["Name", "Price", "In short"]

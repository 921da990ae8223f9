"""Question boxes after a list or table stand on the pages of the entities that they name or link."""

import pytest

from kismet_build.model.nodes import plain_text
from kismet_build.pack import Pack
from kismet_build.render.components.question_boxes import question_boxes
from kismet_build.render.site.shards import pages
from tests.custom_game import compile_custom_game

MISHAP = """\
title: Mishap
x-match: {row: Mishap}
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title, x-split: /}
  aliases: {type: array, items: {type: string}}
"""
TEXT = """\
# Mishaps

| Mishap       | Effect         |
|--------------|----------------|
| Fall/Tumble  | You lie down.  |
| Burn         | It hurts.      |
| Sunburn      | It itches.     |
| Drop         | You lose it.   |

> [!question] Can you tumble twice?
> Once is enough. **Ruling:** no.

> [!question] How long do burns last?
> A day or a week. **Ruling:** a day.

> [!question] Who picks it up?
> See [[#Mishaps|the table]]; a [[Drop]] lies where it fell. **Ruling:** anybody.

> [!tip] Drop nothing
> It is a waste.

## Later

> [!question] What does a Fall cost?
> Nothing is said. **Ruling:** nothing.
"""


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Pack:
    return compile_custom_game(tmp_path_factory.mktemp("boxes"), {"mishap": MISHAP}, {"Mishaps": TEXT})


def test_box_belongs_to_the_entities_that_it_names_or_links_in_its_section(pack: Pack) -> None:
    titles = {
        entity.slug: [plain_text(*box.title) for box in question_boxes(pack, entity)]
        for entity in pack.entities["mishap"]
    }
    assert titles == {
        "fall": ["Can you tumble twice?"],
        "burn": ["How long do burns last?"],
        "sunburn": [],
        "drop": ["Who picks it up?"],
    }


def test_box_is_on_the_page_of_its_entity_alone(pack: Pack) -> None:
    asked = {
        page.address for page in pages(pack) if page.role == "entity" and "How long do burns last?" in page.article
    }
    assert asked == {"fen/mishap/burn/"}

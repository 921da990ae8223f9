"""The parts of a section in the data make up the same text as rendering the entire section."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.model.book import Section
from kismet_build.model.nodes import Block, FootnoteDefinition, RawBlock, Table, plain_text
from kismet_build.model.section_text import section_text
from kismet_build.pack import Pack, section_id
from kismet_build.render.data import section_content
from kismet_build.render.data.pack_json import chapter_data, entity_data
from kismet_build.render.data.section_content import _id_context, data_context, footnotes
from kismet_build.render.fragments.markdown import to_markdown
from kismet_build.render.fragments.renderer import to_html
from tests.command import CONTENT, GAMES, write_files
from tests.custom_game import compile_custom_game

VAULT = {
    "Beasts/Heron.md": (
        "---\nsize: 3\n---\n# Heron\n\nA bird of [[Lake]].\n\n## Habits\n\nIt stands still.\n\n"
        "| d4 | Hunt |\n| --- | --- |\n| 1-2 | frog, **fast** |\n| 3-4 | -2 fish |\n\n- one\n- two\n\n## Calls\n\n"
    ),
    "Beasts/Otter.md": "---\nsize: 2\n---\nSwims.[^1] Dives.\n\n## Play\n\nAlways.[^1]\n\n[^1]: In the [[Lake]].\n",
    "Beasts/Adder.md": "---\nsize: 1\n---\n<details>\n\nBites.\n\n## Food\n\nFish.\n\n## Skin\n\n</details>\n\nDry.\n",
    "Beasts/Eel.md": "---\nsize: 4\n---\n> [!note] Long\n> and thin, 2d6\n\n```\na\n\n\nb\n```\n\n![[Heron#Calls]]\n",
    "Lake.md": "Deep. A [[Heron]] stands in it.\n\n# Shore\n\nReeds.\n",
    "Mire.md": "<details>\n\n```statblock\nname: Toad\nhp: 3\n```\n\n</details>\n",
}
"""A plain vault with notes that have several sections, footnotes, HTML and embeds, and a note that is not an entity."""


def compiled(folder: Path) -> Pack:
    (game,) = load_library(folder, None, lambda _: None).games
    return compile_game(game, lambda _: None)


@pytest.fixture(scope="module", params=[*GAMES, "vault"])
def pack(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pack:
    if request.param != "vault":
        return compiled(CONTENT / request.param)
    folder = tmp_path_factory.mktemp("vault")
    write_files(folder, VAULT)
    return compiled(folder)


def data_of(pack: Pack) -> tuple[Mapping[str, Any], Sequence[Any]]:
    chapters = [chapter_data(pack, path) for path in pack.documents]
    encoded = [entity for chapter in chapters for of_kind in chapter.entities.values() for entity in of_kind.values()]
    sections = [json.loads(section) for chapter in chapters for section in chapter.lists["sections"]]
    return {entity["id"]: entity for entity in map(json.loads, encoded)}, sections


def whole(pack: Pack, section: Section) -> dict[str, str]:
    notes = footnotes(section)
    blocks = [block for block in section.blocks if not isinstance(block, FootnoteDefinition)]
    text = [plain_text(*blocks), *(plain_text(*note.children) for note in notes)]
    return {
        "html": to_html(blocks, data_context(pack), {note.label: note for note in notes}).rstrip("\n"),
        "markdown": to_markdown([*blocks, *notes], _id_context(pack)),
        "text": "\n".join(filter(None, text)),
    }


def test_parts_make_the_whole_text(pack: Pack) -> None:
    entities, sections = data_of(pack)
    for section, data in zip(pack.book.all_sections(), sections, strict=True):
        assert data["id"] == section_id(pack.game, section)
        for form, expected in whole(pack, section).items():
            found = data[form] if form == "markdown" else section_text(data, entities, form)
            # Parts are joined by single line ends, where rendering all blocks at once may leave empty lines.
            assert found == expected or (form == "text" and found.split() == expected.split()), (data["id"], form)


def test_entities_have_the_same_text_alone(pack: Pack) -> None:
    entities, _ = data_of(pack)
    for entity in pack.all_entities():
        data = entities[entity.id]
        assert section_content.entity_content(pack, entity) == (data["html"], data["text"]), entity.id


def test_each_block_is_rendered_once(pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exceptions are blocks of several entities, texts with footnotes or the author's HTML, and table rows."""
    rendered: list[Block] = []

    def record(blocks: Sequence[Block], *others: Any) -> str:
        rendered.extend(blocks)
        return to_html(blocks, *others)

    monkeypatch.setattr(section_content, "to_html", record)
    for path, facts in pack.documents.items():
        rendered.clear()
        outline = pack.book.outlines[path]
        document = outline.chapter.document
        section_content.document_content(pack, outline, facts.entities)
        assert rendered
        if document.footnotes or any(isinstance(node, RawBlock) for node in document.blocks):
            continue
        counts = Counter((block.span, type(block)) for block in rendered if not isinstance(block, Table))
        of_entities = Counter((block.span, type(block)) for entity in facts.entities for block in entity.body)
        assert not {key: count for key, count in counts.items() if count > max(of_entities[key], 1)}, path


def test_cells_with_markup_have_html(tmp_path: Path) -> None:
    write_files(tmp_path, VAULT)
    pack = compiled(tmp_path)
    (table,) = map(json.loads, chapter_data(pack, "Beasts/Heron.md").lists["tables"])
    assert table["html"] == [[None, "frog, <strong>fast</strong>"], [None, "−2 fish"]]
    assert [[len(row) for row in table[key]] for key in ("rows", "cells", "html")] == [[2, 2]] * 3


def test_a_note_with_sections_stands_once(tmp_path: Path) -> None:
    write_files(tmp_path, VAULT)
    pack = compiled(tmp_path)
    data = chapter_data(pack, "Beasts/Heron.md")
    (heron,) = next(iter(data.entities.values()))
    parts = [part for section in map(json.loads, data.lists["sections"]) for part in section["content"]]
    assert [part["entity"] for part in parts] == [heron, heron]
    assert all({*part["lines"]} == {"html", "text"} for part in parts)
    encoded = b"".join([*data.lists["sections"], *(entity for of in data.entities.values() for entity in of.values())])
    assert len(re.findall(rb"It stands still\.", encoded)) == 3, "once as HTML, text and Markdown"


def test_text_of_a_term_goes_on_to_the_next_definition(tmp_path: Path) -> None:
    text = """# Fencing

## Steps

Watch your feet.

A **Feint** is a short step. A **Lunge** is a long one.

- It takes an action.
- Your **Reach** is the length of your blade.

> [!question] Both feet?
> Nothing is said. **Ruling:** one.

It ends your turn.

A **Parry** is a step back.

You keep your balance.
"""
    rule = "title: Rule\nx-match: {term: defined}\nproperties:\n  id: {type: string, x-from: slug}\n"
    pack = compile_custom_game(tmp_path, {"rule": rule}, {"Fencing": text})
    data = {entity.slug: entity_data(pack, entity) for entity in pack.entities["rule"]}
    whole = "A Feint is a short step. A Lunge is a long one."
    assert {slug: of["text"].split("\n") for slug, of in data.items()} == {
        "feint": [whole, "It takes an action.", "Your Reach is the length of your blade.", "It ends your turn."],
        "lunge": [whole],
        "reach": ["Your Reach is the length of your blade."],
        "parry": ["A Parry is a step back.", "You keep your balance."],
    }
    assert [ruling["text"] for ruling in data["feint"]["rulings"]] == ["one."]
    [steps] = [json.loads(record) for record in chapter_data(pack, "Fencing.md").lists["sections"]][2:3]
    assert [part.get("entity", "") for part in steps["content"]] == [
        "",
        "fen/rule/feint",
        "",
        "fen/rule/feint",
        "fen/rule/parry",
    ]


@pytest.mark.parametrize("game", GAMES)
def test_no_two_terms_go_on_with_the_same_block(game: str) -> None:
    (found,) = (found for found in load_library(CONTENT, None, lambda _: None).games if found.id == game)
    pack = compile_game(found, lambda _: None)
    uses = Counter(
        block.span
        for entity in pack.entities["rule"]
        for block in pack.rules_body(entity)
        if block.span not in {defining.span for defining in entity.body}
    )
    assert uses
    assert [span for span, number in uses.items() if number > 1] == []

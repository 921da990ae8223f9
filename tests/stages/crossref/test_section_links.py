"""Automatic links to sections and tables, by their headings and captions."""

import json
from pathlib import Path
from typing import Any

import pytest

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.driver.publish import render_library
from kismet_build.model.language import Language
from kismet_build.pack import Pack
from kismet_build.render.data.pack_json import entity_data
from kismet_build.render.fragments.page_context import render_context
from kismet_build.render.fragments.renderer import to_html
from tests.command import CONTENT, GAMES, ROOT
from tests.custom_game import compile_custom_game
from tests.stages.crossref.test_autolinks import KIND
from tests.yaml_file import read_yaml

NAMES = """
# Names

## Marsh

### Bog Lamp

A light over the moor. Some cross the fen without wet feet; a Rest helps.

## CROSSING THE FEN

Keep to the path. Nobody likes crossing the fen.

### Wet Feet

A cold for a week, after crossing the fen.

| Hour | Light |
|------|-------|
| 1    | dim   |

## Table 3-1: Hours of the Tide

Twice a day.

## Names of Power (NOP)

Few know them.

## Rest

Sleep well.

## Lost Paths

None leads home.

## Bog Lamps

A plural.

## Old Songs

One.

# More

## Old Songs

Another.
"""
LINKING = "linking: {kinds: {section: ['{}'], table: ['table of {}']}}\n"
MARSH = {"marsh": KIND.replace("TITLE", "Marsh").replace("UNDER", "Marsh")}


def walk(folder: Path, text: str, linking: str = LINKING) -> Pack:
    return compile_custom_game(folder, MARSH, {"1 Walk": f"# Walk\n\n{text}\n", "2 Names": NAMES}, linking)


def linked(pack: Pack, path: str = "1 Walk.md") -> list[str]:
    """The words of the automatic links of a text, with the sections and entities that they lead to."""
    mentions = [mention for mention in pack.mentions if mention.is_autolink and mention.span.source.path == path]
    return [f"{mention.span.text} -> {mention.target.removeprefix('fen/section/names-')}" for mention in mentions]


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("The rules for Crossing the Fen, crossing the fen.", ["Crossing the Fen -> crossing-the-fen"]),
        ("We were crossing the fen.", ["crossing the fen -> crossing-the-fen"]),
        ("Crossing the fen takes a day.", ["Crossing the fen -> crossing-the-fen"]),
        ("It was a lost path.", ["lost path -> lost-paths"]),
        ("See table 3-1.", ["table 3-1 -> table-3-1-hours-of-the-tide"]),
        ("The table of wet feet; no other.", ["table of wet feet -> wet-feet"]),
        ("One of the names of power, a NOP.", ["names of power -> names-of-power-nop"]),
        ("A NOP of the fen.", ["NOP -> names-of-power-nop"]),
        ("After the Rest, go on.", ["Rest -> rest"]),
        ("We rest. Rest is good.", []),
        ("Most lost paths end. No Deep lost paths.", ["lost paths -> lost-paths"]),
        ("[[2 Names#Rest|Deep]] lost paths.", []),
        ("After the Rest Day, and after Deep Rest.", []),
        ("After [[2 Names#Rest|the Great]] Rest.", []),
        ("We sang Old Songs, old songs.", []),
        ("We saw two Bog Lamps.", ["Bog Lamps -> fen/marsh/bog-lamp"]),
        ("`wet feet` and [[2 Names#Wet Feet]], with wet feet.", []),
    ],
    ids=[
        *("capitals", "lower case", "start of a sentence", "singular", "number", "table", "name before parentheses"),
        *("abbreviation", "one word", "one word in lower case", "word at the start", "link before"),
        *("longer name", "longer name with a link"),
        *("two sections", "entity of the same name", "code and link"),
    ],
)
def test_headings_and_captions_link(text: str, links: list[str], tmp_path: Path) -> None:
    assert linked(walk(tmp_path, text)) == links


def test_headings_link_only_if_the_game_says_so(tmp_path: Path) -> None:
    text = "We were crossing the fen: see the table of wet feet."
    assert linked(walk(tmp_path, text, "")) == []
    assert linked(walk(tmp_path, text, "linking: {kinds: {table: ['table of {}']}}\n")) == [
        "table of wet feet -> wet-feet"
    ]


def test_section_does_not_link_to_itself_or_a_section_around_it(tmp_path: Path) -> None:
    assert linked(walk(tmp_path, "Nothing."), "2 Names.md") == ["wet feet -> wet-feet", "Rest -> rest"]


def test_game_names_other_words_for_a_section_and_words_that_never_link(tmp_path: Path) -> None:
    linking = LINKING.replace("}}", "}, also: {soaked: Wet Feet, rests: rest}, never: [crossing the fen]}")
    text = "Who was crossing the fen is soaked and rests."
    assert linked(walk(tmp_path, text, linking)) == ["soaked -> wet-feet", "rests -> rest"]


def test_one_word_at_the_start_of_a_sentence_is_listed_for_review(tmp_path: Path) -> None:
    [mention] = walk(tmp_path, "Rest is good.").ambiguous_mentions
    assert (mention.text, mention.reason, mention.candidates) == ("Rest", "common", ("fen/section/names-rest",))


def test_pages_and_data_have_the_same_links(tmp_path: Path) -> None:
    pack = walk(tmp_path, "We were crossing the fen.")
    html = to_html(pack.book.chapters[0].document.blocks, render_context(pack, "fen/walk/"))
    assert '<a class="term" href="../../fen/names/#crossing-the-fen">crossing the fen</a>' in html
    lamp = entity_data(pack, pack.by_id["fen/marsh/bog-lamp"])
    assert lamp["links"] == lamp["found_links"] == ["fen/section/names-wet-feet", "fen/section/names-rest"]
    data = json.loads(dict(render_library([pack]))["data/fen/pack.json"])
    sections = {section["id"]: section for section in data["sections"]}
    assert sections["fen/section/walk-walk"]["links"] == ["fen/section/names-crossing-the-fen"]
    assert sections["fen/section/names-crossing-the-fen"]["backlinks"] == ["fen/section/walk-walk"]
    assert "(fen/section/names-crossing-the-fen)" in sections["fen/section/walk-walk"]["markdown"]


def test_renamed_heading_changes_the_links_of_other_texts(tmp_path: Path) -> None:
    before = walk(tmp_path, "We were crossing the fen, over stepping stones.")
    assert linked(before) == ["crossing the fen -> crossing-the-fen"]
    (tmp_path / "2 Names.md").write_text(NAMES.replace("CROSSING THE FEN", "Stepping Stones"), encoding="utf-8")
    [game] = load_library(tmp_path, None, lambda _: None).games
    after = compile_game(game, lambda _: None, previous=before, changed={tmp_path / "2 Names.md"})
    assert linked(after) == ["stepping stones -> stepping-stones"]


@pytest.mark.parametrize("words", ["saving throws", "Wet Boxes", "Old Allies", "Loss", ""])
def test_singular_is_the_word_of_a_plural(words: str) -> None:
    expected = {"saving throws": "saving throw", "Wet Boxes": "Wet Box", "Old Allies": "Old Ally"}
    assert Language("en").regular_singular(words) == expected.get(words, "")
    assert Language("de").regular_singular(words) == ""


# --- precision


@pytest.fixture(scope="module")
def packs() -> dict[str, Pack]:
    games = load_library(CONTENT, None, lambda _: None).games
    return {game.id: compile_game(game, lambda _: None) for game in games}


REVIEWED_LINKS: dict[str, dict[str, dict[str, list[list[Any]]]]] = read_yaml(
    ROOT / "tests" / "facts" / "section-links.yaml"
)


@pytest.mark.parametrize("game", GAMES)
def test_links_to_sections_are_those_that_were_reviewed(packs: dict[str, Pack], game: str) -> None:
    pack = packs[game]
    reviewed: dict[tuple[str, int], tuple[str | None, str]] = {}
    for path, by_title in REVIEWED_LINKS[game].items():
        [source] = [chapter.source for chapter in pack.book.chapters if chapter.source.path == path]
        sections = {section.anchor.title: section for section in pack.book.sections[source]}
        for title, rows in by_title.items():
            section = sections[title]
            position, end = section.anchor.span.start, max(block.span.end for block in section.blocks)
            for before, words, after, target in rows:
                offset = source.text.find(before + words + after, position, end)
                assert offset >= 0, f"{path}, {title}: the text does not contain “{before}{words}{after}”"
                reviewed[path, offset + len(before)] = target, f"{before}[{words}]{after}"
    found: dict[tuple[str, int], str | None] = {
        (mention.span.source.path, mention.span.start): mention.target.rpartition("/")[2]
        for mention in pack.mentions
        if mention.is_autolink and "/section/" in mention.target
    }
    for place, (target, words) in reviewed.items():
        assert found.get(place) == target, words
    unreviewed = [(*place, target) for place, target in found.items() if place not in reviewed]
    assert unreviewed == [], "these links are not in the table yet: read each, and add it"

"""Question boxes: the pages on which they stand, and the rules that they quote."""

import re
from functools import cache
from pathlib import Path

import pytest

from kismet_build.build.pipeline import compile_game
from kismet_build.config.game import load_library
from kismet_build.model.nodes import Callout, plain_text, text_outside_callouts, walk_blocks
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import ELLIPSIS, Pack, QuestionBox
from kismet_build.render.components.question_boxes import question_boxes
from kismet_build.render.site.shards import pages
from tests.command import CONTENT, GAMES
from tests.custom_game import compile_custom_game
from tests.sample import sample

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


# --- the rules that boxes quote


@cache
def shipped(game: str) -> Pack:
    return compiled(CONTENT / game, game)


def compiled(folder: Path, game: str) -> Pack:
    """The texts of a folder, compiled with the settings of a shipped game."""
    library = load_library(folder, CONTENT / game / "game.yaml", lambda _: None)
    return compile_game(library.games[0], lambda _: None)


def boxes(game: str) -> list[QuestionBox]:
    return [box for facts in shipped(game).documents.values() for box in facts.questions]


def test_every_box_quotes_the_rule_that_it_is_about() -> None:
    without = [
        (game, box.title)
        for game in GAMES
        for box in boxes(game)
        if not box.quotations or any(shipped(game).quoted_passage(box, words) is None for words in box.quotations)
    ]
    assert without == []


def edited_texts(pack: Pack, box: QuestionBox, words: str) -> dict[str, str]:
    """The texts of a game after a word of a quotation was replaced wherever the box may quote it from."""
    parts = [normalize(part) for part in ELLIPSIS.split(words)]
    longest = max(re.findall(r"\w+", words), key=len)
    word = re.compile(rf"\b{longest}\b", re.IGNORECASE)
    texts = {chapter.source.path: chapter.source.text for chapter in pack.book.chapters}
    # From the last block to the first, so that no replacement moves the others.
    found = {
        block.span: block
        for section in pack.sections_of_box(box)
        for block in section.blocks
        if all(part in normalize(text_outside_callouts(block)) for part in parts)
    }
    for block in sorted(found.values(), key=lambda block: -block.span.start):
        path = block.span.source.path
        asides = [nested.span for nested in walk_blocks(block) if isinstance(nested, Callout)]
        for match in reversed([*word.finditer(texts[path], block.span.start, block.span.end)]):
            if not any(aside.start <= match.start() < aside.end for aside in asides):
                texts[path] = texts[path][: match.start()] + "otherwise" + texts[path][match.end() :]
    return texts


@pytest.mark.parametrize("game", GAMES)
def test_box_is_reported_when_the_words_that_it_quotes_change(game: str, tmp_path: Path) -> None:
    unreported = []
    for box in sample(boxes(game), 16):
        words = max(box.quotations, key=len)
        for path, text in edited_texts(shipped(game), box, words).items():
            (tmp_path / path).write_text(text, encoding="utf-8")
        reported = [
            diagnostic.span.text
            for diagnostic in compiled(tmp_path, game).diagnostics
            if diagnostic.code == "stale-citation" and diagnostic.message.endswith(f'"{words}"')
        ]
        if not any(normalize(box.title) in normalize(text) for text in reported):
            unreported.append((box.title, words))
    assert not unreported, str(unreported)

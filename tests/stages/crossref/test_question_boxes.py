"""Question boxes are on the pages of the entities that they name or link, and quote the rules that they are about."""

import json
import re
import shutil
from functools import cache
from pathlib import Path

import pytest

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.model.nodes import Callout, RawBlock, plain_text, text_outside_callouts, walk_blocks
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import ELLIPSIS, Pack, QuestionBox
from kismet_build.render.data.pack_json import chapter_data, entity_data
from kismet_build.render.data.section_content import footnotes
from kismet_build.render.site.outputs import pages
from tests.command import CONTENT, GAMES, ROOT, kismet
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
        entity.slug: [plain_text(*box.title) for box in pack.question_boxes(entity)]
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


def test_text_of_an_entity_has_no_question(tmp_path: Path) -> None:
    text = """# Moves

## Fall

You lie down.

> [!question] For how long?
> Nothing is said. **Ruling:** a round.

- Getting up takes an action.

  > [!question] Can you shoot?
  > Perhaps.
"""
    move = "title: Move\nx-match: {heading: 2}\nproperties:\n  id: {type: string, x-from: slug}\n"
    pack = compile_custom_game(tmp_path, {"move": move}, {"Moves": text})
    [fall] = (entity_data(pack, entity) for entity in pack.entities["move"])
    assert fall["text"] == "You lie down.\nGetting up takes an action."
    assert "Ruling" not in fall["html"]
    assert "shoot" not in fall["html"]
    assert fall["rulings"] == [
        {"question": "fen/question/for-how-long", "text": "a round."},
        {"question": "fen/question/can-you-shoot", "text": None},
    ]


@cache
def boxes(game: str) -> tuple[Pack, tuple[QuestionBox, ...]]:
    [library_game] = [found for found in load_library(CONTENT, None, lambda _: None).games if found.id == game]
    pack = compile_game(library_game, lambda _: None)
    return pack, tuple(box for facts in pack.documents.values() for box in facts.questions)


@pytest.mark.parametrize("game", GAMES)
def test_no_ruling_of_our_games_is_in_a_text(game: str) -> None:
    pack, of_game = boxes(game)
    said = {entity.id: normalize(entity_data(pack, entity)["text"]) for entity in pack.all_entities()}
    for box in of_game:
        for words in filter(None, (box.readings, box.ruling)):
            assert [entity_id for entity_id, text in said.items() if normalize(words) in text] == [], box.title


@pytest.mark.parametrize("game", GAMES)
def test_question_boxes_of_our_games_are_parts_of_their_sections(game: str) -> None:
    """Boxes in lists, and in sections with footnotes or raw HTML, cannot be parts."""
    pack, of_game = boxes(game)
    sections = [record for path in pack.documents for record in chapter_data(pack, path).lists["sections"]]
    parts = [part for section in map(json.loads, sections) for part in section["content"]]
    apart = {normalize(part["text"]) for part in parts if "question" in part}
    others = normalize("\n".join(part.get("text", "") for part in parts if "question" not in part))
    divided = [
        box
        for box in of_game
        if box.callout in box.section.blocks
        and not any(isinstance(block, RawBlock) for block in box.section.blocks)
        and not footnotes(box.section)
    ]
    assert len(divided) > 2 / 3 * len(of_game)
    for box in divided:
        assert normalize(plain_text(box.callout)) in apart, box.title
        assert normalize(box.ruling) not in others, box.title


@pytest.mark.parametrize("game", GAMES)
def test_each_question_of_our_games_quotes_its_rule(game: str) -> None:
    """A ruling must be reviewed when its rule changes: the quoted words reveal the change."""
    pack, of_game = boxes(game)
    assert of_game
    assert [box.title for box in of_game if not box.quotations] == []
    for box in of_game:
        assert all(pack.quoted_passage(box, words) for words in box.quotations), box.title


def test_changed_rule_is_named_with_the_question_that_quotes_it(tmp_path: Path) -> None:
    copy = tmp_path / "content" / "kismet"
    shutil.copytree(CONTENT / "kismet", copy)
    shutil.copytree(ROOT / "schemas", tmp_path / "schemas")
    file = copy / "2 CORE RULES.md"
    text = file.read_text(encoding="utf-8")
    assert "**Most Reactions** come" in text
    file.write_text(text.replace("**Most Reactions** come", "**All Reactions** come"), encoding="utf-8")
    run = kismet("check", copy, "--format", "json")
    stale = [json.loads(line)["message"] for line in run.out.splitlines() if '"stale-citation"' in line]
    assert [message for message in stale if "this question" in message and '"Most Reactions"' in message]


def edited_texts(pack: Pack, box: QuestionBox, words: str) -> dict[str, str]:
    """The texts of a game after a word of a quotation was replaced wherever the box may quote it from."""
    parts = [normalize(part) for part in ELLIPSIS.split(words)]
    longest = max(re.findall(r"\w+", words), key=len)
    word = re.compile(rf"\b{longest}\b", re.IGNORECASE)
    texts = {chapter.source.path: chapter.source.text for chapter in pack.book.chapters}
    found = {
        block.span: block
        for section in pack.sections_of_box(box)
        for block in section.blocks
        if all(part in normalize(text_outside_callouts(block)) for part in parts)
    }
    # From the last block to the first, so that no replacement moves the others.
    for block in sorted(found.values(), key=lambda block: -block.span.start):
        path = block.span.source.path
        asides = [nested.span for nested in walk_blocks(block) if isinstance(nested, Callout)]
        for match in reversed([*word.finditer(texts[path], block.span.start, block.span.end)]):
            if not any(aside.start <= match.start() < aside.end for aside in asides):
                texts[path] = texts[path][: match.start()] + "otherwise" + texts[path][match.end() :]
    return texts


@pytest.mark.parametrize("game", GAMES)
def test_question_is_reported_when_the_words_that_it_quotes_change(game: str, tmp_path: Path) -> None:
    pack, of_game = boxes(game)
    unreported = []
    for box in sample(of_game, 16):
        words = max(box.quotations, key=len)
        for path, text in edited_texts(pack, box, words).items():
            (tmp_path / path).write_text(text, encoding="utf-8")
        library = load_library(tmp_path, CONTENT / game / "game.yaml", lambda _: None)
        reported = [
            diagnostic.span.text
            for diagnostic in compile_game(library.games[0], lambda _: None).diagnostics
            if diagnostic.code == "stale-citation" and diagnostic.message.endswith(f'"{words}"')
        ]
        if not any(normalize(box.title) in normalize(text) for text in reported):
            unreported.append((box.title, words))
    assert not unreported, str(unreported)

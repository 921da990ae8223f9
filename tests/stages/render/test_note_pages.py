"""A note that is a single entry has only the page of the entry."""

import json
import re
from pathlib import Path

import pytest

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.driver.publish import render_library
from tests.custom_game import GAME, compile_custom_game

SPELL = """\
title: Spell
x-match: {document: true, pattern: '^(Ember|Torch)$'}
required: [id, name]
additionalProperties: false
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title}
  reach: {type: integer, x-from: 'meta:reach'}
"""
EMBER = """\
---
reach: 9
aliases: [Spark]
---
# Ember

A spark flies, see [[Torch]].

## At night

It shines.
"""
TORCH = "---\nreach: 1\n---\nA torch burns. ^flame\n"
CAMP = "# Camp\n\nLight it with [[Ember]], by [[Ember#At night|night]] too, or see [[Ember#Ember|its title]].\n"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "Spells").mkdir()
    (tmp_path / "Spells" / "Ember.md").write_text(EMBER, encoding="utf-8")
    (tmp_path / "Spells" / "Torch.md").write_text(TORCH, encoding="utf-8")
    sources = "  - {glob: 'Spells/*.md', dialect: obsidian}\n"
    assert GAME.endswith("obsidian}\n")
    pack = compile_custom_game(tmp_path, {"spell": SPELL}, {"Camp": CAMP}, sources)
    return {path: content.decode("utf-8", "replace") for path, content in render_library([pack])}


def links(page: str) -> set[str]:
    return set(re.findall(r'href="([^"#][^"]*)"', page.partition("<article")[2].partition("</article")[0]))


def test_note_has_the_page_of_the_entry_and_no_other(files: dict[str, str]) -> None:
    pages = {path for path, page in files.items() if path.endswith(".html") and 'http-equiv="refresh"' not in page}
    assert {path for path in pages if "ember" in path or "torch" in path} == {
        "fen/spell/ember/index.html",
        "fen/spell/torch/index.html",
    }
    assert 'url=../../../fen/spell/ember/index.html"' in files["fen/spells/ember/index.html"]
    assert 'url=../../fen/spell/index.html"' in files["fen/spells/index.html"]
    assert 'url=../../fen/spell/ember/index.html"' in files["fen/spark/index.html"], "an alias leads there, too"


def test_links_to_the_note_and_its_headings_lead_to_that_page(files: dict[str, str]) -> None:
    page = "../../fen/spell/ember/index.html"
    assert links(files["fen/camp/index.html"]) >= {page, f"{page}#at-night", f"{page}#ember"}
    for heading in ("at-night", "ember"):
        assert f'id="{heading}"' in files["fen/spell/ember/index.html"]


def test_page_shows_fields_text_contents_and_backlinks(files: dict[str, str]) -> None:
    page = files["fen/spell/ember/index.html"]
    assert page.count("<h1") == 1
    assert re.search(r"Reach.*?9", page, re.DOTALL)
    assert "A spark flies" in page
    assert 'href="#at-night"' in page, "the table of contents"
    assert "../../../fen/camp/index.html" in page, "what refers to it"


def test_navigation_search_and_data_know_one_page(files: dict[str, str]) -> None:
    for path, page in files.items():
        if path.endswith(".html") and 'http-equiv="refresh"' not in page:
            assert not re.search(r'href="[^"#]*spells/', page), path
    index = json.loads(files["assets/fen-search.js"].partition("kismet.learn(")[2].removesuffix(");\n"))
    addresses = [address for _, _, address, *_ in index["entries"]]
    assert {"camp/", "spell/ember/", "spell/torch/"} <= {*addresses}
    assert len(addresses) == len({*addresses}), "a note and its entity are one entry"
    pack = json.loads(files["data/fen/pack.json"])
    urls = {section["url"] for section in pack["sections"]}
    assert {"fen/spell/ember/", "fen/spell/ember/#at-night", "fen/spell/torch/", "fen/camp/"} <= urls | {
        "fen/camp/#camp"
    }
    assert not any("spells/" in url for url in urls)
    assert pack["entities"]["spell"][0]["text"].startswith("A spark flies"), "the text does not repeat the name"


PLACE = """\
> [!infobox]
> ###### Facts
> Wet.

## Hooks

A coin is lost.

## Encounters

| d4 | Encounter |
|---|---|
| 1-2 | Customs |
| 3-4 | {folk} |
"""


def test_page_of_a_note_keeps_its_tables_and_the_text_below_headings_once(tmp_path: Path) -> None:
    for folk in (7, 8, 9):
        (tmp_path / f"Places/P{folk}.md").parent.mkdir(exist_ok=True)
        (tmp_path / f"Places/P{folk}.md").write_text(PLACE.format(folk=folk), encoding="utf-8")
    game = load_library(tmp_path, None, lambda _: None).games[0]
    pack = compile_game(game, lambda _: None)
    fields = pack.entities["place"][0].fields
    assert set(fields) == {"hooks", "encounters"}, "a heading in a callout is not a heading of the note"
    page = dict(render_library([pack]))[f"{game.id}/place/p7/index.html"].decode("utf-8")
    article = page.partition("<article")[2].partition("</article")[0]
    assert article.count("Customs") == 1
    assert article.count("A coin is lost.") == 1


def test_page_of_a_note_does_not_repeat_the_fields_of_its_infobox(tmp_path: Path) -> None:
    spell = """\
## {name}
*Old song*

**Cost:** 2 drams
**Range:** touch **Lasts:** an hour
**Guard:** 12 (bark)

---

Mood:: {mood}
Tone:: low

**Sway** +2

The song grows. It costs 2 drams.

### Origin

Nobody knows.
"""
    for name, mood in (("Ember", "sad"), ("Torch", "glad"), ("Flare", "[[Ember]], at night")):
        (tmp_path / f"Songs/{name}.md").parent.mkdir(exist_ok=True)
        (tmp_path / f"Songs/{name}.md").write_text(spell.format(name=name, mood=mood), encoding="utf-8")
    game = load_library(tmp_path, None, lambda _: None).games[0]
    pages = dict(render_library([compile_game(game, lambda _: None)]))
    page = pages[f"{game.id}/song/torch/index.html"].decode("utf-8")
    article = page.partition("<article")[2].partition("</article>")[0]
    text = article.partition('<div class="text"')[2].partition("</div>")[0]
    assert "Old song" in text
    assert article.count("Old song") == 1, "the line below the title is not a field of the infobox"
    assert article.count("drams") == 2, "a label is repeated, and words about it are not"
    assert "Mood" not in text
    assert article.count("12 (bark)") == 1, "the number and its text are two fields"
    assert "<hr" not in text.partition("Sway")[0]
    assert "<strong>Sway</strong> +2" in text, "the infobox shows 2"
    assert "Torch" not in text, "a heading with the name at any level"
    card, _, linked = pages[f"{game.id}/song/flare/index.html"].decode("utf-8").partition('<div class="text"')
    assert re.search(r"<dt>Mood</dt> <dd><a [^>]*>Ember</a>, at night</dd>", card)
    assert "Mood" not in linked.partition("</div>")[0]

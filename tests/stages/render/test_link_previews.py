"""Link previews: their content, and the files that they are divided into."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from kismet_build.render.site.link_previews import MAX_PREVIEWS, batches, sort_key
from tests.command import GAMES, kismet, tree
from tests.conftest import BuiltTree
from tests.small_library import write_library

LONG = "You bend, and the room forgives you. " * 20
TEXT = f"""\
# Court

Every guest has one of the [[#Graces|graces]], and a name to lose.

## Graces

### Bow

{LONG}Nobody [[#Whisper]]s then.

**Cost:** 2

### Whisper

Two people hear <b title="x">you</b>, no more; it follows [[#Bow]] and <script>nothing</script> else.

**Cost:** 3

## Halls

- The long one, where everybody waits
- The short one

### Chairs

| Chair | Legs |
| --- | --- |
| Stool | 3 |
"""


def read(content: bytes) -> Any:
    match = re.fullmatch(r"kismet\.(?:card|deck)\((.*)\);\n", content.decode(), re.DOTALL)
    assert match
    return json.loads(match[1])


def cards_in(files: dict[str, bytes], game: str) -> dict[str, str]:
    names = [path for path in files if path.startswith(f"assets/{game}/cards-")]
    return {key: html for name in names for key, html in read(files[name]).items()}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("cards")
    write_library(folder / "court", text=TEXT)
    run = kismet("build", folder / "court", "--out", folder / "out")
    assert run.status == 0, run.output
    return tree(folder / "out")


@pytest.fixture(scope="module")
def cards(files: dict[str, bytes]) -> dict[str, str]:
    return cards_in(files, "ember-court")


class Tags(HTMLParser):
    """Checks that all elements of a fragment are closed, and that it has nothing that must be unique in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        assert "id" not in named
        assert not (tag == "a" and "a" in self.open)
        if tag == "a":
            self.links.append(named["href"] or "")
        if tag not in ("br", "img", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


# --- content of cards


def test_every_link_target_has_a_card(cards: dict[str, str]) -> None:
    assert list(cards) == [
        *("court/", "court/#bow", "court/#chairs", "court/#court", "court/#graces", "court/#halls", "court/#whisper"),
        *("grace/bow/", "grace/whisper/"),
    ]


def test_card_has_name_kind_fields_and_text_with_links(cards: dict[str, str]) -> None:
    html = cards["grace/whisper/"]
    assert 'aria-label="Whisper, Grace"' in html
    assert '<p class="card-name"><a href="ember-court/grace/whisper/index.html">Whisper</a></p>' in html
    assert '<a href="ember-court/grace/index.html">Grace</a>' in html
    assert "Cost" in html
    assert 'href="ember-court/court/index.html#bow">Bow</a>' in html


def test_html_of_authors_is_sanitized_in_cards(cards: dict[str, str]) -> None:
    assert '<b title="x">you</b>' in cards["grace/whisper/"]
    assert not any("<script" in html for html in cards.values())


def test_long_text_is_cut_after_a_sentence(cards: dict[str, str]) -> None:
    text = cards["grace/bow/"].partition('class="card-text">')[2].partition("</p>")[0]
    assert text.endswith("forgives you. …")
    assert 100 < len(text) < 450


def test_heading_of_an_entity_has_the_card_of_the_entity(cards: dict[str, str]) -> None:
    assert cards["court/#bow"] == "grace/bow/"


def test_section_card_has_parent_headings_and_first_content(cards: dict[str, str]) -> None:
    chapter, halls, chairs = cards["court/"], cards["court/#halls"], cards["court/#chairs"]
    assert "❧" in chapter
    assert "and a name to lose." in chapter
    assert "§" in halls
    assert "Court" in halls
    assert "The long one, where everybody waits · The short one" in halls
    assert '<a href="ember-court/court/index.html#chairs">Chairs</a>' in halls
    assert "Chair · Legs" in chairs
    assert "Halls" in chairs


def test_every_card_is_well_formed_and_its_links_resolve(content: BuiltTree) -> None:
    files = tree(content.folder)
    checked = 0
    for game in GAMES:
        cards = cards_in(files, game)
        for html in cards.values():
            if not html.startswith("<"):
                assert html in cards
                continue
            tags = Tags()
            tags.feed(html)
            assert tags.open == []
            for address in tags.links:
                if not re.match(r"[a-z]+:", address):
                    assert address.partition("#")[0] in files, address
                    checked += 1
    assert checked > 1000


# --- files of cards


def test_file_list_leads_to_every_card(content: BuiltTree) -> None:
    files = tree(content.folder)
    for game in GAMES:
        listed = read(files[f"assets/{game}/cards.js"])
        assert listed == sorted(listed)
        for key in cards_in(files, game):
            name = max((first, name) for first, name in listed if first <= key)[1]
            assert key in read(files[f"assets/{game}/cards-{name}.js"])


def test_group_of_cards_is_split_only_if_it_is_larger_than_a_file() -> None:
    third = MAX_PREVIEWS // 3
    small = [f"{group}/{place:03}/" for group in "ab" for place in range(2 * third)]
    large = [f"c/{place:03}/" for place in range(2 * MAX_PREVIEWS + 1)]
    files = list(batches([*small, *large]))
    assert [key for keys in files for key in keys] == [*small, *large]
    assert [{key[0] for key in keys} for keys in files] == [{"a"}, {"b"}, {"c"}, {"c"}, {"c"}]
    assert max(map(len, files)) == MAX_PREVIEWS
    assert list(batches([])) == []


def test_keys_are_sorted_as_javascript_compares_strings() -> None:
    """JavaScript compares strings by UTF-16 code units: characters beyond U+FFFF sort before some characters below."""
    keys = ["a/#\uff21", "a/#\U0001f0cf"]
    assert sorted(keys, key=sort_key) == keys[::-1]


def test_empty_text_has_one_card(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "Empty.md").write_text("", encoding="utf-8")
    assert kismet("build", tmp_path / "vault", "--out", tmp_path / "out").status == 0
    lists = sorted((tmp_path / "out" / "assets").glob("*/cards.js"))
    assert [[key for key, _ in read(file.read_bytes())] for file in lists] == [["empty/"]]

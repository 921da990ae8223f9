"""Each game names its licence, and includes its complete text if the licence requires it."""

import json
from pathlib import Path

import pytest
import yaml

from tests.command import CONTENT, GAMES, kismet
from tests.conftest import BuiltTree
from tests.small_library import GAME, write_library

LICENCES = {
    "kismet": "LicenseRef-unstated",
    "kiss": "CC-BY-SA-4.0",
    "legend": "LicenseRef-OGL-1.0a",
    "marchen": "LicenseRef-OGL-1.0a",
}
OGL_GAMES = sorted(game for game, licence in LICENCES.items() if "OGL" in licence)


@pytest.mark.parametrize("game", GAMES)
def test_pack_has_the_identifier_of_the_licence(game: str, content: BuiltTree) -> None:
    pack = json.loads((content.folder / f"data/{game}/pack.json").read_text(encoding="utf-8"))
    assert pack["game"]["licence_id"] == LICENCES[game]
    assert ("licence_text" in pack) == (game in OGL_GAMES)


@pytest.mark.parametrize("game", OGL_GAMES)
def test_open_game_license_is_whole_in_the_pack_and_on_its_page(game: str, content: BuiltTree) -> None:
    text = json.loads((content.folder / f"data/{game}/pack.json").read_text(encoding="utf-8"))["licence_text"]
    head, sections = text.split("\n\n1. Definitions:")
    assert all(f"\n\n{number}" in sections for number in range(2, 16))
    assert all(f"({letter})" in sections for letter in "abcdefgh")
    assert "Open Game Content: " in head
    assert "Product Identity: " in head
    first, *_, last = sections.partition("15 COPYRIGHT NOTICE\n\n")[2].split("\n\n")
    assert first == "Open Game License v 1.0a Copyright 2000, Wizards of the Coast, Inc."
    assert last.endswith(("by Ted Tschopp.", "names no other copyright notice."))
    page = (content.folder / game / "downloads/licence/index.html").read_text(encoding="utf-8")
    assert page.count("<p>", page.index('class="text"')) >= len(text.split("\n\n"))
    assert "downloads/licence/" in (content.folder / game / "index.html").read_text(encoding="utf-8")


def test_section_15_of_the_engine_lists_each_work_that_it_is_based_on() -> None:
    text = (CONTENT / "marchen/LICENSE-OGL.txt").read_text(encoding="utf-8")
    notices = text.partition("15 COPYRIGHT NOTICE\n\n")[2].strip().split("\n\n")
    assert len(notices) == 40, "39 of the source, and ours"
    assert all("©" in notice or "Copyright" in notice or "copyright" in notice for notice in notices)


def test_changed_licence_is_built_again(tmp_path: Path) -> None:
    library = write_library(tmp_path, game=f"{GAME}\nlicence_file: LICENSE.txt\n")
    game = yaml.safe_load((library / "game.yaml").read_text(encoding="utf-8"))["id"]
    for words in ("First words.", "Other words."):
        (library / "LICENSE.txt").write_text(words, encoding="utf-8")
        assert kismet("build", library, "--out", tmp_path / "public").status == 0
        page = (tmp_path / "public" / game / "downloads/licence/index.html").read_text(encoding="utf-8")
        assert f"<p>{words}</p>" in page


def test_addresses_after_names_become_links(tmp_path: Path) -> None:
    attribution = "By A <Bee> (https://bee.example), under this licence (https://free.example/1)."
    rights = f"licence: Free Licence 1.0 (https://free.example/1)\nattribution: {attribution}\n"
    lines = [line for line in GAME.splitlines() if not line.startswith(("licence:", "attribution:"))]
    write_library(tmp_path / "ember", game="\n".join((*lines, rights)))
    run = kismet("build", tmp_path / "ember", "--out", tmp_path / "public")
    assert run.status == 0, run.output
    page = (tmp_path / "public/ember-court/index.html").read_text(encoding="utf-8")
    assert '<p><a href="https://free.example/1">Free Licence 1.0</a></p>' in page
    assert 'under this <a href="https://free.example/1">licence</a>.</p>' in page
    assert 'By A <a href="https://bee.example">&lt;Bee&gt;</a>' in page

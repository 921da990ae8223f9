"""Redirects lead from aliases and old addresses to the current page."""

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from kismet_build.output.tree import is_page
from kismet_build.render.site.outputs import addresses, render
from kismet_build.render.site.redirects import redirect_files
from tests.command import GAMES
from tests.conftest import BuiltTree
from tests.custom_game import compile_custom_game

KIND = """\
title: Bird
x-match: {heading: 2}
required: [id, name]
additionalProperties: false
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title, x-split: /}
  aliases: {type: array, items: {type: string}}
"""

QUESTIONS = "../../fen/questions/index.html"


def redirects(folder: Path, frontmatter: str, birds: str) -> dict[str, str]:
    """The redirects of a small game: paths below the game and their targets."""
    walk = f"---\n{frontmatter}\n---\n# Walk\n\nWe walk.\n\n{birds}"
    pack = compile_custom_game(folder, {"bird": KIND}, {"1 Walk": walk, "2 Rest": "# Rest\n\nWe rest.\n"})
    files = {path: make() for path, make in redirect_files(pack, addresses(pack))}
    assert not any(is_page(path, content) for path, content in files.items())
    targets = {path.removeprefix("fen/"): _target(content.decode()) for path, content in files.items()}
    assert targets.pop("errata/index.html", None) == (QUESTIONS if "[!question]" in birds else None)
    return targets


def _target(page: str) -> str:
    """The target of a redirect page, to which its refresh and its link lead.

    The canonical URL is the target without its fragment.
    """
    target: str
    [target] = re.findall(r'http-equiv="refresh" content="0; url=([^"]+)"', page)
    assert f'<a href="{target}">' in page
    assert f'<link rel="canonical" href="{target.partition("#")[0]}">' in page
    assert '<meta name="robots" content="noindex">' in page
    return target


def test_the_old_address_of_questions_redirects_where_the_game_has_any(tmp_path: Path) -> None:
    assert redirects(tmp_path / "fen", "", "> [!question] Which?\n> Nobody says.\n") == {}
    assert redirects(tmp_path / "moor", "", "") == {}


def test_an_internal_kind_is_data_without_pages(tmp_path: Path) -> None:
    kind = KIND.replace("x-match", "x-internal: true\nx-match", 1)
    walk = "# Walk\n\n## Heron/Grey Bird\n\nIt stands. See [[#Crow]].\n\n## Crow\n\nIt caws.\n"
    pack = compile_custom_game(tmp_path, {"bird": kind}, {"1 Walk": walk})
    library = [path for path in addresses(pack) if "bird" in path]
    assert library == []
    targets = {path: _target(make().decode()) for path, make in redirect_files(pack, addresses(pack))}
    assert targets == {
        "fen/bird/index.html": "../../fen/index.html",
        "fen/bird/heron/index.html": "../../../fen/walk/index.html#heron-grey-bird",
        "fen/bird/crow/index.html": "../../../fen/walk/index.html#crow",
        "fen/bird/grey-bird/index.html": "../../../fen/walk/index.html#heron-grey-bird",
    }
    glossary = render(pack, "fen/glossary/index.html").decode()
    assert "Heron" not in glossary
    chapter = render(pack, "fen/walk/index.html").decode()
    assert "to-card" not in chapter
    assert "bird/" not in chapter
    records = json.loads(render(pack, "data/fen/bird.json"))
    assert [record["url"] for record in records["entities"]] == ["fen/walk/#heron-grey-bird", "fen/walk/#crow"]


def test_each_alias_of_an_entity_redirects_to_it(tmp_path: Path) -> None:
    assert redirects(tmp_path / "fen", "", "## Heron/Grey Bird\n\nIt stands.\n") == {
        "bird/grey-bird/index.html": "../../../fen/bird/heron/index.html"
    }


def test_no_redirect_replaces_a_page_or_an_ambiguous_name(tmp_path: Path) -> None:
    birds = (
        "## Heron/Crane\n\nIt stands.\n\n## Crane\n\nIt calls.\n\n## Stork/Wader\n\nOne.\n\n## Snipe/Wader\n\nTwo.\n"
    )
    assert redirects(tmp_path / "fen", "", birds) == {}


def test_alias_of_a_text_redirects_to_its_chapter(tmp_path: Path) -> None:
    aliases = "aliases: [Stroll, Rest, Errata, Bird]"
    assert redirects(tmp_path / "fen", aliases, "") == {"stroll/index.html": "../../fen/walk/index.html"}


def test_redirects_are_in_no_manifest_index_or_llms_txt(content: BuiltTree) -> None:
    folder = content.folder
    page = folder / "kismet/condition/grappled/index.html"
    assert 'url=../../../kismet/condition/restrained/index.html"' in page.read_text(encoding="utf-8")
    manifest = (folder / "assets/kismet-offline.json").read_text(encoding="utf-8")
    assert '"kismet/condition/restrained/index.html"' in manifest
    assert '"kismet/condition/grappled/index.html"' not in manifest
    assert "condition/grappled/" not in (folder / "kismet/llms.txt").read_text(encoding="utf-8")
    assert "data-pagefind-body" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("game", GAMES)
def test_every_redirect_leads_to_a_page(game: str, content: BuiltTree) -> None:
    for file in sorted((content.folder / game).rglob("index.html")):
        text = file.read_text(encoding="utf-8")
        if 'http-equiv="refresh"' in text:
            page, _, anchor = _target(text).partition("#")
            target = (file.parent / page).resolve().read_text(encoding="utf-8")
            assert 'http-equiv="refresh"' not in target
            assert not anchor or f'id="{unquote(anchor)}"' in target, file


@pytest.mark.parametrize("game", GAMES)
def test_every_entity_has_its_page_or_a_redirect_to_its_place(game: str, content: BuiltTree) -> None:
    pack = json.loads((content.folder / "data" / game / "pack.json").read_text(encoding="utf-8"))
    for entity in (entity for entities in pack["entities"].values() for entity in entities):
        text = (content.folder / entity["id"] / "index.html").read_text(encoding="utf-8")
        page, mark, place = entity["url"].partition("#")
        assert mark or page == f"{entity['id']}/"
        assert ('http-equiv="refresh"' in text) is bool(mark), entity["id"]
        if mark:
            assert _target(text) == f"../../../{page}index.html#{place}"
            assert f'id="{place}"' in (content.folder / page / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("game", GAMES)
def test_every_html_file_links_to_an_icon(game: str, content: BuiltTree) -> None:
    """Without the link, a browser requests `/favicon.ico`, even on a redirect page, and logs an error if that is
    missing.
    """
    for file in sorted((content.folder / game).rglob("*.html")):
        icon = re.search(r'<link rel="icon" href="([^"]+)"', file.read_text(encoding="utf-8"))
        assert icon is not None, file
        assert (file.parent / icon[1]).is_file(), file

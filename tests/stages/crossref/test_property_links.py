"""Links and dice codes in the properties of notes: their words are data, and on cards and in tables they are active."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.pack import Pack
from kismet_build.render.site.outputs import render
from tests.command import kismet, write_files

NOTES = {
    "Beasts/Heron.md": """\
---
home: "[[Places/Fen|the fen]]"
hit: "`dice: 2d6+1` near [[Places/Fen]]"
kin: ["[[Otter]]", Pike]
bite: {roll: "`dice: 1d4`", reach: 2}
---
""",
    "Beasts/Otter.md": "---\nhome: '[[Fem]]'\nhit: 1d4\nkin: [Newt]\nbite: {roll: none, reach: 1}\n---\n",
    "Beasts/Pike.md": "---\nhome: by the sea\nhit: 1d4\nkin: [Crow]\nbite: {roll: none, reach: 1}\n---\n",
    "Places/Fen.md": "---\nruler: '[[Heron]]'\ntoll: '`dice: 3d6`'\n---\n# Fen\n",
}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("properties")
    run = kismet("build", write_files(folder / "vault", NOTES), "--out", folder / "out", "--no-search")
    assert "1 unresolved-link" in run.output
    return folder / "out"


@pytest.fixture(scope="module")
def pack(out: Path) -> Any:
    return json.loads((out / "data/vault/pack.json").read_text(encoding="utf-8"))


def test_fields_are_the_words(pack: Any) -> None:
    heron = pack["entities"]["beast"][0]
    assert heron["fields"] == {
        "home": "the fen",
        "hit": "2d6+1 near Fen",
        "kin": ["Otter", "Pike"],
        "bite": {"roll": "1d4", "reach": 2},
    }
    (properties,) = (section["properties"] for section in pack["sections"] if "properties" in section)
    assert properties == {"ruler": "Heron", "toll": "3d6"}


def test_links_are_backlinks_and_dice_codes_are_counted(pack: Any) -> None:
    heron, otter, _ = pack["entities"]["beast"]
    assert heron["links"] == ["vault/section/places-fen", "vault/beast/otter"]
    assert heron["backlinks"] == ["vault/section/places-fen"]
    assert otter["backlinks"] == ["vault/beast/heron"]
    dice = [(dice["expression"], dice["source"]["path"], dice["source"]["line"]) for dice in pack["dice"]]
    assert dice == [("2d6+1", "Beasts/Heron.md", 3), ("1d4", "Beasts/Heron.md", 5), ("3d6", "Places/Fen.md", 3)]


def test_backlinks_name_the_property(out: Path) -> None:
    for entry, reason in {"otter": "As kin", "heron": "As ruler"}.items():
        page = (out / "vault/beast" / entry / "index.html").read_text(encoding="utf-8")
        reasons = page.partition('id="_references"')[2].partition("</section>")[0]
        assert re.findall("<dt>(.*?)</dt>", reasons) == [reason]


@pytest.mark.parametrize(("page", "root"), [("beast/heron/index.html", "../../../"), ("beast/index.html", "../../")])
def test_cards_and_tables_show_links_and_dice(out: Path, page: str, root: str) -> None:
    html = (out / "vault" / page).read_text(encoding="utf-8")
    fen = f'<a href="{root}vault/places/fen/index.html">'
    assert f"{fen}the fen</a>" in html
    assert f'<span class="dice" data-dice="2d6+1">2d6+1</span> near {fen}Fen</a>' in html
    assert f'<a href="{root}vault/beast/otter/index.html">Otter</a>, ' in html
    assert '<span class="dice" data-dice="1d4">1d4</span>' in html


def test_a_broken_link_is_shown_as_such(out: Path) -> None:
    html = (out / "vault/beast/otter/index.html").read_text(encoding="utf-8")
    assert re.search(r'<span class="unwritten" title="[^"]*">Fem</span>', html)


def test_an_edit_changes_an_entity_whose_words_stay(tmp_path: Path) -> None:
    vault = write_files(tmp_path / "vault", NOTES)
    game = load_library(vault, None, lambda _: None).games[0]
    before = compile_game(game, lambda _: None)
    pike = NOTES["Beasts/Pike.md"].replace("the sea", "[[Places/Fen|the sea]]")
    write_files(vault, {"Beasts/Pike.md": pike})
    after = compile_game(game, lambda _: None, previous=before, changed={vault / "Beasts/Pike.md"})
    assert table_and_cards(after)[0] != table_and_cards(before)[0]
    assert b"the sea</a>" in render(after, "vault/beast/pike/index.html")
    fresh = compile_game(game, lambda _: None)
    assert table_and_cards(after) == table_and_cards(fresh)


def table_and_cards(pack: Pack) -> list[bytes]:
    return [render(pack, f"vault/{name}/index.html") for name in ("beast", "print/cards")]


def test_markdown_is_shown_on_pages_and_its_words_are_data(tmp_path: Path) -> None:
    notes = {
        f"Beasts/{name}.md": (
            f'---\nlook: "**grey** and _thin_"\nacts: [{{name: Peck, desc: "a *quick* bite of {name}"}}]\n---\n'
            "Home:: the **old** fen\n\nIt eats [food:: ==fish== and `eggs`]. ^meal\n"
        )
        for name in ("Heron", "Otter", "Pike")
    }
    run = kismet("build", write_files(tmp_path / "vault", notes), "--out", tmp_path / "out", "--no-search")
    assert run.status == 0, run.output
    pack = json.loads((tmp_path / "out/data/vault/pack.json").read_text(encoding="utf-8"))
    assert pack["entities"]["beast"][0]["fields"] == {
        "look": "grey and thin",
        "acts": [{"name": "Peck", "desc": "a quick bite of Heron"}],
        "home": "the old fen",
        "food": "fish and eggs",
    }
    page = (tmp_path / "out/vault/beast/heron/index.html").read_text(encoding="utf-8")
    card = page.partition('<div class="text">')[0]
    for shown in ("<strong>grey</strong> and <em>thin</em>", "a <em>quick</em> bite", "the <strong>old</strong> fen"):
        assert shown in card
    assert "<mark>fish</mark> and <code>eggs</code>" in card

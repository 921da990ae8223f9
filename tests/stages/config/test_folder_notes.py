"""A note about its folder has no page of its own: its text is on the page of the folder, or on the home page."""

import json
import re
from pathlib import Path

import pytest

from kismet_build.config.load_game import plain_game
from kismet_build.driver.compile import compile_game
from kismet_build.driver.publish import render_library
from kismet_build.pack import Pack
from tests.command import write_files


def compile_vault(folder: Path, texts: dict[str, str]) -> Pack:
    return compile_game(plain_game(write_files(folder / "Fen", texts)), lambda _: None)


def render(pack: Pack) -> dict[str, str]:
    return {path: content.decode("utf-8", "replace") for path, content in render_library([pack])}


def folder_notes(folder: Path, *paths: str) -> dict[str, str]:
    return dict(compile_vault(folder, dict.fromkeys(paths, "x\n")).addresses.folder_notes)


@pytest.mark.parametrize("name", ["index", "Home", "README", "Fen"])
def test_home_page_shows_the_note_about_the_vault(tmp_path: Path, name: str) -> None:
    assert folder_notes(tmp_path, f"{name}.md", "Camp.md") == {f"{name}.md": ""}


@pytest.mark.parametrize("name", ["index", "Home", "Startseite", "Accueil", "Inicio"])
def test_readme_of_a_repository_gives_way_to_a_home_note(tmp_path: Path, name: str) -> None:
    assert folder_notes(tmp_path, f"{name}.md", "README.md", "Fen.md") == {f"{name}.md": ""}


@pytest.mark.parametrize("name", ["index", "README", "Gear", "_Index_of_Gear", "Index of Gear"])
def test_folder_page_shows_the_note_about_the_folder(tmp_path: Path, name: str) -> None:
    assert folder_notes(tmp_path, f"Gear/{name}.md", "Gear/Rope.md") == {f"Gear/{name}.md": "gear"}


def test_only_the_first_of_several_notes_is_that_of_the_folder(tmp_path: Path) -> None:
    notes = folder_notes(tmp_path, "Gear/Gear.md", "Gear/readme.md", "Home.md", "README.md", "Bog.md", "Bog/Bog.md")
    assert notes == {"Home.md": "", "Gear/readme.md": "gear"}, "a note next to the folder has its address already"


def test_every_output_knows_one_page_of_such_a_note(tmp_path: Path) -> None:
    texts = {
        "Home.md": "# Welcome\n\nA damp place.[^1]\n\n## First steps\n\nRead on.\n\n[^1]: Very.\n",
        "Gear/Gear.md": "All the gear.\n",
        "Gear/Rope.md": "Back [[Home]], [[Home#First steps|on]], [[Gear]].\n",
        "Old/Bog/readme.md": "# The Bog\n\nDeep.\n",
    }
    files = render(compile_vault(tmp_path, texts))
    article = files["fen/index.html"].partition("<article")[2].partition("</article")[0]
    assert article.count("<h1") == 1
    assert (
        article.index("Welcome") < article.index("A damp place.") < article.index("Very.") < article.index("Chapters")
    )
    assert 'href="#first-steps"' in files["fen/index.html"], "the table of contents"
    assert 'url=../../fen/index.html"' in files["fen/home/index.html"]
    assert 'url=../../../fen/gear/index.html"' in files["fen/gear/gear/index.html"]
    gear = files["fen/gear/index.html"]
    assert "All the gear." in gear
    assert "gear/rope/" in gear.partition("In this folder")[2]
    assert "Deep." in files["fen/old/bog/index.html"]
    rope = files["fen/gear/rope/index.html"].partition("<article")[2]
    assert re.findall(r'href="(\.\./[^"]*)"', rope.partition("</article")[0]) == [
        "../../../fen/index.html",
        "../../../fen/index.html#first-steps",
        "../../../fen/gear/index.html",
    ]
    for path, page in files.items():
        if path.endswith(".html") and 'http-equiv="refresh"' not in page:
            assert not re.search(r'href="[^"#]*(?:fen//|home/|gear/gear/|readme/)', page), path
    pack = json.loads(files["data/fen/pack.json"])
    assert [section["url"] for section in pack["sections"]] == [
        *("fen/", "fen/#welcome", "fen/#first-steps"),
        *("fen/gear/", "fen/gear/rope/", "fen/old/bog/", "fen/old/bog/#the-bog"),
    ]
    assert '["c","Welcome","",-1],["s","First steps","#first-steps",0]' in files["assets/fen-search.js"]
    assert '"#first-steps"' in files["assets/fen/cards-index.js"]


@pytest.mark.parametrize("note", ["Tools/_index.md", "Tools/Tools.md", "Tools.md"])
def test_the_note_of_the_folder_of_a_kind_stands_above_its_list(tmp_path: Path, note: str) -> None:
    texts = {f"Tools/{name}.md": "---\ncost: 1\nbulk: 2\n---\n" for name in ("Rope", "Lamp", "Pole")}
    text = "# Tools\n\nAll of them.[^1]\n\n## Care\n\nOil `dice: 1d4`.\n\n[^1]: Nearly.\n"
    pack = compile_vault(tmp_path, {**texts, note: text, "Rules.md": "[[Tools]], [[Tools#Care]], [x](Tools/)\n"})
    assert [item.message for item in pack.diagnostics] == []
    files = render(pack)
    page = files["fen/tool/index.html"]
    article = page.partition("<article>")[2].partition("</article")[0]
    assert article.count("<h1") == article.count("<table") == 1
    assert re.search('All of them.* id="care".* data-dice="1d4".*Nearly.*<table', article, re.DOTALL)
    rules = re.findall("<p>.*?</p>", files["fen/rules/index.html"])[0]
    tool = "../../fen/tool/index.html"
    assert re.findall('href="(.*?)"', rules) == [tool, f"{tool}#care", tool]
    assert 'url=../../fen/tool/index.html"' in files["fen/tools/index.html"]
    sections = json.loads(files["data/fen/pack.json"])["sections"]
    assert {"fen/tool/", "fen/tool/#care"} <= {section["url"] for section in sections}


def test_link_to_a_folder_leads_to_the_text_about_it(tmp_path: Path) -> None:
    texts = {
        "Camp.md": "[a](Gear/) [b](./Gear) [[Gear]] [[Gear/Old]] [c](Bog/) [[Bog]]\n",
        "Gear/_index.md": "All the gear.\n",
        "Gear/Old/index.md": "Rust. [d](../) [e](../../Gear/Old/)\n",
        "Far/Bog.md": "Deep.\n",
        "Bog/index.md": "Another.\n",
        "Empty/Hut.md": "[f](../Empty/)\n",
    }
    pack = compile_vault(tmp_path, texts)
    targets = [target.resolved_anchor for links in pack.book.links.values() for target in links.targets.values()]
    paths = sorted("" if anchor is None else anchor.path for anchor in targets)
    assert paths == ["", *["Bog/index.md"], "Far/Bog.md", *["Gear/Old/index.md"] * 2, *["Gear/_index.md"] * 4]


def test_a_link_to_a_folder_without_a_note_leads_to_its_page(tmp_path: Path) -> None:
    texts = {
        f"Beasts/{name}.md": f"---\nlevel: {number}\nhome: fen\n---\nIt runs.\n" for number, name in enumerate("ABC")
    }
    texts |= {"Lore/Deep/Old.md": "[up](../) and [[Lore]].\n", "Lore/Tale.md": "Words.\n"}
    links = "[[Beasts]], [[beasts/|all]], [them](Beasts/), [deep](Lore/Deep), [[Lore/Deep/]]"
    texts["Home.md"] = f"{links}, not [[Lore#Tale]] or [[Deep]].\n\n![[Lore]]\n"
    pack = compile_vault(tmp_path, texts)
    files = render(pack)
    home = re.findall("<p>.*?</p>", files["fen/index.html"])[0]
    assert re.findall('href="(.*?)"', home) == ["../fen/beast/index.html"] * 3 + ["../fen/lore/deep/index.html"] * 2
    assert {"fen/beast/index.html", "fen/lore/deep/index.html", "fen/lore/index.html"} <= files.keys()
    old = files["fen/lore/deep/old/index.html"]
    assert (
        '<p><a href="../../../../fen/lore/index.html">up</a> and <a href="../../../../fen/lore/index.html">Lore' in old
    )
    missing = [item.message for item in pack.diagnostics if item.code == "unresolved-link"]
    assert missing == ['nothing is named "Lore"', 'nothing is named "Deep"']

"""Tags: their pages, links to them, filters, data and names for the search."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.model.tag import clean_tag, tag_names, tags_of_properties
from kismet_build.pack import Pack
from kismet_build.render.site.outputs import paths, render
from tests.command import kismet, tree, write_files

NOTES = {
    "Beasts/Heron.md": "---\ntags: [bird, water/fen]\nlevel: 1\nterrain: fen\n---\nIt waits, #grey.\n",
    "Beasts/Otter.md": "---\ntags: Water/Fen\nlevel: 2\nterrain: fen\n---\nIt swims.\n",
    "Beasts/Crow.md": "---\ntag: Bird\nlevel: 1\nterrain: moor\n---\nIt steals.\n",
    "Beasts/Hare.md": "---\nlevel: 1\nterrain: moor\n---\nIt runs.\n",
    "Rules.md": "---\ntags: [core]\n---\nRead this #first.\n\n## At Night\n\nIt is dark: #water/deep, #first.\n",
}


def build(folder: Path, texts: dict[str, str]) -> dict[str, str]:
    for path, text in texts.items():
        file = folder / "Fen" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    run = kismet("build", folder / "Fen", "--out", folder / "out", "--no-search", "--no-cache")
    assert run.status == 0, run.output
    return {path: content.decode("utf-8", "replace") for path, content in tree(folder / "out").items()}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return build(tmp_path_factory.mktemp("tags"), NOTES)


def links(page: str) -> list[str]:
    article = page.partition("<article")[2].partition("</article>")[0]
    return [" ".join(re.sub("<[^>]+>", "", words).split()) for words in re.findall(r"<a [^>]*>(.*?)</a>", article)]


def pack(files: dict[str, str]) -> Any:
    return json.loads(files["data/fen/pack.json"])


def test_the_page_of_a_tag_lists_entities_and_sections(files: dict[str, str]) -> None:
    assert links(files["fen/tags/bird/index.html"]) == ["Crow", "Heron"]
    assert links(files["fen/tags/first/index.html"]) == ["Rules", "Rules › At Night"]
    assert links(files["fen/tags/core/index.html"]) == ["Rules"]


def test_the_page_of_a_tag_lists_the_tags_in_it_and_what_has_them(files: dict[str, str]) -> None:
    page = files["fen/tags/water/index.html"]
    assert links(page) == ["deep 1", "fen 2", "Heron", "Otter", "Rules › At Night"]
    assert 'href="../../../fen/rules/index.html#at-night"' in page


def test_the_page_of_all_tags_lists_each_once(files: dict[str, str]) -> None:
    assert links(files["fen/tags/index.html"]) == ["Bird", "core", "first", "grey", "water", "deep", "fen"]
    assert 'href="../../fen/tags/water/deep/index.html"' in files["fen/tags/index.html"]
    assert 'href="../fen/tags/index.html"' in files["fen/index.html"]


def test_texts_and_cards_link_to_the_page_of_a_tag(files: dict[str, str]) -> None:
    assert '<a class="tag" href="../../../fen/tags/grey/index.html">#grey</a>' in files["fen/beast/heron/index.html"]
    # A tag is shown in its first spelling.
    assert links(files["fen/beast/heron/index.html"])[:4] == ["Beast", "#Bird", "#water/fen", "#grey"]
    assert links(files["fen/rules/index.html"])[:2] == ["#core", "#first"]


def test_the_table_of_a_kind_has_a_filter_by_tags(files: dict[str, str]) -> None:
    page = files["fen/beast/index.html"]
    assert '<details class="values" data-key="tags" data-place="3" data-sort="list">' in page
    # A tag is found by the tags that it is in.
    assert re.findall(r'data-label="Tags" data-value="([^"]*)"', page) == [
        "Bird",
        "Bird|water|water/fen|grey",
        "water|water/fen",
    ]


def test_a_field_with_the_name_has_the_filter_for_itself(tmp_path: Path) -> None:
    kind = (
        "title: Beast\nx-match: {document: true, folder: Beasts}\nproperties:\n  id: {type: string, x-from: slug}\n"
        "  name: {type: string, x-from: title}\n  tags: {type: array, items: {type: string}, x-from: 'meta:tags'}\n"
    )
    game = "id: fen\ntitle: Fen\nversion: 1\nlicence: none\nkinds: kinds\nsources: [{glob: '**/*.md'}]\n"
    files = build(tmp_path, {**NOTES, "game.yaml": game, "kinds/beast.yaml": kind})
    assert files["fen/beast/index.html"].count('data-key="tags"') == 2  # its column and its filter


def test_entities_and_sections_have_their_tags_in_the_data(files: dict[str, str]) -> None:
    tags = {entity["name"]: entity.get("tags") for entity in pack(files)["entities"]["beast"]}
    assert tags == {"Crow": ["Bird"], "Hare": None, "Heron": ["Bird", "water/fen", "grey"], "Otter": ["water/fen"]}
    of_sections = {section["title"]: section.get("tags") for section in pack(files)["sections"]}
    assert of_sections["Rules"] == ["core", "first"]
    assert of_sections["At Night"] == ["water/deep", "first"]
    assert of_sections["Heron"] is None


def test_the_search_finds_tags(files: dict[str, str]) -> None:
    assert '["t","#Bird","tags/bird/",-1,"Bird"]' in files["assets/fen-search.js"]


def test_a_vault_without_tags_has_no_page_of_tags(tmp_path: Path) -> None:
    files = build(tmp_path, {"Home.md": "# Home\n\nRoom #12.\n"})
    assert not [path for path in files if "/tags/" in path]
    assert "/tags/" not in files["fen/index.html"]
    assert '"tags"' not in files["data/fen/pack.json"]
    assert '["t",' not in files["assets/fen-search.js"]


def test_private_notes_give_no_tags(tmp_path: Path) -> None:
    secret = "---\npublish: false\ntags: [hidden]\n---\nNobody sees #unseen.\n"
    files = build(tmp_path, {**NOTES, "Secret.md": secret, "Shown.md": "See ![[Secret]] #seen.\n"})
    assert {path.split("/")[2] for path in files if path.startswith("fen/tags/")} == {
        *("index.html", "bird", "core", "first", "grey", "seen", "water")
    }


def test_notes_and_folders_with_the_name_tags_have_another_address(tmp_path: Path) -> None:
    files = build(tmp_path, {"Tags.md": "# Tags\n\nMine, #own.\n", "tags/Own.md": "# Own\n\nA note.\n"})
    assert links(files["fen/tags/index.html"]) == ["own"]
    assert "Mine" in files["fen/tags-text/index.html"]
    assert "A note." in files["fen/tags-text-2/own/index.html"]


def test_tags_of_an_embedded_note_are_those_of_its_own_text(tmp_path: Path) -> None:
    files = build(tmp_path, {"One.md": "![[Two]]\n", "Two.md": "It is #deep.\n"})
    assert links(files["fen/tags/deep/index.html"]) == ["Two"]
    assert 'href="../../fen/tags/deep/index.html"' in files["fen/one/index.html"]


def test_each_tag_has_an_address_of_its_own() -> None:
    names = tag_names(["a_b", "a-b/c", "a-b", "Grün", "grun", "grün", "🐉", "con", "y" * 300])
    addresses = [name.slug for name in names.values()]
    assert [names[tag].slug for tag in ("a-b", "a-b/c", "a_b", "grun")] == ["a-b", "a-b/c", "a_b", "grun"]
    assert [names[tag].slug for tag in ("grün", "con")] == ["grun-fe26", "con-text-1143"]
    assert names["grün"].name == "Grün"
    assert len(set(addresses)) == len(addresses)
    assert max(map(len, addresses)) < 100


def test_a_new_tag_moves_no_other() -> None:
    tags = ["a_b", "a-b", "a b", "Grün", "grun", "grún", "con", "con-text", "a_b/ö", "a_b/o"]
    slugs = {key: name.slug for key, name in tag_names(tags).items()}
    for tag in tags:
        slugs_of_one = {key: name.slug for key, name in tag_names([tag]).items()}
        assert slugs_of_one.items() <= slugs.items()


def test_a_tag_with_very_many_levels_has_a_short_path() -> None:
    name = clean_tag("/".join(["deep"] * 1000))
    assert name.count("/") == 9
    assert max(name.slug.count("/") for name in tag_names([name]).values()) == 9


def test_empty_levels_and_values_are_no_tags() -> None:
    assert tags_of_properties({"tags": ["#a//b/", None, "", "#", "/", True, 7, {"c": 1}], "TAG": "a/b, c"}) == (
        *("a/b", "7", "c"),
    )
    assert tags_of_properties({"tags": None, "tagged": "x"}) == ()


@pytest.mark.parametrize(
    ("path", "text", "is_change"),
    [
        ("Rules.md", NOTES["Rules.md"].replace("Read this", "Learn that"), False),
        ("Beasts/Hare.md", NOTES["Beasts/Hare.md"] + "Fast.\n", False),
        ("Beasts/Hare.md", NOTES["Beasts/Hare.md"] + "#fast\n", True),
        ("Beasts/Crow.md", NOTES["Beasts/Crow.md"].replace("Bird", "BIRD"), True),
        ("Rules.md", NOTES["Rules.md"].replace("At Night", "By Night"), True),
    ],
)
def test_an_edit_changes_the_pages_of_tags_only_if_tags_or_titles_change(
    tmp_path: Path, path: str, text: str, is_change: bool
) -> None:
    folder = write_files(tmp_path / "Fen", NOTES)
    game = load_library(folder, None, lambda _: None).games[0]
    before = compile_game(game, lambda _: None)
    (folder / path).write_text(text, encoding="utf-8")
    after = compile_game(game, lambda _: None, previous=before, changed={folder / path})
    assert "fen/tags/index.html" in pages_of_tags(before)
    assert pages_of_tags(after) == pages_of_tags(compile_game(game, lambda _: None))
    assert (pages_of_tags(after) != pages_of_tags(before)) == is_change


def pages_of_tags(pack: Pack) -> dict[str, bytes]:
    return {path: render(pack, path) for path in paths(pack) if path.startswith("fen/tags/")}

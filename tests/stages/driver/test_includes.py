"""A game whose book is composed of several files: its pages, its private parts, and edits of a part."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from kismet_build.cli.dump import dump
from kismet_build.config.data_file import UsageError
from kismet_build.config.game import Game
from kismet_build.config.load_library import load_library
from kismet_build.driver import compile as compile_module
from kismet_build.driver.compile import compile_game
from kismet_build.model.diagnostic import Diagnostic, to_dict
from kismet_build.model.nodes import plain_text
from kismet_build.pack import Pack
from kismet_build.parse import composition
from kismet_build.render.site.outputs import render
from kismet_build.serve.source_links import source_map

GAME = "id: game\ntitle: Game\nversion: 1.0.0\nlicence: none\n"
BOOK = {
    "book.adoc": "= Lamps\n\n:leveloffset: +1\n\ninclude::parts/oil.adoc[]\n\ninclude::parts/bell.adoc[]\n",
    "parts/oil.adoc": "= Oil\n\nOil burns.\n\nSee {lamp}.\n",
    "parts/bell.adoc": "= Bell\n\nA bell rings.\n",
    "tools.adoc": "= Tools\n\nA tool.\n",
}


def game_in(folder: Path, files: Mapping[str, str]) -> Game:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return load_library(folder, None, lambda _: None).games[0]


def compiled(folder: Path, files: Mapping[str, str]) -> Pack:
    return compile_game(game_in(folder, files), lambda _: None)


def words(pack: Pack) -> dict[str, str]:
    return {
        chapter.source.path: " ".join(plain_text(block) for block in chapter.document.blocks)
        for chapter in pack.book.chapters
    }


def found(pack: Pack) -> list[tuple[str, str, int]]:
    return [(item["code"], item["path"], item["line"]) for item in map(to_dict, pack.diagnostics)]


def test_included_text_has_no_page_of_its_own(tmp_path: Path) -> None:
    pack = compiled(tmp_path, BOOK)
    assert words(pack) == {
        "book.adoc": "Lamps Oil Oil burns. See {lamp}. Bell A bell rings.",
        "tools.adoc": "Tools A tool.",
    }
    assert pack.private == {}


def test_link_to_an_included_text_leads_to_the_text_that_includes_it(tmp_path: Path) -> None:
    links = "= Tools\n\nxref:parts/oil.adoc#_oil[Oil] and xref:parts/bell.adoc[Bell].\n"
    pack = compiled(tmp_path, {**BOOK, "tools.adoc": links})
    anchors = [target.resolved_anchor for target in pack.book.links["tools.adoc"].targets.values()]
    assert [(anchor.path, anchor.id) for anchor in anchors if anchor] == [("book.adoc", "_oil"), ("book.adoc", "")]
    assert "unresolved-link" not in {code for code, _, _ in found(pack)}


def test_places_are_those_in_the_included_file(tmp_path: Path) -> None:
    pack = compiled(tmp_path, BOOK)
    assert found(pack) == [("missing-attribute", "parts/oil.adoc", 5)]
    sections = {section.anchor.title: section.anchor.span.original for section in pack.book.all_sections()}
    assert (sections["Bell"].source.path, sections["Bell"].line_range) == ("parts/bell.adoc", (1, 1))
    places = source_map(pack)
    assert places.url("parts/bell.adoc", 3).endswith("#_bell")
    (page,) = (page for page in places.pages if page.endswith("/book/"))
    assert {place.path for place in places.pages[page]} == {"book.adoc", "parts/oil.adoc", "parts/bell.adoc"}
    data = render(pack, f"data/{pack.game.id}/pack.json").decode()
    assert '"path":"parts/bell.adoc","line":1' in data.replace(": ", ":").replace(", ", ",")


@pytest.mark.parametrize(
    "private",
    [
        {"parts/bell.adoc": ":draft:\n\n= Bell\n\nA bell rings.\n"},
        {"parts/bell.adoc": "= Bell\n:publish: false\n\nA bell rings.\n"},
        {"parts/bell.adoc": "= Bell\ninclude::../marks.adoc[]\n\nA bell rings.\n", "marks.adoc": ":draft:\n"},
        {"library.yaml": 'exclude: ["parts/bell.adoc"]\n'},
    ],
)
def test_private_text_is_not_included(tmp_path: Path, private: Mapping[str, str]) -> None:
    pack = compiled(tmp_path, {**BOOK, **private})
    assert words(pack)["book.adoc"] == "Lamps Oil Oil burns. See {lamp}."
    assert "parts/bell.adoc" not in words(pack)
    assert ("unresolved-include", "book.adoc", 7) in found(pack)
    assert "bell" not in " ".join(diagnostic.message for diagnostic in pack.diagnostics)


@pytest.mark.parametrize("path", ["../secret.adoc", "/etc/hostname", ".hidden.adoc", "a\\b.adoc", "x" * 5000, "parts"])
def test_file_outside_of_the_game_is_not_included(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.adoc").write_text("A secret.\n", encoding="utf-8")
    pack = compiled(tmp_path / "game", {"book.adoc": f"One.\n\ninclude::{path}[]\n", ".hidden.adoc": "Hidden.\n"})
    assert words(pack) == {"book.adoc": "One."}
    assert found(pack) == [("unresolved-include", "book.adoc", 3)]


def test_link_out_of_the_folder_and_picture_are_not_included(tmp_path: Path) -> None:
    (tmp_path / "secret.adoc").write_text("A secret.\n", encoding="utf-8")
    folder = tmp_path / "game"
    folder.mkdir()
    (folder / "link.txt").symlink_to("../secret.adoc")
    (folder / "lamp.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    pack = compiled(folder, {"book.adoc": "One.\n\ninclude::link.txt[]\n\ninclude::lamp.png[]\n"})
    assert words(pack) == {"book.adoc": "One."}
    assert found(pack) == [("unresolved-include", "book.adoc", 3), ("unresolved-include", "book.adoc", 5)]


def test_edit_of_a_part_compiles_the_text_that_includes_it(tmp_path: Path) -> None:
    game = game_in(tmp_path, BOOK)
    pack = compile_game(game, lambda _: None)
    part = tmp_path / "parts/bell.adoc"
    tools = pack.files[tmp_path / "tools.adoc"]
    for text, shown in (("= Gong\n", " Gong"), (":draft:\n\n= Gong\n", ""), ("= Bell\n", " Bell")):
        part.write_text(text, encoding="utf-8")
        pack = compile_game(game, lambda _: None, previous=pack, changed=[part])
        fresh = compile_game(game, lambda _: None)
        assert words(pack)["book.adoc"] == f"Lamps Oil Oil burns. See {{lamp}}.{shown}"
        assert (words(pack), found(pack), pack.private) == (words(fresh), found(fresh), fresh.private)
        assert pack.files[tmp_path / "tools.adoc"] is tools


def test_all_texts_together_repeat_a_bounded_amount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (composition, compile_module):
        monkeypatch.setattr(module, "MAX_ADDED_OF_GAME", 30_000)
    part, chapter = f"{'Oil burns. ' * 100}\n", "= {0}\n\n" + "include::oil.txt[]\n\n" * 5
    texts = {f"{name}.adoc": chapter.format(name) for name in "ABCDEFGH"}
    game = game_in(tmp_path, {**texts, "oil.txt": part})
    pack = compile_game(game, lambda _: None)
    shown = [words(pack)[path].count("Oil burns.") for path in texts]
    assert shown[0] == 500 > shown[-1] == 0
    assert sorted(shown, reverse=True) == shown
    for path, text in (("A.adoc", "= A\n"), ("B.adoc", "= B\n"), ("A.adoc", texts["A.adoc"])):
        (tmp_path / path).write_text(text, encoding="utf-8")
        pack = compile_game(game, lambda _: None, previous=pack, changed=[tmp_path / path])
        fresh = compile_game(game, lambda _: None, jobs=2)
        assert (words(pack), found(pack)) == (words(fresh), found(fresh))


def test_text_that_is_no_longer_included_has_a_page(tmp_path: Path) -> None:
    game = game_in(tmp_path, BOOK)
    pack = compile_game(game, lambda _: None)
    book = tmp_path / "book.adoc"
    book.write_text("= Lamps\n\ninclude::parts/oil.adoc[]\n", encoding="utf-8")
    pack = compile_game(game, lambda _: None, previous=pack, changed=[book])
    assert words(pack)["parts/bell.adoc"] == "Bell A bell rings."
    assert words(pack) == words(compile_game(game, lambda _: None))


def test_file_that_appears_or_vanishes_changes_the_text(tmp_path: Path) -> None:
    pack = compiled(tmp_path, {"book.adoc": "One.\n\ninclude::list.csv[]\n"})
    assert found(pack) == [("unresolved-include", "book.adoc", 3)]
    game = game_in(tmp_path, {"list.csv": "Two.\n"})
    pack = compile_game(game, lambda _: None, previous=pack)
    assert (words(pack), found(pack)) == ({"book.adoc": "One. Two."}, [])
    (tmp_path / "list.csv").unlink()
    pack = compile_game(game, lambda _: None, previous=pack)
    assert found(pack) == [("unresolved-include", "book.adoc", 3)]


def test_dump_of_a_part_names_the_text_that_includes_it(tmp_path: Path) -> None:
    game_in(tmp_path, {**BOOK, "game.yaml": f"{GAME}sources: [{{glob: '**/*.adoc'}}]\n"})
    with pytest.raises(UsageError, match=r'is a part of "book\.adoc": name that text'):
        dump(tmp_path / "parts/bell.adoc", None)


def test_game_sets_attributes_for_its_texts(tmp_path: Path) -> None:
    text = "ifdef::maps[A map.]\nifdef::bell[A bell.]\n\n:lamp: none\n:oil: olive\n\n{lamp}, {oil}, {edition}.\n"
    options = "options: {attributes: {maps: true, bell: false, lamp: lit, oil: fish@, edition: 2}}\n"
    game = f"{GAME}sources: [{{glob: '*.adoc'}}]\n{options}"
    pack = compiled(tmp_path, {"game.yaml": game, "book.adoc": text})
    assert words(pack) == {"book.adoc": "A map. lit, olive, 2."}
    assert found(pack) == []


def test_texts_that_include_each_other_have_one_page(tmp_path: Path) -> None:
    pack = compiled(tmp_path, {"a.adoc": "A.\n\ninclude::b.adoc[]\n", "b.adoc": "B.\n\ninclude::a.adoc[]\n"})
    assert words(pack) == {"a.adoc": "A. B."}
    assert found(pack) == [("unresolved-include", "b.adoc", 3)]


def test_text_of_which_only_a_part_is_included_has_no_page(tmp_path: Path) -> None:
    texts = {"a.adoc": "include::b.adoc[lines=1]\n", "b.adoc": "One.\n\nTwo.\n"}
    assert words(compiled(tmp_path, texts)) == {"a.adoc": "One."}


def test_files_that_double_reach_a_limit(tmp_path: Path) -> None:
    texts = {f"{level}.adoc": f"include::{level + 1}.adoc[]\n" * 2 for level in range(16)} | {"16.adoc": "Word.\n"}
    diagnostics: list[Diagnostic] = []
    game = game_in(tmp_path, {"book.adoc": "include::0.adoc[]\n\nEnd.\n", **texts})
    pack = compile_game(game, diagnostics.append)
    assert words(pack)["book.adoc"].endswith("End.")
    assert [item[0] for item in found(pack)] == ["unresolved-include"]


def test_includes_that_are_too_deep_are_left_out(tmp_path: Path) -> None:
    texts = {f"{level}.adoc": f"{level}\n\ninclude::{level + 1}.adoc[]\n" for level in range(200)}
    pack = compiled(tmp_path, texts)
    assert words(pack)["0.adoc"].endswith(" 64")
    assert found(pack)[0] == ("unresolved-include", "64.adoc", 3)

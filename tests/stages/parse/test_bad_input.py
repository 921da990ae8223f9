"""Bad input costs one diagnostic, and its result is bounded. `tests/hard/growth.py` measures the time."""

import json
import re
import unicodedata
from pathlib import Path

import pytest

from kismet_build.model import book
from kismet_build.model.text_normalization import unicode_form
from tests.command import kismet
from tests.hard.growth import build
from tests.hard.inputs import INPUTS
from tests.sample import sample


def write(folder: Path, **notes: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in notes.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def test_definition_beside_no_texts_names_the_option(tmp_path: Path) -> None:
    write(tmp_path / "vault", note="# Ash\n\nA note.\n")
    assert kismet("new", "definition", "--from", "vault", cwd=tmp_path).status == 0
    run = kismet("check", "definition", cwd=tmp_path)
    assert "name both: FOLDER --game definition/game.yaml" in run.err
    assert kismet("check", "vault", "--game", "definition/game.yaml", cwd=tmp_path).status == 0


def test_vault_of_pictures_is_one_line(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"{number}.png").write_bytes(b"\x89PNG")
    run = kismet("build", tmp_path, "--out", tmp_path / "out")
    assert run.status == 2
    assert run.output.splitlines() == [f'kismet: there is no rules text in "{tmp_path}"']
    assert not (tmp_path / "out").exists()


def test_many_notes_of_one_name_are_few_messages(tmp_path: Path) -> None:
    for number in range(100):
        write(tmp_path / f"{number}", Goblin=f"---\nharm: {number}\narmor: 2\n---\n\nLike any [[Goblin]].\n")
    run = kismet("check", tmp_path)
    assert "100 × this link could mean 100 places; it leads to the nearest of them" in run.output
    assert '80 × "Goblin" has the id of another entry, so it gets one with a number' in run.output
    assert run.output.count("warning[") == 21
    lines = kismet("check", tmp_path, "--format", "json").out.splitlines()
    assert not any(json.loads(line)["related"] for line in lines)


def test_long_chain_of_statblocks_takes_from_the_nearest(tmp_path: Path) -> None:
    for number in range(40):
        write(tmp_path, **{f"S{number}": f"```statblock\nname: S{number}\nextends: S{number + 1}\np{number}: 1\n```\n"})
    run = kismet("check", tmp_path)
    assert "19 × this statblock extends more than 20 others; the rest are ignored" in run.output
    assert 'this statblock extends "S40", which does not exist' in run.output


def test_long_list_is_shown_in_part_and_published_in_whole(tmp_path: Path) -> None:
    things = [f"thing {number}" for number in range(1, 10_001)]
    for name in ("Bag", "Box", "Cart"):
        properties = "\n".join(f"  - {thing}" for thing in things)
        write(tmp_path / "vault" / "Holders", **{name: f"---\nweight: 3\nholds:\n{properties}\n---\n\nHeavy.\n"})
    run = kismet("build", tmp_path / "vault", "--out", tmp_path / "public", "--no-search")
    assert run.status == 0, run.output
    public = tmp_path / "public"
    table = (public / "vault/holder/index.html").read_text(encoding="utf-8")
    assert table.count("and 9,950 more") == 3
    assert "thing 50" in table
    assert "thing 51" not in table
    page = (public / "vault/holder/bag/index.html").read_text(encoding="utf-8")
    assert "<details><summary>9,950 more</summary>thing 51, " in page
    assert "thing 10000<" in page
    bag = json.loads((public / "data/vault/holder/bag.json").read_text(encoding="utf-8"))
    assert bag["entity"]["fields"]["holds"] == things


def test_long_list_in_a_statblock_is_an_entry(tmp_path: Path) -> None:
    actions = "".join(f"  - name: Bite {number}\n    desc: 1d6\n" for number in range(1, 10_001))
    write(tmp_path / "vault", Hydra=f"```statblock\nname: Hydra\nactions:\n{actions}```\n")
    run = kismet("build", tmp_path / "vault", "--out", tmp_path / "public", "--no-search")
    assert run.status == 0, run.output
    hydra = json.loads((tmp_path / "public/data/vault/monster/hydra.json").read_text(encoding="utf-8"))
    assert len(hydra["entity"]["fields"]["actions"]) == 10_000


def test_many_notes_that_embed_each_other_are_one_message(tmp_path: Path) -> None:
    write(tmp_path / "vault", **{f"N{number}": f"Text.\n\n![[N{(number + 1) % 500}]]\n" for number in range(500)})
    run = kismet("check", tmp_path / "vault")
    assert run.output.count("warning[") == 1
    assert "this embeds a text that embeds itself in a cycle of 500 texts" in run.output


def test_embeds_show_so_many_characters_and_then_are_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book, "MAX_CHARACTERS_OF_TEXT", 20)
    monkeypatch.setattr(book, "MAX_CHARACTERS_OF_GAME", 45)
    write(tmp_path / "vault", Long="Ten words.\n", **{f"N{number}": "![[Long]]\n\n" * 3 for number in range(3)})
    run = kismet("build", tmp_path / "vault", "--out", tmp_path / "out", "--no-search")
    assert run.output.count("the embeds in this text would show more than 20 characters") == 2
    assert run.output.count("the embeds in all texts would show more than 45 characters") == 3
    pages = [(tmp_path / "out" / "vault" / f"n{number}" / "index.html").read_text("utf-8") for number in range(3)]
    assert [page.count("Ten words.") for page in pages] == [2, 2, 0]
    assert [len(re.findall(r"<p><a [^>]*>Long</a></p>", page)) for page in pages] == [1, 1, 3]


def test_roll_table_with_ten_thousand_rows_is_two_messages(tmp_path: Path) -> None:
    rows = "".join(f"| {number % 100 + 1} | Row {number} |\n" for number in range(10_000))
    write(tmp_path / "vault", Results=f"| d100 | Result |\n| --- | --- |\n{rows}\n^big\n\nTake `dice: [[#^big]]`.\n")
    run = kismet("build", tmp_path / "vault", "--out", tmp_path / "public", "--no-search")
    assert run.output.count("warning[") == 2
    assert "1 dice code cannot be rolled, because the table is too long" in run.output
    assert "this table of 1d100 has several rows for 1-100" in run.output
    page = (tmp_path / "public/vault/results/index.html").read_text(encoding="utf-8")
    assert page.count("<tr data-low=") == 10_000
    assert "data-rows" not in page


def test_name_of_many_notes_has_few_candidates_where_it_is_mentioned(tmp_path: Path) -> None:
    for number in range(30):
        write(tmp_path / "vault" / "Kings", **{f"K{number}": f"---\ntitle: Goblin King\nharm: {number}\nage: 9\n---\n"})
    write(tmp_path / "vault", Talk="They fear the Goblin King.\n")
    run = kismet("build", tmp_path / "vault", "--out", tmp_path / "public", "--no-search")
    assert run.status == 0, run.output
    (mention,) = json.loads((tmp_path / "public/data/vault/doubtful.json").read_text(encoding="utf-8"))
    assert (mention["path"], mention["reason"], len(mention["candidates"])) == ("Talk.md", "shared", 20)


def test_key_of_toml_with_many_parts_is_refused(tmp_path: Path) -> None:
    write(
        tmp_path, Deep=f"+++\n{'a.' * 10_000}a = 1\n+++\n\nWords.\n", Fine="+++\na.b.'c d' = 'e. f.'\n+++\n\nWords.\n"
    )
    run = kismet("check", tmp_path)
    assert "Deep.md" in run.output
    assert "Fine.md" not in run.output
    assert "this is not valid TOML: a key has more than 200 parts" in run.output


def test_aliases_of_yaml_do_not_multiply_a_long_text(tmp_path: Path) -> None:
    aliases = ", ".join(["*a"] * 9_000)
    write(tmp_path, Long=f"---\na: &a {'x' * 200}\nb: [{aliases}]\n---\n\nWords.\n")
    run = kismet("check", tmp_path)
    assert "its aliases repeat more than 1000000 characters" in run.output


@pytest.mark.parametrize(
    ("name", "size"),
    sample([("labels with a space", 40_000), ("links to headings", 10_000), ("AsciiDoc: double marks", 12_000)], 3),
)
def test_long_text_is_built_in_a_minute_of_processor_time(name: str, size: int) -> None:
    """Each text took longer when the time grew with the square of the size, and takes a few seconds now."""
    (bad_input,) = (candidate for candidate in INPUTS if candidate.name == name)
    assert build(bad_input.files(size)).status == 0


def test_tag_with_many_attributes_is_words(tmp_path: Path) -> None:
    for count, is_shown in ((1_000, False), (1_001, True)):
        attributes = " ".join(f"a{number}" if number % 2 else f"a{number} = '>'" for number in range(count))
        write(tmp_path / "vault", Note=f"Oil <b {attributes}>burns</b>.\n")
        run = kismet("build", tmp_path / "vault", "--out", tmp_path / "public", "--no-search")
        assert ("this HTML tag has more than 1,000 attributes" in run.output) == is_shown
        page = (tmp_path / "public/vault/note/index.html").read_text(encoding="utf-8")
        assert ("&lt;b a0" in page) == is_shown
        assert "burns" in page


def test_long_text_is_normalized_in_pieces() -> None:
    korean = unicodedata.normalize("NFD", "등불은 하룻밤 동안 탄다. ") * 200
    for text in (korean, "é" * 5_000, "e\u0301 " * 5_000):
        assert unicode_form("NFC", text) == unicodedata.normalize("NFC", text)
    marks = "\u0301\u0327" * 100_000  # the whole takes half a minute
    assert len(unicode_form("NFC", marks)) == len(marks)


def test_folders_inside_each_other_are_listed_to_a_level(tmp_path: Path) -> None:
    folder = tmp_path / "vault" / "/".join("a" * 400)
    write(folder, Lamps="Oil burns.\n")
    run = kismet("build", tmp_path / "vault", "--out", tmp_path / "public", "--no-search")
    assert run.status == 0, run.output
    [home] = (tmp_path / "public/vault").glob("index.html")
    assert "Lamps" in home.read_text(encoding="utf-8")

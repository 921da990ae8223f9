"""A library of several games: each game is independent, and shared pages list all of them."""

import json
import shutil
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from tests.command import kismet, kismet_process, tree
from tests.small_library import CALCULATORS, GAME, TEXT, write_library
from tests.test_site import Page, read_pages, resolve

CLEAN, CONTENT, MISUSE = 0, 1, 2
GAMES = {"ember-court": "Ember Court", "ash-court": "Ash Court", "zinc-court": "Zinc Court"}


def write_games(folder: Path, count: int = 3) -> Path:
    """The same small game several times, under different names."""
    for game, title in list(GAMES.items())[:count]:
        text = GAME.replace("ember-court", game).replace("Ember Court", title)
        accent = 'accent: {light: "#1b5e5a", dark: "#7fd6cf"}\n' if game == "ash-court" else ""
        (write_library(folder / game, game=text + accent) / "calculators").mkdir(exist_ok=True)
        (folder / game / "calculators" / "moving.yaml").write_text(CALCULATORS, encoding="utf-8")
    return folder


@pytest.fixture
def games(tmp_path: Path) -> Path:
    return write_games(tmp_path / "content")


@pytest.fixture
def out(games: Path, tmp_path: Path) -> Path:
    """The library, built without errors."""
    run = kismet("build", games, "--out", tmp_path / "public")
    assert (run.status, run.err) == (CLEAN, "")
    return tmp_path / "public"


def spoil(text: Path) -> None:
    text.write_text(TEXT + "\n### Nod\n\nYou nod, for nothing.\n", encoding="utf-8")


def change(text: Path) -> None:
    text.write_text(TEXT.replace("the room forgives you", "nobody minds"), encoding="utf-8")


def of(game: str, files: dict[str, bytes]) -> dict[str, bytes]:
    """The files of one game in a tree."""
    places = (f"{game}/", f"data/{game}/", f"data/schemas/{game}/", f"assets/{game}/", f"assets/{game}-")
    return {path: content for path, content in files.items() if path.startswith(places)}


# --- one game does not stop the others


def test_a_game_with_errors_keeps_its_last_good_pages_while_the_others_go_on(games: Path, out: Path) -> None:
    before = tree(out)
    spoil(games / "ash-court" / "1 Court.md")
    change(games / "ember-court" / "1 Court.md")
    run = kismet("build", games, "--out", out)
    after = tree(out)
    assert run.status == CONTENT
    assert 'kismet: "ash-court" is not published: it has 1 error; its last good pages stay\n' in run.err
    assert "Ash Court:" not in run.out
    assert of("ash-court", after) == of("ash-court", before)
    assert b"nobody minds" in after["ember-court/court/index.html"]
    assert after["index.html"] == before["index.html"], "the page of all games lists it as it stands there"
    assert after["glossary/index.html"] == before["glossary/index.html"]


def test_a_game_that_never_compiled_is_not_in_the_tree(games: Path, tmp_path: Path) -> None:
    spoil(games / "ash-court" / "1 Court.md")
    run = kismet("build", games, "--out", tmp_path / "public")
    assert run.status == CONTENT
    assert '"ash-court" is not published: it has 1 error; it has no pages to keep, and is left out' in run.err
    files = tree(tmp_path / "public")
    assert of("ash-court", files) == {}
    assert b"Ash Court" not in files["index.html"] + files["glossary/index.html"]


def test_a_repaired_game_is_published_again(games: Path, out: Path) -> None:
    before = tree(out)
    spoil(games / "ash-court" / "1 Court.md")
    assert kismet("build", games, "--out", out).status == CONTENT
    (games / "ash-court" / "1 Court.md").write_text(TEXT, encoding="utf-8")
    assert kismet("build", games, "--out", out).status == CLEAN
    assert tree(out) == before


@pytest.mark.parametrize("name", ["game.yaml", "kinds/grace.yaml"])
def test_an_invalid_data_file_stops_only_its_game_and_is_a_usage_error(games: Path, out: Path, name: str) -> None:
    before = tree(out)
    (games / "ash-court" / name).write_text("id: ash-court\ntitle: [\n", encoding="utf-8")
    change(games / "ember-court" / "1 Court.md")
    run = kismet("build", games, "--out", out)
    after = tree(out)
    assert run.status == MISUSE
    assert '"ash-court" is not published:' in run.err
    assert "cannot be used; its last good pages stay" in run.err
    assert of("ash-court", after) == of("ash-court", before)
    assert of("ember-court", after) != of("ember-court", before)


def test_a_game_whose_id_cannot_be_read_is_known_by_its_folder(games: Path, out: Path) -> None:
    before = tree(out)
    (games / "ash-court" / "game.yaml").write_bytes(b"\xff")
    assert kismet("build", games, "--out", out).status == MISUSE
    assert tree(out) == before


def test_a_game_without_a_text_stops_only_itself(games: Path, out: Path) -> None:
    before = tree(out)
    (games / "ash-court" / "1 Court.md").unlink()
    run = kismet("build", games, "--out", out)
    assert run.status == MISUSE
    assert "there is no rules text in" in run.err
    assert tree(out) == before


def test_two_games_with_one_id_stop_only_themselves(games: Path, out: Path) -> None:
    before = tree(out)
    shutil.copytree(games / "ash-court", games / "copy")
    run = kismet("build", games, "--out", out)
    assert run.status == MISUSE
    assert 'games have the id "ash-court" in common: ' in run.err
    assert tree(out) == before


def test_where_every_game_has_errors_nothing_is_written(games: Path, out: Path) -> None:
    before = tree(out)
    for game in GAMES:
        spoil(games / game / "1 Court.md")
    run = kismet("build", games, "--out", out)
    assert run.status == CONTENT
    assert "nothing was written: 3 errors" in run.out
    assert tree(out) == before


def test_a_game_that_is_taken_away_is_gone(games: Path, out: Path) -> None:
    shutil.rmtree(games / "ash-court")
    spoil(games / "zinc-court" / "1 Court.md")
    assert kismet("build", games, "--out", out).status == CONTENT
    files = tree(out)
    assert of("ash-court", files) == {}
    assert of("zinc-court", files) != {}
    assert b"Ash Court" not in files["index.html"] + files["glossary/index.html"]


def test_pages_of_a_version_with_other_data_do_not_stay(games: Path, out: Path) -> None:
    pack = out / "data/ash-court/pack.json"
    pack.write_text(pack.read_text(encoding="utf-8").replace('"format": 1', '"format": 0'), encoding="utf-8")
    spoil(games / "ash-court" / "1 Court.md")
    run = kismet("build", games, "--out", out)
    assert "it has no pages to keep" in run.err
    assert of("ash-court", tree(out)) == {}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_stays_is_in_the_manifest_with_any_number_of_jobs(games: Path, out: Path, jobs: str) -> None:
    spoil(games / "ash-court" / "1 Court.md")
    assert kismet_process("build", games, "--out", out, "--jobs", jobs).status == CONTENT
    files = json.loads((out / "data/manifest.json").read_text(encoding="utf-8"))["files"]
    contents = {path.removeprefix("data/"): content for path, content in tree(out).items() if path.startswith("data/")}
    assert {entry["path"]: (entry["size"], entry["sha256"]) for entry in files} == {
        path: (len(content), sha256(content).hexdigest())
        for path, content in contents.items()
        if path != "manifest.json"
    }


@pytest.mark.parametrize("game", ["data", "assets", "fonts", "glossary", "schemas", "site", "search"])
def test_no_game_takes_the_place_of_what_belongs_to_all(games: Path, game: str) -> None:
    file = games / "ash-court" / "game.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("ash-court", game), encoding="utf-8")
    run = kismet("check", games)
    assert run.status == MISUSE
    assert f'a game cannot have the id "{game}"' in run.out


# --- all together


def test_check_reports_every_game_and_the_totals(games: Path) -> None:
    (games / "ash-court" / "1 Court.md").write_text(TEXT.replace("#Bow]]", "#Bend]]"), encoding="utf-8")
    spoil(games / "zinc-court" / "1 Court.md")
    run = kismet("check", games)
    assert run.status == CONTENT
    assert run.out.splitlines()[-4:] == [
        "Ash Court: 0 errors, 1 warning, 0 notes",
        "Ember Court: 0 errors, 0 warnings, 0 notes",
        "Zinc Court: 1 error, 0 warnings, 0 notes",
        "all 3 games: 1 error, 1 warning, 0 notes",
    ]


def test_check_continues_after_an_invalid_game(games: Path) -> None:
    (games / "ash-court" / "game.yaml").write_text("- 1\n", encoding="utf-8")
    spoil(games / "zinc-court" / "1 Court.md")
    run = kismet("check", games)
    assert run.status == MISUSE
    assert "error[invalid-game]" in run.out
    assert "error[empty-field]" in run.out
    assert run.err == f"kismet: {games.as_posix()}/ash-court/game.yaml cannot be used\n"


def test_the_home_of_all_games_shows_each_with_what_it_holds(out: Path) -> None:
    home = (out / "index.html").read_text(encoding="utf-8")
    pages = read_pages(out)
    assert [address for _, address in pages["index.html"].addresses if address in hrefs()] == hrefs()
    for words in ("1 chapter · 2 cards · 2 calculators", "CC0 1.0", "Graces", 'data-game="ash-court"'):
        assert words in home
    style = (out / "assets/site.css").read_text(encoding="utf-8")
    assert '[data-game="ash-court"] { --light: #1b5e5a; --dark: #7fd6cf; }' in style
    assert home.index("Ash Court") < home.index("Ember Court") < home.index("Zinc Court")


def hrefs() -> list[str]:
    return ["ash-court/index.html", "ember-court/index.html", "zinc-court/index.html"]


def test_the_glossary_of_all_games_tells_them_apart_and_leads_both_ways(out: Path) -> None:
    pages = read_pages(out)
    links = [resolve("glossary/index.html", address) for _, address in pages["glossary/index.html"].addresses]
    for game in GAMES:
        for path in (f"{game}/grace/bow/index.html", f"{game}/glossary/index.html"):
            assert (path, "") in links
        own = f"{game}/glossary/index.html"
        assert ("glossary/index.html", "") in [resolve(own, address) for _, address in pages[own].addresses]
    words = pages["glossary/index.html"].article.split()
    assert words.count("Bow") == len(GAMES)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_every_link_of_a_library_leads_somewhere(tmp_path: Path, count: int) -> None:
    out = tmp_path / "public"
    assert kismet("build", write_games(tmp_path / "content", count), "--out", out).status == CLEAN
    pages = read_pages(out)
    assert dead_links(out, pages) == []
    titles = Counter(page.title for page in pages.values())
    assert [title for title, number in titles.items() if number > 1] == []


def dead_links(out: Path, pages: dict[str, Page]) -> list[str]:
    """All links to a missing file of the tree or a missing id of a page."""
    dead = []
    for path, page in pages.items():
        for tag, address in page.addresses:
            target, fragment = resolve(path, address) or ("", "")
            if tag == "base":
                continue  # where addresses start from, and no address of its own
            if target and not (out / target).is_file():
                dead.append(f"{path}: {address}")
            elif fragment and target in pages and fragment not in pages[target].ids:
                dead.append(f"{path}: {address} (no such place)")
    return dead


def test_no_id_of_one_game_is_an_id_of_another(out: Path) -> None:
    ids: Counter[str] = Counter()
    for game in GAMES:
        pack = json.loads((out / f"data/{game}/pack.json").read_text(encoding="utf-8"))
        for records in (pack["sections"], pack["tables"], pack["calculators"], *pack["entities"].values()):
            ids.update(record["id"] for record in records)
    assert len(ids) >= 6 * len(GAMES)
    assert max(ids.values()) == 1


def test_calculators_of_a_library_are_listed_game_by_game(games: Path) -> None:
    run = kismet("calc", "--library", games)
    heads = [line for line in run.out.splitlines() if line and not line.startswith(" ")]
    assert heads == [f"{title}: 1 Court" for title in sorted(GAMES.values())]


def test_the_calculators_of_one_game_are_listed_by_its_id(games: Path) -> None:
    run = kismet("calc", "ash-court", "--library", games)
    assert run.status == CLEAN
    listed = ["  ash-court/far-jump  Far Jump", "  ash-court/share     Share"]
    assert run.out.splitlines() == ["Ash Court: 1 Court", *listed]
    assert len(json.loads(kismet("calc", "ash-court", "--library", games, "--json").out)) == 2


def test_a_calculator_of_a_broken_game_says_so(games: Path) -> None:
    (games / "ash-court" / "game.yaml").write_text("id: ash-court\ntitle: [\n", encoding="utf-8")
    assert kismet("calc", "ember-court/share", "--library", games).status == CLEAN
    run = kismet("calc", "ash-court/share", "--library", games)
    assert run.status == MISUSE
    assert "ash-court/game.yaml cannot be used" in run.err


def test_a_calculator_that_several_games_have_asks_for_its_game(games: Path) -> None:
    run = kismet("calc", "far-jump", "--library", games)
    assert run.status == MISUSE
    assert "several games have a calculator" in run.err
    assert kismet("calc", "ash-court/far-jump", "--library", games).status == CLEAN

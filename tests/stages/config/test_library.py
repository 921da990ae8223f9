"""A library of several games: each game is independent, and shared pages list all of them."""

import json
import shutil
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from kismet_build.render.pages.glossary import by_letter
from tests.command import kismet, kismet_process, tree, write_files
from tests.laws.test_site import Page, read_pages, resolve
from tests.small_library import CALCULATORS, GAME, TEXT, write_library

CLEAN, CONTENT, MISUSE = 0, 1, 2
GAMES = {"ember-court": "Ember Court", "ash-court": "Ash Court", "zinc-court": "Zinc Court"}


def write_games(folder: Path, count: int = 3) -> Path:
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
    run = kismet("build", games, "--out", tmp_path / "public")
    assert (run.status, run.err) == (CLEAN, "")
    return tmp_path / "public"


def add_error(text: Path) -> None:
    text.write_text(TEXT + "\n### Nod\n\nYou nod, for nothing.\n", encoding="utf-8")


def change(text: Path) -> None:
    text.write_text(TEXT.replace("the room forgives you", "nobody minds"), encoding="utf-8")


def files_of(game: str, files: dict[str, bytes]) -> dict[str, bytes]:
    places = (f"{game}/", f"data/{game}/", f"data/schemas/{game}/", f"assets/{game}/", f"assets/{game}-")
    return {path: content for path, content in files.items() if path.startswith(places)}


# --- errors of one game do not affect the others


def test_game_with_errors_retains_its_published_pages_and_others_are_updated(games: Path, out: Path) -> None:
    before = tree(out)
    add_error(games / "ash-court" / "1 Court.md")
    change(games / "ember-court" / "1 Court.md")
    run = kismet("build", games, "--out", out)
    after = tree(out)
    assert run.status == CONTENT
    assert 'kismet: "ash-court" is not published: it has 1 error; its last good pages stay\n' in run.err
    assert "Ash Court:" not in run.out
    assert files_of("ash-court", after) == files_of("ash-court", before)
    assert b"nobody minds" in after["ember-court/court/index.html"]
    assert after["index.html"] == before["index.html"], "the home page lists the game as it was published"
    assert after["glossary/index.html"] == before["glossary/index.html"]


def test_game_that_never_compiled_is_not_in_the_output(games: Path, tmp_path: Path) -> None:
    add_error(games / "ash-court" / "1 Court.md")
    run = kismet("build", games, "--out", tmp_path / "public")
    assert run.status == CONTENT
    assert '"ash-court" is not published: it has 1 error; it has no earlier pages to keep, so it is left out' in run.err
    files = tree(tmp_path / "public")
    assert files_of("ash-court", files) == {}
    assert b"Ash Court" not in files["index.html"] + files["glossary/index.html"]


def test_repaired_game_is_republished(games: Path, out: Path) -> None:
    before = tree(out)
    add_error(games / "ash-court" / "1 Court.md")
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
    assert "cannot be used; its last pages may show texts that are private now, so they are left out" in run.err
    assert files_of("ash-court", after) == {}
    assert files_of("ember-court", after) != files_of("ember-court", before)


def test_game_with_unreadable_id_is_identified_by_its_folder(games: Path, out: Path) -> None:
    before = tree(out)
    (games / "ash-court" / "game.yaml").write_bytes(b"\xff")
    run = kismet("build", games, "--out", out)
    assert run.status == MISUSE
    assert '"ash-court" is not published:' in run.err
    assert files_of("ember-court", tree(out)).keys() == files_of("ember-court", before).keys()


def test_game_without_texts_does_not_stop_other_games(games: Path, out: Path) -> None:
    before = tree(out)
    (games / "ash-court" / "1 Court.md").unlink()
    run = kismet("build", games, "--out", out)
    assert run.status == MISUSE
    assert "there is no rules text in" in run.err
    assert files_of("ember-court", tree(out)).keys() == files_of("ember-court", before).keys()


def test_two_games_with_the_same_id_do_not_stop_other_games(games: Path, out: Path) -> None:
    before = tree(out)
    shutil.copytree(games / "ash-court", games / "copy")
    run = kismet("build", games, "--out", out)
    assert run.status == MISUSE
    assert 'several games have the id "ash-court": ' in run.err
    assert "change `id` in one game.yaml" in run.err
    assert files_of("ember-court", tree(out)).keys() == files_of("ember-court", before).keys()


def test_output_is_not_written_if_every_game_has_errors(games: Path, out: Path) -> None:
    before = tree(out)
    for game in GAMES:
        add_error(games / game / "1 Court.md")
    run = kismet("build", games, "--out", out)
    assert run.status == CONTENT
    assert "nothing was written: 3 errors" in run.out
    assert tree(out) == before


def test_removed_game_is_removed_from_the_output(games: Path, out: Path) -> None:
    shutil.rmtree(games / "ash-court")
    add_error(games / "zinc-court" / "1 Court.md")
    assert kismet("build", games, "--out", out).status == CONTENT
    files = tree(out)
    assert files_of("ash-court", files) == {}
    assert files_of("zinc-court", files) != {}
    assert b"Ash Court" not in files["index.html"] + files["glossary/index.html"]


def test_published_pages_with_another_data_format_are_discarded(games: Path, out: Path) -> None:
    pack = out / "data/ash-court/pack.json"
    pack.write_text(pack.read_text(encoding="utf-8").replace('"format":3', '"format":2'), encoding="utf-8")
    add_error(games / "ash-court" / "1 Court.md")
    run = kismet("build", games, "--out", out)
    assert "it has no earlier pages to keep" in run.err
    assert files_of("ash-court", tree(out)) == {}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_retained_files_are_in_the_manifest_with_any_number_of_jobs(games: Path, out: Path, jobs: str) -> None:
    add_error(games / "ash-court" / "1 Court.md")
    assert kismet_process("build", games, "--out", out, "--jobs", jobs).status == CONTENT
    files = json.loads((out / "data/manifest.json").read_text(encoding="utf-8"))["files"]
    contents = {path.removeprefix("data/"): content for path, content in tree(out).items() if path.startswith("data/")}
    assert {entry["path"]: (entry["size"], entry["sha256"]) for entry in files} == {
        path: (len(content), sha256(content).hexdigest())
        for path, content in contents.items()
        if path != "manifest.json"
    }


@pytest.mark.parametrize("game", ["data", "assets", "fonts", "glossary", "schemas", "site", "search"])
def test_reserved_folder_names_are_invalid_game_ids(games: Path, game: str) -> None:
    file = games / "ash-court" / "game.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("ash-court", game), encoding="utf-8")
    run = kismet("check", games)
    assert run.status == MISUSE
    assert f'a game cannot have the id "{game}"' in run.out


# --- the whole library


def test_check_reports_every_game_and_the_totals(games: Path) -> None:
    (games / "ash-court" / "1 Court.md").write_text(TEXT.replace("#Bow]]", "#Bend]]"), encoding="utf-8")
    add_error(games / "zinc-court" / "1 Court.md")
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
    add_error(games / "zinc-court" / "1 Court.md")
    run = kismet("check", games)
    assert run.status == MISUSE
    assert "error[invalid-game]" in run.out
    assert "error[empty-field]" in run.out
    assert run.err == f"kismet: {games.as_posix()}/ash-court/game.yaml cannot be used\n"


def test_library_home_page_shows_each_game_in_its_colours(out: Path) -> None:
    home = (out / "index.html").read_text(encoding="utf-8")
    pages = read_pages(out)
    assert [address for _, address in pages["index.html"].addresses if address in hrefs()] == hrefs()
    assert 'data-game="ash-court"' in home
    style = (out / "assets/site.css").read_text(encoding="utf-8")
    assert '[data-game="ash-court"] { --light: #1b5e5a; --dark: #7fd6cf; ' in style
    assert home.index("Ash Court") < home.index("Ember Court") < home.index("Zinc Court")


def hrefs() -> list[str]:
    return ["ash-court/index.html", "ember-court/index.html", "zinc-court/index.html"]


def test_names_stand_in_the_order_of_german_dictionaries() -> None:
    """DIN 5007-1: ä is sorted as a, ß as ss; a letter of another language as its base letter."""
    names = ["Apfel", "Äpfel", "Arm", "Åse", "Bar", "Bär", "Đorđe", "Drache", "İzmir", "Łódź", "Masse", "Maße", "Mast"]
    names += ["Ñandu", "Nase", "Öl", "Øre", "Žar", "Zorn", "Яга"]
    letters = by_letter((name, "", name) for name in reversed(names))
    assert [name for letter in letters for name in letter.rows] == names
    assert "".join(letter.sign for letter in letters) == "ABDILMNOZЯ"


def test_library_glossary_and_game_glossaries_link_to_each_other(out: Path) -> None:
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
def test_library_has_no_dead_links_and_no_duplicate_titles(tmp_path: Path, count: int) -> None:
    out = tmp_path / "public"
    assert kismet("build", write_games(tmp_path / "content", count), "--out", out).status == CLEAN
    pages = read_pages(out)
    assert dead_links(out, pages) == []
    titles = Counter(page.title for page in pages.values())
    assert [title for title, number in titles.items() if number > 1] == []


def dead_links(out: Path, pages: dict[str, Page]) -> list[str]:
    dead = []
    for path, page in pages.items():
        for tag, address in page.addresses:
            target, fragment = resolve(path, address) or ("", "")
            if tag == "base":
                continue  # the base of relative links, not a link
            if target and not (out / target).is_file():
                dead.append(f"{path}: {address}")
            elif fragment and target in pages and fragment not in pages[target].ids:
                dead.append(f"{path}: {address} (no such id)")
    return dead


def test_ids_are_unique_across_games(out: Path) -> None:
    ids: Counter[str] = Counter()
    for game in GAMES:
        pack = json.loads((out / f"data/{game}/pack.json").read_text(encoding="utf-8"))
        for records in (pack["sections"], pack["tables"], pack["calculators"], *pack["entities"].values()):
            ids.update(record["id"] for record in records)
    assert len(ids) >= 6 * len(GAMES)
    assert max(ids.values()) == 1


def test_calc_lists_calculators_by_game(games: Path) -> None:
    run = kismet("calc", "--library", games)
    heads = [line for line in run.out.splitlines() if line and not line.startswith(" ")]
    assert heads == [f"{title}: 1 Court" for title in sorted(GAMES.values())]


def test_calc_lists_the_calculators_of_a_game_by_its_id(games: Path) -> None:
    run = kismet("calc", "ash-court", "--library", games)
    assert run.status == CLEAN
    listed = ["  ash-court/far-jump  Far Jump", "  ash-court/share     Share"]
    assert run.out.splitlines() == ["Ash Court: 1 Court", *listed]
    assert len(json.loads(kismet("calc", "ash-court", "--library", games, "--json").out)) == 2


def test_calc_in_a_folder_is_about_its_texts(games: Path, tmp_path: Path) -> None:
    notes = write_files(tmp_path / "notes", {"Moth.md": "It follows every light.\n"})
    assert kismet("calc", cwd=notes).out == "there are no calculators here\n"
    assert "ember-court/share" in kismet("calc", cwd=games / "ember-court").out
    assert "kismet/" in kismet("calc", cwd=write_files(tmp_path / "empty", {"a.txt": ""})).out
    texts = tmp_path / "texts"
    (games / "ember-court").rename(texts)
    (tmp_path / "definition").mkdir()
    for name in ("game.yaml", "kinds", "calculators"):
        (texts / name).rename(tmp_path / "definition" / name)
    game = tmp_path / "definition" / "game.yaml"
    assert "ember-court/share" in kismet("calc", "--library", texts, "--game", game).out


def test_calc_reports_that_the_game_of_a_calculator_is_invalid(games: Path) -> None:
    (games / "ash-court" / "game.yaml").write_text("id: ash-court\ntitle: [\n", encoding="utf-8")
    assert kismet("calc", "ember-court/share", "--library", games).status == CLEAN
    run = kismet("calc", "ash-court/share", "--library", games)
    assert run.status == MISUSE
    assert "ash-court/game.yaml cannot be used" in run.err


def test_calc_rejects_a_calculator_name_that_several_games_have(games: Path) -> None:
    run = kismet("calc", "far-jump", "--library", games)
    assert run.status == MISUSE
    assert "several games have a calculator" in run.err
    assert kismet("calc", "ash-court/far-jump", "--library", games).status == CLEAN

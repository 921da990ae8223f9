"""The face of a game: its emblem, two colours and a border, so that no game is mistaken for another."""

import json
import math
import re
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
import yaml

from kismet_build.config.design import bar_colours
from tests.command import ROOT, kismet, write_files
from tests.conftest import BuiltTree
from tests.small_library import GAME, TEXT, write_library

SCHEMES = ("light", "dark")
MIN_DISTANCE_OF_ACCENTS = 0.1
"""Minimum distance of accents in OKLab, where 0.02 is the smallest visible difference of two adjacent colours."""
MIN_DISTANCE = 0.08
"""Minimum distance between any colours of two games: docs/decisions/0020-looks.md."""
MAX_EMBLEM_BYTES = 1_500


def shipped_games() -> dict[str, dict[str, Any]]:
    files = sorted((ROOT / "content").glob("*/game.yaml"))
    return {file.parent.name: yaml.safe_load(file.read_text(encoding="utf-8")) for file in files}


def oklab(colour: str) -> tuple[float, float, float]:
    """A colour such as `#5A2A88` in OKLab (Ottosson 2020)."""
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    )
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def distance(first: str, second: str) -> float:
    return math.dist(oklab(first), oklab(second))


def test_distance_of_colours_is_that_of_oklab() -> None:
    assert distance("#FFFFFF", "#000000") == pytest.approx(1, abs=1e-3)
    assert oklab("#FF0000") == pytest.approx((0.628, 0.225, 0.126), abs=1e-3)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_colours_of_games_are_told_apart(scheme: str) -> None:
    for (first, game), (second, other) in combinations(shipped_games().items(), 2):
        accents = distance(game["accent"][scheme], other["accent"][scheme])
        assert accents >= MIN_DISTANCE_OF_ACCENTS, f"{first}, {second}: {accents:.3f}"
        colours = ([face[key][scheme] for key in ("accent", "second_accent")] for face in (game, other))
        closest = min(distance(*pair) for pair in product(*colours))
        assert closest >= MIN_DISTANCE, f"{first}, {second}: {closest:.3f}"


def test_every_game_has_a_border_and_a_small_emblem_of_its_own() -> None:
    games = shipped_games()
    assert len({game["border"] for game in games.values()}) == len(games)
    emblems = [(ROOT / "content" / name / game["emblem"]).read_bytes() for name, game in games.items()]
    assert len(set(emblems)) == len(games)
    assert max(map(len, emblems)) <= MAX_EMBLEM_BYTES


def test_style_sheet_has_every_border_that_a_game_may_name() -> None:
    schema = json.loads((ROOT / "schemas" / "game.schema.json").read_text(encoding="utf-8"))
    css = (ROOT / "site" / "assets" / "site.css").read_text(encoding="utf-8")
    borders = schema["properties"]["border"]["enum"]
    assert [border for border in borders if f"  --{border}: " not in css] == []


def test_pages_of_a_game_have_its_icon_and_the_colours_of_its_top_bar(content: BuiltTree) -> None:
    css = (content.folder / "assets" / "site.css").read_text(encoding="utf-8")
    for name, game in shipped_games().items():
        html = (content.folder / name / "index.html").read_text(encoding="utf-8")
        assert f'<link rel="icon" href="../assets/{name}/emblem.svg" type="image/svg+xml">' in html
        colours = bar_colours([game["accent"][scheme] for scheme in SCHEMES])
        assert tuple(re.findall(r'<meta name="theme-color" content="(#\w+)"', html)) == colours
        assert "--bar-light: {}; --bar-dark: {};".format(*colours) in css
        source = ROOT / "content" / name / game["emblem"]
        assert (content.folder / "assets" / name / "emblem.svg").read_bytes() == source.read_bytes()


def test_home_page_works_offline_with_the_emblems_of_all_games(content: BuiltTree) -> None:
    shell = json.loads((content.folder / "offline.json").read_text(encoding="utf-8"))["shell"]
    assert {f"assets/{name}/emblem.svg" for name in shipped_games()} <= {*shell}


# --- emblems of other games

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'


def build(folder: Path, more: str, files: dict[str, str]) -> tuple[int, str, str]:
    write_files(write_library(folder / "game", game=GAME + more, text=TEXT), files)
    run = kismet("build", folder / "game", "--out", folder / "out")
    emblem = folder / "out" / "assets" / "ember-court" / "emblem.svg"
    return run.status, run.output, emblem.read_text(encoding="utf-8") if emblem.is_file() else ""


def test_game_without_an_emblem_gets_one_of_its_first_ornament_and_accent(tmp_path: Path) -> None:
    accent = "accent: {light: '#7A3B12', dark: '#F0B48A'}\n"
    status, output, emblem = build(tmp_path, accent, {})
    assert status == 0, output
    page = (tmp_path / "out" / "ember-court" / "grace" / "index.html").read_text(encoding="utf-8")
    ornament = re.search(r'class="ornament" aria-hidden="true">(.)', page[page.index("<main") :])
    assert ornament is not None
    assert f">{ornament[1]}\ufe0e</text>" in emblem
    assert 'fill="#7A3B12"' in emblem


def test_emblem_of_a_vault_without_entities_is_its_initial(tmp_path: Path) -> None:
    vault = write_files(tmp_path / "Harbour", {"Notes.md": "# Notes\n\nNothing is defined.\n"})
    assert kismet("build", vault, "--out", tmp_path / "out").status == 0
    assert ">H\ufe0e</text>" in (tmp_path / "out/assets/harbour/emblem.svg").read_text(encoding="utf-8")


def test_emblem_is_published_as_it_is_and_not_as_an_attachment(tmp_path: Path) -> None:
    assert build(tmp_path, "emblem: sign.svg\n", {"sign.svg": SVG})[2] == SVG
    assert [file.name for file in (tmp_path / "out").rglob("*.svg")].count("sign.svg") == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, 'there is no file "sign.svg" next to this one'),
        (SVG.replace("<path", "<script>alert(1)</script><path"), '"sign.svg" is not an SVG image without scripts'),
        ("<svg", '"sign.svg" is not an SVG image without scripts'),
        (SVG + " " * 8_000, '"sign.svg" has 8,085 bytes'),
    ],
)
def test_emblem_that_cannot_be_published_is_reported(tmp_path: Path, content: str | None, message: str) -> None:
    status, output, _ = build(tmp_path, "emblem: sign.svg\n", {} if content is None else {"sign.svg": content})
    assert status == 2
    assert f"error[invalid-game]: {message}" in output


# --- questions of the home page


def test_sample_questions_are_published_with_the_address_of_their_answer(content: BuiltTree) -> None:
    for name, game in shipped_games().items():
        data = json.loads((content.folder / "data" / name / "pack.json").read_text(encoding="utf-8"))
        published = {question["question"]: question["answer"] for question in data["game"]["sample_questions"]}
        assert published == {words: f"{name}/{answer}" for words, answer in game["sample_questions"].items()}
    home = (content.folder / "index.html").read_text(encoding="utf-8")
    addresses = re.findall(r'<a href="([^"]+)" data-asked>', home)
    assert len(addresses) == 3
    assert all((content.folder / address.partition("#")[0]).is_file() for address in addresses)

"""The list of outputs: each file of a game can be made separately, with the bytes that a build writes."""

from pathlib import Path
from random import Random

import pytest

from kismet_build.driver.compile import compile_game
from kismet_build.driver.publish import render_game
from kismet_build.output.tree import OutputFile, describe_file
from kismet_build.render.html.addresses import INDEX
from kismet_build.render.site.outputs import addresses, page, paths, render
from tests.command import CONTENT, GAMES
from tests.custom_game import compile_custom_game
from tests.laws.test_work import SHAPES, load, write_shape
from tests.stages.crossref.test_autolinks import KIND
from tests.stages.mechanics.test_dice_in_text import rolled_notations


@pytest.mark.parametrize("shape", SHAPES)
def test_a_file_made_alone_has_the_bytes_of_a_build(tmp_path: Path, shape: str) -> None:
    game = load(CONTENT / shape if shape in GAMES else write_shape(shape, tmp_path / "game"))
    built: dict[str, bytes] = {}

    def keep(path: str, content: bytes) -> OutputFile:
        built[path] = content
        return describe_file(path, content)

    list(render_game(compile_game(game, lambda _: None), keep))
    pack = compile_game(game, lambda _: None)
    alone = list(paths(pack))
    assert sorted(alone) == sorted(built)
    Random(shape).shuffle(alone)  # no file may depend on another that was made before
    assert [path for path in alone if render(pack, path) != built[path]] == []
    assert [address for address in addresses(pack) if page(pack, address).address != address] == []


@pytest.mark.parametrize("shape", SHAPES)
def test_every_roll_of_a_page_is_in_the_data_of_dice(tmp_path: Path, shape: str) -> None:
    pack = compile_game(
        load(CONTENT / shape if shape in GAMES else write_shape(shape, tmp_path / "game")), lambda _: None
    )
    html = [render(pack, address + INDEX).decode() for address in addresses(pack)]
    rolled = {notation for text in html for notation in rolled_notations(text)}
    dice = f"assets/{pack.game.id}-dice.js"
    data = render(pack, dice).decode() if dice in paths(pack) else ""
    assert {notation for notation in rolled if f'"{notation}":' not in data} == set()


def test_page_is_the_same_after_a_preview_that_cuts_a_text_with_an_embed(tmp_path: Path) -> None:
    texts = {
        "Items": "# Items\n\n## Marsh\n\n### Bog Lamp\n\nIt shines.\n",
        "Long": f"# Long\n\nIt holds ![[Part#^x]] and {'more words to read, ' * 30}and ends.\n",
        "Part": "# Part\n\nTake the Bog\nLamp with you when the road is long. ^x\n",
    }
    kinds = {"item": KIND.replace("UNDER", "Marsh").replace("TITLE", "Item")}
    options = "options: {strict_line_breaks: true}\n"
    first, second = (compile_custom_game(tmp_path / name, kinds, texts, options) for name in ("first", "second"))
    shown = render(first, "fen/part/index.html")
    assert b'<a class="term"' in shown
    for path in paths(second):
        if "/cards-" in path:
            render(second, path)
    assert render(second, "fen/part/index.html") == shown

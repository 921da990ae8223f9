"""Statblocks on pages and in data, after edits, and with very large or damaged input."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.driver.publish import render_library
from kismet_build.model.diagnostic import Diagnostic
from kismet_build.model.nodes import CodeBlock, Statblock
from kismet_build.model.source import Source
from kismet_build.pack import Pack
from kismet_build.parse import read

HAG = """\
```statblock
name: Hag
hp: 22
actions:
  - name: Claw
    desc: 1d6, and see [[Poison#Cure|the cure]]. [[Nowhere]]
```
"""
BOG = "# Bog\n\n```statblock\nname: Bog hag\nextends: Hag\nhp: 30\n```\n"
POISON = "# Poison\n\nBad.\n\n## Cure\n\nGood.\n"


def vault(folder: Path, **texts: str) -> Path:
    for name, text in {"Hag": HAG, "Bog": BOG, "Poison": POISON, **texts}.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("text", ["```statblock", "Words\n\n~~~ statblock", "> ```statblock", "- a\n- ```statblock"])
def test_text_may_end_in_the_first_line_of_a_statblock(text: str) -> None:
    """A text ends there while its author types the statblock."""
    diagnostics: list[Diagnostic] = []
    read(Source("Hag.md", text), "obsidian", diagnostics.append)
    assert [found.code for found in diagnostics] == ["invalid-statblock"]
    assert "statblock" in diagnostics[0].span.text


def compile_vault(folder: Path, previous: Pack | None = None, changed: str = "") -> tuple[Pack, list[Diagnostic]]:
    diagnostics: list[Diagnostic] = []
    game = load_library(folder, None, diagnostics.append).games[0]
    files = [folder / f"{changed}.md"] if previous else None
    return compile_game(game, diagnostics.append, previous=previous, changed=files), diagnostics


def test_a_statblock_shows_what_it_takes_from_another(tmp_path: Path) -> None:
    pack, diagnostics = compile_vault(vault(tmp_path))
    files = {path: content.decode("utf-8", "replace") for path, content in render_library([pack])}
    game = pack.game.id
    page = files[f"{game}/monster/bog-hag/index.html"]
    assert '<b>Claw</b> <span class="dice" data-dice="1d6">1d6</span>, and see <a ' in page
    assert re.search('<a [^>]*#cure"[^>]*>the cure</a>', page)
    assert json.loads(files[f"data/{game}/monster/bog-hag.json"])["entity"]["fields"]["hp"] == 30
    unresolved = [diagnostic for diagnostic in diagnostics if diagnostic.code == "unresolved-link"]
    assert [(diagnostic.span.source.path, diagnostic.related) for diagnostic in unresolved] == [("Hag.md", ())]


@pytest.mark.parametrize(
    ("edited", "text"),
    [
        ("Hag", f"A line more.\n\n{HAG.replace('1d6', '2d8')}"),
        ("Hag", "Nothing is left.\n"),
        ("Bog", BOG.replace("extends: Hag\n", "")),
        ("Poison", "# Poison\n\nBad.\n"),
    ],
)
def test_an_edit_gives_the_same_files_as_a_build_from_nothing(tmp_path: Path, edited: str, text: str) -> None:
    pack, _ = compile_vault(vault(tmp_path))
    vault(tmp_path, **{edited: text})
    pack, diagnostics = compile_vault(tmp_path, pack, edited)
    fresh, fresh_diagnostics = compile_vault(tmp_path)
    assert dict(render_library([pack])) == dict(render_library([fresh]))
    assert [replace(diagnostic, span=None, related=()) for diagnostic in diagnostics] == [  # type: ignore[arg-type]
        replace(diagnostic, span=None, related=())  # type: ignore[arg-type]
        for diagnostic in fresh_diagnostics
    ]


@pytest.mark.parametrize(
    ("content", "is_statblock"),
    [
        ("a: " + "[" * 100 + "]" * 100, True),
        ("a:\n" + "".join(f"{'  ' * level}- b:\n" for level in range(1, 100)), True),
        ("a:\n" + "- x\n" * 10_000, True),
        ("a:\n" + "- x\n" * 30_000, True),
        ("a: " + "[" * 200 + "]" * 200, False),
        ("a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "b: [*a, *a, *a]\n", True),
        ("\ta: b", False),
        ("a: [b", False),
        ("- a", False),
        ("", False),
    ],
)
def test_odd_input_is_a_statblock_or_one_warning(content: str, is_statblock: bool) -> None:
    diagnostics: list[Diagnostic] = []
    document = read(Source("Page.md", f"```statblock\n{content}\n```\n"), "obsidian", diagnostics.append)
    assert [type(block) for block in document.blocks] == [Statblock if is_statblock else CodeBlock]
    assert [diagnostic.code for diagnostic in diagnostics] == ([] if is_statblock else ["invalid-statblock"])


def test_a_chain_of_statblocks_that_extend_each_other_is_bounded(tmp_path: Path) -> None:
    chain = "\n".join(f"```statblock\nname: S{n}\nk{n}: {n}\nextends: S{n + 1}\n```\n" for n in range(60))
    _, diagnostics = compile_vault(vault(tmp_path, Chain=chain))
    codes = [diagnostic.code for diagnostic in diagnostics]
    assert codes.count("unresolved-statblock") == 60 - 20


def test_page_of_a_statblock_has_its_name_once(tmp_path: Path) -> None:
    pack, _ = compile_vault(
        vault(
            tmp_path,
            Ox="# Ox\n\n```statblock\nname: Ox\nhp: 15\n```\n",
            Yard="```statblock\nname: Cow\nhp: 12\n```\n\n```statblock\nname: Calf\nhp: 3\n```\n",
        )
    )
    files = {path: content.decode("utf-8", "replace") for path, content in render_library([pack])}
    pages = {slug: files[f"{pack.game.id}/monster/{slug}/index.html"] for slug in ("ox", "cow")}
    assert pages["ox"].count(">Ox</h1>") == 1
    assert "statblock-name" not in pages["ox"] + pages["cow"]
    assert files[f"{pack.game.id}/yard/index.html"].count('class="statblock-name"') == 2

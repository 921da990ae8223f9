"""A made-up game with kinds and texts that each test passes in."""

from collections.abc import Mapping
from pathlib import Path

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.model.diagnostic import Diagnostic, Severity
from kismet_build.pack import Pack

GAME = """\
id: fen
title: Fen
version: 1.0.0
licence: CC0 1.0
kinds: kinds
sources:
  - {glob: '*.md', dialect: obsidian}
"""


def compile_custom_game(folder: Path, kinds: Mapping[str, str], texts: Mapping[str, str], more: str = "") -> Pack:
    """Write a game with these kinds and texts, add `more` to its game file, and compile it without errors."""
    (folder / "kinds").mkdir(parents=True, exist_ok=True)
    for name, kind in kinds.items():
        (folder / "kinds" / f"{name}.yaml").write_text(kind, encoding="utf-8")
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / "game.yaml").write_text(GAME + more, encoding="utf-8")
    diagnostics: list[Diagnostic] = []
    pack = compile_game(load_library(folder, None, diagnostics.append).games[0], diagnostics.append)
    assert not [diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR], diagnostics
    return pack

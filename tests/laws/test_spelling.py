"""The texts of the four games have no word that Hunspell's American dictionary or a game's own list lacks."""

import json
import os
import re
import shutil
import subprocess
from typing import Any

import pytest

from tests.command import GAMES, ROOT, skip_without
from tests.conftest import BuiltTree

GAME_WORDS = ROOT / "tests" / "data" / "spelling.json"
"""By game, the words that no dictionary has: its terms, and names of the world and the hobby."""


def words_unknown_to_hunspell(text: str) -> set[str]:
    command = ["hunspell", "-d", "en_US", "-i", "utf-8", "-l"]
    if (
        not shutil.which("hunspell")
        or subprocess.run([*command, os.devnull], capture_output=True, check=False).returncode
    ):
        skip_without("Hunspell or its dictionary en_US", fails_in_ci=True)
    run = subprocess.run(command, input=text, capture_output=True, check=True, encoding="utf-8")
    return set(run.stdout.split())


def texts(pack: Any) -> str:
    entities = [entity for of_kind in pack["entities"].values() for entity in of_kind]
    own_parts = [part for section in pack["sections"] for part in section["content"] if "text" in part]
    titles = [*(section["title"] for section in pack["sections"]), *(entity["name"] for entity in entities)]
    return "\n".join((*titles, *(record["text"] for record in (*own_parts, *entities))))


def is_notation(word: str) -> bool:
    """Whether a word is dice, a size or a level: `2d6`, `x3`, `25gp`, `TL12`."""
    return re.fullmatch(r"\d*[dD]\d+|x\d|\d+gp|TL?\d+|σ", word) is not None


@pytest.mark.parametrize("game", GAMES)
def test_texts_are_spelled_right(content: BuiltTree, game: str) -> None:
    pack = json.loads((content.folder / f"data/{game}/pack.json").read_bytes())
    unknown = {word for word in words_unknown_to_hunspell(texts(pack)) if not is_notation(word)}
    known = set(json.loads(GAME_WORDS.read_bytes())[game])
    assert unknown - known == set(), "correct the text, or add a word of the game to tests/data/spelling.json"
    assert known - unknown == set(), "remove words that no text has from tests/data/spelling.json"

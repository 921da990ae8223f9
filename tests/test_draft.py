"""The facts that a draft updates incrementally equal those of a pack that is computed from all documents."""

from dataclasses import replace
from pathlib import Path

import pytest

from kismet_build.build.document_cache import DocumentCache
from kismet_build.build.draft import Draft
from kismet_build.build.pipeline import compile_game
from kismet_build.config.game import load_library
from kismet_build.pack import Pack
from tests.small_library import write_library
from tests.test_incremental_builds import Author


def derived_facts(pack: Pack) -> tuple[object, ...]:
    mentions = {target: set(several) for target, several in pack.mentions_of.items()}
    inside = {path: set(several) for path, several in pack.mentions_in.items()}
    return dict(pack.by_id), dict(pack.by_source), pack.has_duplicates, mentions, inside, pack.addresses


@pytest.mark.parametrize("seed", range(8))
def test_incremental_facts_equal_computed_facts(tmp_path: Path, seed: int) -> None:
    write_library(tmp_path / "game")
    (tmp_path / "game" / "2 Other.md").write_text(
        "# Other\n\nSee [[#Bow]].\n\n### Nod\n\n**Cost:** 1", encoding="utf-8"
    )
    author, texts = Author(tmp_path, seed), DocumentCache()
    game = load_library(tmp_path / "game", None, lambda _: None).games[0]
    draft = Draft(compile_game(game, lambda _: None, cache=texts))
    taken = 0
    for _ in range(20):
        author._words()
        for file, dialect in game.files:
            document = texts.parse_file(game, file, dialect, lambda _: None)
            assert document is not None
            if draft.take(document, []) is None:
                draft = Draft(compile_game(game, lambda _: None, cache=texts))
            else:
                taken += 1
            assert derived_facts(draft.pack) == derived_facts(replace(draft.pack))
    assert taken > 10

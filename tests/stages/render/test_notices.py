"""Copyright and trademark notices of a game are shown with its licence and published in its data."""

import json
from html import escape
from pathlib import Path

import pytest

from tests.command import Run, kismet
from tests.small_library import GAME, write_library

OURS = "Ember Court is copyright 2024 & after by the Court <of Embers>."
THEIRS = "“Court” is a trademark of its owner."
NOTICES = f"notices:\n  - {OURS}\n  - {THEIRS}\n"


def built(tmp_path: Path, game: str) -> tuple[Path, Run]:
    out = tmp_path / "public"
    return out, kismet("build", write_library(tmp_path / "ember", game=game), "--out", out)


def page(out: Path, address: str) -> str:
    return (out / "ember-court" / address / "index.html").read_text(encoding="utf-8")


def test_notices_are_shown_with_the_licence_on_the_game_home_page(tmp_path: Path) -> None:
    out, run = built(tmp_path, GAME + NOTICES)
    assert run.status == 0, run.output
    licence = page(out, "").split('id="_licence"')[-1]
    assert 'id="_notices"' in licence
    assert [licence.count(f"<li>{escape(notice, quote=False)}</li>") for notice in (OURS, THEIRS)] == [1, 1]


def test_footer_of_every_page_links_to_the_notices(tmp_path: Path) -> None:
    out, _ = built(tmp_path, GAME + NOTICES)
    pages = sorted((out / "ember-court").rglob("index.html"))
    assert len(pages) > 5
    for file in pages:
        html = file.read_text(encoding="utf-8")
        if 'http-equiv="refresh"' in html:
            continue
        up = "../" * (len(file.relative_to(out).parts) - 1)
        assert f'<a href="{up}ember-court/index.html#_notices">Notices</a>' in html, file


def test_pack_has_the_notices_in_order(tmp_path: Path) -> None:
    out, _ = built(tmp_path, GAME + NOTICES)
    pack = json.loads((out / "data/ember-court/pack.json").read_text(encoding="utf-8"))
    assert pack["game"]["notices"] == [OURS, THEIRS]


def test_game_without_notices_has_no_notices_section(tmp_path: Path) -> None:
    out, _ = built(tmp_path, GAME)
    assert "notices" not in page(out, "").casefold()
    assert json.loads((out / "data/ember-court/pack.json").read_text(encoding="utf-8"))["game"]["notices"] == []


@pytest.mark.parametrize("wrong", ["notices: []\n", "notices: Court\n", 'notices: [" "]\n', 'notices: ["one\\ntwo"]\n'])
def test_notice_must_be_a_single_non_empty_line(tmp_path: Path, wrong: str) -> None:
    _, run = built(tmp_path, GAME + wrong)
    assert run.status == 2
    assert "invalid-game" in run.output

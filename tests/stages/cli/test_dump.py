"""`kismet dump` shows the model, links and entities of a text, for people who work on the compiler."""

import subprocess
import sys
from pathlib import Path

from tests.calculator_game import write_calculator_game
from tests.command import CONTENT, ROOT, kismet


def test_dump_shows_model_links_and_entities_of_a_text(tmp_path: Path) -> None:
    court = write_calculator_game(tmp_path)
    text = next(court.glob("1*.md"))
    text.write_text(text.read_text(encoding="utf-8") + "\n\nSee [[#Nowhere]] and **bold words**.\n", encoding="utf-8")
    run = kismet("dump", text)
    assert run.status == 0, run.err
    model, links, entities = (part.strip() for part in run.out.split("# ")[1:])
    assert model.startswith("model\n\nHeading 1")
    assert '  Strong\n    Text "bold words"' in model
    assert "Link #Nowhere -> nothing" in links
    assert '{"id": "ember-court/grace/bow"' in entities
    assert "Link #Graces -> 1 Court.md#graces" in links


def test_text_outside_a_game_is_dumped_as_a_plain_vault(tmp_path: Path) -> None:
    (tmp_path / "Note.md").write_text("# Note\n\nA [[Note]].\n", encoding="utf-8")
    run = kismet("dump", tmp_path / "Note.md")
    assert "3:3 Link Note -> Note.md#" in run.out
    assert run.out.endswith("# entities\n\nnone\n")


def test_dump_exits_silently_when_the_pipe_is_closed() -> None:
    command = f"'{sys.executable}' -m kismet_build.cli dump '{CONTENT}/kismet/2 CORE RULES.md' | head -1"
    run = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "# model\n", "")


def test_missing_text_is_a_usage_error(tmp_path: Path) -> None:
    run = kismet("dump", tmp_path / "Nowhere.md")
    assert (run.status, run.out) == (2, "")
    assert "Nowhere.md" in run.err

"""A hundred mistakes of authors, each with all its messages: place, cause and fix, and no message about a consequence.

`tests/data/mistakes.yaml` is the table. Each row changes files of a small library: `text` is the new content,
`encoding` the encoding of the file, and any other key a text that is replaced by its value. `says` has the expected
messages; `pytest --update` writes them.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.command import ROOT, kismet, write_files
from tests.small_library import CALCULATORS, GAME, KIND, TEXT
from tests.yaml_file import read_yaml

TABLE = ROOT / "tests" / "data" / "mistakes.yaml"
BOARD = "boards: [{id: court, title: Court, parts: [{kind: grace, as: lines, fields: [cost]}]}]\n"
STATISTICS = "statistics: {favour: favour}\n"
EFFECTS = """\
grace/bow:
- changes: favour
  by: 1
  citation: {document: 1 Court, heading: Bow, quote: You bend}
"""
LIBRARY = {
    "game.yaml": GAME + BOARD + STATISTICS,
    "kinds/grace.yaml": KIND,
    "calculators/moving.yaml": CALCULATORS,
    "effects.yaml": EFFECTS,
    "1 Court.md": TEXT,
}
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


def read_table() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = read_yaml(TABLE)
    return rows


def changed_file(path: str, changes: dict[str, Any]) -> bytes:
    if "png" in changes:
        return PNG
    text = changes.get("text", LIBRARY.get(path, ""))
    for old, new in changes.items():
        if old not in ("text", "encoding"):
            assert old in text, f"{path} has no {old!r}"
            text = text.replace(old, new, 1)
    return str(text).encode(changes.get("encoding", "utf-8"))


def messages_of(folder: Path, row: dict[str, Any]) -> list[dict[str, str]]:
    library = write_files(folder / "court", LIBRARY)
    write_files(library, {path: changed_file(path, changes) for path, changes in row["change"].items()})
    run = kismet("check", "court", "--format", "json", cwd=folder)
    # Standard error says only which files cannot be used because of the mistake.
    others = [line for line in run.err.splitlines() if " left out (" not in line]
    assert all(line.endswith(" cannot be used") for line in others), run.err
    return [
        {
            "place": f"{found['path']}:{found['line']}:{found['column']}",
            "cause": f"{found['severity']}[{found['code']}]: {found['message']}",
            "cure": found["hint"],
        }
        for found in map(json.loads, run.out.splitlines())
    ]


ROWS = read_table()
PYTHON_SYNTAX = re.compile(r"\b(?:None|True|False)\b|\['|\{'|<class|Traceback")


@pytest.mark.parametrize("row", ROWS, ids=[row["mistake"] for row in ROWS])
def test_mistake_is_answered(row: dict[str, Any], tmp_path: Path, pytestconfig: pytest.Config) -> None:
    messages = messages_of(tmp_path, row)
    if pytestconfig.getoption("--update"):
        row["says"] = messages
        write_table()
    assert messages == row["says"]


def write_table() -> None:
    before, *blocks = re.split(r"^(?=- mistake: )", TABLE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    written = []
    for block, row in zip(blocks, ROWS, strict=True):
        lines = [line for line in block.splitlines() if not line.startswith(("  says:", "  - {"))]
        section = [lines.pop()] if lines[-1].startswith("#") else []
        lines.append("  says:")
        for message in row.get("says", ()):
            parts = (f"{part}: {json.dumps(text, ensure_ascii=False)}" for part, text in message.items())
            lines.append(f"  - {{{', '.join(parts)}}}")
        written.append("\n".join((*lines, *section)) + "\n")
    TABLE.write_text(before + "".join(written), encoding="utf-8")


def test_there_are_more_than_a_hundred_mistakes() -> None:
    assert len({row["mistake"] for row in ROWS}) == len(ROWS) > 100


@pytest.mark.parametrize("row", ROWS, ids=[row["mistake"] for row in ROWS])
def test_message_names_place_cause_and_cure(row: dict[str, Any]) -> None:
    assert row["says"], "this mistake has no message"
    for message in row["says"]:
        assert re.fullmatch(r".+\.(?:yaml|md|mdx):\d+:\d+", message["place"])
        assert re.fullmatch(r"(?:error|warning|info)\[[a-z-]+\]: .{12,}", message["cause"])
        assert len(message["cure"]) >= 8, message["cause"]
        assert not PYTHON_SYNTAX.search(message["cause"] + message["cure"])

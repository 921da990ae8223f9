"""A hundred mistakes of authors, each with all that is said of it: place, cause, cure, and nothing that only follows.

`tests/data/mistakes.yaml` is the table. Each row changes files of a small library: `text` is a whole new file,
`encoding` what it is saved as, and any other key a text that is replaced by its value. `says` has the messages.
`pytest --update` writes them.
"""

import json
from pathlib import Path
from typing import Any

import yaml

from tests.command import ROOT, kismet, write_files
from tests.small_library import CALCULATORS, GAME, KIND, TEXT

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
    rows: list[dict[str, Any]] = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    return rows


def changed(path: str, changes: dict[str, Any]) -> bytes:
    if "png" in changes:
        return PNG
    text = changes.get("text", LIBRARY.get(path, ""))
    for old, new in changes.items():
        if old not in ("text", "encoding"):
            assert old in text, f"{path} has no {old!r}"
            text = text.replace(old, new, 1)
    return str(text).encode(changes.get("encoding", "utf-8"))


def said(folder: Path, row: dict[str, Any]) -> list[dict[str, str]]:
    """All messages of `kismet check` about a mistake."""
    library = write_files(folder / "court", LIBRARY)
    write_files(library, {path: changed(path, changes) for path, changes in row["change"].items()})
    run = kismet("check", "court", "--format", "json", cwd=folder)
    messages = [
        {
            "place": "{path}:{line}:{column}".format(**found),
            "cause": f"{found['severity']}[{found['code']}]: {found['message']}",
            "cure": found["hint"],
        }
        for found in map(json.loads, run.out.splitlines())
    ]
    # Lines without a place say what comes of it.
    return messages + [{"cause": line} for line in run.err.splitlines()]

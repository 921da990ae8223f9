"""A library of many small games."""

from pathlib import Path

KIND = """title: Move
x-match: {heading: 2, under: Moves}
required: [id, name, cost]
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title}
  cost: {type: integer, x-from: 'label:Cost'}
"""


def write_game(library: Path, number: int) -> None:
    folder = library / f"game-{number:03}"
    folder.mkdir(parents=True, exist_ok=True)
    head = f"id: g{number:03}\ntitle: Game {number}\nversion: 1.0.0\nlicence: CC0\nattribution: ''\nlanguage: en\n"
    (folder / "game.yaml").write_text(head + "sources: [{glob: '*.md'}]\n", encoding="utf-8")
    (folder / "Turns.md").write_text(f"# Turns\n\nA turn has {number} steps. See [[Moves]].\n", encoding="utf-8")
    (folder / "Moves.md").write_text("# Moves\n\n## Strike\n\n**Cost**: 2\n\nRoll 1d6.\n", encoding="utf-8")
    (folder / "kinds").mkdir(exist_ok=True)
    (folder / "kinds" / "move.yaml").write_text(KIND, encoding="utf-8")


def break_game(library: Path, number: int) -> None:
    text = library / f"game-{number:03}" / "Moves.md"
    text.write_text(text.read_text(encoding="utf-8").replace("2\n", "many\n"), encoding="utf-8")

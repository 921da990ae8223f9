"""Search, answers, previews and descriptions have words for readers: no code, no keys of data, no LaTeX."""

import json
import re
from pathlib import Path

import pytest

from tests.command import kismet, tree, write_files

STATBLOCK = """\
```statblock
name: NAME
hp: 22
armor_class: 16
stats: [10, 12, 14, 8, 9, 7]
saves: {wisdom: 4}
traits:
  - name: Silent
  - name: Hard Shell
    desc: Blunt weapons do half damage. Fire does not.
actions:
  - name: Claw
    desc: One target takes 4 (1d8) damage.
    to_hit: 5
```
"""
QUERIES = """\
# Queries

```dataview
TABLE qqcode FROM x
```

The price of a lamp is `= this.qqinline` coins, as long as the guild says so.

$$\\frac{qqlatex}{2}$$

A lamp burns $x + 1$ hours, or $\\sqrt{qqmath}$ if it rains.

```yaml
qqyaml: 3
```

- An item:

  ```js
  qqnested()
  ```
"""
CREATURES = ("Bog Crab", "Mud Cat", "Imp")
NOTES = {
    "Queries.md": QUERIES,
    **{f"Beasts/{name}.md": f"# {name}\n\n{STATBLOCK.replace('NAME', name)}" for name in CREATURES},
}
KEYS = ("traits:", "actions:", "desc:", "name:", "armor_class", "to_hit")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("words")
    run = kismet("build", write_files(folder / "vault", NOTES), "--out", folder / "out")
    assert run.status == 0, run.output
    return {path: content.decode("utf-8", "replace") for path, content in tree(folder / "out").items()}


def read_by_people(files: dict[str, str]) -> str:
    """The words of search, descriptions and lists for language models."""
    units = json.loads(files["data/vault/search.json"])["units"]
    descriptions = [
        found for content in files.values() for found in re.findall(r'<meta[^>]*description"[^>]*>', content)
    ]
    previews = [content for path, content in files.items() if path.startswith("assets/vault/cards")]
    return "\n".join((json.dumps(units), *descriptions, *previews, files["vault/llms.txt"]))


def test_keys_of_data_are_words_for_readers(files: dict[str, str]) -> None:
    shown = read_by_people(files)
    assert [key for key in KEYS if key in shown] == []
    lines = ("HP: 22", "Armor class: 16", "Saves: Wisdom +4", "Hard Shell: Blunt weapons do half damage.", "Silent")
    for line in lines:
        assert line in shown


def test_code_queries_and_latex_are_no_words(files: dict[str, str]) -> None:
    shown = read_by_people(files)
    assert re.findall("qq[a-z]+", shown) == []
    assert "A lamp burns x + 1 hours" in shown
    pages = "".join(content for path, content in files.items() if path.endswith(".html"))
    assert {*re.findall("qq[a-z]+", pages)} >= {"qqcode", "qqinline", "qqyaml", "qqnested"}, "the page shows them"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how many hp does the bog crab have", "HP: 22"),
        ("what does hard shell do", "Hard Shell: Blunt weapons do half damage. Fire does not."),
        ("bog crab armor class", "Armor class: 16"),
    ],
)
def test_one_value_answers(question: str, answer: str, tmp_path: Path) -> None:
    run = kismet("ask", question, write_files(tmp_path / "vault", NOTES))
    assert run.out.splitlines()[0] == answer

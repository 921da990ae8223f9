"""What vaults of strangers hold in their first hour: odd names, raw HTML, codes of plugins, ids of lists."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.command import Run, kismet, tree, write_files


def built(folder: Path, notes: dict[str, str]) -> tuple[dict[str, str], Run]:
    run = kismet("build", write_files(folder / "vault", dict(notes)), "--out", folder / "out")
    assert run.status == 0, run.output
    return {path: content.decode("utf-8", "replace") for path, content in tree(folder / "out").items()}, run


def article(html: str) -> str:
    """The text of a page as HTML on one line."""
    return " ".join(html.partition('<div class="text">')[2].partition("</article>")[0].split()).replace("> <", "><")


def test_names_with_a_number_sign(tmp_path: Path) -> None:
    links = "[a](C%23%20Harp.md) [[What is #1?]] [[Who is #2?]]"
    notes = {"C# Harp.md": "A harp.\n", "FAQ.md": "---\naliases: ['What is #1?']\n---\nText.\n", "Page.md": links}
    files, run = built(tmp_path, notes)
    assert 'href="../../vault/c-harp/index.html"' in article(files["vault/page/index.html"])
    assert 'href="../../vault/faq/index.html"' in files["vault/page/index.html"]
    assert 'nothing is named "Who is #2?"' in run.err
    assert run.err.count("unresolved-link") == 1


def test_links_in_raw_html_are_resolved_or_reported(tmp_path: Path) -> None:
    html = '<a href="Dock#Fees">a</a> <a href="Dock">b</a> <a href="Gone">c</a> <a href="Plan">d</a> <a href="#x">e</a>'
    notes = {"Dock.md": "# Dock\n\n## Fees\n\nTen.\n", "Plan.md": "---\npublish: no\n---\nx\n", "Page.md": html}
    files, run = built(tmp_path, notes)
    shown = article(files["vault/page/index.html"])
    assert '"../../vault/dock/index.html#fees"' in shown
    assert '"../../vault/dock/index.html"' in shown
    assert 'nothing is named "Gone"' in run.err
    assert "Plan" not in shown, "a private note"
    assert run.err.count("unresolved-link") == 1


def test_a_tag_without_end_takes_in_nothing(tmp_path: Path) -> None:
    text = "<div align=center\n\nNext.\n\n<details><summary>More</summary>\n\n- inside\n\n</details>\n"
    files, run = built(tmp_path, {"Page.md": text, "Other.md": "Other"})
    shown = article(files["vault/page/index.html"])
    assert "&lt;div align=center<p>Next.</p>" in shown.replace(" <p>", "<p>")
    assert "<summary>More</summary><ul><li>inside</li></ul></details>" in shown
    assert "this HTML tag has no >" in run.err


@pytest.mark.parametrize(
    ("block_id", "expected"),
    [
        ("whole", "<ul><li>a <ul><li>b</li><li>c</li></ul></li></ul>"),
        ("item", "<ul><li>c</li></ul>"),
        ("callout", '<p class="callout-title">Title</p><ul><li>in it</li></ul>'),
    ],
)
def test_an_embed_shows_the_list_that_an_id_names(block_id: str, expected: str, tmp_path: Path) -> None:
    lists = "- a\n  - b\n  - c\n^whole\n\n1. b\n2. c ^item\n\n> [!note] Title\n> - in it\n\n^callout\n"
    files, _ = built(tmp_path, {"Lists.md": lists, "Page.md": f"![[Lists#^{block_id}]]\n"})
    assert expected in article(files["vault/page/index.html"])
    assert "^" not in article(files["vault/page/index.html"])


ROLLS = """\
`dice: [](Rolls.md#^beast)` and `dice: 4dF[[Rolls#^terrain]]|Land`

| dice: 1d6 | Beast |
|---|---|
| 1,2 | crab |
| 3–5 | `dice: [the air](Rolls^air)` |
| 6+ | cat |

^beast

| Air |
|---|
| owl |
| moth |
^air

| dice: 4dF | Land |
|---|---|
| -4 | waste |
| -3 to +3 | plain |
| +4 | ruin |

^terrain
"""


def test_codes_with_markdown_links_and_fate_dice(tmp_path: Path) -> None:
    files, run = built(tmp_path, {"Rolls.md": ROLLS, "Home.md": "Home"})
    shown = files["vault/rolls/index.html"]
    assert (run.err, "dice:" in article(shown)) == ("", False)
    rolls = re.findall(r'data-dice="([^"]*)" data-rows="([^"]*)"', shown)
    assert [dice for dice, _ in rolls].count("4d3-8") >= 1
    pack: Any = json.loads(files["data/vault/pack.json"])
    beasts, _, terrain = pack["tables"]
    assert [row[0] for row in beasts["cells"]] == [
        {"min": 1, "max": 2},
        {"min": 3, "max": 5},
        {"min": 6, "max": None},
    ]
    assert [(each[0]["min"], each[0]["max"]) for each in terrain["ranges"]] == [(-4, -4), (-3, 3), (4, 4)]
    assert kismet("check", tmp_path / "vault").out.count("warning") == 1  # the line of the summary


def test_texts_that_repeat_themselves_are_bounded(tmp_path: Path) -> None:
    loop = "{% for i in (1..90000) %}*a* *b* *c* {% endfor %}\n"
    site = {"_config.yml": "title: T\n", "index.md": f"---\ntitle: x\n---\n{loop}"}
    files, run = built(tmp_path / "liquid", site)
    assert "its tags are left out" in run.err
    assert len("".join(path for path in files if path.endswith(".html"))) < 10_000
    book = {
        "book.toml": "[book]\ntitle = 'T'\n",
        "src/SUMMARY.md": "[A](a.md)\n",
        "src/a.md": "{{#include p.txt}}\n" * 900,
        "src/p.txt": "*a* `b` [c](d) " * 600,
    }
    files, run = built(tmp_path / "book", book)
    assert run.err.count("would become too long") == 1
    assert max(map(len, files.values())) < 2_000_000

"""The programs on the Data page and in the manual run, and the page lists what the data contains."""

import json
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

from tests.browser.host import serve_folder
from tests.command import CONTENT, skip_without
from tests.conftest import BuiltTree
from tests.node import node

EXAMPLE = "https://example.org/"
"""The address that a reader replaces."""


def snippets_of_page(folder: Path) -> dict[str, str]:
    page = (folder / "kismet/downloads/index.html").read_text(encoding="utf-8")
    found = re.findall(
        r'<div class="snippet">\s*<p><b>([^<]+)</b>.*?<pre[^>]*><code>(.*?)</code></pre>', page, re.DOTALL
    )
    return {language: unescape(code) for language, code in found}


def snippets_of_manual() -> dict[str, str]:
    """The programs of the manual that read the data of a website, by language."""
    text = (CONTENT / "docs" / "how-to" / "use-the-data.md").read_text(encoding="utf-8")
    languages = {"python": "Python", "js": "JavaScript", "bash": "curl"}
    blocks = re.findall(r"^```(python|js|bash)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return {languages[info]: code for info, code in blocks if EXAMPLE in code}


@pytest.mark.parametrize("place", ["page", "manual"])
@pytest.mark.parametrize("language", ["Python", "JavaScript", "curl"])
def test_program_prints_the_names_of_a_kind(place: str, language: str, content: BuiltTree, tmp_path: Path) -> None:
    snippets = snippets_of_page(content.folder) if place == "page" else snippets_of_manual()
    with serve_folder(content.folder) as address:
        code = snippets[language].replace(EXAMPLE, address)
        file = tmp_path / "program.mjs"
        file.write_text(code, encoding="utf-8")
        if language == "curl" and not shutil.which("curl"):
            skip_without("curl")
        command = {
            "Python": [sys.executable, "-c", code],
            "JavaScript": [node(), str(file)],
            "curl": ["sh", "-c", code],
        }
        printed = subprocess.run(command[language], capture_output=True, text=True, check=True, encoding="utf-8").stdout
    pack = json.loads((content.folder / "data/kismet/pack.json").read_bytes())
    names = [entity["name"] for entity in pack["entities"]["skill"]]
    shown = (
        [entity["name"] for entity in json.loads(printed)["entities"]] if language == "curl" else printed.split("\n")
    )
    assert [name for name in shown if name] == names


def test_page_lists_every_field_of_every_kind(content: BuiltTree) -> None:
    page = (content.folder / "kismet/downloads/index.html").read_text(encoding="utf-8")
    listed = dict(
        re.findall(r"<details class=\"fields-of\">\s*<summary>([^<]+?) <span(.*?)</details>", page, re.DOTALL)
    )
    pack = json.loads((content.folder / "data/kismet/pack.json").read_bytes())
    for kind_id, kind in pack["kinds"].items():
        fields = {name for entity in pack["entities"][kind_id] for name in entity["fields"]}
        assert fields <= {*re.findall(r'<th scope="row"><code>([^<]+)</code>', listed[kind["title"]])}, kind_id

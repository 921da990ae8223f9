"""Run pages of the manual: write their files, run their commands, and compare the outputs.

After a paragraph that starts with `Write` or `Add to` and ends with a path, the next fence is written to the file, or
appended to it. A fence `sh` is run; a fence `sh fails` must fail. Each line of a fence `text` must be in the output of
the commands before it, or in the file named in the paragraph before it.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

FILE = re.compile(r"(?P<action>.*)`(?P<path>[^`]+)`(?P<has> has)?:$", re.DOTALL)


class Step(NamedTuple):
    info: str
    text: str
    paragraph: str
    line: int


def steps(page: Path) -> Iterator[Step]:
    before = ""
    for token in MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8")):
        if token.type == "inline":
            before = token.content
        elif token.type == "fence" and token.map:
            yield Step(token.info, token.content, before, token.map[0] + 1)
            before = ""


def run_page(page: Path, folder: Path, cache: Path) -> int:
    """Run a page in an empty folder and return its number of steps. Raises `AssertionError` if a step fails."""
    output, count = "", 0
    for step in steps(page):
        place, count = f"{page.name}:{step.line}", count + 1
        named = FILE.fullmatch(step.paragraph)
        if step.info in ("sh", "sh fails"):
            output = _run(step, folder, cache, place)
        elif named and named["has"]:
            content = (folder / named["path"]).read_text(encoding="utf-8")
            _check(step.text, content, place)
        elif named:
            file = folder / named["path"]
            file.parent.mkdir(parents=True, exist_ok=True)
            mode = "a" if "Add to" in named["action"] else "w"
            with file.open(mode, encoding="utf-8") as opened:
                opened.write(step.text)
        else:
            assert step.info == "text", f"{place}: nothing says what this fence is"
            _check(step.text, output, place)
    return count


def _run(step: Step, folder: Path, cache: Path, place: str) -> str:
    packages = folder / "packages"
    env = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "KISMET_CACHE": str(cache),
        # Packages installed by a page go into its folder, are found there, and need no network.
        "PYTHONPATH": os.pathsep.join(filter(None, (str(packages), os.environ.get("PYTHONPATH")))),
        "PIP_TARGET": str(packages),
        "PIP_NO_DEPS": "1",
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads the value as "build isolation: off"
    }
    run = subprocess.run(
        ["bash", "-ec", step.text],
        cwd=folder,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=200,
    )
    output = run.stdout + run.stderr
    assert (run.returncode != 0) is (step.info == "sh fails"), f"{place}: status {run.returncode}\n{output}"
    return output


def _check(expected: str, actual: str, place: str) -> None:
    for line in filter(None, map(str.strip, expected.splitlines())):
        assert line in actual, f"{place}: {line!r} is not in\n{actual[:3000]}"

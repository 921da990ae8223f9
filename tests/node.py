"""Run the site's scripts in Node.js as a browser does: one after another, in one global scope."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import playwright

from kismet_build.render.site.assets import strings_script
from tests.command import ROOT, skip_without

ASSETS = ROOT / "site" / "assets"

RUN = """\
const [, answers, given, ...scripts] = process.argv;
const fs = require("node:fs"), vm = require("node:vm");
for (const script of scripts) vm.runInThisContext(fs.readFileSync(script, "utf8"), script);
globalThis.given = JSON.parse(fs.readFileSync(given, "utf8"));
fs.writeFileSync(answers, JSON.stringify(globalThis.answer(globalThis.given)));
"""


def node() -> str:
    """Return the path of Node.js, installed or bundled with Playwright. Skips the test if there is neither."""
    bundled = Path(playwright.__file__).parent / "driver" / "node"
    program = shutil.which("node") or (str(bundled) if bundled.is_file() else None)
    if program is None:
        skip_without("node", fails_in_ci=True)
    return program


def run_scripts(scripts: Sequence[Path], data: Any, folder: Path, language: str = "en") -> Any:
    """Call the function `answer`, which a script must define, with plain data. `folder` is a temporary folder.

    The scripts get the strings of a language, as on a page.
    """
    strings = folder / "strings.js"
    strings.write_bytes(strings_script(language))
    question, answers = folder / "given.json", folder / "answers.json"
    question.write_text(json.dumps(data, allow_nan=False), encoding="utf-8")
    done = subprocess.run(
        [node(), "-e", RUN, str(answers), str(question), str(strings), *map(str, scripts)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(answers.read_text(encoding="utf-8"))

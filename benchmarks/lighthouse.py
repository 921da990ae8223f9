"""Ask Lighthouse for its scores of pages, as a phone on a slow line sees them."""

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

LEAST = 95
"""Points of a hundred that every page is to have in every category."""
MANNERS = ("accessibility", "best-practices", "seo")
EVERYTHING = ("performance", *MANNERS)
"""The categories of Lighthouse."""
TRIES = 3
"""Of which the middle one counts, because times vary."""
SLOW, USUAL = 4, 1750
"""How many times slower than this machine a phone is, where Lighthouse finds the machine to be as fast as this."""
FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-background-networking --no-first-run"


def scores(
    program: Path, chromium: str, address: str, categories: Sequence[str] = EVERYTHING, tries: int = TRIES
) -> dict[str, int]:
    """The points of a page in some categories, the middle ones of some runs."""
    runs: list[dict[str, Any]] = []
    slower = float(SLOW)
    for _ in range(tries):
        runs.append(run(program, chromium, address, categories, slower))
        # A machine with other work is slower itself: the phone is as fast as it was.
        slower = min(SLOW, max(1.0, SLOW * runs[-1]["environment"]["benchmarkIndex"] / USUAL))
    names = runs[0]["categories"]
    return {name: round(100 * median(one["categories"][name]["score"] or 0 for one in runs)) for name in names}


def run(program: Path, chromium: str, address: str, categories: Sequence[str], slower: float) -> dict[str, Any]:
    """One report."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        options = (
            f"--chrome-flags={FLAGS} --user-data-dir={folder}/profile",
            "--throttling-method=simulate",
            "--disable-full-page-screenshot",
            f"--throttling.cpuSlowdownMultiplier={slower:.2f}",
            "--quiet",
            f"--only-categories={','.join(categories)}",
            "--output=json",
            f"--output-path={report}",
        )
        subprocess.run(
            ["node", str(program / "cli" / "index.js"), address, *options],
            env={**os.environ, "CHROME_PATH": chromium},
            check=True,
            capture_output=True,
            timeout=180,
        )
        found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
        return found

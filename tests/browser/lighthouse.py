"""Run Lighthouse on a page, emulating a phone with a slow connection."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

MIN_SCORE = 95
"""Minimum score of each page in each category, of 100 points."""
CATEGORIES = ("accessibility", "best-practices", "seo")
"""The categories of Lighthouse whose scores do not depend on the speed of the machine."""
FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-background-networking --no-first-run"


def scores(program: Path, chromium: str, address: str) -> dict[str, int]:
    # Chromium may still write to its profile when Lighthouse has ended.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        report = Path(folder) / "report.json"
        options = (
            f"--chrome-flags={FLAGS} --user-data-dir={folder}/profile",
            "--throttling-method=simulate",
            "--disable-full-page-screenshot",
            "--quiet",
            f"--only-categories={','.join(CATEGORIES)}",
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
        categories = json.loads(report.read_text(encoding="utf-8"))["categories"]
    return {name: round(100 * (category["score"] or 0)) for name, category in categories.items()}

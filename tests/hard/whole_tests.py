"""Run tests with all of their cases; `make test` uses a sample."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from tests.command import ROOT
from tests.hard.row import Row, exit_with

TESTS = {
    "commands with random arguments": ("tests/laws/test_arguments.py", 10_000),
    "standard streams closed, cut off or full": ("tests/laws/test_streams.py", 0),
    "caches damaged, files changed during a build": ("tests/stages/driver/test_damaged_caches.py", 0),
    "links, pipes and devices among the texts": ("tests/stages/config/test_odd_files.py", 0),
    "random formulas in Python and JavaScript": ("tests/stages/mechanics/test_formula_agreement.py", 20_000),
}
"""A file of tests for each row, with its number of cases; 0 if each case is a test."""

TIMEOUT = 3_600
"""Seconds that one test may take."""


def rows() -> Iterator[Row]:
    for name, (file, amount) in TESTS.items():
        yield _run(name, file, amount)


def _run(name: str, file: str, amount: int) -> Row:
    start = time.monotonic()
    with TemporaryDirectory(prefix="whole-tests-") as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", f"timeout={TIMEOUT}"]
        run = subprocess.run(
            [*command, f"--junit-xml={report}", file],
            cwd=ROOT,
            env={**os.environ, "KISMET_WHOLE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.monotonic() - start
        if not report.exists():
            return Row(name, 0, f"pytest failed\n{run.stdout}{run.stderr}", seconds, is_red=True)
        tests = [*ElementTree.parse(report).iter("testcase")]
    skipped = [skip.get("message", "") for test in tests for skip in test.iter("skipped")]
    failed = [
        f"{test.get('name')}: {failure.get('message')}"
        for test in tests
        for failure in (*test.iter("failure"), *test.iter("error"))
    ]
    passed = len(tests) - len(skipped) - len(failed)
    parts = [f"{passed} passed"]
    parts += [f"{len(failed)} failed"] if failed else []
    parts += [f"{len(skipped)} skipped: {'; '.join(sorted(set(skipped)))}"] if skipped else []
    result = "\n".join([", ".join(parts), *failed])
    return Row(name, (amount or len(tests)) if passed else 0, result, seconds, bool(failed or run.returncode))


if __name__ == "__main__":
    exit_with(rows())

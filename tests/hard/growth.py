"""Build bad input of sizes n, 2n and 4n, and count its words: `python -m tests.hard.growth`.

The processor time grows by less than `MAX_GROWTH` for twice the size, and the largest build takes less than
`MAX_SECONDS` and `MAX_MEGABYTES`. Words that are not on the page of a text are those that a diagnostic is about.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.command import ROOT, write_files
from tests.hard.inputs import INPUTS, WORD, Files, Input
from tests.hard.row import Row, exit_with

MAX_GROWTH = 2.6
"""Growth of the processor time for twice the size."""
MIN_SECONDS = 1.0
"""Processor seconds of the largest build from which growth is judged. Less is too small to be measured."""
MAX_SECONDS = 10.0
"""Processor seconds of the largest build."""
MAX_MEGABYTES = 1_000
"""Memory of the largest build."""
SECONDS_OF_PROCESS = 60
"""Processor seconds after which a build is ended."""
BYTES_OF_PROCESS = 4 << 30
"""Address space of a build."""

NOT_WORDS = re.compile(r"<(script|style|nav)\b.*?</\1>|<!--.*?-->|<[^>]*>", re.DOTALL)
"""Parts of a page that are not shown among its words."""


class Build(NamedTuple):
    """What a build took and did."""

    seconds: float
    """Processor time."""
    megabytes: float
    status: int
    """The exit status; negative if a signal ended it."""
    output: str
    lost: int
    """Words that are not on the page of their text."""
    codes: Counter[str]
    """How many diagnostics of the tree have each code."""


def growth_rows(inputs: Sequence[Input] = INPUTS) -> Iterator[Row]:
    """A row for each input."""
    empty = build({"Text.md": f"{WORD}\n"}).seconds
    for bad_input in inputs:
        yield _row(bad_input, empty)


def _row(bad_input: Input, empty: float) -> Row:
    builds = []
    for factor in (1, 2, 4):
        builds.append(build(bad_input.files(bad_input.size * factor), has_search=bad_input.has_search))
        if builds[-1].seconds > MAX_SECONDS:
            break
    last = builds[-1]
    times = [max(made.seconds - empty, 0.05) for made in builds]
    growths = [after / before for before, after in pairwise(times)]
    words = sum(text.count(WORD) for text in bad_input.files(bad_input.size * 4).values())
    result = f"{' '.join(f'{made.seconds:.2f}' for made in builds)} s, {last.megabytes:,.0f} MB"
    problems = list(_problems(last))
    if growths and last.seconds > MIN_SECONDS + empty:
        result += f", growth {max(growths):.1f}"
        problems += ["grows too fast"] * (max(growths) >= MAX_GROWTH)
    result += f", {words:,} words" + (f", {last.lost:,} not shown" if last.lost else "")
    if last.codes:
        result += ": " + ", ".join(f"{count:,} {code}" for code, count in last.codes.most_common(3))
    if bad_input.is_of_cmark:
        result += f"; markdown-it-py {_seconds_of_parser(bad_input):.2f} s"
    if problems:
        result = f"{'; '.join(problems)}: {result}\n{last.output[-400:]}"
    return Row(bad_input.name, bad_input.size * 4, result, sum(made.seconds for made in builds), bool(problems))


def _problems(made: Build) -> Iterator[str]:
    """What is wrong with the largest build."""
    if made.seconds > MAX_SECONDS:
        yield "takes too long"
    if made.megabytes > MAX_MEGABYTES:
        yield "takes too much memory"
    if made.status not in (0, 1, 2) or "Traceback" in made.output or "fault of kismet" in made.output:
        yield f"ends with status {made.status}"
    if made.lost and not made.codes:
        yield "loses words"


def build(files: Files, *, has_search: bool = False) -> Build:
    """Build a vault from nothing with one process."""
    with TemporaryDirectory(prefix="growth-") as name:
        folder = Path(name)
        write_files(folder / "vault", files)
        command = [
            sys.executable,
            "-m",
            "kismet_build.cli",
            "build",
            str(folder / "vault"),
            "--out",
            f"{folder}/public",
        ]
        command += ["--no-cache", "--jobs", "1", "--quiet", *([] if has_search else ["--no-search"])]
        seconds, megabytes, status = _measure(command, folder / "output")
        output = (folder / "output").read_text(encoding="utf-8", errors="replace")
        lost, codes = _lost_words(folder / "public", files)
        return Build(seconds, megabytes, status, output, 0 if status else lost, codes)


def _measure(command: Sequence[str], output: Path) -> tuple[float, float, int]:
    """Processor seconds, megabytes and exit status of a command."""
    with output.open("wb") as file:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=file,
            stderr=subprocess.STDOUT,
            preexec_fn=_set_limits,
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode


def _set_limits() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_OF_PROCESS, SECONDS_OF_PROCESS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES_OF_PROCESS, BYTES_OF_PROCESS))


def _lost_words(tree: Path, files: Files) -> tuple[int, Counter[str]]:
    """Words of texts that no page of the text has, and the diagnostics of the tree by code."""
    shown: Counter[str] = Counter()
    for page in tree.rglob("index.html"):
        html = page.read_text(encoding="utf-8")
        if source := re.search(r'data-source="([^"]*), lines? ', html):
            path, text = unescape(source[1]), html.partition("<main")[2].partition("</main>")[0]
            shown[path] = max(shown[path], NOT_WORDS.sub("", text).count(WORD))
    codes: Counter[str] = Counter()
    for file in tree.glob("data/*/diagnostics.json"):
        codes.update(diagnostic["code"] for diagnostic in json.loads(file.read_text(encoding="utf-8")))
    texts = {path: text for path, text in files.items() if not path.endswith(".yaml")}
    return sum(max(text.count(WORD) - shown[path], 0) for path, text in texts.items()), codes


PARSE = "import sys, markdown_it; markdown_it.MarkdownIt('gfm-like').disable('linkify').render(sys.stdin.read())"
"""A program that reads a text as markdown-it-py does without extensions."""


def _seconds_of_parser(bad_input: Input) -> float:
    """Processor seconds that markdown-it-py needs for the largest size, at most `SECONDS_OF_PROCESS`."""
    with TemporaryDirectory(prefix="growth-") as folder:
        (text,) = bad_input.files(bad_input.size * 4).values()
        write_files(Path(folder), {"text": text})
        command = ["sh", "-c", f'"$0" -c "$1" < {folder}/text', sys.executable, PARSE]
        return _measure(command, Path(folder) / "output")[0]


def main() -> None:
    """Print a row for each input."""
    parser = argparse.ArgumentParser(prog="python -m tests.hard.growth", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of the names of the inputs; all without names")
    names = parser.parse_args().names
    exit_with(growth_rows([each for each in INPUTS if not names or any(name in each.name for name in names)]))


if __name__ == "__main__":
    main()

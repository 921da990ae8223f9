"""Build bad input of sizes n, 2n and 4n, and count its words: `python -m tests.hard.growth`.

The processor time grows by less than `MAX_GROWTH` for twice the size, and the largest build takes less than
`MAX_SECONDS` and `MAX_MEGABYTES`. Only words in a diagnostic may be missing on the page of a text.
The largest is built first: if it takes too little time to tell growth from chance, the smaller ones are left out. Each
build is a process that this one forks, because the start of the interpreter takes longer than most of them.
docs/decisions/0022-bounds-of-input.md has the limits that followed from these measurements.
"""

import argparse
import json
import os
import re
import resource
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple, NoReturn

from markdown_it import MarkdownIt

from kismet_build.cli import main as kismet
from kismet_build.model.book import PRINT_PAGE
from tests.command import kismet as run_kismet
from tests.command import write_files
from tests.hard.inputs import INPUTS, REFUSED, WORD, Files, Input
from tests.hard.row import Row, exit_with

MAX_GROWTH = 2.46
"""Growth of the processor time for twice the size: the size to the power of 1.3."""
MIN_SECONDS = 1.0
"""Processor seconds of the largest build from which growth is judged. Less is too small to be measured."""
MAX_SECONDS = 10.0
"""Processor seconds of the largest build."""
MAX_MEGABYTES = 1_000
"""Memory of the largest build."""
ATTEMPTS = 5
"""Builds of each size if the first grow too fast."""
SECONDS_OF_PROCESS = 60
"""Processor seconds after which a build is ended."""
BYTES_OF_PROCESS = 4 << 30
"""Address space of a build."""

NOT_WORDS = re.compile(r"<(script|style|nav)\b.*?</\1>|<!--.*?-->|<[^>]*>", re.DOTALL)
"""Parts of a page that are not shown among its words."""


class Build(NamedTuple):
    seconds: float
    """Processor time."""
    megabytes: float
    status: int
    """The exit status; negative if a signal ended it."""
    output: str
    lost: int
    """Words that are not on the page of their text."""
    codes: Counter[str]
    """Number of diagnostics of the tree by code."""


def growth_rows(inputs: Sequence[Input] = INPUTS) -> Iterator[Row]:
    _import_compiler()
    empty = min(build({"Text.md": f"{WORD}\n"}).seconds for _ in range(3))
    for bad_input in inputs:
        yield _row(bad_input, empty)


def _import_compiler() -> None:
    """Build a small vault in this process, so that the processes of the builds have all modules."""
    with TemporaryDirectory(prefix="growth-") as folder:
        write_files(Path(folder) / "vault", {"Text.md": f"{WORD}\n"})
        run_kismet("build", f"{folder}/vault", "--out", f"{folder}/public", "--no-cache", "--jobs=1")


def _row(bad_input: Input, empty: float) -> Row:
    largest = _build_size(bad_input, 4)
    if largest.seconds > MAX_SECONDS:
        # Other processes can make a build slower, not faster.
        largest = min(largest, _build_size(bad_input, 4), key=lambda build: build.seconds)
    attempts = [[largest.seconds]]
    if MIN_SECONDS + empty < largest.seconds <= MAX_SECONDS:
        attempts = [[*_seconds(bad_input, 1, 2), largest.seconds]]
        if _growth(attempts, empty) >= MAX_GROWTH:
            attempts += [_seconds(bad_input, 1, 2, 4) for _ in range(ATTEMPTS - 1)]
    words = sum(text.count(WORD) for text in bad_input.files(bad_input.size * 4).values())
    fastest = " ".join(f"{min(seconds):.2f}" for seconds in zip(*attempts, strict=True))
    result = f"{fastest} s, {largest.megabytes:,.0f} MB"
    problems = list(_problems(largest))
    if largest.status and bad_input.name not in REFUSED:
        problems.append("is refused")
    if len(attempts[0]) > 1:
        result += f", growth {_growth(attempts, empty):.1f}"
        problems += ["grows too fast"] * (_growth(attempts, empty) >= MAX_GROWTH)
    result += f", {words:,} words" + (f", {largest.lost:,} not shown" if largest.lost else "")
    if largest.codes:
        result += ": " + ", ".join(f"{count:,} {code}" for code, count in largest.codes.most_common(3))
    if bad_input.is_of_cmark:
        result += f"; markdown-it-py {_seconds_of_parser(bad_input):.2f} s"
    if problems:
        result = f"{'; '.join(problems)}: {result}\n{largest.output[-400:]}"
    return Row(bad_input.name, bad_input.size * 4, result, sum(map(sum, attempts)), bool(problems))


def _growth(attempts: Sequence[Sequence[float]], empty: float) -> float:
    """The ratio of the times for the largest size and for half of it: the median of the attempts."""
    return median(max(largest - empty, 0.05) / max(half - empty, 0.05) for *_, half, largest in attempts)


def _seconds(bad_input: Input, *factors: int) -> list[float]:
    """The processor seconds of builds one after the other, so that a busy machine slows all of them."""
    return [_build_size(bad_input, factor).seconds for factor in factors]


def _build_size(bad_input: Input, factor: int) -> Build:
    return build(bad_input.files(bad_input.size * factor), bad_input.options)


def _problems(made: Build) -> Iterator[str]:
    if made.seconds > MAX_SECONDS:
        yield "takes too long"
    if made.megabytes > MAX_MEGABYTES:
        yield "takes too much memory"
    if made.status not in (0, 1, 2) or "Traceback" in made.output or "fault of kismet" in made.output:
        yield f"ends with status {made.status}"
    if made.lost and not made.codes:
        yield "loses words"


def build(files: Files, options: Sequence[str] = ("--no-search",)) -> Build:
    with TemporaryDirectory(prefix="growth-") as name:
        folder = Path(name)
        write_files(folder / "vault", files)
        arguments = [
            "build",
            str(folder / "vault"),
            "--out",
            f"{folder}/public",
            "--no-cache",
            "--jobs",
            "1",
            "--quiet",
        ]
        arguments += options
        seconds, megabytes, status = _measure(lambda: kismet(arguments), folder / "output")
        output = (folder / "output").read_text(encoding="utf-8", errors="replace")
        lost, codes = _lost_words(folder / "public", files)
        return Build(seconds, megabytes, status, output, 0 if status else lost, codes)


def _measure(run: Callable[[], int], output: Path) -> tuple[float, float, int]:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    process = os.fork()
    if not process:
        _run_in_child(run, output)
    _, status, usage = os.wait4(process, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def _run_in_child(run: Callable[[], int], output: Path) -> NoReturn:
    """Run a function with the limits of a build and with its output in a file, and end the process."""
    status = 1
    try:
        file = os.open(output, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, 1)
        os.dup2(file, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_OF_PROCESS, SECONDS_OF_PROCESS))
        resource.setrlimit(resource.RLIMIT_AS, (BYTES_OF_PROCESS, BYTES_OF_PROCESS))
        status = run()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _lost_words(tree: Path, files: Files) -> tuple[int, Counter[str]]:
    """Words of texts that no page of the text has, and the diagnostics of the tree by code."""
    shown: Counter[str] = Counter()
    for page in tree.rglob("index.html"):
        html = page.read_text(encoding="utf-8")
        if source := re.search(r"<dt>Source</dt><dd>([^<;]*), lines? [\d–]+</dd>", html):
            path, whole = unescape(source[1]), page.parent / PRINT_PAGE / page.name
            # A split chapter has all of its words on the page to print.
            texts_shown = (html, whole.read_text(encoding="utf-8")) if whole.exists() else (html,)
            shown[path] = max(shown[path], *map(_words_of_page, texts_shown))
    codes: Counter[str] = Counter()
    for file in tree.glob("data/*/diagnostics.json"):
        codes.update(diagnostic["code"] for diagnostic in json.loads(file.read_text(encoding="utf-8")))
    texts = {path: text for path, text in files.items() if not path.endswith(".yaml")}
    return sum(max(text.count(WORD) - shown[path], 0) for path, text in texts.items()), codes


def _words_of_page(html: str) -> int:
    return NOT_WORDS.sub("", html.partition("<main")[2].partition("</main>")[0]).count(WORD)


def _seconds_of_parser(bad_input: Input) -> float:
    """Processor seconds that markdown-it-py needs for the largest size, at most `SECONDS_OF_PROCESS`."""
    (text,) = bad_input.files(bad_input.size * 4).values()

    def parse() -> int:
        MarkdownIt("gfm-like").disable("linkify").render(text)
        return 0

    with TemporaryDirectory(prefix="growth-") as folder:
        return _measure(parse, Path(folder) / "output")[0]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.hard.growth", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of the names of the inputs; all without names")
    names = parser.parse_args().names
    exit_with(
        growth_rows([bad_input for bad_input in INPUTS if not names or any(name in bad_input.name for name in names)])
    )


if __name__ == "__main__":
    main()

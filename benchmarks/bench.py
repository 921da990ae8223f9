"""Measure how long the command takes on the games that ship with kismet: `make bench`.

A busy or slow machine makes every number larger. So each build is also compared with a peer in the same rounds:
markdown-it-py renders the same texts to plain HTML, which is the least that kismet has to do.
"""

import argparse
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from benchmarks.data_share import data_limits
from benchmarks.measure import FRESH, Edit, marker, measure
from benchmarks.programs import KISMET, Program, kismet
from benchmarks.report import middle, print_limits, print_measurements

ROOT = Path(__file__).parent.parent
ROUNDS = 5
PEER = """\
import sys
from pathlib import Path
from markdown_it import MarkdownIt
parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
for name in sys.argv[1:]:
    parser.render(Path(name).read_text(encoding="utf-8"))
"""
LIMITS = {"content": 3.0, "content --no-search": 1.5, "content/kismet --no-search": 1.0, "kismet explain": 0.15}
"""Maximum seconds of a command from nothing, on two processors."""


def main() -> None:
    """Measure, and print the tables."""
    argparse.ArgumentParser(prog="python -m benchmarks.bench", description=__doc__).parse_args()
    texts = sorted(map(str, (ROOT / "content").glob("*/*.md")))
    peer = Program(name="markdown-it-py", build=lambda *_: [sys.executable, "-c", PEER, *texts])
    explain = [sys.executable, "-c", KISMET, "explain", "unresolved-link"]
    edit = Edit(
        text="content/kismet/10 COMBAT RULES.md",
        page="kismet/combat-rules/index.html",
        addition=lambda number: f"\n\n{marker(number)}",
    )
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        measured: list[tuple[Program, Path, Edit | None]] = [
            (peer, ROOT, None),
            (Program(name="kismet explain", build=lambda *_: explain), ROOT, None),
        ]
        for path, *flags in (["content"], ["content", "--no-search"], ["content/kismet", "--no-search"]):
            program = replace(kismet(*flags, path=path), name=" ".join((path, *flags)))
            project = Path(folder) / str(len(measured))
            for part in ("content", "schemas"):
                shutil.copytree(ROOT / part, project / part)
            measured.append((program, project, edit))
        samples = measure(measured, ROUNDS)
    print_measurements(f"Seconds, median of {ROUNDS} rounds", samples, peer.name)
    seconds = [(name, middle(samples, name, FRESH), limit) for name, limit in LIMITS.items()]
    print_limits([*seconds, *data_limits(ROOT / "content", ROUNDS)])


if __name__ == "__main__":
    main()

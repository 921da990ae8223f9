"""Measure how long the command takes on the games that are shipped: `make bench`.

A busy or slow machine makes every number larger. So each build is also shown as a ratio to a peer measured in the same
rounds: markdown-it-py, which renders the same texts to plain HTML, the lowest part of the work of kismet.
"""

import argparse
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from rich.console import Console

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
PAGES = {
    "kismet/10 COMBAT RULES.md": "kismet/combat-rules/index.html",
    "kiss/kiss.adoc": "kiss/kiss/index.html",
    "legend/Gameplay Basics.md": "legend/gameplay-basics/index.html",
    "marchen/Marchen Engine SRD.md": "marchen/marchen-engine-srd/index.html",
}
"""The text of each game that is edited, and the page of its last paragraph."""
LIMITS = {"content": 3.0, "content --no-search": 1.5, "content/kismet --no-search": 1.0, "kismet explain": 0.15}
"""Seconds from nothing on two processors."""


def main() -> None:
    """Measure, and print the tables."""
    description, _, details = (__doc__ or "").partition("\n\n")
    argparse.ArgumentParser(prog="python -m benchmarks.bench", description=description, epilog=details).parse_args()
    chapters = sorted(map(str, (ROOT / "content").glob("*/*.md")))
    peer = _command("markdown-it-py", sys.executable, "-c", PEER, *chapters)
    others = (
        peer,
        _command("kismet explain", sys.executable, "-c", KISMET, "explain", "unresolved-link"),
        _command("python -c pass", sys.executable, "-c", "pass"),
    )
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        measured: list[tuple[Program, Path, Edit | None]] = [(program, ROOT, None) for program in others]
        for text, page in PAGES.items():
            game = text.partition("/")[0]
            for path in ("content", f"content/{game}") if game == "kismet" else (f"content/{game}",):
                for flags in ((), ("--no-search",)):
                    program = replace(kismet(*flags, path=path), name=" ".join((path, *flags)))
                    project = Path(folder) / program.name.replace("/", "-")
                    for part in ("content", "schemas"):
                        shutil.copytree(ROOT / part, project / part)
                    measured.append((program, project, Edit(f"content/{text}", page, _paragraph)))
        samples = measure(measured, ROUNDS, Console(stderr=True, highlight=False).print)
    print_measurements(f"Seconds, median of {ROUNDS} rounds", samples, peer.name)
    print_limits([(name, middle(samples, name, FRESH), limit) for name, limit in LIMITS.items()])


def _command(name: str, *command: str) -> Program:
    return Program(name=name, build=lambda _project, _out: [*command])


def _paragraph(number: int) -> str:
    return f"\n\n{marker(number)}"


if __name__ == "__main__":
    main()

"""Measure builds of vaults with bad input of sizes n, 2n and 4n: `python -m benchmarks.bad_input`.

The processor time should grow by less than `MAX_GROWTH` from one size to the next.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

MAX_GROWTH = 2.6
"""Growth of the processor time for twice the input."""

Notes = Iterator[tuple[str, str]]
"""The path and the text of each note of a vault."""


def same_file_names(size: int) -> Notes:
    """Notes of one name in folders of their own, each with a link to that name."""
    for number in range(size):
        yield f"{number % 50}/{number}/Goblin.md", f"---\nharm: {number}\narmor: 3\n---\n\nLike any [[Goblin]].\n"


def same_titles(size: int) -> Notes:
    """Notes of one title, and as many that mention it."""
    for number in range(size):
        yield f"Kings/{number}.md", f"---\ntitle: Goblin King\nharm: {number}\narmor: 3\n---\n\nHe waits.\n"
        yield f"Tales/{number}.md", f"Tale {number} is of the Goblin King.\n"


def same_aliases(size: int) -> Notes:
    """Notes with one alias, each with a link to it."""
    for number in range(size):
        yield f"Kings/{number}.md", f"---\naliases: [Goblin]\nharm: {number}\narmor: 3\n---\n\nSee [[Goblin]].\n"


def statblock_chain(size: int) -> Notes:
    """Statblocks that extend the next one."""
    for number in range(size):
        yield f"{number}.md", f"```statblock\nname: S{number}\nextends: S{number + 1}\np{number % 50}: 1\n```\n"


def long_property(size: int) -> Notes:
    """A property with many items, in three notes of a kind."""
    items = "".join(f"  - thing {number}\n" for number in range(size))
    for name in ("Bag", "Box", "Cart"):
        yield f"Holders/{name}.md", f"---\nweight: 3\nholds:\n{items}---\n\nHeavy.\n"


def long_statblock(size: int) -> Notes:
    """A statblock with many actions."""
    actions = "".join(f"  - name: Bite {number}\n    desc: 1d6\n" for number in range(size))
    yield "Hydra.md", f"```statblock\nname: Hydra\nactions:\n{actions}```\n"


def long_roll_table(size: int) -> Notes:
    """A roll table whose results repeat."""
    rows = "".join(f"| {number % 100 + 1} | Row {number} |\n" for number in range(size))
    yield "Results.md", f"| d100 | Result |\n| --- | --- |\n{rows}\n^big\n\nTake `dice: [[#^big]]`.\n"


def equal_headings(size: int) -> Notes:
    """Equal headings in one note."""
    yield "Headings.md", "# a\n" * size


def open_brackets(size: int) -> Notes:
    """Open brackets in the properties of a note."""
    yield "Brackets.md", f"---\na: {'[' * size}\n---\n\nWords.\n"


def open_elements(size: int) -> Notes:
    """Start tags of HTML without end tags, in one block and among words."""
    yield "Block.md", "<div>" * size + "\n"
    yield "Words.md", "Words " + "<b><i>" * (size // 2) + "\n"


INPUTS: dict[Callable[[int], Notes], int] = {
    same_file_names: 500,
    same_titles: 500,
    same_aliases: 500,
    statblock_chain: 500,
    long_property: 2_500,
    long_statblock: 2_500,
    long_roll_table: 2_500,
    equal_headings: 3_000,
    open_brackets: 10_000,
    open_elements: 20_000,
}
"""Generators of vaults, each with the smallest size that is measured."""


def main() -> None:
    """Measure, and print a row for each input."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bad_input", description=__doc__)
    parser.add_argument("names", nargs="*", help="the inputs to measure; all without names")
    names = parser.parse_args().names
    print(f"{'input':<18}{'n':>8}{'at n':>8}{'at 2n':>8}{'at 4n':>8}  growth  memory at 4n")
    for generate, size in INPUTS.items():
        if names and generate.__name__ not in names:
            continue
        times, memory = zip(*(_build(generate(size * factor)) for factor in (1, 2, 4)), strict=True)
        growth = max(times[1] / times[0], times[2] / times[1])
        shown = "".join(f"{seconds:8.2f}" for seconds in times)
        mark = "" if growth < MAX_GROWTH else "  too much"
        print(f"{generate.__name__:<18}{size:>8,}{shown}{growth:8.2f}  {memory[2]:,.0f} MB{mark}", flush=True)


def _build(notes: Notes) -> tuple[float, float]:
    """Processor seconds and memory in MB of a build from nothing with one process."""
    with tempfile.TemporaryDirectory(prefix="bad-input-") as folder:
        for path, text in notes:
            file = Path(folder) / "vault" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "kismet_build.cli", "build", f"{folder}/vault", "--out", f"{folder}/public"]
        process = subprocess.Popen(
            [*command, "--no-cache", "--no-search", "--jobs", "1", "--quiet"], stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"the build ended with status {process.returncode}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()

"""The command that fuzzes: see `tests.hard.fuzz`."""

import argparse
from pathlib import Path

from tests.hard import fuzz
from tests.hard.fuzz.run import run_targets
from tests.hard.fuzz.targets import TARGETS
from tests.hard.row import exit_with


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.hard.fuzz", description=fuzz.__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"all without names: {', '.join(TARGETS)}")
    parser.add_argument("--seconds", type=int, default=60, help="how long each target runs (default: 60)")
    parser.add_argument("--corpus", type=Path, help="folder for the inputs that reach new code, also of earlier runs")
    options = parser.parse_args()
    if unknown := set(options.targets) - set(TARGETS):
        parser.error(f"no target: {', '.join(sorted(unknown))}")
    exit_with(run_targets(options.targets or TARGETS, options.seconds, options.corpus))


if __name__ == "__main__":
    main()

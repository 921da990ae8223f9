"""Run the targets, each in a process of its own, and yield a row for each."""

import importlib.util
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.command import ROOT
from tests.hard.row import Row

HANGING = 60
"""Seconds after which an input counts as hanging, also on a slow machine."""
MAX_MEMORY = 1_500
"""Megabytes of the process."""
EXECUTIONS = re.compile(r"^(?:Done |#)(\d+)", re.MULTILINE)
LAST_LINES = 25
"""Lines of the fuzzer's output that a finding shows."""


def rows() -> Iterator[Row]:
    from tests.hard.fuzz.targets import TARGETS  # imports the whole compiler

    yield from run_targets(TARGETS, 60)


def run_targets(names: Iterable[str], seconds: int, corpus: Path | None = None) -> Iterator[Row]:
    """Fuzz each target for a number of seconds. `corpus`: a folder that keeps the inputs which led to new code."""
    if importlib.util.find_spec("atheris") is None:
        reason = "skipped: atheris is not installed; it has packages for Linux and Python 3.11 to 3.13"
        yield from (Row(f"inputs to {name}", 0, reason, 0, is_red=False) for name in names)
        return
    for name in names:
        with TemporaryDirectory(prefix="fuzz-") as folder:
            yield _run_target(name, seconds, Path(folder), corpus / name if corpus else Path(folder) / "corpus")


def _run_target(name: str, seconds: int, folder: Path, corpus: Path) -> Row:
    from tests.hard.fuzz.targets import TARGETS

    target = TARGETS[name]
    seeds, dictionary, found = folder / "seeds", folder / "tokens.dict", corpus.parent / f"{corpus.name}-found"
    for path in (seeds, corpus, found):
        path.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds()):
        content = seed.encode() if isinstance(seed, str) else bytes(seed)
        (seeds / str(number)).write_bytes(content[: target.max_bytes])
    earlier = {*found.iterdir()}
    dictionary.write_text("".join(f'"{_escaped(token)}"\n' for token in target.tokens), encoding="ascii")
    options = {
        **{"max_total_time": seconds, "timeout": HANGING, "rss_limit_mb": MAX_MEMORY, "max_len": target.max_bytes},
        **{"dict": dictionary, "reload": 0},
    }
    command = [sys.executable, "-m", "tests.hard.fuzz.child", name, str(found)]
    command += [f"-{key}={value}" for key, value in options.items()]
    start = time.monotonic()
    process = subprocess.run(
        [*command, str(corpus), str(seeds)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    taken = time.monotonic() - start
    executions = EXECUTIONS.findall(process.stdout)
    amount = int(executions[-1]) if executions else 0
    if process.returncode == 0:
        return Row(f"inputs to {name}", amount, "no finding", taken, is_red=False)
    inputs = [repr(file.read_bytes()) for file in sorted({*found.iterdir()} - earlier)]
    lines = [*process.stdout.splitlines()[-LAST_LINES:], *(f"input: {shown}" for shown in inputs)]
    return Row(f"inputs to {name}", amount, "\n".join(["finding", *lines]), taken, is_red=True)


def _escaped(token: str) -> str:
    """A token as the dictionary of libFuzzer writes it."""
    return "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02X}" for byte in token.encode()
    )

"""Kill builds and servers, damage caches and fill disks at random moments: `python -m tests.hard.faults`.

After each fault the next build must write what a build from nothing does, without a traceback, and leave nothing
next to the tree.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.command import ROOT, tree, write_files
from tests.hard.row import Row, exit_with

NOTES = 120
"""Notes of the library: enough for several processes."""
TIMEOUT = 60
"""Seconds after which a command counts as hanging."""
SAME_TREE = "the tree is not that of a build from nothing"


class Fault(Exception):
    """A forbidden consequence of a fault."""


@dataclass
class Vault:
    """A vault, its tree and its caches in a folder of their own."""

    folder: Path
    random: random.Random
    edits: int = 0
    duration: float = 1.0
    """Seconds of a build after an edit."""
    counts: Counter[str] = field(default_factory=Counter)
    """Number of faults of each sort."""

    def __post_init__(self) -> None:
        self.texts = write_files(
            self.folder / "vault",
            {
                f"{number % 4}/Note {number}.md": f"---\nharm: {number}\n---\n\n# Note {number}\n\n"
                f"See [[Note {number + 1}]] and roll 1d{number + 2}.\n" + f"Words {number}.\n" * 20
                for number in range(NOTES)
            },
        )
        self.out = self.folder / "public"
        self.cache = self.folder / "cache"
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()

    def command(self, *arguments: str | Path, cache: Path | None = None) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "kismet_build.cli", *map(str, arguments)],
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "KISMET_CACHE": str(cache or self.cache),
                "TMPDIR": str(self.temporary),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def edit(self) -> None:
        self.edits += 1
        file = self.random.choice(sorted(self.texts.rglob("*.md")))
        file.write_text(f"{file.read_text(encoding='utf-8')}\nEdit {self.edits}.\n", encoding="utf-8")

    def start_build(self) -> "subprocess.Popen[str]":
        return self.command("build", self.texts, "--out", self.out)

    def check(self, *, is_compared: bool) -> None:
        """Build, and compare the tree with that of a build from nothing."""
        check_run(self.start_build(), {0})
        if hidden := sorted(file.name for file in self.folder.iterdir() if file.name.startswith(".")):
            raise Fault(f"beside the tree: {', '.join(hidden)}")
        if is_compared:
            fresh, cache = self.folder / "fresh", self.folder / "fresh cache"
            check_run(self.command("build", self.texts, "--out", fresh, "--no-cache", cache=cache), {0})
            if tree(fresh) != tree(self.out):
                raise Fault(SAME_TREE)


def check_run(process: "subprocess.Popen[str]", statuses: set[int]) -> str:
    """Wait for a command, whose exit status must be one of these."""
    try:
        output, _ = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise Fault("hangs") from None
    if process.returncode not in statuses or "Traceback" in output:
        raise Fault(f"status {process.returncode}: {output[-2000:]}")
    return output


def wait_for_children(session: int) -> None:
    """Raise `Fault` if a process of this session is still running."""
    deadline = time.monotonic() + 5
    while living := [pid for pid in _processes() if _session(pid) == session]:
        if time.monotonic() > deadline:
            os.killpg(session, signal.SIGKILL)
            raise Fault(f"{len(living)} processes live on")
        time.sleep(0.05)


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _session(pid: int) -> int:
    """The session of a process; 0 if it has ended."""
    try:
        state, _, _, session = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[:4]
    except (OSError, ValueError):
        return 0
    return 0 if state == "Z" else int(session)


def kill_build(vault: Vault, number: int) -> None:
    vault.edit()
    process = vault.start_build()
    time.sleep(vault.random.uniform(0, vault.duration))
    is_interrupt = number % 4 == 0
    process.send_signal(signal.SIGTERM if is_interrupt else signal.SIGKILL)
    output = process.communicate(timeout=TIMEOUT)[0]
    if "Traceback" in output:
        raise Fault(output[-2000:])
    wait_for_children(process.pid)
    if not (vault.out / "index.html").is_file():
        # Between two renames, where the system does not exchange folders in one step.
        raise Fault("there is no tree after the kill")
    vault.check(is_compared=number % 5 == 0)


def kill_server(vault: Vault, _number: int) -> None:
    """Kill a server at a random moment while it compiles, checks the library, or after a note is saved.

    The tree of the last build stays as it is, and the next server removes the folder of the killed one.
    """
    before = tree(vault.out)
    vault.edit()
    process = vault.command("serve", vault.texts, "--port", "0")
    time.sleep(vault.random.uniform(0, vault.duration))
    for _ in range(3):
        vault.edit()
        time.sleep(vault.random.uniform(0, vault.duration / 2))
    process.kill()
    output = process.communicate(timeout=TIMEOUT)[0]
    if "Traceback" in output:
        raise Fault(output[-2000:])
    wait_for_children(process.pid)
    if tree(vault.out) != before:
        raise Fault("a server changed the tree of a build")
    stop_server(vault)
    if left := sorted(file.name for file in vault.temporary.iterdir()):
        raise Fault(f"left behind: {', '.join(left)}")
    vault.check(is_compared=False)


def stop_server(vault: Vault) -> None:
    """Start a server and, as soon as it answers, end it."""
    process = vault.command("serve", vault.texts, "--port", "0")
    assert process.stdout is not None
    line = process.stdout.readline()
    while line and not line.startswith("serving at "):
        line = process.stdout.readline()
    process.terminate()
    check_run(process, {0})


def flip_bit(vault: Vault, number: int) -> None:
    """Change a bit of a cached file. The folders of the cache take turns."""
    vault.edit()
    files = [file for file in sorted(vault.cache.rglob("*")) if file.is_file() and file.stat().st_size]
    folders = sorted({file.parent.name for file in files})
    folder = folders[number % len(folders)]
    file = vault.random.choice([file for file in files if file.parent.name == folder])
    content = bytearray(file.read_bytes())
    content[vault.random.randrange(len(content))] ^= 1 << vault.random.randrange(8)
    file.write_bytes(content)
    vault.counts[folder] += 1
    if folder == "trees":  # which a build does not read
        check_run(vault.command("check", vault.texts), {0})
    vault.check(is_compared=number % 10 == 0)


def fill_disk(vault: Vault, _number: int) -> None:
    disk = vault.folder / "disk"
    disk.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "kismet-test", str(disk)], check=True)
    try:
        shutil.copytree(vault.out, disk / "public")
        before = tree(disk / "public")
        vault.edit()
        used = shutil.disk_usage(disk)
        # Unchanged files are hard links: most builds need less than a megabyte.
        free = int(10 ** vault.random.uniform(2, 6.5))
        with (disk / "filler").open("wb") as filler:
            filler.write(bytes(max(0, used.free - free)))
        process = vault.command("build", vault.texts, "--out", disk / "public", "--no-cache")
        output = check_run(process, {0, 3})
        vault.counts["refused" if process.returncode else "built"] += 1
        if process.returncode == 3:
            if output.count("\n") != 1:
                raise Fault(f"not one line: {output}")
            if tree(disk / "public") != before:
                raise Fault("another tree")
        if names := {file.name for file in disk.iterdir()} - {"public", "filler"}:
            raise Fault(f"left behind: {names}")
    finally:
        subprocess.run(["umount", str(disk)], check=True)


FAULTS: dict[Callable[[Vault, int], None], tuple[str, int]] = {
    kill_build: ("build killed at a random moment", 200),
    kill_server: ("serve killed while notes are saved", 100),
    flip_bit: ("bit of a cached file changed", 200),
    fill_disk: ("disk filled during a build", 50),
}
"""Each fault, with its name in the table and how many times it is made."""


def run(fault: Callable[[Vault, int], None], times: int, seed: int) -> tuple[list[str], Counter[str]]:
    """Make a fault many times. Returns the forbidden consequences, and how often each sort was made."""
    problems = []
    with TemporaryDirectory(prefix="faults-") as folder:
        vault = Vault(Path(folder), random.Random(seed))
        vault.check(is_compared=False)
        start = time.monotonic()
        vault.edit()
        vault.check(is_compared=False)
        vault.duration = (time.monotonic() - start) * 1.1
        for number in range(times):
            try:
                fault(vault, number)
            except Fault as problem:
                problems.append(f"{number}: {problem}")
        return problems, vault.counts


def rows(names: Sequence[str] = (), times: int = 0, seed: int | None = None) -> Iterator[Row]:
    """Make the faults with these names (default: all), as often as `FAULTS` says unless `times` does."""
    seed = random.randrange(10**6) if seed is None else seed
    for fault, (name, usual_times) in FAULTS.items():
        if names and fault.__name__ not in names:
            continue
        if fault is fill_disk and not can_mount():
            yield Row(name, 0, "skipped: this user cannot mount a disk in memory", 0, is_red=False)
            continue
        start = time.monotonic()
        problems, counts = run(fault, times or usual_times, seed)
        survived = f"{(times or usual_times) - len(problems):,} survived"
        parts = [survived, *(f"{count} {sort}" for sort, count in sorted(counts.items())), f"seed {seed}"]
        result = "\n".join([", ".join(parts), *problems])
        yield Row(name, times or usual_times, result, time.monotonic() - start, bool(problems))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.hard.faults", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(fault.__name__ for fault in FAULTS))
    parser.add_argument("--times", type=int, default=0, help="how many times (default: as make test-hard)")
    parser.add_argument("--seed", type=int, help="repeats a run")
    options = parser.parse_args()
    exit_with(rows(options.names, options.times, options.seed))


def can_mount() -> bool:
    with TemporaryDirectory(prefix="faults-") as folder:
        mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "kismet-test", folder]
        try:
            if subprocess.run(mount, capture_output=True, check=False).returncode:
                return False
        except OSError:  # a system without this command
            return False
        subprocess.run(["umount", folder], check=True)
        return True


if __name__ == "__main__":
    main()

"""Compare all files that the compiler writes with those of another commit: `make outputs BASE=344234eb`.

Prints each file that differs. The libraries: `content/`, without and with its bundles, 200 generated pages, three plain
vaults (records with tags in German, notes without a kind, a single note) and, where they are available, the original
rule books and public vaults. Each is built, and checked with `--format json`.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import library
from benchmarks.guard import checkout
from tests.command import CONTENT, GAMES, ROOT, RULEBOOKS, kismet_process, tree
from tests.exports import check_packs

VAULTS = RULEBOOKS.parent / "vaults"
GENERATED_PAGES = 200
ORIGINAL, VAULT, GENERATED = "original ", "vault ", "generated"
PLAIN_VAULTS = {"plain vault records": GENERATED_PAGES, "plain vault notes": 40, "plain vault note": 1}
"""The number of notes in each generated plain vault."""
BUNDLED = "content with bundles"
"""The library built with all exports."""

Digests = dict[str, str]
"""SHA-256 of each file, by path; the key `check` has the digest of the output of `kismet check`."""


def libraries() -> list[str]:
    """Return the names of the libraries whose texts are on this machine."""
    originals = [f"{ORIGINAL}{game}" for game in GAMES if (RULEBOOKS / game).is_dir()]
    vaults = [f"{VAULT}{folder.name}" for folder in sorted(VAULTS.glob("*/"))]
    return ["content", BUNDLED, *originals, GENERATED, *PLAIN_VAULTS, *vaults]


def digests_of(name: str, scratch: Path, *options: str) -> Digests:
    """Build and check one library in new processes, without the cache. `options`: build options."""
    folder, argument = CONTENT.parent, "content"
    game: list[str | Path] = []
    if name == BUNDLED:
        options = ("--bundle", *options)
    elif name.startswith(ORIGINAL):
        folder, argument = RULEBOOKS, name.removeprefix(ORIGINAL)
        game = ["--game", CONTENT / argument / "game.yaml"]
    elif name.startswith(VAULT):
        folder, argument = VAULTS, name.removeprefix(VAULT)
    elif name == GENERATED:
        folder, argument = scratch, GENERATED
        library.write(scratch / argument, GENERATED_PAGES)
    elif name in PLAIN_VAULTS:
        folder, argument = scratch, name.rpartition(" ")[2]
        library.write_vault(scratch / argument, PLAIN_VAULTS[name], are_records=argument == "records")
    out, env = scratch / "public", {"KISMET_CACHE": str(scratch / "cache")}
    built = kismet_process("build", argument, *game, *options, "--out", out, "--no-cache", cwd=folder, env=env)
    checked = kismet_process("check", argument, *game, "--format", "json", cwd=folder, env=env)
    assert built.status in (0, 1), f"{name} was not built: {built.err}"
    files = tree(out)
    check_packs(files)
    file_digests = {path: hashlib.sha256(content).hexdigest() for path, content in files.items()}
    printed = f"{built.status} {checked.status} {checked.out}".replace(str(ROOT) + os.sep, "")
    return {"check": hashlib.sha256(printed.encode()).hexdigest(), **file_digests}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.output_digests", description=__doc__)
    parser.add_argument("base", nargs="?", help="the commit to compare with")
    parser.add_argument("--save", type=Path, metavar="FILE", help="only save the digests of this checkout, as JSON")
    options = parser.parse_args()
    if options.save:
        options.save.write_text(json.dumps(all_digests()), encoding="utf-8")
        return 0
    if not options.base:
        parser.error("name a commit")
    before, now = digests_at(options.base), all_digests()
    both = [name for name in now if name in before]
    differing = [
        f"{title}: {name}"
        for title in both
        for name in sorted(before[title].keys() | now[title].keys())
        if before[title].get(name) != now[title].get(name)
    ]
    for line in differing:
        print(line)
    print(f"{len(differing)} differences in {len(both)} libraries")
    return 1 if differing else 0


def all_digests() -> dict[str, Digests]:
    digests = {}
    for name in libraries():
        with tempfile.TemporaryDirectory() as scratch:
            digests[name] = digests_of(name, Path(scratch))
    return digests


def digests_at(commit: str) -> dict[str, Digests]:
    """The digests that another commit computes for itself."""
    with tempfile.TemporaryDirectory(prefix="outputs-") as name:
        folder, saved = checkout(commit, Path(name) / ROOT.name), Path(name) / "digests.json"
        if RULEBOOKS.parent.is_dir():
            (Path(name) / RULEBOOKS.parent.name).symlink_to(RULEBOOKS.parent)
        command = [sys.executable, "-m", "tests.output_digests", "--save", str(saved)]
        subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)}, check=True)
        digests: dict[str, Digests] = json.loads(saved.read_text(encoding="utf-8"))
    return digests


if __name__ == "__main__":
    sys.exit(main())

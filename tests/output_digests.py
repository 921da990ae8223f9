"""Compute digests of all files that the compiler writes, to detect changes in its output.

    python -m tests.output_digests --save FILE  save the digest of each file
    python -m tests.output_digests --with FILE  compare with saved digests, and list the files that differ

`tests/laws/test_output_digests.py` compares with tests/data/output-digests.json, which has one digest for each folder.

The libraries: `content/`, without and with its bundles, 200 generated pages, three plain vaults (records with tags in
German, notes without a kind, a single note) and, where they are available, the original rule books and public vaults.
Each is built, and checked with `--format json`.
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path

from benchmarks import library
from tests.command import CONTENT, GAMES, ROOT, RULEBOOKS, kismet_process, tree
from tests.exports import check_packs

DIGESTS = ROOT / "tests" / "data" / "output-digests.json"
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


def recorded() -> dict[str, Digests]:
    """Return the summary of each library in tests/data/output-digests.json."""
    digests: dict[str, Digests] = json.loads(DIGESTS.read_text(encoding="utf-8"))
    return digests


def record(name: str, digests: Digests) -> None:
    DIGESTS.write_text(json.dumps({**recorded(), name: digests}, indent=1) + "\n", encoding="utf-8")


def summary(digests: Digests) -> Digests:
    """Return a digest for each folder in the top two levels of a tree, so a difference shows its part of the output.

    Archives, and files that contain digests of archives, are left out: their bytes depend on the versions of SQLite
    and zlib.
    """
    parts: dict[str, hashlib._Hash] = {}
    archives = {path for path in digests if path.endswith((".sqlite", ".tgz", ".whl", ".zip"))}
    left_out = {*archives, "data/index.json", "data/manifest.json"} if archives else archives
    for path, digest in sorted(digests.items()):
        if path in left_out:
            continue
        name = "/".join(path.split("/")[:-1][:2]) or ("check" if path == "check" else ".")
        parts.setdefault(name, hashlib.sha256()).update(f"{path} {digest}\n".encode())
    return {name: part.hexdigest()[:16] for name, part in sorted(parts.items())}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--save", type=Path, metavar="FILE")
    action.add_argument("--with", type=Path, metavar="FILE", dest="saved")
    options = parser.parse_args()
    now = {}
    for name in libraries():
        with tempfile.TemporaryDirectory() as scratch:
            now[name] = digests_of(name, Path(scratch))
    if options.save:
        options.save.write_text(json.dumps(now, indent=0), encoding="utf-8")
        return 0
    before: dict[str, Digests] = json.loads(options.saved.read_text(encoding="utf-8"))
    differing = [
        f"{title}: {name}"
        for title in before.keys() & now.keys()
        for name in sorted(before[title].keys() | now[title].keys())
        if before[title].get(name) != now[title].get(name)
    ]
    for line in differing:
        print(line)
    print(f"{len(differing)} differences in {len(before.keys() & now.keys())} libraries")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())

"""Digests of all files that the compiler writes, to detect changes of its output.

    python -m tests.output_digests              compare with tests/data/output-digests.json
    python -m tests.output_digests --update     write that file
    python -m tests.output_digests --save FILE  save the digest of each file, to name the files that differ later
    python -m tests.output_digests --with FILE  compare with digests that were saved, file by file

The libraries: `content/`, without and with its bundles, 200 generated pages, three plain vaults (records with tags in
German, notes without a kind, a single note) and, where they are available, the original rule books and public vaults.
Each is built with its search index, and checked with `--format json`.
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import library
from tests.command import CONTENT, GAMES, ROOT, RULEBOOKS, kismet_process, tree

DIGESTS = ROOT / "tests" / "data" / "output-digests.json"
VAULTS = RULEBOOKS.parent / "vaults"
GENERATED_PAGES = 200
PLAIN_NOTES = 40
BUNDLED = "content with bundles"
"""The library that is built with all exports."""

Digests = dict[str, str]
"""SHA-256 of each file by its path; the key `check` has that of the output of `check`."""


def libraries(scratch: Path) -> Iterator[tuple[str, list[str], Path]]:
    """The name, the arguments after `build` or `check`, and the working directory of each library."""
    yield "content", ["content"], CONTENT.parent
    yield BUNDLED, ["content"], CONTENT.parent
    for game in GAMES:
        if (RULEBOOKS / game).is_dir():
            yield f"original {game}", [game, "--game", str(CONTENT / game / "game.yaml")], RULEBOOKS
    library.write(scratch / "generated", GENERATED_PAGES)
    yield "generated", ["generated"], scratch
    library.write_vault(scratch / "records", GENERATED_PAGES)
    library.write_vault(scratch / "notes", PLAIN_NOTES, are_records=False)
    library.write_vault(scratch / "note", 1, are_records=False)
    for vault in ("records", "notes", "note"):
        yield f"plain vault {vault}", [vault], scratch
    for folder in sorted(VAULTS.glob("*/")):
        yield f"vault {folder.name}", [folder.name], VAULTS


def digests_of(arguments: list[str], folder: Path, out: Path, *options: str) -> Digests:
    """Build and check one library in new processes, without the cache. `options`: of the build."""
    env = {"PYTHONPATH": str(ROOT), "KISMET_CACHE": str(out.parent / "cache")}
    built = kismet_process("build", *arguments, *options, "--out", out, "--no-cache", cwd=folder, env=env)
    checked = kismet_process("check", *arguments, "--format", "json", cwd=folder, env=env)
    if built.status not in (0, 1):
        sys.exit(f"{arguments[0]} was not built: {built.err}")
    file_digests = {path: hashlib.sha256(content).hexdigest() for path, content in tree(out).items()}
    printed = f"{built.status} {checked.status} {checked.out}".replace(str(ROOT) + os.sep, "")
    return {"check": hashlib.sha256(printed.encode()).hexdigest(), **file_digests}


def summary(digests: Digests) -> Digests:
    """One digest for each of the two topmost folders of a tree, so that a difference names its part of the output.

    Archives are left out, and what has their digests: their bytes depend on the versions of SQLite and zlib.
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
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--with", type=Path, dest="saved")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        whole = {
            name: digests_of(
                arguments,
                folder,
                Path(scratch) / "out" / name.replace(" ", "-"),
                *(["--bundle"] if name == BUNDLED else []),
            )
            for name, arguments, folder in libraries(Path(scratch))
        }
    if options.save:
        options.save.write_text(json.dumps(whole, indent=0), encoding="utf-8")
        return 0
    now = whole if options.saved else {name: summary(digests) for name, digests in whole.items()}
    if options.update:
        DIGESTS.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
        return 0
    before: dict[str, Digests] = json.loads((options.saved or DIGESTS).read_text(encoding="utf-8"))
    differing = [
        f"{title}: {name}"
        for title in before.keys() & now.keys()
        for name in sorted(before[title].keys() | now[title].keys())
        if before[title].get(name) != now[title].get(name)
    ]
    for line in differing:
        print(line)
    for missing in before.keys() - now.keys():
        print(f"not compared, its texts are not on this machine: {missing}")
    print(f"{len(differing)} differences in {len(before.keys() & now.keys())} libraries")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())

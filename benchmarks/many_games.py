"""Measure a library of many small games: `python -m benchmarks.many_games 2000`.

docs/SCALE.md has the results, and what follows from them.
"""

import argparse
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

SYLLABLES = [first + second for first in "bdgklmnrstv" for second in "aeiou"]
NOTES = 8
"""Number of entities of each game."""
GAME = """id: g{number:05}
title: {title}
version: 1.0.0
description: A game about {subject}.
licence: CC0
attribution: ''
language: en
folders: {{Creatures: creature}}
sources: [{{glob: '**/*.md'}}]
"""


def write_game(library: Path, number: int) -> None:
    """Write a game with a chapter and `NOTES` notes."""
    random = Random(number)

    def word(syllables: int = 3) -> str:
        return "".join(random.choices(SYLLABLES, k=syllables)).capitalize()

    folder = library / f"game-{number:05}"
    (folder / "Creatures").mkdir(parents=True)
    title = f"{word()} {word(2)} {number}"
    (folder / "game.yaml").write_text(GAME.format(number=number, title=title, subject=word()), encoding="utf-8")
    names = [f"{word()} {random.choice(('Wolf', 'Guard', 'Spirit', 'Hunter', 'Swarm'))}" for _ in range(NOTES)]
    for name in names:
        facts = f"---\nlevel: {random.randint(1, 9)}\narmor: {random.randint(1, 9)}\n---\n"
        text = f"{facts}# {name}\n\nA {word().lower()} that lasts {random.randint(1, 9)} rounds.\n"
        (folder / "Creatures" / f"{name}.md").write_text(text, encoding="utf-8")
    sections = [
        f"## {word()}\n\n"
        + " ".join(f"{word()} ends when [[{random.choice(names)}]] takes 1d6 points." for _ in "1234")
        for _ in "1234"
    ]
    (folder / "Rules.md").write_text("\n\n".join((f"# Rules of {title}", *sections, "")), encoding="utf-8")


def build(library: Path, out: Path, *options: str) -> str:
    """Build a library. Returns processor seconds, elapsed seconds and the memory of the largest process so far."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [sys.executable, "-m", "kismet_build.cli", "build", str(library), "--out", str(out), "--quiet", *options]
    subprocess.run(command, check=True)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime
    return f"{processor:.1f} s of processor time, {time.monotonic() - start:.1f} s, {now.ru_maxrss / 1000:.0f} MB"


def main() -> None:
    """Measure builds, and print their times and the sizes of files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", type=int)
    parser.add_argument("--dask", metavar="ADDRESS", help="build on this cluster")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        library, out = Path(folder, "library"), Path(folder, "out")
        for number in range(options.games):
            write_game(library, number)
        cluster = ["--dask", options.dask] if options.dask else []
        print("from nothing:", build(library, out, *cluster))
        print("nothing changed:", build(library, out))
        (library / "game-00000" / "Rules.md").write_text("# Rules\n\nNone.\n", encoding="utf-8")
        print("one game changed:", build(library, out, *cluster))
        files = [file for file in out.rglob("*") if file.is_file()]
        print(f"{len(files)} files, {sum(file.stat().st_size for file in files) / 1e6:.0f} MB")
        for path in ("index.html", "offline.json", "llms.txt", "data/index.json", "data/manifest.json"):
            print(f"{path}: {(out / path).stat().st_size / 1000:.0f} kB")
        for folder_name in ("games/*/index.html", "assets/search/*.js"):
            sizes = [file.stat().st_size for file in out.glob(folder_name)]
            print(f"{folder_name}: {len(sizes)} files, the largest {max(sizes, default=0) / 1000:.0f} kB")
        shutil.rmtree(out)


if __name__ == "__main__":
    main()

"""Pack the sources of a module for Foundry VTT with its command-line tool, which writes LevelDB.

The tool can skip documents without reporting an error, so they are counted: docs/decisions/0032-bundles.md.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

TOOL = "fvtt"
"""The command-line tool of Foundry VTT."""
PACKS = "packs"
"""The folder of the packs in the module."""
SOURCES = f"{PACKS}/_source"
"""The folder of the documents in the module, with a folder for each pack and a file for each document."""
MAX_SECONDS = 120
"""Maximum time for one pack, in seconds."""
TIMES = ("LOCK", "LOG", "LOG.old")
"""Database files that contain no data, only when it was written."""


class FoundryToolFailed(Exception):
    """The tool failed, or skipped a document."""


def find_tool() -> str:
    """The path of the tool; empty if it is not installed. A file in the working folder does not count."""
    path = shutil.which(TOOL) or ""
    return path if os.path.isabs(path) else ""


def packed_files(module: Mapping[str, bytes], tool: str) -> dict[str, bytes]:
    """The databases of a module's packs, made from the module's files by path.

    `tool` is the path of `fvtt`. Raises `FoundryToolFailed` if the tool fails or skips a document.
    """
    files = {}
    sources = [path for path in module if path.startswith(f"{SOURCES}/")]
    with TemporaryDirectory(prefix="kismet-foundry-") as name:
        folder = Path(name)
        for path in sources:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(module[path])
        for pack in sorted({path.split("/")[2] for path in sources}):
            written = _run(tool, pack, folder)
            expected = sum(path.startswith(f"{SOURCES}/{pack}/") for path in sources)
            if written != expected:
                raise FoundryToolFailed(f'"{tool}" packed {written} of {expected} documents of "{pack}"')
            for file in sorted((folder / PACKS / pack).iterdir()):
                if file.name not in TIMES:
                    files[f"{PACKS}/{pack}/{file.name}"] = file.read_bytes()
    return files


def _run(tool: str, pack: str, folder: Path) -> int:
    """Pack one pack. Returns the number of documents that the tool reports as packed."""
    arguments = ("package", "pack", pack, "--type", "Module", "--id", "module")
    # The tool keeps settings in the home folder. An empty home folder leaves the user's settings alone.
    home = dict.fromkeys(("HOME", "APPDATA", "XDG_DATA_HOME", "USERPROFILE"), str(folder))
    (folder / "Library" / "Preferences").mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(
            [tool, *arguments, "--in", str(folder / SOURCES / pack), "--out", str(folder / PACKS)],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=MAX_SECONDS,
            check=False,
            cwd=folder,
            env={**os.environ, **home, "NO_COLOR": "1", "FORCE_COLOR": "0"},
        )
    except (OSError, subprocess.TimeoutExpired) as failure:
        raise FoundryToolFailed(f'"{tool}" cannot pack the module for Foundry VTT: {failure}') from None
    if done.returncode:
        reason = (done.stderr or done.stdout).strip()[-300:]
        raise FoundryToolFailed(f'"{tool}" cannot pack the module for Foundry VTT: {reason}')
    return sum(line.startswith("Packed ") for line in done.stdout.splitlines())

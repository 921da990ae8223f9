"""Find what .ci/programs got from npm: it is kept beside other caches of the user, out of the repository."""

import json
import os
from pathlib import Path

ROOT = Path(__file__).parent.parent
PINNED = ROOT / ".ci" / "package.json"


def cache() -> Path:
    """The folder that .ci/programs installs into."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "kismet-build" / "npm"


def package(name: str) -> Path | None:
    """The folder of a package in the version that is asked for; `None` where it is not installed."""
    folder = cache() / "node_modules" / name
    try:
        found = json.loads((folder / "package.json").read_text(encoding="utf-8"))["version"]
    except FileNotFoundError:
        return None
    wanted = json.loads(PINNED.read_text(encoding="utf-8"))["dependencies"][name]
    return folder if found == wanted else None

"""Find the npm packages used by tests. .ci/programs installs them into the user's cache folder."""

import json
import os
from pathlib import Path

from tests.command import skip_without

VERSIONS = Path(__file__).parent.parent / ".ci" / "package.json"


def npm_package(name: str) -> Path:
    """Return the folder of a package. Skips the test if the required version is not installed."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "kismet-build" / "npm" / "node_modules" / name
    required = json.loads(VERSIONS.read_text(encoding="utf-8"))["dependencies"][name]
    package = folder / "package.json"
    if not package.is_file() or json.loads(package.read_text(encoding="utf-8"))["version"] != required:
        skip_without(f"{name} of npm", fails_in_ci=True)
    return folder

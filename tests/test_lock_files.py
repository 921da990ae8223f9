"""The lock files that `make` and CI install from are in step with pyproject.toml."""

import re
import tomllib

import pytest

from tests.command import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize("lock", ["requirements.txt", "requirements-test.txt"])
def test_every_dependency_has_a_version_and_hashes(lock: str) -> None:
    dependencies = [*PROJECT["dependencies"], "hatchling", "editables"]
    if "test" in lock:
        dependencies += PROJECT["optional-dependencies"]["test"]
    text = (ROOT / ".ci" / lock).read_text(encoding="utf-8")
    entries = re.findall(
        r"^([a-z0-9-]+)==([^\\]*)\\((?:\n    --hash=sha256:[0-9a-f]{64}(?: \\)?)+)$", text, re.MULTILINE
    )
    assert len(entries) == len(re.findall(r"^[^ #].*==", text, re.MULTILINE)), "each entry has hashes"
    names = {re.split(r"[<>=;\[]", dependency)[0].replace("_", "-").lower() for dependency in dependencies}
    assert names <= {name for name, _, _ in entries}, "make lock writes them"

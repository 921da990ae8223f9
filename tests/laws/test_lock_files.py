"""The lock files that `make` and CI install from are in step with pyproject.toml (docs/decisions/0033-supply.md)."""

import json
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


def test_every_npm_package_has_a_version_and_a_hash() -> None:
    wanted, lock = (
        json.loads((ROOT / ".ci" / name).read_text(encoding="utf-8")) for name in ("package.json", "package-lock.json")
    )
    root = lock["packages"].pop("")
    assert root["dependencies"] == wanted["dependencies"], "make lock writes them"
    assert len(lock["packages"]) > 200
    for name, package in lock["packages"].items():
        assert re.fullmatch(r"\d+\.\d+\.\d+\S*", package["version"]), name
        assert package["integrity"].startswith("sha512-"), name
        # `npm ci` compares a tag with the registry of today; see the Makefile.
        assert "latest" not in package.get("dependencies", {}).values(), name

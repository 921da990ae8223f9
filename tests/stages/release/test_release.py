"""The bill of materials lists what the lock files have; an audit without data says so."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from kismet_build import __version__
from release import audit, sbom
from release.lock_file import PROJECT, locked_packages, runtime_packages
from tests.command import ROOT
from tests.small_library import write_library

LOCK = (ROOT / ".ci/requirements.txt").read_text(encoding="utf-8")


def bill(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    monkeypatch.setattr(sys, "argv", ["sbom", str(folder)])
    sbom.main()
    return (folder / f"kismet_build-{__version__}.cdx.json").read_text(encoding="utf-8")


def test_each_entry_of_the_lock_file_is_read() -> None:
    packages = locked_packages()
    assert [(name, package.version) for name, package in packages.items()] == re.findall(
        r"^(\S+)==(\S+)", LOCK, re.MULTILINE
    )
    assert sum(len(package.hashes) for package in packages.values()) == LOCK.count("--hash=")
    assert packages.keys() - runtime_packages().keys() >= {"hatchling", "editables"}


def test_bill_lists_each_runtime_package_and_each_shipped_font(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = json.loads(bill(tmp_path, monkeypatch))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (main,) = (part for part in data["dependencies"] if part["ref"] == "kismet-build")
    names = {part["bom-ref"]: part["name"] for part in data["components"]}
    required = {re.split(r"[<>=;]", name)[0].lower().replace("_", "-") for name in project["dependencies"]}
    assert {names[ref] for ref in main["dependsOn"]} == {*required, "literata", "source-sans-3"}
    assert sorted(names.values()) == sorted([*runtime_packages(), "literata", "source-sans-3"])
    required_by_others = {ref for part in data["dependencies"] for ref in part.get("dependsOn", ())}
    assert required_by_others == names.keys(), "each part is needed by another one or by the project"
    assert all(part["externalReferences"][0]["hashes"] for part in data["components"])
    assert data["metadata"]["component"]["version"] == __version__


def test_bill_has_the_same_bytes_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bill(tmp_path, monkeypatch) == bill(tmp_path, monkeypatch)


# --- MkDocs

LOADED = """
import sys
from importlib.metadata import packages_distributions
from kismet_build.cli import main
assert main(["build", ".", "--out", "public", "--jobs", "1", "--no-cache"]) == 0
of = packages_distributions()
loaded = {module.partition(".")[0] for module in sys.modules}
print(*{name.lower().replace("_", "-") for module in loaded for name in of.get(module, ())})
"""


def test_build_loads_nothing_that_only_mkdocs_needs(tmp_path: Path) -> None:
    packages = runtime_packages()
    needed = {PROJECT}
    while added := {
        name for name in packages.keys() - {"mkdocs", *needed} if not packages[name].required_by.isdisjoint(needed)
    }:
        needed |= added
    only_mkdocs = packages.keys() - needed
    assert {"mkdocs", "click", "watchdog", "markdown"} <= only_mkdocs
    run = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=write_library(tmp_path), capture_output=True, text=True, check=True
    )
    loaded = {*run.stdout.splitlines()[-1].split()}
    assert {"markdown-it-py", "pyyaml", "jinja2"} <= loaded
    assert not loaded & only_mkdocs


# --- the audit

FOUND = {"id": "PYSEC-1", "fix_versions": ["9.1", "9.2"], "aliases": [], "description": ""}


def answer(*packages: object) -> str:
    return json.dumps({"dependencies": packages, "fixes": []})


def test_vulnerability_is_named_with_the_use_of_its_package() -> None:
    text = answer(
        {"name": "jinja2", "version": "9.0", "vulns": [FOUND]},
        {"name": "pytest", "version": "9.0", "vulns": [FOUND]},
        {"name": "mkdocs", "version": "9.0", "vulns": []},
    )
    assert audit.python_findings(text) == [
        "jinja2 9.0 (run time): PYSEC-1, fixed in 9.1, 9.2",
        "pytest 9.0 (tests): PYSEC-1, fixed in 9.1, 9.2",
    ]


def test_audit_of_no_package_is_no_audit() -> None:
    with pytest.raises(audit.SkippedAudit, match="2 of 2 packages could not be audited: not found"):
        audit.python_findings(answer(*[{"name": "jinja2", "skip_reason": "not found"}] * 2))


def test_unaudited_packages_do_not_hide_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    found = {"name": "jinja2", "version": "9.0", "vulns": [FOUND]}
    assert len(audit.python_findings(answer({"name": "mkdocs", "skip_reason": "not found"}, found))) == 1
    assert "1 of 2 packages could not be audited" in capsys.readouterr().out


def test_report_of_npm() -> None:
    report = {"vulnerabilities": {"ws": {"range": "<7.5", "severity": "high"}}}
    assert audit.npm_findings(json.dumps(report)) == ["ws <7.5 (tests): high"]
    with pytest.raises(audit.SkippedAudit, match="405 Method Not Allowed"):
        audit.npm_findings('{"message": "405 Method Not Allowed"}')
    with pytest.raises(audit.SkippedAudit, match="no network"):
        audit.npm_findings('{"error": {"summary": "no network"}}')


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["no-such-program"], "no-such-program is not installed"),
        ([sys.executable, "-c", "raise OSError('no network')"], "OSError: no network"),
        ([sys.executable, "-c", ""], "no answer"),
    ],
)
def test_audit_that_cannot_run_is_skipped(command: list[str], reason: str) -> None:
    with pytest.raises(audit.SkippedAudit, match=reason):
        audit.findings(command, audit.python_findings)


def test_status_is_1_only_for_a_finding(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    silent = ("silent", ["no-such-program"], audit.npm_findings)
    monkeypatch.setattr(audit, "AUDITS", (silent,))
    assert audit.main() == 0
    text = answer({"name": "jinja2", "version": "9.0", "vulns": [FOUND]})
    program = [sys.executable, "-c", f"print({text!r})"]
    monkeypatch.setattr(audit, "AUDITS", (silent, ("PyPI", program, audit.python_findings)))
    assert audit.main() == 1
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "audit of PyPI: known vulnerabilities: 1",
        "  jinja2 9.0 (run time): PYSEC-1, fixed in 9.1, 9.2",
    ]

"""Check the locked packages for known vulnerabilities: `python -m release.audit`.

pip-audit asks PyPI about `.ci/requirements-test.txt`, and `npm audit` asks npm about `.ci/package-lock.json`. If
the data cannot be reached, it prints one line. The exit status is 1 if a vulnerability was found, otherwise 0.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence

from release.lock_file import ROOT, runtime_packages

MAX_SECONDS = 300
"""Seconds after which an audit is abandoned, for example because the network does not respond."""


class SkippedAudit(Exception):
    """An audit was skipped because its data cannot be reached; the message says why."""


def python_findings(answer: str) -> list[str]:
    """Return the vulnerabilities in a pip-audit report. Raises `SkippedAudit` if nothing was audited."""
    packages = json.loads(answer)["dependencies"]
    if skipped := [package for package in packages if "skip_reason" in package]:
        reason = f"{len(skipped)} of {len(packages)} packages could not be audited: {skipped[0]['skip_reason']}"
        if len(skipped) == len(packages):
            raise SkippedAudit(reason)
        print(f"audit of PyPI: {reason}")
    runtime = runtime_packages()
    return [
        f"{package['name']} {package['version']} ({'run time' if package['name'] in runtime else 'tests'}): "
        f"{found['id']}, fixed in {', '.join(found['fix_versions']) or 'no version'}"
        for package in packages
        for found in package.get("vulns", ())
    ]


def npm_findings(answer: str) -> list[str]:
    """Return the vulnerabilities in an `npm audit` report. Raises `SkippedAudit` if the registry did not respond."""
    report = json.loads(answer)
    if "vulnerabilities" not in report:
        error = report.get("error") or {}
        raise SkippedAudit(report.get("message") or error.get("summary") or "the registry gave no report")
    return [
        f"{name} {found['range']} (tests): {found['severity']}" for name, found in report["vulnerabilities"].items()
    ]


PIP_AUDIT = (
    *(sys.executable, "-m", "pip_audit", "--disable-pip", "--require-hashes", "--format", "json"),
    *("--progress-spinner", "off", "--requirement", ".ci/requirements-test.txt"),
)
NPM_AUDIT = ("npm", "audit", "--prefix", ".ci", "--package-lock-only", "--json")
AUDITS: tuple[tuple[str, Sequence[str], Callable[[str], list[str]]], ...] = (
    ("PyPI", PIP_AUDIT, python_findings),
    ("npm", NPM_AUDIT, npm_findings),
)


def findings(command: Sequence[str], read: Callable[[str], list[str]]) -> list[str]:
    """Run an audit command. Raises `SkippedAudit` if it gives no report."""
    if not shutil.which(command[0]):
        raise SkippedAudit(f"{command[0]} is not installed")
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=MAX_SECONDS)
        return read(done.stdout)
    except subprocess.TimeoutExpired:
        raise SkippedAudit(f"no answer in {MAX_SECONDS} seconds") from None
    except json.JSONDecodeError:
        raise SkippedAudit(done.stderr.strip().rpartition("\n")[2] or "no answer") from None


def main() -> int:
    """Run both audits and print what they found."""
    count = 0
    for name, command, read in AUDITS:
        try:
            found = findings(command, read)
        except SkippedAudit as reason:
            print(f"audit of {name}: skipped, {reason}")
            continue
        count += len(found)
        print(f"audit of {name}: known vulnerabilities: {len(found)}", *found, sep="\n  ")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())

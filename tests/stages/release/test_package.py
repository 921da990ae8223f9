"""The wheel is complete: it works in an empty environment and an empty folder, and on the host of a website."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from playwright.sync_api import Browser, expect

from tests.browser.conftest import TIMEOUT
from tests.browser.host import serve_folder
from tests.command import ROOT, kismet, skip_without, write_files

pytestmark = pytest.mark.slow

ENVIRONMENT = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
"""The environment of the processes, with the time that archives give their files."""


def run(*command: str | Path, cwd: Path, umask: int = -1) -> subprocess.CompletedProcess[str]:
    arguments = list(map(str, command))
    return subprocess.run(
        arguments, cwd=cwd, capture_output=True, text=True, check=False, timeout=300, env=ENVIRONMENT, umask=umask
    )


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with our source archive, and the wheel built from it, to test that it is complete."""
    folder = tmp_path_factory.mktemp("archives")
    built = run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


class Published(NamedTuple):
    """The site that the steps of a written workflow make of a new repository, as on GitHub Pages."""

    host: Path
    """The folder of a host, with the site in its folder `Rules`."""
    programs: Path
    """The programs of the environment: it has only our wheel, its dependencies and pip."""


@pytest.fixture(scope="module")
def published(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Published:
    clone = tmp_path_factory.mktemp("clone")
    (wheel,) = archives.glob("*.whl")
    write_files(clone, {".git/HEAD": b"", f"wheels/{wheel.name}": wheel.read_bytes()})
    options = ("--publish", "--requirement", f"wheels/{wheel.name}")
    new = kismet("new", "my rules", *options, cwd=clone)
    assert new.status == 0, new.output
    workflow = yaml.safe_load((clone / ".github/workflows/kismet.yml").read_text(encoding="utf-8"))
    assert run(sys.executable, "-m", "venv", clone / ".venv", cwd=clone).returncode == 0
    # As GitHub sets them: PATH by setup-python, the address by configure-pages.
    programs = clone / ".venv" / ("Scripts" if sys.platform == "win32" else "bin")
    # Python 3.11 adds it to an environment, and our package must not need it.
    assert run(programs / "pip", "uninstall", "--quiet", "--yes", "setuptools", cwd=clone).returncode == 0
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    # What GitHub computes is empty for a push.
    own_variables = {name: "" if value.startswith("${{") else value for name, value in workflow["env"].items()}
    variables = {**ENVIRONMENT, **own_variables, "PATH": path, "PIP_NO_COMPILE": "1"}
    names = []
    for step in workflow["jobs"]["build"]["steps"]:
        if "run" in step:
            names.append(step["name"].partition(" ")[0])
            own = dict.fromkeys(step.get("env", {}), "https://ember.github.io/Rules")
            # The shell of GitHub.
            shell = ("bash", "-e", "-c", step["run"])
            ended = subprocess.run(
                shell, cwd=clone, env={**variables, **own}, capture_output=True, text=True, timeout=300, check=False
            )
            if "connection" in ended.stderr.casefold():
                skip_without("a network to install the dependencies from")
            assert ended.returncode == 0, f"{step['run']}: {ended.stdout}{ended.stderr}"
    assert names == ["Install", "Check", "Build"]
    uploaded = next(step["with"]["path"] for step in workflow["jobs"]["build"]["steps"] if step.get("name") == "Upload")
    host = tmp_path_factory.mktemp("host")
    (clone / uploaded).rename(host / "Rules")
    return Published(host, programs)


@pytest.fixture
def environment(published: Published) -> Path:
    return published.programs


def test_installed_wheel_builds_a_new_library(environment: Path, tmp_path: Path) -> None:
    new = run(environment / "kismet", "new", "lib", cwd=tmp_path)
    assert new.returncode == 0, new.stderr
    build = run(environment / "kismet", "build", "lib", "--strict", cwd=tmp_path)
    assert build.returncode == 0, build.stderr
    assert (tmp_path / "public/index.html").is_file()
    assert (tmp_path / "public/data/manifest.json").is_file()


def test_second_command_has_the_name_of_the_package(environment: Path, tmp_path: Path) -> None:
    versions = [run(environment / name, "--version", cwd=tmp_path).stdout for name in ("kismet", "kismet-build")]
    assert versions[0] == versions[1] != ""


def test_the_manual_is_in_the_wheel(environment: Path, tmp_path: Path) -> None:
    codes = run(environment / "kismet", "explain", cwd=tmp_path)
    assert codes.returncode == 0, codes.stderr
    assert len(codes.stdout.splitlines()) == len(list((ROOT / "kismet_build/lint/manual").glob("*.md")))


def test_bundled_content_is_in_the_wheel(environment: Path, tmp_path: Path) -> None:
    where = "from kismet_build.config.data_file import SHIPPED; print(SHIPPED)"
    shipped = Path(run(environment / "python", "-c", where, cwd=tmp_path).stdout.strip())
    assert shipped.name == "shipped"
    build = run(environment / "kismet", "build", shipped / "content", cwd=tmp_path)
    assert build.returncode == 0, build.stderr
    assert (tmp_path / "public/kismet/index.html").is_file()


def test_archives_have_the_same_bytes_in_another_folder_at_another_time(archives: Path, tmp_path: Path) -> None:
    (source,) = archives.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    (copy,) = tmp_path.iterdir()
    for file in copy.rglob("*"):
        os.utime(file, (1, 400_000_000))
    command = (sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path / "dist", copy)
    built = run(*command, cwd=tmp_path, umask=0o077)
    assert built.returncode == 0, built.stdout + built.stderr
    again = {file.name: file.read_bytes() for file in (tmp_path / "dist").iterdir()}
    assert again == {file.name: file.read_bytes() for file in archives.iterdir()}


# --- published on GitHub Pages


def test_published_site_has_the_address_of_its_project(published: Published) -> None:
    site = published.host / "Rules"
    assert "<loc>https://ember.github.io/Rules/lantern/</loc>" in (site / "sitemap.xml").read_text(encoding="utf-8")
    assert '<link rel="canonical" href="https://ember.github.io/Rules/">' in (site / "index.html").read_text("utf-8")
    assert 'href="/Rules/' in (site / "404.html").read_text(encoding="utf-8")
    hidden = [file for file in site.rglob("*") if file.name.startswith(".")]
    assert hidden == [], "the upload leaves hidden files out"


def test_published_site_works_below_a_path(published: Published, browser: Browser) -> None:
    with serve_folder(published.host) as address, browser.new_context() as device:
        device.set_default_timeout(TIMEOUT)
        faults: list[str] = []
        device.on("weberror", lambda problem: faults.append(str(problem.error)))
        device.on("response", lambda answer: faults.append(answer.url) if answer.status >= 400 else None)
        device.on("request", lambda asked: None if asked.url.startswith(address) else faults.append(asked.url))
        page = device.new_page()
        page.goto(f"{address}Rules/")
        page.get_by_role("main").get_by_role("link", name="Lantern").first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Lantern")
        page.wait_for_load_state()  # scripts listen to keys
        page.keyboard.press("/")
        box = page.get_by_role("dialog", name="Search")
        box.get_by_role("combobox").fill("moss")
        expect(box.get_by_role("option").first).to_contain_text("Wayfinding")
        counted = page.evaluate("async () => (await (await fetch('../data/lantern/pack.json')).json()).entities")
        assert "talent" in counted
        worker = page.evaluate("async () => (await navigator.serviceWorker.ready).scope")
        assert worker == f"{address}Rules/"
        page.wait_for_timeout(500)
    assert [fault for fault in faults if not fault.endswith("/favicon.ico")] == []

"""The wheel is complete: it works in an empty environment and an empty folder."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.command import ROOT

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


@pytest.fixture(scope="module")
def environment(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment that has only our wheel and its dependencies."""
    folder = tmp_path_factory.mktemp("package")
    (wheel,) = archives.glob("*.whl")
    created = run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    assert created.returncode == 0, created.stderr
    programs = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    pip = (sys.executable, "-m", "pip", "--python", programs / "python")
    # Compiling all dependencies would take longer than the tests.
    installed = run(*pip, "install", "--quiet", "--no-compile", wheel, cwd=folder)
    if installed.returncode != 0 and "connection" in installed.stderr.casefold():
        pytest.skip("there is no network to install the dependencies from")
    assert installed.returncode == 0, installed.stderr
    return programs


def test_installed_wheel_builds_a_new_library(environment: Path, tmp_path: Path) -> None:
    new = run(environment / "kismet", "new", "lib", cwd=tmp_path)
    assert new.returncode == 0, new.stderr
    build = run(environment / "kismet", "build", "lib", "--strict", cwd=tmp_path)
    assert build.returncode == 0, build.stderr
    assert (tmp_path / "public/index.html").is_file()
    assert (tmp_path / "public/data/manifest.json").is_file()


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

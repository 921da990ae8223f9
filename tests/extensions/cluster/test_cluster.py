"""Games built by the workers of a Dask cluster: a scheduler and two workers on this machine, connected over TCP."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from socket import gethostname
from typing import Any

import pytest

from kismet_build import cli
from kismet_build.config.data_file import UsageError
from kismet_build.driver.build_cache import program_digest
from kismet_build.driver.workers import NO_SOURCES, Lost, Sources
from kismet_build.extensions.cluster import worker
from kismet_build.extensions.cluster.dask import Cluster
from kismet_build.extensions.cluster.worker import Task
from tests.command import ROOT
from tests.many_games import break_game, write_game

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers start programs with open descriptors")

GAMES = 200


class Machines:
    def __init__(self, folder: Path, workers: int = 2) -> None:
        file = folder / "scheduler.json"
        self.folder = folder
        start = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
        self.processes = [self.start([*start, "--no-dashboard", "--scheduler-file", str(file)])]
        while not file.exists() or not file.read_text(encoding="utf-8"):
            time.sleep(0.05)
        self.options = ["--scheduler-file", str(file), "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        for number in range(workers):
            worker = [sys.executable, "-m", "distributed.cli.dask_worker", *self.options]
            self.processes.append(self.start([*worker, "--local-directory", str(folder / f"worker-{number}")]))
        import json

        self.address: str = json.loads(file.read_text(encoding="utf-8"))["address"]

    def start(self, command: list[str]) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self) -> None:
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    machines = Machines(tmp_path_factory.mktemp("machines"))
    yield machines
    machines.stop()


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[..., Machines]]:
    all_machines: list[Machines] = []

    def start(workers: int = 2) -> Machines:
        (tmp_path / "machines").mkdir()
        all_machines.append(Machines(tmp_path / "machines", workers))
        return all_machines[-1]

    yield start
    for each in all_machines:
        each.stop()


def build_command(library: Path, out: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "kismet_build.cli", "build", str(library), "--out", str(out), *options]


def contents(tree: Path) -> dict[str, bytes]:
    return {file.relative_to(tree).as_posix(): file.read_bytes() for file in tree.rglob("*") if file.is_file()}


def games_of_new_tree(folder: Path) -> int:
    """The number of games with files in the tree that a build is writing."""
    return len([*folder.glob(".*-*/fresh/g*")])


def wait_for_games(folder: Path, process: "subprocess.Popen[str]", number: int) -> None:
    while games_of_new_tree(folder) < number:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def test_cluster_builds_the_bytes_of_one_machine_though_a_worker_is_killed(
    tmp_path: Path, started: Callable[..., Machines]
) -> None:
    library, here, there = tmp_path / "library", tmp_path / "here", tmp_path / "there"
    for number in range(GAMES):
        write_game(library, number)
    break_game(library, 7)
    local = subprocess.run(build_command(library, here), capture_output=True, text=True, check=False)
    machines = started()
    process = subprocess.Popen(
        build_command(library, there, "--dask", machines.address),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for_games(tmp_path, process, 20)
    machines.processes[1].kill()
    stdout, stderr = process.communicate()
    assert (process.returncode, stderr) == (local.returncode, local.stderr)
    assert stdout.replace(str(there), str(here)) == local.stdout
    assert local.returncode == 1
    assert '"g007" is not published: it has 1 error' in stderr
    assert contents(there) == contents(here)


def test_unchanged_games_are_not_sent(tmp_path: Path, machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "library"
    for number in range(3):
        write_game(library, number)
    sent: list[str] = []
    run = Cluster.run

    def watched(self: Cluster, work: Any, items: Any, *others: Any) -> Any:
        sent.extend(item.id for item in items)
        return run(self, work, items, *others)

    monkeypatch.setattr(Cluster, "run", watched)
    command = ["build", str(library), "--out", str(tmp_path / "out"), "--quiet", "--dask", machines.address]
    time.sleep(0.1)  # a file that changed just before a build is read again by the next
    assert cli.main(command) == 0
    assert sorted(sent) == ["g000", "g001", "g002"]
    sent.clear()
    (library / "game-001" / "Turns.md").write_text("# Turns\n\nNone.\n", encoding="utf-8")
    time.sleep(0.1)
    assert cli.main(command) == 0
    assert sent == ["g001"]


def test_work_that_fails_twice_is_lost_and_the_rest_is_done(tmp_path: Path, machines: Machines) -> None:
    cluster = Cluster(machines.address)

    def work(item: str) -> int:
        import os

        if item == "ends":
            os._exit(9)
        if item == "grows":
            raise MemoryError
        return 12 // len(item)

    items = ["", "one", "ends", "grows", "some"]
    assert dict(cluster.run(work, items, tmp_path)) == {
        "": Lost("internal error: ZeroDivisionError('integer division or modulo by zero'); please report it"),
        "ends": Lost("the process that built it was killed"),
        "grows": Lost(f"the machine {gethostname()} does not have enough memory"),
        "one": 4,
        "some": 3,
    }
    with pytest.raises(ZeroDivisionError):
        [*cluster.run(work, items, tmp_path, raises=(ZeroDivisionError,))]
    cluster.close()


class LosingCluster:
    """Does the work here, except for one game."""

    def __init__(self, address: str) -> None:
        self.lost = address

    def run(self, work: Callable[[Any], Any], items: Any, *_: object) -> Iterator[tuple[Any, Any]]:
        for item in items:
            yield item, Lost("each worker that built it ended") if item.id == self.lost else work(item)

    def close(self) -> None: ...


def test_lost_game_keeps_its_last_pages_and_is_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kismet_build.extensions.cluster.dask.Cluster", LosingCluster)
    library, out = tmp_path / "library", tmp_path / "out"
    for number in range(2):
        write_game(library, number)
    command = ["build", str(library), "--out", str(out)]
    assert cli.main(command) == 0
    old = contents(out)
    for number in range(2):
        (library / f"game-00{number}" / "Turns.md").write_text("# Turns\n\nNew words.\n", encoding="utf-8")
    capsys.readouterr()
    assert cli.main([*command, "--dask", "g001"]) == 3
    message = '"g001" is not published: each worker that built it ended; its last good pages stay'
    assert message in capsys.readouterr().err
    new = contents(out)
    assert b"New words" in new["g000/turns/index.html"]
    assert new["g001/turns/index.html"] == old["g001/turns/index.html"]
    assert cli.main(command) == 0
    assert b"New words" in contents(out)["g001/turns/index.html"]


def test_lost_game_keeps_no_page_of_a_text_that_is_private_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kismet_build.extensions.cluster.dask.Cluster", LosingCluster)
    library, out = tmp_path / "library", tmp_path / "out"
    for number in range(2):
        write_game(library, number)
    command = ["build", str(library), "--out", str(out)]
    assert cli.main(command) == 0
    turns = library / "game-001" / "Turns.md"
    turns.write_text("---\npublish: false\n---\n" + turns.read_text(encoding="utf-8"), encoding="utf-8")
    assert cli.main([*command, "--dask", "g001"]) == 3
    assert "its last pages may show texts that are private now" in capsys.readouterr().err
    assert {path.split("/")[0] for path in contents(out) if path.startswith("g0")} == {"g000"}


def test_reason_is_printed_if_the_only_game_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kismet_build.extensions.cluster.dask.Cluster", LosingCluster)
    write_game(tmp_path / "library", 1)
    assert cli.main(["build", str(tmp_path / "library"), "--out", str(tmp_path / "out"), "--dask", "g001"]) == 3
    assert '"g001" is not published: each worker that built it ended\n' in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_interrupted_build_leaves_nothing_and_the_workers_can_be_used_again(tmp_path: Path, machines: Machines) -> None:
    library, out = tmp_path / "library", tmp_path / "out"
    for number in range(60):
        write_game(library, number)
    command = build_command(library, out, "--dask", machines.address)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_games(tmp_path, process, 3)
    process.send_signal(signal.SIGINT)
    assert process.communicate() == ("", "kismet: interrupted\n")
    assert process.returncode == 3
    assert not out.exists()
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_build_whose_scheduler_ends_leaves_nothing(tmp_path: Path, started: Callable[..., Machines]) -> None:
    for number in range(60):
        write_game(tmp_path / "library", number)
    machines = started()
    command = build_command(tmp_path / "library", tmp_path / "out", "--dask", machines.address)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_games(tmp_path, process, 3)
    machines.processes[0].kill()
    assert process.communicate() == ("", f"kismet: the Dask scheduler at {machines.address} stopped answering\n")
    assert process.returncode == 3
    assert sorted(file.name for file in tmp_path.iterdir()) == ["library", "machines"]


def test_program_of_failed_work_is_not_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    idle: list[worker._Program] = []
    monkeypatch.setattr(worker, "_idle", idle)
    task = Task(program_digest(), os.getcwd(), str(tmp_path), NO_SOURCES, b"no pickle")
    with pytest.raises(worker.Failed, match="internal error: UnpicklingError"):
        worker.run_task(task)
    assert idle == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"program": "another"}, "has another version of kismet-build, Python or a package"),
        ({"tree": "/nowhere"}, 'sees no folder "/nowhere": share the folders'),
        ({"folder": "/nowhere"}, 'sees no folder "/nowhere": run the command in a folder that every machine has'),
        ({"sources": Sources((str(ROOT / "README.md"),), "other")}, "sees other files in"),
    ],
)
def test_worker_refuses_work_that_it_would_do_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], words: str
) -> None:
    monkeypatch.setattr(worker, "SHARE_SECONDS", 0)
    task = Task(program_digest(), os.getcwd(), str(tmp_path), NO_SOURCES, b"")._replace(**change)
    refusal = worker._refusal(task)
    assert refusal is not None
    assert words in refusal.reason


def test_files_that_change_during_the_build_are_read_as_they_are_then(tmp_path: Path, machines: Machines) -> None:
    text = tmp_path / "text"
    text.write_text("old", encoding="utf-8")
    old = worker.sources_now((str(text),))
    text.write_text("new", encoding="utf-8")
    cluster = Cluster(machines.address)
    assert [*cluster.run(len, ["one"], tmp_path, lambda _: old)] == [("one", 3)]
    cluster.close()


def test_unshared_folder_is_a_usage_error_that_says_how_to_share(tmp_path: Path, machines: Machines) -> None:
    cluster = Cluster(machines.address)
    with pytest.raises(UsageError, match=r'the machine .* sees no folder ".*nowhere": share the folders of'):
        [*cluster.run(len, ["one"], tmp_path / "nowhere")]
    cluster.close()


def test_address_without_a_cluster_is_a_usage_error(
    tmp_path: Path,
    started: Callable[..., Machines],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_game(tmp_path / "library", 1)
    command = ["build", str(tmp_path / "library"), "--out", str(tmp_path / "out"), "--dask"]
    monkeypatch.setattr("kismet_build.extensions.cluster.dask.CONNECT_SECONDS", 1)
    assert cli.main([*command, "tcp://127.0.0.1:1"]) == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:1" in capsys.readouterr().err
    assert cli.main([*command, ""]) == 2
    assert "argument --dask: the address is empty" in capsys.readouterr().err
    assert cli.main([*command, "no address"]) == 2
    assert "no Dask scheduler answers at no address" in capsys.readouterr().err
    assert cli.main([*command, "tls://127.0.0.1:1"]) == 2
    assert "no Dask scheduler answers at tls://127.0.0.1:1: TLS expects" in capsys.readouterr().err
    assert cli.main([*command, started(workers=0).address]) == 2
    assert "has no workers: start some with dask worker" in capsys.readouterr().err
    assert cli.main([*command, "tcp://127.0.0.1:1", "--untrusted"]) == 2

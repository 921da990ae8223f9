"""Any arguments end a command with an exit status of docs/CONTRACT.md and a message of one line, never a traceback."""

from pathlib import Path
from random import Random

import pytest

from tests.command import Run, kismet, kismet_process, write_files
from tests.sample import RUN_ALL, SAMPLE
from tests.small_library import write_library

CASES = 10_000 if RUN_ALL else 200
"""Command lines that a run tries."""
CLEAN, CONTENT, MISUSE, MACHINE = 0, 1, 2, 3
NOT_UTF_8 = "\udcff\udcfe"
"""Two bytes that are not UTF-8, as Python reads them from the command line."""

OPTIONS = {
    "build": ["--game", "--out", "--strict", "--keep-going", "--accept", "--jobs", "--no-cache", "--quiet"],
    "check": ["--game", "--format", "--strict"],
    "serve": ["--game", "--host", "--port", "--editor", "--keep-going"],
    "calc": ["--json", "--library", "--game"],
    "ask": ["--game", "--json"],
    "odds": ["--vs", "--json"],
    "explain": [],
    "new": ["--from"],
    "dump": ["--game"],
}
VALUES = [
    *("", " ", "-", "--", "---", "=", "==", "-1", "0", "1", "2", "65535", "65536", "1e999", "9" * 30, "9" * 5000),
    *("court", "court/game.yaml", "court/1 Court.md", "gone", "gone/deep/er", "court/kinds", ".", "./court", "kismet"),
    *("a" * 255, "a" * 256, "a" * 5000, "x/" * 2000, "é", "日本", "🎲", "\x1b[2J", "line\nbreak", "\r", "\t", "\u202e"),
    *("1d6", "4d6kh3", "1d", "d0", "1d6>=5", "(" * 5000, "1+" * 3000 + "1", "9d9999999999", "-" * 3000 + "1", "1d6/0"),
    *(
        "far-jump",
        "ember-court/far-jump",
        "speed=1",
        "speed=",
        "=speed",
        "speed=9007199254740993",
        "grace=" + "a" * 999,
    ),
    *(
        "text",
        "json",
        "github",
        "sarif",
        "localhost",
        "127.0.0.1",
        "::1",
        "..",
        "a..b",
        "256.256.256.256",
        "none",
        "vscode",
    ),
    *("unresolved-link", "../explain", "/dev/null", "/proc/nothing", NOT_UTF_8, "a" + NOT_UTF_8),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_library(tmp_path / "deep" / "court")
    return tmp_path / "deep"


def check(run: Run, arguments: list[str]) -> None:
    assert run.status in (CLEAN, CONTENT, MISUSE, MACHINE), arguments
    messages = [line for line in run.err.split("\n") if line.startswith("kismet: ")]
    assert "Traceback" not in run.output, arguments
    assert not set(run.err) & set("\x1b\r\t"), arguments
    if run.status in (MISUSE, MACHINE):
        assert len(messages) == 1, (arguments, run.err)
        assert len(messages[0]) < 600, arguments


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["serve", "court", "--port", "65536"], MISUSE, "'65536' is not a whole number from 0 to 65535"),
        (["serve", "court", "--port", "-1"], MISUSE, "'-1' is not a whole number from 0 to 65535"),
        (["serve", "court", "--host", "a" * 300], MISUSE, "is not a host name"),
        (["serve", "court", "--host", NOT_UTF_8], MISUSE, r"an argument is not UTF-8: \udcff\udcfe"),
        (["serve", "court", "--editor", NOT_UTF_8], MISUSE, "an argument is not UTF-8"),
        (["build", "court", "--out", "a" * 300], MACHINE, "File name too long"),
        (["build", "court", "--game=--"], MISUSE, "an option cannot have the value --"),
        (["check", "court", "--game=--"], MISUSE, "an option cannot have the value --"),
        (["new", "--from=--", "x"], MISUSE, "an option cannot have the value --"),
        (["build", "court", "--jobs", "0"], MISUSE, "'0' is not a whole number 1 or more"),
        (["explain", "\x1b[2J"], MISUSE, r'there is no diagnostic "\x1b[2J"'),
    ],
)
def test_odd_arguments_are_refused_in_one_line(folder: Path, arguments: list[str], status: int, message: str) -> None:
    run = kismet(*arguments, cwd=folder)
    assert run.status == status, run.output
    assert message in run.err
    assert run.err.count("\n") == 1


def test_bytes_that_are_not_utf_8_are_refused_by_a_process_too(folder: Path) -> None:
    run = kismet_process("build", "court", "--out", NOT_UTF_8, cwd=folder)
    assert (run.status, run.err.count("\n")) == (MISUSE, 1)


def test_random_arguments_never_end_in_a_traceback(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kismet_build.serve.Session.run", lambda *_: None)  # serve starts, and ends immediately
    random = Random(SAMPLE)
    for case in range(CASES):
        command = random.choice([*OPTIONS] * 9 + ["", "brew", "--version", "-h"])
        arguments = [command]
        for _ in range(random.randrange(5)):
            word = random.choice(VALUES)
            if OPTIONS.get(command) and random.random() < 0.6:
                option = random.choice(OPTIONS[command])
                arguments += random.choice([[option], [option, word], [option, word], [f"{option}={word}"]])
            else:
                arguments.append(word)
        here = folder.parent / str(case)
        here.mkdir()
        (here / "court").symlink_to(folder / "court")
        try:
            run = kismet(*arguments, cwd=here)
        except Exception as failure:
            raise AssertionError([argument[:80] for argument in arguments]) from failure
        check(run, arguments)


def test_a_link_that_leads_to_itself_is_a_usage_error(tmp_path: Path) -> None:
    notes = write_files(tmp_path / "notes", {"Moth.md": "It follows every light.\n"})
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for out in ("a", "a/x"):
        run = kismet_process("build", notes, "--out", tmp_path / out)
        assert (run.status, run.err.count("\n")) == (MISUSE, 1)
    assert kismet_process("check", tmp_path / "a").status == MISUSE


@pytest.mark.parametrize("value", ['"a\\0b"', "a" * 300, f"{'a' * 300}/b"], ids=["NUL", "long", "long folder"])
@pytest.mark.parametrize("key", ["kinds", "licence_file", "emblem", "exclude", "sources"])
def test_odd_paths_in_settings_end_on_one_line(key: str, value: str, tmp_path: Path) -> None:
    values = {"exclude": f"[{value}]", "sources": f"[{{glob: {value}}}]"}
    game = f"id: v\ntitle: V\nversion: 1.0.0\nlicence: none\n{key}: {values.get(key, value)}\n"
    game += "" if key == "sources" else "sources: [{glob: '**/*.md'}]\n"
    folder = write_files(tmp_path / "v", {"game.yaml": game, "Moth.md": "A moth.\n"})
    run = kismet("build", folder, "--out", tmp_path / "o")
    assert run.status in (CLEAN, CONTENT, MISUSE) or "File name too long" in run.err
    assert "internal error" not in run.output

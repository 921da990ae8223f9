"""Commands of other packages: they run only if they are named, and one that fails gives one line."""

from pathlib import Path

import pytest

from tests.command import ROOT, Run, kismet_process
from tests.small_library import write_library
from tests.stages.output.test_exports import install

COUNT = """\
from kismet_build.cli.command import Command, add_path
from kismet_build.config.load_library import load_library

def add_arguments(parser):
    parser.add_argument("word")
    add_path(parser)
    parser.add_argument("--loud", action="store_true")
    parser.add_argument("more", nargs="*")

def run(options):
    library = load_library(options.path, options.game, lambda _: None)
    texts = [file.read_text() for game in library.games for file, _ in game.files.texts]
    print(sum(text.count(options.word) for text in texts), "!" if options.loud else "")
    return 1

count = Command("count a word", add_arguments, run, ("kismet count a", "kismet count b my-game"))
"""


def run(folder: Path, *arguments: str, code: str = COUNT) -> Run:
    install(folder / "packages", "kismet-count", code, commands={"count": "count"})
    (folder / "content").mkdir(exist_ok=True)
    (folder / "content/Home.md").write_text("A tree and a bee.\n", encoding="utf-8")
    return kismet_process(*arguments, cwd=folder, env={"PYTHONPATH": f"{ROOT}:{folder / 'packages'}"})


def test_a_command_of_another_package_has_help_options_and_a_status(tmp_path: Path) -> None:
    assert run(tmp_path, "count", "ee", "content") == Run(1, "2 \n", "")
    assert run(tmp_path, "count", "ee", "--loud") == Run(1, "2 !\n", "")
    shown = run(tmp_path, "count", "--help")
    assert (shown.status, shown.out.startswith("usage: kismet count [-h] [--game FILE] [--loud]")) == (0, True)
    assert shown.out.endswith("\nexamples:\n  kismet count a\n  kismet count b my-game\n")
    assert "kismet count --help" in run(tmp_path, "count", "ee", "--laut").err


@pytest.mark.parametrize(
    ("old", "new", "status", "reason"),
    [
        ("cli.command import", "cli.no_command import", 2, "of kismet-count cannot be loaded: ModuleNotFoundError"),
        ("count = Command", "count = dict", 2, "of kismet-count cannot be loaded: TypeError"),
        ("\ncount = ", "\ncount = run or ", 2, "of kismet-count is not a Command: kismet_count:count"),
        ('"--loud"', '"--game"', 2, "cannot be used: ArgumentError: argument --game: conflicting"),
        ("return 1", "", 3, "a command must return an exit status from 0 to 255, not None"),
        ("return 1", "return 1 / 0", 3, "this command of kismet-count failed: ZeroDivisionError"),
        ("return 1", "exit('not today')", 3, "kismet: not today"),
    ],
)
def test_a_command_that_fails_gives_one_line(old: str, new: str, status: int, reason: str, tmp_path: Path) -> None:
    assert COUNT.count(old)
    found = run(tmp_path, "count", "ee", code=COUNT.replace(old, new))
    assert (found.status, found.err.count("\n")) == (status, 1), found.output
    assert reason in found.err


def test_a_command_runs_only_if_it_is_named_and_never_for_strangers(tmp_path: Path) -> None:
    imported = "raise SystemExit('imported')\n"
    for arguments in (["--help"], ["check"], ["explain", "count"], ["build", "--no-search"], ["completion", "bash"]):
        assert "imported" not in run(tmp_path, *arguments, code=imported).output
    assert "imported" in run(tmp_path, "count", code=imported).err
    found = run(tmp_path, "count", "ee", "--untrusted", code=imported)
    assert (found.status, found.err.count("\n")) == (2, 1)
    assert '--untrusted runs only the commands of kismet: "count" is not one of them' in found.err
    assert 'there is no "count"' in kismet_process("count").err


QUIET = """\
from kismet_build.cli.build_part import BuildPart, TreeRefused

class Refused(TreeRefused):
    def print(self, out):
        print("not", out.name)
        return 1

class Check:
    def __init__(self, least):
        self.least = least

    def __call__(self, tree):
        if len([*tree.rglob("index.html")]) < self.least:
            raise Refused

    def print_result(self):
        print("enough pages")

def add_arguments(parser):
    parser.add_argument("--least", type=int)

least = BuildPart(add_arguments, check=lambda options, is_new: Check(options.least))
"""


def build(folder: Path, *arguments: str, code: str = QUIET) -> Run:
    install(folder / "packages", "kismet-least", code, builders={"least": "least"})
    library = write_library(folder / "court")
    env = {"PYTHONPATH": f"{ROOT}:{folder / 'packages'}"}
    return kismet_process("build", library, "--out", folder / "out", "--no-search", *arguments, env=env)


def test_a_package_takes_part_in_a_build_if_its_option_is_named(tmp_path: Path) -> None:
    assert build(tmp_path, "--least", "1000") == Run(1, "not out\n", "")
    assert not (tmp_path / "out").exists()
    assert build(tmp_path, "--least=1").out.endswith("enough pages\n")
    broken = QUIET.replace("add_argument(", "add_arguments(")
    found = build(tmp_path, "--least", "1", code=broken)
    assert (found.status, found.err.count("\n")) == (2, 1)
    assert 'the builder "least" of kismet-least cannot be used: AttributeError' in found.err
    assert "never" not in build(tmp_path, code="raise SystemExit('never')").output
    assert "--untrusted runs only the builders of kismet" in build(tmp_path, "--least", "1", "--untrusted").err

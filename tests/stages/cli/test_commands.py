"""The commands follow docs/CONTRACT.md: one clear message, the right exit status, no partial output."""

import json
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import NOT_HERE, Run, kismet, kismet_process, tree, write_files
from tests.small_library import CALCULATORS, TEXT, write_library

CLEAN, CONTENT, MISUSE, MACHINE = 0, 1, 2, 3


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return write_library(tmp_path / "court")


def one_line(run: Run) -> str:
    lines = run.err.splitlines()
    assert len(lines) == 1, run.err
    assert run.out == ""
    return lines[0]


def test_library_without_errors_is_built(library: Path, tmp_path: Path) -> None:
    run = kismet_process("build", library, "--out", tmp_path / "public")
    assert (run.status, run.err) == (CLEAN, "")
    pack = json.loads((tmp_path / "public/data/ember-court/pack.json").read_text(encoding="utf-8"))
    assert [entity["name"] for entity in pack["entities"]["grace"]] == ["Bow", "Whisper"]
    assert (tmp_path / "public/index.html").is_file()


def test_content_and_public_are_the_default_folders(tmp_path: Path) -> None:
    write_library(tmp_path / "content" / "court")
    assert kismet("build", cwd=tmp_path).status == CLEAN
    assert (tmp_path / "public/ember-court/court/index.html").is_file()


@pytest.mark.parametrize(("folder", "library"), [("vault", '"."'), ("vault/Birds", "Birds")])
def test_working_folder_with_texts_is_the_library_without_a_path(tmp_path: Path, folder: str, library: str) -> None:
    notes = {f"Birds/{name}.md": f"# {name}\n\n**Wings:** 2\n" for name in ("Gull", "Tern", "Skua")}
    foreign = ("node_modules/gull", ".venv/share", "env/share", "old")
    vault = write_files(
        tmp_path / "vault",
        {
            ".git/description.md": "# Foreign\n",
            **{f"Birds/{path}/README.md": "# Foreign\n" for path in foreign},
            **notes,
            "Birds/env/pyvenv.cfg": "",
            "Birds/old/data/manifest.json": "{}",
            "Birds/old/assets/site.css": "",
        },
    )
    here = tmp_path / folder
    for _ in range(2):  # the second time with the output tree of the first one
        run = kismet("build", cwd=here)
        assert run.status == CLEAN, run.output
        assert "3 chapters" in run.out
    assert (here / "public/index.html").is_file()
    assert kismet("check", cwd=here).out == kismet("check", ".", cwd=here).out
    assert "Foreign" not in "".join(path.read_text("utf-8") for path in (here / "public").rglob("*.html"))
    spec = ("--requirement", "git+https://code.example/kismet")
    assert kismet("publish", "--to", "github-pages", *spec, cwd=here).status == CLEAN
    workflow = (vault / ".github/workflows/kismet.yml").read_text(encoding="utf-8")
    assert f"LIBRARY: {library}\n" in workflow


PATHLESS = (("build",), ("check",), ("serve",), ("publish", "--to", "github-pages"))


@pytest.mark.parametrize("command", PATHLESS, ids=lambda command: command[0])
def test_no_folder_is_guessed_that_may_not_be_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    def refusal(folder: Path) -> str:
        run = kismet(*command, cwd=folder)
        assert run.status == MISUSE
        return one_line(run)

    (tmp_path / "empty").mkdir()
    assert "no rules text" in refusal(tmp_path / "empty")
    home = write_files(tmp_path / "users/ash", {"Diary.md": "# Diary\n"})
    monkeypatch.setenv("HOME", str(home))
    assert "is or contains a home folder" in refusal(home)
    assert "is or contains a home folder" in refusal(home.parent)
    large = write_files(tmp_path / "large", {f"{number}.md": "" for number in range(2_001)})
    assert "has 2,001 texts" in refusal(large)
    (large / "1.md").unlink()
    monkeypatch.setattr("kismet_build.serve.Session.run", lambda *_: None)  # serve starts, and ends immediately
    assert "texts" not in kismet(*command, cwd=large).err


def test_quiet_option_prints_nothing(library: Path, tmp_path: Path) -> None:
    run = kismet("build", library, "--out", tmp_path / "public", "--quiet")
    assert (run.status, run.output) == (CLEAN, "")


def test_folder_without_game_file_is_built_as_a_plain_vault(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "Moves.md").write_text("# Moves\n\nSee [[#Moves]].\n", encoding="utf-8")
    run = kismet("build", tmp_path / "vault", "--out", tmp_path / "public")
    assert run.status == CLEAN, run.output
    assert (tmp_path / "public/vault/moves/index.html").is_file()


def test_game_option_applies_a_game_file_to_a_vault(library: Path, tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (library / "1 Court.md").rename(tmp_path / "vault" / "1 Court.md")
    before = tree(tmp_path / "vault")
    run = kismet("build", tmp_path / "vault", "--game", library / "game.yaml", "--out", tmp_path / "public")
    assert run.status == CLEAN, run.output
    assert (tmp_path / "public/ember-court/grace/bow/index.html").is_file()
    assert tree(tmp_path / "vault") == before


def test_ascii_terminal_does_not_fail_on_other_characters(tmp_path: Path) -> None:
    library = write_library(tmp_path / "court", text=TEXT.replace("[[#Bow]]", "[[Świt – ½]]"))
    run = kismet_process("check", library, env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert run.status == CLEAN
    assert "unresolved-link" in run.out


def test_game_option_accepts_the_id_of_a_bundled_game(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "1 Court.md").write_text(TEXT, encoding="utf-8")
    run = kismet("build", tmp_path / "vault", "--game", "kismet", "--out", tmp_path / "public", cwd=tmp_path)
    assert run.status == CLEAN, run.output
    assert (tmp_path / "public/kismet/court/index.html").is_file()
    assert kismet("check", tmp_path / "vault", "--game", "nobody").status == MISUSE


# --- misuse: one line, status 2


def test_missing_folder_is_a_usage_error(tmp_path: Path) -> None:
    run = kismet("build", tmp_path / "nowhere", "--out", tmp_path / "public")
    assert run.status == MISUSE
    assert "nowhere" in one_line(run)


def test_file_in_place_of_a_folder_is_a_usage_error(library: Path) -> None:
    run = kismet("check", library / "game.yaml")
    assert run.status == MISUSE
    assert "game.yaml" in one_line(run)


def test_empty_folder_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    run = kismet("build", tmp_path / "empty", "--out", tmp_path / "public")
    assert run.status == MISUSE
    assert "empty" in one_line(run)
    assert not (tmp_path / "public").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("brew",),
        ("build", "--loud"),
        ("check", "--format", "xml"),
        ("check", "a", "b"),
        ("build", "--jobs", "many"),
    ],
)
def test_invalid_option_is_a_usage_error(arguments: tuple[str, ...]) -> None:
    assert kismet(*arguments).status == MISUSE


@pytest.mark.parametrize("command", [(), ("data",)])
def test_command_without_its_subcommand_prints_its_help(command: tuple[str, ...]) -> None:
    run = kismet(*command)
    assert (run.status, run.err) == (CLEAN, "")
    assert run.out == kismet(*command, "--help").out


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("bild",), 'there is no "bild": did you mean "build"?'),
        (("data", "verfy", "x"), 'did you mean "verify"?'),
        (("check", "--format", "jsn"), 'did you mean "json"?'),
        (("serve", "--editor", "vim"), "choose from: cursor, idea"),
        (("build", "--ouput", "x"), 'there is no option "--ouput": did you mean "--out"? (see kismet build --help)'),
        (("build", "x", "--jbos=3"), 'there is no option "--jbos": did you mean "--jobs"?'),
        (("calc", "ember-court/share", "guests=1", "--jsn"), 'did you mean "--json"?'),
        (("data", "verify", "x", "--qiet"), 'there is no option "--qiet" (see kismet data verify --help)'),
        (("--vrsion",), 'did you mean "--version"? (see kismet --help)'),
    ],
)
def test_nearest_command_option_or_value_is_suggested(arguments: tuple[str, ...], hint: str) -> None:
    run = kismet(*arguments)
    assert run.status == MISUSE
    assert hint in one_line(run)


def test_two_games_with_the_same_id_are_a_usage_error(tmp_path: Path) -> None:
    write_library(tmp_path / "games" / "one")
    write_library(tmp_path / "games" / "two")
    run = kismet("build", tmp_path / "games", "--out", tmp_path / "public")
    assert run.status == MISUSE
    assert "ember-court" in run.err


def test_output_folder_with_other_files_is_never_replaced(library: Path, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_bytes(b"cat")
    run = kismet("build", library, "--out", tmp_path / "photos")
    assert run.status == MISUSE
    assert tree(tmp_path / "photos") == {"cat.jpg": b"cat"}


@pytest.mark.parametrize("out", [".", "..", "court"])
def test_output_folder_cannot_be_the_source_folder(library: Path, out: str) -> None:
    before = tree(library)
    run = kismet("build", ".", "--out", library / out if out != "court" else library, cwd=library)
    assert run.status == MISUSE
    assert tree(library) == before


# --- errors in the library; the previous output is retained

Break = Callable[[Path], None]


def replace_text(path: str, old: str, new: str) -> Break:
    def change(library: Path) -> None:
        file = library / path
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def replace_bytes(path: str, data: bytes) -> Break:
    def change(library: Path) -> None:
        (library / path).write_bytes(data)

    return change


BROKEN = {
    "not-utf-8": (
        replace_bytes("1 Court.md", b"# Court\n\nA caf\xe9.\n"),
        CONTENT,
        ["error[invalid-encoding]", "1 Court.md:3:6", "0xE9"],
    ),
    "game-yaml-syntax": (
        replace_text("game.yaml", "title: Ember Court", "title: [Ember Court"),
        MISUSE,
        ["error[invalid-game]", "game.yaml:"],
    ),
    "game-yaml-unknown-key": (
        replace_text("game.yaml", "licence:", "license:"),
        MISUSE,
        ["error[invalid-game]", "game.yaml:4:1", '"license"'],
    ),
    "game-yaml-doubled-key": (
        replace_text("game.yaml", "licence:", "title: Again\nlicence:"),
        MISUSE,
        ["error[invalid-game]", "game.yaml:4:1", '"title"'],
    ),
    "game-yaml-not-a-mapping": (replace_bytes("game.yaml", b"- 1\n"), MISUSE, ["error[invalid-game]", "game.yaml:1"]),
    "game-yaml-empty": (replace_bytes("game.yaml", b""), MISUSE, ["error[invalid-game]", "game.yaml:1"]),
    "game-yaml-not-utf-8": (replace_bytes("game.yaml", b"id: \xff\n"), MISUSE, ["error[invalid-game]", "UTF-8"]),
    "game-yaml-deep": (replace_bytes("game.yaml", b"[" * 5000), MISUSE, ["error[invalid-game]"]),
    "game-yaml-glob-broken": (
        replace_text("game.yaml", "**/*.md", "**.md"),
        MISUSE,
        ["error[invalid-game]", "game.yaml:7:", "**.md"],
    ),
    "game-yaml-glob-absolute": (
        replace_text("game.yaml", "**/*.md", "/**/*.md"),
        MISUSE,
        ["error[invalid-game]", "game.yaml:7:", "/**/*.md"],
    ),
    "game-yaml-glob-outside": (
        replace_text("game.yaml", "**/*.md", "../**/*.md"),
        MISUSE,
        ["error[invalid-game]", "game.yaml:7:", "../**/*.md"],
    ),
    "kind-unknown-from": (
        replace_text("kinds/grace.yaml", "x-from: 'label:Cost'", "x-from: 'magic:Cost'"),
        MISUSE,
        ["error[invalid-kind]", "grace.yaml:8:", "magic:Cost"],
    ),
    "kind-bad-regex": (
        replace_text("kinds/grace.yaml", "under: Graces", "under: Graces, pattern: '(x'"),
        MISUSE,
        ["error[invalid-kind]", "grace.yaml:2:"],
    ),
    "one-id-twice": (
        replace_text("1 Court.md", "### Whisper", "### Bow"),
        CONTENT,
        ["error[duplicate-id]", "1 Court.md:13:", "1 Court.md:7:", "ember-court/grace/bow"],
    ),
    "empty-field": (replace_text("1 Court.md", "**Cost:** 2", "Free."), CONTENT, ["error[empty-field]", '"cost"']),
    "folder-called-md": (lambda library: (library / "2 Folder.md").mkdir(), CLEAN, []),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_library_is_reported_and_previous_output_is_retained(library: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "public"
    assert kismet("build", library, "--out", out).status == CLEAN
    before = tree(out)
    break_it, status, expected = BROKEN[name]
    break_it(library)
    for run in (kismet("build", library, "--out", out), kismet("check", library)):
        assert run.status == status, run.output
        for words in expected:
            assert words in run.output, run.output
    assert tree(out) == before
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_output_that_cannot_be_written_exits_with_status_3(library: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    run = kismet("build", library, "--out", tmp_path / "file" / "public")
    assert run.status == MACHINE
    assert "file" in one_line(run)


def test_unresolved_link_has_line_number_and_suggestion(library: Path) -> None:
    replace_text("1 Court.md", "[[#Bow]]", "[[#Bo]]")(library)
    run = kismet("check", library)
    assert "1 Court.md:15:" in run.out
    assert 'hint: did you mean "Bow"?' in run.out


# --- check


@pytest.fixture
def imperfect(tmp_path: Path) -> Path:
    return write_library(tmp_path / "court", text=TEXT.replace("It follows [[#Bow]]", "🜂 It follows [[Kneel]]"))


def test_warnings_fail_only_with_strict_option(imperfect: Path, tmp_path: Path) -> None:
    assert kismet("check", imperfect).status == CLEAN
    assert kismet("check", imperfect, "--strict").status == CONTENT
    assert kismet("build", imperfect, "--out", tmp_path / "public").status == CLEAN
    before = tree(tmp_path / "public")
    assert kismet("build", imperfect, "--out", tmp_path / "public", "--strict").status == CONTENT
    assert tree(tmp_path / "public") == before


def test_check_writes_nothing(imperfect: Path, tmp_path: Path) -> None:
    before = tree(tmp_path)
    kismet("check", imperfect, cwd=tmp_path)
    assert tree(tmp_path) == before


def test_json_format_is_an_object_per_line_with_code_point_columns(imperfect: Path) -> None:
    run = kismet("check", imperfect, "--format", "json")
    (diagnostic,) = map(json.loads, run.out.splitlines())
    line = (imperfect / "1 Court.md").read_text(encoding="utf-8").splitlines()[14]
    assert diagnostic == {
        "code": "unresolved-link",
        "severity": "warning",
        "message": 'nothing is named "Kneel"',
        "hint": "",
        "path": "1 Court.md",
        "line": 15,
        "column": line.index("[[") + 1,
        "end_line": 15,
        "end_column": line.index("]]") + 3,
        "related": [],
    }


def test_json_format_is_empty_without_diagnostics(library: Path) -> None:
    assert kismet("check", library, "--format", "json").out == ""


def test_github_format_is_a_workflow_command(imperfect: Path) -> None:
    run = kismet("check", imperfect.name, "--format", "github", cwd=imperfect.parent)
    assert run.out.startswith("::warning file=court/1 Court.md,line=15,")
    assert run.out.rstrip("\n").endswith('::nothing is named "Kneel"')


def test_sarif_format_is_a_valid_log(imperfect: Path) -> None:
    log = json.loads(kismet("check", imperfect, "--format", "sarif").out)
    assert log["version"] == "2.1.0"
    (result,) = log["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("unresolved-link", "warning")
    place = result["locations"][0]["physicalLocation"]
    assert place["region"]["startLine"] == 15
    assert " " not in place["artifactLocation"]["uri"], "a URI has no spaces"


@pytest.mark.parametrize("form", ["json", "github", "sarif"])
def test_invalid_game_is_reported_in_the_requested_format(library: Path, form: str) -> None:
    replace_text("game.yaml", "licence:", "license:")(library)
    run = kismet("check", library, "--format", form)
    assert run.status == MISUSE
    assert "invalid-game" in run.out


# --- calc


@pytest.fixture
def court(tmp_path: Path) -> Path:
    (folder := write_library(tmp_path / "content" / "court") / "calculators").mkdir()
    (folder / "moving.yaml").write_text(CALCULATORS, encoding="utf-8")
    return tmp_path


def calc(court: Path, *arguments: str) -> Run:
    return kismet("calc", *arguments, cwd=court)


def test_calculators_are_listed_by_chapter(court: Path) -> None:
    run = calc(court)
    assert run.status == CLEAN
    assert run.out.splitlines()[0] == "Ember Court: 1 Court"
    assert "ember-court/far-jump  Far Jump" in run.out
    assert [calculator["id"] for calculator in json.loads(calc(court, "--json").out)] == [
        "ember-court/calculator/far-jump",
        "ember-court/calculator/share",
    ]


def test_calc_describes_the_inputs_of_a_calculator(court: Path) -> None:
    run = calc(court, "far-jump")
    assert run.status == CLEAN
    for words in (
        "Far Jump (ember-court/calculator/far-jump)",
        "Speed: a whole number from 0 to 20 tiles; 6 if not given",
        "Grace: a Grace (bow, whisper); bow if not given",
        "Cold: true or false; no if not given",
        "one of none, from ahead, from behind; none if not given",
        "Other graces: any Graces (bow, whisper); none if not given",
    ):
        assert words in run.out, run.out


def test_calc_prints_result_steps_and_citations(court: Path) -> None:
    run = calc(court, "ember-court/far-jump", "speed=7", "grace=Whisper", "others=bow, whisper")
    assert run.status == CLEAN
    assert run.out.splitlines()[0] == "With Whisper you jump 11.5 tiles"
    for words in (
        "Speed: 7 tiles\n",
        "Cold: no (the default)",
        "Half of it: 3.5 tiles\n    Nobody jumps as far as they walk\n",
        'Court › Bow: "You bend" (1 Court.md:9)',
        "Another reading: In whole tiles: 3 tiles",
        "Nothing is said of rounding",
    ):
        assert words in run.out, run.out


@pytest.mark.parametrize("named", ["far-jump", "ember-court/far-jump", "ember-court/calculator/far-jump"])
def test_calc_json_has_inputs_result_steps_and_citation(court: Path, named: str) -> None:
    run = calc(court, named, "--json", "speed=7", "cold=YES", "wind=From Behind", "grace=ember-court/grace/bow")
    citation = {
        "document": "1 Court",
        "heading": "Bow",
        "quote": "You bend",
        "url": "ember-court/court/#bow",
        "source": {"path": "1 Court.md", "line": 9, "end_line": 9},
    }
    assert json.loads(run.out) == {
        "id": "ember-court/calculator/far-jump",
        "inputs": {"speed": 7, "grace": "ember-court/grace/bow", "cold": True, "wind": "from behind", "others": []},
        "result": 5.5,
        "unit": "tiles",
        "steps": [{"name": "half", "value": 3.5, "citation": citation}],
        "citation": citation,
    }


def test_integral_results_are_integers_in_calc_json(court: Path) -> None:
    assert '"result": 4,' in calc(court, "share", "--json").out


REFUSED = {
    "no such calculator": (("far-jmup",), 'there is no calculator "far-jmup": did you mean "far-jump"?'),
    "nothing like it": (("xyz",), "kismet calc lists them all"),
    "another game": (("kismet/far-jump",), "there is no calculator"),
    "no such input": (("far-jump", "sped=7"), 'unknown input "sped": did you mean "speed"?'),
    "too much": (("far-jump", "speed=21"), "speed cannot be 21: Speed takes a whole number from 0 to 20 tiles"),
    "not whole": (("far-jump", "speed=6.5"), "a whole number from 0 to 20"),
    "not a number": (("far-jump", "speed=NaN"), "a whole number from 0 to 20"),
    "endless": (("far-jump", "speed=1e999"), "a whole number from 0 to 20"),
    "beyond what is exact": (("far-jump", "speed=9007199254740993"), "a whole number from 0 to 20"),
    "nothing": (("far-jump", "speed="), "a whole number from 0 to 20"),
    "no value": (("far-jump", "speed"), "write name=value"),
    "two values": (("far-jump", "speed=1", "speed=2"), '"speed" has two values'),
    "no such entry": (("far-jump", "grace=wisper"), 'no Grace has this name; did you mean "whisper"?'),
    "no such entry among many": (("far-jump", "others=bow,kneel"), "others cannot be"),
    "neither yes nor no": (("far-jump", "cold=perhaps"), "true or false"),
    "no such option": (("far-jump", "wind=above"), "one of none, from ahead, from behind"),
    "no result": (("share", "guests=0"), '"share" has no result for these values: division by zero'),
    "no library": (("share", "--library", "nowhere"), "nowhere"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_invalid_calc_arguments_are_a_usage_error_in_one_line(court: Path, name: str) -> None:
    arguments, expected = REFUSED[name]
    run = calc(court, *arguments)
    assert run.status == MISUSE, run.output
    assert expected in one_line(run)


def test_calculator_runs_despite_errors_in_other_calculators(court: Path) -> None:
    file = court / "content/court/calculators/moving.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("12 / guests", "12 / gusts"), encoding="utf-8")
    assert kismet("check", cwd=court).status == CONTENT
    assert calc(court, "far-jump", "speed=2").status == CLEAN
    run = calc(court, "share", "guests=2")
    assert run.status == CONTENT
    assert "moving.yaml:27:17" in run.err
    assert '"gusts"' in run.err


def test_bundled_calculators_run_without_a_library(tmp_path: Path) -> None:
    run = kismet("calc", "kismet/tier-of-power", "level=5", "--json", cwd=tmp_path)
    assert json.loads(run.out)["result"] == 3


def test_calculators_are_loaded_from_the_folder_of_the_game_file(court: Path, tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "1 Court.md").write_text(TEXT, encoding="utf-8")
    game = court / "content/court/game.yaml"
    assert kismet("build", tmp_path / "vault", "--game", game, "--out", tmp_path / "public").status == CLEAN
    data = json.loads((tmp_path / "public/data/ember-court/calculators.json").read_text(encoding="utf-8"))
    assert [calculator["id"] for calculator in data["calculators"]] == [
        "ember-court/calculator/far-jump",
        "ember-court/calculator/share",
    ]


def test_hidden_file_in_calculators_folder_is_ignored(court: Path) -> None:
    (court / "content/court/calculators/.moving.yaml").write_text("- [\n", encoding="utf-8")
    assert kismet("check", cwd=court).status == CLEAN


# --- completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_names_every_command(shell: str) -> None:
    run = kismet("completion", shell)
    assert (run.status, run.err) == (CLEAN, "")
    assert all(word in run.out for word in ("serve", "publish", "verify", "keep-going", "sarif"))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["bu"], ["build"]),
        (["check", "--fo"], ["--format"]),
        (["check", "--format", "sa"], ["sarif"]),
        (["data", "v"], ["verify"]),
        (["build", "rul"], ["rules"]),
        (["build", "--game", "rul"], ["rules"]),
    ],
    ids=" ".join,
)
@pytest.mark.skipif(shutil.which("bash") is None, reason=NOT_HERE + "bash")
def test_bash_completes_commands_values_and_paths(tmp_path: Path, words: list[str], expected: list[str]) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "kismet.bash").write_text(kismet("completion", "bash").out, encoding="utf-8")
    script = f"""
        source kismet.bash
        COMP_WORDS=({shlex.join(["kismet", *words])}) COMP_CWORD={len(words)}
        $(complete -p kismet | sed 's/.*-F \\([^ ]*\\).*/\\1/') kismet
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    bash = subprocess.run(["bash", "--norc", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert bash.stdout.split() == expected, bash.stderr


# --- explain and new


def test_explain_prints_the_manual_page_of_a_code() -> None:
    run = kismet("explain", "unresolved-link")
    assert run.status == CLEAN
    assert run.out.startswith("# unresolved-link\n\nSeverity: warning\n")


def test_explain_lists_every_code() -> None:
    run = kismet("explain")
    assert run.status == CLEAN
    codes = [line.split()[0] for line in run.out.splitlines()]
    assert codes == sorted(codes)
    assert {"duplicate-id", "invalid-game", "unresolved-link"} <= set(codes)


def test_explain_suggests_the_nearest_code() -> None:
    run = kismet("explain", "unresolved-lnik")
    assert run.status == MISUSE
    assert '"unresolved-link"' in one_line(run)


def test_new_library_builds_without_diagnostics(tmp_path: Path) -> None:
    assert kismet("new", "mine", cwd=tmp_path).status == CLEAN
    run = kismet("build", "mine", "--strict", cwd=tmp_path)
    assert (run.status, run.err) == (CLEAN, "")


@pytest.mark.parametrize("options", [(), ("--from", "Salt & Bone")])
def test_command_that_new_prints_runs_as_it_is_printed(tmp_path: Path, options: tuple[str, ...]) -> None:
    write_files(tmp_path / "Salt & Bone", {"Fen.md": "A damp place.\n"})
    printed = kismet("new", "my game", *options, cwd=tmp_path).out.partition("; try: kismet ")[2]
    assert kismet(*shlex.split(printed), cwd=tmp_path).status == CLEAN


def test_new_does_not_write_to_a_folder_with_files(library: Path) -> None:
    before = tree(library)
    assert kismet("new", library).status == MISUSE
    assert tree(library) == before


def test_version_option_prints_the_version() -> None:
    from kismet_build import __version__

    assert kismet_process("--version").out == f"kismet-build {__version__}\n"

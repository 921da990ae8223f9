"""`kismet publish` writes a workflow that finds its files; the files for hosts of this repository name what exists."""

import json
import os
import re
import subprocess
from pathlib import Path
from shutil import which
from typing import Any

import pytest
import yaml

from kismet_build.config.data_file import schema_validator
from tests.command import ROOT, kismet, skip_without, write_files
from tests.small_library import write_library

WORKFLOW = ".github/workflows/kismet.yml"
UNTRUSTED = "${{ github.event_name == 'pull_request' && '--untrusted' || '' }}"
"""The option for pull requests, which may come from anybody."""
PUBLISH = ("publish", "--to", "github-pages")
ADDRESS = "git+https://code.example/kismet"
SPEC = ("--requirement", ADDRESS)
NOTES = {f"Moves/{name}.md": "---\nharm: 1\narmor: 2\n---\n\nWords.\n" for name in ("Bow", "Cut", "Run")}
"""A vault with one kind."""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    remote = '[remote "origin"]\n\turl = git@github.com:Ember/Court.Rules.git\n'
    write_files(tmp_path / "clone", {".git/config": remote})
    write_library(tmp_path / "clone" / "my rules")
    return tmp_path / "clone"


def read(repository: Path) -> Any:
    return yaml.safe_load((repository / WORKFLOW).read_text(encoding="utf-8"))


def test_workflow_names_the_library_from_the_root_of_the_repository(repository: Path) -> None:
    run = kismet(*PUBLISH, ".", *SPEC, cwd=repository / "my rules")
    assert run.status == 0, run.output
    assert read(repository)["env"] == {
        "REQUIREMENT": ADDRESS,
        "LIBRARY": "my rules",
        "GAME": "",
        "UNTRUSTED": UNTRUSTED,
    }
    assert run.out.splitlines() == [
        f"the workflow is in {WORKFLOW}",
        '1. on GitHub, choose Settings > Pages > Source: "GitHub Actions" '
        "(https://github.com/Ember/Court.Rules/settings/pages)",
        "2. commit the workflow and push it",
        "3. the Actions tab shows the run; when it is finished, the site is online: https://ember.github.io/Court.Rules/",
    ]


def test_without_requirement_the_author_is_asked_for_it_and_nothing_is_written(repository: Path) -> None:
    for arguments in ((*PUBLISH, "my rules"), (*PUBLISH, "my rules", "--bundle"), ("new", "lantern", "--publish")):
        run = kismet(*arguments, cwd=repository)
        assert (run.status, run.out) == (2, "")
        assert run.err.startswith("kismet: name what the host installs: --requirement git+https://...")
        assert run.err.count("\n") == 1
    assert {path.name for path in repository.iterdir()} == {".git", "my rules"}


def test_an_author_who_uses_the_action_gets_the_workflow_from_the_same_repository(repository: Path) -> None:
    step = "steps:\n  - uses: actions/checkout@v4\n  - uses: Ember/kismet-build@v0.1.0 # the rules\n"
    write_files(repository, {".github/workflows/rules.yml": step})
    assert kismet(*PUBLISH, "my rules", cwd=repository).status == 0
    assert read(repository)["env"]["REQUIREMENT"] == "git+https://github.com/Ember/kismet-build@v0.1.0"
    assert kismet(*PUBLISH, "my rules", *SPEC, "--force", cwd=repository).status == 0
    assert read(repository)["env"]["REQUIREMENT"] == ADDRESS


def test_content_or_else_the_present_folder_is_published(repository: Path) -> None:
    assert kismet(*PUBLISH, *SPEC, cwd=repository).status == 0
    assert read(repository)["env"]["LIBRARY"] == "."
    (repository / "my rules").rename(repository / "content")
    assert kismet(*PUBLISH, *SPEC, "--force", cwd=repository).status == 0
    assert read(repository)["env"]["LIBRARY"] == "content"


def test_wheel_and_game_file_are_named_from_the_root(repository: Path) -> None:
    (repository / "my rules" / "1 Court.md").rename(repository / "1 Court.md")
    write_files(repository, {"wheels/kismet_build-1-py3-none-any.whl": b""})
    options = ("--game", "my rules/game.yaml", "--requirement", "wheels/kismet_build-1-py3-none-any.whl")
    run = kismet(*PUBLISH, ".", *options, cwd=repository)
    assert run.status == 0, run.output
    assert read(repository)["env"] == {
        "REQUIREMENT": "./wheels/kismet_build-1-py3-none-any.whl",
        "LIBRARY": ".",
        "GAME": "my rules/game.yaml",
        "UNTRUSTED": UNTRUSTED,
    }


def test_a_changed_workflow_stays_until_force(repository: Path) -> None:
    assert kismet(*PUBLISH, "my rules", *SPEC, cwd=repository).status == 0
    file = repository / WORKFLOW
    written = file.read_bytes()
    again = kismet(*PUBLISH, "my rules", *SPEC, cwd=repository)
    assert (again.status, again.out.splitlines()[0]) == (0, f"{WORKFLOW} already exists and is up to date")
    file.write_bytes(b"name: mine\n")
    refused = kismet(*PUBLISH, "my rules", *SPEC, cwd=repository)
    assert refused.status == 2
    assert "already exists with other content, so it is unchanged (--force replaces it)" in refused.err
    assert file.read_bytes() == b"name: mine\n"
    assert kismet(*PUBLISH, "my rules", *SPEC, "--force", cwd=repository).status == 0
    assert file.read_bytes() == written


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere", *SPEC), 'there is no folder "nowhere"'),
        (("my rules", "--requirement", "no.whl"), 'the wheel "no.whl" was not found'),
        (("my rules", "--requirement", "../other.whl"), "is not in the repository"),
        (("my rules", "--requirement", "${{ secrets.A }}"), "GitHub replaces expressions that begin with ${{"),
        (("my rules", *SPEC, "--game", "nobody"), 'there is no game file "nobody"'),
        (("../outside",), "is not in a Git repository"),
    ],
)
def test_what_the_workflow_could_not_use_is_a_usage_error(
    repository: Path, arguments: tuple[str, ...], message: str
) -> None:
    write_files(repository.parent, {"other.whl": b"", "outside/A.md": "Words.\n"})
    run = kismet(*PUBLISH, *arguments, cwd=repository)
    assert run.status == 2
    assert message in run.err
    assert len(run.err.splitlines()) == 1
    assert not (repository / WORKFLOW).exists()


def test_broken_library_is_reported_and_gets_no_workflow(repository: Path) -> None:
    write_files(repository, {"my rules/game.yaml": "id: x\n"})
    run = kismet(*PUBLISH, "my rules", *SPEC, cwd=repository)
    assert run.status == 2
    assert "error[invalid-game]" in run.err
    assert not (repository / WORKFLOW).exists()


def test_new_with_publish_writes_the_definition_of_a_vault_and_its_workflow(repository: Path) -> None:
    vault = write_files(repository / "vault", NOTES)
    before = kismet("build", vault, "--out", repository.parent / "before", cwd=repository)
    run = kismet("new", "--from", "vault", "--publish", *SPEC, cwd=repository)
    assert run.status == 0, run.output
    assert f"the workflow is in {WORKFLOW}" in run.out
    assert (vault / "game.yaml").is_file()
    assert read(repository)["env"]["LIBRARY"] == "vault"
    after = kismet("build", vault, "--out", repository.parent / "after", cwd=repository)
    assert after.out.splitlines()[0] == before.out.splitlines()[0] == "Vault: 3 chapters, 3 entities"
    again = kismet("new", "--from", "vault", "--publish", *SPEC, cwd=repository)
    assert (again.status, again.err.splitlines()[-1]) == (2, 'kismet: "vault" has a game.yaml')


def test_new_with_publish_writes_nothing_outside_a_repository(tmp_path: Path) -> None:
    run = kismet("new", "lantern", "--publish", cwd=tmp_path)
    assert run.status == 2
    assert "git init" in run.err
    assert [*tmp_path.iterdir()] == []


def test_address_of_the_site_may_be_an_option_of_build(tmp_path: Path) -> None:
    library = write_library(tmp_path / "court")
    write_files(library, {"library.yaml": "url: https://old.example/\n"})
    out = tmp_path / "public"
    for option, address in (
        (("--url", "https://ember.github.io/rules"), "https://ember.github.io/rules/"),
        (("--url", ""), "https://old.example/"),
    ):
        assert kismet("build", library, "--out", out, *option).status == 0
        assert f"<loc>{address}ember-court/</loc>" in (out / "sitemap.xml").read_text(encoding="utf-8")
    assert kismet("build", library, "--out", out, "--url", "ember.github.io").status == 2


# --- schemas for editors


@pytest.mark.parametrize("source", ["starter", "vault"])
def test_each_data_file_of_a_new_library_names_a_schema_that_accepts_it(tmp_path: Path, source: str) -> None:
    options = ("--from", write_files(tmp_path / "vault", NOTES)) if source == "vault" else ()
    assert kismet("new", *options, "mine", "--vscode", cwd=tmp_path).status == 0
    files = [file for file in (tmp_path / "mine").rglob("*.yaml") if not file.parent.name.startswith(".")]
    assert len(files) >= 2
    for file in files:
        text = file.read_text(encoding="utf-8")
        modeline = re.match(r"# yaml-language-server: \$schema=(\S+)\n", text)
        assert modeline, file
        schema = json.loads((file.parent / modeline[1]).read_text(encoding="utf-8"))
        assert schema_validator(schema)(yaml.safe_load(text)), file
    settings = json.loads((tmp_path / "mine/.vscode/settings.json").read_text(encoding="utf-8"))["yaml.schemas"]
    assert all((tmp_path / "mine" / path).is_file() for path in settings)
    assert "/calculators/*.yaml" in settings["./.schemas/calculator.schema.json"]


def test_settings_of_vs_code_are_written_only_if_asked_for(tmp_path: Path) -> None:
    assert kismet("new", "mine", cwd=tmp_path).status == 0
    assert not (tmp_path / "mine/.vscode").exists()


# --- files for hosts in this repository


def steps(job: Any) -> list[Any]:
    return [step for step in job["steps"] if "uses" in step]


def test_every_action_is_pinned_to_a_commit(repository: Path) -> None:
    used = [step["uses"] for step in steps(yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["runs"])]
    for options in ((), ("--bundle", "--force")):
        assert kismet(*PUBLISH, "my rules", *SPEC, *options, cwd=repository).status == 0
        used += [step["uses"] for job in read(repository)["jobs"].values() for step in steps(job)]
    assert len(used) == 17
    assert all(re.fullmatch(r"(actions|pypa)/[a-z-]+@[0-9a-f]{40}", action) for action in used)
    # One version of each.
    assert len({*used}) == len({action.partition("@")[0] for action in used})


def test_action_installs_its_own_checkout_and_calls_existing_commands() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    runs = [step["run"] for step in action["runs"]["steps"] if "run" in step]
    assert runs[0] == 'python -m pip install "$GITHUB_ACTION_PATH"'
    assert [run.split()[:2] for run in runs[1:] if "gh " not in run] == [["kismet", "check"], ["kismet", "build"]]
    values = [value for step in action["runs"]["steps"] for value in step.get("env", {}).values()]
    assert {*re.findall(r"inputs\.(\w+)", " ".join(values))} == set(action["inputs"])


# --- releases


def step_of(job: Any, name: str) -> Any:
    return next(step for step in job["steps"] if step.get("name") == name)


@pytest.fixture
def jobs(repository: Path) -> Any:
    run = kismet(*PUBLISH, "my rules", *SPEC, "--bundle", cwd=repository)
    assert run.status == 0, run.output
    assert run.out.splitlines()[-1].startswith("4. to release the data, set the version in game.yaml")
    return read(repository)["jobs"]


def test_a_tag_is_released_and_goes_to_registries_only_if_the_author_says_so(jobs: Any) -> None:
    conditions = {name: job.get("if", "") for name, job in jobs.items() if name not in ("build", "deploy")}
    assert conditions == {
        "release": "github.ref_type == 'tag'",
        "npm": "github.ref_type == 'tag' && vars.PUBLISH_TO_NPM == 'true'",
        "pypi": "github.ref_type == 'tag' && vars.PUBLISH_TO_PYPI == 'true'",
    }
    # Each job has only the permissions that it needs: the one that runs the author's build cannot write on GitHub.
    assert jobs["build"]["permissions"] == {"contents": "read", "pages": "read"}
    assert jobs["release"]["permissions"] == {"contents": "write"}
    assert jobs["npm"]["permissions"] == jobs["pypi"]["permissions"] == {"id-token": "write"}
    assert step_of(jobs["build"], "Build")["run"].endswith(" --bundle $RELEASE")


def test_without_bundle_the_workflow_does_not_mention_releases(repository: Path) -> None:
    assert kismet(*PUBLISH, "my rules", *SPEC, cwd=repository).status == 0
    text = (repository / WORKFLOW).read_text(encoding="utf-8")
    assert not re.search(r"release|bundle|npm|pypi|%%", text, re.IGNORECASE)
    assert [*read(repository)["jobs"]] == ["build", "deploy"]


def test_the_action_releases_with_the_same_scripts_as_the_workflow(jobs: Any) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["runs"]
    name = "Get the released data"
    ours, theirs = step_of(action, name), step_of(jobs["build"], name)
    assert ours["run"] == theirs["run"]
    assert ours["env"]["LATEST"] == theirs["env"]["LATEST"]
    name = "Attach the bundles to the release of this tag"
    assert step_of(action, name)["run"].splitlines()[::3] == step_of(jobs["release"], name)["run"].splitlines()[::3]


GH = """\
#!/bin/sh
echo "$*" >> calls
case "$1" in
  api) shift 3; jq --raw-output "$1" releases.json;;
  release) test "$2" != view;;
esac
"""
"""A program that answers like `gh`, and notes how it was called."""


def release(tag: str, *assets: str, draft: bool = False, prerelease: bool = False) -> dict[str, object]:
    files = [{"name": asset} for asset in assets]
    return {"tag_name": tag, "draft": draft, "prerelease": prerelease, "assets": files}


@pytest.mark.parametrize(
    ("releases", "options", "calls"),
    [
        ([], "--release", 1),
        ([release("v1", "notes.txt")], "--release", 1),
        (
            [
                release("v5", "court.zip", draft=True),
                release("v4", "court.zip", prerelease=True),
                release("v3", "court.tgz"),
                release("v2", "court.zip"),
                release("v1", "court.zip"),
            ],
            "--against {}/released",
            2,
        ),
    ],
)
def test_a_release_is_compared_with_the_latest_one_that_has_bundles(
    jobs: Any, tmp_path: Path, releases: list[object], options: str, calls: int
) -> None:
    if not which("jq"):
        skip_without("jq")
    step = step_of(jobs["build"], "Get the released data")
    write_files(tmp_path, {"bin/gh": GH, "releases.json": json.dumps(releases)})
    (tmp_path / "bin" / "gh").chmod(0o755)
    environment = {
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "LATEST": step["env"]["LATEST"],
        "GITHUB_REPOSITORY": "ember/court",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "RUNNER_TEMP": str(tmp_path),
    }
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, timeout=60)
    assert (tmp_path / "output").read_text() == f"options={options.format(tmp_path)}\n"
    called = (tmp_path / "calls").read_text().splitlines()
    assert len(called) == calls
    if calls == 2:
        assert called[1].startswith("release download v2 --repo ember/court ")


def test_hook_of_pre_commit_calls_an_existing_command(tmp_path: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    program, *arguments = hook["entry"].split()
    assert program == "kismet"
    assert kismet(*arguments, write_library(tmp_path / "court")).status == 0
    for name in ("1 Court.md", "game.yaml", "kinds/grace.yml", "rules.adoc"):
        assert re.search(hook["files"], name)


def test_dockerfile_copies_what_exists_and_all_that_the_package_needs() -> None:
    # Docker is not available here: this test and CONTRIBUTING.md list what was tried manually.
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = [path for line in lines if line.startswith("COPY ") for path in line.split()[1:-1]]
    assert all((ROOT / path).exists() for path in copied)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    needed = re.findall(r'^"(\w+)" = "kismet_build/shipped/', project, re.MULTILINE)
    assert {"kismet_build", "pyproject.toml", "README.md", "LICENSE", *needed} <= set(copied)
    required = [*re.findall(r"--requirement (\S+)", "\n".join(lines))]
    assert required == [".ci/requirements.txt"]

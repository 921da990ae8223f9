"""Sources: which one reads a folder, and what one from another package can and cannot do."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from kismet_build.cli.build_part import BUILDERS
from kismet_build.cli.command import COMMANDS
from tests.command import CONTENT, ROOT, Run, kismet, kismet_process, tree, write_files
from tests.stages.output.test_exports import install

SECRET = "the dragon is the king"

PAGE = (CONTENT / "docs/how-to/write-a-source.md").read_text(encoding="utf-8")
SCROLL = PAGE.partition("```python\n")[2].partition("```")[0]
SITE = {
    "scroll.toml": 'title = "Isles"\nunpublished = ["plan.md"]\n',
    "library.yaml": "source: scroll\n",
    "texts/index.md": "# Isles\n\nWelcome.\n",
    "texts/crew.md": "---\nposition: 2\n---\n# Crew\n\nThe crew sings.\n",
    "texts/ship.md": "---\nposition: 1\n---\n# Ship\n\nA ship.\n",
    "texts/plan.md": f"# Plan\n\n{SECRET}\n",
    "texts/draft.md": f"---\ndraft: true\n---\n# Draft\n\n{SECRET}\n",
    "texts/gm.md": f"---\naudience: gm\n---\n# For the GM\n\n{SECRET}\n",
}


HANG = "from kismet_build.model import watchdog\n    watchdog.MAX_SECONDS = 0.1\n    while True: pass\n    "


def build(folder: Path, code: str = SCROLL, *options: str) -> Run:
    install(folder / "packages", "kismet-scroll", code, sources={"scroll": "scroll"})
    path = f"{ROOT}:{folder / 'packages'}"
    return kismet_process(
        "build", folder / "site", "--out", folder / "out", "--no-cache", *options, env={"PYTHONPATH": path}
    )


def test_a_source_of_another_package_describes_a_site(tmp_path: Path) -> None:
    write_files(tmp_path / "site", SITE)
    run = build(tmp_path)
    assert run.status == 0, run.output
    assert "this is a site for Scroll: its 5 texts are in" in run.out
    out = tree(tmp_path / "out")
    text = out["site-text/llms-full.txt"].decode()
    assert text.index("A ship.") < text.index("The crew sings."), "in the order of the property that the source names"
    assert not [path for path, content in out.items() if SECRET.encode() in content]
    # No site may show what the table of private texts hides.
    code = SCROLL.replace('frozenset(("players",))', 'frozenset(("players", "gm"))')
    assert build(tmp_path, code).status == 0
    assert [path for path, content in tree(tmp_path / "out").items() if b"gm" in path.encode()]
    assert not [path for path in tree(tmp_path / "out") if "draft" in path]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("return Vault(", 'raise KeyError("a") or Vault(', "the source \"scroll\" failed (KeyError: 'a')"),
        ("return Vault(", "exit(3) or Vault(", 'the source "scroll" failed (SystemExit: 3)'),
        ("return Vault(", f"{HANG}return Vault(", "failed (TooSlow: it took more than"),
        ("return Vault(", "return dict(", 'the source "scroll" must return a Vault, not dict'),
        ('parent / (configuration.closed_path("texts") or "texts")', "parent.parent", "is outside of this folder"),
        (
            'VaultSource(("scroll.toml",), read)',
            "read",
            "is not a VaultSource: kismet_scroll:scroll",
        ),
        ("from kismet_build.config.privacy", "from kismet_build.config.no_privacy", "cannot be loaded"),
        ('("scroll.toml",)', '("roll.toml",)', "there is no project file for the texts"),
    ],
)
def test_a_source_that_fails_gives_one_line_and_the_old_pages_stay(
    old: str, new: str, reason: str, tmp_path: Path
) -> None:
    write_files(tmp_path / "site", SITE)
    assert build(tmp_path).status == 0
    before = tree(tmp_path / "out")
    assert old in SCROLL
    run = build(tmp_path, SCROLL.replace(old, new))
    assert (run.status, run.err.count("\n")) == (2, 1), run.output
    assert reason in run.err
    assert tree(tmp_path / "out") == before


def test_only_a_source_that_is_named_runs_and_none_of_others_for_strangers(tmp_path: Path) -> None:
    write_files(tmp_path / "site", {**SITE, "library.yaml": "source: folder\nexclude: [plan.md, gm.md]\n"})
    run = build(tmp_path, "raise SystemExit('imported')\n")
    assert run.status == 0, run.output
    write_files(tmp_path / "site", {"library.yaml": "source: scroll\n"})
    run = build(tmp_path, SCROLL, "--untrusted")
    assert run.status == 2
    assert '--untrusted reads only with the sources of kismet, and "scroll" is not one of them' in run.err


def test_a_source_that_does_not_exist_is_named_with_the_others(tmp_path: Path) -> None:
    write_files(tmp_path, {"library.yaml": "source: mkdoks\n", "Home.md": "Welcome.\n"})
    run = kismet("check", tmp_path)
    assert run.status == 2
    assert 'there is no source "mkdoks"' in run.err
    assert "mkdocs" in run.err


# --- several sources


def test_the_first_of_several_sites_is_read_and_what_any_of_them_hides_stays_hidden(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "site_name: Isles of MkDocs\ndocs_dir: docs\nexclude_docs: plan.md\n",
        "_config.yml": "title: Isles of Jekyll\nsource: docs\nexclude: [map.md]\n",
        "docs/index.md": "---\ntitle: Isles\n---\nWelcome.\n",
        "docs/plan.md": f"---\ntitle: Plan\n---\n{SECRET}\n",
        "docs/map.md": f"---\ntitle: Map\n---\n{SECRET}\n",
    }
    for chosen, other in (("MkDocs", "Jekyll"), ("Jekyll", "MkDocs")):
        write_files(tmp_path / "site", {**files, "library.yaml": f"source: {chosen.lower()}\n"})
        run = kismet("build", tmp_path / "site", "--out", tmp_path / "out")
        assert run.status == 0, run.output
        assert f"this is a site for {chosen}: its" in run.out
        out = tree(tmp_path / "out")
        assert f"Isles of {chosen}" in out["index.html"].decode()
        assert not [path for path, content in out.items() if SECRET.encode() in content]
        assert f"Isles of {other}" not in out["index.html"].decode()
    (tmp_path / "site/library.yaml").unlink()
    run = kismet("build", tmp_path / "site", "--out", tmp_path / "out")
    assert "this is a site for MkDocs: its 2 texts are in" in run.out
    assert "docs; `source: jekyll` in library.yaml reads it as Jekyll\n" in run.out


QUARTZ = 'const config = {configuration: {ignorePatterns: ["plan.md"]}}\nexport default config\n'


@pytest.mark.parametrize(
    ("settings", "folder"),
    [
        ({"mkdocs.yml": "site_name: Isles\nexclude_docs: plan.md\n"}, "docs"),
        (
            {"quartz.config.ts": 'const c = {configuration: {ignorePatterns: ["plan.md"]}}\nexport default c\n'},
            "content",
        ),
    ],
    ids=["MkDocs", "Quartz"],
)
def test_a_vault_that_is_the_folder_of_a_site_hides_what_either_hides(
    settings: dict[str, str], folder: str, tmp_path: Path
) -> None:
    files = {
        f"{folder}/.obsidian/app.json": '{"userIgnoreFilters": ["GM/"]}',
        f"{folder}/index.md": "Welcome.\n",
        f"{folder}/plan.md": SECRET,
        f"{folder}/GM/plot.md": SECRET,
    }
    write_files(tmp_path / "site", {**settings, **files})
    for path in (tmp_path / "site", tmp_path / "site" / folder):
        run = kismet("build", path, "--out", tmp_path / "out")
        assert run.out.count("this is a site for ") == 1, run.output
        assert not [path for path, content in tree(tmp_path / "out").items() if SECRET.encode() in content]


# --- sources as extensions

WITHOUT = """\
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("kismet_build.extensions"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
"""


@pytest.fixture
def without(tmp_path: Path) -> Mapping[str, str]:
    """The environment of a process that cannot import any extension."""
    write_files(tmp_path, {"start/sitecustomize.py": WITHOUT})
    return {"PYTHONPATH": f"{tmp_path / 'start'}:{ROOT}"}


def test_without_the_extensions_a_vault_is_built_and_their_sites_are_never_plain_folders(
    tmp_path: Path, without: Mapping[str, str]
) -> None:
    vault = write_files(tmp_path / "vault", {"Home.md": "Welcome.\n", "Map.md": "A map.\n"})
    book = write_files(tmp_path / "book", {"book.toml": "[book]\n", "src/SUMMARY.md": "", "src/plan.md": SECRET})
    for folder, status in ((vault, 0), (book, 2)):
        run = kismet_process("build", folder, "--out", tmp_path / "out", env=without)
        assert run.status == status, run.output
    assert 'book.toml: the source "mdbook" of kismet is not installed' in run.err
    assert "vault/map/index.html" in tree(tmp_path / "out")
    run = kismet_process("build", vault, "--out", tmp_path / "out", "--book", "pdf", env=without)
    assert run.status == 2
    assert 'the book format "pdf" of kismet is not installed' in run.err


def test_without_the_extensions_their_commands_are_not_in_the_help_and_all_others_are(
    without: Mapping[str, str],
) -> None:
    shown = kismet("--help").out
    kept = kismet_process("--help", env=without)
    gone = [name for name, function in COMMANDS.ours.items() if function.startswith("kismet_build.extensions.")]
    assert kept.status == 0
    assert kept.out.splitlines() == [line for line in shown.splitlines() if line.split()[:1] not in [[n] for n in gone]]
    for name in re.findall(r"^    ([a-z]+)  ", shown, re.MULTILINE):
        run = kismet_process(name, "--help", env=without)
        if name in gone:
            assert (run.status, run.err.count("\n")) == (2, 1)
            assert f'the command "{name}" of kismet is not installed' in run.err
        elif name != "build":
            assert (run.status, run.out) == (0, kismet(name, "--help").out)


def test_without_the_extensions_a_build_lacks_their_options(without: Mapping[str, str]) -> None:
    options = [f"--{name}" for name, part in BUILDERS.ours.items() if part.startswith("kismet_build.extensions.")]
    run = kismet_process("build", "--help", env=without)
    assert run.status == 0
    for option in options:
        assert option in kismet("build", "--help").out
        assert option not in run.out
        run_with = kismet_process("build", option, "x", env=without)
        assert (run_with.status, run_with.err.count("\n")) == (2, 1)
        assert f'the builder "{option[2:]}" of kismet is not installed' in run_with.err

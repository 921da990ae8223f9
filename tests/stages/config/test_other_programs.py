"""What other programs say about private texts is obeyed, or nothing is built: generators, Quartz, gardens, Git."""

import json
from contextlib import nullcontext
from pathlib import Path

import pytest

from kismet_build.config.data_file import UsageError
from kismet_build.config.load_library import load_library
from kismet_build.model.diagnostic import ignore
from tests.command import Run, kismet, tree, write_files

SECRET, PUBLIC = "zyxquark", "lanternlight"


def build(folder: Path, files: dict[str, str], path: str = "") -> Run:
    return kismet("build", write_files(folder / "vault", files) / path, "--out", folder / "out")


def shows(folder: Path, word: str) -> bool:
    return any(word.encode() in content for content in tree(folder / "out").values())


# --- generators whose settings kismet does not read

UNREAD = {
    "docusaurus.config.ts": "export default {}",
    "docusaurus.config.js": "",
    "retype.yml": "",
    "retype.json": "{}",
    "antora.yml": "name: x",
    ".gitbook.yaml": "root: docs",
    "quartz.plugins.json": "{}",
    "index.html": "<script>window.$docsify = {name: 'x'}</script>",
    ".eleventyignore": "docs/Plan.md",
    "astro.config.mjs": "",
    ".vitepress/config.mts": "",
    "_quarto.yml": "",
    "myst.yml": "",
    "pelicanconf.py": "",
    "dendron.yml": "",
    "conf.py": "exclude_patterns = []",
    "zola.toml": "",
}


@pytest.mark.parametrize("path", ["", "docs"])
@pytest.mark.parametrize("name", UNREAD)
def test_their_settings_stop_the_build_until_the_author_says_what_decides(name: str, path: str, tmp_path: Path) -> None:
    files = {name: UNREAD[name], "library.yaml": "exclude: [docs/Plan.md]"}
    files |= {"docs/Home.md": PUBLIC, "docs/Plan.md": SECRET, ".git/HEAD": "ref"}
    run = build(tmp_path, files, path)
    assert (run.status, run.err.count("\n")) == (2, 1)
    assert name.partition("/")[0] in run.err
    assert "write `source: folder` in library.yaml" in run.err
    assert not (tmp_path / "out").exists()
    run = build(tmp_path, {"library.yaml": "source: folder\nexclude: [docs/Plan.md]"}, path)
    assert run.status == 0, run.output
    assert shows(tmp_path, PUBLIC)
    assert not shows(tmp_path, SECRET)


@pytest.mark.parametrize(
    "files",
    [
        {"SUMMARY.md": "- [Home](Home.md)", "_sidebar.md": "- [Home](Home.md)"},
        {"index.html": "<p>Hello</p>"},
        {"Home.md": PUBLIC, "site/docusaurus.config.ts": "", "site/docs/Home.md": "words"},
        {"../docusaurus.config.ts": "export default {}"},
        {"config.yml": "a: b", "config.toml": "broken ["},
    ],
    ids=["lists of a wiki", "a web page", "a site elsewhere in the vault", "a site beside the vault", "other programs"],
)
def test_what_stops_nothing(files: dict[str, str], tmp_path: Path) -> None:
    run = build(tmp_path, {"Home.md": PUBLIC, **files})
    assert run.status == 0, run.output
    assert shows(tmp_path, PUBLIC)


# --- Quartz

CONFIGURATION = """\
// %s
import { QuartzConfig } from "./quartz/cfg"
const config: QuartzConfig = {
  configuration: {
    pageTitle: "Isles",
    locale: (() => "en")(),
    ignorePatterns: IGNORED,
    theme: { fontOrigin: `${"a"}`, colors: { ...light } },
  },
  plugins: {
    transformers: [Plugin.Latex({ renderEngine: "katex" }), /[/'"]/.test("x") ? a : b],
    filters: FILTERS,
  },
}
BELOW
"""
NOTES = {
    "content/Home.md": PUBLIC,
    "content/Plan.md": SECRET,
    "content/plots/Plan.md": SECRET,
    "content/plots/deep/Plan.md": SECRET,
}


def quartz(ignored: str = "[]", filters: str = "[]", below: str = "export default config") -> str:
    return CONFIGURATION.replace("IGNORED", ignored).replace("FILTERS", filters).replace("BELOW", below)


@pytest.mark.parametrize(
    ("patterns", "hidden"),
    [
        ('["plots", "Plan.md"]', 3),
        ("['plots/**', 'Plan.md']", 3),
        ("['**/Plan.md',]", 3),
        ("['Plan.md']", 1),
        ("['{plots,Plan.md}']", 3),
        ("['plots/*.md']", 1),
        ("['./plots']", 2),
        ("['P?an.md']", 1),
        ("['deep']", 0),
        ("['@(plots|Plan.md)']", 3),
        ("['!(plots)']", 2),
        ("['plots/!(deep)']", 1),
        ("['']", 4),
    ],
)
def test_patterns_of_quartz_are_those_of_globby_from_the_folder_of_the_texts(
    patterns: str, hidden: int, tmp_path: Path
) -> None:
    run = build(tmp_path, {"quartz.config.ts": quartz(patterns), **NOTES, "docs/Home.md": SECRET, "README.md": SECRET})
    assert run.status == 0, run.output
    assert shows(tmp_path, SECRET) == (hidden < 3)
    assert (f"{hidden} private text" in run.out) == bool(hidden)


@pytest.mark.parametrize("below", ["export default config", "export default config;", "export default {FULL}"])
def test_only_what_is_exported_counts(below: str, tmp_path: Path) -> None:
    text = quartz("['plots', 'Plan.md']")
    if below.endswith("{FULL}"):
        text = text.replace("const config: QuartzConfig = ", "export default ").replace(
            "\nexport default config\n", "\n"
        )
        text = text.replace("BELOW", "").replace("export default {FULL}", "")
    run = build(tmp_path, {"quartz.config.ts": text if "FULL" in below else text + ";", **NOTES})
    assert run.status == 0, run.output
    assert not shows(tmp_path, SECRET)


@pytest.mark.parametrize(
    "text",
    [
        quartz("[...shared, 'plots']"),
        quartz("patterns"),
        quartz("read('x')"),
        quartz("isDraft ? ['a'] : []"),
        quartz("['plots'].concat(['a'])"),
        quartz("[`plots`]"),
        quartz("['plots'] as string[]"),
        quartz("['pl\\x6fts']"),
        quartz("['plots', name]"),
        quartz(filters="[Plugin.RemoveDrafts(), Mine()]"),
        quartz(filters="[Plugin.ExplicitPublish({ x: 1 })]"),
        quartz(filters="filters"),
        quartz(below="config.configuration.ignorePatterns = []\nexport default config"),
        quartz(below="export default defineConfig(config)"),
        quartz(below="export default {...config}"),
        quartz(below="module.exports = config"),
        quartz().replace("ignorePatterns:", '["ignorePatterns"]:'),
        quartz().replace("ignorePatterns:", "...more, ignorePatterns:"),
        quartz().replace("ignorePatterns: []", "ignorePatterns: [], ignorePatterns: ['a']"),
        quartz().replace("ignorePatterns: []", "ignorePatterns"),
        quartz().replace("ignorePatterns: []", "get ignorePatterns() { return [] }"),
        quartz().replace("filters: []", "filters() {}"),
        "export default {",
        "",
    ],
)
def test_what_is_computed_in_quartz_stops_the_build(text: str, tmp_path: Path) -> None:
    run = build(tmp_path, {"quartz.config.ts": text, **NOTES})
    assert (run.status, run.err.count("\n")) == (2, 1)
    assert "quartz.config.ts:" in run.err
    assert "so kismet cannot tell which texts are private" in run.err


def test_content_of_quartz_that_leads_elsewhere_is_named(tmp_path: Path) -> None:
    vault = write_files(tmp_path / "notes", {"Home.md": PUBLIC})
    site = write_files(tmp_path / "vault", {"quartz.config.ts": quartz()})
    (site / "content").symlink_to(vault)
    run = build(tmp_path, {})
    assert run.status == 2
    assert f'build "{vault}"' in run.err


@pytest.mark.parametrize("where", [".gitignore", "content/.gitignore", "content/plots/.gitignore", ".git/info/exclude"])
def test_quartz_publishes_nothing_that_git_ignores(where: str, tmp_path: Path) -> None:
    lines = "Plan.md\n" if "plots" not in where else "*\n!Home.md\n"
    run = build(
        tmp_path,
        {"quartz.config.yaml": "plugins: []", ".git/HEAD": "ref", **NOTES, "content/Plan.md": PUBLIC, where: lines},
    )
    assert run.status == 0, run.output
    assert not shows(tmp_path, SECRET)
    assert shows(tmp_path, PUBLIC)


# --- Digital Garden


def test_a_garden_in_which_no_note_is_published_stops(tmp_path: Path) -> None:
    run = build(tmp_path, {".obsidian/community-plugins.json": '["digitalgarden"]', "Home.md": PUBLIC})
    assert run.status == 2
    assert "all texts are without dg-publish: true, so nothing would be published" in run.err
    run = build(tmp_path, {"library.yaml": "source: folder"})
    assert run.status == 0
    assert shows(tmp_path, PUBLIC)


def test_filters_of_a_garden_stop_the_build(tmp_path: Path) -> None:
    """They may leave out parts of notes."""
    filters = json.dumps({"customFilters": [{"pattern": "@@.*?@@", "flags": "gi", "replace": ""}]})
    files = {
        ".obsidian/community-plugins.json": '["digitalgarden"]',
        ".obsidian/plugins/digitalgarden/data.json": filters,
        "Home.md": f"---\ndg-publish: true\n---\n{PUBLIC}",
    }
    run = build(tmp_path, files)
    assert run.status == 2
    assert "`customFilters` may leave out parts of notes" in run.err
    assert build(tmp_path, {"library.yaml": "source: folder"}).status == 0


def test_the_build_says_which_rule_left_texts_out(tmp_path: Path) -> None:
    files = {"Home.md": f"---\ndg-publish: true\n---\n{PUBLIC}\n", "Plan.md": SECRET, "Map.md": SECRET}
    assert "2 private texts left out (2 without dg-publish)" in build(tmp_path, files).out
    assert not shows(tmp_path, SECRET)


# --- settings that are not what they should be


@pytest.mark.parametrize(
    "name",
    [
        *(".obsidian/app.json", ".obsidian/publish.json", ".obsidian/community-plugins.json", "library.yaml"),
        *("notes/library.yaml", "mkdocs.yml", "notes/mkdocs.yml", "_config.yml", "hugo.toml", "quartz.config.ts"),
    ],
)
@pytest.mark.parametrize("kind", ["a folder", "a link", "too large", "bytes", "UTF-16"])
def test_settings_that_cannot_be_read_stop_everything(name: str, kind: str, tmp_path: Path) -> None:
    """A large file of kismet can be read."""
    write_files(tmp_path, {"notes/Home.md": PUBLIC, "content/Home.md": PUBLIC, ".obsidian/x.json": "{}"})
    file = tmp_path / name
    if kind == "a folder":
        file.mkdir()
    elif kind == "a link":
        file.symlink_to("/etc/hostname")
    elif kind == "too large":
        file.write_text("exclude: [a]\n" + "#" * 5_000_000, encoding="utf-8")
    else:
        file.write_bytes("exclude: [a]\n".encode("utf-16") if kind == "UTF-16" else b"exclude: [\xff\xfe\x00]\n")
    with nullcontext() if kind == "too large" and "library" in name else pytest.raises(UsageError):
        assert load_library(tmp_path, None, ignore).games


# --- what only looks private

INNOCENT = {
    "Ship.md": "---\ndraft: 3\nhidden: 60 ft\nshare: 1/3\n---\n",
    "Barge.md": "---\ndraft: 4 m when loaded\nstatus: hidden\naccess: by rope\n---\n",
    "Clipping.md": "---\npublished: Paizo, 2019\ncreated: 2350-01-01\ndate: 2350-06-01\n---\n",
    "Session.md": "---\ndate: 1492-03-01\nvisibility: 2 miles\nprivate: 3\npublish:\n---\n",
    "2350-01-01 Landing.md": "---\nfc-date: 2350-01-01\n---\n",
    "_drafts of letters/Letter.md": "",
    "For the GM.md": "# For the GM\n",
    "Home.md": "---\ntags: [secret-door]\ncover: {hidden: true}\n---\n",
    "Percent.md": "50%% of all, or d%% if you like.\n",
    "Code.md": "```\n%%\n```\n",
}


def test_what_only_looks_private_is_published(tmp_path: Path) -> None:
    run = build(tmp_path, {path: f"{text}\n{PUBLIC} {path}\n" for path, text in INNOCENT.items()})
    assert run.status == 0
    assert "left out" not in run.output
    pack = json.loads(tree(tmp_path / "out")["data/vault/pack.json"])
    assert all(f"{PUBLIC} {path}" in json.dumps(pack, ensure_ascii=False) for path in INNOCENT)

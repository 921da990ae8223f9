"""No setting that keeps a text private is lost on the way: wherever it stands, and whichever part of it is built.

Every vault here has a text with the secret word, which some settings keep private, and a public one.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from kismet_build.extensions.answers.rules import LibraryRules
from kismet_build.serve.served_library import ServedLibrary
from tests.command import kismet, tree, write_files
from tests.epub import OpenEpub
from tests.served_files import served_files

SECRET, PUBLIC = "zyxquark", "lanternlight"
GAME = "id: vault\ntitle: Vault\nversion: 1.0.0\nlicence: CC0 1.0\nsources: [{glob: '**/*.md'}]\n"
NO_YES = {"Secret.md": f"---\npublish:\n---\n{SECRET}\n", "Home.md": f"---\npublish: true\n---\n{PUBLIC}\n"}
"""A secret text that lacks a property."""
PLUGINS = ".obsidian/plugins"
OPEN_GARDEN = {
    ".obsidian/community-plugins.json": '["digitalgarden"]',
    f"{PLUGINS}/digitalgarden/data.json": '{"publishByDefault": true}',
}
QUARTZ = """\
const config: QuartzConfig = {
  configuration: { pageTitle: "Isles", ignorePatterns: [IGNORED] },
  plugins: { transformers: [anything(() => 3)], filters: [FILTERS] },
}
export default config
"""


class Vault(NamedTuple):
    """A vault with settings that keep a text private. Without them, the text is published."""

    files: dict[str, str]
    settings: dict[str, str]
    path: str = "."
    game: str = ""
    """The file for `--game`."""


def texts(folder: str, secret: str = "Secret.md") -> dict[str, str]:
    prefix = f"{folder}/" if folder else ""
    return {f"{prefix}{secret}": f"{SECRET}\n", f"{prefix}Home.md": f"# Home\n\n{PUBLIC} [here](<{secret}>)\n"}


def obsidian(ignored: str) -> str:
    return json.dumps({"userIgnoreFilters": [ignored]})


VAULTS = {
    "a game file outside the vault": Vault(
        {**texts("vault"), "else/game.yaml": GAME},
        {"vault/library.yaml": "exclude: [Secret.md]"},
        "vault",
        "else/game.yaml",
    ),
    "a game file elsewhere in the vault": Vault(
        {**texts("vault/Rules"), "vault/else/game.yaml": GAME},
        {"vault/library.yaml": "exclude: [Rules/Secret.md]"},
        "vault/Rules",
        "vault/else/game.yaml",
    ),
    "a folder of the vault": Vault(
        {**texts("vault/Rules"), "vault/.obsidian/app.json": "{}"},
        {"vault/library.yaml": "exclude: [Rules/S*]"},
        "vault/Rules",
    ),
    "a folder of a repository": Vault(
        {**texts("a/b/c/d/e"), ".git/HEAD": "ref"}, {"library.yml": "exclude: ['**/Secret.md']"}, "a/b/c/d/e"
    ),
    "a game file above": Vault(
        {**texts("vault/Rules"), "vault/.obsidian/app.json": "{}", "vault/game.yaml": GAME},
        {"vault/game.yaml": f"{GAME}exclude: [Rules/Secret.md]\n"},
        "vault/Rules",
    ),
    "a library inside": Vault(texts("Rules/deep"), {"Rules/library.yaml": "exclude: [deep/Secret.md]"}),
    "what must be there, inside": Vault(
        {f"Rules/{path}": text for path, text in NO_YES.items()}, {"Rules/library.yaml": "only: {publish: true}"}
    ),
    "what must be there, above": Vault(
        {**{f"Rules/{path}": text for path, text in NO_YES.items()}, ".git/HEAD": "ref"},
        {"library.yaml": "only: {publish: true}"},
        "Rules",
    ),
    "filters of a vault above": Vault(texts("Rules"), {".obsidian/app.json": obsidian("Rules/Sec")}, "Rules"),
    "filters of a vault inside": Vault(texts("Rules"), {"Rules/.obsidian/app.json": obsidian("Sec")}),
    "Publish in a vault above": Vault(
        {**texts("Rules/hidden"), "Rules/Home.md": PUBLIC, "Rules/hidden/Home.md": "---\npublish: true\n---\n"},
        {".obsidian/publish.json": json.dumps({"excluded": ["Rules/hidden"]})},
        "Rules",
    ),
    "sources beside a site": Vault(
        {**texts("docs"), "game.yaml": GAME}, {"mkdocs.yml": "site_name: x\nexclude_docs: Secret.md"}
    ),
    "sources in the texts of a site": Vault(
        {**texts("docs"), "docs/game.yaml": GAME}, {"mkdocs.yml": "site_name: x\nexclude_docs: Secret.md"}, "docs"
    ),
    "a folder of a site": Vault(texts("docs/rules"), {"mkdocs.yml": "exclude_docs: /rules/Secret.md"}, "docs/rules"),
    "a site inside": Vault(
        {**texts("wiki/docs"), "Start.md": "# Start"}, {"wiki/mkdocs.yml": "site_name: x\nexclude_docs: Secret.md"}
    ),
    "a vault in a site": Vault(
        {**texts("docs"), "mkdocs.yml": "site_name: x"}, {"docs/.obsidian/app.json": obsidian("Secret.md")}
    ),
    "a site in a vault": Vault(
        {**texts("book/src"), "book/src/SUMMARY.md": "[Home](Home.md)", ".obsidian/app.json": "{}"},
        {"book/book.toml": "[book]\ntitle = 'x'\n"},
        "book/src",
    ),
    "a site that kismet cannot read, inside": Vault(
        {**texts("site/docs"), "Home.md": PUBLIC}, {"site/docusaurus.config.ts": "export default {}"}
    ),
    "Quartz with patterns": Vault(
        {**texts("content"), "README.md": "about"},
        {"quartz.config.ts": QUARTZ.replace("IGNORED", "'S*.md'").replace("FILTERS", "")},
    ),
    "Quartz with its filter": Vault(
        {f"content/{path}": text.replace("publish:\n", "title: x\n") for path, text in NO_YES.items()},
        {"quartz.config.ts": QUARTZ.replace("IGNORED", "").replace("FILTERS", "Plugin.ExplicitPublish()")},
        "content",
    ),
    "Quartz in YAML": Vault(
        texts("content"),
        {"quartz.config.yaml": "configuration: {ignorePatterns: [Secret.md]}\nplugins: []\n"},
    ),
    "Quartz asks Git": Vault(
        {**texts("content/x"), "quartz.config.yaml": "plugins: []"}, {"content/.gitignore": "/x/Secret.md\n"}
    ),
    "Digital Garden": Vault(
        {"Secret.md": SECRET, "Home.md": f"---\ndg-publish: true\n---\n{PUBLIC}\n"},
        {".obsidian/community-plugins.json": '["digitalgarden"]'},
    ),
    "paths of Digital Garden": Vault(
        {**texts("x"), **OPEN_GARDEN},
        {f"{PLUGINS}/digitalgarden/data.json": '{"publishByDefault": true, "ignoredPaths": ["x/Secret.md"]}'},
    ),
    "drafts of MkDocs": Vault(texts("docs"), {"mkdocs.yml": "site_name: x\ndraft_docs: |\n  Secret.md\n"}),
    "an inherited exclusion of MkDocs": Vault(
        {**texts("docs"), "base.yml": "exclude_docs: Secret.md"}, {"mkdocs.yml": "INHERIT: base.yml"}
    ),
    "plugins of MkDocs in a group": Vault(
        texts("docs"), {"mkdocs.yml": "plugins: [group: {plugins: [exclude: {glob: Secret.md}]}]"}
    ),
    "a filter of Quartz that needs exactly true": Vault(
        {"content/Secret.md": f"---\npublish: yes\n---\n{SECRET}\n", "content/Home.md": NO_YES["Home.md"]},
        {"quartz.config.ts": QUARTZ.replace("IGNORED", "").replace("FILTERS", "Plugin.ExplicitPublish()")},
    ),
    "comments of a vault that is a site": Vault(
        {"docs/Home.md": f"# Home\n\n{PUBLIC} %%\n\n{SECRET}\n\n%%\n", "mkdocs.yml": "site_name: x"},
        {"docs/.obsidian/app.json": "{}"},
    ),
    "a shortcode of Hugo that shows its content to some": Vault(
        {
            "content/Home.md": f"---\ntitle: x\n---\n{PUBLIC} {{{{< gm >}}}}{SECRET}{{{{< /gm >}}}}\n",
            "hugo.toml": "",
            "layouts/shortcodes/gm.html": "{{ .Inner }}",
        },
        {"layouts/shortcodes/gm.html": "{{ if .Site.Params.gm }}{{ .Inner }}{{ end }}"},
    ),
    "files that Hugo ignores": Vault(texts("content"), {"hugo.toml": "ignoreFiles = ['Secret']"}),
    "files that Jekyll excludes": Vault(texts(""), {"_config.yml": "exclude: [Secret.md]"}),
}
WITHOUT_SETTINGS = ("Digital Garden",)
"""Vaults whose text is private without their settings, too: one note for Digital Garden is enough."""


def built(folder: Path, vault: Vault) -> dict[str, bytes]:
    run = kismet("build", *arguments(folder, vault), "--out", folder / "out")
    assert run.status == 0, run.output
    assert SECRET not in run.output
    return tree(folder / "out")


def arguments(folder: Path, vault: Vault) -> tuple[Path | str, ...]:
    return (folder / vault.path, *(("--game", folder / vault.game) if vault.game else ()))


def have(files: dict[str, bytes], word: str) -> bool:
    return any(word.encode() in content for content in files.values())


@pytest.mark.parametrize("name", VAULTS)
def test_a_setting_counts_wherever_it_stands(name: str, tmp_path: Path) -> None:
    vault = VAULTS[name]
    write_files(tmp_path / "with", {**vault.files, **vault.settings})
    files = built(tmp_path / "with", vault)
    assert not have(files, SECRET)
    assert not have(files, "Secret.md"), "the page that links to the text shows only words"
    assert have(files, PUBLIC)
    if name not in WITHOUT_SETTINGS:
        assert have(built(write_files(tmp_path / "without", vault.files), vault), SECRET)


def everything_said(folder: Path, vault: Vault) -> Iterator[str]:
    """What each command that reads texts shows of a vault."""
    where = arguments(folder, vault)
    path, game = folder / vault.path, folder / vault.game if vault.game else None
    for command in (("check", "--format", "json"), ("check", "--format", "sarif"), ("check", "--strict")):
        yield kismet(*command, *where).output
    yield kismet("book", *where, "--format", "epub", "--out", folder / "book.epub").output
    yield repr(OpenEpub((folder / "book.epub").read_bytes()).files)
    library = ServedLibrary(path, game, write_files(folder / "scratch", {}))
    library.compile()
    yield repr(served_files(library))
    for rules in LibraryRules(path, game).current():  # for `ask` and `mcp`
        yield repr([rules.search(PUBLIC), rules.search("secret")])


@pytest.mark.parametrize("name", ["a game file outside the vault", "a folder of the vault", "a folder of a site"])
def test_a_setting_counts_in_every_command(name: str, tmp_path: Path) -> None:
    vault = VAULTS[name]
    write_files(tmp_path, {**vault.files, **vault.settings})
    said = [*everything_said(tmp_path, vault)]
    assert all(PUBLIC in text for text in said[-3:])
    assert not any(SECRET in text for text in said)

"""A folder with the project file of a site generator is read as that generator reads it."""

from pathlib import Path

import pytest

from kismet_build.build.compile import compile_game
from kismet_build.config.load_library import load_library
from kismet_build.model.diagnostic import Diagnostic
from kismet_build.pack import Pack
from kismet_build.render.pages.navigation import Folder, folders
from tests.command import kismet, write_files

MKDOCS = """\
site_name: Salt Road
site_description: Rules for caravans
site_url: https://example.org/salt/
theme: {name: material, language: en}
nav:
  - Start: index.md
  - Travel:
      - travel/index.md
      - Weather on the road: travel/weather.md
      - Beasts:
          - beasts/camel.md
  - Forum: https://example.org/forum
exclude_docs: |
  drafts/
not_in_nav: |
  notes.md
markdown_extensions:
  - admonition
  - pymdownx.emoji:
      emoji_index: !!python/name:material.extensions.emoji.twemoji
"""
MKDOCS_SITE = {
    "mkdocs.yml": MKDOCS,
    "README.md": "# How to build this website",
    "docs/index.md": "# The Salt Road\n\nSee [the weather](travel/weather.md) and [beasts](../salt/beasts/camel/).",
    "docs/README.md": "# For people who work on this",
    "docs/travel/index.md": "# Travelling",
    "docs/travel/weather.md": "# Weather\n\n[The camel](/salt/beasts/camel/)",
    "docs/beasts/camel.md": "# Camel",
    "docs/drafts/secret.md": "# Secret",
    "docs/notes.md": "# Notes",
}
JEKYLL_SITE = {
    "_config.yml": "title: Salt Road\nbaseurl: /salt\nexclude: [old]\ncallouts: {warning: {title: Beware}}\n",
    "index.md": "---\ntitle: Welcome\nnav_order: 1\n---\n[Weather]({{ site.baseurl }}/docs/weather.html)",
    "docs/travel.md": "---\ntitle: Travel\nnav_order: 3\nhas_children: true\n---\n[Camel](/beasts/camel/)",
    "docs/weather.md": "---\ntitle: Weather\nparent: Travel\nnav_order: 2\n---\n# Weather",
    "docs/wind.md": "---\ntitle: Wind\nparent: Weather\ngrand_parent: Travel\n---\n# Wind",
    "docs/dust.md": "---\ntitle: Dust\nparent: Travel\nnav_order: 1\n---\n# Dust",
    "docs/camel.md": "---\ntitle: Camel\nnav_order: 2\npermalink: /beasts/camel/\n---\n# Camel",
    "docs/hidden.md": "---\ntitle: Hidden\nnav_exclude: true\n---\n# Hidden",
    "docs/unfinished.md": "---\ntitle: Unfinished\npublished: false\n---\n# Unfinished",
    "docs/tomorrow.md": "---\ntitle: Tomorrow\ndate: 9000-01-01\n---\n# Tomorrow",
    "README.md": "# How to build this website",
    "old/rules.md": "---\ntitle: Old\n---\n# Old",
    "_drafts/idea.md": "---\ntitle: Idea\n---\n# Idea",
}
HUGO_SITE = {
    "hugo.toml": 'title = "Salt Road"\nbaseURL = "https://example.org/salt/"\nlanguageCode = "en-gb"\n',
    "content/_index.md": "+++\ntitle = 'Welcome'\n+++\nStart with [travel](/salt/travel/).",
    "content/travel/_index.md": "+++\ntitle = 'Travel'\nweight = 20\n+++\n",
    "content/travel/weather.md": "+++\ntitle = 'The weather on the road'\nlinkTitle = 'Weather'\nweight = 2\n+++\n",
    "content/travel/dust/index.md": "+++\ntitle = 'Dust'\nweight = 1\n+++\n",
    "content/beasts/_index.md": "---\ntitle: Beasts\nmenu: {main: {weight: 10}}\n---\n[Dust](../travel/dust/)",
    "content/beasts/camel.md": "---\ntitle: Camel\n---\n# Camel",
    "content/beasts/draft.md": "---\ntitle: Draft\ndraft: true\n---\n# Draft",
    "content/beasts/gone.md": "---\ntitle: Gone\nexpiryDate: 2001-01-01\n---\n# Gone",
    "README.md": "# How to build this website",
}
SITES = {
    "MkDocs": (
        MKDOCS_SITE,
        "Start: index.md\nTravel: travel/index.md\n  Weather on the road: travel/weather.md\n"
        "  Beasts\n    Camel: beasts/camel.md",
        ["notes.md"],
    ),
    "Jekyll": (
        JEKYLL_SITE,
        "Welcome: index.md\nCamel: docs/camel.md\nTravel: docs/travel.md\n  Dust: docs/dust.md\n"
        "  Weather: docs/weather.md\n    Wind: docs/wind.md",
        ["docs/hidden.md"],
    ),
    "Hugo": (
        HUGO_SITE,
        "Welcome: _index.md\nBeasts: beasts/_index.md\n  Camel: beasts/camel.md\nTravel: travel/_index.md\n"
        "  Dust: travel/dust/index.md\n  Weather: travel/weather.md",
        [],
    ),
}


def compiled(folder: Path) -> tuple[Pack, list[Diagnostic]]:
    diagnostics: list[Diagnostic] = []
    (game,) = load_library(folder, None, diagnostics.append).games
    return compile_game(game, diagnostics.append), diagnostics


def outline(folder: Folder, level: int = 0) -> str:
    """The navigation, with the path of the text of each entry."""
    lines = [f"{folder.chapter.label}: {folder.chapter.source.path}"] if not level and folder.chapter else []
    for item in folder.items:
        chapter = item.chapter if isinstance(item, Folder) else item
        title = item.title if isinstance(item, Folder) else item.label
        lines.append("  " * level + title + (f": {chapter.source.path}" if chapter else ""))
        if isinstance(item, Folder) and item.items:
            lines.append(outline(item, level + 1))
    return "\n".join(lines)


@pytest.mark.parametrize("generator", SITES)
def test_navigation_is_that_of_the_generator(generator: str, tmp_path: Path) -> None:
    files, navigation, unlisted = SITES[generator]
    pack, _ = compiled(write_files(tmp_path / "caravans", files))
    assert pack.game.title == "Salt Road"
    assert outline(folders(pack)) == navigation
    listed = {line.partition(": ")[2] for line in navigation.splitlines()}
    paths = [chapter.source.path for chapter in pack.book.chapters]
    assert sorted(paths) == sorted((listed - {""}) | set(unlisted))
    assert paths[len(paths) - len(unlisted) :] == unlisted


@pytest.mark.parametrize("generator", SITES)
def test_links_by_file_and_by_address_lead_to_their_page(generator: str, tmp_path: Path) -> None:
    site = write_files(tmp_path / "caravans", SITES[generator][0])
    _, diagnostics = compiled(site)
    assert [found.message for found in diagnostics if found.code == "unresolved-link"] == []


def test_project_file_in_a_folder_above_the_texts_is_used(tmp_path: Path) -> None:
    site = write_files(tmp_path / "caravans", MKDOCS_SITE)
    below, from_root = compiled(site / "docs")[0], compiled(site)[0]
    assert outline(folders(below)) == outline(folders(from_root))
    assert below.game.id == from_root.game.id == "caravans"


def test_build_names_the_project_file(tmp_path: Path) -> None:
    run = kismet("build", write_files(tmp_path / "caravans", MKDOCS_SITE), "--out", tmp_path / "public")
    assert "mkdocs.yml: this is a site for MkDocs: its 5 texts are in " in run.out
    assert (
        'the entry "Forum" of the navigation leads to another website' in kismet("check", tmp_path / "caravans").output
    )

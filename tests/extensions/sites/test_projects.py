"""A folder with the project file of a site generator is read as that generator reads it."""

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from time import process_time

import pytest

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.model.diagnostic import Diagnostic
from kismet_build.model.nodes import plain_text
from kismet_build.pack import Pack
from kismet_build.render.fragments.renderer import to_html
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
    "_posts/2020-01-01-tomorrow.md": "---\ntitle: Tomorrow\ndate: 9000-01-01\n---\n# Tomorrow",
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
MDBOOK_SITE = {
    "book.toml": '[book]\ntitle = "Salt Road"\nlanguage = "en"\nsrc = "text"\n',
    "text/SUMMARY.md": """\
# Summary

[Welcome](README.md)

# The road

- [Travel](travel/index.md)
  - [Weather](travel/weather.md)
  - [To be written]()
- [Camel](camel.md)

---

[Thanks](thanks.md)
""",
    "text/README.md": "# Welcome\n\n[Weather](travel/weather.html)",
    "text/travel/index.md": "# Travel",
    "text/travel/weather.md": "# Weather",
    "text/camel.md": "# Camel",
    "text/thanks.md": "# Thanks",
    "text/secret.md": "# Secret",
}
SITES = {
    "mdBook": (
        MDBOOK_SITE,
        "Welcome: README.md\nThe road\n  Travel: travel/index.md\n    Weather: travel/weather.md\n"
        "  Camel: camel.md\nThanks: thanks.md",
        [],
    ),
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


TRIPS = {
    path: f"# {path.rpartition('/')[2]}"
    for path in (
        *("docs/index.md", "docs/a.md", "docs/b.md", "docs/c.md", "docs/old/z.md"),
        *("docs/trips/index.md", "docs/trips/one.md", "docs/trips/ten.md", "docs/trips/two.md"),
    )
}
PLUGINS = {
    "awesome-pages": (
        {
            "docs/.pages": "nav:\n  - index.md\n  - Journeys: trips\n  - Part:\n      - c.md\n      - Other: b.md\n"
            "  - Web: https://example.org\n  - gone.md\n  - 7\n  - ... | flat",
            "docs/trips/.pages": "title: Trips\nnav: [two.md, ...]",
            "docs/old/.pages": "hide: true",
        },
        "index.md: index.md\nJourneys: trips/index.md\n  two.md: trips/two.md\n  one.md: trips/one.md\n"
        "  ten.md: trips/ten.md\nPart\n  c.md: c.md\n  Other: b.md\na.md: a.md",
    ),
    "awesome-nav": (
        {
            "docs/.nav.yml": 'nav:\n  - trips\n  - "*.md"\n  - glob: "*"\nsort: {direction: desc}',
            "docs/trips/.nav.yml": "append_unmatched: true\nnav: [two.md, ../b.md]",
        },
        "index.md: index.md\nindex.md: trips/index.md\n  two.md: trips/two.md\n  b.md: b.md\n  one.md: trips/one.md\n"
        "  ten.md: trips/ten.md\nc.md: c.md\na.md: a.md\nold\n  z.md: old/z.md",
    ),
    "literate-nav": (
        {
            "docs/SUMMARY.md": "# Contents of this\n\n- [Home](index.md)\n- [Trips](trips/)\n- Part\n"
            "    - [See](c.md)\n    - [Web](https://example.org)\n- [Zed](old/z.md)",
            "docs/trips/SUMMARY.md": "- [Ten first](ten.md)\n- [One](one.md)",
        },
        "Home: index.md\nTrips: trips/index.md\n  Ten first: trips/ten.md\n  One: trips/one.md\n"
        "Part\n  See: c.md\nZed: old/z.md",
    ),
}
"""For each plugin of MkDocs that makes a navigation, the files that it reads and the navigation."""


@pytest.mark.parametrize("plugin", PLUGINS)
def test_files_in_folders_list_texts(plugin: str, tmp_path: Path) -> None:
    files, navigation = PLUGINS[plugin]
    site = write_files(tmp_path / "trips", {"mkdocs.yml": f"plugins: [{plugin}]", **TRIPS, **files})
    pack, diagnostics = compiled(site)
    assert outline(folders(pack)) == navigation
    assert len(pack.book.chapters) == len(TRIPS)
    assert {found.code for found in diagnostics} == {"project-file"}
    assert pack.book.attachment_of == {}
    kismet("build", site, "--out", tmp_path / "public")
    file = next(name for name in files if name.startswith("docs/trips/"))
    write_files(site, {file: "- [Last](ten.md)" if file.endswith(".md") else "nav: [{Last: ten.md}]"})
    kismet("build", site, "--out", tmp_path / "public")
    assert "Last" in (tmp_path / "public/trips/trips/ten/index.html").read_text(encoding="utf-8")


PERMALINKS = {
    "Jekyll": {
        "_config.yml": "baseurl: /r\ncollections: {beasts: {output: true, permalink: '/all/:name/'}}",
        "index.md": "---\n---\n# Lamps\n\n[a](/r/all/big-owl/) [b](/sea/2024/01/02/oil.html) [c](/deep/wick/)",
        "_beasts/Big owl.md": "---\n---\n# Owl",
        "_posts/2024-01-02-oil.md": "---\ncategories: [sea]\n---\n# On oil",
        "wick.md": "---\npermalink: /deep/:basename/\n---\n# Wick",
    },
    "Hugo": {
        "hugo.toml": "[permalinks]\nbeasts = '/all/:year/:slug/'\n[permalinks.page]\nkit = '/my/:title/'",
        "content/_index.md": "# Lamps\n\n[a](/all/2024/big-owl/) [b](/my/oil/)",
        "content/beasts/owl.md": "---\ntitle: Big owl\ndate: 2024-02-03\n---\nIt flies.",
        "content/kit/flask.md": "---\ntitle: Oil\n---\nIt burns.",
    },
}
"""Sites with links to addresses from patterns."""


def test_an_excluded_file_of_mkdocs_can_be_a_snippet(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": (
            "exclude_docs: includes/\n"
            "markdown_extensions:\n"
            "  - pymdownx.snippets: {base_path: docs/includes, auto_append: [words.md]}\n"
            "  - abbr\n"
        ),
        "docs/index.md": '# Lamps\n\n--8<-- "wick.md"\n\nAP',
        "docs/includes/wick.md": "A wick of *wool*.",
        "docs/includes/words.md": "*[AP]: action points",
        "docs/includes/secret.md": "# Secret",
    }
    pack, diagnostics = compiled(write_files(tmp_path / "lamps", files))
    assert [chapter.source.path for chapter in pack.book.chapters] == ["index.md"]
    assert {found.code for found in diagnostics} == {"project-file"}
    kismet("build", tmp_path / "lamps", "--out", tmp_path / "public")
    page = (tmp_path / "public/lamps/index.html").read_text(encoding="utf-8")
    assert "A wick of <em>wool</em>." in page
    assert "action points" in page


@pytest.mark.parametrize("name", ["toc", "markdown.extensions.toc"])
def test_mark_of_contents_is_the_one_in_the_configuration(name: str, tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": f"markdown_extensions:\n  - {name}:\n      marker: '[[_Übersicht_]]'",
        "docs/index.md": "# Lamps\n\n[[_Übersicht_]]\n\n[TOC] stays.",
    }
    pack, _ = compiled(write_files(tmp_path / "lamps", files))
    (chapter,) = pack.book.chapters
    assert plain_text(*chapter.document.blocks) == "Lamps\n[TOC] stays."


def test_navigation_of_mkdocs_may_end_with_all_other_texts(tmp_path: Path) -> None:
    files = {"mkdocs.yml": "plugins: [awesome-pages]\nnav: [b.md, index.md, ...]", **TRIPS}
    pack, _ = compiled(write_files(tmp_path / "trips", files))
    assert outline(folders(pack)).startswith("index.md: index.md\nb.md: b.md\na.md: a.md\nc.md: c.md\n")


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


LANGUAGES = {
    "hugo": (
        {
            "hugo.toml": """\
title = "Salt Road"
defaultContentLanguage = "en"
[languages.de]
contentDir = "content/deutsch"
[languages.en]
contentDir = "content/english"
""",
        },
        "content/english",
        "content/deutsch",
    ),
    "mkdocs": (
        {
            "mkdocs.yml": """\
site_name: Salt Road
plugins:
  - i18n:
      docs_structure: folder
      languages: [{locale: de}, {locale: en, default: true}]
""",
        },
        "docs/en",
        "docs/de",
    ),
}


@pytest.mark.parametrize("generator", LANGUAGES)
def test_each_language_of_a_site_is_a_game(generator: str, tmp_path: Path) -> None:
    files, english, german = LANGUAGES[generator]
    files = {**files, f"{english}/index.md": "# Welcome", f"{german}/index.md": "# Willkommen"}
    site = write_files(tmp_path / "caravans", files)
    games = load_library(site, None, lambda _: None).games
    assert [(game.id, game.language) for game in games] == [("caravans", "en"), ("caravans-de", "de")]
    run = kismet("build", site, "--out", tmp_path / "public")
    assert run.status == 0, run.output
    assert "Willkommen" in (tmp_path / "public/caravans-de/index.html").read_text(encoding="utf-8")


def test_names_of_texts_say_their_language(tmp_path: Path) -> None:
    files = {
        "hugo.toml": """\
title = "Salt Road"
baseURL = "https://example.org/rules/"
defaultContentLanguageInSubdir = true
[languages.en]
[languages.de]
title = "Salzstraße"
[languages.es]
[languages.fr]
disabled = true
[languages.pt-BR]
""",
        "content/camel.es.png": "",
        "content/salt.pt-br.md": "# Sal",
        "content/_index.md": "# Welcome\n\n[Salt]({{< ref salt >}}), [Mead](/rules/en/mead/)",
        "content/_index.de.md": "# Willkommen\n\n[Salz]({{< ref salt >}}), [Eule](/de/animals/owl/)",
        "content/salt.en.md": "# Salt",
        "content/salt.md": "# Hidden by the one above",
        "content/salt.de.md": "# Salz",
        "content/salt.fr.md": "# Sel",
        "content/animals/_index.de.md": "+++\ntitle = 'Tiere'\n+++",
        "content/animals/owl/index.de.md": "# Eule",
        "content/animals/secret.de.md": "+++\ndraft = true\n+++\n# Geheim",
        "content/mead.md": "# Mead",
    }
    site = write_files(tmp_path / "caravans", files)
    english, german, brazilian = load_library(site, None, lambda _: None).games
    assert (english.language, german.id, german.language) == ("en", "caravans-de", "de")
    assert brazilian.files.text_paths == ("salt.md",)
    assert english.files.text_paths == ("_index.md", "mead.md", "salt.md")
    run = kismet("build", site, "--out", tmp_path / "public")
    assert run.status == 0, run.output
    assert "unresolved-link" not in run.output
    assert "Salzstraße: 4 chapters" in run.output
    public = tmp_path / "public"
    pages = {
        page.relative_to(public).as_posix(): page.read_text(encoding="utf-8") for page in public.rglob("index.html")
    }
    assert "Salt" in pages["caravans/salt/index.html"]
    assert "Eule" in pages["caravans-de/animals/owl/index.html"]
    assert "caravans-de/mead/index.html" not in pages
    assert not any(word in page for page in pages.values() for word in ("Geheim", "# Sel", ">Sel<", "Hidden by"))


def test_texts_that_are_not_translated_are_those_of_the_default_language(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": """\
site_name: Salt Road
nav: [index.md, {Travel: [travel/camel.md, travel/salt.md]}]
plugins:
  - i18n:
      languages:
        - {locale: en, default: true}
        - {locale: de, site_name: Salzstraße}
        - {locale: fr, build: false}
""",
        "docs/index.md": "# Welcome",
        "docs/index.de.md": "# Willkommen\n\n[Salz](travel/salt.md)",
        "docs/travel/camel.md": "# Camel",
        "docs/travel/salt.en.md": "# Salt",
        "docs/travel/salt.de.md": "# Salz",
        "docs/travel/salt.fr.md": "# Sel",
    }
    site = write_files(tmp_path / "caravans", files)
    english, german = load_library(site, None, lambda _: None).games
    assert english.files.text_paths == german.files.text_paths == ("index.md", "travel/camel.md", "travel/salt.md")
    run = kismet("build", site, "--out", tmp_path / "public")
    assert run.status == 0, run.output
    assert "warning" not in run.output.replace("0 warnings", "")
    assert "Salzstraße: 3 chapters" in run.output
    page = (tmp_path / "public/caravans-de/travel/camel/index.html").read_text(encoding="utf-8")
    assert "Camel" in page
    assert "Salz" in page


def test_parts_of_the_configuration_of_hugo_are_in_a_folder(tmp_path: Path) -> None:
    files = {
        "config/_default/hugo.toml": 'defaultContentLanguage = "en"\nenableEmoji = true\n',
        "config/_default/params.toml": 'edition = "4"\nlamp = "oil"\n',
        "config/_default/languages.yml": "en:\n  title: Salt Road\n  cascade: {draft: true, target: {path: /old/**}}\n",
        "config/production/params.json": '{"params": {"edition": "5"}}',
        "content/_index.md": "{{< param edition >}} {{< param lamp >}} :dragon:",
        "content/old/owl.md": "# Owl",
    }
    site = write_files(tmp_path / "caravans", files)
    run = kismet("build", site, "--out", tmp_path / "public")
    assert run.status == 0, run.output
    page = (tmp_path / "public/caravans/index.html").read_text(encoding="utf-8")
    assert "Salt Road" in page
    assert "5 oil 🐉" in page
    assert "foreign-markup" not in run.output
    assert not (tmp_path / "public/caravans/old/owl/index.html").exists()


def test_nothing_is_built_if_a_part_of_the_configuration_cannot_be_read(tmp_path: Path) -> None:
    files = {
        "hugo.toml": 'title = "Salt Road"\n',
        "config/_default/cascade.toml": "[[[\n",
        "content/_index.md": "---\ntitle: Welcome\ndraft: false\n---\n",
    }
    run = kismet("build", write_files(tmp_path / "caravans", files), "--out", tmp_path / "public")
    assert run.status == 2
    assert "this is not valid TOML" in run.err
    assert not (tmp_path / "public").exists()


# --- bad input

MKDOCS_FAULTS = {
    "no mapping": ("- nav", "this is a site for MkDocs"),
    "wrong types": ("site_name: [a]\ntheme: 3\nnav: 7", "`site_name` is not a text"),
    "dead entries": ("nav:\n  - a.md\n  - index.md\n  - b.md", "2 entries of the navigation name no text"),
    "a repeated entry": ("nav: [index.md, index.md]", 'the entry "index.md" of the navigation repeats a text'),
    "an unknown type": ("site_name: !!python/object:os.system [rm]\nnav: !ENV [NAV, [index.md]]", "this is a site"),
    "bytes": ("site_name: \xff", "this is a site for MkDocs"),
}


@pytest.mark.parametrize("fault", MKDOCS_FAULTS)
def test_bad_project_file_is_reported_and_the_texts_are_built(fault: str, tmp_path: Path) -> None:
    text, message = MKDOCS_FAULTS[fault]
    files = {"mkdocs.yml": text, "docs/index.md": "# Welcome", "docs/travel.md": "# Travel"}
    pack, diagnostics = compiled(write_files(tmp_path / "caravans", files))
    assert any(found.message.startswith(message) for found in diagnostics), [found.message for found in diagnostics]
    assert {chapter.title for chapter in pack.book.chapters} >= {"Welcome", "Travel"}


UNKNOWN_PRIVACY = {
    "broken": ("mkdocs.yml", "site_name: [", "mkdocs.yml:1:13: this is not valid YAML"),
    "a circle": ("mkdocs.yml", "nav: &nav\n  - index.md\n  - More: *nav", "mkdocs.yml:3:5: this is not valid YAML"),
    "exclusions in a map": (
        "mkdocs.yml",
        "exclude_docs: {travel.md: true}",
        "mkdocs.yml:1:1: `exclude_docs` is not",
    ),
    "a list of numbers": ("mkdocs.yml", "draft_docs: [1]", "mkdocs.yml:1:1: `draft_docs` is not a list"),
    "a name of the machine": (
        "mkdocs.yml",
        "a: b\nexclude_docs: !ENV X",
        "mkdocs.yml:2:1: `exclude_docs` has a type",
    ),
    "another spelling": (
        "mkdocs.yml",
        "exclude-docs: a.md",
        "mkdocs.yml:1:1: `exclude-docs` is no setting",
    ),
    "a folder outside": ("mkdocs.yml", "docs_dir: ../../secrets", 'mkdocs.yml: its texts would be in "'),
    "a folder that does not exist": ("mkdocs.yml", "docs_dir: pages", 'mkdocs.yml: its texts would be in "'),
    "a path with a null character": ("mkdocs.yml", 'docs_dir: "a\\0b"', "mkdocs.yml:1:1: `docs_dir` is not a path"),
    "a file that inherits from itself": (
        "mkdocs.yml",
        "INHERIT: mkdocs.yml",
        "mkdocs.yml:1:1: `INHERIT` names too",
    ),
    "a missing file": ("mkdocs.yml", "INHERIT: base.yml", "base.yml:1:1: this file does not exist"),
    "a file of the machine": ("mkdocs.yml", "INHERIT: !ENV BASE", "mkdocs.yml:1:1: `INHERIT` has a type that only"),
    "a hidden file": ("mkdocs.yml", "INHERIT: .base.yml", "mkdocs.yml:1:1: `INHERIT` names no file"),
    "options without a map": (
        "mkdocs.yml",
        "plugins: [{exclude: a.md}]",
        "mkdocs.yml:1:1: `plugins` has options",
    ),
    "an unknown plugin": (
        "mkdocs.yml",
        "plugins: [publish-control]",
        'mkdocs.yml:1:1: `plugins` has "publish',
    ),
    "a password for all": (
        "mkdocs.yml",
        "plugins: [{encryptcontent: {password_inventory: {_global: x}}}]",
        "mkdocs.yml:1:1: `plugins` has",
    ),
    "programs": ("mkdocs.yml", "hooks: [a.py]", "mkdocs.yml:1:1: `hooks` names programs"),
    "broken TOML": ("hugo.toml", "ignoreFiles = [", "hugo.toml:1:1: this is not valid TOML"),
    "an expression": (
        "hugo.toml",
        "contentDir = 'docs'\nignoreFiles = ['(']",
        "hugo.toml: a pattern is",
    ),
    "parts of folders": (
        "hugo.toml",
        "[[module.mounts]]\nsource = 'docs'\ntarget = 'content'\nincludeFiles = '*.md'",
        "hugo.toml:1:1: `module` mounts something else than one whole folder",
    ),
    "no pages": (
        "hugo.toml",
        "contentDir = 'docs'\ndisableKinds = ['page']",
        "hugo.toml:1:1: `disablekinds` leaves",
    ),
    "dates of one's own": (
        "hugo.toml",
        "contentDir = 'docs'\n[frontmatter]\ndate = 3",
        "hugo.toml:1:1: `frontmatter`",
    ),
    "too large": ("_config.yml", "#" * 3_000_000, "_config.yml:1:1: this cannot be read"),
    "old posts": ("_config.yml", "limit_posts: 3", "_config.yml:1:1: `limit_posts` leaves out old posts"),
    "defaults in a map": ("_config.yml", "defaults: {published: false}", "_config.yml:1:1: `defaults` is not a list"),
    "one exclusion": ("_config.yml", "Exclude: [a]", "_config.yml:1:1: `Exclude` is no setting"),
    "a book without a list": ("book.toml", "[book]\nsrc = 'docs'", "docs/SUMMARY.md:1:1: this file does not exist"),
    "a list of bytes": ("book.toml", "[book]\nsrc = 'bytes'", "bytes/SUMMARY.md:1:17: this"),
    "a computed list": (
        "quartz.config.ts",
        "const a = {}\nexport default {...a}",
        "quartz.config.ts:2:17: this is not",
    ),
}


@pytest.mark.parametrize("fault", UNKNOWN_PRIVACY)
def test_nothing_is_published_if_a_project_file_may_exclude_texts_but_is_not_understood(
    fault: str, tmp_path: Path
) -> None:
    name, text, message = UNKNOWN_PRIVACY[fault]
    files: dict[str, str | bytes] = {name: text, "docs/index.md": "# Welcome", "docs/travel.md": "# Travel"}
    files |= {".base.yml": "", "bytes/SUMMARY.md": b"- [Public](a.md)\xff"}
    site = write_files(tmp_path / "caravans", files)
    run = kismet("build", site, "--out", tmp_path / "public")
    assert run.status == 2
    assert f"/{message}" in run.err
    assert run.err.count("so kismet cannot tell which texts are private") == 1
    assert not (tmp_path / "public").exists()
    (site / "library.yaml").write_text("source: folder\n", encoding="utf-8")
    assert "`source: folder`" in run.err
    assert kismet("build", site, "--out", tmp_path / "public").status == 0


@pytest.mark.parametrize("kind", ["folder", "link", "broken link", "pipe"])
def test_a_project_file_that_is_not_a_file_of_the_folder_ends_the_build(kind: str, tmp_path: Path) -> None:
    site = write_files(tmp_path / "caravans", {"docs/index.md": "# Welcome"})
    file = site / "mkdocs.yml"
    if kind == "folder":
        file.mkdir()
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        write_files(tmp_path, {"mkdocs.yml": "site_name: Salt Road"})
        file.symlink_to(tmp_path / ("mkdocs.yml" if kind == "link" else "none.yml"))
    run = kismet("build", site, "--out", tmp_path / "public")
    assert (run.status, run.err.count("\n")) == (2, 1)
    assert "this is not a file in the folder, so kismet cannot tell" in run.err


def test_a_project_file_may_be_a_link_within_the_folder(tmp_path: Path) -> None:
    files = {"setup/site.yml": "site_name: Salt Road", "docs/index.md": "# Welcome", "notes/owl.md": "# Owl"}
    site = write_files(tmp_path / "caravans", files)
    (site / "mkdocs.yml").symlink_to("setup/site.yml")
    pack, _ = compiled(site)
    assert (pack.game.title, len(pack.book.chapters)) == ("Salt Road", 1)


def test_a_page_that_leads_elsewhere_links_to_that_place(tmp_path: Path) -> None:
    site = {
        "_config.yml": "title: Caravans\n",
        "index.md": "---\ntitle: Home\n---\n[Night](/play/night)",
        "old.md": "---\ntitle: Old\nredirect_to: /play/night\n---\n",
        "play/night.md": "---\ntitle: Night\n---\n# Night\n",
    }
    write_files(tmp_path / "caravans", site)
    kismet("build", tmp_path / "caravans", "--out", tmp_path / "out")
    for page in ("index.html", "old/index.html"):
        assert ">Night</a>" in (tmp_path / "out/caravans" / page).read_text().partition("<main")[2]


def test_of_two_project_files_the_first_generator_is_used(tmp_path: Path) -> None:
    files = {"_config.yml": "title: Jekyll", "mkdocs.yml": "site_name: MkDocs", "docs/index.md": "---\n---\n# Welcome"}
    assert compiled(write_files(tmp_path / "caravans", files))[0].game.title == "MkDocs"


def test_list_of_texts_alone_makes_no_project(tmp_path: Path) -> None:
    files = {"SUMMARY.md": "- [Oil](oil.md)", "_sidebar.md": "- [Oil](oil.md)", "oil.md": "# Oil", "wick.md": "# Wick"}
    pack, diagnostics = compiled(write_files(tmp_path / "lamps", files))
    assert not pack.game.vault.is_site
    assert len(pack.book.chapters) == len(files)
    assert diagnostics == []


def test_nearest_project_file_is_used(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "docs_dir: docs/book/src",
        "docs/book/book.toml": "",
        "docs/book/src/SUMMARY.md": "[A](a.md)",
    }
    site = write_files(tmp_path / "caravans", {**files, "docs/book/src/a.md": "# A"})
    _, diagnostics = compiled(site / "docs/book/src")
    assert "mdBook" in next(found.message for found in diagnostics if found.code == "project-file")


@pytest.mark.parametrize("kind", ["entries", "levels"])
def test_time_of_a_long_navigation_grows_with_its_size(kind: str, tmp_path: Path) -> None:
    def seconds(number: int) -> float:
        lines = [f"{'  ' * index if kind == 'levels' else ''}- [{index}](t{index}.md)" for index in range(number)]
        files = {"book.toml": "", "src/SUMMARY.md": "\n".join(lines)}
        files |= {f"src/t{index}.md": f"# {index}" for index in range(0, number, max(1, number // 50))}
        site = write_files(tmp_path / f"caravans-{number}", files)
        start = process_time()
        pack, _ = compiled(site)
        outline(folders(pack))
        assert kind == "levels" or len(pack.book.chapters) == len(files) - 2
        return process_time() - start

    small, large = (200, 800) if kind == "levels" else (2_500, 10_000)
    seconds(10)
    assert seconds(large) < 8 * seconds(small) + 1


# --- privacy

PROPERTIES = "---\ntitle: Secret\n{}\n---\nsecret"
KEPT_BACK = {
    "MkDocs": {
        "mkdocs.yml": "exclude_docs: '*.zip'\nplugins: [{exclude: {glob: ['a/*', '*.b.md'], regex: ['c.*[.]md$']}}]\n"
        "nav: [index.md, {secret: a/b/c.md}]\nmarkdown_extensions: [pymdownx.snippets]",
        "docs/index.md": '# Public\n[map](secret.zip)\n\n--8<-- "docs/c/secret.md"\n\n--8<-- "docs/e/../d.md"',
        "docs/secret.zip": "secret",
        "docs/a/b/c.md": "# Secret",
        "docs/x/secret.b.md": "# Secret",
        "docs/c/secret.md": "# Secret",
        "docs/d.md": PROPERTIES.format("draft: true"),
    },
    "plugins of MkDocs": {
        "mkdocs.yml": "plugins: [{encryptcontent: {password_inventory: {a: b}}},\n"
        "  {blog: {blog_dir: news, draft_if_future_date: true}}]\n",
        "docs/index.md": "# Public\n[a](a.md) [b](news/posts/b.md)",
        "docs/e.md": PROPERTIES.format("level: a"),
        "docs/a.md": PROPERTIES.format("password: secret"),
        "docs/news/posts/b.md": PROPERTIES.format("date: {created: 9000-01-01}"),
        "docs/news/posts/c.md": PROPERTIES.format("draft: true"),
    },
    "equal keys, and keys that are merged, in MkDocs": {
        "mkdocs.yml": "a: &a {draft_docs: secret.md}\n<<: *a\nexclude_docs: index.md\nexclude_docs: b/\n",
        "docs/index.md": "# Public",
        "docs/secret.md": "# Secret",
        "docs/b/secret.md": "# Secret",
    },
    "Hugo": {
        "hugo.toml": "ignoreFiles = ['/content/a/', 'b[.]md$']",
        "content/_index.md": '# Public\n{{< ref "c" >}} {{< include "d.md" >}} ![](a/secret.png)',
        "content/a/secret.md": "# Secret",
        "content/a/secret.png": "secret",
        "content/b.md": "# Secret",
        "content/c.md": PROPERTIES.format("build: {render: never}"),
        "content/d.md": PROPERTIES.format("publishDate: 9000-01-01\naliases: [/secret/]"),
        "content/f/index.md": "# Bundle",
        "content/f/part.md": "secret",
        "content/g.md": '{\n  "draft": true\n}\nsecret',
        "content/h.md": '{\n  "draft": true,\n  "title: secret\n}\nsecret',
        "content/e/index.md": PROPERTIES.format("headless: true"),
    },
    "properties of Hugo": {
        "hugo.toml": "staticDir = '.hidden'\n[frontmatter]\nexpiryDate = ['gone', ':default']",
        ".hidden/secret.png": "secret",
        "content/_index.md": "# Public\n![](secret.png)",
        "content/a.md": PROPERTIES.format("published: false"),
        "content/b.md": PROPERTIES.format("draft: 1"),
        "content/c/index.md": PROPERTIES.format("headless: 1"),
        "content/d.md": PROPERTIES.format("pubdate: 9000-01-01T10:00:00Z"),
        "content/e.md": PROPERTIES.format("unpublishdate: 2001-01-01"),
        "content/f.md": PROPERTIES.format("gone: Jan 2, 2001"),
        "content/g/_index.md": "---\nDRAFT: true\n---\n",
        "content/g/x.md": PROPERTIES.format(""),
        "content/h/_index.md": "---\nCascade: {Draft: true}\n---\n",
        "content/h/y/x.md": PROPERTIES.format(""),
        "content/#secret.md": "# Secret",
        "content/secret.md~": "# Secret",
    },
    "folders that Hugo mounts": {
        "hugo.toml": "[[module.mounts]]\nsource = 'texts'\ntarget = 'content'\n"
        "excludeFiles = ['/a', '**/b/*', '**.c.md']",
        "texts/a/secret.md": "# Secret",
        "texts/x/b/secret.md": "# Secret",
        "texts/secret.c.md": "# Secret",
        "texts/_index.md": "# Public",
        "content/secret.md": "# Secret",
    },
    "Jekyll": {
        "_config.yml": "exclude: ['*-a.md', 'b/*.md', c]",
        "index.md": "---\n---\n# Public\n{% include_relative d.html %} {% include ../c/e.md %} ![](c/secret.png)",
        "x/secret-a.md": PROPERTIES.format(""),
        "b/x/secret.md": PROPERTIES.format(""),
        "c/secret.png": "secret",
        "c/e.md": "secret",
        "d.html": PROPERTIES.format("published: false"),
        "_posts/9000-01-01-secret.md": PROPERTIES.format(""),
    },
    "names of files in Jekyll": {
        "_config.yml": "collections: {lamps: {output: true}}\nexclude: ['#x.md']",
        "index.md": "---\n---\n# Public",
        "_posts/secret.md": PROPERTIES.format(""),
        "_posts/90-1-2-secret.md": PROPERTIES.format("date: 2035-1-2"),
        "_posts/2001-01-01-secret.md": PROPERTIES.format("date: 35-01-02"),
        "_lamps/_drafts/secret.md": PROPERTIES.format(""),
        "_lamps/secret.md": PROPERTIES.format("date: 9000-01-01"),
        "#x.md": PROPERTIES.format(""),
        "~secret.md": PROPERTIES.format(""),
        "secret.md~": PROPERTIES.format(""),
        "a/#secret/b.md": PROPERTIES.format(""),
    },
}
"""Sites in which everything named `secret` must stay private."""


@pytest.mark.parametrize("generator", KEPT_BACK)
def test_what_the_generator_keeps_back_is_nowhere_on_the_website(generator: str, tmp_path: Path) -> None:
    out = tmp_path / "public"
    run = kismet("build", write_files(tmp_path / "caravans", KEPT_BACK[generator]), "--out", out)
    assert run.status == 0, run.output
    assert (out / "caravans/index.html").exists()
    assert [path for path in out.rglob("*") if "secret" in path.name.lower()] == []
    files = [path for path in (out / "data", out / "caravans") if path.exists() for path in path.rglob("*.*")]
    assert [file for file in files if has_secret(file)] == []


@pytest.mark.parametrize(
    "files",
    [
        {"mkdocs.yml": "plugins: {awesome-pages: {filename: ../../machine.yml}}", "docs/index.md": "# Public"},
        {"mkdocs.yml": "plugins: {literate-nav: {nav_file: ../../machine.yml}}", "docs/index.md": "# Public"},
        {"book.toml": "[book]\nsrc = '.'", "SUMMARY.md": "[Public](index.md)", "index.md": "# Public"},
    ],
    ids=lambda files: next(iter(files)),
)
def test_files_of_the_machine_are_not_read(files: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "machine.yml").write_text("site_name: secret\nnav: [{secret: index.md}]\nx: '[secret](index.md)'")
    pack, diagnostics = compiled(write_files(tmp_path / "caravans", files))
    assert "secret" not in pack.game.title
    assert "secret" not in outline(folders(pack))
    assert all("secret" not in found.message for found in diagnostics)


# --- edits


@pytest.mark.parametrize("folder", ["", "docs"])
def test_build_follows_an_edit_outside_of_the_folder_of_the_texts(folder: str, tmp_path: Path) -> None:
    settings = "INHERIT: parts/base.yml\nmarkdown_extensions: [pymdownx.snippets]"
    files = {"mkdocs.yml": settings, "parts/base.yml": "nav: [{Old title: a.md}]", "parts/oil.md": "Old oil"}
    site = write_files(tmp_path / "lamps", {**files, "docs/a.md": '# A\n--8<-- "parts/oil.md"'})
    for name, text in (("oil.md", "New oil"), ("base.yml", "nav: [{New title: a.md}]")):
        kismet("build", site / folder, "--out", tmp_path / "public")
        (site / "parts" / name).write_text(text, encoding="utf-8")
    kismet("build", site / folder, "--out", tmp_path / "public")
    page = (tmp_path / "public/lamps/a/index.html").read_text(encoding="utf-8")
    assert "New oil" in page
    assert "New title" in page


def test_build_at_another_time_publishes_and_withdraws_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dates = {"oil": "publishDate: 2026-01-31T18:00:00Z", "bell": "expiryDate: 2026-01-31T18:00:00Z"}
    texts = {f"content/{name}.md": f"---\ntitle: {name}\n{day}\n---\n# {name}" for name, day in dates.items()}
    site = write_files(tmp_path / "lamps", {"hugo.toml": "", "content/_index.md": "# Lamps", **texts})
    for path in site.rglob("*"):
        os.utime(path, (0, 0))
    change = datetime(2026, 1, 31, 18, tzinfo=UTC).timestamp()
    for now, shown, hidden in ((change - 60, "bell", "oil"), (change + 60, "oil", "bell")):
        monkeypatch.setattr("kismet_build.driver.build_cache.time", lambda now=now: now)
        monkeypatch.setattr("kismet_build.config.load_library.time", lambda now=now: now)
        run = kismet("build", site, "--out", tmp_path / "public")
        assert run.status == 0, run.output
        assert (tmp_path / "public/lamps" / shown / "index.html").is_file()
        assert not (tmp_path / "public/lamps" / hidden).exists()


@pytest.mark.parametrize("key", ["exclude_docs", "not_in_nav"])
def test_pattern_that_cannot_be_read_ends_the_build(key: str, tmp_path: Path) -> None:
    site = write_files(tmp_path / "caravans", {**MKDOCS_SITE, "mkdocs.yml": f"{key}: |\n  a\\"})
    run = kismet("build", site, "--out", tmp_path / "public")
    assert run.status == 2
    assert 'mkdocs.yml: "a\\" is not a pattern, so kismet cannot tell which texts are private' in run.err


def test_part_of_a_book_is_shown_where_a_chapter_includes_it(tmp_path: Path) -> None:
    files = {
        "book.toml": "",
        "src/SUMMARY.md": "[Travel](travel.md)",
        "src/travel.md": "# Travel\n\n{{#include parts/dust.md}}\n\n{{#include parts/draft.md}}\n",
        "src/parts/dust.md": "Dust ends the day.",
        "src/parts/draft.md": "---\ndraft: true\n---\nDust blinds.",
    }
    run = kismet("build", write_files(tmp_path / "caravans", files), "--out", tmp_path / "public")
    page = (tmp_path / "public/caravans/index.html").read_text(encoding="utf-8")
    assert "Dust ends the day." in page
    assert "Dust blinds." not in page
    assert "2 by book.toml" in run.out


def test_defaults_of_jekyll_can_make_a_folder_private(tmp_path: Path) -> None:
    files = {
        "_config.yml": "defaults:\n  - {scope: {path: secrets}, values: {published: false}}\n",
        "index.md": "---\ntitle: Welcome\n---\n",
        "secrets/plan.md": "---\ntitle: Plan\n---\n",
    }
    pack, _ = compiled(write_files(tmp_path / "caravans", files))
    assert [chapter.title for chapter in pack.book.chapters] == ["Welcome"]


@pytest.mark.parametrize(
    "include",
    [
        "include::parts/secret.adoc[tag=public]",
        "include::parts/secret.adoc[lines=2]",
        "ifdef::gm[include::parts/secret.adoc[]]",
        "ifdef::gm[]\ninclude::parts/secret.adoc[]\nendif::[]",
        "// include::parts/secret.adoc[]",
    ],
)
def test_what_an_asciidoc_book_leaves_out_of_a_file_is_not_published(include: str, tmp_path: Path) -> None:
    part = "tag::public[]\nThe road is long.\nend::public[]\n\nThe guide is a traitor.\n"
    files = {"book.adoc": f"= Caravans\n\nA trade.\n\n{include}\n", "parts/secret.adoc": f"// {part}"}
    site = write_files(tmp_path / "caravans", files)
    run = kismet("build", site, "--out", tmp_path / "public")
    texts = [file.read_bytes() for file in (tmp_path / "public").rglob("*") if file.is_file()]
    assert not any(b"traitor" in text for text in texts)
    assert ("unresolved-include" in run.out) is ("\n" not in include)


def test_link_to_the_root_of_a_site_leads_home_if_its_readme_is_private(tmp_path: Path) -> None:
    files = {
        "_config.yml": "exclude: [README.md]\nbaseurl: /salt\n",
        "README.md": "---\ntitle: Work\n---\n",
        "index.md": "---\ntitle: Welcome\n---\n",
        "docs/road.md": "---\ntitle: Road\n---\n[Home](/salt/), [again]({{ '/' | relative_url }})\n",
    }
    pack, _ = compiled(write_files(tmp_path / "caravans", files))
    targets = [target.anchor.path for target in pack.book.links["docs/road.md"].targets.values() if target.anchor]
    assert targets == ["index.md", "index.md"]


SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'
STATIC_SITES = {
    "hugo.toml": ("static/camel.svg", "content/_index.md", "![Camel](/camel.svg)"),
    "config.yaml": ("copied/img/camel.svg", "content/_index.md", '{{< figure src="/img/camel.svg" >}}'),
}
"""The picture, text and link of a site, by the name of its project file."""


@pytest.mark.parametrize("name", STATIC_SITES)
def test_pictures_in_the_folder_of_static_files_are_shown(name: str, tmp_path: Path) -> None:
    picture, text, link = STATIC_SITES[name]
    settings = "staticDir: copied\n" if name == "config.yaml" else ""
    files = {name: settings, picture: SVG, text: f"# Beasts\n\n{link}\n"}
    site = write_files(tmp_path / "caravans", files)
    run = kismet("build", site, "--out", tmp_path / "public")
    assert "unresolved" not in run.out
    published = tmp_path / "public/caravans/files" / picture.partition("/")[2]
    assert published.read_text(encoding="utf-8") == SVG
    (site / picture).write_text(SVG.replace("1 1", "2 2"), encoding="utf-8")
    kismet("build", site, "--out", tmp_path / "public")
    assert "2 2" in published.read_text(encoding="utf-8")


# --- properties for many texts

CASCADES = {
    "draft": "cascade: {draft: true}",
    "not rendered": "cascade: {build: {render: never}}",
    "old name": "cascade: {_build: {render: false}}",
    "not yet": "cascade: {publishDate: 9000-01-01}",
    "no longer": "cascade: {expirydate: 2001-01-01}",
    "list with targets": "cascade: [{draft: false, target: {path: /x}}, {_target: {path: '/{a,b}/**'}, draft: true}]",
    "kind": "cascade: {target: {kind: '{page,section}'}, draft: true}",
    "stars within a name": "cascade: {target: {path: /A/B**}, draft: true}",
}
PUBLIC = (
    "---\ntitle: Public\ndraft: false\nbuild: {}\n_build: {}\npublishDate: 2001-01-01\nexpiryDate: 9000-01-01\n---\n"
)
CASCADING_SITE = {
    "content/_index.md": PUBLIC + '{{< include "/a/b/c.md" >}} [the plan](a/b/c.md)',
    "content/a/_index.md": PUBLIC,
    "content/a/b/c.md": "---\ntitle: Secret\n---\nsecret",
    "content/a/b/public.md": PUBLIC,
}


@pytest.mark.parametrize("cascade", CASCADES)
@pytest.mark.parametrize("place", ["content/_index.md", "content/a/_index.md", "hugo.yaml"])
def test_what_hugo_passes_down_can_be_private(place: str, cascade: str, tmp_path: Path) -> None:
    properties = f"---\n{CASCADES[cascade]}\n"
    text = CASCADING_SITE.get(place, "---\n").replace("---\n", properties, 1)
    expect_secret_withheld({"hugo.yaml": "", **CASCADING_SITE, place: text}, tmp_path)


def test_the_texts_below_properties_that_cannot_be_read_are_private(tmp_path: Path) -> None:
    """The text about a folder may be a draft, and a draft of a folder hides the folder."""
    unread = CASCADING_SITE["content/a/_index.md"].replace("---\n", "---\ncascade: {draft: true\n", 1)
    site = write_files(tmp_path / "caravans", {"hugo.yaml": "", **CASCADING_SITE, "content/a/_index.md": unread})
    out = tmp_path / "public"
    kismet("build", site, "--out", out)
    assert secret_files(out) == []
    assert not (out / "caravans/a").exists()


@pytest.mark.parametrize("table", ["[cascade]", "[[cascade]]\n[cascade.target]\npath = '{/a/b,/c}/*'\n[[cascade]]"])
def test_what_a_toml_file_of_hugo_passes_down_can_be_private(table: str, tmp_path: Path) -> None:
    expect_secret_withheld({"hugo.toml": f"{table}\ndraft = true", **CASCADING_SITE}, tmp_path)


def has_secret(file: Path) -> bool:
    """Whether a file has the word, apart from the synonyms that the search index of every game has."""
    content = file.read_bytes()
    if file.name == "search.json":
        content = json.dumps({**json.loads(content), "synonyms": {}}).encode()
    return b"secret" in content.lower()


def secret_files(out: Path) -> list[Path]:
    return [path for part in (out / "data", out / "caravans") for path in part.rglob("*.*") if has_secret(path)]


def expect_secret_withheld(files: dict[str, str], folder: Path) -> None:
    out = folder / "public"
    kismet("build", write_files(folder / "caravans", files), "--out", out)
    assert (out / "caravans/a/b/public").exists()
    assert secret_files(out) == []


@pytest.mark.parametrize("files", PERMALINKS.values(), ids=PERMALINKS)
def test_links_may_be_addresses_that_the_configuration_forms(files: dict[str, str], tmp_path: Path) -> None:
    _, diagnostics = compiled(write_files(tmp_path / "lamps", files))
    assert {found.code for found in diagnostics} == {"project-file"}


def test_links_between_pages_of_hugo_are_relative_to_their_addresses(tmp_path: Path) -> None:
    files = {
        "hugo.toml": "",
        "content/_index.md": "# Home\n",
        "content/rules/_index.md": "# Rules\n\n## Roll\n",
        "content/rules/turns.md": "# Turns\n\n[how to roll](../#roll)\n",
    }
    kismet("build", write_files(tmp_path / "lamps", files), "--out", tmp_path / "public")
    page = (tmp_path / "public/lamps/rules/turns/index.html").read_text(encoding="utf-8")
    assert '<a href="../../../lamps/rules/index.html#roll"' in page


def test_references_to_other_files_of_asciidoc_show_the_titles_of_their_targets(tmp_path: Path) -> None:
    files = {
        "yard.adoc": "= Yard\n\nSee xref:oil.adoc#wax[], xref:oil.adoc#prices[] and xref:oil.adoc#drop[].\n",
        "oil.adoc": "= Oil\n\n[#drop]\nA drop.\n\n[#prices]\n.What oil costs\n|===\n|a |b\n|===\n\n[#wax]\n== *Wax*\n",
    }
    kismet("build", write_files(tmp_path / "lamps", files), "--out", tmp_path / "public")
    page = (tmp_path / "public/lamps/yard/index.html").read_text(encoding="utf-8")
    words = re.sub(r"<[^>]*>", "", page.partition("<main")[2])
    assert "See Wax, What oil costs and drop." in words


def test_an_option_of_jekyll_turns_on_markdown_in_html(tmp_path: Path) -> None:
    files = {"_config.yml": "kramdown: {parse_block_html: true}", "index.md": "---\n---\n<div>\nA *lamp*.\n</div>"}
    kismet("build", write_files(tmp_path / "lamps", files), "--out", tmp_path / "public")
    assert "A <em>lamp</em>." in (tmp_path / "public/lamps/index.html").read_text(encoding="utf-8")


def test_data_files_and_parts_of_jekyll_are_shown_where_a_text_names_them(tmp_path: Path) -> None:
    files = {
        "_config.yml": "",
        "_data/suits.yml": "- {name: Ash}\n- {name: Coal}\n",
        "_oil.md": "It *burns*.",
        "_drafts/wick.md": "secret",
        "index.md": "---\n---\n{% for suit in site.data.suits %}{{ suit.name }} {% endfor %}"
        "{% include_relative _oil.md %}{% include_relative _drafts/wick.md %}",
    }
    _, out = write_files(tmp_path / "caravans", files), tmp_path / "public"
    kismet("build", tmp_path / "caravans", "--out", out)
    page = (out / "caravans/index.html").read_text(encoding="utf-8")
    assert "Ash Coal It <em>burns</em>." in page
    assert "secret" not in page
    assert not (out / "caravans/oil").exists()


def test_own_properties_count_more_than_those_of_the_folder(tmp_path: Path) -> None:
    files = {
        "_config.yml": "defaults:\n  - {scope: {path: ''}, values: {published: false}}\n"
        "  - {scope: {path: shown, type: pages}, values: {published: true, nav_order: 2}}\n",
        "index.md": "---\ntitle: Welcome\npublished: true\n---\n",
        "plan.md": "---\ntitle: Plan\n---\n",
        "shown/last.md": "---\ntitle: Last\nnav_order: 1\n---\n",
        "shown/first.md": "---\ntitle: First\n---\n",
    }
    pack, _ = compiled(write_files(tmp_path / "caravans", files))
    assert [chapter.title for chapter in pack.book.chapters] == ["Welcome", "Last", "First"]


def test_extensions_of_mkdocs_that_change_how_words_are_read(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "plugins: [search, roamlinks]\nmarkdown_extensions:\n"
        "  - toc: {marker: '<!-- Inhalt -->', permalink: true}\n  - pymdownx.arithmatex: {generic: true}\n",
        "docs/index.md": "title: Welcome\nauthor: Ada\n    and Bo\n\n<!-- Inhalt -->\n\n"
        r"See [[oil]] for \(c = a\), $b$ and [TOC].",
        "docs/oil.md": "# Oil\n",
    }
    pack, diagnostics = compiled(write_files(tmp_path / "caravans", files))
    welcome = next(chapter.document for chapter in pack.book.chapters if chapter.title == "Welcome")
    html = to_html(welcome.blocks)
    assert [chapter.title for chapter in pack.book.chapters] == ["Welcome", "Oil"]
    assert welcome.metadata == {"title": "Welcome", "author": "Ada and Bo"}
    assert re.sub(r"<math.*?</math>", "formula", html) == (
        '<p>See <a href="oil">oil</a> for formula, formula and [TOC].</p>\n'
    )
    assert not [found for found in diagnostics if found.code in ("unresolved-link", "unreadable-math")]


WITH_FORMULAS = {
    "mdBook": {
        "book.toml": "[output.html]\nmathjax-support = true\n",
        "src/SUMMARY.md": "[Start](a.md)",
        "src/a.md": r"Roll \\(a * b * c\\).",
    },
    "mdBook with a preprocessor": {
        "book.toml": "[preprocessor.katex]\n",
        "src/SUMMARY.md": "[Start](a.md)",
        "src/a.md": "Roll $a$.",
    },
}


@pytest.mark.parametrize("generator", WITH_FORMULAS)
def test_formulas_are_read_if_the_site_has_a_plugin_for_them(generator: str, tmp_path: Path) -> None:
    pack, _ = compiled(write_files(tmp_path / "caravans", WITH_FORMULAS[generator]))
    html = "".join(to_html(chapter.document.blocks) for chapter in pack.book.chapters)
    assert re.sub(r"<math.*?</math>", "formula", html) == "<p>Roll formula.</p>\n"


@pytest.mark.parametrize(
    ("output", "shown"),
    [("smart-punctuation = true", "Owls – and lamps — burn…"), ("", "Owls -- and lamps --- burn...")],
)
def test_book_may_have_dashes_that_are_typed_as_several_characters(output: str, shown: str, tmp_path: Path) -> None:
    files = {
        "book.toml": f"[output.html]\n{output}\n",
        "src/SUMMARY.md": "[Start](a.md)",
        "src/a.md": "Owls -- and lamps --- burn... `--` << \\\\(a\\\\) $5",
    }
    pack, _ = compiled(write_files(tmp_path / "caravans", files))
    html = to_html(pack.book.chapters[0].document.blocks)
    assert html == f"<p>{shown} <code>--</code> &lt;&lt; \\(a\\) $5</p>\n"


@pytest.mark.parametrize(
    ("gems", "index", "chapters"),
    [
        (None, "", ["Salt", "Wares"]),
        ("gem 'github-pages'", "# Start", ["Start", "Wares"]),
        ("gem 'jekyll'", "---\ntitle: Start\n---\n", ["Start"]),
    ],
)
def test_github_pages_publish_texts_without_properties(
    gems: str | None, index: str, chapters: list[str], tmp_path: Path
) -> None:
    files = {"_config.yml": "", "README.md": "# Salt", "wares.md": "# Wares", "LICENSE.md": "# Licence"}
    files |= {"index.md": index} if index else {}
    pack, _ = compiled(write_files(tmp_path / "caravans", files | ({"Gemfile": gems} if gems else {})))
    assert [chapter.title for chapter in pack.book.chapters] == chapters


HOMES = {
    "mdBook": {"book.toml": "", "src/SUMMARY.md": "[Tide](tide.md)\n- [Start](index.md)\n", "src/tide.md": ""},
    "Jekyll": {"_config.yml": "", "a.md": "# Other", "tide.md": "---\npermalink: /\n---\n"},
}
"""Sites whose home page has the word `tide`."""


@pytest.mark.parametrize("generator", HOMES)
def test_home_page_is_that_of_the_generator(generator: str, tmp_path: Path) -> None:
    files = dict(HOMES[generator])
    files.setdefault("tide.md", "")
    files |= {"README.md": "# Build"} | ({"src/index.md": "# Start"} if generator == "mdBook" else {})
    files |= {path: text + "Ebb and flow." for path, text in files.items() if "tide." in path}
    kismet("build", write_files(tmp_path / "caravans", files), "--out", tmp_path / "public")
    assert "Ebb and flow." in (tmp_path / "public/caravans/index.html").read_text(encoding="utf-8")

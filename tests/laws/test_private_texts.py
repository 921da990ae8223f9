"""A private text leaves no trace in the tree: not its words, its names or its files, whatever made it private."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from kismet_build.serve.served_library import ServedLibrary
from tests.command import ROOT, Run, kismet, tree, write_files
from tests.epub import OpenEpub
from tests.sample import sample
from tests.served_files import served_files, served_paths
from tests.small_library import KIND

SECRET = "zyxquark"
"""A word in every place of a private text, which its public neighbours hide behind a label."""
FOLDER = f"{SECRET} lair"
NOTE = f"{FOLDER}/{SECRET} note.md"
PROPERTIES = f"title: {SECRET} title\naliases: [{SECRET} alias]\ntags: [{SECRET}-tag]\n{SECRET}_key: {SECRET} value\n"
BODY = f"""\
# {SECRET} heading

{SECRET} text, **{SECRET} strong**, ==high== [[{SECRET} target|{SECRET} label]], [[Home|{SECRET}]]
and [[Nowhere {SECRET}]]. Roll 1d20+3 for {SECRET}, or `dice: 1d20|text({SECRET})`. A note[^1].
{SECRET}:: {SECRET} inline field #{SECRET}/tag

## Graces

### {SECRET} grace

**Cost:** 7

**{SECRET} bold:** {SECRET}

| {SECRET} column | d6 |
|---|---|
| {SECRET} cell | 1 |
| a row that is {SECRET} | too | long |

```{SECRET}
{SECRET} code
```

%%{SECRET} comment%% <b>{SECRET} html</b>

> [!note] {SECRET} callout
> {SECRET} inside ^{SECRET}-block

![[{SECRET} picture.png]] and [a file]({SECRET}.pdf) and ![[{SECRET} lost.png]]

{SECRET} term
: {SECRET} definition

[^1]: {SECRET} footnote
"""
HOME = f"""\
---
title: Home
friend: "[[{SECRET} note|a stranger]]"
rival: "[somebody]({SECRET}%20lair/{SECRET}%20note.md) and [who](<{NOTE}> 'a tip')"
foe: "[spaced]({SECRET} lair/{SECRET} note.md)"
face: "![[{SECRET} note|face]]"
loot: {{gold: "`dice: [[{SECRET} note^{SECRET}-block|{SECRET} column]]`"}}
---
# Home

See [[{SECRET} note|the stranger]], [[{FOLDER}/{SECRET} note#{SECRET} heading|him]], [[{SECRET} alias|the other]],
[[{SECRET} title|that one]], [[{SECRET} grace|a grace]], [[Elsewhere/{SECRET} note|the moved one]], [[Twin]] and
[the file]({SECRET}%20lair/{SECRET}%20note.md "a tip") or [spaced]({SECRET} lair/{SECRET} note.md).

## About [[{SECRET} note|somebody]]

![[{SECRET} note]]

![[{SECRET} note#{SECRET} grace|an embed]]

In a line ![[{SECRET} note#^{SECRET}-block]] here.

| Who | What |
|---|---|
| [[{SECRET} note\\|a cell]] | ![[{SECRET} note]] |

- ![[{SECRET} note]]
- [[{SECRET} note|an item]]
- Loot: `dice: [[{FOLDER}/{SECRET} note^{SECRET}-block|{SECRET} column]]`
- `dice: [[{SECRET} note^{SECRET}-block|rolled]]` and `dice: [[{SECRET} note|drawn]]|line`
"""
GAME = """\
id: vault
title: Vault
version: 1.0.0
licence: CC0 1.0
kinds: kinds
sources:
  - {glob: '**/*.md'}
"""
Files = dict[str, str | bytes]
PUBLIC: Files = {
    "Home.md": HOME,
    "Ways/Twin.md": "# Twin\n\nThis one is public.\n\n## Graces\n\n### Bow\n\nYou bend.\n\n**Cost:** 1\n",
    f"{FOLDER}/Twin.md": "# Twin\n\nThis one is public too.\n",
    NOTE: f"---\n{PROPERTIES}---\n{BODY}",
    f"{FOLDER}/{SECRET} picture.png": b"\x89PNG\r\n\x1a\n" + SECRET.encode(),
    f"{FOLDER}/{SECRET}.pdf": b"%PDF" + SECRET.encode(),
}
"""A vault in which nothing is private yet."""
SETTINGS: Files = {"game.yaml": GAME, "kinds/grace.yaml": KIND}
TWIN = f"# Twin\n\nThe {SECRET} twin.\n"


def note(properties: str) -> Files:
    """The note, and its neighbour that has the same name as a public one, with more properties."""
    return {
        NOTE: f"---\n{properties}{PROPERTIES}---\n{BODY}",
        f"{FOLDER}/Twin.md": f"---\n{properties}---\n{TWIN}",
    }


def excluded(settings: Files) -> Files:
    return {f"{FOLDER}/Twin.md": TWIN, **settings}


WAYS: dict[str, Files] = {
    "publish": note("publish: false\n"),
    "publish with a capital": note("Publish: No\n"),
    "draft": note("draft: true\n"),
    "a drawing": note("excalidraw-plugin: parsed\n"),
    "properties that are not valid YAML": note(
        f"name: Command, make 'em: {SECRET}\npublish: false # not yet\n\tx: [\n"
    ),
    "a second value of a property": note("publish: true\npublish: false\n"),
    "an ignore filter": excluded({".obsidian/app.json": json.dumps({"userIgnoreFilters": [f"{FOLDER}/"]})}),
    "an ignore filter of a pattern": excluded(
        {".obsidian/app.json": json.dumps({"userIgnoreFilters": ["/Z.X\\w+ L/"]})}
    ),
    "an ignore filter of all paths but some": excluded(
        {".obsidian/app.json": json.dumps({"userIgnoreFilters": [r"/^(?!Home|Ways\/)/"]})}
    ),
    "a folder of templates": excluded({".obsidian/templates.json": json.dumps({"folder": FOLDER})}),
    "exclude of the library": excluded({"library.yaml": f"exclude: ['{FOLDER}/**']"}),
    "exclude of a folder": excluded({"library.yaml": f"exclude: ['{FOLDER}']"}),
    "exclude of the game": excluded(
        {"game.yaml": f"{GAME}exclude: ['{SECRET.upper()}*/']\n", "kinds/grace.yaml": KIND}
    ),
    "only": {
        **excluded({"library.yaml": "only: {publish: true}"}),
        "Home.md": HOME.replace("title: Home", "title: Home\npublish: true"),
        "Ways/Twin.md": "---\npublish: true\n---\n# Twin\n",
    },
}
"""For each way of making the note private, the files that replace those of the public vault."""


def traces(files: Mapping[str, bytes]) -> Iterator[str]:
    """The files whose name or content contains the secret word, in any case."""
    for path, content in files.items():
        unpacked = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
        if SECRET.encode() in unpacked.lower() or SECRET in path.lower():
            yield path


def build(vault: Path, out: Path, *options: str) -> Run:
    run = kismet("build", vault, "--out", out, *options)
    assert run.status == 0, run.output
    return run


def test_public_text_leaves_traces_in_all_parts_of_a_tree(tmp_path: Path) -> None:
    write_files(tmp_path / "vault", {**PUBLIC, **SETTINGS})
    build(tmp_path / "vault", tmp_path / "out")
    found = [*traces(tree(tmp_path / "out"))]
    parts = "pack.json|diagnostics.json|grace.json|search.js|cards-|llms.txt|offline.json|glossary|print/|.png|.pdf"
    for name in parts.split("|"):
        assert any(name in path for path in found), (name, found)


@pytest.mark.parametrize("way", WAYS)
def test_private_text_leaves_no_trace_in_a_new_tree(tmp_path: Path, way: str) -> None:
    write_files(tmp_path / "vault", {**PUBLIC, **WAYS[way]})
    run = build(tmp_path / "vault", tmp_path / "out")
    assert [*traces(tree(tmp_path / "out"))] == []
    assert "vault: 2 private texts left out" in run.output.casefold()
    assert SECRET not in run.output, "logs are public too"


@pytest.mark.parametrize("way", sample([*WAYS], 3))
def test_text_that_turns_private_leaves_no_trace_in_an_old_tree(tmp_path: Path, way: str) -> None:
    vault, out = tmp_path / "vault", tmp_path / "out"
    write_files(vault, {**PUBLIC, **(SETTINGS if "game.yaml" in WAYS[way] else {})})
    build(vault, out)
    before = tree(out)
    assert [*traces(tree(out))]
    write_files(vault, WAYS[way])
    run = build(vault, out, "--strict")
    assert SECRET not in run.output, "the names of its entities are not printed"
    assert [*traces(tree(out))] == []
    build(vault, tmp_path / "fresh")
    assert tree(out) == tree(tmp_path / "fresh")
    for path in WAYS[way].keys() - PUBLIC.keys() - SETTINGS.keys():
        (vault / path).unlink()
    write_files(vault, {**PUBLIC, **(SETTINGS if "game.yaml" in WAYS[way] else {})})
    build(vault, out)
    assert tree(out) == before, "a private text that turns public is published"


@pytest.mark.parametrize("way", sample([*WAYS], 3))
def test_text_that_turns_private_while_it_is_served_leaves_no_trace(tmp_path: Path, way: str) -> None:
    vault, scratch = tmp_path / "vault", tmp_path / "scratch"
    scratch.mkdir()
    write_files(vault, {**PUBLIC, **(SETTINGS if "game.yaml" in WAYS[way] else {})})
    library = ServedLibrary(vault, None, scratch)
    library.compile()
    library.check()
    asked = served_paths(library)
    assert [*traces(served_files(library))]
    assert [*traces(tree(library.tree))]
    write_files(vault, WAYS[way])
    library.compile({vault / path for path in WAYS[way]})
    assert [*traces(served_files(library, asked | served_paths(library)))] == []
    library.check()
    assert [*traces(tree(library.tree))] == []


def epub_files(folder: Path) -> tuple[dict[str, bytes], str]:
    """The files in the EPUB of the vault below a folder, and what the command says."""
    file = folder / "book.epub"
    run = kismet("book", folder / "vault", "--format", "epub", "--out", file)
    assert run.status == 0, run.output
    return OpenEpub(file.read_bytes()).files, run.output


def test_public_text_leaves_traces_in_an_epub(tmp_path: Path) -> None:
    write_files(tmp_path / "vault", {**PUBLIC, **SETTINGS})
    files, _ = epub_files(tmp_path)
    assert len([*traces(files)]) > 4


@pytest.mark.parametrize("way", sample([*WAYS], 3))
def test_private_text_leaves_no_trace_in_an_epub(tmp_path: Path, way: str) -> None:
    write_files(tmp_path / "vault", {**PUBLIC, **WAYS[way]})
    files, said = epub_files(tmp_path)
    assert [*traces(files)] == []
    assert SECRET not in said


def shown(vault: Path, out: Path, files: Files, page: str) -> str:
    write_files(vault, files)
    build(vault, out)
    return (out / page / "index.html").read_text(encoding="utf-8").partition("<article")[2].partition("</article")[0]


def test_links_to_a_private_text_are_plain_words(tmp_path: Path) -> None:
    article = shown(tmp_path / "vault", tmp_path / "out", {**PUBLIC, **WAYS["publish"]}, "vault")
    for words in (
        "See the stranger, him, the other,<br",
        "\nthat one, a grace, the moved one, <a ",
        "\nthe file or spaced.",
    ):
        assert words in article
    assert "<p>an embed</p>" in article
    assert "About somebody" in article
    text = article.partition('<div class="text">')[2].partition("</div>\n</div>")[0].partition("<div data-")[0]
    assert text.count("<a ") == 2, "the permalink and the link to the public twin"
    assert 'ways/twin/index.html">Twin</a>' in article
    assert json.loads((tmp_path / "out/data/vault/diagnostics.json").read_bytes()) == []


def test_a_private_image_in_raw_html_is_not_named(tmp_path: Path) -> None:
    # As authors write it: a path from the folder of the note, or only a name.
    images = f'<img src="{FOLDER}/{SECRET}.png" alt="a"> <img alt=b src="map.png"> <img src={SECRET}.png>'
    files: Files = {
        "Home.md": f"{images}\n\n<div>\n{images}\n</div>\n",
        f"{FOLDER}/{SECRET}.png": "picture",
        "map.png": "map",
        "library.yaml": f"exclude: ['{FOLDER}']\n",
    }
    article = shown(tmp_path / "vault", tmp_path / "out", files, "vault")
    assert article.count('<img alt="b" src="../vault/files/map.png">') == 2
    assert [*traces(tree(tmp_path / "out"))] == []
    assert json.loads((tmp_path / "out/data/vault/diagnostics.json").read_bytes()) == []


def test_files_that_name_notes_are_not_published(tmp_path: Path) -> None:
    """A vault whose public notes link to one file of each kind; each names a private note in its content."""
    unread = ("Map.canvas", "Plans/Loot.base", "Old drawing.excalidraw", "MAP.Canvas", "picture.png")
    links = "\n".join(
        f"- [[{path}]] [[{path}|seen]] ![[{path}]] ![[{path}|shown]] [led](<{path}>) ![pictured](<{path}>)"
        for path in unread
    )
    files: Files = {
        "Home.md": f'---\nmap: "[[Map.canvas]]"\n---\n{links}\n\n<img src="Map.canvas" alt="raw">\n\n'
        f"[[Hidden/{SECRET}.canvas|hidden]] ![[{SECRET}.canvas]]\n",
        "Home too.adoc": "= Two\n\nlink:Map.canvas[adoc] image:Map.canvas[adoc]\n",
        f"{SECRET}.md": f"---\npublish: false\n---\n{SECRET}\n",
        "library.yaml": "exclude: [Hidden]",
        f"Hidden/{SECRET}.canvas": SECRET,
        ".obsidian/workspace.json": json.dumps({"lastOpenFiles": [f"{SECRET}.md"]}),
        ".obsidian/app.json": "{}",
        ".obsidian/plugins/x/data.json": SECRET,
        ".obsidian/snippets/x.css": SECRET,
        ".trash/Gone.md": SECRET,
        f"Drawing {SECRET}.excalidraw.md": f"---\nexcalidraw-plugin: parsed\n---\n{SECRET}\n",
        "Unlinked.csv": SECRET,
        **dict.fromkeys(unread[:-1], f'{{"nodes": [{{"file": "{SECRET}.md"}}]}}'),
    }
    vault, out = write_files(tmp_path / "vault", files), tmp_path / "out"
    # A link is another name of the file.
    (vault / "picture.png").symlink_to("Map.canvas")
    run = build(vault, out)
    assert [*traces(tree(out))] == []
    assert not [path for path in tree(out) if "/files/" in path]
    diagnostics = json.loads((out / "data/vault/diagnostics.json").read_bytes())
    assert [(found["code"], found["message"]) for found in diagnostics] == [
        ("unread-file", "28 links lead to files that are not read or published")
    ], run.output
    page = (out / "vault/index.html").read_text(encoding="utf-8")
    for path in unread[:-1]:
        name = path.rpartition("/")[2]
        assert f"<li>{name} seen {name} shown led pictured</li>" in page
    assert "unwritten" not in page


def test_asciidoc_text_is_private_by_its_attributes(tmp_path: Path) -> None:
    files: Files = {
        "home.adoc": f"= Home\n:publish:\n\nSee xref:{SECRET}.adoc#x[one] and xref:draft.adoc[two].\n",
        f"{SECRET}.adoc": f"= {SECRET}\n:publish: false\n\n{SECRET}\n",
        "draft.adoc": f"= Draft\n:draft: true\n\n{SECRET}\n",
    }
    assert "See one and two." in shown(tmp_path / "vault", tmp_path / "out", files, "vault")
    assert [*traces(tree(tmp_path / "out"))] == []


@pytest.mark.parametrize("included", ["../outside.adoc", "attributes.adoc", "none.adoc", "{folder}/x.adoc"])
def test_asciidoc_text_is_private_if_a_part_of_its_header_is_refused(included: str, tmp_path: Path) -> None:
    """What is missing may say that the text is private."""
    files: Files = {
        "home.adoc": "= Home\n\nWelcome.\n",
        "attributes.adoc": ":draft: true\n",
        "plan.adoc": f"= Plan\ninclude::{included}[]\n\n{SECRET}\n",
        "../outside.adoc": ":draft: true\n",
    }
    run = build(write_files(tmp_path / "vault", files), tmp_path / "out")
    assert [*traces(tree(tmp_path / "out"))] == []
    assert "left out" in run.output


@pytest.mark.parametrize(
    "line", ["publish:", "publish: null", "publish: true", "draft: false", "draft:", "note: publish"]
)
def test_text_is_public_unless_a_property_says_no(tmp_path: Path, line: str) -> None:
    article = shown(tmp_path / "vault", tmp_path / "out", {"Note.md": f"---\n{line}\n---\nSeen.\n"}, "vault/note")
    assert "Seen." in article


def test_vault_of_private_texts_alone_replaces_the_old_tree(tmp_path: Path) -> None:
    vault, out = tmp_path / "vault", tmp_path / "out"
    write_files(vault, {f"{SECRET}.md": f"{SECRET}\n"})
    build(vault, out)
    assert [*traces(tree(out))]
    write_files(vault, {f"{SECRET}.md": f"---\ndraft: true\n---\n{SECRET}\n"})
    build(vault, out)
    assert [*traces(tree(out))] == []


def test_settings_and_library_name_paths_of_a_game_from_their_own_folder(tmp_path: Path) -> None:
    games = {f"{name}/{path}": text for name in ("one", "two") for path, text in SETTINGS.items()}
    two = str(games["two/game.yaml"]).replace("id: vault", "id: two")
    texts = {f"{game}/{path}": f"# {SECRET} {path}" for game in ("one", "two") for path in ("Hidden/A.md", "Mine/B.md")}
    settings = {
        "library.yaml": "exclude: ['one/Hidden', '*/M?ne/*.md']",
        ".obsidian/app.json": json.dumps({"userIgnoreFilters": ["two/Hidden/"]}),
    }
    public = {"one/Home.md": "# Home", "two/Home.md": "# Home"}
    write_files(tmp_path / "all", {**games, "two/game.yaml": two, **texts, **settings, **public})
    build(tmp_path / "all", tmp_path / "out")
    assert [*traces(tree(tmp_path / "out"))] == []


@pytest.mark.parametrize("text", ['{"userIgnoreFilters": ["/(/"]}', "<<<<<<< HEAD"])
def test_settings_that_cannot_be_read_stop_the_build(tmp_path: Path, text: str) -> None:
    write_files(tmp_path / "vault", {"Home.md": "Home", ".obsidian/app.json": text})
    run = kismet("build", tmp_path / "vault", "--out", tmp_path / "out")
    assert run.status == 2
    assert "cannot tell which texts are private" in run.err
    assert not (tmp_path / "out").exists()


def test_private_text_does_not_stay_in_the_last_good_pages_of_a_game(tmp_path: Path) -> None:
    content, out = tmp_path / "content", tmp_path / "out"
    for name in ("one", "two"):
        game = {**SETTINGS, "game.yaml": GAME.replace("id: vault", f"id: {name}")}
        write_files(
            content / name, {**game, "Home.md": f"# {name}", f"{SECRET}.md": f"# {SECRET if name == 'one' else 'x'}"}
        )
    write_files(content / "two", {f"{SECRET}.md": "---\ndraft: true\n---\n"})
    build(content, out)
    write_files(
        content / "one", {f"{SECRET}.md": "---\ndraft: true\n---\n", "Home.md": "## Graces\n\n### Bow\n\nNo cost.\n"}
    )
    run = kismet("build", content, "--out", out)
    assert run.status == 1
    assert "texts that are private now, so they are left out" in run.err
    assert [*traces(tree(out))] == []


def test_build_that_writes_nothing_says_that_the_old_tree_shows_private_texts(tmp_path: Path) -> None:
    write_files(tmp_path / "vault", {**SETTINGS, "Home.md": "# Home", f"{SECRET}.md": f"# {SECRET}"})
    build(tmp_path / "vault", tmp_path / "out")
    write_files(
        tmp_path / "vault", {f"{SECRET}.md": "---\ndraft: true\n---\n", "Home.md": "## Graces\n\n### No cost\n"}
    )
    run = kismet("build", tmp_path / "vault", "--out", tmp_path / "out")
    assert run.status == 1
    assert f"{tmp_path / 'out'} may still show texts that are private now" in run.err


def test_check_says_how_many_texts_are_private_and_names_none(tmp_path: Path) -> None:
    write_files(tmp_path / "vault", {**PUBLIC, **WAYS["publish"]})
    for output in ("text", "json", "github", "sarif"):
        run = kismet("check", tmp_path / "vault", "--format", output)
        assert run.err == "Vault: 2 private texts left out (2 by properties)\n"
        assert SECRET not in run.out


@pytest.mark.skipif(os.name == "nt", reason="this opens a terminal of Unix")
def test_only_a_terminal_names_the_texts_that_are_not_understood(tmp_path: Path) -> None:
    files: Files = {
        "Home.md": "Seen.",
        f"{SECRET}.md": "---\npublish: flase\n---\n",
        "Draft.md": "---\ndraft: yes\n---\n",
    }
    vault = write_files(tmp_path / "vault", files)
    summary = "Vault: 2 private texts left out (1 because `publish: flase` is neither yes nor no, 1 by properties)\n"
    assert kismet("check", vault).err == summary
    terminal, end = os.openpty()
    command = [sys.executable, "-m", "kismet_build.cli", "check", str(vault), "--format", "json"]
    shown = subprocess.run(command, stdout=subprocess.PIPE, stderr=end, cwd=ROOT, check=True).stdout
    said = os.read(terminal, 10_000).decode()
    os.close(terminal)
    os.close(end)
    assert said.splitlines() == [summary.strip(), f"  {SECRET}.md: `publish: flase` is neither yes nor no"]
    assert SECRET not in shown.decode()


def test_what_looks_private_and_is_published_is_said_once(tmp_path: Path) -> None:
    """A property that the author made a field is his own matter."""
    files: Files = {"A.md": "---\nstatus: wip\n---\n", "B.md": "---\nstatus: Secret\nvisibility: GM\n---\n"}
    vault = write_files(tmp_path / "vault", files)
    said = [json.loads(line)["message"] for line in kismet("check", vault, "--format", "json").out.splitlines()]
    assert said == [
        "`status: wip, secret` looks private, but does not keep a text private here (2 texts have it)",
        "`visibility: gm` looks private, but does not keep a text private here (1 text has it)",
    ]
    write_files(vault, {"library.yaml": "properties: {also: [status, visibility]}"})
    assert kismet("check", vault, "--format", "json").out == ""


def test_only_compares_without_case_and_looks_into_lists(tmp_path: Path) -> None:
    files: Files = {
        "game.yaml": f"{GAME}only: {{tags: players}}\n",
        "kinds/grace.yaml": KIND,
        "library.yaml": "only: {Level: 3}",
        "Home.md": "---\ntags: [rules, Players]\nlevel: 3\n---\nSeen.\n",
        "Tag.md": f"---\ntags: [players]\n---\n{SECRET}\n",
        "Level.md": f"---\nlevel: 3\n---\n{SECRET}\n",
        "Broken.md": f"---\ntags: [players]\nlevel: 3\n]: [\n---\n{SECRET}\n",
    }
    write_files(tmp_path / "vault", files)
    run = kismet("build", tmp_path / "vault", "--out", tmp_path / "out")
    assert "3 private texts left out (3 by properties)" in run.out
    assert (tmp_path / "out/vault/home/index.html").is_file()
    assert [*traces(tree(tmp_path / "out"))] == []


def test_unchanged_build_says_again_how_many_texts_are_private(tmp_path: Path) -> None:
    write_files(tmp_path / "vault", {"Home.md": "Seen.", "Draft.md": "---\ndraft: true\n---\n"})
    assert build(tmp_path / "vault", tmp_path / "out").output == build(tmp_path / "vault", tmp_path / "out").output


def test_dump_describes_no_private_text(tmp_path: Path) -> None:
    write_files(tmp_path / "vault", {"Home.md": "Seen.", "Draft.md": "---\ndraft: true\n---\n"})
    run = kismet("dump", tmp_path / "vault/Draft.md")
    assert (run.status, run.out) == (2, "")
    assert "is private by properties" in run.err

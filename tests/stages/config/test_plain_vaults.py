"""Any folder of texts compiles without configuration: no exception, no URL collision, no lost text."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from kismet_build.model.text_normalization import MAX_SLUG_LENGTH, folder_name, slug
from kismet_build.output.tree import is_page
from kismet_build.render.pages.navigation import MAX_CHAPTERS_SHOWN, NEIGHBOURS_SHOWN
from tests.command import Run, kismet, kismet_process, tree, write_files
from tests.laws.test_site import Page, read_pages
from tests.stages.config.test_library import dead_links

CLEAN, CONTENT = 0, 1
LIBRARY_PAGES = ("index.html", "glossary/index.html", "offline.html", "404.html")
PICTURE = b"\x89PNG\r\n\x1a\n"

Texts = dict[str, str | bytes]


def build(folder: Path, texts: Texts) -> tuple[Run, Path]:
    out = folder / "public"
    run = kismet("build", write_files(folder / "vault", texts), "--out", out)
    assert run.status == CLEAN, run.output
    return run, out


def pack(out: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((out / "data/vault/pack.json").read_text(encoding="utf-8"))
    return data


def titles(out: Path) -> dict[str, str]:
    return {section["url"]: section["title"] for section in pack(out)["sections"] if section["level"] == 0}


def checked_pages(out: Path) -> dict[str, Page]:
    """The pages of a tree, after checking that all links resolve and that no file names collide on any file system."""
    pages = read_pages(out)
    assert dead_links(out, pages) == []
    for path, page in pages.items():
        assert [name for name, number in page.ids.items() if number > 1] == [], path
    paths = list(tree(out))
    assert max(Counter(path.casefold() for path in paths).values()) == 1
    assert [path for path in paths if not path.isascii() or max(map(len, path.split("/"))) > MAX_SLUG_LENGTH + 10] == []
    return pages


# --- names of files

NAMES = {
    "日本語": "ri-ben-yu",
    "ガンダム": "gandamu",
    "한국어": "han-gug-eo",
    "Боевые правила": "boevye-pravila",
    "قواعد القتال": "qwd-lqtl",
    "Ελληνικά": "ellinika",
    "עברית": "vryt",
    "कर्म": "krm",
    "🐉": "dragon",
    "🐉 Lairs": "lairs",
    "Café": "cafe",
    "Cafe\u0301 Noir": "cafe-noir",
    "data": "data-text",
    "glossary": "glossary-text",
    "term": "term-text",
    "con": "con-text",
    "Aux": "aux-text",
    "1984": "1984",
    "2024-01-05": "2024-01-05",
    "1.5 Rounds": "1-5-rounds",
    "3 - Kneeling": "kneeling",
    "4 - Standing": "standing",
    "7 Sins": "7-sins",
    "3-sided coin": "3-sided-coin",
    "NPC": "npc",
    "___": "low-line",
    "…": "horizontal-ellipsis",
    "!?": "exclamation-mark-question-mark",
    "_-_-_-_": "x612bdb0f",
    "a.": "a",
    "C#": "c",
    "50%": "50",
    'q"?': "q",
    "new\nline": "new-line",
    "x" * 240: "x" * 71 + "-718df670",
    "龍" * 80: "-".join(["long"] * 14) + "-d554b21c",
}
"""The expected folder name for each file name."""


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault of texts with many different names that link to each other."""
    links = "".join(f"- [[{name}]]\n" for name in NAMES if not re.search(r'[#\n"]', name))
    return build(tmp_path_factory.mktemp("named"), {f"{name}.md": f"Words.\n\n{links}" for name in NAMES})[1]


def test_every_file_name_has_a_readable_portable_url(named: Path) -> None:
    checked_pages(named)
    assert sorted(titles(named)) == sorted(f"vault/{address}/" for address in NAMES.values())


@pytest.mark.parametrize("name", sorted({*NAMES} - {"3 - Kneeling", "4 - Standing", "new\nline"}))
def test_title_is_the_file_name_as_written(named: Path, name: str) -> None:
    address = f"vault/{NAMES[name]}/"
    assert titles(named)[address] == name
    assert (named / address / "index.html").is_file()


def test_every_file_name_can_be_linked(named: Path) -> None:
    diagnostics = json.loads((named / "data/vault/diagnostics.json").read_text(encoding="utf-8"))
    assert diagnostics == []


def test_folder_name_depends_on_the_file_name_only() -> None:
    assert folder_name("日本語") == folder_name("日本語") == "ri-ben-yu"
    assert len(folder_name("x" * 1000)) <= MAX_SLUG_LENGTH
    assert folder_name("x" * 1000) != folder_name("x" * 1001)
    assert slug("が") == slug("か\u3099") == "ga" != slug("か")
    # Capitals of other alphabets are spelled like small letters, also by several letters.
    assert slug("ШЛЯХ Ящірки") == slug("шлях ящірки") == "shlyakh-yashchirki"
    assert slug("ΨΥΧΗ") == slug("ψυχη") == "psychi"


def test_files_with_the_same_slug_get_numbered_urls(tmp_path: Path) -> None:
    texts: Texts = {
        f"{name}.md": f"I am {name}.\n" for name in ("Map", "map", "MAP", "a b", "a-b", "a_b", "Straße", "Strasse")
    }
    texts |= {"Way.md": "[[Map]] [[map]] [[MAP]] [[a b]] [[a_b]]\n"}
    _, out = build(tmp_path, texts)
    pages = checked_pages(out)
    assert sorted(titles(out)) == sorted(
        f"vault/{name}/" for name in ("map", "map-2", "map-3", "a-b", "a-b-2", "a-b-3", "strasse", "strasse-2", "way")
    )
    led = [
        address
        for _, address in pages["vault/way/index.html"].addresses
        if re.match(r"\.\./\.\./vault/(map|a-b)", address)
    ]
    by_title = {title: address for address, title in titles(out).items()}
    assert led[-5:] == [f"../../{by_title[name]}index.html" for name in ("Map", "map", "MAP", "a b", "a_b")]


def test_folders_with_the_same_slug_get_numbered_urls(tmp_path: Path) -> None:
    texts: Texts = {
        f"{name}/A.md": "x\n" for name in ("01 Places", "02 Places", "places", "PLACES", "日本", "data", "data.")
    }
    _, out = build(tmp_path, texts)
    checked_pages(out)
    numbered = ("places", "places-2", "places-3", "places-4")
    assert {*titles(out)} == {f"vault/{name}/a/" for name in ("data-text", "data-text-2", "ri-ben", *numbered)}


def test_file_name_that_is_not_utf_8_is_accepted(tmp_path: Path) -> None:
    folder = write_files(tmp_path / "vault", {"a.md": "x\n"})
    try:
        Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.md")).write_text("Words.\n", encoding="utf-8")
    except OSError:
        pytest.skip("this file system does not allow such names")
    assert kismet("build", folder, "--out", tmp_path / "public").status == CLEAN
    assert titles(tmp_path / "public")["vault/caf/"] == "caf\ufffd"


def test_the_only_heading_of_a_note_is_its_title_but_not_its_address(tmp_path: Path) -> None:
    texts: Texts = {
        "README.md": "# The House\n",
        "house-rules.md": "# Rules of the House\n",
        "stairs.md": "# Stairs\n",
        "dragon.md": "# The Dragon\n\n## Teeth\n",
        "egg.md": "# Shell\n\n# Yolk\n\n[[The Dragon]], [[dragon]]\n",
        "CLAWS.md": "# CLAWS\n",
    }
    _, out = build(tmp_path, texts)
    assert titles(out) == {
        "vault/": "The House",
        "vault/house-rules/": "Rules of the House",
        "vault/stairs/": "Stairs",
        "vault/dragon/": "The Dragon",
        "vault/egg/": "egg",
        "vault/claws/": "Claws",
    }


def test_text_about_a_folder_has_its_title(tmp_path: Path) -> None:
    texts: Texts = {
        "Gear/_index.md": "All of it.\n",
        "Beasts/index.md": "They bite.\n",
        "Spells/_index.md": "# All spells\n",
        "Spells/Light.md": "Shine.\n",
    }
    _, out = build(tmp_path, texts)
    assert titles(out) == {
        "vault/beasts/": "Beasts",
        "vault/gear/": "Gear",
        "vault/spells/": "All spells",
        "vault/spells/light/": "Light",
    }


def test_technical_name_of_a_folder_is_shown_as_words(tmp_path: Path) -> None:
    names = {
        "house_rules": "House Rules",
        "old-maps": "Old Maps",
        "World_of_Ash": "World of Ash",
        "half-Elves": "half-Elves",
        "gear": "Gear",
        "npc": "npc",
        "2024-01-05": "2024-01-05",
    }
    _, out = build(tmp_path, {f"{name}/Bog.md": "Deep.\n" for name in names})
    for name, title in names.items():
        page = (out / "vault" / slug(name) / "index.html").read_text(encoding="utf-8")
        assert f"<h1>{title}</h1>" in page


def test_folder_says_whether_it_holds_entries_or_chapters(tmp_path: Path) -> None:
    beasts = {f"Beasts/{name}.md": "---\nlevel: 1\nsize: 2\n---\n" for name in ("Crow", "Hare", "Pike")}
    _, out = build(tmp_path, {**beasts, "Rules/One.md": "x\n", "Rules/Two.md": "x\n", "All/Deep/Pit.md": "x\n"})
    home = (out / "vault/index.html").read_text(encoding="utf-8")
    assert re.findall(r'card-counts">([^<]*)<', home) == ["1 chapter", "3 entries", "2 chapters"]
    library = (out / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'card-counts">([^<]*)<', library) == ["3 chapters · 3 entries"]


def test_navigation_calls_chapters_and_entries_pages(tmp_path: Path) -> None:
    beasts = {f"Beasts/Crow {number}.md": "---\nlevel: 1\nsize: 2\n---\n" for number in range(MAX_CHAPTERS_SHOWN)}
    _, out = build(tmp_path, {**beasts, **{f"Rule {number}.md": "x\n" for number in range(20)}})
    html = (out / "vault/rule-0/index.html").read_text(encoding="utf-8")
    assert f'All pages <span class="number">{MAX_CHAPTERS_SHOWN + 20}<' in html


def test_only_a_library_of_games_links_to_all_games(tmp_path: Path) -> None:
    _, out = build(tmp_path, {"Rules/One.md": "x\n"})
    assert [path for path in (out / "vault").rglob("*.html") if "All games" in path.read_text(encoding="utf-8")] == []
    game = "version: 1\nlicence: none\nvault: true\nsources: [{glob: '*.md'}]\n"
    games = {f"{name}/game.yaml": f"id: {name}\ntitle: {name}\n{game}" for name in ("bog", "fen")}
    write_files(tmp_path / "games", {**games, "bog/One.md": "x\n", "fen/One.md": "x\n"})
    assert kismet("build", tmp_path / "games", "--out", out).status == CLEAN
    assert "All games" in (out / "fen/one/index.html").read_text(encoding="utf-8")


# --- properties

PROPERTIES = {
    "empty": ("---\n---\n", "empty"),
    "blank": ("---\n\n---\n", "blank"),
    "broken": ("---\ntitle: [a\n---\n", "broken"),
    "template": ("---\ndate: {{date}}\n---\n", "template"),
    "a list": ("---\n- a\n- b\n---\n", "a list"),
    "tabs": ("---\n\ta: b\n---\n", "tabs"),
    "a key that is a list": ("---\n? [x]\n: y\n---\n", "a key that is a list"),
    "a cycle": ("---\na: &x [*x]\n---\n", "a cycle"),
    "a number of many digits": ("---\nn: " + "9" * 5000 + "\n---\n", "a number of many digits"),
    "duplicate key": ("---\na: 1\na: 2\n---\n", "duplicate key"),
    "number": ("---\ntitle: 1984\n---\n", "1984"),
    "zeros": ("---\ntitle: 007\n---\n", "007"),
    "float": ("---\ntitle: 1.50\n---\n", "1.50"),
    "boolean": ("---\ntitle: true\n---\n", "true"),
    "date": ("---\ntitle: 2024-01-05\n---\n", "2024-01-05"),
    "null": ("---\ntitle: null\n---\n", "null"),
    "title is a list": ("---\ntitle: [a, b]\n---\n", "title is a list"),
    "title is a mapping": ("---\ntitle: {a: b}\n---\n", "title is a mapping"),
    "html": ("---\ntitle: <b>Bold</b> & co\n---\n", "<b>Bold</b> & co"),
    "json": ('---\n{"title": "From JSON"}\n---\n', "From JSON"),
    "aliases null": ("---\naliases: null\n---\n", "aliases null"),
    "aliases number": ("---\naliases: 5\n---\n", "aliases number"),
    "aliases mixed": ("---\naliases: [1, null, 2.5, true, {a: b}, [x], '']\n---\n", "aliases mixed"),
    "aliases map": ("---\naliases: {a: b}\n---\n", "aliases map"),
    "nested": ("---\na: {b: [1, {c: d}]}\n---\n", "nested"),
    "windows": ("---\r\ntitle: From Windows\r\n---\r\n", "From Windows"),
    "byte order mark": ("\ufeff---\ntitle: Marked\n---\n", "Marked"),
    "unclosed": ("---\ntitle: x\n\n", "unclosed"),
}


@pytest.fixture(scope="module")
def with_properties(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts: Texts = {f"{name}.md": f"{text}I am {slug(name)}.\n" for name, (text, _) in PROPERTIES.items()}
    return build(tmp_path_factory.mktemp("properties"), texts)[1]


@pytest.mark.parametrize("name", PROPERTIES)
def test_text_with_any_frontmatter_is_published_under_its_title(with_properties: Path, name: str) -> None:
    address = f"vault/{slug(name)}/"
    assert titles(with_properties)[address] == PROPERTIES[name][1]
    assert f"I am {slug(name)}." in (with_properties / address / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("game", ["", "id: vault\ntitle: V\nversion: 1\nlicence: CC0\nsources: [{glob: '**/*.md'}]\n"])
def test_broken_texts_cause_warnings_only_without_kinds(tmp_path: Path, game: str) -> None:
    texts: Texts = {
        **({"game.yaml": game} if game else {}),
        "a.md": "---\ntitle: [\n---\nSound words.\n",
        "latin.md": "# Caf\xe9\n\nna\xefve\n".encode("latin-1"),
        "wide.md": "# Wide words\n".encode("utf-16"),
        "bytes.md": bytes(range(256)),
        "circle.md": "![[circle]]\n",
        "nothing.md": "",
    }
    run, out = build(tmp_path, texts)
    checked_pages(out)
    assert run.err.count("warning[invalid-encoding]") == 3
    assert run.err.count("warning[invalid-frontmatter]") == 1
    assert run.err.count("warning[embed-cycle]") == 1
    assert "naïve" in (out / "vault/latin/index.html").read_text(encoding="utf-8")
    assert "Wide words" in (out / "vault/wide/index.html").read_text(encoding="utf-8")
    assert kismet("check", tmp_path / "vault", "--strict").status == CONTENT


# --- files next to the texts


def test_attachments_are_linked_by_name_path_and_fragment(tmp_path: Path) -> None:
    texts: Texts = {
        "Links.md": "![[map.png]] ![map](assets/Map.PNG) ![x](<assets/a b.jpg>) ![x](assets/%E5%9C%B0.png)\n"
        "[sheet](files/sheet.pdf) [page 3](files/sheet.pdf#page=3) [words](files/words.docx) [[board.zip]]\n"
        "![[song.mp3]]\n",
        **{f"assets/{name}": PICTURE for name in ("map.png", "Map.PNG", "a b.jpg", "地.png", "con.png", "unused.png")},
        **{f"files/{name}": b"x" for name in ("sheet.pdf", "words.docx", "board.zip", "song.mp3")},
    }
    run, out = build(tmp_path, texts)
    checked_pages(out)
    assert run.err == ""
    files = sorted(path.removeprefix("vault/files/") for path in tree(out) if path.startswith("vault/files/"))
    assert files == [
        "assets/a-b.jpg",
        "assets/de.png",
        "assets/map-2.png",
        "assets/map.png",
        "files/board.zip",
        "files/sheet.pdf",
        "files/song.mp3",
        "files/words.docx",
    ]
    page = (out / "vault/links/index.html").read_text(encoding="utf-8")
    assert 'href="../../vault/files/files/sheet.pdf#page=3"' in page


def test_note_templates_and_hidden_folders_are_excluded(tmp_path: Path) -> None:
    texts: Texts = {
        ".obsidian/templates.json": '{"folder": "Patterns"}',
        ".obsidian/plugins/templater-obsidian/data.json": '{"templates_folder": "More/Patterns/"}',
        "Patterns/New.md": "---\ndate: {{date}}\n---\n",
        "More/Patterns/New.md": "# <% tp.file.title %>\n",
        "Patterns of Speech.md": "x\n",
        ".trash/Old.md": "x\n",
        "Notes.MD": "# Large letters\n",
    }
    run, out = build(tmp_path, texts)
    assert run.err == ""
    assert sorted(titles(out)) == ["vault/notes/", "vault/patterns-of-speech/"]


def test_vault_that_contains_its_output_folder_can_be_rebuilt(tmp_path: Path) -> None:
    folder = write_files(tmp_path / "vault", {"a.md": "![[map.png]]\n", "zoo/map.png": PICTURE})
    assert kismet("build", ".", cwd=folder).status == CLEAN
    before = tree(folder / "public")
    assert kismet("build", ".", cwd=folder).status == CLEAN
    assert tree(folder / "public") == before


def test_terms_and_tables_are_published_as_data_with_backlinks(tmp_path: Path) -> None:
    texts: Texts = {
        "Moves.md": "# Moves\n\n- **Strike:** you hit what stands before you.\n\n"
        "| Roll | Result |\n|---|---|\n| 1 | Miss |\n",
        "guide.adoc": "= Guide\n\nKneel:: you are lower than before, and harder to hit.\n",
        "Other.md": "See [[Strike]] and [[Moves]].\n",
    }
    _, out = build(tmp_path, texts)
    data = pack(out)
    assert [term["name"] for term in data["entities"]["term"]] == ["Kneel", "Strike"]
    strike = data["entities"]["term"][1]
    assert strike["backlinks"] == ["vault/section/other"]
    assert [(table["columns"], table["rows"]) for table in data["tables"]] == [(["Roll", "Result"], [["1", "Miss"]])]
    checked_pages(out)


# --- many texts


def many(count: int, folders: int) -> Texts:
    """`count` texts in `folders` folders with two levels of subfolders; without folders, all in one place."""
    names = [f"Region {n % folders}/Town {n % 3}/Note {n}" if folders else f"Note {n}" for n in range(count)]
    return {f"{name}.md": note_text(name.rpartition("/")[2], n, count) for n, name in enumerate(names)}


def note_text(title: str, n: int, count: int) -> str:
    links = f"See [[Note {(n * 7) % count}]] and [[Lost {n % 5}]]."
    return f"# {title}\n\n{links}\n\n**Word {n}:** is not like others.\n"


@pytest.mark.parametrize(("folders", "few"), [(0, 60), (2, 120)])
def test_navigation_size_is_independent_of_the_number_of_texts(tmp_path: Path, folders: int, few: int) -> None:
    sizes = {}
    for count in (few, 2 * few):
        _, out = build(tmp_path / str(count), many(count, folders))
        pages = [page for path, page in checked_pages(out).items() if "/note-" in path]
        assert len(pages) == count
        sizes[count] = max(len(page.addresses) for page in pages)
    assert sizes[few] <= sizes[2 * few] <= sizes[few] + 2
    assert sizes[2 * few] < MAX_CHAPTERS_SHOWN + 2 * NEIGHBOURS_SHOWN + 40


def test_every_text_is_linked_from_its_folder_page(tmp_path: Path) -> None:
    _, out = build(tmp_path, many(90, 4))
    pages = checked_pages(out)
    home = pages["vault/index.html"]
    assert {address for _, address in home.addresses if re.fullmatch(r"\.\./vault/region-\d/index.html", address)}
    folder = pages["vault/region-1/town-2/index.html"]
    shown = {unquote(address) for _, address in folder.addresses}
    inside = [path for path in pages if path.startswith("vault/region-1/town-2/note")]
    assert inside
    assert {f"../../../{path}" for path in inside} <= shown
    assert "Region 1" in (out / inside[0]).read_text(encoding="utf-8").partition('class="breadcrumbs"')[2]


def test_text_with_the_name_of_a_folder_becomes_its_folder_page(tmp_path: Path) -> None:
    _, out = build(tmp_path, {"Places.md": "All of them.\n", "Places/Inn.md": "x\n", "Places/Old/Well.md": "x\n"})
    pages = checked_pages(out)
    assert "All of them." in pages["vault/places/index.html"].article
    assert "Inn" in pages["vault/places/index.html"].article
    assert sorted(titles(out)) == ["vault/places/", "vault/places/inn/", "vault/places/old/well/"]


def test_output_is_identical_with_any_number_of_jobs(tmp_path: Path) -> None:
    folder = write_files(tmp_path / "vault", many(60, 4) | {"MAP.md": "x\n", "Map.md": "y\n", "map.md": "z\n"})
    for jobs in ("1", "2"):
        assert kismet_process("build", folder, "--out", tmp_path / jobs, "--jobs", jobs).status == CLEAN
    assert tree(tmp_path / "1") == tree(tmp_path / "2")


@pytest.mark.slow
def test_mkdocs_publishes_a_vault_at_the_same_urls_with_folders_as_groups(tmp_path: Path) -> None:
    texts = many(12, 2) | {"日本語.md": "x\n", "Links.md": "![[map.png]]\n", "assets/map.png": PICTURE}
    _, out = build(tmp_path, texts)
    (tmp_path / "docs").mkdir()
    settings = "site_name: Vault\nuse_directory_urls: true\nplugins:\n  - kismet:\n      library: vault\n"
    (tmp_path / "mkdocs.yml").write_text(settings, encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(tmp_path / "mkdocs.yml")]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    theirs = {path for path in tree(tmp_path / "site") if path.startswith("vault/")}
    # Not its redirects, nor the Markdown next to pages.
    ours = {
        path for path, content in tree(out).items() if is_page(path, content) or not path.endswith((".html", ".md"))
    }
    # My table needs scripts that MkDocs' themes do not load.
    assert {path for path in ours if path.startswith("vault/")} - {"vault/table/index.html"} <= theirs
    home = (tmp_path / "site/vault/index.html").read_text(encoding="utf-8")
    assert home.index("Region 0") < home.index("Town 0") < home.index("Note 0")


@pytest.mark.parametrize(
    ("texts", "title"),
    [
        ({"Home.md": "> A quote.\n\n# Hollow Sun\n\nIt is.\n"}, "Hollow Sun"),
        ({"README.md": "---\ntitle: Hollow Sun\n---\nIt is.\n", "my-vault.md": "# Another\n"}, "Hollow Sun"),
        ({"my-vault.md": "# Hollow Sun\n"}, "Hollow Sun"),
        ({"Home.md": "# Welcome to it\n"}, "My Vault"),
        ({"Home.md": "# One\n\n# Two\n"}, "My Vault"),
        ({"Home.md": "---\npublish: false\n---\n# Secret\n", "Rules.md": "A rule.\n"}, "My Vault"),
        ({"Accueil.md": "# Hollow Sun\n"}, "Hollow Sun"),
        ({"Home.md": "# Hollow Sun\n", "library.yaml": "title: All of it\n"}, "All of it"),
    ],
    ids=[
        "a heading",
        "a property",
        "a folder's name",
        "a greeting",
        "two headings",
        "a private note",
        "French",
        "library.yaml",
    ],
)
def test_home_note_names_the_game(tmp_path: Path, texts: dict[str, str], title: str) -> None:
    run = kismet("build", write_files(tmp_path / "my-vault", {**texts}), "--out", tmp_path / "out", "--no-search")
    assert run.status == CLEAN, run.output
    home = (tmp_path / "out/my-vault/index.html").read_text(encoding="utf-8")
    assert f'data-paper="{title}"' in home
    assert f"<h1>{title}</h1>" in (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert 'id="_kinds"' not in home, "a vault without entities lists no kinds"
    pack = json.loads((tmp_path / "out/data/my-vault/pack.json").read_text(encoding="utf-8"))
    assert pack["game"]["title"] == title


def test_texts_beside_entities_keep_the_address_of_their_folder(tmp_path: Path) -> None:
    gems = {
        f"Treasure/{name}.md": f"---\nvalue: {len(name)}\nweight: 1\n---\nIt is.\n" for name in ("Ruby", "Jet", "Opal")
    }
    texts = {
        "Treasure/Hoard.md": "A text.\n",
        "Treasure/Treasure.md": "Of the folder.\n",
        "Treasure/Old/Coins/Gold.md": "Deep.\n",
        "Treasure/Old.md": "Of the old folder.\n",
        "Finds.md": "```statblock\nlayout: Treasure\nname: Hoard\nvalue: 9\n```\n\n"
        "[[Treasure/Hoard]] [[Gold]] [[Treasure]] [[Old]]\n",
    }
    vault = write_files(tmp_path / "vault", {**gems, **texts})
    out = tmp_path / "out"
    assert kismet("build", vault, "--out", out, "--no-search").status == CLEAN
    pages = {path.relative_to(out / "vault").parent.as_posix() for path in out.glob("vault/treasure*/**/index.html")}
    assert pages == {
        *("treasure", "treasure/ruby", "treasure/jet", "treasure/opal", "treasure/hoard"),
        *("treasure-text", "treasure/hoard-text", "treasure/old", "treasure/old/coins", "treasure/old/coins/gold"),
        "treasure/treasure",
    }
    assert "A text." in (out / "vault/treasure/hoard-text/index.html").read_text(encoding="utf-8")
    assert "Of the folder." in (out / "vault/treasure-text/index.html").read_text(encoding="utf-8")
    assert "Of the old folder." in (out / "vault/treasure/old/index.html").read_text(encoding="utf-8")
    assert dead_links(out, read_pages(out)) == []


def test_a_chain_of_embeds_that_is_too_long_is_cut_by_one_link(tmp_path: Path) -> None:
    chain: Texts = {f"N{number:02}.md": f"Text {number}.\n\n![[N{number + 1:02}]]\n" for number in range(24)}
    _, out = build(tmp_path, {**chain, "N24.md": "The end.\n", "Before.md": "![[N00]]\n"})
    page = (out / "vault/n03/index.html").read_text(encoding="utf-8")
    assert '<a href="../../vault/n04/index.html">N04</a>' in page
    assert "The end." not in page
    assert "Text 3." in (out / "vault/before/index.html").read_text(encoding="utf-8")
    assert "The end." in (out / "vault/n04/index.html").read_text(encoding="utf-8")


def test_the_pages_of_a_library_of_one_vault_speak_of_one(tmp_path: Path) -> None:
    notes = {f"Beasts/{name}.md": f"---\nlevel: {name}\nhome: fen\n---\nIt runs.\n" for name in "123"}
    write_files(tmp_path / "Fen", {**notes, "library.yaml": "url: https://fen.example/\n"})
    run = kismet("build", tmp_path / "Fen", "--out", tmp_path / "out", "--no-search")
    assert run.status == 0, run.output
    pages = {name: (tmp_path / "out" / name).read_text(encoding="utf-8") for name in LIBRARY_PAGES}
    assert [name for name, page in pages.items() if re.search("[Aa]ll games|every game|cards", page)] == []
    assert '<a class="bar-game" href="index.html">Fen</a>' in pages["index.html"]
    assert "3 entries" in pages["index.html"]


def test_properties_with_an_open_bracket_are_reported_with_the_line_of_the_bracket(tmp_path: Path) -> None:
    vault = write_files(tmp_path / "vault", {"Wolf.md": "---\ntags: [beast\nlevel: 2\n---\nIt runs.\n"})
    run = kismet("check", vault)
    assert "Wolf.md:3:6" in run.output
    assert re.search(r"it starts here: \S*Wolf\.md:2:7", run.output)


def test_missing_files_are_no_texts_that_are_still_to_come(tmp_path: Path) -> None:
    text = "[[Boats]], [[Sheet.pdf]], [map](Map.png), ![[Song.MP3]] and [[v1.2]].\n"
    _, out = build(tmp_path, {"Mira.md": text, "B.md": "Nets.\n"})
    page = (out / "vault/mira/index.html").read_text(encoding="utf-8")
    assert '<span class="unwritten" title="not yet written: Boats">Boats</span>' in page
    assert '<span class="unwritten">Sheet.pdf</span>, <span class="unwritten">map</span>' in page
    home = (out / "vault/index.html").read_text(encoding="utf-8")
    assert set(re.findall(r'id="(unwritten-[^"]+)"', home)) == {"unwritten-boats", "unwritten-v1-2"}
    checked_pages(out)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Der Turm ist alt und wird von den Leuten nicht mehr besucht.", {"Begriffe", "Geist", "Drohne"}),
        ("The tower is old and the people of the town do not visit it.", {"Terms", "Geists", "Drohnes"}),
    ],
)
def test_found_kinds_are_named_in_the_language_of_the_texts(tmp_path: Path, sentence: str, expected: set[str]) -> None:
    """A kind named by a statblock or by the value of a property gets an English plural in English texts only."""
    notes: Texts = {
        f"Turm/{name}.md": f"---\ntype: {kind}\n{fields}\n---\n{sentence}\n"
        for names, kind, fields in (("ABC", "Drohne", "Akku: 3\nFunk: 2"), ("DEF", "Ort", "Lage: 1\nTore: 4"))
        for name in names
    }
    notes["Spuk.md"] = f"# Spuk\n\n{sentence}\n\n```statblock\nlayout: Geist\nname: Spuk\nhp: 3\n```\n"
    notes["Worte.md"] = f"{sentence}\n\n**Bake** – {sentence}\n"
    _, out = build(tmp_path, notes)
    assert expected <= {kind["plural"] for kind in pack(out)["kinds"].values()}
    if "Begriffe" in expected:
        assert "A word that the text" not in (out / "vault/index.html").read_text(encoding="utf-8")


NO_TERMS = """
- **1912** – The tower burns down.
- **Perception 10** – You hear the owls above you.
- **+1 Bane** – Roll one more die and drop it.
- **Disclaimer:** Nobody here has seen an owl.
- **Full success:** You hear what they say.
- **Power is earned, not given:** You start with little of it.
- **Weight:** two stone
"""
"""Bold words that begin an item and are not explained by the text after them."""


def test_a_term_of_a_plain_vault_is_explained_by_a_sentence(tmp_path: Path) -> None:
    _, out = build(tmp_path, {"Years.md": f"# Years\n{NO_TERMS}- **Deck** – The floor of the barn.\n"})
    assert [term["name"] for term in pack(out)["entities"]["term"]] == ["Deck"]


def test_a_speaker_in_an_example_of_play_is_no_term(tmp_path: Path) -> None:
    talk = "**Referee:** The well is dry. What now?\n\n**Jonas:** I drop a stone.\n\n**Referee:** You hear nothing.\n"
    _, out = build(tmp_path, {"Well.md": f"# Well\n\n{talk}\n# Words\n\n**Deck:** The floor of the barn.\n"})
    assert [term["name"] for term in pack(out)["entities"]["term"]] == ["Deck"]


# --- pages exist only if they have content


QUESTION = "# Mira\n\nShe mends nets.\n\n> [!question] Who pays her?\n> Nobody says so.\n"
RULING = QUESTION + "> Ruling: the harbour does.\n"
ADVICE = 'for the home page, set "licence" and "description" in game.yaml'
OPTIONAL_PAGES = {"calculators", "questions", "errata"}


@pytest.mark.parametrize(("note", "expected"), [(QUESTION, set()), (RULING, {"questions", "errata"})])
def test_empty_pages_and_advice_for_authors_are_not_on_the_site(tmp_path: Path, note: str, expected: set[str]) -> None:
    run, out = build(
        tmp_path, {"Mira.md": note, "Places/Harbour.md": "# Harbour\n\nBoats.\n", "Start.md": "# Start\n\nHi.\n"}
    )
    for output in (run.output, kismet("check", tmp_path / "vault").output):
        assert output.splitlines().count(f"advice: {ADVICE}") == 1
    assert not any(pack(out)["entities"].values())
    checked_pages(out)
    folders = {path.name for path in out.rglob("*") if path.is_dir()}
    assert folders & OPTIONAL_PAGES == expected
    for path in out.rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        linked = {name for name in OPTIONAL_PAGES if f"{name}/index.html" in page}
        assert linked <= expected, path
        assert ".yaml" not in page, path
        assert "glossary/" not in page or path.parent.name == "glossary", path  # no note is an entry
    home = (out / "vault/index.html").read_text(encoding="utf-8")
    assert 'id="_licence"' not in home
    assert "glossary" not in (out / "llms.txt").read_text(encoding="utf-8").lower()
    listed = json.loads((out / "data/vault/questions.json").read_text(encoding="utf-8"))["questions"]
    assert bool(listed) == bool(expected)


def test_advice_names_the_games_that_it_is_for(tmp_path: Path) -> None:
    game = "id: {0}\ntitle: {0}\nversion: 1.0.0\nlicence: MIT\nsources: [{{glob: '*.md', dialect: obsidian}}]\n"
    for name, more in (("fen", "description: Reeds.\n"), ("moor", ""), ("heath", "")):
        write_files(tmp_path / "games" / name, {"game.yaml": game.format(name) + more, "Text.md": "# Text\n"})
    run = kismet("check", tmp_path / "games")
    lines = [line for line in run.output.splitlines() if line.startswith("advice")]
    assert lines == ['advice: for the home page, set "description" (heath, moor) in game.yaml']
    assert "advice" not in kismet("build", tmp_path / "games", "--out", tmp_path / "out", "--quiet").output

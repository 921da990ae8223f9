"""`nav` and `links` of `library.yaml`: the entries of the navigation and of the foot of pages."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kismet_build.serve.served_library import ServedLibrary
from tests.command import Run, kismet, write_files
from tests.served_files import served_files
from tests.small_library import GAME, KIND, TEXT

NAV = """\
title: Our Table
site: look
nav:
- Home: /
- Zither: zither/
- Graces of the court: ember-court/grace
- Bow: ember-court/grace/bow/#_text
- Who we are: pages/Who We Are.md
- Every name: glossary/
- Forum: https://forum.example/
links:
- Imprint: Imprint
- Write to us: mailto:us@table.example
"""
ENTRIES = [
    ("Home", "index.html"),
    ("Zither", "zither/index.html"),
    ("Graces of the court", "ember-court/grace/index.html"),
    ("Bow", "ember-court/grace/bow/index.html#_text"),
    ("Who we are", "who-we-are/index.html"),
    ("Every name", "glossary/index.html"),
    ("Forum", "https://forum.example/"),
]
"""The entries of `NAV`: names with addresses from the root of the tree."""


def write_games(folder: Path, nav: str = NAV, **files: str) -> Path:
    """Two games and two pages of the author's own, with `library.yaml`; `files` by path, `__` for a slash."""
    of_game = {"kinds/grace.yaml": KIND, "1 Court.md": TEXT}
    zither = GAME.replace("ember-court", "zither").replace("Ember Court", "Zither Days")
    return write_files(
        folder / "texts",
        {f"{game}/{path}": text for game in ("ember-court", "zither") for path, text in of_game.items()}
        | {"ember-court/game.yaml": GAME, "zither/game.yaml": zither, "library.yaml": nav}
        | {"look/pages/Who We Are.md": "# We\n\nFive people.\n", "look/pages/imprint.md": "# Imprint\n\nUs.\n"}
        | {path.replace("__", "/"): text for path, text in files.items()},
    )


def build(texts: Path) -> Run:
    return kismet("build", texts, "--out", texts.parent / "public", "--no-search")


def page(folder: Path, address: str = "index.html") -> str:
    return (folder / "public" / address).read_text(encoding="utf-8")


def links(html: str) -> list[tuple[str, str]]:
    return [(words, address) for address, words in re.findall(r'<a href="([^"]+)"[^>]*>([^<]+)</a>', html)]


def site_navigation(html: str) -> str:
    """The part of a page with the entries of `nav`: a separate list, or the last list of the game's navigation."""
    of_game = html.partition(">This website</p>")[2].partition("</nav>")[0]
    return of_game or html.partition('<nav class="site-nav"')[2].partition("</nav>")[0]


def test_entries_have_their_order_and_names_on_all_pages(tmp_path: Path) -> None:
    run = build(write_games(tmp_path))
    assert (run.status, "0 errors, 0 warnings" in run.output) == (0, True), run.output
    for address in ("index.html", "glossary/index.html", "who-we-are/index.html", "ember-court/grace/bow/index.html"):
        root = "../" * address.count("/")
        expected = [(words, target if ":" in target else root + target) for words, target in ENTRIES]
        assert links(site_navigation(page(tmp_path, address))) == expected, address


def test_entry_of_the_page_is_marked(tmp_path: Path) -> None:
    build(write_games(tmp_path))
    current = re.compile(r'aria-current="page">([^<]+)<')
    for address, title in (
        ("index.html", "Home"),
        ("who-we-are/index.html", "Who we are"),
        ("zither/index.html", "Zither"),
    ):
        assert current.findall(site_navigation(page(tmp_path, address))) == [title]


def test_links_at_the_foot_name_pages_like_the_navigation(tmp_path: Path) -> None:
    build(write_games(tmp_path))
    for address in ("index.html", "ember-court/grace/bow/index.html"):
        root = "../" * address.count("/")
        foot = page(tmp_path, address).partition('<footer class="colophon">')[2]
        assert links(foot)[:2] == [("Imprint", f"{root}imprint/index.html"), ("Write to us", "mailto:us@table.example")]


def test_games_stand_on_the_home_page_in_the_order_of_the_navigation(tmp_path: Path) -> None:
    shelf = re.compile(r'<h2 id="([^"]+)"')
    build(write_games(tmp_path, "title: Our Table\n"))
    assert shelf.findall(page(tmp_path)) == ["ember-court", "zither"]
    build(write_games(tmp_path))
    assert shelf.findall(page(tmp_path)) == ["zither", "ember-court"]


def test_navigation_takes_the_place_of_the_links_to_all_games_and_to_the_manual(tmp_path: Path) -> None:
    manual = {"docs__Begin.md": "# Begin\n\nWrite.\n"}
    build(write_games(tmp_path, "manual: docs\n", **manual))
    more = page(tmp_path, "zither/index.html").partition(">More</p>")[2].partition("</nav>")[0]
    assert ("All games", "../index.html") in links(more)
    assert "docs/index.html" in page(tmp_path).partition("<footer")[2]
    run = build(write_games(tmp_path, "manual: docs\nnav:\n- Games: /\n- How to write: docs\n", **manual))
    assert run.status == 0, run.output
    assert [words for words, _ in links(site_navigation(page(tmp_path, "zither/index.html")))] == [
        "Games",
        "How to write",
    ]
    more = page(tmp_path, "zither/index.html").partition(">More</p>")[2].partition("</ul>")[0]
    assert "All games" not in more
    assert "docs/index.html" not in page(tmp_path).partition("<footer")[2]
    assert links(site_navigation(page(tmp_path, "docs/begin/index.html")))[1] == (
        "How to write",
        "../../docs/index.html",
    )


@pytest.mark.parametrize(
    ("entry", "place", "cure"),
    [
        ("Bow: ember-court/grace/bo/", "library.yaml:2:3", 'did you mean "ember-court/grace/bow/"?'),
        ("Court: ember-court/cort/", "library.yaml:2:3", 'did you mean "ember-court/court/"?'),
        ("Photo: assets/site/photo.png", "library.yaml:2:3", "open the page, and copy its address"),
        ("Court: ember-cuort/", "library.yaml:2:3", 'did you mean "ember-court"?'),
    ],
)
def test_an_entry_for_nothing_stops_the_build_and_leaves_the_last_pages(
    tmp_path: Path, entry: str, place: str, cure: str
) -> None:
    build(write_games(tmp_path))
    files = sorted(file for file in (tmp_path / "public").rglob("*") if file.is_file())
    before = {file: file.read_bytes() for file in files}
    run = build(write_games(tmp_path, f"nav:\n- {entry}\n", **{"ember-court__1 Court.md": TEXT + "\nNew.\n"}))
    assert run.status == 2
    assert run.output.count("error[invalid-library]") == 1
    assert place in run.output
    assert cure in run.output
    assert ", where there is neither a " in run.output
    after = sorted(file for file in (tmp_path / "public").rglob("*") if file.is_file())
    assert {file: file.read_bytes() for file in after} == before


def test_an_entry_for_a_game_with_errors_does_not_keep_back_the_others(tmp_path: Path) -> None:
    broken = TEXT.replace("**Cost:** 2", "**Cost:** purple")
    run = build(write_games(tmp_path, **{"zither__1 Court.md": broken}))
    assert run.status == 1
    assert (
        'warning[unresolved-link]: "Zither" leads to "zither/", which is not published because of errors' in run.output
    )
    assert "Graces of the court" in page(tmp_path)


def test_a_german_library_names_its_navigation_in_german(tmp_path: Path) -> None:
    build(write_games(tmp_path, "language: de\nnav:\n- Spiele: /\n"))
    assert '<nav class="site-nav" aria-label="Diese Website">' in page(tmp_path)


def test_the_server_follows_an_edit_of_the_navigation(tmp_path: Path) -> None:
    texts = write_games(tmp_path)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    library = ServedLibrary(texts, None, scratch)
    assert not library.compile().problem
    library_file = texts / "library.yaml"
    library_file.write_text(NAV.replace("- Every name: glossary/\n", "- All the names: glossary/\n"))
    library.compile([library_file.resolve()])
    files = served_files(library)
    for path in ("index.html", "zither/index.html", "ember-court/grace/bow/index.html"):
        assert b"All the names" in files[path]
    library_file.write_text(NAV.replace("glossary/", "glosary/"))
    library.compile([library_file.resolve()])
    update = library.adopt_check(library.check())
    assert [found.hint for found in update.diagnostics] == ['did you mean "glossary"?']
    assert "library.yaml" in update.problem


def test_a_check_repeats_no_warning(tmp_path: Path) -> None:
    games = ("ember-court", "zither")  # Each game may be built in its own process.
    texts = write_games(tmp_path, **{f"{game}__3 End.md": "# End\n\nSee [[Nowhere]].\n" for game in games})
    (tmp_path / "scratch").mkdir()
    library = ServedLibrary(texts, None, tmp_path / "scratch")
    compiled = library.compile().diagnostics
    assert "unresolved-link" in [found.code for found in compiled]
    for _ in range(2):
        checked = library.adopt_check(library.check()).diagnostics
        assert [found.message for found in checked] == [found.message for found in compiled]


def test_mkdocs_has_the_entries_then_the_games_without_one(tmp_path: Path) -> None:
    nav = "manual: docs\nnav:\n- Zithers: zither/\n- Bow: ember-court/grace/bow/#_text\n- Manual: docs/\n- Forum: https://forum.example/\n"
    write_games(tmp_path, nav, **{"docs__Begin.md": "# Begin\n\nWrite.\n"})
    settings = "site_name: Court\ntheme: {name: mkdocs}\nplugins: [{kismet: {library: texts}}]\ndocs_dir: empty\n"
    write_files(tmp_path, {"mkdocs.yml": settings, "empty/.keep": ""})
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(tmp_path / "mkdocs.yml")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    bar = (tmp_path / "site/index.html").read_text(encoding="utf-8").partition('id="navbar-collapse"')[2]
    words = re.findall(r'class="nav-link[^>]*>\s*([^<]+?)\s*<', bar)
    assert words[:4] == ["Zithers", "Bow", "Forum", "Ember Court"]
    assert '"Manual" of nav in library.yaml is left out: MkDocs has no page docs/' in run.stderr

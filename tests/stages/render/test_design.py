"""The design of a library: the folder that `site` of `library.yaml` names."""

import re
from pathlib import Path

import pytest

from kismet_build.config.design import PUBLIC_TEMPLATES
from kismet_build.render.html.templates import SITE
from tests.command import Run, kismet, write_files
from tests.small_library import CALCULATORS, GAME, write_library

BOARDS = "boards:\n  - {id: screen, title: Screen, parts: [{kind: grace, fields: [cost]}]}\n"
EXAMPLE = SITE / "examples" / "printed-book"
UTF_16 = "\ufeffx".encode("utf-16-le")
LESS = "{% macro page(page) %}{% endmacro %}{% macro provenance(page, root) %}{% endmacro %}"
"""A template whose macro takes too few arguments."""
PAGE_OF_TEMPLATE = {
    "home": "index.html",
    "game": "ember-court/index.html",
    "chapter": "ember-court/court/index.html",
    "entity": "ember-court/grace/bow/index.html",
    "kind": "ember-court/grace/index.html",
    "not-found": "404.html",
}
"""A page of each template that makes an article. The other templates are part of all pages of a game."""


def build(folder: Path, library: str = "site: look\n", **files: str | bytes) -> Run:
    """Build the small game with a design; `files` by path in the design folder, with `__` for a slash."""
    write_library(folder / "texts/ember-court", game=GAME + BOARDS)
    write_files(folder / "texts/ember-court", {"calculators/rules.yaml": CALCULATORS})
    texts: dict[str, str | bytes] = {f"look/{path.replace('__', '/')}": text for path, text in files.items()}
    write_files(folder / "texts", {"library.yaml": library, **texts})
    return kismet("build", folder / "texts", "--out", folder / "public", "--no-search")


def page(folder: Path, address: str = "index.html") -> str:
    return (folder / "public" / address).read_text(encoding="utf-8")


def test_style_images_and_icon_are_published_and_in_all_pages(tmp_path: Path) -> None:
    icon = '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'
    files = {"style.css": "body { color: red }\n", "logo.svg": icon, "favicon.svg": icon, "faces/own.woff2": "x"}
    run = build(tmp_path, **files)
    assert run.status == 0, run.output
    assert page(tmp_path, "assets/site/style.css") == files["style.css"]
    assert page(tmp_path, "assets/site/faces/own.woff2") == "x"
    assert "script" not in page(tmp_path, "assets/site/logo.svg")
    assert '<img src="assets/site/logo.svg"' in page(tmp_path)
    for address, root in (("index.html", ""), ("ember-court/grace/bow/index.html", "../../../")):
        assert f'<link rel="stylesheet" href="{root}assets/site/style.css">' in page(tmp_path, address)
        assert f'<link rel="icon" href="{root}assets/site/favicon.svg"' in page(tmp_path, address)


def test_pages_outside_of_a_game(tmp_path: Path) -> None:
    home = "# Our table\n\nWe play [the court](ember-court/) or [[Ember Court]], see [[Who We Are]].\n\n![](logo.svg)\n"
    about = "# About us\n\nBack [home](../home.md), or [here](#us).\n"
    files = {"home.md": home, "pages/Who We Are.md": about, "logo.svg": "<svg/>"}
    run = build(tmp_path, 'site: look\nlinks: [{About: who-we-are/}, {Forum: "https://forum.example/"}]\n', **files)
    assert run.status == 0, run.output
    assert "0 warnings" in run.output
    assert "<h1>Our table</h1>" in page(tmp_path)
    game = '<a href="ember-court/index.html">'
    assert f'{game}the court</a> or {game}Ember Court</a>, see <a href="who-we-are/index.html">' in page(tmp_path)
    assert '<img src="assets/site/logo.svg"' in page(tmp_path)
    own = page(tmp_path, "who-we-are/index.html")
    assert "<h1>About us</h1>" in own
    assert 'Back <a href="../index.html">home</a>, or <a href="#us">here</a>' in own
    links = '<a href="{root}who-we-are/index.html">About</a> · <a href="https://forum.example/">Forum</a>'
    assert links.format(root="") in page(tmp_path)
    assert links.format(root="../../../") in page(tmp_path, "ember-court/grace/bow/index.html")


def test_words_are_changed_and_translated(tmp_path: Path) -> None:
    run = build(
        tmp_path, **{"strings/en.yaml": "title.glossary: All names\n", "strings/fr.yaml": "page.close: Fermer\n"}
    )
    assert run.status == 0, run.output
    assert ">All names</a>" in page(tmp_path)
    assert ">All names</a>" in page(tmp_path, "ember-court/index.html")
    assert "texts of the website are not translated here and stay in English" in run.output
    build(tmp_path, "site: look\nlanguage: fr\n")
    assert "Fermer" in page(tmp_path, "assets/strings-fr.js")


@pytest.mark.parametrize("name", PUBLIC_TEMPLATES)
def test_a_template_is_replaced(tmp_path: Path, name: str) -> None:
    original = (SITE / "templates" / f"{PUBLIC_TEMPLATES[name]}.html").read_text(encoding="utf-8")
    if "{% macro" in original:
        changed = re.sub(r"({% macro [^%]*%})", r"\1<!-- own -->", original)
    else:
        changed = f'{{% include "default/{PUBLIC_TEMPLATES[name]}.html" %}}<!-- own -->'
    files = {f"templates/{name}.html": changed}
    run = build(tmp_path, "site: look\nurl: https://rules.example/\n", **files)
    assert run.status == 0, run.output
    address = PAGE_OF_TEMPLATE.get(name, "ember-court/index.html")
    if name == "board":
        address = "ember-court/boards/screen/index.html"
    elif name == "calculator":
        address = "ember-court/calculators/share/index.html"
    assert "<!-- own -->" in page(tmp_path, address)


def test_an_edit_of_the_look_is_in_the_next_build(tmp_path: Path) -> None:
    build(tmp_path, **{"style.css": "a { color: red }\n"})
    build(tmp_path, **{"style.css": "a { color: blue }\n", "templates/footer.html": "<footer>Ours</footer>"})
    assert "blue" in page(tmp_path, "assets/site/style.css")
    assert "<footer>Ours</footer>" in page(tmp_path, "ember-court/grace/bow/index.html")


def test_policy_is_widened(tmp_path: Path) -> None:
    build(tmp_path, "policy: {script-src: ['https://stats.example'], frame-src: ['https://video.example']}\n")
    assert "script-src 'self' file: 'wasm-unsafe-eval' https://stats.example;" in page(tmp_path)
    assert "frame-src https://video.example" in page(tmp_path, "ember-court/index.html")


@pytest.mark.parametrize(
    ("library", "files", "expected"),
    [
        ("site: looks\n", {}, 'there is no folder "looks" next to this file'),
        ("site: ../look\n", {}, 'at "site"'),
        ("links: [{About: 'javascript:alert(1)'}]\n", {}, 'at "links.0.About"'),
        ("site: look\n", {"style.css": "a { color: red\n"}, "look/style.css:1:3"),
        ("site: look\n", {"style.css": "a { color: red }}\n"}, "this brace has no opening brace"),
        ("site: look\n", {"templates/hero.html": "x"}, 'there is no template "hero.html"'),
        ("site: look\n", {"templates/chapter.html": "a\n"}, "this template has no macro article"),
        ("site: look\n", {"templates/home.html": "a\n{% if %}"}, "templates/home.html:2:1"),
        ("site: look\n", {"templates/home.html": "a\n{{ b.c }}"}, "line 2 of your template \"home.html\" failed: 'b'"),
        ("site: look\n", {"templates/footer.html": '{{ "".__class__ }}'}, "is unsafe"),
        ("site: look\n", {"strings/en.yaml": "title.glosary: x\n"}, 'did you mean "title.glossary"?'),
        ("site: look\n", {"strings/en.yaml": "title.glossary: 'x {n}'\n"}, "this text has no argument {n}"),
        ("site: look\n", {"pages/Glossary.md": "x\n"}, "look/pages/Glossary.md:1:1"),
        (
            "site: look\n",
            {"pages/ember-court.md": "x\n"},
            'the address "ember-court/", because a game has it',
        ),
        (
            "site: look\n",
            {"pages/a b.md": "x\n", "pages/A-B.md": "y\n"},
            '"a-b/" is also the address of look/pages/A-B.md',
        ),
        ("site: look\n", {"pages/About.md": UTF_16}, "this file is UTF-16, not UTF-8"),
        ("site: ember-court\n", {}, '"ember-court" is the folder of a game'),
        ("site: look\nmanual: look\n", {}, '"look" is the folder of the manual'),
        ("site: look\n", {"style.css": "<p>This is a page.</p>\n"}, "this is not a style sheet"),
        ("site: look\n", {"style.css": "Make it red, please.\n"}, "this is not a style sheet"),
        ("site: look\n", {"style.css": UTF_16}, "this file is UTF-16, not UTF-8"),
        ("site: look\n", {"style.css": "a { color: red } /* b { }\n"}, "look/style.css:1:18"),
        ("site: look\n", {"style.css": 'a { content: "x; }\nb { }\n'}, "look/style.css:1:14"),
        ("site: look\n", {"logo.svg": ""}, "look/logo.svg is empty"),
        ("site: look\n", {"logo.svg": "GIF89a"}, "look/logo.svg is not an SVG image"),
        ("site: look\n", {"templates/footer.html": "{{ game.nothing }}"}, "'nothing' is not known here"),
        (
            "site: look\n",
            {"templates/footer.html": "a\n{{ t('no.such') }}"},
            'the website has no words with the key "no.such"',
        ),
        ("site: look\n", {"templates/footer.html": "{{ t('source.line') }}"}, "take the arguments line, path"),
        ("site: look\n", {"templates/footer.html": '{% include "none.html" %}'}, 'there is no template "none.html"'),
        (
            "site: look\n",
            {"templates/footer.html": '{% include "layout_footer.html" %}'},
            "includes itself endlessly",
        ),
        ("site: look\n", {"templates/page.html": LESS}, "its arguments: page, head, chrome, breadcrumbs"),
        (
            "site: look\n",
            {"strings/en.yaml": "title.more: {other: x}\n"},
            "this text has no number to choose a plural form by",
        ),
        ("site: look\n", {"strings/en.yaml": "title.more: 'x {'\n"}, "there is an unmatched brace"),
        ("site: look\n", {"strings/en.yaml": "source.line: '{line:9}'\n"}, "{line} has something after the name"),
        ("site: look\n", {"strings/de-AT.yaml": "title.more: x\n"}, '"de-AT" is not a language code'),
        ("site: look\n", {"strings/de.yaml": "count.chapters: {one: ein}\n"}, 'the key "other" is missing'),
    ],
)
def test_what_cannot_be_used_stops_the_build(
    tmp_path: Path, library: str, files: dict[str, str | bytes], expected: str
) -> None:
    write_files(tmp_path / "texts", {"look/logo.svg": "<svg/>"})
    run = build(tmp_path, library, **files)
    assert run.status == 2, run.output
    assert expected in run.output
    assert not (tmp_path / "public").exists()


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"notes.txt": "x"}, "these files in look are not used or published: notes.txt"),
        ({"templates/footer.html": "<footer style='color: red'></footer>"}, "the content policy forbids them"),
        ({"home.md": "[none](nowhere/)\n"}, 'nothing is published at "nowhere/index.html"'),
        ({"home.md": "![](logo.png)\n"}, 'nothing is published at "logo.png"'),
        ({"logo.jpg": "x"}, "rename it to logo.svg or logo.png or logo.webp"),
        ({"style.css": "a { background: url(map.png) }\n"}, 'there is no file "map.png" next to this style sheet'),
        ({"style.css": '@import "https://fonts.example/a.css";\n'}, "does not allow fonts.example"),
    ],
)
def test_what_is_left_out_is_said(tmp_path: Path, files: dict[str, str | bytes], expected: str) -> None:
    run = build(tmp_path, "site: look\n", **files)
    assert run.status == 0
    assert expected in run.output


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("forum.example", "write https://forum.example to link to another website"),
        ("abuot/", 'did you mean "about"?'),
        ("ember-court/bord/", 'did you mean "ember-court/'),
        ("nowhere/", "the addresses are: ember-court/, about/, glossary/"),
    ],
)
def test_link_of_the_footer_to_nothing_is_said(tmp_path: Path, link: str, expected: str) -> None:
    run = build(tmp_path, f"site: look\nlinks:\n- More: {link}\n", **{"pages/About.md": "# About\n"})
    assert run.status == 2
    assert "library.yaml:3:3\n" in run.output
    assert f'"More" leads to "{link}", where there is neither a ' in run.output
    assert expected in run.output


def test_the_example_is_built(tmp_path: Path) -> None:
    files = {
        file.relative_to(EXAMPLE).as_posix(): file.read_text(encoding="utf-8")
        for file in EXAMPLE.rglob("*")
        if file.is_file()
    }
    run = build(tmp_path, **files)
    assert (run.status, "0 warnings" in run.output) == (0, True), run.output
    assert "Set in the manner of a printed book." in page(tmp_path, "ember-court/court/index.html")

"""The style sheets of the website have no rules for unused classes, and each page has the rules that it needs."""

import re

from kismet_build.render.pages.layout import STYLE_SHEET
from tests.command import ROOT
from tests.conftest import BuiltTree

SITE = ROOT / "site"
SHEETS = {file.name: file.read_text(encoding="utf-8") for file in (SITE / "assets").glob("*.css")}
MADE = re.compile(r"(?:columns|effect|tint)-\w+")
"""Beginnings of classes whose last part templates and code add."""


def classes(css: str) -> set[str]:
    without_comments = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    selectors = re.findall(r"([^{};]*)\{", re.sub(r"url\([^)]*\)", "", without_comments))
    return {name for selector in selectors for name in re.findall(r"\.([a-zA-Z][\w-]*)", selector)}


def first_classes(css: str) -> set[str]:
    """The classes that a selector begins with: without an element of such a class, it matches nothing."""
    return {name for name in classes(css) if re.search(rf"(?:^|[}},(]|\{{\s)\s*\.{name}\b(?!-)", css, re.MULTILINE)}


def test_classes_are_found_in_selectors_only() -> None:
    css = "/* .old */ .card:not(.small) > a { width: .5em; mask: url(a.svg) } @media print { .x-y::before { top: 0 } }"
    assert classes(css) == {"card", "small", "x-y"}


def test_each_class_in_a_style_sheet_is_in_a_template_a_script_or_the_code() -> None:
    files = [*SITE.rglob("*.html"), *SITE.rglob("*.js"), *(ROOT / "kismet_build").rglob("*.py")]
    words = set(re.findall(r"[\w-]+", "\n".join(file.read_text(encoding="utf-8") for file in files)))
    found = set().union(*map(classes, SHEETS.values()))
    assert len(found) > 200
    assert {name for name in found - words if not MADE.fullmatch(name)} == set()


def test_each_page_has_the_style_sheets_of_its_classes(content: BuiltTree) -> None:
    shared = classes(SHEETS[STYLE_SHEET])
    special = {name: first_classes(css) - shared for name, css in SHEETS.items() if name != STYLE_SHEET}
    used = dict.fromkeys(special, 0)
    for file in content.folder.rglob("*.html"):
        html = file.read_text(encoding="utf-8")
        if "assets/site.css" not in html:
            continue
        found = {name for names in re.findall(r'\sclass="([^"]*)"', html) for name in names.split()}
        for name, own in special.items():
            if found & own:
                assert f"assets/{name}" in html, (file, found & own)
                used[name] += 1
    assert all(used.values()), used

"""The style sheet of the website has no rules for unused classes."""

import re

from tests.command import ROOT

SITE = ROOT / "site"
MADE = re.compile(r"(?:columns|effect|tint)-\w+")
"""Beginnings of classes whose last part templates and code add."""


def classes(css: str) -> set[str]:
    """The classes in the selectors of a style sheet."""
    without_comments = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    selectors = re.findall(r"([^{};]*)\{", re.sub(r"url\([^)]*\)", "", without_comments))
    return {name for selector in selectors for name in re.findall(r"\.([a-zA-Z][\w-]*)", selector)}


def test_classes_are_found_in_selectors_only() -> None:
    css = "/* .old */ .card:not(.small) > a { width: .5em; mask: url(a.svg) } @media print { .x-y::before { top: 0 } }"
    assert classes(css) == {"card", "small", "x-y"}


def test_each_class_in_the_style_sheet_is_in_a_template_a_script_or_the_code() -> None:
    files = [*SITE.rglob("*.html"), *SITE.rglob("*.js"), *(ROOT / "kismet_build").rglob("*.py")]
    words = set(re.findall(r"[\w-]+", "\n".join(file.read_text(encoding="utf-8") for file in files)))
    found = classes((SITE / "assets" / "site.css").read_text(encoding="utf-8"))
    assert len(found) > 200
    assert {name for name in found - words if not MADE.fullmatch(name)} == set()

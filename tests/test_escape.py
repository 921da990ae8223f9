"""Escaping in Python equals escaping in templates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape

from kismet_build.render.html.escape import quoted, shown
from kismet_build.render.html.templates import template


@given(st.text(alphabet="a&<>\"'é "))
def test_words_are_spelled_as_templates_spell_them(words: str) -> None:
    assert quoted(words) == escape(words)


@pytest.mark.parametrize("value", ["a < b", Markup("<b>a</b>"), 12, None, 'it\'s "it"'])
def test_template_values_are_escaped_as_by_escape(value: object) -> None:
    assert shown(value) == escape(value)


def test_templates_escape_to_plain_strings() -> None:
    made = template("redirect").root_render_func.__globals__["escape"]("a & b")
    assert (type(made), made) == (str, "a &amp; b")

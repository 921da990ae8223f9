"""Escaping in Python equals escaping in templates."""

from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from kismet_build.render.html.escape import jinja_escaped


@given(st.text(alphabet="a&<>\"'é "))
def test_words_are_spelled_as_templates_spell_them(words: str) -> None:
    assert jinja_escaped(words) == escape(words)

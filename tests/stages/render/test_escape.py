"""Escaping in Python equals escaping in templates."""

from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from kismet_build.render.html.escape import jinja_escaped


@given(st.text(alphabet="a&<>\"'é "))
def test_python_escaping_equals_template_escaping(words: str) -> None:
    assert jinja_escaped(words) == escape(words)

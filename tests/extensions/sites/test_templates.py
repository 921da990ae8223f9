"""Jinja in texts of MkDocs runs like Liquid: what is unknown is left out and reported."""

import pytest

from kismet_build.extensions.sites.mkdocs.snippets import expand_mkdocs
from tests.extensions.sites.expanded import Expanded, expand

GAME = {"edition": 3, "oils": ["Ash", "Coal"], "press": {"town": "Oss"}, "none": []}
PAGE = "---\ntitle: Lamps\nmood: grim\n---\n"
FILES = {"parts/wick.md": "A {{ wick }}."}


def jinja(text: str) -> Expanded:
    return expand(expand_mkdocs, PAGE + text, FILES, {"plugins": ("macros",), "extra": GAME})


def test_a_text() -> None:
    assert (
        jinja(
            "{{ press.town }} {{ press.town|upper }} {{ extra.edition }}; {{ page.meta.mood }}. {# hidden #}"
            "{% for oil in oils %}{{ loop.index0 }} {{ oil }}, {% endfor %}| "
            "{% if edition == 2 %}Two{% elif not press or 'Wax' in oils %}Wax{% else %}Old?{% endif %} "
            "{% if edition > 2 and 'Ash' in oils %}No: new{% endif %}. {% raw %}{{ raw }}{% endraw %} "
            "{% set more = 4 %}{{ more }}"
        ).text
        == PAGE + "Oss OSS 3; grim. 0 Ash, 1 Coal, | Old? No: new. {{ raw }} 4"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ oils|join(' and ') }} {{ oils|length }} {{ gone|default('none') }}", "Ash and Coal 2 none"),
        ("{% if none %}a{% else %}b{% endif %}{% if gone %}c{% endif %}", "b"),
        ("## Oil {#oil}\n\nand {: #wick }", "## Oil {#oil}\n\nand {: #wick }"),
        (
            "`{{ x() }}` and\n```\n{{ y }} {% include 'z' %}\n```",
            "`{{ x() }}` and\n```\n{{ y }} {% include 'z' %}\n```",
        ),
        ('--8<-- "parts/wick.md"\n', "A {{ wick }}."),
    ],
)
def test_jinja(text: str, expected: str) -> None:
    result = jinja(text)
    assert (result.text.removeprefix(PAGE).rstrip("\n"), result.messages) == (expected, [])


def test_pages_without_templates() -> None:
    text = "---\nrender_macros: false\n---\n{{ a }}"
    assert expand(expand_mkdocs, text, variables={"plugins": ["macros"]}).is_same
    assert expand(expand_mkdocs, "{{ a }}", variables={"plugins": ["search"]}).is_same


def test_what_is_unknown_is_left_out_and_its_words_stay() -> None:
    result = jinja("a {{ dice('2d6') }} {% for k, v in x.items() %}b{% endfor %}{{ oils|batch(2) }}{% call c() %}d")
    assert result.text == PAGE + "a  bd"
    assert [message.partition(":5 ")[2] for message in result.messages] == [
        "kismet does not know the value of {{ dice(…) }}, so it is left out",
        "kismet does not know the values of this loop, so it shows its words once",
        'kismet cannot apply the Jinja filter "batch()", so its value is left out',
        "kismet does not run the Jinja tag {% call %}, so it is left out",
    ]


def test_words_of_an_included_text_have_their_own_place() -> None:
    result = jinja('{{ edition }}\n--8<-- "parts/wick.md"\n')
    start = result.text.index("A {{")
    original = result.source.span(start, start + 1).original
    assert (original.source.path, original.text) == ("parts/wick.md", "A")


@pytest.mark.parametrize("mark", ["{{", "{{ a }}", "{% if a %}", "{% endif %}", "{% for a in b %}", "{#"])
def test_many_marks_keep_the_words(mark: str) -> None:
    assert jinja(f"word\n{mark * 10_000}\nword\n").text.count("word") in (1, 2)

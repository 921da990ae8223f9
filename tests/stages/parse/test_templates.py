"""Jinja in texts of MkDocs and Scriban in texts of Retype run like Liquid: what is unknown is left out and reported."""

import pytest

from kismet_build.parse.snippets import expand_mkdocs
from kismet_build.parse.template_includes import expand_retype
from tests.stages.parse.expanded import Expanded, expand

GAME = {"edition": 3, "oils": ["Ash", "Coal"], "press": {"town": "Oss"}, "none": []}
PAGE = "---\ntitle: Lamps\nmood: grim\n---\n"
FILES = {
    "texts/parts/_includes/oil.md": "Oil of {{ page.title }}",
    "_includes/oil.md": "Another oil",
    "parts/wick.md": "A {{ wick }}.",
}


def jinja(text: str) -> Expanded:
    return expand(expand_mkdocs, PAGE + text, FILES, {"plugins": ("macros",), "extra": GAME})


def scriban(text: str) -> Expanded:
    return expand(expand_retype, PAGE + text, FILES, {"project": {"data": GAME}}, "texts/parts/page.md")


SAME = "Oss OSS 3; grim. 0 Ash, 1 Coal, | Old? No: new. {{ raw }} 4"


def test_a_text_in_each_language() -> None:
    assert (
        jinja(
            "{{ press.town }} {{ press.town|upper }} {{ extra.edition }}; {{ page.meta.mood }}. {# hidden #}"
            "{% for oil in oils %}{{ loop.index0 }} {{ oil }}, {% endfor %}| "
            "{% if edition == 2 %}Two{% elif not press or 'Wax' in oils %}Wax{% else %}Old?{% endif %} "
            "{% if edition > 2 and 'Ash' in oils %}No: new{% endif %}. {% raw %}{{ raw }}{% endraw %} "
            "{% set more = 4 %}{{ more }}"
        ).text
        == PAGE + SAME
    )
    assert (
        scriban(
            "{{ press.town }} {{ press.town | string.upcase }} {{ project.data.edition }}; {{ page.mood }}. {{# no }}"
            "{{ for oil in oils }}{{ for.index }} {{ oil }}, {{ end }}| "
            "{{ if edition == 2 }}Two{{ else if !press || oils contains 'Wax' }}Wax{{ else }}Old?{{ end }} "
            "{{ if edition > 2 && oils contains 'Ash' }}No: new{{ end }}. {%{{{ raw }}}%} "
            "{{ more = 4 }}{{ more }}"
        ).text
        == PAGE + SAME
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ oils | array.join ' and ' }} {{ if oils | array.size > 1 }}two{{ end }}", "Ash and Coal two"),
        ("{{~ for n in 1..2 ~}}  \n- {{ n }}\n{{~ end ~}}\n.", "- 1\n- 2\n."),
        ("{{ case edition }}{{ when 1, 2 }}old{{ when 3 }}new{{ end }}{{ capture oil }}x{{ end }} {{ oil }}", "new x"),
        ("{{ include 'oil' }} and {{ include '../parts/_includes/oil.md' }}", "Oil of Lamps and Oil of Lamps"),
        ("`{{ x.y }}`", "`{{ x.y }}`"),
        ("{{ edition + 1 }} {{ edition*2 - 1 }} {{ 7 / 2 }} {{ 6 / 2 }} {{ -7 % 4 }}", "4 5 3.5 3 -3"),
        ("{{ more = edition - 1 }}{{ more }} {{ 'No. ' + edition }} {{ 2 + 0.5 | math.ceil }}", "2 No. 3 3"),
    ],
)
def test_scriban(text: str, expected: str) -> None:
    result = scriban(text)
    assert (result.text.removeprefix(PAGE), result.messages) == (expected, [])


def test_pages_without_templates() -> None:
    assert expand(expand_retype, "---\ntemplating: false\n---\n{{ a }}").is_same
    assert expand(expand_retype, "{{ a }}", variables={"project": {"templating": {"enabled": False}}}).is_same
    text = "---\nrender_macros: false\n---\n{{ a }}"
    assert expand(expand_mkdocs, text, variables={"plugins": ["macros"]}).is_same
    assert expand(expand_mkdocs, "{{ a }}", variables={"plugins": ["search"]}).is_same


def test_retype_passes_arguments_to_included_texts_and_includes_lines_of_them() -> None:
    files = {
        "_includes/oil.md": "{{ $.name }} burns {{ $.turns * 2 }} turns.{{ for $i in $.kinds }} {{ $i }}{{ end }}\n",
        "_includes/lines.md": "1\n2\n3\n4\n",
    }
    text = (
        '{{ include "oil" name: "Ash oil" turns: 3 kinds: ["Pale", "Dark"] }} {{ include "lines#4, 2-1" }}{{ $.name }}'
    )
    result = expand(expand_retype, text, files)
    assert result.text == "Ash oil burns 6 turns. Pale Dark 1\n2\n4\n"
    assert result.messages == [
        "foreign-markup texts/page.md:1 kismet does not know the value of {{ $.name }}, so it is left out"
    ]


def test_texts_for_all_pages_of_retype_are_below_the_title_and_at_the_end() -> None:
    files = {"_includes/top.md": "Draft {{ page.title }}", "_includes/bottom.md": "The end"}
    assert expand(expand_retype, PAGE + "# Lamps\nThey burn.", files).text == (
        PAGE + "# Lamps\n\nDraft Lamps\n\n\nThey burn.\n\nThe end\n\n"
    )


def test_what_is_unknown_is_left_out_and_its_words_stay() -> None:
    result = jinja("a {{ dice('2d6') }} {% for k, v in x.items() %}b{% endfor %}{{ oils|batch(2) }}{% call c() %}d")
    assert result.text == PAGE + "a  bd"
    assert [message.partition(":5 ")[2] for message in result.messages] == [
        "kismet does not know the value of {{ dice('2d6') }}, so it is left out",
        "kismet does not know the values of this loop, so it shows its words once",
        'kismet cannot apply the Jinja filter "batch()", so its value is left out',
        "kismet does not run the Jinja tag {% call %}, so it is left out",
    ]
    result = scriban(
        "a {{ 2d6 }} {{ while x }}b{{ end }}{{ 1 + 2 * 3 }} {{ 1 / 0 }}{{ if page.url && y }}c{{ end }}{{ d"
    )
    assert result.text == PAGE + "a  b {{ d"
    assert [message.partition(":5 ")[2] for message in result.messages] == [
        "this is never closed: }} is missing",
        "kismet does not know the value of {{ 2d6 }}, so it is left out",
        "kismet does not run the Scriban tag {{ while }}, so it is left out",
        "kismet does not know the value of {{ 1 + 2 * 3 }}, so it is left out",
        'kismet cannot apply the Scriban filter "/", so its value is left out',
    ]


def test_words_of_an_included_text_have_their_own_place() -> None:
    result = scriban("{{ include 'oil' }} {{ edition }}")
    start = result.text.index("Oil")
    original = result.source.span(start, start + 3).original
    assert (original.source.path, original.text) == ("texts/parts/_includes/oil.md", "Oil")


@pytest.mark.parametrize("mark", ["{{ if a }}", "{{ end }}", "{{", "{{ a }}", "{{~ for a in b ~}}", "{% if a %}", "{#"])
def test_many_marks_keep_the_words(mark: str) -> None:
    for run in (jinja, scriban):
        assert run(f"word\n{mark * 10_000}\nword\n").text.count("word") in (1, 2)

"""Liquid runs as far as its result does not depend on other pages; all other tags are left out and reported."""

from collections.abc import Mapping

import pytest

from kismet_build.extensions.sites.jekyll.liquid import expand_liquid
from tests.extensions.sites.expanded import Expanded, expand

SITE = {
    "title": "Ash and Oil",
    "url": "https://ash.example.org",
    "baseurl": "/rules",
    "press": {"town": "Oss"},
    "lamps": ["tin", "horn"],
    "collections": {"beasts": {"output": True}},
    "defaults": [
        {"scope": {"path": "texts"}, "values": {"mood": "grim", "part": "all"}},
        {"scope": {"path": "texts/deep"}, "values": {"mood": "dark"}},
    ],
}
PAGE = "---\ntitle: Lamps\nnumber: 3\ntags: [oil, wick]\n---\n"


def run(text: str, files: Mapping[str, str] | None = None, path: str = "texts/page.md") -> Expanded:
    return expand(expand_liquid, text, files, {"site": SITE}, path)


def shown(text: str, files: Mapping[str, str] | None = None) -> str:
    """The text below the properties, if nothing is reported."""
    result = run(PAGE + text, files)
    assert not result.messages
    return result.text.removeprefix(PAGE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ site.title }} of {{ site.press.town | upcase }}", "Ash and Oil of OSS"),
        ("{{ page.title }} {{ page.number | plus: 1 }} {{ page.tags | join: ', ' }}", "Lamps 4 oil, wick"),
        ("{{ page.mood }} {{ page.none }}{{ page.none | default: 'gone' }}", "grim gone"),
        ("{{ site.lamps[1] }} {{ site.lamps.size }} {{ site['title'] | slugify }}", "horn 2 ash-and-oil"),
        ("{{ '2024-03-05' | date: '%-d %B %Y' }}", "5 March 2024"),
        ("{% assign lamp = 'tin' %}{{ lamp | append: ' lamp' | capitalize }}", "Tin lamp"),
        ("{% capture cry %}{{ page.title }}!{% endcapture %}{{ cry }}{{ cry }}", "Lamps!Lamps!"),
        ("{% if page.number > 2 and page.title contains 'amp' %}yes{% else %}no{% endif %}", "yes"),
        ("{% if page.none %}a{% elsif page.title == 'Lamps' %}b{% else %}c{% endif %}", "b"),
        ("{% unless page.number == 3 %}a{% endunless %}b", "b"),
        ("{% case page.number %}{% when 1, 2 %}few{% when 3 or 4 %}some{% else %}many{% endcase %}", "some"),
        ("{% for lamp in site.lamps %}{{ forloop.index }} {{ lamp }}. {% endfor %}", "1 tin. 2 horn. "),
        ("{% for n in (1..5) reversed limit:2 %}{{ n }}{% endfor %}", "21"),
        ("{% for n in (1..4) %}{{ n }}{% cycle ', ', 'x: y' %}{% endfor %}", "1, 2x: y3, 4x: y"),
        ("{% cycle 'a': 'x', 'y' %}{% cycle 'b': 'x', 'y' %}{% cycle 'a': 'x', 'y' %}", "xxy"),
        ("{% for n in page.none %}a{% else %}none{% endfor %}", "none"),
        ("a  {%- if true -%}  b  {%- endif %}", "ab"),
        ("{% raw %}{{ site.title }}{% endraw %}{% comment %}{{ secret }}{% endcomment %}", "{{ site.title }}"),
        ("`{{ page.title }}`\n\n    {{ page.title }}\n", "`Lamps`\n\n    Lamps\n"),
    ],
)
def test_values_conditions_and_loops(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a]({% link _beasts/big wolf.md %})", "[a](/_beasts/big%20wolf.md)"),
        ("[a]({{ site.baseurl }}{% link b.md %}#c)", "[a](/b.md#c)"),
        ("[a]({{ site.url }}{{ site.baseurl }}/b/)", "[a](/b/)"),
        ("[a]({{ '/b/' | absolute_url }}) <a href=\"{{ 'b' | relative_url }}\">", '[a](/b/) <a href="/b">'),
        (
            "See {{ '/b/' | absolute_url }} or {{ site.url }}.",
            "See https://ash.example.org/rules/b/ or https://ash.example.org.",
        ),
        ("[a]({% post_url 2024-03-05-oil %})", "[a](/_posts/2024-03-05-oil.md)"),
    ],
)
def test_links_within_the_site_start_from_its_folder(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_more_specific_defaults_count() -> None:
    result = run("{{ page.mood }} {{ page.part }}", path="texts/deep/page.md")
    assert result.text == "dark all"


def test_included_file_has_parameters_and_its_own_places() -> None:
    files = {
        "_includes/price.html": "{{ include.what }}: {{ include.cost }}{% include unit.html %} {{ page.title }}",
        "_includes/unit.html": " sh{{ include.what }}",
        "texts/near.md": "near",
    }
    assert shown('{% include price.html what="a \\"rope\\"" cost=page.number %}', files) == 'a "rope": 3 sh Lamps'
    assert shown("{% include_relative near.md %} {% include {{ 'unit' }}.html %}", files) == "near  sh"
    source = run("One.\n{% include price.html what='rope' %}", files).source
    start = source.text.index(" sh")
    assert source.span(start, start + 3).original.source.path == "_includes/unit.html"


def test_highlight_is_a_code_block() -> None:
    assert shown("{% highlight yaml linenos %}\na: {{ page.number }}\n{% endhighlight %}\n") == "```yaml\na: 3\n```\n"
    assert shown("{% highlight md %}```{% endhighlight %}") == "````md\n```\n````"


def test_data_files_are_values() -> None:
    files = {
        "_data/lamps.yml": "- {name: Tin, oil: 2}\n- {name: Horn, oil: 3}\n",
        "_data/oil.csv": "kind,price\nfish,4\n",
        "_data/deep/wicks.json": '{"wool": [1, 2]}',
    }
    text = "{% for lamp in site.data.lamps %}{{ lamp.name }} {{ lamp.oil }}, {% endfor %}{{ site.data.oil[0].price }}"
    assert shown(text, files) == "Tin 2, Horn 3, 4"
    assert shown("{{ site.data.deep.wicks.wool[1] }} {{ site.data['deep']['wicks'].wool.first }}", files) == "2 1"
    many = "{% assign many = site.data.lamps | where_exp: 'lamp', 'lamp.oil > page.number or lamp.oil == 3' %}"
    assert shown(f"{many}{{{{ many | map: 'name' | join }}}}", files) == "Horn"
    groups = "{% assign groups = site.data.lamps | group_by: 'oil' %}"
    text = "{% for group in groups %}{{ group.name }}: {{ group.items | map: 'name' }}, {{ group.size }}. {% endfor %}"
    assert shown(groups + text, files) == "2: Tin, 1. 3: Horn, 1. "
    assert run("{{ site.data.none }}{{ site.data.oil.none }}{{ site.data['a/b'] }}", files).text == ""


def test_markdown_of_a_value_is_read_within_html() -> None:
    assert shown("<div>{{ '**a**' | markdownify }}</div>") == "<div>\n\n**a**\n\n</div>"
    assert shown("| {{ '**a**' | markdownify | remove: '<p>' | remove: '</p>' }} |") == "| **a** |"
    inline = "{{ '**a**' | markdownify | remove: '<p>' | remove: '</p>' }}"
    assert shown(f"<figcaption>{inline}</figcaption>") == "<figcaption>\n\n**a**\n\n</figcaption>"
    assert shown(f"<b>{inline.replace('*', '')}</b>") == "<b>a</b>"


def test_unknown_things_are_left_out_and_their_words_stay() -> None:
    text = (
        "a {% seo %}{% tabs x %}b{% endtabs %} {{ page.url }}\n{{ 'c' | obfuscate }} {% if site.time %}d{% else %}e"
        "{% endif %}\n{% for beast in site.beasts %}f {{ beast.title }}{% endfor %}"
    )
    result = run(text)
    assert result.text == "a b \n e\nf "
    assert result.messages == [
        "foreign-markup texts/page.md:1 kismet does not run the Liquid tag {% seo %}, so it is left out",
        "foreign-markup texts/page.md:1 kismet does not run the Liquid tag {% tabs %}, so it is left out",
        "foreign-markup texts/page.md:1 kismet does not know the value of {{ page.url }}, so it is left out",
        'foreign-markup texts/page.md:2 kismet cannot apply the Liquid filter "obfuscate", so its value is left out',
        "foreign-markup texts/page.md:2 kismet cannot decide this condition, so it leaves out the words below it",
        "foreign-markup texts/page.md:3 kismet does not know the values of this loop, so it shows its words once",
    ]


def test_text_without_tags_stays_the_same() -> None:
    assert run("No tags: {a} %}").is_same
    unclosed = run("{{ a\n\n{% b")
    assert unclosed.is_same
    assert unclosed.messages == [
        "unclosed-block texts/page.md:1 this is never closed: }} is missing",
        "unclosed-block texts/page.md:3 this is never closed: %} is missing",
    ]


def test_unclosed_block_ends_with_the_text() -> None:
    result = run("{% if true %}a{% for n in (1..2) %}b{% endif %}c{% endfor %}{% raw %}{{ d }}")
    assert result.text == "abbc{{ d }}"
    assert result.messages == [
        "unclosed-block texts/page.md:1 this is never closed: {% endfor %} is missing",
        "unclosed-block texts/page.md:1 this is never closed: {% endraw %} is missing",
        "foreign-markup texts/page.md:1 kismet does not run the Liquid tag {% endfor %}, so it is left out",
    ]


def test_file_that_cannot_be_included_is_reported_once_for_each_place() -> None:
    files = {"_includes/a.md": "a{% include b.md %}", "_includes/b.md": "b{% include a.md %}", "_includes/folder/": ""}
    result = run("{% include a.md %}{% include folder %}{% include none.md %}{% include ../../x %}", files)
    assert result.text == "ab"
    assert result.messages == [
        "unresolved-include _includes/b.md:1 this include shows nothing: the file would include itself",
        "unresolved-include texts/page.md:1 this include shows nothing: it is a folder",
        "unresolved-include texts/page.md:1 this include shows nothing: it does not exist",
        "unresolved-include texts/page.md:1 this include shows nothing: it does not exist",
    ]


def test_long_chain_of_included_files_ends() -> None:
    files = {f"_includes/{n}.md": f"{n} {{% include {n + 1}.md %}}" for n in range(200)}
    result = run("{% include 0.md %}", files)
    assert result.text.split() == [str(n) for n in range(50)]
    assert result.messages == [
        "unresolved-include _includes/49.md:1 this include shows nothing: includes are nested more than 50 deep"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "{% for a in (1..999999) %}{% for b in (1..999999) %}{% endfor %}{% endfor %}word",
        "{% assign a = 'aaaaaaaaaa' %}{% for n in (1..99) %}{% assign a = a | append: a %}{% endfor %}word",
        "{% capture a %}aaaa{% endcapture %}{% for n in (1..99) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}"
        "{% endfor %}word",
        "{% for n in (1..99999) %}{{ site.title | replace: '', site.title | replace: '', site.title }}{% endfor %}word",
    ],
    ids=["loops", "assignments", "captures", "filters"],
)
def test_text_that_grows_without_end_shows_each_word_once(text: str) -> None:
    result = run(text)
    assert result.text in ("word", "aaaaword")
    assert result.messages[-1].endswith("so its tags are left out")


DEPTH = 10_000


@pytest.mark.parametrize(
    "text",
    [
        "{% if true %}" * DEPTH + "word" + "{% endif %}" * DEPTH,
        "{% if true %}" * DEPTH + "word",
        "word" + "{% endif %}" * DEPTH,
        "word" + "{{ page.url }}" * DEPTH,
        "word" + "{% include none.md %}" * DEPTH,
        "word{{ " * DEPTH,
        "word{% " * DEPTH,
        "{{ 'a' " + "| upcase " * 1_000 + "}}word",
        "{% if " + "a == b and " * 800 + "a %}{% endif %}word",
        "{% if true %}word{% raw %}" * DEPTH,
        "{%- if true -%}   word" * DEPTH,
    ],
    ids=range(11),
)
def test_bad_input_keeps_its_words(text: str) -> None:
    result = run(text)
    assert result.text.count("word") == text.count("word")

"""References, parameters and included files of Hugo are replaced; all other shortcodes stay for the dialect."""

from collections.abc import Mapping

import pytest

from kismet_build.extensions.sites.hugo.dialect import expand_hugo
from tests.extensions.sites.expanded import Expanded, expand

FILES = {
    "content/_index.md": "",
    "content/play/_index.md": "",
    "content/play/turn.md": "---\ntitle: Turn\n---\nThree turns.\n",
    "content/play/storm/index.md": "",
    "content/play/big wave.md": "",
    "content/kit.md": "",
    "parts/oil.md": "Oil burns.",
}
PAGE = "content/play/rolls.md"


def run(text: str, files: Mapping[str, str] = FILES) -> Expanded:
    cascade = {"_target": {"path": "/play/**"}, "wind": "north"}
    variables = {"params": {"edition": 4, "print": {"paper": "A5"}}, "cascade": [cascade]}
    return expand(expand_hugo, text, files, variables, PAGE)


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("turn", "/content/play/turn.md"),
        ("turn.md#end", "/content/play/turn.md#end"),
        ("/play/turn", "/content/play/turn.md"),
        ("kit", "/content/kit.md"),
        ("play", "/content/play/_index.md"),
        ("/play/", "/content/play/_index.md"),
        ("storm", "/content/play/storm/index.md"),
        ("../kit.md", "/content/kit.md"),
        ("big wave", "/content/play/big%20wave.md"),
        ("/", "/content/_index.md"),
        ("#deep", "#deep"),
        ("elsewhere#a", "elsewhere#a"),
    ],
)
def test_reference_is_the_path_of_a_text(reference: str, target: str) -> None:
    result = run(f'[a]({{{{< ref "{reference}" >}}}}) [b]({{{{% relref path="{reference}" %}}}} "Title")')
    assert result.text == f'[a]({target}) [b]({target} "Title")'
    assert not result.messages


def test_page_with_files_of_its_own_is_in_the_folder_above() -> None:
    result = expand(expand_hugo, '[a]({{< ref "turn" >}})', FILES, path="content/play/storm/index.md")
    assert result.text == "[a](/content/play/turn.md)"


def test_parameters_are_of_the_page_or_of_the_site() -> None:
    properties = "---\ntide: low\nparams: {moon: new}\n---\n"
    result = run(properties + '{{< param tide >}} {{< param "moon" >}} {{< param Edition >}} {{% param print.paper %}}')
    assert result.text == properties + "low new 4 A5"
    missing = run("a {{< param none >}} b")
    assert (missing.text, missing.messages) == (
        "a  b",
        [f'foreign-markup {PAGE}:1 neither the page nor the site has the parameter "none", so nothing is shown'],
    )


def test_parameters_may_be_of_the_folders_around_the_page() -> None:
    files = {
        **FILES,
        "content/_index.md": "---\ncascade: {tide: high, sky: clear}\n---\n",
        "content/play/_index.md": "+++\n[[cascade]]\ntide = 'low'\n[cascade.params]\nmoon = 'new'\n+++\n",
    }
    result = run("{{< param tide >}} {{< param moon >}} {{< param Sky >}} {{< param wind >}}", files)
    assert (result.text, result.messages) == ("low new clear north", [])


def test_file_is_included_without_its_properties() -> None:
    result = run('{{% include "turn" %}}{{< readfile file="/parts/oil.md" >}}')
    assert result.text == "Three turns.\nOil burns."
    start = result.source.text.index("Oil")
    assert result.source.span(start, start + 3).original.source.path == "parts/oil.md"


def test_missing_file_and_the_page_itself_are_not_included() -> None:
    files = {PAGE: 'a {{% include "rolls.md" %}}'}
    result = expand(expand_hugo, files[PAGE] + '{{% include "none" %}}', files, path=PAGE)
    assert result.text == "a "
    assert result.messages == [
        f"unresolved-include {PAGE}:1 this include shows nothing: the file would include itself",
        f"unresolved-include {PAGE}:1 this include shows nothing: it does not exist",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "No shortcode.",
        '{{< hint info >}}a{{< /hint >}} {{</* ref "turn" */>}} {{< reference "x" >}}',
        '{{< ref "turn" ' * 10_000,
        "{{< ref " + "a " * 10_000 + ">}}",
    ],
    ids=range(4),
)
def test_text_without_references_stays_the_same(text: str) -> None:
    assert run(text).is_same


def test_many_references() -> None:
    assert run('{{< ref "turn" >}} ' * 10_000).text == "/content/play/turn.md " * 10_000

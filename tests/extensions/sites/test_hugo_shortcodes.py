"""The site's own shortcodes are shown if their templates use only arguments and content."""

import pytest

from kismet_build.extensions.sites.hugo.dialect import expand_hugo
from tests.extensions.sites.expanded import Expanded, expand

TEMPLATES = {
    "die": '<span class="die">{{ .Get 0 }}</span>',
    "frame": '<div class="box">\n  {{- with .Get "title" }}\n  <b>{{ . | markdownify }}</b>\n  {{- end }}\n'
    "  {{ .Inner | markdownify }}\n</div>\n",
    "beast": '{{/* a beast */}}{{ $name := .Get "name" | default "none" }}<b>{{ upper $name }}</b>'
    '{{ if eq (.Get "kind") "owl" }} flies{{ else if .Get "kind" }} walks{{ else }}{{ end }}',
    "dark": '{{ if .IsNamedParams }}{{ .Get "a" }}{{ else }}{{ index .Params 0 }}{{ end }}: {{ .Inner | safeHTML }}',
    "block": '<aside>{{ .Page.RenderString (dict "display" "block") .Inner }}</aside>',
    "data": "{{ range .Site.Data.beasts }}{{ .name }}{{ end }}",
    "unclosed": "{{ if .Get 0 }}a",
    "hint": "{{ .Inner }}: the dialect knows it",
    "details": "{{ if site.Params.gm }}{{ .Inner }}{{ end }}",
}


def run(text: str, path: str = "content/play.md") -> Expanded:
    root = "" if path.startswith("content/") else "../"
    files = {f"{root}layouts/shortcodes/{name}.html": template for name, template in TEMPLATES.items()}
    return expand(expand_hugo, text, files, path=path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Roll {{< die "2d8" >}}.', 'Roll <span class="die">2d8</span>.'),
        ("| {{< die `<3` >}} |", '| <span class="die">&lt;3</span> |'),
        ('{{< beast name="Owl" kind="owl" >}}', "<b>OWL</b> flies"),
        ('{{< beast kind="fox" >}}', "<b>NONE</b> walks"),
        ("{{< beast >}}", "<b>NONE</b>"),
        ("{{% dark a=1 %}}b{{% /dark %}} {{< dark x />}}", "1: b x: "),
        ("{{< block >}}a *b*{{< /block >}} c", "<aside>a *b*</aside> c"),
        (
            '- a\n\n  {{< frame title="An *owl*" >}}\n  Two {{< die 4 >}}.\n  {{< /frame >}}\n',
            '- a\n\n  <div class="box">\n  <b>\n  \n  An *owl*\n  \n  </b>\n\n  \n'
            '  Two <span class="die">4</span>.\n  \n\n  </div>\n',
        ),
    ],
)
def test_simple_template_is_shown(text: str, expected: str) -> None:
    assert run(text).text == expected


@pytest.mark.parametrize(
    "text",
    ["{{< data >}}", "{{< unclosed a >}}", "{{< hint >}}a{{< /hint >}}", "{{< none >}}", "```\n{{< die 4 >}}\n```"],
)
def test_other_shortcodes_stay(text: str) -> None:
    result = run(text)
    assert result.is_same
    assert not result.messages


@pytest.mark.parametrize(
    ("template", "is_shown"),
    [
        ("{{ .Site.Title }}", False),
        ("{{ if .Site.Params.gm }}{{ .Inner }}{{ end }}", False),
        ("{{ if .Site.Params.gm }}{{ .Inner }}{{ else if .Page }}{{ .Inner }}{{ end }}", False),
        ("{{ if .Site.Params.gm }}<b>{{ .Inner }}</b>{{ else }}{{ .Inner }}{{ end }}", True),
        ("{{ .Site.Title }}<!-- {{ .Inner }} -->{{ $_ := .Inner }}", False),
        ("{{ .Site.Title }}{{ $words := .Inner }}{{ $words }}", True),
        ("{{ .Site.Title }}{{ with .Inner }}{{ . }}{{ end }}", True),
        ("{{ .Site.Title }}{{/* {{ .Inner }} */}}", False),
    ],
)
def test_content_that_a_template_may_not_show_is_left_out(template: str, is_shown: bool) -> None:
    text = "a {{< gm >}}zqsecret{{< /gm >}} b"
    result = expand(expand_hugo, text, {"layouts/shortcodes/gm.html": template}, path="content/play.md")
    assert ("zqsecret" in result.text) is is_shown
    assert [message for message in result.messages if "may not show these words" in message] == result.messages
    assert bool(result.messages) is not is_shown


def test_comments_and_known_shortcodes_with_a_template_of_the_site() -> None:
    assert run("a {{< comment >}}\nb\n\n{{% /comment %}} c").text == "a  c"
    assert run("a {{% comment %}} b").text == "a "
    assert run("{{< details >}}a{{< /details >}}").text == "{{< details >}}{{< /details >}}"


def test_templates_are_above_the_folder_of_the_texts() -> None:
    assert run("{{< die 4 >}}", "play.md").text == '<span class="die">4</span>'

"""HTML of blocks, and the options of `RenderContext`."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kismet_build.model.nodes import (
    Block,
    DefinitionList,
    Embed,
    FootnoteDefinition,
    Heading,
    Image,
    Link,
    Paragraph,
    Text,
    walk,
)
from kismet_build.model.source import Source
from kismet_build.parse.markdown.dialects import OBSIDIAN
from kismet_build.parse.markdown.reader import read
from kismet_build.render.fragments.html import HtmlFragments
from kismet_build.render.fragments.renderer import Href, RenderContext, inline_html, to_html
from kismet_build.render.html.escape import escaped


def blocks(text: str) -> tuple[Block, ...]:
    return read(Source("Page.md", text), OBSIDIAN, lambda _: None).blocks


def html(text: str, context: RenderContext) -> str:
    return to_html(blocks(text), context)


def test_link_has_url_class_and_title_of_the_context() -> None:
    def href(link: Link) -> Href:
        return Href("https://e.org", "external", "out") if ":" in link.target else Href(f"../{link.target}/")

    assert html("[[Oil]] [x](a:b)", RenderContext(href=href)) == (
        '<p><a href="../Oil/">Oil</a> <a class="external" href="https://e.org" title="out">x</a></p>\n'
    )


def test_link_to_a_missing_target_is_a_span() -> None:
    context = RenderContext(href=lambda link: Href("", "missing", f"not yet written: {link.target}"))
    assert html("See [[Oil|a & b]].", context) == (
        '<p>See <span class="unwritten" title="not yet written: Oil">a &amp; b</span>.</p>\n'
    )


def test_image_has_the_url_of_the_context() -> None:
    def picture(image: Image) -> str:
        return f"files/{image.target}"

    assert html("![[a.png|9x8]]", RenderContext(image_address=picture)) == (
        '<p><img src="files/a.png" alt="" width="9" height="8" /></p>\n'
    )


def test_embed_alone_is_a_block_and_embed_in_a_paragraph_is_inline() -> None:
    def shown(embed: Embed) -> tuple[Block, ...]:
        return blocks("One.\n\nTwo." if embed.target == "Both" else "one")

    context = RenderContext(fragments=HtmlFragments(embed=shown))
    assert html("![[Both]]", context) == '<div class="embed">\n<p>One.</p>\n<p>Two.</p>\n</div>\n'
    assert html("a ![[Single]] b", context) == "<p>a one b</p>\n"
    assert html("a ![[Both|both]] b", context) == '<p>a <a href="Both">both</a> b</p>\n'
    assert html("- ![[Both]]", context).startswith('<ul>\n<li>\n<div class="embed">')


@pytest.mark.parametrize("lines", [*product(("a", "![[Both]]", "![[Single]]", "a ![[Both]]"), repeat=3)])
def test_embed_of_blocks_on_a_line_of_its_own_is_shown_whatever_is_around_it(lines: tuple[str, ...]) -> None:
    def shown(embed: Embed) -> tuple[Block, ...]:
        return blocks("One.\n\nTwo." if embed.target == "Both" else "one")

    for text in ("\n".join(lines) + " ^id", "- " + "\n  ".join(lines)):
        page = html(text, RenderContext(fragments=HtmlFragments(embed=shown)))
        assert page.count("Two.") == lines.count("![[Both]]")
        assert page.count('<a href="Both">') == lines.count("a ![[Both]]")
        assert page.count("one") == lines.count("![[Single]]")
        assert page.count('id="^id"') == text.count("^id")
        assert "<p></p>" not in page


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(("a", " ", "\ue000", "0", "\ue001", "\x00", "<b>", "{", "}", "%s", "LinkHole(", "&", ")")))
)
def test_no_text_is_taken_for_a_hole(parts: list[str]) -> None:
    words = "".join(parts)
    span = Source("Page.md", words).full_span()
    link = Link(span=span, target="Oil", children=(Text(span),))
    assert to_html([Paragraph(span=span, children=(Text(span), link, Text(span)))]) == (
        f'<p>{escaped(words)}<a href="Oil">{escaped(words)}</a>{escaped(words)}</p>\n'
    )


def test_heading_has_id_permalink_and_level() -> None:
    def heading_id(heading: Heading) -> str:
        return heading.raw.lower()

    context = RenderContext(heading_id=heading_id, permalinks=True, heading_level=lambda heading: heading.level + 2)
    assert html("# A", context) == (
        '<h3 id="a">A <a class="permalink" href="#a" aria-label="Copy link to this rule: A">#</a></h3>\n'
    )
    assert (
        html("###### A", RenderContext(heading_level=lambda heading: heading.level + 2))
        == '<h6 aria-level="8">A</h6>\n'
    )


def test_ids_have_the_prefix_of_the_context() -> None:
    page = html("a[^1] ^x\n\n[^1]: b", RenderContext(id_prefix="oil-"))
    for part in ('id="oil-^x"', 'href="#oil-fn:1"', 'id="oil-fnref:1"', 'id="oil-fn:1"', 'href="#oil-fnref:1"'):
        assert part in page


def test_footnote_may_be_defined_outside_the_rendered_blocks() -> None:
    paragraph, note = blocks("a[^n]\n\n[^n]: b")
    assert isinstance(note, FootnoteDefinition)
    assert "<p>b <a" in to_html([paragraph], footnotes={"n": note})
    assert to_html([paragraph]) == '<p>a<sup class="footnote">n</sup></p>\n'
    assert isinstance(paragraph, Paragraph)
    assert inline_html(paragraph.children) == 'a<sup class="footnote">n</sup>'


def test_footnote_may_refer_to_another_footnote_and_to_itself() -> None:
    page = to_html(blocks("a[^1]\n\n[^1]: b[^2] c[^1]\n[^2]: d"))
    assert page.count("<li id=") == 2
    assert page.count('class="footnote-back"') == 3


@pytest.mark.parametrize("address", ["coast.png", "javascript:coast"])
def test_footnote_of_an_image_is_shown_behind_it(address: str) -> None:
    page = to_html(blocks(f"![the coast[^1]]({address})\n\n[^1]: in winter"))
    assert page.index("the coast") < page.index('<sup class="footnote"><a href="#fn:1"') < page.index("in winter")


def test_checkbox_of_an_author_is_shown_and_cannot_be_changed() -> None:
    box = '<input type="checkbox" checked onclick="x()"> Brave <INPUT type=checkbox> <input name="a">'
    # Use many checkboxes, because the sanitizer adds attributes in random order.
    pages = [html(box, RenderContext()) for _ in range(20)]
    shown = '<input checked="" disabled="" type="checkbox"> Brave <input disabled="" type="checkbox">'
    assert [shown in page and page.count("<input") == 2 for page in pages] == [True] * 20


def test_html_of_authors_is_sanitized_and_keeps_its_structure() -> None:
    page = html(
        '<div onclick="x()">\n\n*a*\n\n</div>\n\nb <b onclick="x()">c _d_</b> <script>e</script> f', RenderContext()
    )
    assert page.replace("\n", "") == "<div><p><em>a</em></p></div><p>b <b>c <em>d</em></b> e f</p>"
    assert "onclick" in html("<b onclick>", RenderContext(fragments=HtmlFragments(unsafe=True)))


def test_unclosed_tag_does_not_hide_the_following_text() -> None:
    for tag in ("<style>", "<script>", "<textarea>", "<table>", "<title>", "<svg><style>", "<select>"):
        page = html(f"a {tag} *b* c\n\nd", RenderContext())
        assert "<em>b</em>" in page, tag
        assert "<p>d</p>" in page, tag
        assert "<script" not in page


def test_unclosed_attribute_does_not_hide_the_following_text() -> None:
    page = html('<div title="\n\n| onclick=x |\n| - |\n| b |\n\n<div title=" ">\n\nc', RenderContext())
    assert 'data-label="onclick=x">b' in page
    assert "<p>c</p>" in page
    assert 'title="<' not in page


def test_text_of_authors_is_escaped() -> None:
    text = '> [!a"b|c"d] x\n\n```"e\n```\n\n![f"](g"h "i")\n\n| j" |\n| - |\n| <k |\n\n[l](<m"n>)'
    page = html(text, RenderContext())
    assert page.count('="') * 2 == page.count('"'), page


def test_every_block_can_be_rendered_alone() -> None:
    text = "# a\n\n- b\n\n| c |\n| - |\n| d |\n\n> [!e] f\n> g\n\n--- start-multi-column: h\ni\n--- end-multi-column"
    for node in walk(*blocks(text)):
        if isinstance(node, Block):
            assert to_html([node])


def test_heading_below_level_six_has_aria_level() -> None:
    assert html("####### A", RenderContext()) == '<h6 aria-level="7">A</h6>\n'


def test_definition_term_has_its_block_id() -> None:
    (terms,) = blocks("Lamp\nLantern\n: Burns oil.")
    assert isinstance(terms, DefinitionList)
    first, second = terms.items
    page = to_html(
        [replace(terms, items=(first, replace(second, block_id="lantern")))], RenderContext(id_prefix="oil-")
    )
    assert '<dt>Lamp</dt>\n<dt id="oil-lantern">Lantern</dt>\n<dd>' in page


def test_definition_term_without_description_is_rendered() -> None:
    (terms,) = blocks("Lamp\n: Burns oil.")
    assert isinstance(terms, DefinitionList)
    page = to_html([replace(terms, items=(replace(terms.items[0], children=()),))])
    assert page == "<dl>\n<dt>Lamp</dt>\n<dd>\n</dd>\n</dl>\n"


def test_table_caption_is_omitted_if_the_heading_above_states_it() -> None:
    heading, table = blocks("# Table: Lamps\n\n| A |\n| - |\n| b |")
    assert "<caption>" not in to_html([heading, table])
    assert "<caption>Lamps</caption>" in to_html([table])


def test_table_has_a_class_for_figures_or_long_text() -> None:
    figures = "| A | B | C | D |\n| - | - | - | - |\n| a | 1 | — | 12 / 7 x 2 |\n"
    assert '<div class="table" tabindex="0"><table class="figures">' in html(figures, RenderContext())
    assert '<table class="long">' in html(figures.replace("12", "twelve, seven"), RenderContext())
    long = f"| A | B | C |\n| - | - | - |\n| a | {'b ' * 30}| {'c ' * 30}|\n"
    assert '<table class="long">' in html(long, RenderContext())
    assert "<table>" in html(long.replace("b ", "").replace("c ", ""), RenderContext())

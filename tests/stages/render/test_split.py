"""Chapters that are split into a page for each section."""

import re
from collections.abc import Iterable
from itertools import chain, combinations, pairwise
from pathlib import Path
from posixpath import dirname, join, normpath
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kismet_build.config.game import DEFAULT_SPLIT, SplitRule
from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.model.nodes import Heading
from kismet_build.model.source import Source
from kismet_build.pack import Pack
from kismet_build.parse.markdown.dialects import OBSIDIAN
from kismet_build.parse.markdown.reader import read
from kismet_build.render.data.listing import listing
from kismet_build.render.site.markdown_pages import markdown_pages
from kismet_build.render.site.outputs import pages, paths, render
from kismet_build.render.site.search_entries import index_data
from kismet_build.render.site.sitemap import llms_files
from kismet_build.resolve.chapters import title_display
from kismet_build.resolve.section_pages import height, section_pages
from tests.small_library import GAME, write_library

TEXT = """\
# Court

Every guest has one of the [[#Graces|graces]]. See [[#^late]].

## Graces

### Bow

You bend, and the room forgives you.

**Cost:** 2

### Whisper

Two people hear you, no more. It follows [[#Bow]].

**Cost:** 3

## Print

Nobody prints at court. ^late
"""


def starts(text: str, rule: SplitRule | None) -> list[str]:
    """The addresses of the pages of sections in a text with the title Court."""
    return [*section_pages(read(Source("Court.md", text), OBSIDIAN, lambda _: None), "Court", rule).values()]


def compiled(folder: Path, split: str, text: str = TEXT) -> Pack:
    write_library(folder, game=f"{GAME}split: {split}\n", text=text)
    [game] = load_library(folder, None, lambda _: None).games
    return compile_game(game, lambda _: None)


ALWAYS = SplitRule(max_undivided=0, min_page=0)


def text_of(*parts: str | int) -> str:
    """Headings, with their level before their title, and numbers of words."""
    return "".join(
        f"{'#' * int(part[0])} {part[1:]}\n\n" if isinstance(part, str) else "word " * part + "\n\n" for part in parts
    )


@pytest.mark.parametrize(
    ("text", "rule", "expected"),
    [
        ("# Court\n\n## A\n\na\n\n## B\n\nb\n", ALWAYS, ["a", "b"]),
        ("# Court\n\n## A\n\n### C\n\n## B\n", ALWAYS, ["a", "b"]),
        ("Words.\n\n# A\n\n## C\n\n## D\n\n# B\n", ALWAYS, ["a", "b"]),
        # A single heading on its level is a title, unless text precedes it.
        ("# The Book\n\n## A\n\na\n\n## B\n", ALWAYS, ["a", "b"]),
        ("## A\n\na\n\n## B\n\nb\n\n# C\n\nc\n", ALWAYS, ["a", "b", "c"]),
        ("# Court\n\n## A\n\nOne section.\n", ALWAYS, []),
        ("No heading.\n", ALWAYS, []),
        ("## A\n\n## A\n\n## Print\n\n## Öl & Wein\n", ALWAYS, ["a", "a-2", "print-2", "ol-wein"]),
        ("## A\n\n## B\n", DEFAULT_SPLIT, []),
        ("## A\n\n## B\n", None, []),
        # A section that is too long is divided at the next level; one that is not too long stays whole.
        (
            text_of("2A", "3C", 2000, "3D", 1000, "2B", "3E", 1000, "3F", 1000),
            DEFAULT_SPLIT,
            list("adb"),
        ),
        # Text that no heading divides stays one page, however long it is.
        (text_of("2A", 9000, "2B", 1000), DEFAULT_SPLIT, list("ab")),
        # Sections that are too short share a page with their neighbours, on any level.
        (
            text_of("2A", 2000, "2B", 100, "2C", 100, "2D", 100, "2E", 2000),
            DEFAULT_SPLIT,
            list("abe"),
        ),
        (text_of("2A", 2000, "3B", 100, "2C", 2000, "2D", 100), DEFAULT_SPLIT, list("ac")),
    ],
)
def test_a_chapter_is_divided_into_pages_of_a_human_size(
    text: str, rule: SplitRule | None, expected: list[str]
) -> None:
    assert starts(text, rule) == expected


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 400)), min_size=2, max_size=8))
def test_no_page_is_too_long_and_as_few_as_possible_are_too_short(sections: list[tuple[int, int]]) -> None:
    parts: list[str | int] = []
    for number, (level, words) in enumerate(sections):
        parts += [f"{level}H{number}", words]
    document = read(Source("Court.md", "Words.\n\n" + text_of(*parts)), OBSIDIAN, lambda _: None)
    rule = SplitRule(max_undivided=0, max_page=2_000, min_page=500)
    heights, first = [], []
    for block in document.blocks[1:]:
        if isinstance(block, Heading):
            heights.append(0)
            first.append(block.span)
        heights[-1] += height([block])

    def short_pages(ends: Iterable[int]) -> int | None:
        """The number of pages that are too short if pages end before these sections; `None` if any page is too long."""
        pages = [heights[start:end] for start, end in pairwise((0, *ends, len(heights)))]
        if any(len(page) > 1 and sum(page) > rule.max_page for page in pages):
            return None
        return sum(sum(page) < rule.min_page for page in pages)

    started = section_pages(document, "Court", rule)
    divided = short_pages(index for index, span in enumerate(first) if index and span in started)
    choices = range(1, len(heights))
    all_divisions = chain.from_iterable(combinations(choices, number) for number in range(len(heights)))
    assert divided == min(number for number in map(short_pages, all_divisions) if number is not None)


def test_time_to_divide_grows_with_the_text() -> None:
    times = []
    for number in (2_000, 8_000):
        document = read(Source("Court.md", "## A\n\nb\n\n" * number), OBSIDIAN, lambda _: None)
        start = process_time()
        section_pages(document, "Court", DEFAULT_SPLIT)
        times.append(process_time() - start)
    assert times[1] < 10 * times[0]


def test_each_address_leads_on_when_a_chapter_is_divided_differently(tmp_path: Path) -> None:
    text = TEXT.replace("Two people", "Two people " + "and others " * 600)
    trees = []
    for split in ("true", "700"):
        pack = compiled(tmp_path / split, split, text)
        addresses = [path for path in paths(pack) if "/court/" in path and path.endswith(".html")]
        trees.append({path: render(pack, path).decode() for path in addresses})
    for tree, other in (trees, trees[::-1]):
        for path, html in tree.items():
            assert path in other
            if 'http-equiv="refresh"' in html:
                target = re.search(r'<a href="([^"#]*)#([^"]*)"', html)
                assert target
                assert f'id="{target[2]}"' in tree[normpath(join(dirname(path), target[1]))]


def test_a_split_chapter_has_contents_a_page_for_each_section_and_one_to_print(tmp_path: Path) -> None:
    pack = compiled(tmp_path, "true")
    by_address = {page.address: page for page in pages(pack)}
    contents, graces, last, whole = (
        by_address[f"ember-court/court/{end}"] for end in ("", "graces/", "print-2/", "print/")
    )
    assert [page.role for page in (contents, graces, last, whole)] == ["chapter", "chapter", "chapter", "print"]
    assert (contents.next, graces.previous) == ((graces.address, "Graces"), (contents.address, "Court"))
    assert (graces.next, last.previous) == ((last.address, "Print"), (graces.address, "Graces"))
    assert contents.previous is last.next is None
    assert "You bend" in graces.article
    assert "You bend" in whole.article
    assert "You bend" not in contents.article
    assert "Every guest" in contents.article
    assert "Every guest" not in graces.article
    assert 'id="bow"' in graces.article
    assert [entry.title for entry in graces.contents] == ["Bow", "Whisper"]
    assert graces.breadcrumbs[-1].address == contents.address


def test_each_old_id_is_on_the_line_that_leads_to_its_page(tmp_path: Path) -> None:
    whole = {page.address: page.article for page in pages(compiled(tmp_path / "whole", "false"))}["ember-court/court/"]
    split = {page.address: page.article for page in pages(compiled(tmp_path / "split", "true"))}["ember-court/court/"]
    assert set(re.findall(r' id="([^"]+)"', whole)) == set(re.findall(r' id="([^"]+)"', split))
    lines = dict(re.findall(r'<li id="([^"]+)"><a href="../../ember-court/court/([^"]+)"', split))
    assert lines == {
        "graces": "graces/index.html#graces",
        "bow": "graces/index.html#bow",
        "whisper": "graces/index.html#whisper",
        "print": "print-2/index.html#print",
    }
    assert re.search(r'<li id="print"><a [^>]*>Print</a><span id="\^late"></span>', split)


@pytest.mark.parametrize("split", ["true", "false"])
def test_authors_contents_below_a_heading_are_folded(tmp_path: Path, split: str) -> None:
    listed = "## Contents\n\n- [[#Graces]]\n- [[#Bow]]\n- [[#Print]]\n\n## Graces"
    by_address = {page.address: page for page in pages(compiled(tmp_path, split, TEXT.replace("## Graces", listed)))}
    court = by_address["ember-court/court/"]
    folded = re.search(r'<details class="author-links">(.*?)</details>', court.article, re.DOTALL)
    assert folded
    assert folded[1].count("<li>") == 3
    assert court.article.count(' id="contents"') == 1, "links to it lead to the title"
    assert "Contents" not in [entry.title for entry in court.contents]
    assert "ember-court/court/contents/" not in by_address


def test_link_that_repeats_a_heading_in_capitals_is_shown_as_the_heading(tmp_path: Path) -> None:
    text = TEXT.replace("See [[#^late]].", "See [[#LATE HOURS]], [[#LATE HOURS|HERE]] and [[9 OTHER RULES]].")
    pack = compiled(tmp_path, "false", f"{text}\n## LATE HOURS\n\nBow late.\n")
    article = next(page.article for page in pages(pack) if page.address == "ember-court/court/")
    assert re.findall(r'<a href="#late-hours"[^>]*>([^<]*)</a>', article.partition("Every guest")[2]) == [
        "Late Hours",
        "HERE",
    ]
    assert ">Other Rules</span>" in article


def test_links_and_data_have_the_addresses_of_the_sections(tmp_path: Path) -> None:
    pack = compiled(tmp_path, "true")
    by_address = {page.address: page.article for page in pages(pack)}
    assert 'href="../../ember-court/court/graces/index.html#graces"' in by_address["ember-court/court/"]
    assert 'href="#bow"' in by_address["ember-court/court/graces/"]
    assert 'href="../../../ember-court/court/graces/index.html#bow"' in by_address["ember-court/grace/bow/"]
    listed = listing(pack)
    assert [section["url"] for section in listed["sections"]] == [
        "ember-court/court/",
        "ember-court/court/#court",
        "ember-court/court/graces/#graces",
        "ember-court/court/graces/#bow",
        "ember-court/court/graces/#whisper",
        "ember-court/court/print-2/#print",
    ]
    llms = dict(llms_files([listed], pack.game.library_config))["ember-court/llms.txt"]().decode()
    assert "- [Court › Graces](../ember-court/court/graces/index.html.md)" in llms
    found = {address for _, _, address, *_ in index_data(pack)["entries"]}
    assert {"court/", "court/graces/#graces", "court/print-2/#print"} <= found
    texts = {path: make().decode() for path, make in markdown_pages(pack, pack.book.chapters[0])}
    assert texts["ember-court/court/graces/index.html.md"].startswith("## Graces\n")
    assert "- [Graces](../../ember-court/court/graces/index.html.md#graces)" in texts["ember-court/court/index.html.md"]


def test_a_text_that_shows_a_folder_stays_one_page(tmp_path: Path) -> None:
    write_library(tmp_path, game=f"{GAME}split: true\n", text=TEXT)
    (tmp_path / "1 Court").mkdir()
    (tmp_path / "1 Court" / "Garden.md").write_text("# Garden\n\n## A\n\n## B\n", encoding="utf-8")
    [game] = load_library(tmp_path, None, lambda _: None).games
    addresses = {page.address for page in pages(compile_game(game, lambda _: None))}
    assert "ember-court/court/graces/" not in addresses
    assert {"ember-court/court/", "ember-court/court/garden/a/"} <= addresses


LINKS = """\
# [[Garden]] -> Court

Other chapters: [[Garden]] · [[Stable]] · [[Kitchen]] · [[Cellar]] · [[Tower]]

Every guest has one of the graces, and the Host alone has two of them (HP).

---

- [[#BOWING & HP]]
- [[#GRACES]]
- [[#Late]]

# Court

## BOWING & HP

See [[Garden]], [[Stable]] and [[Kitchen]] for how bowing was done in older days.

## GRACES

[[Garden]], [[Stable]], [[Kitchen]]

## Late
"""


def test_links_to_chapters_and_sections_at_the_head_are_folded(tmp_path: Path) -> None:
    [page] = [page for page in pages(compiled(tmp_path, "false", LINKS)) if page.role == "chapter"]
    text, _, folded = page.article.partition('<details class="author-links">')
    assert "Every guest" in text
    assert "Other chapters" not in text
    assert "<hr" not in text
    assert "for how bowing was done" in text
    assert text.count(">Kitchen<") == 2
    assert "Other chapters" in folded
    assert "Garden</span> -&gt; Court" in folded
    assert 'id="garden-court"' in text


@pytest.mark.parametrize(
    "opening",
    [
        "**Graces:** [[#Graces]], [[#Bow]], [[#Print]]",
        "The evening has three parts:\n\n- [[#Graces]]\n- [[#Bow]]\n- [[#Print]]",
        "1. [[#Graces]]\n2. [[#Bow]]\n3. [[#Print]]",
    ],
    ids=["field", "after a sentence", "numbered"],
)
def test_rules_that_consist_of_links_stay_in_their_place(opening: str, tmp_path: Path) -> None:
    text = TEXT.replace("Every guest", f"{opening}\n\nEvery guest")
    article = {page.address: page for page in pages(compiled(tmp_path, "false", text))}["ember-court/court/"].article
    assert "author-links" not in article
    assert article.index("#bow") < article.index("Every guest")


def test_a_text_of_links_keeps_them(tmp_path: Path) -> None:
    text = "# Court\n\n- [[#A]]\n- [[#B]]\n- [[#C]]\n\n## A\n\n## B\n\n## C\n"
    [page] = [page for page in pages(compiled(tmp_path, "false", text)) if page.role == "chapter"]
    assert "author-links" not in page.article


def test_a_heading_in_capitals_is_shown_in_title_case(tmp_path: Path) -> None:
    pack = compiled(tmp_path, "false", LINKS)
    [page] = [page for page in pages(pack) if page.role == "chapter"]
    assert [entry.title for entry in page.contents] == ["Bowing & HP", "Graces", "Late"]
    assert '<h2 id="bowing-hp">Bowing &amp; HP ' in page.article
    assert 'aria-label="Copy link to this rule: Bowing &amp; HP"' in page.article
    assert [anchor.title for anchor in pack.book.outlines["1 Court.md"].anchors if anchor.level == 2] == [
        "BOWING & HP",
        "GRACES",
        "Late",
    ]


@pytest.mark.parametrize(
    ("title", "text", "shown"),
    [
        ("TIERS OF POWER", "", "Tiers of Power"),
        ("ROLL A D10", "Roll a d10.", "Roll a d10"),
        ("DL AND AID", "A DL of 5; to aid. Aid.", "DL and Aid"),
        ("AID", "Aid your ally.", "Aid"),
        ("NPC", "", "NPC"),
        ("Tiers of POWER", "", "Tiers of POWER"),
        ("ATTACKS", "See [[#ATTACKS]].\n# ATTACKS\n", "Attacks"),
    ],
)
def test_abbreviations_stay_as_the_text_writes_them(title: str, text: str, shown: str) -> None:
    assert title_display(text)(title) == shown

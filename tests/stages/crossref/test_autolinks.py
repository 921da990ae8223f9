"""Automatic links: where they are set, their targets, and their precision."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from kismet_build.config.autolink import TextAutolinks
from kismet_build.config.load_game import plain_game
from kismet_build.config.load_library import load_library
from kismet_build.crossref.autolink import find_autolinks
from kismet_build.crossref.backlinks import LinkMentions
from kismet_build.crossref.phrase_index import PhraseIndex
from kismet_build.driver.compile import compile_documents, compile_game
from kismet_build.extract import all_names, names_of
from kismet_build.model.language import Language
from kismet_build.model.nodes import Document, Paragraph, Text
from kismet_build.model.source import Source, Span
from kismet_build.pack import Pack
from kismet_build.parse import read
from kismet_build.render.data.pack_json import ambiguous_mentions_data, entity_data
from kismet_build.render.fragments.page_context import render_context
from kismet_build.render.fragments.renderer import to_html
from tests.command import CONTENT, ROOT
from tests.custom_game import compile_custom_game
from tests.executed_lines import executed_lines

KIND = """\
title: TITLE
x-match: {heading: 3, under: UNDER}
required: [id, name]
additionalProperties: false
properties:
  id: {type: string, x-from: slug}
  name: {type: string, x-from: title}
"""
NAMES = """
# Names

## Marsh

### Bog Lamp

A light over the moor. Nobody fears a Bog Lamp by day.

### Mire

The ground gives way.

## Moor

### Mire

A plain of heather.

### Heron

It stands still.
"""


def walk(folder: Path, text: str, linking: str = "") -> Pack:
    kinds = {kind.lower(): KIND.replace("TITLE", kind).replace("UNDER", kind) for kind in ("Marsh", "Moor")}
    return compile_custom_game(folder, kinds, {"1 Walk": f"# Walk\n\n{text}\n", "2 Names": NAMES}, linking)


def linked(pack: Pack) -> list[str]:
    mentions = [mention for mention in pack.mentions if mention.is_autolink and mention.span.source.path == "1 Walk.md"]
    return [f"{mention.span.text} -> {mention.target.removeprefix('fen/')}" for mention in mentions]


def test_first_mention_in_each_section_is_linked(tmp_path: Path) -> None:
    text = "A Heron calls. The Heron flies.\n\n## Night\n\nWe saw a Heron.\n"
    assert linked(walk(tmp_path, text)) == ["Heron -> moor/heron"] * 2


def test_longest_name_is_linked_and_only_as_whole_words(tmp_path: Path) -> None:
    linking = "linking: {also: {Lamp: Heron}}\n"
    assert linked(walk(tmp_path, "See the Bog Lamp; not the Bog Lamplight.", linking)) == ["Bog Lamp -> marsh/bog-lamp"]
    assert linked(walk(tmp_path, "A Heron-like bird, a non-Heron, Heronry and Heron_2.")) == []


def test_possessive_and_plural_are_linked(tmp_path: Path) -> None:
    assert linked(walk(tmp_path, "It is the Heron’s nest.")) == ["Heron -> moor/heron"]
    assert linked(walk(tmp_path, "We met two Herons.")) == ["Herons -> moor/heron"]
    assert [Language("en").regular_plural(word) for word in ("Box", "Ally", "Day", "Ranges")] == [
        "Boxes",
        "Allies",
        "Days",
        "",
    ]
    assert Language("de").regular_plural("Reiher") == ""


@pytest.mark.parametrize(
    "text",
    [
        "## The Heron\n\nHere.",
        "`a Heron`",
        "```\na Heron\n```",
        "[[Names#Heron|the Heron]]",
        "> a Heron",
        "> [!note] The Heron\n> Here.",
        "| The Heron |\n|---|\n| here |",
        "We saw a heron.",
    ],
    ids=["heading", "code", "block", "link", "quote", "title", "head", "case"],
)
def test_excluded_contexts_are_not_linked(text: str, tmp_path: Path) -> None:
    assert linked(walk(tmp_path, text)) == []


def test_first_cell_of_a_table_row_is_not_linked(tmp_path: Path) -> None:
    text = "| Who | What |\n|---|---|\n| the Heron | the Bog Lamp |"
    assert linked(walk(tmp_path, text)) == ["Bog Lamp -> marsh/bog-lamp"]


def test_label_is_not_linked_and_text_after_it_is(tmp_path: Path) -> None:
    assert linked(walk(tmp_path, "**Heron:** a bird, a Heron.")) == ["Heron -> moor/heron"]


def test_entity_name_below_its_own_heading_is_not_linked(tmp_path: Path) -> None:
    pack = walk(tmp_path, "# Heron\n\nThis is about the Heron.")
    assert linked(pack) == []
    assert [mention for mention in pack.mentions if mention.origin == mention.target] == []


def test_section_with_a_written_link_gets_no_autolink_to_the_same_target(tmp_path: Path) -> None:
    assert linked(walk(tmp_path, "A Heron, that is a [[Names#Heron|bird]].")) == []


def test_name_of_two_kinds_is_linked_only_if_the_game_chooses_one(tmp_path: Path) -> None:
    pack = walk(tmp_path, "Into the Mire we go.")
    assert linked(pack) == []
    assert [(mention.text, mention.reason, mention.links) for mention in pack.ambiguous_mentions] == [
        ("Mire", "shared", False)
    ]
    assert [item["candidates"] for item in ambiguous_mentions_data(pack)] == [["fen/marsh/mire", "fen/moor/mire"]]
    linked_pack = walk(tmp_path, "Into the Mire we go.", "linking: {shared: {Mire: marsh}}\n")
    assert linked(linked_pack) == ["Mire -> marsh/mire"]


def test_word_that_may_be_an_inflected_name_is_reviewed_and_not_linked(tmp_path: Path) -> None:
    text = "Nothing is Mired here. Mired again, and mired."
    pack = walk(tmp_path, text, "linking: {kinds: {moor: []}}\n")
    assert linked(pack) == []
    assert [(mention.text, mention.reason, mention.candidates) for mention in pack.ambiguous_mentions] == [
        ("Mired", "inflected", ("fen/marsh/mire",))
    ]
    assert linked(walk(tmp_path, text, "linking: {also: {Mired: Bog Lamp}}\n")) == ["Mired -> marsh/bog-lamp"]


def test_form_in_lower_case_links_names_of_several_words(tmp_path: Path) -> None:
    linking = "linking: {kinds: {marsh: ['{lower}'], moor: ['{lower}']}}\n"
    assert linked(walk(tmp_path, "A bog lamp, a Bog Lamp and a heron.", linking)) == ["bog lamp -> marsh/bog-lamp"]


def test_common_word_at_the_start_of_a_sentence_is_not_linked(tmp_path: Path) -> None:
    assert linked(walk(tmp_path, "Heron is easy to see. Bog Lamp is not.")) == ["Bog Lamp -> marsh/bog-lamp"]
    assert linked(walk(tmp_path, "Heron is easy to see.", "linking: {common: []}\n")) == ["Heron -> moor/heron"]


def test_game_configures_linked_kinds_and_their_forms(tmp_path: Path) -> None:
    text = "The Heron is a Heron Bird, and no Bog Lamp."
    linking = "linking: {kinds: {moor: ['{} Bird'], marsh: []}}\n"
    assert linked(walk(tmp_path, text, linking)) == ["Heron Bird -> moor/heron"]


def test_game_configures_excluded_and_additional_phrases(tmp_path: Path) -> None:
    linking = "linking: {never: [Heron Street], also: {the grey bird: Heron}}\n"
    pack = walk(tmp_path, "In Heron Street stands the grey bird.", linking)
    assert linked(pack) == ["the grey bird -> moor/heron"]


def test_case_option_links_lower_case_names(tmp_path: Path) -> None:
    linking = "linking: {case: any, common: [Heron]}\n"
    text = "A bog lamp, a heron; a Heron."
    assert linked(walk(tmp_path, text, linking)) == ["bog lamp -> marsh/bog-lamp", "Heron -> moor/heron"]


def test_autolink_spans_a_line_break_and_skips_dice(tmp_path: Path) -> None:
    pack = walk(tmp_path, "Behind us the Bog\nLamp burns for 2d6 rounds.", "options: {strict_line_breaks: true}\n")
    chapter = pack.book.chapters[0]
    html = to_html(chapter.document.blocks, render_context(pack, "fen/walk/"))
    assert '<a class="term" href="../../fen/marsh/bog-lamp/">Bog\nLamp</a> burns for <span class="dice"' in html
    linking = "linking: {also: {2d6: Heron}}\n"
    assert linked(walk(tmp_path, "Roll 2d6 now.", linking)) == []


def test_autolinks_are_published_as_backlinks(tmp_path: Path) -> None:
    pack = walk(tmp_path, "A Heron.")
    heron = entity_data(pack, pack.by_id["fen/moor/heron"])
    assert heron["backlinks"] == ["fen/section/walk-walk"]
    lamp = pack.by_id["fen/marsh/bog-lamp"]
    assert entity_data(pack, lamp)["found_links"] == []


def test_plain_vault_links_capitalized_terms_only(tmp_path: Path) -> None:
    text = "**Night Watch:** who stays awake by the fire.\n\n**rest:** a time of quiet, in camp.\n"
    (tmp_path / "Camp.md").write_text(text + "\n# Later\n\nThe Night Watch takes a rest.\n", encoding="utf-8")
    pack = compile_game(load_library(tmp_path, None, lambda _: None).games[0], lambda _: None)
    assert [mention.span.text for mention in pack.mentions if mention.is_autolink] == ["Night Watch"]


# --- precision, recall and speed


REVIEWED_MENTIONS = ROOT / "tests" / "facts" / "kismet-autolinks.yaml"


@pytest.fixture(scope="module")
def kismet() -> Pack:
    [game] = [candidate for candidate in load_library(CONTENT, None, lambda _: None).games if candidate.id == "kismet"]
    return compile_game(game, lambda _: None)


def reviewed_mentions(pack: Pack) -> Iterator[tuple[tuple[str, int], str | None, str]]:
    """Each mention of the table of reviewed mentions: its position, its target, the words around it."""
    chapters = {chapter.source.path: chapter for chapter in pack.book.chapters}
    for path, sections in yaml.safe_load(REVIEWED_MENTIONS.read_text(encoding="utf-8")).items():
        source = chapters[path].source
        by_title = {section.anchor.title: section for section in pack.book.sections[source]}
        for title, rows in sections.items():
            section = by_title[title]
            end = max((block.span.end for block in section.blocks), default=section.anchor.span.end)
            for before, words, after, target in rows:
                place = source.text.find(before + words + after, section.anchor.span.start, end)
                assert place >= 0, f"{path}, {title}: the text does not contain “{before}{words}{after}”"
                yield (path, place + len(before)), target, f"{before}[{words}]{after}"


def test_kismet_autolinks_have_full_precision_and_95_percent_recall(
    kismet: Pack, record_property: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    # tests/facts/section-links.yaml has the links to sections.
    mentions = {
        (mention.span.source.path, mention.span.start): mention
        for mention in kismet.mentions
        if mention.is_autolink and mention.target in kismet.by_id
    }
    rows = list(reviewed_mentions(kismet))
    assert len(rows) >= 250
    should = {place: target for place, target, _ in rows if target}
    assert {path for path, _ in should} == {chapter.source.path for chapter in kismet.book.chapters}
    for place, target, words in rows:
        if place in mentions:
            assert target, f"{words} links to {mentions[place].target}, but should not"
            assert mentions[place].target == f"kismet/{target}", words
    unreviewed = [
        f"{mention.span.text} -> {mention.target} in {mention.origin}"
        for place, mention in mentions.items()
        if place not in should
    ]
    assert unreviewed == [], "these links are not in the table yet: read each, and add it"
    recall = len(set(should) & set(mentions)) / len(should)
    record_property("recall", round(recall, 3))
    with capsys.disabled():
        print(f"\nautomatic links of Kismet: {len(rows)} mentions in the table, no wrong link, {recall:.1%} found")
    assert recall >= 0.95


MAX_LINES_PER_CHARACTER = 5
"""Maximum executed lines for each further character of a text, however many names there are."""


NUMBER_WORDS = ["".join(letters) for letters in product("Bdgklm", "aeiouy", "nrstlm", "aeiou", "bdgkt")][:5000]


@pytest.fixture(scope="module")
def names() -> Document:
    terms = "".join(f"**Name {word} Of Stone:** a kind of stone.\n\n" for word in NUMBER_WORDS)
    return read(Source("Names.md", terms), "obsidian", lambda _: None)


def long_pack(names: Document, size: int) -> Pack:
    """A vault with these terms and one paragraph of `size` characters that mentions most of them."""
    words = "Name {0} Of Stone lies beside Name {0} of wood, and what else there is here. "
    text = "".join(words.format(NUMBER_WORDS[number % 5000]) for number in range(size // 75))
    source = Source("Long.md", text)
    paragraph = Paragraph(span=source.full_span(), children=(Text(source.full_span(), text),))
    game = plain_game(CONTENT / "legend").with_files(texts=(), attachments=())
    long = Document(source=source, dialect="obsidian", blocks=(paragraph,))
    return compile_documents(game, [names, long], lambda _: None)


def autolink_anew(pack: Pack) -> Mapping[Span, TextAutolinks]:
    """The automatic links of a long text, found by a pass of their own."""
    game, facts = pack.game, pack.documents["Long.md"]
    names = all_names({path: names_of(of_document.entities) for path, of_document in pack.documents.items()})
    phrases = PhraseIndex(
        names, {}, game.id, game.text_language, game.definition.linking.rules, game.kinds, game.is_plain
    )
    links = LinkMentions({}, {}, ())
    return find_autolinks(pack.book.outlines["Long.md"], facts.entities, links, game.id, phrases).autolinks


def test_autolink_time_is_linear_in_the_text_length(names: Document) -> None:
    packs = [long_pack(names, size) for size in (20_000, 80_000)]
    assert [len(autolink_anew(pack)) for pack in packs] == [1, 1]
    short, long = (executed_lines(partial(autolink_anew, pack)) for pack in packs)
    # The index of all names takes the same number of lines for both texts.
    assert long - short < MAX_LINES_PER_CHARACTER * 60_000

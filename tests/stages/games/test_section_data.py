"""The text of sections in the data, of the bundled games: the Markdown, the HTML and the text have the same words."""

import json
import re
from html import unescape
from typing import Any

import pytest
import yaml

from kismet_build.model.nodes import FootnoteDefinition, plain_text
from kismet_build.model.section_text import FORMS, section_text
from kismet_build.model.source import Source
from kismet_build.parse import read
from tests.command import CONTENT, GAMES, ROOT, kismet

CALLOUT_KINDS = frozenset(("note", "tip", "warning", "important", "caution", "question"))
"""Words that pages show as the title of a callout without one."""
ID_CHARACTERS = 56
"""Characters of an id in `tests/facts/readings.yaml`."""


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def html_words(html: str) -> list[str]:
    html = re.sub(r'<sup class="footnote">.*?</sup>|<a class="footnote-back".*?</a>', "", html, flags=re.DOTALL)
    html = re.sub(r"</?(?:a|b|i|em|strong|mark|code|span|sup|sub|u|s|del)\b[^>]*>", "", html)
    return words(unescape(re.sub(r"<[^>]*>", " ", html)))


@pytest.fixture(scope="module", params=GAMES)
def pack(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    out = tmp_path_factory.mktemp("data")
    kismet("build", CONTENT / request.param, "--out", out, "--no-search", "--quiet")
    pack = json.loads((out / "data" / request.param / "pack.json").read_text(encoding="utf-8"))
    entities = {entity["id"]: entity for of_kind in pack["entities"].values() for entity in of_kind}
    for section in pack["sections"]:
        section |= {form: section_text(section, entities, form) for form in FORMS}
    return pack


def test_markdown_has_the_words_of_the_text(pack: Any) -> None:
    for section in pack["sections"]:
        document = read(Source("section.md", section["markdown"]), "obsidian", lambda _: None)
        notes = [note for note in document.blocks if isinstance(note, FootnoteDefinition)]
        read_again = "\n".join(plain_text(*part) for part in (document.blocks, *(note.children for note in notes)))
        assert words(read_again) == words(section["text"]), section["id"]


def test_html_has_the_words_of_the_text(pack: Any) -> None:
    shown = {section["id"]: html_words(section["html"]) for section in pack["sections"]}
    for section in pack["sections"]:
        missing = [*map(str.casefold, shown[section["id"]])]
        # Links that repeat the name of a text in capitals are shown as its title: in title case, without its number.
        for word in words(re.sub(r"\b\d+ (?=[A-Z]{2})", "", section["text"])):
            assert word.casefold() in missing, (section["id"], word)
            missing.remove(word.casefold())
        assert {word for word in missing if not word.isdigit()} <= CALLOUT_KINDS, section["id"]


def test_summary_is_the_first_full_sentence_of_the_text(pack: Any) -> None:
    for entity in (entity for of_kind in pack["entities"].values() for entity in of_kind):
        before, found, _ = " ".join(entity["text"].split()).partition(entity["summary"])
        assert found, entity["id"]
        assert found.rstrip(")]\"'”’")[-1] in ".!?…" or not re.search(r"[.!?…]", entity["text"]), entity["id"]
        assert not re.search(r"[.!?…](?!\S)", before), entity["id"]


def test_links_of_sections_and_tables_lead_to_records(pack: Any) -> None:
    entities = [entity for of_kind in pack["entities"].values() for entity in of_kind]
    sections = {section["id"]: section for section in pack["sections"]}
    ids = {record["id"] for record in (*entities, *pack["sections"], *pack["tables"])}
    for section in sections.values():
        named = (*section["links"], *section["backlinks"], *section["entities"], *section["tables"])
        assert ids.issuperset(named), section["id"]
        assert section["parent"] is None or section["parent"] in ids
    for member, records in (("entities", entities), ("tables", pack["tables"])):
        assert {record["id"]: record["section"] for record in records} == {
            id_: section["id"] for section in sections.values() for id_ in section[member]
        }
    for calculator in pack["calculators"]:
        (section,) = (section for section in sections.values() if calculator["id"] in section["calculators"])
        assert calculator["citation"]["url"] == section["url"]
    for table in pack["tables"]:
        assert table["id"] in sections[table["section"]]["tables"]
        assert [*map(len, table["cells"])] == [*map(len, table["rows"])]


def test_each_link_in_markdown_into_the_book_is_an_id(pack: Any) -> None:
    ids = {entity["id"] for of_kind in pack["entities"].values() for entity in of_kind}
    ids |= {section["id"] for section in pack["sections"]}
    for section in pack["sections"]:
        targets = re.findall(r"(?<!\\)\]\(<?([^)>]+)>?\)", section["markdown"])
        assert all(target in ids or target.startswith(("http", "mailto:")) for target in targets), section["id"]


def test_each_section_was_read_beside_the_source(pack: Any) -> None:
    game = pack["game"]["id"]
    read_sections = yaml.safe_load((ROOT / "tests/facts/readings.yaml").read_text(encoding="utf-8"))[game]
    slugs = [section["id"].removeprefix(f"{game}/section/")[:ID_CHARACTERS] for section in pack["sections"]]
    assert read_sections == slugs

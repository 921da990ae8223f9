"""The table of properties that keep a text private, in every form in which a text may state them."""

from collections.abc import Iterator
from datetime import UTC, datetime
from math import inf

import pytest

from kismet_build.config.moments import moment
from kismet_build.config.privacy import Place, PublicationRules, Row, Verdict, privacy_of
from kismet_build.model.diagnostic import ignore
from kismet_build.model.source import Source
from kismet_build.parse import read
from tests.privacy_rows import HIDING, PUBLISHING

NOW = 2_000_000_000.0
"""A time in 2033."""


def test_both_tables_have_every_row() -> None:
    assert HIDING.keys() == PUBLISHING.keys() == set(Row)


def verdict(text: str, dialect: str = "obsidian", **rules: object) -> Verdict:
    document = read(Source("Note.md", text), dialect, ignore, {})
    return privacy_of(document, [Place("Note.md", PublicationRules(**rules))], (), ()).at(NOW)  # type: ignore[arg-type]


FORMS = {
    "YAML": "---\n{}\n---\nWords.\n",
    "YAML after a byte order mark and a blank line": "\ufeff\n---\n{}\n---\nWords.\n",
    "indented YAML": "---\n  {}\n---\nWords.\n",
    "YAML without an end": "---\n{}\n\n# Words\n",
    "broken YAML": "---\n{}\nname: a: b\n---\nWords.\n",
    "broken and indented YAML": "---\nname: a: b\n   {}\n---\nWords.\n",
    "YAML with a tab": "---\nname: x\n\t{}\n---\nWords.\n",
    "YAML in an open bracket": "---\nx: [\n  {}\n---\nWords.\n",
    "named YAML": "---yaml\n{}\n---\nWords.\n",
    "YAML between longer dashes": "———\n{}\n———\nWords.\n",
    "YAML in a block of code": "```yaml\n{}\n```\nWords.\n",
    "YAML below a comment": "<!-- mine -->\n---\n{}\n---\nWords.\n",
}


def nested(line: str) -> bool:
    """Whether a property is inside another one. Only a parser that reads the text knows that."""
    return line.partition(":")[0] in ("cover", "a", "meta", "notes")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("row", Row)
def test_what_hides_a_text_does_so_in_every_form(row: Row, form: str) -> None:
    published = [line for line in HIDING[row] if not verdict(FORMS[form].format(line)).reason]
    assert published == []


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("row", Row)
def test_what_publishes_a_text_does_so_in_every_form(row: Row, form: str) -> None:
    lines = [line for line in PUBLISHING[row] if form == "YAML" or not nested(line)]
    hidden = {line: verdict(FORMS[form].format(line)).reason for line in lines}
    assert {line: reason for line, reason in hidden.items() if reason} == {}


@pytest.mark.parametrize(
    "text",
    [
        "---\n? publish\n: false\n---\n",
        "---\npublish: true\npublish: false\n---\n",
        "---\npublish：false\n---\n",
        "---\npublish:false\n---\n",
        "---\npublish:\n  - false\n---\n",
        "---\npublish: |\n  false\n---\n",
        "---\n{publish: false, title: x}\n---\n",
        "---\nbase: &base {draft: true}\n<<: *base\n---\n",
        '---json\n{"draft": true}\n---\n',
        '{"title": "x", "draft": true}\n\nWords.\n',
        '{"title": "x", "draft": true\n\nWords.\n',
        ";;;\ndraft = true\n;;;\n",
        "+++\ndraft = true\n+++\n",
        "+++\ndraft = false\ndraft = true\n+++\n",
        "publish: false\ntitle: x\n\nWords.\n",
        "p\0u\0b\0l\0i\0s\0h\0:\0 \0n\0o\0\n\0",
    ],
)
def test_other_forms(text: str) -> None:
    assert verdict(text).reason


@pytest.mark.parametrize(
    "text",
    [
        "---\nWords between two lines: `publish: false` is how to hide them.\n---\n",
        "# Publishing\n\nWrite `publish: false`.\n\n```yaml\npublish: false\n```\n",
        "Hidden: yes, behind the curtain.\n",
        "---\ntext: |\n  draft: true\n---\n",
        "Draft\n\n---\n\nThe draft of the ship is deep.\n",
    ],
)
def test_what_only_speaks_of_marks_is_published(text: str) -> None:
    assert not verdict(text).reason


@pytest.mark.parametrize("above", ["", "---\ntitle: x\n---\n", "# Title\n\n"])
@pytest.mark.parametrize(
    ("line", "hides"),
    [
        *(("publish: false", True), ("private: yes", True), ("status: draft", True), ("isDraft?: true", True)),
        *(("publish: flase", False), ("Password: swordfish", False), ("Level: 3", False), ("Date: 2350-01-02", False)),
    ],
)
def test_bare_lines_hide_only_by_a_clear_answer(above: str, line: str, hides: bool) -> None:
    """They may be the first words of a text, so properties of a generator do not count."""
    encrypted = {"password": frozenset[str](), "level": frozenset[str]()}
    found = verdict(f"{above}{line}\n\nWords.\n", published_with=encrypted, not_before=("date",))
    assert bool(found.reason) is hides


@pytest.mark.parametrize(
    ("value", "hides"),
    [('"Draft ✏️"', True), ('"[[Draft]]"', True), ("[wip, draft]", True), ("draft 2", False), ("first draft", False)],
)
def test_a_state_is_one_word(value: str, hides: bool) -> None:
    assert bool(verdict(f"---\nstatus: {value}\n---\nWords.\n").reason) is hides


def lines_of_attributes() -> Iterator[tuple[str, bool]]:
    for line, hides in (
        (":publish: false", True),
        (":!publish:", True),
        (":publish!:", True),
        (":draft:", True),
        (":draft: true@", True),
        (":private:", True),
        (":page-published: no", True),
        (":page-layout: post", False),
        (":status: draft", True),
        (":publish:", False),
        (":!draft:", False),
        (":draft: 3 m", False),
        (":published: Paizo, 2019", False),
    ):
        yield f"= Title\n{line}\n\nWords.\n", hides
        yield f"{line}\n\n= Title\n\nWords.\n", hides
        yield f"////\nold\n////\n[[id]]\n= Title\n{line}\n\nWords.\n", hides
        yield f"Title\n=====\n{line}\n\nWords.\n", hides
        yield f"= Title\n\n{line}\n\nWords.\n", hides
        yield f"= Title\nAn Author\nv1.0, 2020-01-01\n// a comment\n{line}\n\nWords.\n", hides
        yield f"= Title\n\n----\n{line}\n----\n", False


@pytest.mark.parametrize(("text", "hides"), [*lines_of_attributes()])
def test_attributes_of_asciidoc(text: str, hides: bool) -> None:
    assert bool(verdict(text, "asciidoc").reason) == hides


def test_a_property_that_is_a_field_hides_only_by_a_clear_word() -> None:
    fields = frozenset(("hidden", "draft", "status"))
    for line, hides in (("hidden: yes", False), ("status: draft", False), ("draft: deep", False), ("draft: yes", True)):
        assert bool(verdict(f"---\n{line}\n---\n", fields=fields).reason) == hides, line


def test_words_of_themes_publish_and_are_said() -> None:
    found = verdict("---\nhidden: true\nstatus: draft\n---\n", ignored=frozenset(("hidden", "status")))
    assert found == Verdict(lookalikes=("hidden: true", "status: draft"))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("publish: flase", "because `publish: flase` is neither yes nor no"),
        ("draft: see my secret plan", ""),
        ("draft: secret", "because a value of `draft` is neither yes nor no"),
        ("publish: secret", "because a value of `publish` is neither yes nor no"),
    ],
)
def test_a_reason_quotes_nothing_but_what_is_nearly_a_yes_or_no(line: str, reason: str) -> None:
    assert verdict(f"---\n{line}\n---\n").reason == reason


@pytest.mark.parametrize(
    "value",
    [
        *("2035-01-02", "2035-1-2", "2035/01/02", "35-01-02", "2 Jan 2035", "January 2, 2035", "2035-01-02 10:00"),
        *("Tue, 02 Jan 2035 10:00:00 UTC", "2035-01-02T10:00:00+02:00", "2035", "2035-01-02 10:00:00 EST"),
    ],
)
def test_times_are_read_as_people_write_them(value: str) -> None:
    hides = verdict(f"---\npublishDate: {value}\n---\n", not_before=("publishdate",))
    assert hides.reason
    assert NOW < hides.start < 2_100_000_000
    assert verdict(f"---\nexpiryDate: {value}\n---\n", not_after=("expirydate",)).reason == ""


def test_time_without_a_zone_has_passed_when_it_has_passed_everywhere() -> None:
    noon = datetime(2026, 11, 28, 12, tzinfo=UTC).timestamp()
    assert moment("2026-11-28 12:00") == (noon - 14 * 3600, noon + 12 * 3600)
    assert moment("2026-11-28 12:00Z") == (noon, noon)


@pytest.mark.parametrize("value", ["3 m", "10", "1/3", "d6", "Spring 1350", "10 Hammer 1492", "no", "12:00", True, 5])
def test_what_has_no_year_is_no_time(value: object) -> None:
    assert moment(value) is None


@pytest.mark.parametrize(
    ("line", "hides"),
    [("expiryDate: 1", True), ("expiryDate: 2050", True), ("publishDate: 2050", False), ("publishDate: yes", False)],
)
def test_small_numbers_are_seconds_since_1970_in_hugo(line: str, hides: bool) -> None:
    found = verdict(f"---\n{line}\n---\n", not_before=("publishdate",), not_after=("expirydate",), casts_numbers=True)
    assert bool(found.reason) == hides


def test_a_text_appears_at_the_first_time_that_changes_something() -> None:
    text = "---\npublishDate: 2034-01-01T00:00:00Z\nexpiryDate: 2033-07-01T00:00:00Z\n---\n"
    found = verdict(text, not_before=("publishdate",), not_after=("expirydate",))
    for now, change in ((0.0, found.end), (found.end, found.start), (found.start, inf)):
        assert found._replace(reason="").next_change(now) == change
    assert found.end == moment("2033-07-01T00:00:00Z").earliest  # type: ignore[union-attr]

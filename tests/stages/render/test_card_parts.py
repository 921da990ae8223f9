"""Names and fields of any length are divided among cards to print: nothing is lost, and the work is linear."""

from textwrap import wrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kismet_build.render.pages.card_parts import (
    CHARACTERS_PER_LINE,
    CHARACTERS_PER_NAME_LINE,
    LINES_PER_CARD,
    CardPart,
    card_parts,
)
from tests.executed_lines import executed_lines

LENGTHS = st.one_of(
    st.integers(0, 3 * CHARACTERS_PER_LINE),
    # The length is that of some lines, or a few letters more or less, so one line or no line is left.
    st.builds(lambda lines, more: CHARACTERS_PER_LINE * lines + more, st.integers(1, 40), st.integers(-2, 2)),
    st.integers(0, 5_000),
)
WORD_LENGTHS = st.one_of(st.integers(1, 12), st.integers(20, 40), st.integers(1, 5_000))
TEXTS = st.builds(lambda length, word, mark: text(length, word, mark), LENGTHS, WORD_LENGTHS, st.sampled_from(" -"))
FIELDS = st.lists(st.tuples(TEXTS, TEXTS), max_size=4)


def text(length: int, word: int, mark: str = " ") -> str:
    """This number of different letters, in words of the same length."""
    letters = "".join(chr(0x4E00 + place) for place in range(length))
    return mark.join(letters[at : at + word] for at in range(0, length, word))


def letters(*texts: str) -> str:
    return "".join(texts).replace(" ", "")


def printed(parts: list[CardPart]) -> list[tuple[str, str]]:
    """The fields of all cards in order, with consecutive fields of the same label joined. Text has no label."""
    fields: list[tuple[str, str]] = []
    for part in parts:
        for label, value in (*part.fields, *(("", words) for words in part.text)):
            if fields and fields[-1][0] == label:
                fields[-1] = (label, fields[-1][1] + value)
            else:
                fields.append((label, value))
    return fields


@given(TEXTS, FIELDS, TEXTS)
def test_cards_hold_all_letters_in_order(name: str, fields: list[tuple[str, str]], words: str) -> None:
    # The labels differ, which tells a label repeated on the next card from the next field.
    labelled = [(f"{number}{label}", value) for number, (label, value) in enumerate(fields)]
    parts = card_parts(name, (*labelled, ("", words)))
    assert letters(*dict.fromkeys(part.name for part in parts)) == letters(name)
    assert letters(*(label + value for label, value in printed(parts))) == letters(
        *(label + value for label, value in labelled), words
    )


@given(TEXTS, FIELDS, TEXTS)
def test_no_card_has_more_lines_than_fit(name: str, fields: list[tuple[str, str]], words: str) -> None:
    for part in card_parts(name, (*fields, ("", words))):
        lines = len(wrap(part.name, CHARACTERS_PER_NAME_LINE))
        lines += sum(len(wrap(f"{label} {value}", CHARACTERS_PER_LINE)) for label, value in part.fields)
        lines += sum(len(wrap(words, CHARACTERS_PER_LINE)) for words in part.text)
        assert lines <= LINES_PER_CARD - part.lines_left <= LINES_PER_CARD


@given(st.integers(1, 5_000), st.integers(1, 2_000), st.integers(0, 3))
def test_work_grows_like_the_length(word: int, length: int, which: int) -> None:
    def work(length: int) -> int:
        texts = ["", "", "", ""]
        texts[which] = text(length, word)
        name, label, value, words = texts
        card_parts(name, ((label, value), ("", words)))  # This compiles the patterns for these widths.
        return executed_lines(lambda: card_parts(name, ((label, value), ("", words))))

    assert work(4 * length) < 5 * work(length) + 500


def test_card_of_normal_size_is_one_with_its_words_as_they_are() -> None:
    fields = (("Harm", "1d6 half-elven"), ("Cost", ""), ("", "Sure-footed as a goat."))
    (part,) = card_parts("Crow", fields)
    assert (part.name, part.fields, part.text) == ("Crow", list(fields[:2]), [fields[2][1]])
    assert part.lines_left == LINES_PER_CARD - 4


@pytest.mark.parametrize("quotation", ["“{}”", "(“{}”)", "„{}“", "«{}»"])
def test_short_quotation_stays_on_one_card(quotation: str) -> None:
    quoted = quotation.format("as it says in the book of all rules")
    for length in range(500, 700):
        parts = card_parts("Crow", [("", f"{text(length, 5)} {quoted} {text(300, 5)}")])
        assert any(quoted in words for part in parts for words in part.text), length


def test_label_is_repeated_before_the_rest_of_its_value() -> None:
    value = " ".join(f"half-{number}" for number in range(100))
    first, *others = card_parts("Crow", [("Harm", value)])
    assert {label for part in (first, *others) for label, _ in part.fields} == {"Harm"}
    assert " ".join(value for part in (first, *others) for _, value in part.fields) == value
    assert not first.lines_left


def test_label_of_two_lines_is_not_put_into_the_last_line() -> None:
    for length in range(500, 650):
        parts = card_parts("A", [("a", text(length, 5)), (text(40, 40), "b")])
        assert all(value for part in parts for _, value in part.fields)

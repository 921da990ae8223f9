"""Tests of how the compiler uses the language of texts."""

import pytest

from kismet_build.extract.language import MIN_WORDS, language_of, language_words
from kismet_build.mechanics.dice.find import with_english_dice
from kismet_build.model.language import Language
from kismet_build.model.source import Source
from kismet_build.parse import read


@pytest.mark.parametrize(
    ("tag", "has_decimal_comma", "dice", "plural"),
    [
        ("en", False, "2W6", "Knives"),
        ("en-GB", False, "2W6", "Knives"),
        ("de", True, "2d6", "Knife"),
        ("de-AT", True, "2d6", "Knife"),
        ("fr", True, "2W6", "Knife"),
        ("tlh", False, "2W6", "Knife"),
    ],
)
def test_a_region_has_the_facts_of_its_language(tag: str, has_decimal_comma: bool, dice: str, plural: str) -> None:
    language = Language(tag)
    assert language.has_decimal_comma is has_decimal_comma
    assert with_english_dice("2W6", language) == dice
    assert language.plural("Knife") == plural


def test_languages_are_compared_by_tag() -> None:
    assert Language("de").primary == "de"
    assert Language("de") == Language("de") != Language("de-AT")
    assert len({Language("de"), Language("de")}) == 1


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Der Turm ist alt und wird von den Leuten nicht mehr besucht.", "de"),
        ("The tower is old and the people of the town do not visit it.", "en"),
        ("El faro es viejo, pero los barcos también lo buscan cuando llueve.", "es"),
        ("Une tour est dans les bois, avec les loups et leur reine.", "fr"),
        ("Nella torre della regina gli specchi non parlano più.", "it"),
        ("Het huis is niet oud, maar wordt voor een heks gehouden.", "nl"),
        ("As torres não são velhas, e os corvos também voltam pelo mar.", "pt"),
        ("Torre, 12, d20.", "en"),
    ],
)
def test_the_language_of_a_vault_is_that_of_its_frequent_words(sentence: str, expected: str) -> None:
    document = read(Source("Tower.md", sentence * MIN_WORDS), "obsidian", lambda _: None)
    assert language_of({"Tower.md": language_words(document)}, "en", False) == expected
    assert language_of({"Tower.md": language_words(document)}, "sv", True) == "sv"

"""Tests of how the compiler uses the language of texts."""

import pytest

from kismet_build.mechanics.dice.find import with_english_dice
from kismet_build.model.language import Language


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
    """A pass does not run again for an equal language."""
    assert Language("de").primary == "de"
    assert Language("de") == Language("de") != Language("de-AT")
    assert len({Language("de"), Language("de")}) == 1

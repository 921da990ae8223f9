"""The plural of English names of kinds."""

from pathlib import Path

from kismet_build.config.autolink import plural as regular_plural

UNCOUNTABLE = frozenset(Path(__file__).with_name("uncountable_words.txt").read_text("utf-8").split())
"""Words that are their own plural, or have none."""
IRREGULAR = {
    "axe": "axes",
    "child": "children",
    "die": "dice",
    "dwarf": "dwarves",
    "foe": "foes",
    "foot": "feet",
    "goose": "geese",
    "knife": "knives",
    "leaf": "leaves",
    "life": "lives",
    "man": "men",
    "mouse": "mice",
    "person": "people",
    "shoe": "shoes",
    "staff": "staves",
    "thief": "thieves",
    "toe": "toes",
    "tooth": "teeth",
    "vertex": "vertices",
    "wife": "wives",
    "woman": "women",
}
"""The plurals of words that no rule has."""


def plural(words: str) -> str:
    """A name in the plural, such as `Magic Items`. A last word that ends in `s` may be a plural: it stays."""
    start, space, last = words.rpartition(" ")
    lower = last.casefold()
    if lower in UNCOUNTABLE or not lower.isascii():
        return words
    if lower in IRREGULAR:
        other = IRREGULAR[lower]
        return f"{start}{space}{other.capitalize() if last[:1].isupper() else other}"
    if lower.endswith(("ss", "us")):
        return f"{words}es"
    if lower.endswith("lf"):
        return f"{words[:-1]}ves"
    return regular_plural(words, "en") or words

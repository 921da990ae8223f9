"""The singular and plural of English names of folders."""

import re

from kismet_build.config.autolink import plural as regular_plural

UNCHANGED = frozenset(
    (
        "arms",
        "atlas",
        "bias",
        "canvas",
        "chaos",
        "cosmos",
        "dynamics",
        "economics",
        "ethics",
        "ethos",
        "gas",
        "goods",
        "iris",
        "lens",
        "logistics",
        "magics",
        "mechanics",
        "news",
        "pathos",
        "physics",
        "politics",
        "pros",
        "series",
        "species",
    )
)
"""Words that end in `s` and have no other singular."""
UNCOUNTABLE = frozenset(
    (
        "ammo",
        "ammunition",
        "armor",
        "armour",
        "clothing",
        "deer",
        "fish",
        "gear",
        "homebrew",
        "loot",
        "magic",
        "sheep",
    )
)
"""Words that have no other plural."""
IRREGULAR = {
    "children": "child",
    "dice": "die",
    "dwarves": "dwarf",
    "feet": "foot",
    "geese": "goose",
    "knives": "knife",
    "leaves": "leaf",
    "lives": "life",
    "men": "man",
    "mice": "mouse",
    "people": "person",
    "staves": "staff",
    "teeth": "tooth",
    "thieves": "thief",
    "vertices": "vertex",
    "wives": "wife",
    "women": "woman",
    "shoes": "shoe",
    "foes": "foe",
    "toes": "toe",
    "axes": "axe",
}
ENDING_IN_IE = frozenset(
    (
        "aerie",
        "calorie",
        "cookie",
        "eerie",
        "faerie",
        "genie",
        "magpie",
        "movie",
        "pie",
        "pixie",
        "prairie",
        "tie",
        "zombie",
    )
)
RULES = (
    (re.compile(r"(?<=[^aeiou])ies$"), "y"),
    (re.compile(r"lves$"), "lf"),
    (re.compile(r"(?<=ss|sh|ch)es$|(?<=x)es$|(?<=[tnrpcm]us)es$|(?<=[^aeiou]o)es$"), ""),
    (re.compile(r"(?<![sui])s$"), ""),
)
"""Endings of plurals, each with the ending of the singular. The first that fits is applied."""


def singular(words: str) -> str:
    """A name with its last word in the singular; unchanged if that is no English plural."""
    start, space, last = words.rpartition(" ")
    return f"{start}{space}{_singular_word(last)}"


def plural(words: str) -> str:
    """A name in the plural; unchanged if that is irregular or the same."""
    last = words.rpartition(" ")[2].casefold()
    return words if last in UNCOUNTABLE else regular_plural(words, "en") or words


def _singular_word(word: str) -> str:
    lower = word.casefold()
    if lower in UNCHANGED or not word.isascii() or len(word) < 3:
        return word
    if lower in IRREGULAR:
        return _in_case_of(word, IRREGULAR[lower])
    if lower.endswith("smen") or lower.endswith("chmen"):
        return word[:-2] + "an"
    if lower.endswith("ies") and lower[:-1] in ENDING_IN_IE:
        return word[:-1]
    for ending, replacement in RULES:
        if match := ending.search(lower):
            return word[: match.start()] + replacement
    return word


def _in_case_of(word: str, other: str) -> str:
    return other.capitalize() if word[:1].isupper() else other

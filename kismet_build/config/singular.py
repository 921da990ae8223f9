"""The singular of English names of folders."""

import re

from kismet_build.config.plural import IRREGULAR

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
IRREGULAR_SINGULARS = {plural: one for one, plural in IRREGULAR.items()}
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


def _singular_word(word: str) -> str:
    lower = word.casefold()
    if lower in UNCHANGED or not word.isascii() or len(word) < 3:
        return word
    if lower in IRREGULAR_SINGULARS:
        return _in_case_of(word, IRREGULAR_SINGULARS[lower])
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

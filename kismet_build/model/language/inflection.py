"""English inflection: singular and plural of nouns, and participles."""

import re
from pathlib import Path

UNCOUNTABLE = frozenset(Path(__file__).with_name("uncountable_words.txt").read_text("utf-8").split())
"""Words without a separate plural."""
PLURALS = {
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
"""Irregular plurals by their singular."""
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
"""Words that end in `s`, and that `singular` does not change."""
SINGULARS = {plural: singular for singular, plural in PLURALS.items()}
SINGULARS_IN_IE = frozenset(
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
SIBILANT = re.compile(r"(?:s|x|z|ch|sh)$", re.IGNORECASE)
"""Endings of English words that form the plural with `es`."""
SINGULAR_ENDINGS = (
    (re.compile(r"(?<=[^aeiou])ies$"), "y"),
    (re.compile(r"lves$"), "lf"),
    (re.compile(r"(?<=ss|sh|ch)es$|(?<=x)es$|(?<=[tnrpcm]us)es$|(?<=[^aeiou]o)es$"), ""),
    (re.compile(r"(?<![sui])s$"), ""),
)
"""Endings of plurals, each with the ending of the singular. The first match counts."""
DOUBLED_CONSONANT = re.compile(r"[^aeiou][aeiou][bdgklmnprt]$")
"""Endings of words whose last letter may be doubled before `ed`: `stopped`, but `opened`."""


def plural(words: str) -> str:
    """A name in the plural, such as `Magic Items`.

    A last word that ends in `s`, but not in `ss` or `us`, is unchanged, because it may be a plural.
    """
    start, space, last = words.rpartition(" ")
    lower = last.casefold()
    if lower in UNCOUNTABLE or not lower.isascii():
        return words
    if lower in PLURALS:
        return f"{start}{space}{_in_case_of(last, PLURALS[lower])}"
    if lower.endswith(("ss", "us")):
        return f"{words}es"
    if lower.endswith("lf"):
        return f"{words[:-1]}ves"
    return regular_plural(words) or words


def singular(words: str) -> str:
    """A name with its last word in the singular; unchanged if the last word is not an English plural."""
    start, space, last = words.rpartition(" ")
    return f"{start}{space}{_singular_word(last)}"


def regular_plural(words: str) -> str:
    """The regular English plural of a phrase; empty if the phrase ends in `s` or does not end in a letter."""
    last = words[-1:]
    if not last.isalpha() or last in "sS":
        return ""
    if SIBILANT.search(words):
        return f"{words}es"
    if last in "yY" and words[-2:-1] not in tuple("aeiouAEIOU"):
        return f"{words[:-1]}ies"
    return f"{words}s"


def regular_singular(words: str) -> str:
    """The phrase of which `words` is the regular English plural; empty if there is none."""
    for ending, replacement in (("ies", "y"), ("es", ""), ("s", "")):
        candidate = words.removesuffix(ending) + replacement
        if words.endswith(ending) and regular_plural(candidate) == words:
            return candidate
    return ""


def numbers(name: str) -> tuple[str, ...]:
    """The singular and the plural of an English name, without the name itself."""
    return tuple(form for form in dict.fromkeys((singular(name), plural(name))) if form != name)


PREPOSITION = re.compile(r"\s(?:a|against|for|in|of|per|to)\s.*", re.IGNORECASE | re.DOTALL)


def is_plural(name: str) -> bool:
    """Whether an English name is a plural, by the last word before a preposition: `Points of Light`, `Years`."""
    head = PREPOSITION.sub("", name)
    return singular(head) != head


def participles(word: str) -> tuple[str, ...]:
    """The English participles of a word, whether or not they exist: `Calm` gives `Calmed`."""
    stems = [word.removesuffix("e")]
    # Doubling depends on the stress of a word, which the spelling does not show.
    if DOUBLED_CONSONANT.search(word.lower()):
        stems.append(word + word[-1])
    past = [f"{stem}ed" for stem in stems]
    if re.search(r"[^aeiou]y$", word):
        past = [f"{word[:-1]}ied"]
    return (*past, f"{word}ened", *(f"{stem}ing" for stem in stems))


def _singular_word(word: str) -> str:
    lower = word.casefold()
    if lower in UNCHANGED or not word.isascii() or len(word) < 3:
        return word
    if lower in SINGULARS:
        return _in_case_of(word, SINGULARS[lower])
    if lower.endswith("smen") or lower.endswith("chmen"):
        return word[:-2] + "an"
    if lower.endswith("ies") and lower[:-1] in SINGULARS_IN_IE:
        return word[:-1]
    for ending, replacement in SINGULAR_ENDINGS:
        if match := ending.search(lower):
            return word[: match.start()] + replacement
    return word


def _in_case_of(word: str, other: str) -> str:
    return other.capitalize() if word[:1].isupper() else other

"""Inflected forms of names: the numbers of English nouns, and the participles that a text makes of a word."""

import re

from kismet_build.config.plural import plural
from kismet_build.config.singular import singular

DOUBLED_CONSONANT = re.compile(r"[^aeiou][aeiou][bdgklmnprt]$")
"""Endings of words whose last letter may be doubled before `ed`: `stopped`, but `opened`."""


def numbers(name: str) -> tuple[str, ...]:
    """The singular and the plural of an English name, without the name itself."""
    return tuple(form for form in dict.fromkeys((singular(name), plural(name))) if form != name)


def participles(word: str) -> tuple[str, ...]:
    """The English participles of a word, or those that it would have: `Calm` gives `Calmed`."""
    stems = [word.removesuffix("e")]
    # The stress of a word decides, which its letters do not show.
    if DOUBLED_CONSONANT.search(word.lower()):
        stems.append(word + word[-1])
    past = [f"{stem}ed" for stem in stems]
    if re.search(r"[^aeiou]y$", word):
        past = [f"{word[:-1]}ied"]
    return (*past, f"{word}ened", *(f"{stem}ing" for stem in stems))

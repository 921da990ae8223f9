"""The letter of a die, and the headers of roll tables, in each language."""

from collections.abc import Mapping
from itertools import chain

DIE_LETTERS: Mapping[str, str] = {"de": "W"}
"""The letter for a die if it is not `d`: W for the German Würfel."""
ROLL_HEADERS_OF: Mapping[str, tuple[str, ...]] = {
    "en": ("roll", "die roll", "dice roll"),
    "bg": ("хвърляне",),
    "cs": ("hod",),
    "da": ("slag", "kast", "terningkast"),
    "de": ("wurf", "würfelwurf"),
    "el": ("ζαριά",),
    "es": ("tirada",),
    "fi": ("heitto",),
    "fr": ("jet", "jet de dé"),
    "hu": ("dobás",),
    "it": ("tiro",),
    "nl": ("worp",),
    "pl": ("rzut",),
    "pt": ("rolagem",),
    "ru": ("бросок",),
    "tr": ("zar",),
    "uk": ("кидок",),
}
"""Headers of a first column with the results of a roll, in lower case and without dice, by language."""
ROLL_HEADERS = frozenset(chain.from_iterable(ROLL_HEADERS_OF.values()))
"""The headers of all languages. These headers are accepted in every text, because few vaults set their language."""

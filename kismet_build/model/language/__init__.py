"""What a language of texts asks of the compiler: its decimals, dice, headers of roll tables and plurals.

Why only German has dice of its own: docs/decisions/0011-languages.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from kismet_build.model.language import inflection

COMMA_LANGUAGES = (
    "af bg bs ca cs da de el es et eu fi fo fr gl hr hu id is it lt lv mk nb nl nn no pl pt ro ru sk sl sq"
)
DECIMAL_COMMA_LANGUAGES = frozenset(f"{COMMA_LANGUAGES} sr sv tr uk".split())
"""Languages that write decimals after a comma, and thousands with points."""
DIE_LETTERS: Mapping[str, str] = {"de": "W"}
"""The letter of a die where it is not `d`: the German Würfel."""
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
"""Headers, in lower case, of a first column with results of a roll that do not name the dice."""
ROLL_HEADERS = frozenset(chain.from_iterable(ROLL_HEADERS_OF.values()))
"""Those of all languages. A table has them in every text, because few vaults name their language."""


@dataclass(frozen=True)
class Language:
    """The language of texts. Two are equal if their tags are."""

    tag: str
    """The BCP 47 tag, as published: `de-AT`."""

    @cached_property
    def primary(self) -> str:
        """The language without its region: `de`."""
        return self.tag.partition("-")[0].lower()

    @property
    def is_english(self) -> bool:
        """Whether its texts are English, whose words we inflect."""
        return self.primary == "en"

    @property
    def has_decimal_comma(self) -> bool:
        """Whether it writes decimals after a comma."""
        return self.primary in DECIMAL_COMMA_LANGUAGES

    @property
    def die_letter(self) -> str:
        """The letter of a die in running text besides `d`; empty if it has none."""
        return DIE_LETTERS.get(self.primary, "")

    def plural(self, words: str) -> str:
        """An English name in the plural; in another language the name itself."""
        return inflection.plural(words) if self.is_english else words

    def singular(self, words: str) -> str:
        """An English name with its last word in the singular; in another language the name itself."""
        return inflection.singular(words) if self.is_english else words

    def regular_plural(self, words: str) -> str:
        """The regular plural of an English phrase; empty for other languages, and if it has none."""
        return inflection.regular_plural(words) if self.is_english else ""

    def regular_singular(self, words: str) -> str:
        """The phrase whose regular English plural this is; empty for any other phrase, and in other languages."""
        return inflection.regular_singular(words) if self.is_english else ""


ENGLISH = Language("en")

"""The languages of texts: decimal commas, dice letters, headers of roll tables, plurals.

docs/decisions/0011-languages.md says why only German has its own dice letter.
"""

from dataclasses import dataclass
from functools import cached_property

from kismet_build.model.language import inflection
from kismet_build.model.language.dice import DIE_LETTERS

COMMA_LANGUAGES = (
    "af bg bs ca cs da de el es et eu fi fo fr gl hr hu id is it lt lv mk nb nl nn no pl pt ro ru sk sl sq"
)
DECIMAL_COMMA_LANGUAGES = frozenset(f"{COMMA_LANGUAGES} sr sv tr uk".split())
"""Languages that use a decimal comma. A point in their numbers is read as a separator of thousands."""


@dataclass(frozen=True)
class Language:
    """The language of texts. Two languages are equal if their tags are equal."""

    tag: str
    """The BCP 47 tag as published, such as `de-AT`."""

    @cached_property
    def primary(self) -> str:
        return self.tag.partition("-")[0].lower()

    @property
    def is_english(self) -> bool:
        return self.primary == "en"

    @property
    def has_decimal_comma(self) -> bool:
        return self.primary in DECIMAL_COMMA_LANGUAGES

    @property
    def die_letter(self) -> str:
        """The letter for a die in running text; empty if it is `d`."""
        return DIE_LETTERS.get(self.primary, "")

    def plural(self, words: str) -> str:
        """An English name in the plural; in other languages, the name itself."""
        return inflection.plural(words) if self.is_english else words

    def singular(self, words: str) -> str:
        """An English name with its last word in the singular; in other languages, the name itself."""
        return inflection.singular(words) if self.is_english else words

    def regular_plural(self, words: str) -> str:
        """The regular plural of an English phrase; empty for other phrases and languages."""
        return inflection.regular_plural(words) if self.is_english else ""

    def regular_singular(self, words: str) -> str:
        """The English phrase of which `words` is the regular plural; empty if there is none, and in other languages."""
        return inflection.regular_singular(words) if self.is_english else ""


ENGLISH = Language("en")

"""The words of the website in a language.

Babel provides number formats and plural rules; a `Design` may change the words. docs/decisions/0011-languages.md says
why kismet does not use gettext.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from babel import Locale, UnknownLocaleError
from markupsafe import Markup, escape

from kismet_build.config.design import NO_DESIGN, Design
from kismet_build.config.language.strings import COUNT, DEFAULT, Sentence, arguments_of, languages, read_strings

MAX_CATALOGS = 16
"""Maximum number of catalogs in memory.

Without a limit, `kismet serve` would keep the catalog of each former design.
"""


class Catalog:
    """The words of the website in one language, by key."""

    def __init__(self, language: str, text_language: str, design: Design) -> None:
        """`language` has strings. `text_language` is the BCP 47 tag of the texts, for numbers and direction."""
        data = read_strings(language)
        for words in design.words:
            if words.language == language:
                for key, forms in words.sentences:
                    data["scripts" if key in data["scripts"] else "pages"][key] = dict(forms).get("") or dict(forms)
        locale = Locale.parse(language)
        self.language = language
        self.text_language = text_language
        self.design = design
        self._script_sentences: Mapping[str, Sentence] = data["scripts"]
        self._texts: Mapping[str, Sentence] = data["pages"] | data["scripts"]
        self._html = {key: _html(sentence) for key, sentence in self._texts.items()}
        self._fixed = {
            key: Markup(sentence.format())
            for key, sentence in self._html.items()
            if isinstance(sentence, str) and not arguments_of(sentence)
        }
        self._plural_category = locale.plural_form
        numbers = _locale(self.text_language) or locale
        symbols = numbers.number_symbols["latn"]
        self._decimal, self._group = symbols["decimal"], symbols["group"]
        self._percent: str = numbers.percent_formats[None].pattern.replace("#,##0", "{}")
        self.is_right_to_left = _is_right_to_left(text_language)

    def text(self, key: str, /, **arguments: object) -> str:
        """The sentence with this key as plain text, with the arguments filled in."""
        try:
            return self._form(self._texts[key], arguments).format_map(self._shown(arguments))
        except KeyError:
            raise self._wrong_use(key) from None

    def html(self, key: str, /, **arguments: object) -> Markup:
        """The sentence with this key as HTML. Arguments are escaped unless they are `Markup`."""
        try:
            if not arguments:
                return self._fixed[key]
            sentence = self._form(self._html[key], arguments)
            return Markup(sentence.format_map({name: escape(value) for name, value in self._shown(arguments).items()}))
        except KeyError:
            raise self._wrong_use(key) from None

    def _wrong_use(self, key: str) -> LookupError:
        if key not in self._texts:
            return LookupError(f'the website has no words with the key "{key}"')
        sentence = self._texts[key]
        forms = [sentence] if isinstance(sentence, str) else sentence.values()
        names = sorted({name for form in forms for name in arguments_of(form)} | ({COUNT} if len(forms) > 1 else set()))
        return LookupError(f'the words "{key}" take the arguments {", ".join(names)}')

    def number(self, digits: str) -> str:
        """Write a number with the decimal mark of the language. In `digits`, the mark is a point."""
        return digits.replace(".", self._decimal)

    def count(self, number: int) -> str:
        """A whole number with the thousands separators of the language."""
        return f"{number:,}".replace(",", self._group)

    @property
    def percent_sign(self) -> str:
        """The percent sign, with the space that the language writes before it."""
        return self._percent.format("")

    def percent(self, digits: str) -> str:
        """A percentage, as the language writes it. In `digits`, the decimal mark is a point."""
        return self._percent.format(self.number(digits))

    def for_scripts(self) -> dict[str, Any]:
        """The sentences that scripts use, and the format of numbers, in the form that `setStrings` in strings.js
        expects.
        """
        return {
            "language": self.language,
            "textLanguage": self.text_language,
            "sentences": self._script_sentences,
            "decimal": self._decimal,
            "group": self._group,
            "percent": self._percent,
        }

    def _form(self, sentence: Sentence, arguments: Mapping[str, Any]) -> str:
        if isinstance(sentence, str):
            return sentence
        return sentence.get(self._plural_category(arguments[COUNT])) or sentence["other"]

    def _shown(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        return {name: self.count(value) if name == COUNT else value for name, value in arguments.items()}


@lru_cache(maxsize=MAX_CATALOGS)
def catalog(language: str, design: Design = NO_DESIGN) -> Catalog:
    """The words for a language (a BCP 47 tag).

    The words are English if the language has no strings; numbers still follow the language if CLDR has it. `design` has
    the author's own words.
    """
    return _catalog(_file_language(language, design) or DEFAULT, language, design)


@lru_cache(maxsize=MAX_CATALOGS)
def _catalog(language: str, text_language: str, design: Design) -> Catalog:
    return Catalog(language, text_language, design)


def _locale(tag: str) -> Locale | None:
    """The locale of a BCP 47 tag, or of its language alone; `None` if CLDR has no Latin digits for either."""
    for name in (tag, tag.partition("-")[0]):
        try:
            locale = Locale.parse(name, sep="-")
        except (ValueError, UnknownLocaleError):
            continue
        if "latn" in locale.number_symbols:
            return locale
    return None


def _is_right_to_left(tag: str) -> bool:
    try:
        return Locale.parse(tag, sep="-").character_order == "right-to-left"
    except (ValueError, UnknownLocaleError):
        return False


def _file_language(language: str, design: Design) -> str:
    primary = language.partition("-")[0].lower()
    return primary if primary in languages() or any(words.language == primary for words in design.words) else ""


def _html(sentence: Sentence) -> Sentence:
    if not isinstance(sentence, str):
        return {category: str(_html(form)) for category, form in sentence.items()}
    parts = str(escape(sentence)).split("`")
    return "".join(f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts))

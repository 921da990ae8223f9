"""The words of the website, from one file a language in `site/strings`, with numbers and plurals by Babel."""

from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, TypeAlias

import yaml
from babel import Locale, UnknownLocaleError
from markupsafe import Markup, escape

from kismet_build.config.data_file import SHIPPED

FOLDER = SHIPPED / "site" / "strings"
DEFAULT = "en"
"""The language of the words where a language has no file."""
COUNT = "n"
"""The argument that decides between the forms of a sentence."""

Sentence: TypeAlias = str | Mapping[str, str]
"""A sentence with arguments in braces, or its forms by the plural category of CLDR (`one`, `other`)."""


class Catalog:
    """The words of the website in one language, by key."""

    def __init__(self, language: str, locale_of_numbers: str = "") -> None:
        """`locale_of_numbers`: a BCP 47 tag, for numbers in a language that has no words here."""
        data = read_catalog(language)
        locale = Locale.parse(language)
        self.language = language
        self._script_sentences: Mapping[str, Sentence] = data["scripts"]
        self._texts: Mapping[str, Sentence] = data["pages"] | data["scripts"]
        self._html = {key: _html(sentence) for key, sentence in self._texts.items()}
        self._fixed = {
            key: Markup(sentence.format())
            for key, sentence in self._html.items()
            if isinstance(sentence, str) and not arguments_of(sentence)
        }
        self._plural_category = locale.plural_form
        self.plural_categories: Collection[str] = {*locale.plural_form.tags, "other"}
        """Those of CLDR for whole numbers."""
        numbers = _locale(locale_of_numbers) or locale
        symbols = numbers.number_symbols["latn"]
        self._decimal, self._group = symbols["decimal"], symbols["group"]
        self._percent: str = numbers.percent_formats[None].pattern.replace("#,##0", "{}")

    def text(self, key: str, /, **arguments: object) -> str:
        """The sentence with a key as plain text, with these arguments."""
        return self._form(self._texts[key], arguments).format_map(self._shown(arguments))

    def html(self, key: str, /, **arguments: object) -> Markup:
        """The sentence with a key as HTML: arguments are escaped unless they are HTML."""
        if not arguments:
            return self._fixed[key]
        sentence = self._form(self._html[key], arguments)
        return Markup(sentence.format_map({name: escape(value) for name, value in self._shown(arguments).items()}))

    def number(self, digits: str) -> str:
        """A number with the decimal mark of the language; `digits` has a point."""
        return digits.replace(".", self._decimal)

    def count(self, number: int) -> str:
        """A whole number with the separator of thousands."""
        return f"{number:,}".replace(",", self._group)

    @property
    def percent_sign(self) -> str:
        """What follows a number of percent: the sign, and the space before it."""
        return self._percent.format("")

    def percent(self, digits: str) -> str:
        """A number of percent as the language writes it."""
        return self._percent.format(self.number(digits))

    def for_scripts(self) -> dict[str, Any]:
        """The sentences that scripts use and how numbers are written, as `setStrings` of strings.js takes them."""
        return {
            "language": self.language,
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


@cache
def catalog(language: str) -> Catalog:
    """The words for a language (a BCP 47 tag); those of another language if `has_catalog` says that it has none.

    Numbers are always those of the language, as far as CLDR has it.
    """
    return _catalog(_file_language(language) or DEFAULT, language)


def has_catalog(language: str) -> bool:
    """Whether the words of the website are there in a language (a BCP 47 tag)."""
    return bool(_file_language(language))


@cache
def languages() -> Mapping[str, Path]:
    """The languages of the website, with the file of each."""
    return {file.stem: file for file in sorted(FOLDER.glob("*.yaml"))}


def read_catalog(language: str) -> dict[str, dict[str, Sentence]]:
    """The sentences of a language by key, those of pages and those of scripts."""
    # The fast reader, because the file is ours: a test reads each, and no error needs a place.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data: dict[str, dict[str, Sentence]] = yaml.load(languages()[language].read_bytes(), loader)
    return data


@cache
def _catalog(language: str, locale_of_numbers: str) -> Catalog:
    return Catalog(language, locale_of_numbers)


def _locale(tag: str) -> Locale | None:
    """The locale of a BCP 47 tag, or of its language alone; `None` if CLDR has neither, with Latin digits."""
    for name in (tag, tag.partition("-")[0]):
        try:
            locale = Locale.parse(name, sep="-")
        except (ValueError, UnknownLocaleError):
            continue
        if "latn" in locale.number_symbols:
            return locale
    return None


def _file_language(language: str) -> str:
    """The language of the file for a BCP 47 tag, or empty: `de` for `de-AT`."""
    primary = language.partition("-")[0].lower()
    return primary if primary in languages() else ""


def arguments_of(sentence: str) -> set[str]:
    """The names of the arguments of a sentence."""
    return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}


def _html(sentence: Sentence) -> Sentence:
    """A sentence as HTML. Words between backticks are code."""
    if not isinstance(sentence, str):
        return {category: str(_html(form)) for category, form in sentence.items()}
    parts = str(escape(sentence)).split("`")
    return "".join(f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts))

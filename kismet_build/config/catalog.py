"""The words of the website, from one file a language in `site/strings`, with numbers and plurals by Babel.

An author may change them, and the templates that they stand in (`Design`).
"""

import re
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple, TypeAlias

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


class Words(NamedTuple):
    """Sentences of an author in one language, by key: each with its forms by plural category, `""` for the only one."""

    language: str
    sentences: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


class Design(NamedTuple):
    """What an author changes in the look of the website: the folder that `site` of `library.yaml` names."""

    folder: str = ""
    """The path of the folder; empty for none."""
    files: tuple[str, ...] = ()
    """Paths in the folder of the files that are published: style sheet, images, fonts."""
    pages: tuple[tuple[str, str], ...] = ()
    """Addresses of pages outside of a game, empty for the home page, each with the path of its text in the folder."""
    templates: tuple[tuple[str, str], ...] = ()
    """Names of templates of the website without `.html`, each with the source that takes its place."""
    words: tuple[Words, ...] = ()
    nav: tuple[tuple[str, str], ...] = ()
    """Titles of the entries of the navigation, each with its address, from the root of the tree or a URL."""
    links: tuple[tuple[str, str], ...] = ()
    """The same for the links at the foot of all pages."""
    policy: tuple[tuple[str, str], ...] = ()
    """Directives of the content security policy, each with sources that it allows besides."""

    def file(self, *names: str) -> str:
        """The first of these files that is there, as its address in the tree; empty if none is."""
        return next((f"{DESIGN_FOLDER}{name}" for name in names if name in self.files), "")

    @property
    def style(self) -> str:
        """The address of the style sheet, which pages load after that of the website; empty for none."""
        return self.file(*STYLE_NAMES)

    @property
    def logo(self) -> str:
        """The address of the image beside the name of the library; empty for none."""
        return self.file(*LOGO_NAMES)

    @property
    def icon(self) -> str:
        """The address of the icon of all pages; empty for none."""
        return self.file(*ICON_NAMES)


STYLE_NAMES = ("style.css",)
LOGO_NAMES = ("logo.svg", "logo.png", "logo.webp")
ICON_NAMES = ("favicon.svg", "favicon.png", "favicon.ico")
"""Names of files of a design that have a use of their own; of several, the first counts."""
DESIGN_FOLDER = "assets/site/"
"""Where the files of a design are published."""
NO_DESIGN = Design()


class Catalog:
    """The words of the website in one language, by key."""

    def __init__(self, language: str, text_language: str = "", design: Design = NO_DESIGN) -> None:
        """`text_language`: a BCP 47 tag, for the numbers of texts in a language that has no words here."""
        data = read_catalog(language)
        for words in design.words:
            if words.language == language:
                for key, forms in words.sentences:
                    data["scripts" if key in data["scripts"] else "pages"][key] = dict(forms).get("") or dict(forms)
        locale = Locale.parse(language)
        self.language = language
        self.text_language = text_language or language
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
        self.plural_categories: Collection[str] = {*locale.plural_form.tags, "other"}
        """Those of CLDR for whole numbers."""
        numbers = _locale(self.text_language) or locale
        symbols = numbers.number_symbols["latn"]
        self._decimal, self._group = symbols["decimal"], symbols["group"]
        self._percent: str = numbers.percent_formats[None].pattern.replace("#,##0", "{}")

    def text(self, key: str, /, **arguments: object) -> str:
        """The sentence with a key as plain text, with these arguments."""
        try:
            return self._form(self._texts[key], arguments).format_map(self._shown(arguments))
        except KeyError:
            raise self._wrong_use(key) from None

    def html(self, key: str, /, **arguments: object) -> Markup:
        """The sentence with a key as HTML: arguments are escaped unless they are HTML."""
        try:
            if not arguments:
                return self._fixed[key]
            sentence = self._form(self._html[key], arguments)
            return Markup(sentence.format_map({name: escape(value) for name, value in self._shown(arguments).items()}))
        except KeyError:
            raise self._wrong_use(key) from None

    def _wrong_use(self, key: str) -> LookupError:
        """The error of a template that asks for a sentence that is not there, or without its arguments."""
        if key not in self._texts:
            return LookupError(f'no words have the key "{key}"')
        sentence = self._texts[key]
        forms = [sentence] if isinstance(sentence, str) else sentence.values()
        names = sorted({name for form in forms for name in arguments_of(form)} | ({COUNT} if len(forms) > 1 else set()))
        return LookupError(f'the words "{key}" take the arguments {", ".join(names)}')

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


@cache
def catalog(language: str, design: Design = NO_DESIGN) -> Catalog:
    """The words for a language (a BCP 47 tag); those of another language if `has_catalog` says that it has none.

    Numbers are always those of the language, as far as CLDR has it. `design`: what the author changes in them.
    """
    return _catalog(_file_language(language, design) or DEFAULT, language, design)


def has_catalog(language: str) -> bool:
    """Whether the words of the website are there in a language (a BCP 47 tag)."""
    return bool(_file_language(language))


def is_language(code: str) -> bool:
    """Whether this is the code of a language in small letters, without a region, that CLDR has: `de`, not `de-AT`."""
    try:
        return bool(re.fullmatch("[a-z]{2,3}", code)) and bool(Locale.parse(code))
    except UnknownLocaleError:
        return False


@cache
def languages() -> Mapping[str, Path]:
    """The languages of the website, with the file of each."""
    return {file.stem: file for file in sorted(FOLDER.glob("*.yaml"))}


def read_catalog(language: str) -> dict[str, dict[str, Sentence]]:
    """The sentences of a language by key, those of pages and those of scripts; English ones if it has no file."""
    # The fast reader, because the file is ours: a test reads each, and no error needs a place.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data: dict[str, dict[str, Sentence]] = yaml.load(
        languages().get(language, languages()[DEFAULT]).read_bytes(), loader
    )
    return data


@cache
def _catalog(language: str, text_language: str, design: Design) -> Catalog:
    return Catalog(language, text_language, design)


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


def _file_language(language: str, design: Design = NO_DESIGN) -> str:
    """The language of the words for a BCP 47 tag, or empty: `de` for `de-AT`."""
    primary = language.partition("-")[0].lower()
    return primary if primary in languages() or any(words.language == primary for words in design.words) else ""


def arguments_of(sentence: str) -> set[str]:
    """The names of the arguments of a sentence."""
    return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}


def _html(sentence: Sentence) -> Sentence:
    """A sentence as HTML. Words between backticks are code."""
    if not isinstance(sentence, str):
        return {category: str(_html(form)) for category, form in sentence.items()}
    parts = str(escape(sentence)).split("`")
    return "".join(f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts))

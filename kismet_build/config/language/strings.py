"""Read the strings files of the website: `site/strings/<language>.yaml`."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from typing import TypeAlias

import yaml

from kismet_build.config.data_file import SHIPPED

STRINGS_FOLDER = SHIPPED / "site" / "strings"
DEFAULT = "en"
"""The language whose strings are used for a language without a file."""

COUNT = "n"
"""The argument that selects the plural form of a sentence."""

Sentence: TypeAlias = str | Mapping[str, str]
"""A sentence with arguments in braces, or the forms of a sentence by CLDR plural category (`one`, `other`)."""


@cache
def languages() -> Mapping[str, Path]:
    """The strings file of each language of the website, by language code."""
    return {file.stem: file for file in sorted(STRINGS_FOLDER.glob("*.yaml"))}


def read_strings(language: str) -> dict[str, dict[str, Sentence]]:
    """The sentences of a language by key, in the sections `pages` and `scripts`; the English ones if it has no file."""
    # The fast parser without positions is enough: the files are ours, and a test validates them.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data: dict[str, dict[str, Sentence]] = yaml.load(
        languages().get(language, languages()[DEFAULT]).read_bytes(), loader
    )
    return data


def is_language(code: str) -> bool:
    """Whether this is the lower-case code of a language in CLDR, without a region: `de`, not `de-AT`."""
    from babel import Locale, UnknownLocaleError  # Imported here, because only a design with files of words needs it.

    try:
        return bool(re.fullmatch("[a-z]{2,3}", code)) and bool(Locale.parse(code))
    except UnknownLocaleError:
        return False


def arguments_of(sentence: Sentence) -> set[str]:
    """The names of the arguments of a sentence, in any of its forms."""
    forms = (sentence,) if isinstance(sentence, str) else sentence.values()
    return {name for form in forms for _, name, _, _ in Formatter().parse(form) if name is not None}

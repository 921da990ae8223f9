"""Make titles of texts and folders from their names."""

import re
from collections.abc import Iterable
from posixpath import basename, dirname

from kismet_build.model.text_normalization import title_case

ORDER_PREFIX = re.compile(r"\s*(\d{1,3})([.)_-]*\s+[-–_]*\s*|[.)_-]+(?!\d))")
"""The number at the start of a file name that sorts the files, such as `02 - `."""
TECHNICAL_STEM = re.compile(
    r"[a-z0-9]+(?:[-_][a-z0-9]+)+|_*[^\W_]+(?:_+[^\W_]+)+_*|(?i:home|readme|_?index|startseite|accueil|inicio)"
)
"""Matches names of files and folders that are not titles, such as `house-rules`, `House_Rules` and `README`."""
MAX_ACRONYM_LENGTH = 3
"""Maximum length of an acronym, in characters. Longer names in capitals are put into title case.

`NPC` and `npc` stay as they are, and `gear` becomes `Gear`."""


def display_titles(paths: Iterable[str], is_plain: bool) -> dict[str, str]:
    """The titles of texts and their folders from their names, by path without suffix.

    In a plain vault, a number is removed only if the folder also has the previous or next number in the same format:
    `100 Spells` alone keeps its number.
    """
    names: set[str] = set()
    folders: set[str] = set()
    for path in paths:
        name = path.rpartition(".")[0] or path
        while name and name not in names:
            names.add(name)
            name = dirname(name)
            folders.add(name)
    prefixes = {name: prefix for name in names if (prefix := ORDER_PREFIX.match(basename(name)))}
    numbers = {(dirname(name), prefix[2], int(prefix[1])) for name, prefix in prefixes.items()}

    def is_in_order(name: str) -> bool:
        if not is_plain or name not in prefixes:
            return True
        number, separator = int(prefixes[name][1]), prefixes[name][2]
        return any((dirname(name), separator, other) in numbers for other in (number - 1, number + 1))

    titles = {name: display_title(basename(name), is_in_order=is_in_order(name)) for name in names}
    return {name: folder_title(title) if name in folders else title for name, title in titles.items()}


def folder_title(name: str) -> str:
    """The title of a folder from its name, which may be technical: `gear` becomes `Gear`, and `house_rules` `House
    Rules`.
    """
    is_word = name.isalpha() and len(name) > MAX_ACRONYM_LENGTH
    if not is_word and not (TECHNICAL_STEM.fullmatch(name) and any(map(str.isalpha, name))):
        return name
    words = " ".join(re.sub(r"[-_]+", " ", name).split())
    return title_case(words) if words.islower() else words


def display_title(stem: str, *, is_in_order: bool = True) -> str:
    """The title of a document from its file name without suffix: `2 CORE RULES` becomes `Core Rules`.

    Only a number that sorts the files is removed, not a part of a date or of `1.5 Rounds`. `is_in_order`: whether a
    number at the start sorts the files.
    """
    prefix = ORDER_PREFIX.match(stem) if is_in_order else None
    bare = (stem[prefix.end() :].strip() if prefix else "") or stem
    return title_case(bare) if bare.isupper() and len(bare) > MAX_ACRONYM_LENGTH else bare


def subject_title(group: str) -> str:
    """The title of a group of calculators: `Combat damage` for the calculators in `2-combat-damage.yaml`."""
    words = re.sub(r"[-_]+", " ", display_title(group)).strip()
    return words[:1].upper() + words[1:]

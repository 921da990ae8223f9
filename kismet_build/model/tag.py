"""Tags of notes: `#Monsters/Undead` is nested in the tag `Monsters`."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from kismet_build.model.text_cache import cached_texts
from kismet_build.model.text_normalization import (
    MAX_SLUG_LENGTH,
    WINDOWS_DEVICE_NAMES,
    UniqueNames,
    digest,
    folder_name,
    unicode_form,
)

TAG_PROPERTIES = frozenset(("tags", "tag"))
"""The keys of properties that contain tags, in lower case."""
MAX_TAG_LEVELS = 10
"""Maximum number of levels of a nested tag. Deeper levels are joined into one to limit the path of the page."""

PLAIN_PART = re.compile(rf"[a-z0-9][a-z0-9_-]{{0,{MAX_SLUG_LENGTH - 1}}}")
"""A part of a tag that can be used as its address."""
DIGEST_LENGTH = 4
"""Number of hexadecimal digits in an address.

With them, an address does not depend on other tags: docs/decisions/0007-addresses.md.
"""


class TagName(NamedTuple):
    """The spelling of a tag on all pages."""

    name: str
    """The full name of the tag with the spelling of its first use in the book: `Monsters/Undead`."""
    slug: str
    """The address of the tag, below the page of all tags."""


def clean_tag(typed: str) -> str:
    """A tag without `#` and empty levels, with at most `MAX_TAG_LEVELS` levels; empty if nothing is left."""
    first = [part for part in typed.strip("#/").split("/") if part]
    return "/".join([*first[: MAX_TAG_LEVELS - 1], *filter(None, ["-".join(first[MAX_TAG_LEVELS - 1 :])])])


@cached_texts(4096)
def tag_key(name: str) -> str:
    """The key for comparing tags, which ignores case."""
    return unicode_form("NFC", clean_tag(name)).casefold()


def tags_of_properties(properties: Mapping[str, Any]) -> tuple[str, ...]:
    """The tags in the properties of a note, as written and without `#`. Commas and spaces separate tags."""
    found: list[str] = []
    for name, value in properties.items():
        if str(name).casefold() in TAG_PROPERTIES:
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, str | int | float) and not isinstance(item, bool):
                    found += map(clean_tag, re.split(r"[,\s]+", str(item)))
    return unique_tags(found)


def unique_tags(names: Iterable[str]) -> tuple[str, ...]:
    """Tags without repetitions: of equal tags, the first is kept."""
    found: dict[str, str] = {}
    for name in filter(None, names):
        found.setdefault(tag_key(name), name)
    return tuple(found.values())


def keys_with_parents(key: str) -> list[str]:
    """The keys of a tag and of the tags around it, outermost first: `monsters`, `monsters/undead`."""
    parts = key.split("/")
    return ["/".join(parts[: level + 1]) for level in range(len(parts))]


def tag_names(names: Iterable[str]) -> dict[str, TagName]:
    """The tags of a book and their parent tags, by `tag_key`, sorted. `names`: the tags as written, in book order."""
    last_parts: dict[str, str] = {}
    for name in dict.fromkeys(names):
        for key, part in zip(keys_with_parents(tag_key(name)), clean_tag(name).split("/"), strict=True):
            last_parts.setdefault(key, part)
    by_depth = sorted(last_parts, key=lambda key: (key.count("/"), key))
    found = {"": TagName("", "")}
    addresses = UniqueNames()
    for key in by_depth:
        parent = found[key.rpartition("/")[0]]
        address = addresses.add(f"{parent.slug}/{_address_part(key.rpartition('/')[2])}".lstrip("/"), 2)
        found[key] = TagName(f"{parent.name}/{last_parts[key]}".lstrip("/"), address)
    return {key: found[key] for key in sorted(last_parts, key=lambda key: key.split("/"))}


def _address_part(part: str) -> str:
    """The address of a tag below the address of its parent.

    The address does not depend on other tags, so a new tag does not change the address of any page. If the address
    cannot show the letters of the tag, it contains a digest of them.
    """
    if PLAIN_PART.fullmatch(part) and part not in WINDOWS_DEVICE_NAMES:
        return part
    return f"{folder_name(part)}-{digest(part)[:DIGEST_LENGTH]}"

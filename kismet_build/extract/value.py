"""Turn words into the value that a schema describes: numbers, ranges, lists, one of a few words, or nothing."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kismet_build.kind import FieldRule
from kismet_build.name import fold, slug, title_case

NOTHING = frozenset(("", "-", "—", "–", "−", "n/a", "none", "*"))
"""What is printed where there is no value."""

FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3}

CASES = {
    "": lambda text: text,
    "title": title_case,
    "lower": str.lower,
    "upper": str.upper,
    "slug": slug,
}


class Unreadable(Exception):
    """The words do not have the form that the schema asks for; the message says which form."""


def names(rule: FieldRule, text: str) -> tuple[str, ...]:
    """The names in some words: split, cleaned, in the case of the field, renamed; a renamed one comes twice."""
    parts = re.split(rule.split, text) if rule.split else [text]
    found: list[str] = []
    for part in parts:
        name = CASES[rule.case](" ".join(part.split()).strip(" .;,"))
        if fold(name) not in NOTHING:
            found += [rule.rename[name], name] if name in rule.rename else [name]
    return tuple(dict.fromkeys(found))


def value(rule: FieldRule, words: tuple[Any, ...]) -> Any:
    """The value of a field. Raises `Unreadable`."""
    return _as(rule.schema, words, rule)


def _as(schema: Mapping[str, Any], words: tuple[Any, ...], rule: FieldRule) -> Any:
    if _is_list(schema):
        items = schema.get("items", {})
        if "string" in _types(items):
            found = [
                name
                for text in words
                for name in ([str(text)] if rule.split == "" and rule.case == "" else names(rule, str(text)))
            ]
            return list(dict.fromkeys(found))
        parts = [part for text in words for part in (re.split(rule.split, str(text)) if rule.split else [text])]
        return [_as(items, (part,), rule) for part in parts]
    word = words[0]
    text = " ".join(str(word).split())
    failures = []
    for option in _options(schema):
        try:
            return _one(option, word, text, rule)
        except Unreadable as failure:
            failures.append(str(failure))
    raise Unreadable(" or ".join(dict.fromkeys(failures)))


def _one(schema: Mapping[str, Any], word: Any, text: str, rule: FieldRule) -> Any:
    if "const" in schema or "enum" in schema:
        wanted = schema["enum"] if "enum" in schema else [schema["const"]]
        for choice in wanted:
            if choice == word or slug(str(choice)) == slug(text):
                return choice
        raise Unreadable("one of " + ", ".join(map(str, wanted)))
    match schema.get("type"):
        case "null":
            if fold(text) in NOTHING:
                return None
            raise Unreadable("nothing")
        case "boolean":
            if isinstance(word, bool):
                return word
            raise Unreadable("true or false")
        case "integer" | "number" as wanted:
            return _number(word, text, whole=wanted == "integer")
        case "object" if {"min", "max"} <= set(schema.get("properties", {})):
            return _range(text)
        case "object" | "array":
            return word
        case _:
            return CASES[rule.case](text)


def _number(word: Any, text: str, *, whole: bool) -> int | float:
    if isinstance(word, int | float) and not isinstance(word, bool) and (not whole or word == int(word)):
        return word
    # A mark that points to a note below the table is no part of the number.
    bare = re.sub(r"(?<=\d)[*†‡]+$", "", text).replace(",", "").replace("−", "-").replace("–", "-").removeprefix("+")
    if re.fullmatch(r"-?\d+", bare):
        return int(bare)
    if not whole and re.fullmatch(r"-?\d+\.\d+", bare):
        return float(bare)
    if not whole and bare in FRACTIONS:
        return FRACTIONS[bare]
    raise Unreadable("a whole number" if whole else "a number")


def _range(text: str) -> dict[str, int]:
    found = re.fullmatch(r"(-?\d+)(?:\s*(?:-|–|—|to)\s*(-?\d+))?", text)
    if found is None:
        raise Unreadable("a range such as 1-5")
    low, high = int(found[1]), int(found[2] or found[1])
    return {"min": low, "max": high}


def _options(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The forms that a value may have, nothing first: a dash is nothing even where a word is allowed."""
    options: list[Mapping[str, Any]] = []
    for one in schema.get("anyOf") or schema.get("oneOf") or [schema]:
        kinds = one.get("type")
        options += [{**one, "type": kind} for kind in kinds] if isinstance(kinds, list) else [one]
    yield from sorted(options, key=lambda option: option.get("type") != "null")


def _types(schema: Mapping[str, Any]) -> set[str]:
    return {str(option.get("type", "string")) for option in _options(schema)}


def _is_list(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "array"


def empty(rule: FieldRule) -> tuple[bool, Any]:
    """Whether a field may go without words, and the value that it has then."""
    if "default" in rule.schema:
        return True, rule.schema["default"]
    if _is_list(rule.schema) and not rule.schema.get("minItems"):
        return True, []
    return (True, None) if "null" in _types(rule.schema) else (False, None)

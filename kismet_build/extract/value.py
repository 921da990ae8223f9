"""Turn words into the value that a schema describes: numbers, ranges, lists, one of a few words, or nothing."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from kismet_build.config.kind import FieldRule, is_list
from kismet_build.model.text_normalization import normalize, slug, title_case

NOTHING = frozenset(("", "-", "—", "–", "−", "n/a", "na", "none", "*"))
"""What is printed where there is no value."""

ONES = "one two three four five six seven eight nine ten eleven twelve"
NUMBERS = {word: number for number, word in enumerate(ONES.split(), 1)}
NUMBERS |= dict.fromkeys(("a", "an", "single", "a single"), 1)
"""Numbers that are words in a sentence."""

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

    def __init__(self, wanted: str, printed: str = "") -> None:
        super().__init__(wanted)
        self.printed = printed
        """The words on one line."""


def names(rule: FieldRule, text: str) -> tuple[str, ...]:
    """The names in some words: split, cleaned, in the case of the field, renamed; a renamed one comes twice."""
    parts = re.split(rule.split, text) if rule.split else [text]
    found: list[str] = []
    for part in parts:
        name = CASES[rule.case](" ".join(part.split()).strip(" .;,"))
        if normalize(name) not in NOTHING:
            found += [rule.rename[name], name] if name in rule.rename else [name]
    return tuple(dict.fromkeys(found))


def value(rule: FieldRule, words: tuple[Any, ...]) -> Any:
    """The value of a field. Raises `Unreadable`."""
    return _as(rule.schema, words, rule)


def _as(schema: Mapping[str, Any], words: tuple[Any, ...], rule: FieldRule) -> Any:
    if is_list(schema):
        items = schema.get("items", {})
        if "string" in _types(items):
            found = [
                name
                for text in words
                for name in ([str(text)] if rule.split == "" and rule.case == "" else names(rule, str(text)))
            ]
            # A renamed name of a list is one of its names; only an entity keeps the old one, as its alias.
            listed = list(dict.fromkeys(rule.rename.get(name, name) for name in found))
            return sorted(listed, key=normalize) if rule.is_sorted else listed
        parts = [part for text in words for part in (re.split(rule.split, str(text)) if rule.split else [text])]
        values = [_as(items, (part,), rule) for part in parts if not isinstance(part, str) or part.strip()]
        return list(dict.fromkeys(values)) if schema.get("uniqueItems") else values
    word = words[0]
    text = " ".join(str(word).split())
    failures = []
    for option in _options(schema):
        try:
            return _one(option, word, text, rule)
        except Unreadable as failure:
            failures.append(str(failure))
    raise Unreadable(" or ".join(dict.fromkeys(failures)), text)


def _one(schema: Mapping[str, Any], word: Any, text: str, rule: FieldRule) -> Any:
    if "const" in schema or "enum" in schema:
        wanted = schema["enum"] if "enum" in schema else [schema["const"]]
        # The very word first: "d4" and "d4+" have one slug.
        for choice in sorted(wanted, key=lambda choice: choice != text):
            if choice == word or slug(str(choice)) == slug(text):
                return choice
        raise Unreadable("one of " + ", ".join(map(str, wanted)))
    match schema.get("type"):
        case "null":
            if normalize(text) in NOTHING:
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
            return CASES[rule.case](_tidy(str(word)))


def _tidy(text: str) -> str:
    """Words with one space between them; lines that are set apart stay so."""
    return "\n".join(line for one in text.splitlines() if (line := " ".join(one.split())))


def _number(word: Any, text: str, *, whole: bool) -> int | float:
    if isinstance(word, int | float) and not isinstance(word, bool) and (not whole or word == int(word)):
        return word
    # A mark that points to a note below the table is no part of the number.
    bare = _signed(re.sub(r"(?<=\d)[*†‡]+$", "", text)).replace(",", "").removeprefix("+")
    if re.fullmatch(r"-?\d+", bare):
        return int(bare)
    if not whole and re.fullmatch(r"-?\d+\.\d+", bare):
        return float(bare)
    if not whole and bare in FRACTIONS:
        return FRACTIONS[bare]
    if normalize(bare) in NUMBERS:
        return NUMBERS[normalize(bare)]
    raise Unreadable("a whole number" if whole else "a number")


def _signed(text: str) -> str:
    """Words with signs as computers write them: every minus a hyphen, no space after a sign, no sign before zero."""
    plain = text.replace("−", "-").replace("–", "-").replace("—", "-")
    return re.sub(r"±(?=0+$)", "", re.sub(r"(?<![\w)])([+±-])\s+(?=\d)", r"\1", plain))


def _range(text: str) -> dict[str, int | None]:
    """The range that words say: `1-3`, `-5 to -2`, `10+` without an end, or a list of all numbers in it."""
    bare = _signed(text)
    if found := re.fullmatch(r"([+-]?\d+)\s*(?:-|\bto\b)\s*([+-]?\d+)", bare):
        low, high = sorted((int(found[1]), int(found[2])))
        return {"min": low, "max": high}
    if found := re.fullmatch(r"([+-]?\d+)(?:\s*\+|\s+(?:and|or) (?:more|above|higher|up))", bare):
        return {"min": int(found[1]), "max": None}
    numbers = [part.strip() for part in bare.split(",") if part.strip()]
    if numbers and all(re.fullmatch(r"[+-]?\d+", number) for number in numbers):
        values = [int(number) for number in numbers]
        return {"min": min(values), "max": max(values)}
    raise Unreadable("a range such as 1-5")


def _options(schema: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The forms that a value may have, nothing first: a dash is nothing even where a word is allowed."""
    if "anyOf" not in schema and "oneOf" not in schema and not isinstance(schema.get("type"), list):
        return (schema,)
    options: list[Mapping[str, Any]] = []
    for one in schema.get("anyOf") or schema.get("oneOf") or [schema]:
        kinds = one.get("type")
        options += [{**one, "type": kind} for kind in kinds] if isinstance(kinds, list) else [one]
    return sorted(options, key=lambda option: option.get("type") != "null")


def _types(schema: Mapping[str, Any]) -> set[str]:
    return {str(option.get("type", "string")) for option in _options(schema)}


def empty(rule: FieldRule) -> tuple[bool, Any]:
    """Whether a field may go without words, and the value that it has then."""
    if "default" in rule.schema:
        return True, rule.schema["default"]
    if any(_is_nothing(option) for option in _options(rule.schema)):
        return True, None
    return (True, []) if is_list(rule.schema) and not rule.schema.get("minItems") else (False, None)


def _is_nothing(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "null" or None in schema.get("enum", [schema.get("const", "")])

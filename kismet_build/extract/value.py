"""Parse text into the value that a schema describes: a number, a range, a list, an enumerated value or `None`."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from posixpath import basename
from typing import Any
from unicodedata import numeric

from kismet_build.config.kind import FieldRule, is_list
from kismet_build.model.language import Language
from kismet_build.model.suggestion import close_word
from kismet_build.model.text_normalization import normalize, slug, title_case

NO_VALUE_TEXTS = frozenset(("", "-", "—", "–", "−", "n/a", "na", "none", "*"))
"""Texts that are printed in place of a missing value."""
NUMERALS = "one two three four five six seven eight nine ten eleven twelve"
NUMBER_WORDS = {word: number for number, word in enumerate(NUMERALS.split(), 1)}
NUMBER_WORDS |= dict.fromkeys(("a", "an", "single", "a single"), 1)

FRACTIONS = {character: numeric(character) for character in "½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"}
AMBIGUOUS_COMMA = re.compile(r"(?<![\d,.])(?:0,\d+|\d+,(?!\d{3}(?!\d))\d+|\d{4,},\d+)(?![\d,.])")
"""A number with a comma that does not separate thousands."""
CASE_FUNCTIONS = {
    "": lambda text: text,
    "title": title_case,
    "lower": str.lower,
    "upper": str.upper,
    "slug": slug,
}
"""Functions that change the case of a text, by the value of `x-case`."""


WIKI_LINK = re.compile(r"!?\[\[(?P<target>[^\[\]|#]*)[^\[\]|]*(?:\|(?P<label>[^\[\]]*))?\]\]")
"""An Obsidian link in a property."""


def link_words(value: Any) -> Any:
    """A YAML value with links replaced by their words: the label, or the name of the note."""
    match value:
        case str() if "[[" in value:
            return WIKI_LINK.sub(lambda link: link["label"] or basename(link["target"]) or link[0], value)
        case dict():
            return {key: link_words(item) for key, item in value.items()}
        case list():
            return [link_words(item) for item in value]
        case _:
            return value


class UnreadableValue(Exception):
    """Raised if a text does not have the form required by the schema. The message describes this form."""

    def __init__(self, form: str, text: str = "") -> None:
        super().__init__(form)
        self.text = text
        """The text that cannot be read, on one line."""


def split_names(rule: FieldRule, text: str) -> tuple[str, ...]:
    """The names in a text, in the letter case of the field. A new name from `x-rename` is followed by the old one."""
    parts = rule.split.split(text) if rule.split else [text]
    names: list[str] = []
    for part in parts:
        name = CASE_FUNCTIONS[rule.case](" ".join(part.split()).strip(" .;,"))
        if normalize(name) not in NO_VALUE_TEXTS:
            names += [rule.rename[name], name] if name in rule.rename else [name]
    return tuple(dict.fromkeys(names))


def parse_value(rule: FieldRule, fetched: tuple[Any, ...], language: Language) -> Any:
    """The value of a field, parsed from its fetched values. Raises `UnreadableValue`.

    `language`: the language of the texts, which decides whether `1,000` means one thousand or one.
    """
    return _parse(rule.schema, fetched, rule, language)


def as_found(rule: FieldRule, values: Sequence[Any]) -> Any:
    """Values that do not have the form of their field, as written.

    If the field is not a list, several values are joined.
    """
    found = [value if isinstance(value, int | float) else " ".join(_data_words(value).split()) for value in values]
    return found if rule.is_list else found[0] if len(found) == 1 else ", ".join(map(str, found))


def has_ambiguous_comma(value: Any, fetched: Sequence[Any], language: Language) -> bool:
    """Whether a number in a parsed value has a comma that is not a decimal separator in this language: `1,5`."""
    numbers = value if isinstance(value, list) else [value]
    return (
        not language.has_decimal_comma
        and any(isinstance(number, float) for number in numbers)
        and any(isinstance(text, str) and "," in text and AMBIGUOUS_COMMA.search(text) for text in fetched)
    )


def is_of_type(rule: FieldRule, values: Sequence[Any]) -> bool:
    """Whether YAML values already match the field's schema and need no parsing."""
    if rule.split or rule.case or rule.rename or rule.parts or (len(values) > 1 and not rule.is_list):
        return False
    schema = rule.schema.get("items", {}) if rule.is_list else rule.schema
    return all(any(_is_of_option(option, value) for option in _options(schema)) for value in values)


def _is_of_option(schema: Mapping[str, Any], value: Any) -> bool:
    if "const" in schema or "enum" in schema:
        return any(
            choice == value and type(choice) is type(value) for choice in schema.get("enum", [schema.get("const")])
        )
    match schema.get("type"):
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "string":
            return isinstance(value, str) and value == _collapse_spaces(value)
        case "object":
            return isinstance(value, dict) and "min" not in schema.get("properties", {})
        case "array":
            return isinstance(value, list)
        case None:
            return schema == {}
        case _:
            return False


def _parse(schema: Mapping[str, Any], fetched: tuple[Any, ...], rule: FieldRule, language: Language) -> Any:
    if is_list(schema):
        items = schema.get("items", {})
        if "string" in _types(items):
            names = [
                name
                for text in fetched
                for name in (
                    [_data_words(text)] if rule.split is None and rule.case == "" else split_names(rule, str(text))
                )
            ]
            # A list has only the new name. The old name is needed for the aliases of an entity.
            renamed = list(dict.fromkeys(rule.rename.get(name, name) for name in names))
            return sorted(renamed, key=normalize) if rule.is_sorted else renamed
        parts = [part for text in fetched for part in (rule.split.split(str(text)) if rule.split else [text])]
        values = [_parse(items, (part,), rule, language) for part in parts if not isinstance(part, str) or part.strip()]
        return list(dict.fromkeys(values)) if schema.get("uniqueItems") else values
    first = fetched[0]
    text = " ".join(str(first).split())
    failures = []
    for option in _options(schema):
        try:
            return _parse_single(option, first, text, rule, language)
        except UnreadableValue as failure:
            failures.append(str(failure))
    raise UnreadableValue(" or ".join(dict.fromkeys(failures)), text)


def _parse_single(schema: Mapping[str, Any], raw: Any, text: str, rule: FieldRule, language: Language) -> Any:
    if "const" in schema or "enum" in schema:
        choices = schema["enum"] if "enum" in schema else [schema["const"]]
        # Exact match first: "d4" and "d4+" have the same slug.
        for choice in sorted(choices, key=lambda choice: choice != text):
            if choice == raw or slug(str(choice)) == slug(text):
                return choice
        raise UnreadableValue("one of " + ", ".join(map(str, choices)))
    match schema.get("type"):
        case "null":
            if normalize(text) in NO_VALUE_TEXTS:
                return None
            raise UnreadableValue("nothing")
        case "boolean":
            if isinstance(raw, bool):
                return raw
            raise UnreadableValue("true or false")
        case "integer" | "number" as type_:
            return _number(raw, _without_unit(text, rule.unit, language), language, whole=type_ == "integer")
        case "object" if {"min", "max"} <= set(schema.get("properties", {})):
            return _range(_without_unit(text, rule.unit, language))
        case "object" | "array":
            return raw
        case _:
            return CASE_FUNCTIONS[rule.case](_collapse_spaces(_data_words(raw)))


def _data_words(value: Any) -> str:
    """A YAML value as text: the items of a list are separated by commas, and the values of a map come after their
    keys.
    """
    match value:
        case list():
            return ", ".join(map(_data_words, value))
        case dict():
            words = (
                (key, _data_words(item), isinstance(item, dict)) for key, item in value.items() if item is not None
            )
            return "; ".join(f"{key}: ({text})" if is_map else f"{key}: {text}" for key, text, is_map in words)
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)


def _collapse_spaces(text: str) -> str:
    return "\n".join(collapsed for line in text.splitlines() if (collapsed := " ".join(line.split())))


def _without_unit(text: str, unit: str, language: Language) -> str:
    """A number without the unit of its field after it, in the plural or singular: `12` of `12 knots`."""
    number, words = _number_and_words(text)
    is_unit = unit and words.casefold() in (unit.casefold(), language.singular(unit).casefold())
    return number if is_unit else text


def _number_and_words(text: str) -> tuple[str, str]:
    """A number or range at the start of a text, and the words after it, which may be empty."""
    match = re.match(r"[-+−–\d.,\s½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞]*[\d½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞+]", text)
    return (match[0], text[match.end() :].strip(" .")) if match else (text, "")


def unit_hint(rule: FieldRule, text: str) -> str:
    """A hint about words after a number that are not its unit; empty for other values."""
    number, words = _number_and_words(text)
    if number == text or not words:
        return ""
    if not rule.unit:
        return f'if "{words}" is the unit, add it to the field in the kind: x-unit: {words}'
    close = close_word(words, [rule.unit])
    return f'did you mean "{number} {rule.unit}"?' if close else f"the unit of this field is {rule.unit}"


def _number(raw: Any, text: str, language: Language, *, whole: bool) -> int | float:
    if isinstance(raw, int | float) and not isinstance(raw, bool) and (not whole or raw == int(raw)):
        return raw
    # A star or dagger after the number marks a note.
    bare = _normalize_signs(re.sub(r"(?<=\d)[*†‡]+$", "", text)).removeprefix("+")
    bare = _with_decimal_point(bare, language)
    if re.fullmatch(r"-?\d+", bare):
        return int(bare)
    if not whole and re.fullmatch(r"-?\d+\.\d+", bare):
        return float(bare)
    if not whole and bare in FRACTIONS:
        return FRACTIONS[bare]
    if normalize(bare) in NUMBER_WORDS:
        return NUMBER_WORDS[normalize(bare)]
    raise UnreadableValue("a whole number" if whole else "a number")


def read_quantity(text: str, language: Language) -> int | float | dict[str, int | None] | None:
    """The number or range that a text consists of; `None` if it is neither. `language`: as for `parse_value`.

    A list of numbers is a range only if it is without gaps.
    """
    with suppress(UnreadableValue):
        return _number(text, text, language, whole=False)
    with suppress(UnreadableValue):
        found = _range(text)
        low, high = found["min"], found["max"]
        if "," not in text or low is None or high is None or high - low == text.count(","):
            return found
    return None


def _with_decimal_point(number: str, language: Language) -> str:
    """A number with a decimal point and without thousands separators; any other text is unchanged."""
    if "," not in number and not (language.has_decimal_comma and "." in number):
        return number
    thousands, decimal = (".", ",") if language.has_decimal_comma else (",", ".")
    if re.fullmatch(rf"-?[1-9]\d{{0,2}}(?:\{thousands}\d{{3}})+(?:\{decimal}\d+)?", number):
        return number.replace(thousands, "").replace(decimal, ".")
    return re.sub(r"(?<=\d),(?=\d+$)", ".", number)


def _normalize_signs(text: str) -> str:
    """A text with ASCII minus signs, without spaces after signs and without `±` before a zero."""
    ascii_signs = text.replace("−", "-").replace("–", "-").replace("—", "-")
    return re.sub(r"±(?=0+$)", "", re.sub(r"(?<![\w)])([+±-])\s+(?=\d)", r"\1", ascii_signs))


def _range(text: str) -> dict[str, int | None]:
    """Parse `1-3`, `-5 to -2`, the open range `10+`, or a list such as `1, 2, 3`."""
    bare = _normalize_signs(text)
    if match := re.fullmatch(r"([+-]?\d+)\s*(?:-|\bto\b)\s*([+-]?\d+)", bare):
        low, high = sorted((int(match[1]), int(match[2])))
        return {"min": low, "max": high}
    if match := re.fullmatch(r"([+-]?\d+)(?:\s*\+|\s+(?:and|or) (?:more|above|higher|up))", bare):
        return {"min": int(match[1]), "max": None}
    numbers = [part.strip() for part in bare.split(",") if part.strip()]
    if numbers and all(re.fullmatch(r"[+-]?\d+", number) for number in numbers):
        values = [int(number) for number in numbers]
        return {"min": min(values), "max": max(values)}
    raise UnreadableValue("a range such as 1-5")


def _options(schema: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The alternatives of a schema. `null` comes first: a dash is a missing value even if strings are allowed."""
    if "anyOf" not in schema and "oneOf" not in schema and not isinstance(schema.get("type"), list):
        return (schema,)
    options: list[Mapping[str, Any]] = []
    for option in schema.get("anyOf") or schema.get("oneOf") or [schema]:
        types = option.get("type")
        options += [{**option, "type": type_} for type_ in types] if isinstance(types, list) else [option]
    return sorted(options, key=lambda option: option.get("type") != "null")


def _types(schema: Mapping[str, Any]) -> set[str]:
    return {str(option.get("type", "string")) for option in _options(schema)}


def is_numeric(rule: FieldRule) -> bool:
    """Whether the value of a field, or each of its items, is a number or a range."""
    schema = rule.schema.get("items", {}) if rule.is_list else rule.schema
    return any(
        option.get("type") in ("integer", "number") or "min" in option.get("properties", {})
        for option in _options(schema)
    )


def empty_value(rule: FieldRule) -> tuple[bool, Any]:
    """Whether a field may be empty, and the value of an empty field: the default, `None` or an empty list."""
    if "default" in rule.schema:
        return True, rule.schema["default"]
    if any(_is_null(option) for option in _options(rule.schema)):
        return True, None
    return (True, []) if is_list(rule.schema) and not rule.schema.get("minItems") else (False, None)


def _is_null(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "null" or None in schema.get("enum", [schema.get("const", "")])

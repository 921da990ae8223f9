"""The filters of Liquid and Jekyll that do not depend on other pages."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from html import escape
from math import ceil, floor
from typing import Any
from urllib.parse import quote, quote_plus

from kismet_build.extensions.sites.shared.templates.values import UNKNOWN, item, items_of, text_of

MAX_LENGTH = 400_000
"""Maximum number of characters of a value, and of items in a list.

docs/decisions/0022-bounds-of-input.md lists all limits on input.
"""
MAX_NUMBER = 10**15
TAG = re.compile(r"<[^<>]*>")
DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?![\d-])")


class TooLong(Exception):
    """Raised if a value or the composed text is too long."""


def apply(name: str, value: Any, arguments: Sequence[Any]) -> Any:
    """The value that a filter returns; `UNKNOWN` for an unknown filter or value, and if the filter cannot be applied.

    Raises `TooLong`.
    """
    if name not in FILTERS or value is UNKNOWN or UNKNOWN in arguments:
        return UNKNOWN
    try:
        result = FILTERS[name](value, *arguments)
    except (TypeError, ValueError, ArithmeticError, AttributeError):
        return UNKNOWN
    if isinstance(result, (int, float)) and abs(result) > MAX_NUMBER:
        return UNKNOWN
    if isinstance(result, Sequence) and len(result) > MAX_LENGTH:
        raise TooLong
    return result


def _replace(value: Any, old: Any, new: Any = "", count: int = -1) -> str:
    text, old, new = text_of(value), text_of(old), text_of(new)
    if (text.count(old) if count < 0 else count) * len(new) > MAX_LENGTH:
        raise TooLong
    return text.replace(old, new, count)


def _join(value: Any, separator: Any = " ") -> str:
    texts = [text_of(part) for part in items_of(value)]
    if sum(map(len, texts)) + len(texts) * len(text_of(separator)) > MAX_LENGTH:
        raise TooLong
    return text_of(separator).join(texts)


def _split(value: Any, separator: Any) -> list[str]:
    text = text_of(value)
    return [] if not text else text.split(separator) if separator else list(text)


def _markdown(value: Any) -> str:
    """A text between blank lines. Blank lines end any HTML around the text, so its Markdown is read."""
    return f"\n\n{text_of(value).strip()}\n\n"


def _remove(value: Any, old: Any) -> str:
    """Remove a string from a text. There is no tag `<p>` to remove, because `markdownify` does not make HTML here."""
    return text_of(value).strip() if old in ("<p>", "</p>") else _replace(value, old)


def _number(value: Any) -> int | float:
    if isinstance(value, (int, float)):
        return value
    number = re.match(r"-?\d{1,15}(\.\d{1,15})?", text_of(value).strip())
    return 0 if number is None else float(number[0]) if number[1] else int(number[0])


def _divide(value: Any, by: Any) -> int | float:
    left, right = _number(value), _number(by)
    return left // right if isinstance(left, int) and isinstance(right, int) else left / right


def _truncate(value: Any, length: int = 50, end: str = "...") -> str:
    text = text_of(value)
    return text if len(text) <= length else text[: max(0, length - len(end))] + end


def _truncate_words(value: Any, count: int = 15, end: str = "...") -> str:
    words = text_of(value).split()
    return text_of(value) if len(words) <= count else " ".join(words[:count]) + end


def _slice(value: Any, start: int, length: int = 1) -> Any:
    values = items_of(value) if isinstance(value, Sequence) and not isinstance(value, str) else text_of(value)
    start = start if start >= 0 else max(0, len(values) + start)
    return values[start : start + length]


def _where(value: Any, key: Any, wanted: Any = None) -> Any:
    if not isinstance(value, list):
        return value
    found = [(entry, item(entry, key)) for entry in items_of(value)]
    return [entry for entry, part in found if (part == wanted if wanted is not None else part)]


def _group(value: Any, key: Any) -> list[dict[str, Any]]:
    groups: dict[str, list[Any]] = {}
    for entry in items_of(value):
        groups.setdefault(text_of(item(entry, key)), []).append(entry)
    return [{"name": name, "items": entries, "size": len(entries)} for name, entries in groups.items()]


def _sort(value: Any, key: Any = None, fold: Callable[[Any], Any] = lambda part: part) -> list[Any]:
    return sorted(items_of(value), key=lambda entry: fold(entry if key is None else item(entry, key)))


def _unique(value: Any) -> list[Any]:
    return list({json.dumps(entry, default=str): entry for entry in reversed(items_of(value))}.values())[::-1]


def _slug(value: Any) -> str:
    return re.sub(r"[\W_]+", "-", text_of(value).lower()).strip("-")


def _sentence(value: Any, connector: str = "and") -> str:
    texts = [text_of(part) for part in items_of(value)]
    last = f", {connector} " if len(texts) > 2 else f" {connector} "
    return _join([_join(texts[:-1], ", "), texts[-1]], last) if len(texts) > 1 else "".join(texts)


def _date(value: Any, form: str) -> Any:
    """A date formatted with a pattern such as `%-d %B`. A hyphen means no leading zero."""
    day = DAY.match(text_of(value))
    if day is None:
        return UNKNOWN
    found = date(*map(int, day.groups()))
    return re.sub(r"%(-?)([a-zA-Z%])", lambda part: _date_part(found, part[1], part[2]), form)


def _date_part(day: date, minus: str, letter: str) -> str:
    text = day.strftime(f"%{letter}")
    return text.lstrip("0") if minus and letter != "Y" else text


def _newlines(value: Any) -> str:
    return _replace(value, "\n", "<br />\n")


FILTERS: Mapping[str, Callable[..., Any]] = {
    "abs": lambda value: abs(_number(value)),
    "append": lambda value, end: text_of(value) + text_of(end),
    "array_to_sentence_string": _sentence,
    "at_least": lambda value, least: max(_number(value), _number(least)),
    "at_most": lambda value, most: min(_number(value), _number(most)),
    "capitalize": lambda value: text_of(value).capitalize(),
    "ceil": lambda value: ceil(_number(value)),
    "cgi_escape": lambda value: quote_plus(text_of(value)),
    "compact": lambda value: [entry for entry in items_of(value) if entry is not None],
    "concat": lambda value, more: [*items_of(value), *items_of(more)],
    "date": _date,
    "date_to_long_string": lambda value: _date(value, "%d %B %Y"),
    "date_to_string": lambda value: _date(value, "%d %b %Y"),
    "default": lambda value, other, *_: other if value in (None, False, "", [], {}) else value,
    "divided_by": _divide,
    "downcase": lambda value: text_of(value).lower(),
    "escape": lambda value: escape(text_of(value)),
    "first": lambda value: item(value, "first"),
    "floor": lambda value: floor(_number(value)),
    "group_by": _group,
    "join": _join,
    "jsonify": lambda value: json.dumps(value, default=str, ensure_ascii=False, separators=(",", ":")),
    "last": lambda value: item(value, "last"),
    "lstrip": lambda value: text_of(value).lstrip(),
    "map": lambda value, key: [item(entry, key) for entry in items_of(value)],
    "markdownify": _markdown,
    "minus": lambda value, less: _number(value) - _number(less),
    "modulo": lambda value, by: _number(value) % _number(by),
    "newline_to_br": _newlines,
    "number_of_words": lambda value, *_: len(text_of(value).split()),
    "plus": lambda value, more: _number(value) + _number(more),
    "pop": lambda value, count=1: value[:-count] if isinstance(value, list) else value,
    "prepend": lambda value, start: text_of(start) + text_of(value),
    "push": lambda value, entry: [*value, entry] if isinstance(value, list) else value,
    "remove": _remove,
    "remove_first": lambda value, old: _replace(value, old, "", 1),
    "replace": _replace,
    "replace_first": lambda value, old, new: _replace(value, old, new, 1),
    "reverse": lambda value: items_of(value)[::-1],
    "round": lambda value, digits=0: floor(_number(value) + 0.5) if not digits else round(_number(value), digits),
    "rstrip": lambda value: text_of(value).rstrip(),
    "size": lambda value: item(value, "size") or 0,
    "slice": _slice,
    "slugify": lambda value, *_: _slug(value),
    "smartify": text_of,
    "sort": _sort,
    "sort_natural": lambda value, key=None: _sort(value, key, lambda part: text_of(part).casefold()),
    "split": _split,
    "strip": lambda value: text_of(value).strip(),
    "strip_html": lambda value: TAG.sub("", text_of(value)),
    "strip_newlines": lambda value: _replace(value, "\n"),
    "times": lambda value, by: _number(value) * _number(by),
    "truncate": _truncate,
    "truncatewords": _truncate_words,
    "uniq": _unique,
    "upcase": lambda value: text_of(value).upper(),
    "uri_escape": lambda value: quote(text_of(value), safe="/:?#[]@!$&'()*+,;="),
    "url_encode": lambda value: quote_plus(text_of(value)),
    "where": _where,
    "xml_escape": lambda value: escape(text_of(value)),
}
"""The filters, by name: functions of a value and the arguments."""

"""Values and conditions of Liquid."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple

PARSED_MARKUP = 1_000
"""The number of parsed expressions, and of conditions, in the cache: loops evaluate the same expressions many times."""
LITERALS: Mapping[str, Any] = {"true": True, "false": False, "nil": None, "null": None}
PATH = re.compile(r"([\w-]+\??)((?:\.[\w-]+\??|\[[^\[\]]*\])*)\Z")
KEY = re.compile(r"\.([\w-]+)|\[([^\[\]]*)\]")
FILTERED = re.compile(r"""(?:[^|"']|"[^"]*"|'[^']*')+""")
"""The value of an expression, or a filter with its arguments. Bars separate them."""
ARGUMENT = re.compile(r"""(?:[^,"']|"[^"]*"|'[^']*')+""")
OPERAND = re.compile(r"""\s*("[^"]*"|'[^']*'|==|!=|<>|<=|>=|<|>|[^\s<>=!"']+|\S)""")
NOT = "not"
"""The word for a negation in Jinja, which Liquid lacks."""
OPERATORS = ("==", "!=", "<>", "<=", ">=", "<", ">", "contains")


def is_something(value: Any) -> bool:
    """Whether a value is true in Liquid, as all numbers and texts are, even 0 and the empty text."""
    return value is not None and value is not False


class Unknown(Enum):
    """The type of `UNKNOWN`, which stands for a value that only the site generator knows."""

    UNKNOWN = "unknown"


UNKNOWN = Unknown.UNKNOWN


class Fields(NamedTuple):
    """A map whose values are looked up when a template uses them."""

    find: Callable[[str], Any]


class Call(NamedTuple):
    """A filter in an expression, with its arguments as written."""

    name: str
    arguments: tuple[str, ...]


@lru_cache(PARSED_MARKUP)
def expression(markup: str) -> tuple[str, tuple[Call, ...]]:
    """The value and the filters of an expression as written."""
    first, *rest = FILTERED.findall(markup) or [""]
    calls = []
    for part in rest:
        name, _, arguments = part.partition(":")
        calls.append(Call(name.strip(), tuple(argument.strip() for argument in ARGUMENT.findall(arguments))))
    return first.strip(), tuple(calls)


def value_of(text: str, variables: Mapping[str, Any]) -> Any:
    """The value of a literal or a path such as `site.press.name`; `None` if the path has no value.

    Any other text is `UNKNOWN`, unless it is empty.
    """
    if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]:
        return text[1:-1]
    if re.fullmatch(r"-?\d{1,15}", text):
        return int(text)
    if re.fullmatch(r"-?\d{1,15}\.\d{1,15}", text):
        return float(text)
    if text in LITERALS:
        return LITERALS[text]
    if text[:1] == "[" and text[-1] == "]":
        items = [value_of(part.strip(), variables) for part in ARGUMENT.findall(text[1:-1])]
        return UNKNOWN if UNKNOWN in items else items
    path = PATH.match(text)
    if path is None:
        return UNKNOWN if text else None
    value = variables.get(path[1])
    for name, index in KEY.findall(path[2]):
        value = item(value, name or value_of(index.strip(), variables))
    return value


def item(value: Any, key: Any) -> Any:
    """An item of a value, by name or index; `None` if it is missing."""
    if value is UNKNOWN or key is UNKNOWN:
        return UNKNOWN
    if isinstance(value, Fields):
        return value.find(key) if isinstance(key, str) and key and "/" not in key else None
    if isinstance(value, Mapping) and key in value:
        return value[key]
    if key == "size" and isinstance(value, (str, Sequence, Mapping)):
        return len(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        index = {"first": 0, "last": -1}.get(key, key) if isinstance(key, str) else key
        if isinstance(index, int) and -len(value) <= index < len(value):
            return value[index]
    return None


def shown(value: Any) -> str:
    """A value as Liquid outputs it. The items of a list have no separator."""
    return "".join(map(shown, value)) if isinstance(value, (list, tuple)) else text_of(value)


def text_of(value: Any) -> str:
    """A value converted to a string, as for a filter of strings."""
    if value is None or value is UNKNOWN:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return _as_in_ruby(value) if isinstance(value, (list, tuple, Mapping)) else str(value)


def _as_in_ruby(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_as_in_ruby(key)}=>{_as_in_ruby(part)}' for key, part in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_as_in_ruby, value))}]"
    return (
        "nil" if value is None else json.dumps(value, ensure_ascii=False) if isinstance(value, str) else text_of(value)
    )


def items_of(value: Any) -> Sequence[Any]:
    """The items that a loop over this value visits."""
    if isinstance(value, Mapping):
        return [list(pair) for pair in value.items()]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return value
    return [] if value in (None, False, "") else [value]


@lru_cache(PARSED_MARKUP)
def _operands(markup: str) -> tuple[str, ...]:
    return tuple(OPERAND.findall(markup))


def is_true(markup: str, variables: Mapping[str, Any], truth: Callable[[Any], bool]) -> bool | Unknown:
    """Whether a condition holds. As in Liquid, `and` and `or` are evaluated from right to left."""
    result: bool | Unknown | None = None
    words: list[str] = []
    join = ""
    for word in (*reversed(_operands(markup)), "and"):
        if word not in ("and", "or"):
            words.insert(0, word) if len(words) < 4 else None
            continue
        left = _comparison(words, variables, truth)
        words = []
        if result is None:
            result = left
        elif join == "and":
            known_false = left is False or result is False
            result = False if known_false else UNKNOWN if UNKNOWN in (left, result) else True
        else:
            known_true = left is True or result is True
            result = True if known_true else UNKNOWN if UNKNOWN in (left, result) else False
        join = word
    return False if result is None else result


def _comparison(words: Sequence[str], variables: Mapping[str, Any], truth: Callable[[Any], bool]) -> bool | Unknown:
    if words and words[0] == NOT:
        result = _comparison(words[1:], variables, truth)
        return UNKNOWN if result is UNKNOWN else not result
    if len(words) == 1:
        value = value_of(words[0], variables)
        return UNKNOWN if value is UNKNOWN else truth(value)
    if len(words) != 3 or words[1] not in OPERATORS:
        return UNKNOWN
    left = value_of(words[0], variables)
    if words[2] in ("empty", "blank") and words[1] in ("==", "!=", "<>"):
        is_empty = UNKNOWN if left is UNKNOWN else left in ("", [], {}) or (words[2] == "blank" and not left)
        return is_empty if is_empty is UNKNOWN else is_empty == (words[1] == "==")
    return compare(left, words[1], value_of(words[2], variables))


def compare(left: Any, operator: str, right: Any) -> bool | Unknown:
    """Compare two values. If they cannot be ordered, neither is greater."""
    if left is UNKNOWN or right is UNKNOWN or isinstance(left, Fields):
        return UNKNOWN
    if operator == "contains":
        return shown(right) in left if isinstance(left, str) else right in items_of(left)
    if operator in ("==", "!=", "<>"):
        return bool(left == right) == (operator == "==")
    if isinstance(left, str) != isinstance(right, str) or not isinstance(left, (str, int, float)):
        return False
    if not isinstance(right, (str, int, float)):
        return False
    less, equal = left < right, left == right  # type: ignore[operator]
    return {"<": less, "<=": less or equal, ">": not less and not equal, ">=": not less}[operator]

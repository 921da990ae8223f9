"""Find dice in running words: whole expressions only, and nothing that could be anything else."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from kismet_build.mechanics.dice.bounds import check_bounds
from kismet_build.mechanics.dice.notation import parse
from kismet_build.mechanics.dice.tree import DiceError, Expression

COUNTED = "[0-9]{1,4}d(?:[0-9]{1,4}|%)"
BARE = "d(?:100|30|24|20|16|14|12|10|[2-8]|%)"
"""Without a number before it, a die is one only if there is such a die: "d17" may be the name of anything."""
AGAIN = '(?:!(?=\\s?[-+−]\\s?[0-9d]|[≥≤]|[<>]=|[kd][hl])|[+](?=[.,;:)\\]”’"]|$))?'
"""An exclamation mark may end a sentence, and a plus may add what words say."""
DETAIL = rf"{AGAIN}(?:[kd][hl][0-9]{{0,3}}|\s?(?:>=|<=|≥|≤)\s?[0-9]{{1,4}})?(?:\s?[×*x]\s?[0-9]{{1,6}})?"
# With a minus, "d4-d12" could be a range.
MORE = rf"\s?[+]\s?(?:(?:{COUNTED}|{BARE}){DETAIL}|[0-9]{{1,6}})|\s?[-−]\s?(?:{COUNTED}{DETAIL}|[0-9]{{1,6}})"
CALL = "(?:adv|dis|bonus|penalty|crit|min|max|floor|ceil|step)[(]"
# With a dash before or after it, it could be anything.
BEFORE = r"(?<![\w.,\\/#@&?=^$~*×–−-])"
AFTER = re.compile(r"(?!\w|[.,'’:@]\w|[-−–*×/\\<>=≥≤]|\s[×x*]\s?[0-9]|[+](?![^\W\d_]))", re.IGNORECASE)

# The group is atomic: an expression that does not end well is not cut short until it does.
DICE = re.compile(rf"{BEFORE}(?>{CALL}|(?:{COUNTED}|{BARE}){DETAIL}(?:{MORE})*)", re.IGNORECASE)
BRACKET = re.compile("[()]")
LONGEST_CALL = 100
"""Characters; nobody writes longer ones in a sentence."""
DIE, CAPITAL_DIE = re.compile("d[0-9%]"), re.compile("D[0-9%]")
"""What every text with dice has in it somewhere. Most have not; patterns that begin with a letter say so at once."""
BEFORE_DIE = 4
"""Digits that an expression has before its first die at most, unless it is a call."""

ONE_SPELLING = str.maketrans({"−": "-", "×": "*", "≥": ">=", "≤": "<="})


@dataclass(frozen=True, slots=True)
class Found:
    """Dice in a text."""

    start: int
    end: int
    """Offsets in the text, the end not included."""
    notation: str
    """What stands there, in the one spelling that all which mean the same share: `1d10+3`."""
    expression: Expression


def find(text: str, *, goes_on: bool = False) -> Iterator[Found]:
    """Every dice expression in a text, in order; `goes_on` where other words follow that are not part of it.

    Only what `parse` understands and `odds` can compute.
    """
    place = 0
    while (match := _next(text, place)) is not None:
        start, end = match.span()
        if text[end - 1] == "(":
            end = _closed(text, end)
        place = max(end, start + 1)
        if goes_on and end == len(text):
            end -= text[end - 1] == "+"  # it adds what follows
        elif AFTER.match(text, end) is None:
            continue
        notation = spelled(text[start:end])
        expression = _expression(notation)
        if expression is not None:
            yield Found(start, end, notation, expression)


def may_hold_dice(text: str) -> bool:
    """Whether there may be dice in a text at all."""
    return DIE.search(text) is not None or ("D" in text and CAPITAL_DIE.search(text) is not None)


def _next(text: str, place: int) -> re.Match[str] | None:
    """What begins like dice from a place on; few letters are looked at, because each of them takes long."""
    hints = [hint for hint in (DIE.search(text, place), "D" in text and CAPITAL_DIE.search(text, place)) if hint]
    if not hints:
        return None
    first = min(hint.start() for hint in hints)
    return DICE.search(text, place if "(" in text else max(place, first - BEFORE_DIE))


@lru_cache(maxsize=1024)
def spelled(text: str) -> str:
    """An expression in the spelling that all of its meaning share, as far as they differ in case, spaces and signs."""
    plain = "".join(text.split()).lower().translate(ONE_SPELLING)
    return re.sub(r"(?<=[0-9%)!+])x(?=[0-9])", "*", plain)


def _closed(text: str, start: int) -> int:
    """The place after the bracket that closes the one before `start`, or `start` where none does."""
    depth = 1
    for bracket in BRACKET.finditer(text, start, start + LONGEST_CALL):
        depth += 1 if bracket[0] == "(" else -1
        if depth == 0:
            return bracket.end()
    return start


@cache
def _expression(notation: str) -> Expression | None:
    try:
        expression = parse(notation)
        check_bounds(expression)
    except DiceError:
        return None
    return expression if may_hold_dice(notation) else None

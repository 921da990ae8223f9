"""Find dice notation in running text. Only complete expressions that cannot mean anything else are found."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from kismet_build.mechanics.dice.bounds import check_bounds
from kismet_build.mechanics.dice.notation import parse
from kismet_build.mechanics.dice.table_notation import without_fate_dice
from kismet_build.mechanics.dice.tree import DiceError, Expression
from kismet_build.model.language import Language
from kismet_build.model.language.dice import DIE_LETTERS

COUNTED_DIE = "[0-9]{1,4}d(?:[0-9]{1,4}|%)"
BARE_DIE = "d(?:1000|100|66|30|24|20|16|14|12|10|[2-8]|%)"
"""A die without a count must have a usual number of faces: "d17" may be a name."""
ROLLS_AGAIN = f'(?:!(?=\\s?[-+−]\\s?(?:[0-9]|{BARE_DIE})|[≥≤]|[<>]=|[kd][hl])|[+](?=[.,;:)\\]”’"]|$))?'
"""The sign for rolling again.

`!` may also end a sentence, so notation must follow; `+` may also add, so it must be at the end.
"""
MODIFIERS = rf"{ROLLS_AGAIN}(?:[kd][hl][0-9]{{0,3}}|\s?(?:>=|<=|≥|≤)\s?[0-9]{{1,4}})?(?:\s?[×*x]\s?[0-9]{{1,6}})?"
# No bare die after a minus: "d4-d12" may be a range.
TERM = (
    rf"\s?[+]\s?(?:(?:{COUNTED_DIE}|{BARE_DIE}){MODIFIERS}|[0-9]{{1,6}})"
    rf"|\s?[-−]\s?(?:{COUNTED_DIE}{MODIFIERS}|[0-9]{{1,6}})"
)
FUNCTION_START = "(?:adv|dis|bonus|penalty|crit|min|max|floor|ceil|step)[(]"
# Next to a dash or another symbol, the text may mean something else.
BEFORE = r"(?<![\w.,\\/#@&?=^$~*×–−-])"
AFTER = re.compile(r"(?!\w|[.,'’:@]\w|[-−–*×/\\<>=≥≤]|\s[×x*]\s?[0-9]|[+](?![^\W\d_]))", re.IGNORECASE)

# The group is atomic: if an expression does not end well, the pattern does not try a shorter one.
DICE = re.compile(rf"{BEFORE}(?>{FUNCTION_START}|(?:{COUNTED_DIE}|{BARE_DIE}){MODIFIERS}(?:{TERM})*)", re.IGNORECASE)
SYSTEM_NAME = re.compile(r"d[0-9]+ (?:modern|system|SRD)\b", re.IGNORECASE)
"""A bare die in the name of a system of rules, which nobody rolls: `d20 Modern`, `D6 System`. With a count, it is a
roll: `1d6 system strain`."""
NUMBERED_LETTERS = re.compile(r"(?<!\w)[A-Z][0-9]{1,2}(?:[ \xa0,;/]{1,2}[A-Z][0-9]{1,2}){2,}(?!\w)")
"""Capital letters with a number each: the saves `D10 W11 P12 B13 S14`."""
MIN_LETTERS = 3
"""Minimum number of different letters in a run of numbered letters: `D6, D8, D10` are dice."""
BRACKET = re.compile("[()]")
MAX_CALL_LENGTH = 100
"""Maximum length of a function call after its opening bracket."""
DIE, CAPITAL_DIE = re.compile("d[0-9%]"), re.compile("D[0-9%]")
"""Fast filters. Every text with dice matches one of them. A pattern that begins with a letter is fast to search."""
ANY_DIE = re.compile("[dD][0-9%]")
"""A slower filter for a text with capital dice, where two searches from each die would take quadratic time."""
DIES = {
    letter: re.compile(f"(?<![^\\W0-9]){letter}(?=(?:4|6|8|10|12|20|30|100)(?![0-9]))")
    for letter in DIE_LETTERS.values()
}
"""Patterns by a language's die letter, which match the letter before a usual number of faces, with or without a count.

In another language, `W10` may be a room (docs/decisions/0011-languages.md).
"""
DIE_IN_CODE = re.compile(f"(?<![^\\W0-9])[{''.join(DIE_LETTERS.values())}](?=[0-9%])", re.IGNORECASE)
"""The die letter of any language, in code that contains only dice."""
MAX_COUNT_DIGITS = 4
"""Maximum number of digits before the first die of an expression that is not a function call."""
MAX_CACHED = 1024
"""Maximum number of cached results."""

ASCII_OPERATORS = str.maketrans({"−": "-", "×": "*", "≥": ">=", "≤": "<="})


@dataclass(frozen=True, slots=True)
class DiceMatch:
    """A dice expression in a text."""

    start: int
    end: int
    """The offset after the last character of the expression."""
    notation: str
    """The normalized notation, such as `1d10+3` for `1D10 + 3`."""
    expression: Expression


def find_dice(text: str, *, goes_on: bool = False) -> Iterator[DiceMatch]:
    """Find all dice expressions that `parse` accepts and `odds` can compute, in order.

    `goes_on`: whether more text follows `text`, such as words in bold. An expression does not continue in it.
    """
    text = _without_numbered_letters(text) if "D" in text else text
    die = ANY_DIE if "D" in text and CAPITAL_DIE.search(text) else DIE
    offset = 0
    while (match := _next_match(text, offset, die)) is not None:
        start, end = match.span()
        if text[end - 1] == "(":
            end = _after_closing_bracket(text, end)
        offset = max(end, start + 1)
        if goes_on and end == len(text):
            end -= text[end - 1] == "+"  # the `+` adds something in the text that follows
        elif AFTER.match(text, end) is None or SYSTEM_NAME.match(text, start):
            continue
        notation = normalize_notation(text[start:end])
        expression = _parse_or_none(notation)
        if expression is not None:
            yield DiceMatch(start, end, notation, expression)


def with_english_dice(text: str, language: Language) -> str:
    """Replace the usual dice of a language, such as the German `2W6`, with `2d6`. The length stays the same."""
    letter = language.die_letter
    return DIES[letter].sub("d", _without_numbered_letters(text)) if letter and letter in text else text


def read_dice_code(text: str) -> str:
    """The result of `read_notation` for code marked as dice. Fate dice and dice of all languages are read."""
    return read_notation(code_with_english_dice(without_fate_dice(text)))


def code_with_english_dice(text: str) -> str:
    """Replace the dice of any language, such as `2W6`, with `2d6` in code of only dice. The length stays the same."""
    return DIE_IN_CODE.sub("d", text)


def _without_numbered_letters(text: str) -> str:
    """Replace runs of numbered letters with placeholders. The length stays the same."""
    return NUMBERED_LETTERS.sub(
        lambda run: "_" * len(run[0]) if len(set(filter(str.isalpha, run[0]))) >= MIN_LETTERS else run[0], text
    )


def may_contain_dice(text: str) -> bool:
    """Whether a text may contain dice: a fast filter."""
    return DIE.search(text) is not None or ("D" in text and CAPITAL_DIE.search(text) is not None)


def _next_match(text: str, offset: int, die: re.Pattern[str]) -> re.Match[str] | None:
    """The next match of `DICE` from this offset. `DICE` is slow, so the filter `die` first finds where to begin."""
    first = die.search(text, offset)
    if first is None:
        return None
    return DICE.search(text, offset if "(" in text else max(offset, first.start() - MAX_COUNT_DIGITS))


@lru_cache(maxsize=MAX_CACHED)
def normalize_notation(text: str) -> str:
    """Normalize case, spaces and operators, so that equal expressions have equal notation."""
    notation = "".join(text.split()).lower().translate(ASCII_OPERATORS)
    return re.sub(r"(?<=[0-9%)!+])x(?=[0-9])", "*", notation)


def read_notation(text: str) -> str:
    """The normalized notation of a text that is one dice expression; empty for any other text.

    It is also empty if the odds would take too long to compute.
    """
    notation = normalize_notation(text)
    return notation if _parse_or_none(notation) is not None else ""


def _after_closing_bracket(text: str, start: int) -> int:
    """The offset after the bracket that closes the bracket before `start`, or `start` if it is not closed."""
    depth = 1
    for bracket in BRACKET.finditer(text, start, start + MAX_CALL_LENGTH):
        depth += 1 if bracket[0] == "(" else -1
        if depth == 0:
            return bracket.end()
    return start


@lru_cache(maxsize=MAX_CACHED)
def _parse_or_none(notation: str) -> Expression | None:
    try:
        expression = parse(notation)
        check_bounds(expression)
    except DiceError:
        return None
    return expression if may_contain_dice(notation) else None

"""Parse dice notation, as most rule books write it.

    1d10+3  d6  2d6-1d4+2  d%       dice of one size; d% is d100
    d66                             two six-sided dice, read as tens and ones
    4d6kh3  4d6kl1  4d6dh1  4d6dl1  keep or drop the highest or lowest; without a number, one
    d6!  d6+                        the highest face rolls again: `!` adds a new die, `+` adds to the same die
    5d6>=5  5d6<=2                  count the dice that reach (or stay within) a number
    2*d6  floor(2d6/2)  ceil(d6/2)  multiply or divide by a whole number; a division is always rounded
    min(d6, d8)  max(2d6, 7)        the lowest or highest of several rolls
    adv(d20+2)  dis(d20)            roll everything twice, keep the higher or the lower result
    bonus(1d10+3)  penalty(1d10+3)  one more die of the primary die's size, added or subtracted
    crit(1d10+3, 10, +5)            an amount added when the primary die shows a face
    step(d6, +1)                    the die a number of steps up or down the dice chain

Spaces and case are ignored. The *primary die* is the first die of a sum; it must be one plain die. `bonus` and
`penalty` cancel and neither stacks with itself; the extra die never counts for `crit`.

In a sum `!` and `+` give the same odds. They differ where each die counts: `5d6!>=5` counts every new die, `5d6+>=7`
counts dice that reached 7 in total; `4d6!kh3` may keep a new die, `4d6+kh3` keeps whole open-ended dice.

A `+` after a die means "open-ended" if no roll follows: `d6+`, `d6+ + 3`, `d6+>=7`; in `d6+3` it is an addition.
Ambiguous notation is an error: `d6+-2`; `d6d1`, which may mean `dl` or `dh`; and `>`, which has two meanings in other
programs (use `>=`). A `step` past an end of the dice chain is also an error; it does not stop at the end.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, cast

from .tree import (
    Choice,
    Dice,
    DiceError,
    Expression,
    Extreme,
    Keep,
    Number,
    Offset,
    Pool,
    Primary,
    Product,
    Quotient,
    Sum,
    Twice,
)

DICE_CHAIN = (3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 30)
"""The faces of the dice on the default dice chain, in ascending order."""

TENS_AND_ONES = 66
"""The number of faces that means two six-sided dice."""

MAX_CHARACTERS = 500
"""Maximum length of an expression."""
MAX_DEPTH = 20
"""Maximum nesting depth of brackets."""
MAX_DIGITS = 9
"""Maximum number of digits of a number."""

TOKEN = re.compile(r"\s*(?:(?P<number>[0-9]+)|(?P<word>[a-z]+)|(?P<sign>>=|<=|[-+*/(),!%]))", re.ASCII | re.IGNORECASE)
ASCII_OPERATORS = str.maketrans({"−": "-", "–": "-", "×": "*"})
"""The ASCII form of typographic operators. Each is one character, which keeps offsets the same."""

KEEP_OPERATORS = ("kh", "kl", "dh", "dl")
EXTREMES: Mapping[str, Extreme] = {"min": "min", "max": "max", "dis": "min", "adv": "max"}


def parse(text: str, chain: Sequence[int] = DICE_CHAIN) -> Expression:
    """Parse an expression. `chain` is the dice chain for `step`. Raises `DiceError`."""
    if len(text) > MAX_CHARACTERS:
        raise DiceError(f"this is longer than {MAX_CHARACTERS} characters", MAX_CHARACTERS)
    parser = _Parser(text, chain)
    expression = parser.sum()
    if parser.kind != "end":
        cure = "; a die is written with d, such as 2d6" if parser.value == "w" else ""
        raise parser.syntax_error(f"{parser.quoted} does not belong here{cure}")
    return expression


class _Parser:
    """A recursive descent parser. `at` is the index of the next token."""

    def __init__(self, text: str, chain: Sequence[int]) -> None:
        self.tokens = _tokens(text)
        self.chain = chain
        self.at = 0
        self.depth = 0

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0]

    @property
    def value(self) -> str:
        return self.tokens[self.at][1]

    @property
    def position(self) -> Offset:
        return self.tokens[self.at][2]

    @property
    def quoted(self) -> str:
        return f'"{self.value}"' if self.value else "the end"

    def syntax_error(self, message: str, position: Offset | None = None) -> DiceError:
        return DiceError(message, self.position if position is None else position)

    def accept(self, value: str) -> bool:
        if self.value != value:
            return False
        self.at += 1
        return True

    def expect(self, value: str) -> None:
        if not self.accept(value):
            raise self.syntax_error(f'expected "{value}", not {self.quoted}')

    def number(self, description: str, least: int = 0) -> int:
        if self.kind != "number":
            raise self.syntax_error(f"expected {description}, not {self.quoted}")
        if len(self.value) > MAX_DIGITS:
            raise self.syntax_error(f"a number has at most {MAX_DIGITS} digits")
        number = int(self.value)
        if number < least:
            raise self.syntax_error(f"{description} must be at least {least}, not {number}")
        self.at += 1
        return number

    def signed_number(self, description: str) -> int:
        if self.accept("-"):
            return -self.number(description)
        self.accept("+")
        return self.number(description)

    # --- grammar rules, from the lowest precedence to the highest

    def sum(self) -> Expression:
        start = self.position
        terms = [self.term(negative=self.accept("-"))]
        while self.value in ("+", "-"):
            negative = self.value == "-"
            self.at += 1
            terms.append(self.term(negative=negative))
        return terms[0] if len(terms) == 1 else Sum(tuple(terms), start)

    def term(self, *, negative: bool) -> Expression:
        start = self.position
        term = self.product()
        if self.value == "/":
            raise self.syntax_error('a division must be rounded: write "floor(2d6/2)" or "ceil(2d6/2)"')
        return Product(-1, term, start) if negative else term

    def product(self) -> Expression:
        """Factors, at most one of which is a roll.

        Numbers are multiplied here, which keeps the tree of a long product flat.
        """
        start = self.position
        product = self.factor()
        while self.accept("*"):
            position = self.position
            other = self.factor()
            if isinstance(product, Number):
                product, other = other, product
            if not isinstance(other, Number):
                raise self.syntax_error("a roll can only be multiplied by a whole number, not by a roll", position)
            match product:
                case Number(value):
                    product = Number(value * other.value, start)
                case Product(factor, operand):
                    product = Product(factor * other.value, operand, start)
                case _:
                    product = Product(other.value, product, start)
        return product

    def factor(self) -> Expression:
        start = self.position
        match self.kind, self.value:
            case "number", _:
                number = self.number("a number")
                return self.dice(number, start) if self.value == "d" else Number(number, start)
            case "word", "d":
                return self.dice(1, start)
            case "word", "floor" | "ceil" | "min" | "max" | "adv" | "dis" | "bonus" | "penalty" | "crit" | "step":
                return self.call(start)
            case _, "(":
                self.open_bracket()
                expression = self.sum()
                self.close_bracket()
                return expression
            case "word", _:
                raise self.syntax_error(f"{self.quoted} is not dice notation")
            case _:
                raise self.syntax_error(f"expected a roll or a number, not {self.quoted}")

    def open_bracket(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.syntax_error(f"brackets are nested more than {MAX_DEPTH} deep")
        self.expect("(")

    def close_bracket(self) -> None:
        self.depth -= 1
        self.expect(")")

    # --- dice

    def dice(self, count: int, start: Offset) -> Expression:
        if count < 1:
            raise self.syntax_error(f"the number of dice must be at least 1, not {count}", start)
        self.expect("d")
        faces = 100 if self.accept("%") else self.number("a number of faces", least=1)
        if count == 1 and faces == TENS_AND_ONES:
            return Sum((Product(10, Dice(1, 6, "", start), start), Dice(1, 6, "", start)), start)
        dice = Dice(count, faces, self.rolls_again(), start)
        if dice.again and faces == 1:
            raise self.syntax_error("a die with one face would roll again for ever", start)
        if self.value in KEEP_OPERATORS:
            return self.keep(dice)
        if self.value in (">=", "<="):
            compare = cast(Literal[">=", "<="], self.value)
            self.at += 1
            return Pool(dice, compare, self.number("a number to compare with"), start)
        if self.value in ("d", "k"):
            raise self.syntax_error(
                f'{self.quoted} does not say which dice: add "h" for the highest, "l" for the lowest'
            )
        return dice

    def rolls_again(self) -> Literal["", "!", "+"]:
        if self.accept("!"):
            return "!"
        if self.value != "+":
            return ""
        kind, value, position = self.tokens[self.at + 1]
        if value == "-":
            raise self.syntax_error('this may or may not be open-ended: write "(d6+)-2" or "d6-2"', position)
        if (kind in ("number", "word") and value not in KEEP_OPERATORS) or value == "(":
            return ""
        self.at += 1
        return "+"

    def keep(self, dice: Dice) -> Keep:
        which = cast(Literal["kh", "kl", "dh", "dl"], self.value)
        self.at += 1
        position = self.position
        number = self.number("a number of dice") if self.kind == "number" else 1
        # Keeping or dropping so many dice that none is left is surely a mistake.
        least, most = (1, dice.count) if which[0] == "k" else (0, dice.count - 1)
        if not least <= number <= most:
            raise self.syntax_error(f'"{which}" takes {least} to {most} of {dice.count} dice, not {number}', position)
        return Keep(dice, which, number, dice.position)

    # --- functions

    def call(self, start: Offset) -> Expression:
        name = self.value
        self.at += 1
        self.open_bracket()
        expression = self.arguments(name, start)
        self.close_bracket()
        return expression

    def arguments(self, name: str, start: Offset) -> Expression:
        match name:
            case "floor" | "ceil":
                operand = self.product()
                if self.value != "/":
                    raise self.syntax_error(f'"{name}" takes one division, such as "{name}((2d6+3)/2)"')
                self.at += 1
                return Quotient(name, operand, self.number("a divisor", least=1), start)
            case "min" | "max":
                operands = [self.sum()]
                while self.accept(","):
                    operands.append(self.sum())
                return Choice(EXTREMES[name], tuple(operands), start)
            case "adv" | "dis":
                return Twice(EXTREMES[name], self.sum(), start)
            case "bonus":
                return self.change_primary(self.sum(), lambda die: replace(die, bonus=True))
            case "penalty":
                return self.change_primary(self.sum(), lambda die: replace(die, penalty=True))
            case "crit":
                return self.critical()
            case _:
                return self.step()

    def critical(self) -> Expression:
        operand = self.sum()
        self.expect(",")
        position = self.position
        face = self.number("a face", least=1)
        self.expect(",")
        amount = self.signed_number("an amount")

        def with_critical(die: Primary) -> Primary:
            if face > die.faces:
                raise self.syntax_error(f"a d{die.faces} has no face {face}", position)
            if face in dict(die.criticals):
                raise self.syntax_error(f"face {face} already adds something", position)
            return replace(die, criticals=(*die.criticals, (face, amount)))

        return self.change_primary(operand, with_critical)

    def change_primary(self, expression: Expression, change: Callable[[Primary], Primary]) -> Expression:
        """The expression with `change` applied to its primary die."""
        match expression:
            case Primary():
                return change(expression)
            case Dice(count=1, faces=faces, again=""):
                return change(Primary(faces, position=expression.position))
            case Sum(terms=terms):
                index = next((index for index, term in enumerate(terms) if not isinstance(term, Number)), 0)
                changed = self.change_primary(terms[index], change)
                return replace(expression, terms=(*terms[:index], changed, *terms[index + 1 :]))
            case _:
                raise self.syntax_error(
                    "the primary die must be one plain die that is added, such as 1d10", expression.position
                )

    def step(self) -> Expression:
        dice = self.factor()
        if not isinstance(dice, Dice):
            raise self.syntax_error("only plain dice are on the dice chain", dice.position)
        if dice.faces not in self.chain:
            raise self.syntax_error(f"the dice chain has no d{dice.faces}", dice.position)
        self.expect(",")
        position = self.position
        index = self.chain.index(dice.faces) + self.signed_number("a number of steps")
        if not 0 <= index < len(self.chain):
            raise self.syntax_error(f"the dice chain goes from d{self.chain[0]} to d{self.chain[-1]}", position)
        return replace(dice, faces=self.chain[index])


def _tokens(text: str) -> list[tuple[str, str, Offset]]:
    """The kind, lower-case text and offset of each token; the kind of the last token is `end`."""
    tokens: list[tuple[str, str, Offset]] = []
    plain, offset = text.translate(ASCII_OPERATORS), 0
    end = len(plain.rstrip())
    while offset < end:
        match = TOKEN.match(plain, offset)
        if match is None:
            offset += len(plain[offset:]) - len(plain[offset:].lstrip())
            raise DiceError(f'"{text[offset]}" is not used in dice notation', offset)
        kind = str(match.lastgroup)
        tokens.append((kind, match[kind].lower(), match.start(kind)))
        offset = match.end()
    return [*tokens, ("end", "", end)]

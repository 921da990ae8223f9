"""Read dice notation, as it is written at most tables, into a tree.

    1d10+3  d6  2d6-1d4+2  d%       some dice of one size; d% is d100
    4d6kh3  4d6kl1  4d6dh1  4d6dl1  keep or drop the highest or lowest; without a number, one
    d6!  d6+                        the highest face rolls again: `!` rolls one more die, `+` lets the die itself grow
    5d6>=5  5d6<=2                  how many dice reach (or stay within) a number
    2*d6  floor(2d6/2)  ceil(d6/2)  times and by a whole number; division is always rounded
    min(d6, d8)  max(2d6, 7)        the lowest or highest of several rolls
    adv(d20+2)  dis(d20)            the whole roll twice, the higher or the lower
    bonus(1d10+3)  penalty(1d10+3)  one more die of the primary die's size, added or subtracted
    crit(1d10+3, 10, +5)            an amount added when the primary die shows a face
    step(d6, +1)                    the die so many places up or down the dice chain

Spaces and case do not matter. The *primary die* is the first one written in a sum; it must be one plain die. `bonus`
and `penalty` cancel and neither stacks with itself; the extra die never counts for `crit`.

A sum comes out the same with `!` and `+`. They differ where dice are looked at one by one: `5d6!>=5` counts every new
die, `5d6+>=7` counts dice that grew to 7; `4d6!kh3` may keep a new die, `4d6+kh3` keeps whole grown dice.

A `+` behind a die means "open-ended" where no roll follows it: `d6+`, `d6+ + 3`, `d6+>=7`; in `d6+3` it adds. `d6+-2`
could be either and is refused. Counting is spelled `>=`, since `>` means two things in the field, and `d6d1` is refused
for the same reason: it is `dl` or `dh`. `step` off the end of the dice chain is refused, not held at the end.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, cast

from kismet_build.mechanics.dice.tree import (
    Choice,
    Dice,
    DiceError,
    Expression,
    Keep,
    Number,
    Place,
    Pool,
    Primary,
    Product,
    Quotient,
    Sum,
    Twice,
    Which,
)

DICE_CHAIN = (3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 30)
"""Faces of the dice that `step` goes along, from the lowest."""

MOST_CHARACTERS = 500
MOST_DEPTH = 20
"""Brackets within brackets."""
MOST_DIGITS = 9

TOKEN = re.compile(r"\s*(?:(?P<number>[0-9]+)|(?P<word>[a-z]+)|(?P<sign>>=|<=|[-+*/(),!%]))", re.ASCII | re.IGNORECASE)
PLAIN_SIGNS = str.maketrans({"−": "-", "–": "-", "×": "*"})
"""As rule books print them; one sign for one, so that places stay true."""

KEEPS = ("kh", "kl", "dh", "dl")
WHICH: Mapping[str, Which] = {"min": "min", "max": "max", "dis": "min", "adv": "max"}


def parse(text: str, chain: Sequence[int] = DICE_CHAIN) -> Expression:
    """Read an expression; `step` goes along `chain`. Raises `DiceError` and nothing else."""
    if len(text) > MOST_CHARACTERS:
        raise DiceError(f"this is longer than {MOST_CHARACTERS} characters", MOST_CHARACTERS)
    reader = _Reader(text, chain)
    expression = reader.sum()
    if reader.kind != "end":
        raise reader.fault(f"{reader.shown} does not belong here")
    return expression


class _Reader:
    """A place in the text, and the methods that read one form each from there on."""

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
    def position(self) -> Place:
        return self.tokens[self.at][2]

    @property
    def shown(self) -> str:
        return f'"{self.value}"' if self.value else "the end"

    def fault(self, message: str, position: Place | None = None) -> DiceError:
        return DiceError(message, self.position if position is None else position)

    def take(self, value: str) -> bool:
        if self.value != value:
            return False
        self.at += 1
        return True

    def expect(self, value: str) -> None:
        if not self.take(value):
            raise self.fault(f'"{value}" is expected, not {self.shown}')

    def number(self, what: str, least: int = 0) -> int:
        if self.kind != "number":
            raise self.fault(f"{what} is expected, not {self.shown}")
        if len(self.value) > MOST_DIGITS:
            raise self.fault(f"no number has more than {MOST_DIGITS} digits")
        number = int(self.value)
        if number < least:
            raise self.fault(f"{what} is at least {least}, not {number}")
        self.at += 1
        return number

    def signed(self, what: str) -> int:
        if self.take("-"):
            return -self.number(what)
        self.take("+")
        return self.number(what)

    # --- forms, from the loosest to the tightest

    def sum(self) -> Expression:
        start = self.position
        terms = [self.term(negative=self.take("-"))]
        while self.value in ("+", "-"):
            negative = self.value == "-"
            self.at += 1
            terms.append(self.term(negative=negative))
        return terms[0] if len(terms) == 1 else Sum(tuple(terms), start)

    def term(self, *, negative: bool) -> Expression:
        start = self.position
        term = self.product()
        if self.value == "/":
            raise self.fault('a division says how it is rounded: "floor(2d6/2)" or "ceil(2d6/2)"')
        return Product(-1, term, start) if negative else term

    def product(self) -> Expression:
        """Factors, of which one at most is a roll; multiplied out, so that a long product is not a deep tree."""
        start = self.position
        product = self.factor()
        while self.take("*"):
            place = self.position
            other = self.factor()
            if isinstance(product, Number):
                product, other = other, product
            if not isinstance(other, Number):
                raise self.fault("a roll is multiplied by a whole number, not by a roll", place)
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
                self.open()
                expression = self.sum()
                self.close()
                return expression
            case "word", _:
                raise self.fault(f"{self.shown} is no form of dice notation")
            case _:
                raise self.fault(f"a roll or a number is expected, not {self.shown}")

    def open(self) -> None:
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise self.fault(f"brackets stand more than {MOST_DEPTH} deep")
        self.expect("(")

    def close(self) -> None:
        self.depth -= 1
        self.expect(")")

    # --- dice

    def dice(self, count: int, start: Place) -> Expression:
        if count < 1:
            raise self.fault(f"the number of dice is at least 1, not {count}", start)
        self.expect("d")
        faces = 100 if self.take("%") else self.number("a number of faces", least=1)
        dice = Dice(count, faces, self.again(), start)
        if dice.again and faces == 1:
            raise self.fault("a die with one face would roll again for ever", start)
        if self.value in KEEPS:
            return self.keep(dice)
        if self.value in (">=", "<="):
            compare = cast(Literal[">=", "<="], self.value)
            self.at += 1
            return Pool(dice, compare, self.number("a number to compare with"), start)
        if self.value in ("d", "k"):
            raise self.fault(f'{self.shown} does not say which dice: add "h" for the highest, "l" for the lowest')
        return dice

    def again(self) -> Literal["", "!", "+"]:
        if self.take("!"):
            return "!"
        if self.value != "+":
            return ""
        kind, value, position = self.tokens[self.at + 1]
        if value == "-":
            raise self.fault('this could be open-ended or not: write "(d6+)-2" or "d6-2"', position)
        if (kind in ("number", "word") and value not in KEEPS) or value == "(":
            return ""
        self.at += 1
        return "+"

    def keep(self, dice: Dice) -> Keep:
        which = cast(Literal["kh", "kl", "dh", "dl"], self.value)
        self.at += 1
        place = self.position
        number = self.number("a number of dice") if self.kind == "number" else 1
        # A roll that keeps nothing is a slip of the pen.
        least, most = (1, dice.count) if which[0] == "k" else (0, dice.count - 1)
        if not least <= number <= most:
            raise self.fault(f'of {dice.count} dice "{which}" takes {least} to {most}, not {number}', place)
        return Keep(dice, which, number, dice.position)

    # --- what is written as a call

    def call(self, start: Place) -> Expression:
        name = self.value
        self.at += 1
        self.open()
        called = self.called(name, start)
        self.close()
        return called

    def called(self, name: str, start: Place) -> Expression:
        match name:
            case "floor" | "ceil":
                operand = self.product()
                if self.value != "/":
                    raise self.fault(f'"{name}" rounds one division, such as "{name}((2d6+3)/2)"')
                self.at += 1
                return Quotient(name, operand, self.number("a divisor", least=1), start)
            case "min" | "max":
                operands = [self.sum()]
                while self.take(","):
                    operands.append(self.sum())
                return Choice(WHICH[name], tuple(operands), start)
            case "adv" | "dis":
                return Twice(WHICH[name], self.sum(), start)
            case "bonus":
                return self.marked(self.sum(), lambda die: replace(die, bonus=True))
            case "penalty":
                return self.marked(self.sum(), lambda die: replace(die, penalty=True))
            case "crit":
                return self.critical()
            case _:
                return self.step()

    def critical(self) -> Expression:
        operand = self.sum()
        self.expect(",")
        place = self.position
        face = self.number("a face", least=1)
        self.expect(",")
        amount = self.signed("an amount")

        def with_critical(die: Primary) -> Primary:
            if face > die.faces:
                raise self.fault(f"a d{die.faces} has no face {face}", place)
            if face in dict(die.criticals):
                raise self.fault(f"face {face} adds something already", place)
            return replace(die, criticals=(*die.criticals, (face, amount)))

        return self.marked(operand, with_critical)

    def marked(self, expression: Expression, change: Callable[[Primary], Primary]) -> Expression:
        """An expression whose primary die is changed."""
        match expression:
            case Primary():
                return change(expression)
            case Dice(count=1, faces=faces, again=""):
                return change(Primary(faces, position=expression.position))
            case Sum(terms=terms):
                place = next((place for place, term in enumerate(terms) if not isinstance(term, Number)), 0)
                changed = self.marked(terms[place], change)
                return replace(expression, terms=(*terms[:place], changed, *terms[place + 1 :]))
            case _:
                raise self.fault("the primary die is one plain die that is added, such as 1d10", expression.position)

    def step(self) -> Expression:
        dice = self.factor()
        if not isinstance(dice, Dice):
            raise self.fault("only plain dice stand on the dice chain", dice.position)
        if dice.faces not in self.chain:
            raise self.fault(f"the dice chain has no d{dice.faces}", dice.position)
        self.expect(",")
        place = self.position
        to = self.chain.index(dice.faces) + self.signed("a number of steps")
        if not 0 <= to < len(self.chain):
            raise self.fault(f"the dice chain goes from d{self.chain[0]} to d{self.chain[-1]}", place)
        return replace(dice, faces=self.chain[to])


def _tokens(text: str) -> list[tuple[str, str, Place]]:
    """Kind, text in lower case and place of each token; the last one is the end."""
    tokens: list[tuple[str, str, Place]] = []
    plain, place = text.translate(PLAIN_SIGNS), 0
    end = len(plain.rstrip())
    while place < end:
        found = TOKEN.match(plain, place)
        if found is None:
            place += len(plain[place:]) - len(plain[place:].lstrip())
            raise DiceError(f'"{text[place]}" is no sign of dice notation', place)
        kind = str(found.lastgroup)
        tokens.append((kind, found[kind].lower(), found.start(kind)))
        place = found.end()
    return [*tokens, ("end", "", end)]

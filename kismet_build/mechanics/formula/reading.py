"""Read a formula: its text to a tree."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from kismet_build.mechanics.dice import DiceError, odds, to_tree
from kismet_build.mechanics.dice import parse as parse_dice
from kismet_build.mechanics.formula.tree import (
    LARGEST,
    MOST_CHARACTERS,
    MOST_DEPTH,
    MOST_RESULTS,
    FormulaError,
    Tree,
    Vocabulary,
    plain_number,
)

FUNCTIONS = {
    **dict.fromkeys(("floor", "ceil", "round", "abs", "count", "mean"), (1, 1)),
    **dict.fromkeys(("chance", "tries", "tries_spread"), (2, 2)),
    "successes": (3, 3),
    **dict.fromkeys(("min", "max", "sum"), (1, 50)),
}
"""How many arguments each takes, at least and at most."""

BINDING = {"or": 1, "and": 2, **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in", "not"), 4)}
BINDING |= {"+": 5, "-": 5, "*": 6, "/": 6, "//": 6, "%": 6}
"""How tightly an operator binds; `not` before an operand binds at 3, the sign of a number at 7."""

WORDS = frozenset(("if", "then", "else", "and", "or", "not", "in", "true", "false", "none"))

_TOKEN = re.compile(
    r"""\s*(?:(?P<name>[a-z_][a-z0-9_]*|(?<=\.)[0-9]+[a-z_][a-z0-9_]*)  # of a field also such as 2d6
    | (?P<number>[0-9]+(?:\.[0-9]+)?)(?P<unit>\[[^\]]*\])?
    | (?P<text>"[^"]*"|'[^']*')
    | (?P<sign>==|!=|<=|>=|//|[-+*/%<>()\[\],.?:=])
    | (?P<end>\Z))""",
    re.VERBOSE,
)
_UNIT = re.compile(r"[a-z]+(?: [a-z]+)*(?:[*/][a-z]+(?: [a-z]+)*)*")


class _Token(NamedTuple):
    sort: str
    text: str
    at: int
    unit: str = ""


def parse(text: str, vocabulary: Vocabulary | None = None) -> Tree:
    """The tree of a formula; a `FormulaError` with its place when it cannot be read."""
    if len(text) > MOST_CHARACTERS:
        raise FormulaError("long", f"a formula has at most {MOST_CHARACTERS:,} characters", MOST_CHARACTERS)
    return _Reader(tuple(_tokens(text)), vocabulary or Vocabulary()).whole()


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while True:
        found = _TOKEN.match(text, at)
        if found is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            message = "this text does not end" if text[at] in "\"'" else f'"{text[at]}" is not part of a formula'
            raise FormulaError("syntax", message, at)
        sort = found.lastgroup if found.lastgroup != "unit" else "number"
        assert sort is not None
        start = found.start(sort)
        unit = found["unit"] or ""
        if unit and not _UNIT.fullmatch(unit[1:-1]):
            raise FormulaError(
                "syntax", f'"{unit}" is not a unit, such as [tiles] or [feet/tiles]', found.start("unit")
            )
        yield _Token(sort, found[sort], start, unit[1:-1])
        at = found.end()
        if sort == "end":
            return
        if sort == "number" and text[at : at + 1].isalnum():
            raise FormulaError("syntax", f'"{text[start : at + 1]}" is neither a number nor a name', start)


class _Reader:
    """Precedence climbing over the tokens of one formula."""

    def __init__(self, tokens: Sequence[_Token], vocabulary: Vocabulary) -> None:
        self._tokens = tokens
        self._next = 0
        self._token = tokens[0]
        self._depth = 0
        self._vocabulary = vocabulary

    def whole(self) -> Tree:
        tree = self._expression()
        if self._token.sort != "end":
            raise self._error()
        _check_depth(tree)
        return tree

    def _pass(self) -> None:
        """Go on to the next token, which is looked at more often than passed."""
        self._next += 1
        self._token = self._tokens[self._next]

    def _error(self) -> FormulaError:
        token = self._token
        if token.sort == "end":
            return FormulaError("syntax", "the formula ends too early", token.at)
        return FormulaError("syntax", f'"{token.text}" is not expected here', token.at)

    def _takes(self, text: str) -> bool:
        if self._token.sort in ("sign", "name") and self._token.text == text:
            self._pass()
            return True
        return False

    def _need(self, text: str) -> None:
        if not self._takes(text):
            token = self._token
            found = "the formula ends" if token.sort == "end" else f'"{token.text}" stands'
            raise FormulaError("syntax", f'{found} where "{text}" is missing', token.at)

    def _expression(self, least: int = 0) -> Tree:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise FormulaError("deep", f"more than {MOST_DEPTH} brackets stand inside each other", self._token.at)
        at = self._token.at
        tree = self._operand()
        while (binding := BINDING.get(self._token.text, -1)) > least and self._token.sort in ("sign", "name"):
            tree = self._operation(tree, binding)
        if least == 0 and self._takes("?"):
            then = self._expression()
            self._need(":")
            tree = {"node": "if", "of": [tree, then, self._expression()], "at": at}
        self._depth -= 1
        return tree

    def _operation(self, left: Tree, binding: int) -> Tree:
        operator = self._token
        self._pass()
        if operator.text == "not":
            self._need("in")
            inside = _call("in", operator.at, left, self._expression(binding))
            return self._alone(_call("not", operator.at, inside), binding)
        return self._alone(_call(operator.text, operator.at, left, self._expression(binding)), binding)

    def _alone(self, tree: Tree, binding: int) -> Tree:
        """A comparison; `1 < 2 < 3` would mean something else in every language."""
        if binding == BINDING["=="] == BINDING.get(self._token.text):
            raise FormulaError("syntax", "comparisons do not follow each other: join them with and", self._token.at)
        return tree

    def _operand(self) -> Tree:
        token = self._token
        if self._takes("if"):
            parts = [self._expression()]
            for word in ("then", "else"):
                self._need(word)
                parts.append(self._expression())
            return {"node": "if", "of": parts, "at": token.at}
        if self._takes("not"):
            return _call("not", token.at, self._expression(3))
        if self._takes("-"):
            return _call("negate", token.at, self._expression(7))
        tree = self._primary()
        while self._takes("."):
            name = self._name()
            tree = {"node": "field", "field": name.text, "of": [tree], "at": name.at}
        return tree

    def _primary(self) -> Tree:
        token = self._token
        if token.sort == "number":
            self._pass()
            value = float(token.text)
            if Fraction(token.text) > LARGEST:  # the next whole number has no double of its own
                raise FormulaError("large", f"this number is more than {LARGEST:,}", token.at)
            return {
                "node": "number",
                "value": plain_number(value),
                **({"unit": token.unit} if token.unit else {}),
                "at": token.at,
            }
        if token.sort == "text":
            self._pass()
            return {"node": "text", "value": token.text[1:-1], "at": token.at}
        if self._takes("("):
            tree = self._expression()
            self._need(")")
            return tree
        if self._takes("["):
            return {"node": "list", "of": [tree for _, tree in self._arguments("]")], "at": token.at}
        if self._takes("true") or self._takes("false"):
            return {"node": "boolean", "value": token.text == "true", "at": token.at}
        if self._takes("none"):
            return {"node": "none", "at": token.at}
        name = self._name()
        return self._called(name) if self._takes("(") else {"node": "name", "name": name.text, "at": name.at}

    def _name(self) -> _Token:
        token = self._token
        if token.sort != "name" or token.text in WORDS:
            raise self._error()
        self._pass()
        return token

    def _arguments(self, end: str) -> list[tuple[_Token | None, Tree]]:
        """What stands between commas, each with the name before its `=`."""
        found: list[tuple[_Token | None, Tree]] = []
        while not self._takes(end):
            if found:
                self._need(",")
            named = self._token.sort == "name" and self._tokens[self._next + 1].text == "="
            name = self._name() if named else None
            if named:
                self._need("=")
            if named and end == "]":
                raise FormulaError("syntax", "a list has no names in it", self._tokens[self._next - 2].at)
            found.append((name, self._expression()))
        return found

    def _called(self, name: _Token) -> Tree:
        if name.text == "lookup":
            return self._lookup(name)
        arguments = self._arguments(")")
        if name.text == "dice":
            return _dice(name, arguments)
        if name.text == "where":
            return _where(name, arguments)
        if name.text in FUNCTIONS:
            least, most = FUNCTIONS[name.text]
            if named := [token for token, _ in arguments if token]:
                raise FormulaError("syntax", f'"{name.text}" takes no names', named[0].at)
            if not least <= len(arguments) <= most:
                number = f"{least}" if least == most else f"{least} to {most}"
                raise FormulaError("syntax", f'"{name.text}" takes {number}, not {len(arguments)}', name.at)
            return _call(name.text, name.at, *(tree for _, tree in arguments))
        calculator = name.text.replace("_", "-")
        if calculator not in self._vocabulary.calculators:
            raise FormulaError("unknown", f'there is no function or calculator "{name.text}"', name.at)
        return _calculator(name, calculator, self._vocabulary.calculators[calculator], arguments)

    def _lookup(self, name: _Token) -> Tree:
        token = self._name()
        kind = token.text.replace("_", "-")
        if kind not in self._vocabulary.kinds:
            raise FormulaError("unknown", f'there is no kind "{token.text}"', token.at)
        self._need(",")
        arguments = self._arguments(")")
        if len(arguments) != 1:
            raise FormulaError("syntax", "lookup takes a kind and one value", name.at)
        key, tree = arguments[0]
        return {
            "node": "lookup",
            "kind": kind,
            "field": key.text if key else self._vocabulary.kinds[kind] or "slug",
            "of": [tree],
            "at": name.at,
        }


def _call(name: str, at: int, *of: Tree) -> Tree:
    return {"node": "call", "name": name, "of": list(of), "at": at}


def _calculator(
    name: _Token, calculator: str, inputs: Sequence[str], arguments: list[tuple[_Token | None, Tree]]
) -> Tree:
    given: dict[str, Tree] = {}
    for place, (token, tree) in enumerate(arguments):
        if token is None and (place >= len(inputs) or len(given) < place):
            break
        key = token.text if token else inputs[place]
        if token and (key not in inputs or key in given):
            raise FormulaError("unknown", f'"{calculator}" has no input "{key}" to give', token.at)
        given[key] = tree
    if len(given) != len(arguments) or set(given) != set(inputs):
        raise FormulaError("syntax", f'"{calculator}" takes {", ".join(inputs) or "nothing"}', name.at)
    return {
        "node": "calculator",
        "calculator": calculator,
        "inputs": list(given),
        "of": [*given.values()],
        "at": name.at,
    }


def _where(name: _Token, arguments: list[tuple[_Token | None, Tree]]) -> Tree:
    fields = [token.text for token, _ in arguments[1:] if token]
    if not fields or arguments[0][0] or len(fields) != len(arguments) - 1:
        raise FormulaError("syntax", "where takes a list, and then each field with its value", name.at)
    return {"node": "where", "fields": fields, "of": [tree for _, tree in arguments], "at": name.at}


def _dice(name: _Token, arguments: list[tuple[_Token | None, Tree]]) -> Tree:
    if len(arguments) != 1 or arguments[0][0] or arguments[0][1]["node"] != "text":
        raise FormulaError("syntax", 'dice takes a text, such as dice("1d10+3")', name.at)
    literal = arguments[0][1]
    try:
        expression = parse_dice(literal["value"])
        distribution = odds(expression)
    except DiceError as error:
        raise FormulaError("dice", error.message, literal["at"] + 1 + error.position) from error
    if distribution.high - distribution.low >= MOST_RESULTS:
        raise FormulaError("dice", f"these dice have more than {MOST_RESULTS:,} results", literal["at"])
    chances = dict(distribution.outcomes)
    left, reached = Fraction(), []
    for value in range(distribution.high, distribution.low - 1, -1):
        left += chances.get(value, 0)
        reached.append(float(left))
    return {
        "node": "dice",
        "expression": literal["value"],
        "tree": to_tree(expression),
        "low": distribution.low,
        "at_least": reached[::-1],
        "mean": float(distribution.mean),
        "at": name.at,
    }


def _check_depth(tree: Tree) -> None:
    level = [tree]
    for _ in range(MOST_DEPTH):
        level = [child for node in level for child in node.get("of", ())]
        if not level:
            return
    raise FormulaError("deep", f"more than {MOST_DEPTH} operations stand inside each other", level[0]["at"])

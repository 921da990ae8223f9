"""Parse the text of a formula into a tree."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from ...model.suggestion import did_you_mean, did_you_mean_or_list
from ..dice import DiceError, odds, to_tree
from ..dice import parse as parse_dice
from .functions import FUNCTIONS, form
from .tree import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    MAX_NUMBER,
    MAX_RESULTS,
    FormulaError,
    Tree,
    Vocabulary,
    plain_number,
)

SPECIAL_FUNCTIONS = ("dice", "lookup", "where")
"""Functions with a syntax of their own."""

PRECEDENCE = {"or": 1, "and": 2, **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in", "not"), 4)}
PRECEDENCE |= {"+": 5, "-": 5, "*": 6, "/": 6, "//": 6, "%": 6}
"""Precedence of binary operators, from the loosest. Unary `not` and `-` are below."""
NOT_PRECEDENCE = 3
NEGATE_PRECEDENCE = 7

RESERVED_WORDS = frozenset(("if", "then", "else", "and", "or", "not", "in", "true", "false", "none"))

_TOKEN = re.compile(
    r"""\s*(?:(?P<name>[a-z_][a-z0-9_]*|(?<=\.)[0-9]+[a-z_][a-z0-9_]*)  # after a dot also names such as 2d6
    | (?P<number>[0-9]+(?:\.[0-9]+)?)(?P<unit>\[[^\]]*\])?
    | (?P<text>"[^"]*"|'[^']*')
    | (?P<sign>==|!=|<=|>=|//|[-+*/%<>()\[\],.?:=])
    | (?P<end>\Z))""",
    re.VERBOSE,
)
_LETTERS = r"A-Za-z\u00c0-\u1fff\u2c00-\u2fdf\u3041-\ud7ff\uf900-\uffef"
"""The letters and combining marks of all scripts, in the same ranges as in the schemas.

Not every engine supports `\\p{L}`: docs/decisions/0002-two-json-schema-engines.md.
"""
_WORD = rf"[{_LETTERS}][{_LETTERS}'\u2019-]*"
_UNIT = re.compile(rf"{_WORD}(?: {_WORD})*(?:[*/]{_WORD}(?: {_WORD})*)*")
DICE_HINT = "`kismet explain dice` shows how to write dice"
_DICE = re.compile(r"([0-9]+)[dDwW]([0-9]+|%)")
"""Dice without the function `dice`. German texts write `2W6`."""


class _Token(NamedTuple):
    kind: str
    text: str
    at: int
    unit: str = ""


def parse(text: str, vocabulary: Vocabulary | None = None) -> Tree:
    """Parse a formula. Raises `FormulaError` with the offset of the fault."""
    if len(text) > MAX_CHARACTERS:
        raise FormulaError("long", f"a formula has at most {MAX_CHARACTERS:,} characters", MAX_CHARACTERS)
    return _Parser(tuple(_tokens(text)), vocabulary or Vocabulary()).formula()


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while True:
        match = _TOKEN.match(text, at)
        if match is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            is_text = text[at] in "\"'"
            message = "this text has no closing quote" if is_text else f'"{text[at]}" is not part of a formula'
            hint = "a name has only lower-case letters from a to z, digits and _" if text[at].isalpha() else ""
            raise FormulaError("syntax", message, at, hint)
        kind, unit = match.lastgroup, ""
        if kind == "unit":
            kind, unit = "number", match["unit"][1:-1]
            if not _UNIT.fullmatch(unit):
                message = f'"[{unit}]" is not a unit, such as [tiles] or [feet/tiles]'
                raise FormulaError("syntax", message, match.start("unit"))
        assert kind is not None
        yield _Token(kind, match[kind], match.start(kind), unit)
        at = match.end()
        if kind == "end":
            return
        if kind == "number" and text[at : at + 1].isalnum():
            start = match.start(kind)
            dice = _DICE.match(text, start)
            hint = f'write dice in quotation marks: dice("{dice[1]}d{dice[2]}")' if dice else ""
            raise FormulaError("syntax", f'"{text[start : at + 1]}" is neither a number nor a name', start, hint)


class _Parser:
    """A precedence climbing parser for the tokens of one formula."""

    def __init__(self, tokens: Sequence[_Token], vocabulary: Vocabulary) -> None:
        self._tokens = tokens
        self._next = 0
        self._token = tokens[0]
        self._depth = 0
        self._vocabulary = vocabulary

    def formula(self) -> Tree:
        tree = self._expression()
        if self._token.kind != "end":
            raise self._unexpected()
        _check_depth(tree)
        return tree

    def _advance(self) -> None:
        self._next += 1
        self._token = self._tokens[self._next]

    def _unexpected(self) -> FormulaError:
        token = self._token
        if token.kind == "end":
            return FormulaError("syntax", "the formula ends too early", token.at)
        hint = "write only the value, without a name and =; use == to compare two values" * (token.text == "=")
        return FormulaError("syntax", f'"{token.text}" is not expected here', token.at, hint)

    def _accept(self, text: str) -> bool:
        if self._token.kind in ("sign", "name") and self._token.text == text:
            self._advance()
            return True
        return False

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            token = self._token
            actual = "the formula ends" if token.kind == "end" else f'found "{token.text}"'
            hint = "close the bracket, or continue with a comma" if token.kind == "end" else f'write "{text}" before it'
            if token.text == "=":
                hint = "use == to compare two values"
            raise FormulaError("syntax", f'expected "{text}", but {actual}', token.at, hint)

    def _expression(self, loosest: int = 0) -> Tree:
        """Parse an expression of operators that bind more tightly than `loosest`."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise FormulaError("deep", f"brackets are nested more than {MAX_DEPTH} deep", self._token.at)
        at = self._token.at
        tree = self._operand()
        while (precedence := PRECEDENCE.get(self._token.text, -1)) > loosest and self._token.kind in ("sign", "name"):
            tree = self._operation(tree, precedence)
        if loosest == 0 and self._accept("?"):
            then = self._expression()
            self._expect(":")
            tree = {"node": "if", "of": [tree, then, self._expression()], "at": at}
        self._depth -= 1
        return tree

    def _operation(self, left: Tree, precedence: int) -> Tree:
        operator = self._token
        self._advance()
        if operator.text == "not":
            self._expect("in")
            inside = _call("in", operator.at, left, self._expression(precedence))
            return self._check_comparison(_call("not", operator.at, inside), precedence)
        return self._check_comparison(_call(operator.text, operator.at, left, self._expression(precedence)), precedence)

    def _check_comparison(self, tree: Tree, precedence: int) -> Tree:
        """Refuse a comparison of a comparison: `1 < 2 < 3` has different meanings in other languages."""
        if precedence == PRECEDENCE["=="] == PRECEDENCE.get(self._token.text):
            raise FormulaError("syntax", "comparisons cannot be chained: join them with and", self._token.at)
        return tree

    def _operand(self) -> Tree:
        token = self._token
        if self._accept("if"):
            parts = [self._expression()]
            for word in ("then", "else"):
                self._expect(word)
                parts.append(self._expression())
            return {"node": "if", "of": parts, "at": token.at}
        if self._accept("not"):
            return _call("not", token.at, self._expression(NOT_PRECEDENCE))
        if self._accept("-"):
            return _call("negate", token.at, self._expression(NEGATE_PRECEDENCE))
        tree = self._primary()
        while self._accept("."):
            name = self._name()
            tree = {"node": "field", "field": name.text, "of": [tree], "at": name.at}
        return tree

    def _primary(self) -> Tree:
        token = self._token
        if token.kind == "number":
            self._advance()
            value = float(token.text)
            if Fraction(token.text) > MAX_NUMBER:  # the next whole number has no double of its own
                raise FormulaError("large", f"this number is more than {MAX_NUMBER:,}", token.at)
            return {
                "node": "number",
                "value": plain_number(value),
                **({"unit": token.unit} if token.unit else {}),
                "at": token.at,
            }
        if token.kind == "text":
            self._advance()
            return {"node": "text", "value": token.text[1:-1], "at": token.at}
        if self._accept("("):
            tree = self._expression()
            self._expect(")")
            return tree
        if self._accept("["):
            return {"node": "list", "of": [tree for _, tree in self._arguments("]")], "at": token.at}
        if self._accept("true") or self._accept("false"):
            return {"node": "boolean", "value": token.text == "true", "at": token.at}
        if self._accept("none"):
            return {"node": "none", "at": token.at}
        name = self._name()
        return self._call_named(name) if self._accept("(") else {"node": "name", "name": name.text, "at": name.at}

    def _name(self) -> _Token:
        token = self._token
        if token.kind != "name" or token.text in RESERVED_WORDS:
            raise self._unexpected()
        self._advance()
        return token

    def _arguments(self, end: str) -> list[tuple[_Token | None, Tree]]:
        """Arguments up to `end`, each with its name if it is written as `name = value`."""
        arguments: list[tuple[_Token | None, Tree]] = []
        while not self._accept(end):
            if arguments:
                self._expect(",")
            is_named = self._token.kind == "name" and self._tokens[self._next + 1].text == "="
            name = self._name() if is_named else None
            if is_named:
                self._expect("=")
            if is_named and end == "]":
                raise FormulaError("syntax", "the items of a list have no names", self._tokens[self._next - 2].at)
            arguments.append((name, self._expression()))
        return arguments

    def _call_named(self, name: _Token) -> Tree:
        if name.text == "lookup":
            return self._lookup(name)
        arguments = self._arguments(")")
        if name.text == "dice":
            return _dice(name, arguments)
        if name.text == "where":
            return _where(name, arguments)
        if name.text in FUNCTIONS:
            minimum, maximum = FUNCTIONS[name.text].number_of_arguments
            if argument_names := [token for token, _ in arguments if token]:
                raise FormulaError("syntax", f'the arguments of "{name.text}" have no names', argument_names[0].at)
            if not minimum <= len(arguments) <= maximum:
                number = f"{minimum}" if minimum == maximum else f"{minimum} to {maximum}"
                message = f'"{name.text}" takes {number} argument{"s" * (maximum > 1)}, not {len(arguments)}'
                raise FormulaError("syntax", message, name.at, f"write {form(name.text)}")
            return _call(name.text, name.at, *(tree for _, tree in arguments))
        calculator = name.text.replace("_", "-")
        if calculator not in self._vocabulary.calculators:
            calculators = [known.replace("-", "_") for known in self._vocabulary.calculators]
            functions = [*FUNCTIONS, *SPECIAL_FUNCTIONS]
            hint = did_you_mean(name.text, [*functions, *calculators], f"the functions are: {', '.join(functions)}")
            raise FormulaError("unknown", f'there is no function or calculator "{name.text}"', name.at, hint)
        return _calculator(name, calculator, self._vocabulary.calculators[calculator], arguments)

    def _lookup(self, name: _Token) -> Tree:
        token = self._name()
        kind = token.text.replace("_", "-")
        if kind not in self._vocabulary.kinds:
            kinds = [known.replace("-", "_") for known in self._vocabulary.kinds]
            hint = did_you_mean_or_list(token.text, kinds, "the kinds are")
            raise FormulaError("unknown", f'there is no kind "{token.text}"', token.at, hint)
        self._expect(",")
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


def _call(name: str, at: int, *operands: Tree) -> Tree:
    return {"node": "call", "name": name, "of": list(operands), "at": at}


def _calculator(
    name: _Token, calculator: str, inputs: Sequence[str], arguments: list[tuple[_Token | None, Tree]]
) -> Tree:
    given: dict[str, Tree] = {}
    for index, (token, tree) in enumerate(arguments):
        if token is None and (index >= len(inputs) or len(given) < index):
            break
        key = token.text if token else inputs[index]
        if token and (key not in inputs or key in given):
            raise FormulaError("unknown", f'"{calculator}" has no input "{key}", or it is given twice', token.at)
        given[key] = tree
    if len(given) != len(arguments) or set(given) != set(inputs):
        raise FormulaError("syntax", f'"{calculator}" takes {", ".join(inputs) or "no inputs"}', name.at)
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
        raise FormulaError("syntax", "where takes a list, then each field with its value", name.at)
    return {"node": "where", "fields": fields, "of": [tree for _, tree in arguments], "at": name.at}


def _dice(name: _Token, arguments: list[tuple[_Token | None, Tree]]) -> Tree:
    if len(arguments) != 1 or arguments[0][0] or arguments[0][1]["node"] != "text":
        raise FormulaError("syntax", 'dice takes a text, such as dice("1d10+3")', name.at)
    literal = arguments[0][1]
    try:
        expression = parse_dice(literal["value"])
        distribution = odds(expression)
    except DiceError as error:
        raise FormulaError("dice", error.message, literal["at"] + 1 + error.position, DICE_HINT) from error
    if distribution.high - distribution.low >= MAX_RESULTS:
        raise FormulaError("dice", f"these dice have more than {MAX_RESULTS:,} results", literal["at"])
    chances = dict(distribution.outcomes)
    total, at_least = Fraction(), []
    for value in range(distribution.high, distribution.low - 1, -1):
        total += chances.get(value, 0)
        at_least.append(float(total))
    return {
        "node": "dice",
        "expression": literal["value"],
        "tree": to_tree(expression),
        "low": distribution.low,
        "at_least": at_least[::-1],
        "mean": float(distribution.mean),
        "at": name.at,
    }


def _check_depth(tree: Tree) -> None:
    level = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in node.get("of", ())]
        if not level:
            return
    raise FormulaError("deep", f"operations are nested more than {MAX_DEPTH} deep", level[0]["at"])

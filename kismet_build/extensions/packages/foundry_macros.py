"""Calculators as macros of Foundry VTT: a dialog for the inputs, and the result as a chat message.

A calculator has a macro if it only needs numbers, texts, decisions and dice. Chances and lists of entities would need
the evaluator and the data of the packages.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from html import escape

from kismet_build.output.finished_data import Data

OPERATORS = {
    **dict.fromkeys(("+", "-", "*", "/", "<", "<=", ">", ">="), ""),
    **{"==": "===", "!=": "!==", "and": "&&", "or": "||"},
}
"""Operators between two values, with their spelling in JavaScript where it differs."""
FUNCTIONS = ("abs", "ceil", "floor", "round", "min", "max")
"""Functions of numbers that JavaScript has in `Math`."""
INPUT_TYPES = ("integer", "number", "boolean", "choice")
COMMAND = """\
const values = await foundry.applications.api.DialogV2.input({{
  window: {{ title: {title} }},
  content: {content},
}});
if (!values) return;
{lines}
{show}
"""


class _Unwritable(Exception):
    """A script cannot express a part of the formula."""


def macro_command(calculator: Data, calculators: Mapping[str, Data], dice: Callable[[str], str | None]) -> str | None:
    """The script of a calculator's macro, or `None` if it cannot be written.

    `calculators` are all calculators of the game, by the last part of their ids. `dice` converts a dice expression to a
    formula of Foundry VTT, if possible.
    """
    writer = _Writer(calculators, dice)
    if not all(given["type"] in INPUT_TYPES and not given.get("many") for given in calculator["inputs"]):
        return None
    try:
        body = [*writer.body(calculator)]
        functions = [*writer.functions.values()]
    except _Unwritable:
        return None
    reads = [f"const {_name(given['name'])} = {_read(given)};" for given in calculator["inputs"]]
    label, unit = calculator["result"]["label"], calculator["result"]["unit"]
    if calculator["result"]["type"] == "dice":
        show = f"await new Roll(result).toMessage({{ flavor: {_text(label)} }});"
    else:
        before, after = f"<p>{escape(label)}: <strong>", f"</strong> {escape(unit)}</p>"
        is_boolean = calculator["result"]["type"] == "boolean"
        said = '(result ? "yes" : "no")' if is_boolean else "foundry.utils.escapeHTML(String(result))"
        words = f"{_text(before)} + {said} + {_text(after)}"
        show = f"await ChatMessage.create({{ content: {words} }});"
    return COMMAND.format(
        title=_text(calculator["title"]),
        content=_text("".join(map(_field, calculator["inputs"]))),
        lines="\n".join((*functions, *reads, *body[:-1], f"const result = {body[-1]};")),
        show=show,
    )


class _Writer:
    """Writes formulas in JavaScript."""

    def __init__(self, calculators: Mapping[str, Data], dice: Callable[[str], str | None]) -> None:
        self.functions: dict[str, str] = {}
        """By slug, the functions for the calculators that are called.

        Each follows the functions that it calls itself.
        """
        self._calculators = calculators
        self._dice = dice

    def body(self, calculator: Data) -> Iterator[str]:
        """A statement for each step, then the expression of the result. Raises `_Unwritable`."""
        for step in calculator["steps"]:
            yield f"const {_name(step['name'])} = {self._expression(step['ast'])};"
        yield self._expression(calculator["ast"])

    def _expression(self, tree: Data) -> str:
        """The JavaScript expression for a formula. Raises `_Unwritable`."""
        match tree:
            case {"node": "number" | "boolean" | "text", "value": value}:
                return json.dumps(value)
            case {"node": "name", "name": name}:
                return _name(name)
            case {"node": "dice", "expression": expression} if (formula := self._dice(expression)) is not None:
                return json.dumps(formula)
        of = [self._expression(part) for part in tree.get("of", ())]
        match tree:
            case {"node": "if"}:
                return f"({of[0]} ? {of[1]} : {of[2]})"
            case {"node": "call", "name": "negate"}:
                return f"(-{of[0]})"
            case {"node": "call", "name": "not"}:
                return f"(!{of[0]})"
            case {"node": "call", "name": "//"}:
                return f"Math.floor({of[0]} / {of[1]})"
            case {"node": "call", "name": str(name)} if name in OPERATORS and len(of) == 2:
                return f"({of[0]} {OPERATORS[name] or name} {of[1]})"
            case {"node": "call", "name": str(name)} if name in FUNCTIONS and tree["of"][0]["node"] != "list":
                return f"Math.{name}({', '.join(of)})"
            case {"node": "calculator", "calculator": slug, "inputs": inputs}:
                self._add_function(slug)
                given = dict(zip(inputs, of, strict=True))
                names = [each["name"] for each in self._calculators[slug]["inputs"]]
                if [*given] != names:
                    raise _Unwritable
                return f"{_function(slug)}({', '.join(given.values())})"
        raise _Unwritable

    def _add_function(self, slug: str) -> None:
        if slug in self.functions:
            return
        calculator = self._calculators[slug]
        *steps, result = self.body(calculator)
        names = ", ".join(_name(given["name"]) for given in calculator["inputs"])
        lines = " ".join((*steps, f"return {result};"))
        self.functions[slug] = f"const {_function(slug)} = ({names}) => {{ {lines} }};"


def _name(name: str) -> str:
    """A variable for an input or a step. The sign keeps it apart from the keywords of JavaScript."""
    return f"${name}"


def _function(slug: str) -> str:
    return f"${slug.replace('-', '_')}_"


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _read(given: Data) -> str:
    value = f"values[{json.dumps(given['name'])}]"
    return {"boolean": f"Boolean({value})", "choice": f"String({value})"}.get(given["type"], f"Number({value})")


def _field(given: Data) -> str:
    name, default = escape(given["name"]), given["default"]
    if given["type"] == "boolean":
        field = f'<input type="checkbox" name="{name}"{" checked" if default else ""}>'
    elif given["type"] == "choice":
        chosen = {option: " selected" if option == default else "" for option in given["options"]}
        options = "".join(f"<option{selected}>{escape(option)}</option>" for option, selected in chosen.items())
        field = f'<select name="{name}">{options}</select>'
    else:
        limits = f'min="{given["min"]}" max="{given["max"]}" step="{given.get("step") or "any"}"'
        field = f'<input type="number" name="{name}" value="{default}" {limits} required>'
    unit = f" ({escape(given['unit'])})" if given.get("unit") else ""
    return f'<div class="form-group"><label>{escape(given["label"])}{unit}</label>{field}</div>'

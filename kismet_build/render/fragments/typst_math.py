"""Formulas as Typst code, from their MathML."""

import re
from collections.abc import Callable, Sequence
from html.entities import html5
from xml.etree import ElementTree

NAMED_REFERENCE = re.compile(r"&(?!(?:lt|gt|amp|quot|apos);)(\w+);")
"""A reference to a character by a name that XML does not know."""
NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"


def typst_math(mathml: str) -> str:
    """The content of an equation as a Typst expression. What Typst has no form for is set as its parts in a row."""
    xml = NAMED_REFERENCE.sub(lambda match: html5.get(f"{match[1]};", match[0]), mathml)
    return _code(ElementTree.fromstring(xml))


def _code(node: ElementTree.Element) -> str:
    name = node.tag.removeprefix(NAMESPACE)
    if name in ("mi", "mn", "mo", "mtext", "ms"):
        text = _string(node.text or "")
        is_variable = name == "mi" and len((node.text or "").strip()) == 1
        return f"math.italic({text})" if is_variable else text
    if name == "mspace":
        return "h(0.3em)"
    make = FORMS.get(name)
    return _row(list(node)) if make is None else make([_code(child) for child in node])


def _row(nodes: Sequence[ElementTree.Element]) -> str:
    return "{" + ";".join(map(_code, nodes)) + "}"


def _string(text: str) -> str:
    return '"' + text.strip().replace("\\", "\\\\").replace('"', '\\"') + '"'


FORMS: dict[str, Callable[[list[str]], str]] = {
    "mfrac": lambda parts: f"math.frac({parts[0]}, {parts[1]})",
    "msqrt": lambda parts: f"math.sqrt({{{';'.join(parts)}}})",
    "mroot": lambda parts: f"math.root({parts[1]}, {parts[0]})",
    "msup": lambda parts: f"math.attach({parts[0]}, t: {parts[1]})",
    "msub": lambda parts: f"math.attach({parts[0]}, b: {parts[1]})",
    "msubsup": lambda parts: f"math.attach({parts[0]}, b: {parts[1]}, t: {parts[2]})",
    "mover": lambda parts: f"math.attach(math.limits({parts[0]}), t: {parts[1]})",
    "munder": lambda parts: f"math.attach(math.limits({parts[0]}), b: {parts[1]})",
    "munderover": lambda parts: f"math.attach(math.limits({parts[0]}), b: {parts[1]}, t: {parts[2]})",
    "mtd": lambda parts: "{" + ";".join(parts) + "}",
    "mtr": lambda parts: "(" + "".join(f"{part}, " for part in parts) + ")",
    "mtable": lambda parts: "math.mat(delim: none, " + ", ".join(parts) + ")",
}
"""For each element with parts of its own: their code as one expression."""

"""Convert formulas from MathML to Typst code."""

import re
from collections.abc import Sequence
from html.entities import html5
from xml.etree import ElementTree

NAMED_REFERENCE = re.compile(r"&(?!(?:lt|gt|amp|quot|apos);)(\w+);")
"""A named character reference that XML does not define."""
NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"


SIGNS = frozenset("+-−±×·÷=≠≈≡<>≤≥→⇒")
"""Signs after which a line of a formula may break."""


def typst_math(mathml: str) -> str:
    """The content of an equation as a Typst array of parts, between which a line may break.

    An element that Typst cannot express becomes a row of its children.
    """
    xml = NAMED_REFERENCE.sub(lambda match: html5.get(f"{match[1]};", match[0]), mathml)
    node = ElementTree.fromstring(xml)
    while len(node) == 1 and _name(node) in ("math", "mrow"):
        node = node[0]
    parts: list[list[str]] = [[]]
    for child in node if _name(node) in ("math", "mrow") else [node]:
        parts[-1].append(_code(child))
        if (child.text or "").strip() in SIGNS:
            parts.append([])
    return f"({', '.join(map(_row, parts))},)"


def _name(node: ElementTree.Element) -> str:
    return node.tag.removeprefix(NAMESPACE)


def _code(node: ElementTree.Element) -> str:
    name = _name(node)
    if name in ("mi", "mn", "mo", "mtext", "ms"):
        text = _string(node.text or "")
        if name in ("mi", "mo") and len((node.text or "").strip()) == 1:
            # Typst puts the spacing of its class around a symbol, and may break a line after some symbols.
            return f"math.italic({text})" if name == "mi" else f"symbol({text})"
        return f"text({text})"  # Typst would join a bare string and a symbol to one string.
    if name == "mspace":
        return "h(0.3em)"
    parts = [_code(child) for child in node]
    match name:
        case "msqrt":
            return f"math.sqrt({_row(parts)})"
        case "mtable":
            return f"math.mat(delim: none, {', '.join(parts)})"
        case "mtr":
            return "(" + "".join(f"{part}, " for part in parts) + ")"
    form = FORMS.get(name, "")
    # A fraction that an author wrote may lack its parts.
    return form.format(*parts) if parts and form.count("{") == len(parts) else _row(parts)


def _row(parts: Sequence[str]) -> str:
    return "{" + (";".join(parts) or "[]") + "}"


def _string(text: str) -> str:
    return '"' + text.strip().replace("\\", "\\\\").replace('"', '\\"') + '"'


FORMS = {
    "mfrac": "math.frac({0}, {1})",
    "mroot": "math.root({1}, {0})",
    "msup": "math.attach({0}, t: {1})",
    "msub": "math.attach({0}, b: {1})",
    "msubsup": "math.attach({0}, b: {1}, t: {2})",
    "mover": "math.attach(math.limits({0}), t: {1})",
    "munder": "math.attach(math.limits({0}), b: {1})",
    "munderover": "math.attach(math.limits({0}), b: {1}, t: {2})",
}
"""The code of each MathML element that has a fixed number of children."""

"""Run the Scriban in texts of Retype: values, conditions and loops.

https://retype.com/templating/ and https://scriban.github.io/.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from kismet_build.model.diagnostic import Report, ignore
from kismet_build.model.source import Source, Span
from kismet_build.parse.composition import Inputs
from kismet_build.parse.liquid.render import render
from kismet_build.parse.liquid.template import MAX_TAG, Language, Output, Tag, Token, Words, report_unclosed
from kismet_build.parse.liquid.values import FILTERED, UNKNOWN, Fields, is_something
from kismet_build.parse.markdown.frontmatter import frontmatter

OPENING = re.compile(r"\{\{|\{%\{")
RAW_END = "}%}"
TRIMMING = re.compile(r"\A[-~]|[-~]\Z")
"""The signs at the ends of a tag that remove white space next to it."""
STATEMENT = re.compile(r"(?P<name>else[ \t]+if|[a-z]+)(?![\w.(])(?!\s*=)\s*(?P<rest>.*)", re.DOTALL)
BLOCKS = frozenset(("arguments", "if", "for", "case", "capture", "while", "func", "with", "wrap", "tablerow"))
"""Statements that end with `end`."""
PARTS = {"else if": "elsif", "else": "else", "when": "when"}
"""Statements that divide a block, with their names in Liquid."""
OTHERS = frozenset(("include", "include_join", "import", "ret", "break", "continue", "readonly"))
ASSIGNMENT = re.compile(r"(\$?[A-Za-z_]\w*)\s*=(?!=)(.*)", re.DOTALL)
RANGE = re.compile(r"\bin\s+\(?(\w+)\s*\.\.\s*(\w+)\)?")
TEXT_OR_SIGN = re.compile(r"""("[^"]*"|'[^']*')|&&|\|\||\bfor\.(\w+)|\s*\|\s*(?:array|string)\.size\b""")
SIGNS = {"&&": " and ", "||": " or "}
FILTER = re.compile(
    r"(?:(?P<group>array|date|html|math|object|string)\.)?(?P<name>\w+)(?:\s+(?P<arguments>.*))?", re.DOTALL
)
ARGUMENT = re.compile(r"""\"[^"]*"|'[^']*'|[^\s"']+""")
OPERAND = r"""(?:"[^"]*+"|'[^']*+'|-?\d++(?:\.\d++)?|(?:\$\.?)?[A-Za-z_](?>(?:[\w.]|\[[^\[\]]*+\])*))"""
STEP = r"(?:\s*+[+*/%]\s*+|\s++-\s++)"
CALCULATION = re.compile(rf"{OPERAND}(?>(?:{STEP}{OPERAND})+)")
PARTS_OF_CALCULATION = re.compile(rf"({STEP})?({OPERAND})")
NAMES = {"date.to_string": "date", "html.strip": "strip_html"}
"""Filters with other names in Liquid. All others have the same name there."""
UNDECIDED = "()"
"""A condition that is unknown."""
COMPUTED = frozenset(("created", "filePath", "lastUpdated", "md", "path", "title", "url"))
"""Values of `page` that Retype computes if they are not given."""
FUNCTIONS = ("array", "content", "date", "html", "math", "nonce", "object", "regex", "string", "timespan")
TITLE = re.compile(r"^#[ \t]+([^{}\n]+?)(?:[ \t]+#*)?$", re.MULTILINE)


def expand_scriban(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace the Scriban of a text by what it shows. Without Scriban, returns the same source."""
    return render(source, inputs, report, SCRIBAN) if OPENING.search(source.text) else source


def _variables(source: Source, inputs: Inputs, _: list[bool]) -> Mapping[str, Any]:
    properties = cache(lambda: frontmatter(source, ignore).data or {})

    def find(name: str) -> Any:
        if name in properties():
            return properties()[name]
        title = TITLE.search(source.text) if name == "title" else None
        return title[1] if title else UNKNOWN if name in COMPUTED else None

    project = inputs.variables.get("project")
    data = [values.get("data") for values in (project, properties()) if isinstance(values, Mapping)]
    named = {name: value for values in data if isinstance(values, Mapping) for name, value in values.items()}
    return {**dict.fromkeys(FUNCTIONS, UNKNOWN), **named, "page": Fields(find), "project": project}


def _tokens(source: Source, start: int, report: Report) -> Iterator[Token]:
    text = source.text
    at = words = start
    open_blocks: list[str] = []
    unclosed: set[str] = set()
    while (opening := OPENING.search(text, at)) is not None:
        closing = "}}" if opening[0] == "{{" else RAW_END
        end = text.find(closing, opening.end(), opening.end() + MAX_TAG)
        if end < 0:
            if closing not in unclosed:
                report_unclosed(source.span(*opening.span()), closing, report)
                unclosed.add(closing)
            at = opening.end()
            continue
        inside, before, after = text[opening.end() : end], text[words : opening.start()], end + len(closing)
        if closing == RAW_END:
            yield Words(source.span(words, opening.start()))
            yield Words(source.span(opening.end(), end))
        else:
            # `-` removes all white space next to it, `~` that of its line.
            kept = before.rstrip() if inside[:1] == "-" else before.rstrip(" \t") if inside[:1] == "~" else before
            yield Words(source.span(words, words + len(kept)))
            if inside[-1:] == "-":
                after += len(text) - after - len(text[after:].lstrip())
            elif inside[-1:] == "~" and (line_end := LINE_END.match(text, after)):
                after = line_end.end()
            if not inside.startswith("#"):
                yield _token(
                    source.span(opening.start(), end + len(closing)), TRIMMING.sub("", inside).strip(), open_blocks
                )
        at = words = after
    yield Words(source.span(words, len(text)))


def _token(span: Span, code: str, open_blocks: list[str]) -> Token:
    statement = STATEMENT.match(code)
    name = " ".join(statement["name"].split()) if statement else ""
    rest = statement["rest"] if statement else ""
    if name == "end":
        return Tag(span, f"end{open_blocks.pop() if open_blocks else ''}", "")
    if name in BLOCKS:
        open_blocks.append(name)
        return Tag(
            span, name, RANGE.sub(r"in (\1..\2)", rest) if name == "for" else _condition(rest) if name == "if" else rest
        )
    if name in PARTS:
        return Tag(span, PARTS[name], _condition(rest) if name == "else if" else _with_words(rest))
    if name in OTHERS:
        return Tag(span, name, rest)
    assignment = ASSIGNMENT.match(code)
    if assignment is not None:
        return Tag(span, "assign", f"{assignment[1]} = {_expression(assignment[2])}")
    return Output(span, _expression(code))


def _condition(code: str) -> str:
    words = _with_words(code)
    return UNDECIDED if {"and", "or"} <= set(words.split()) else words  # Liquid has another order


def _with_words(code: str) -> str:
    """An expression with the operators and the values of loops as in Liquid."""

    def in_liquid(found: re.Match[str]) -> str:
        if found[1]:
            return found[1]
        if found[2]:
            return "forloop.index0" if found[2] == "index" else f"forloop.{found[2]}"
        return SIGNS.get(found[0], ".size")

    return TEXT_OR_SIGN.sub(in_liquid, code)


def _expression(code: str) -> str:
    """An expression with the filters of Liquid."""
    first, *filters = FILTERED.findall(_with_words(code)) or [""]
    parts = _calculation(first.strip())
    for part in filters:
        match = FILTER.fullmatch(part.strip())
        name = match["name"] if match else part.strip()
        name = NAMES.get(f"{match['group']}.{name}", name) if match else name
        arguments = ", ".join(ARGUMENT.findall(match["arguments"] or "")) if match else ""
        parts.append(f"{name}: {arguments}" if arguments else name)
    return " | ".join(parts)


def _calculation(code: str) -> list[str]:
    """The start of an expression: its value, or the first value of a calculation and filters for the others."""
    if CALCULATION.fullmatch(code) is None:
        return [code]
    (_, first), *others = PARTS_OF_CALCULATION.findall(code)
    steps = [(step.strip(), operand) for step, operand in others]
    is_in_order = all(left in "*/%" or right in "+-" for (left, _), (right, _) in pairwise(steps))
    return [first, *(f"{sign}: {operand}" for sign, operand in steps)] if is_in_order else [code]


LINE_END = re.compile(r"[ \t]*\n?")
SCRIBAN = Language("Scriban", _tokens, _variables, is_something)

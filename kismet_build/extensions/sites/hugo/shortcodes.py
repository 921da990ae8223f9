"""Replace the shortcodes that a site of Hugo defines itself, in `layouts/shortcodes/`, if their templates are simple.

A simple template shows its arguments and its content, with conditions on them. All other shortcodes stay as they are:
https://gohugo.io/templates/shortcode/.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from posixpath import join, normpath
from typing import NamedTuple

from markdown_it.common.html_blocks import block_names

from kismet_build.extensions.sites.hugo.shortcode import KNOWN
from kismet_build.extensions.sites.shared.inclusion import Marks
from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.source import Source
from kismet_build.parse.composition import Budget, Composition, Inputs
from kismet_build.parse.markdown.shortcodes import Shortcode, find_shortcodes

FOLDERS = ("layouts/shortcodes", "layouts/_shortcodes")
"""The folders with templates, from the folder of the site."""
ACTION = re.compile(r"\s*\{\{-\s+(?P<trimmed>.*?)\s*(?P<right>-?)\}\}|\{\{(?P<plain>.*?)(?P<end>-?)\}\}", re.DOTALL)
WORD = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|`[^`]*`|[()|]|:?=|[^\s()|"`]+)""")
VARIABLE = re.compile(r"\$\w+")
COMMENT = "comment"
"""The shortcode whose content Hugo does not show."""
INNER = "\0"
"""Stands for the content of the shortcode in the output of its template."""
RENDERED = "\1"
"""Stands before and after a value with Markdown."""
TAG = re.compile(r"<([a-zA-Z][a-zA-Z0-9]*)")
HTML_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
MARKS = re.compile(r"[*_`\[]")
"""Signs of Markdown, which has no meaning in a block of HTML."""
MAX_DEPTH = 20
"""Maximum depth of conditions and parentheses in a template."""
MAX_TEMPLATE = 20_000
"""Maximum number of characters of a template."""

Value = str | bool | int


class _NotSimple(Exception):
    """Raised if a template uses more than its arguments and content."""


class _Unescaped(str):
    """A value that is shown without escapes."""

    __slots__ = ()


class _Markdown(_Unescaped):
    """A value that is read as Markdown."""

    __slots__ = ()


class _Call(NamedTuple):
    """A use of a shortcode: its arguments, and its content without white space at both ends."""

    places: Sequence[str]
    named: Mapping[str, str]
    inner: str


def expand_own_shortcodes(source: Source, inputs: Inputs, content: str, report: Report) -> Source:
    """A text with the site's own shortcodes replaced, and without comments. Without any, returns the same source.

    The content of a shortcode is left out if its template may not show it. `content`: the path of the folder with all
    texts; empty if it is the folder of the game.
    """
    if "{{" not in source.text:
        return source
    composer = _Composer(source, inputs, normpath(join(content, "..")), report)
    changes = list(composer.changes(code for code in find_shortcodes(source.text).values() if not code.closes))
    if not changes:
        return source
    composition, end = Composition(), 0
    for start, stop, text in sorted(changes):
        if start >= end:  # otherwise, the shortcode is in one whose content is not shown
            composition.add(source.span(end, start))
            composition.replace(source.span(start, stop), text)
            end = stop
    composition.add(source.span(end, len(source.text)))
    return composition.source(source, source.included)


class _Composer:
    def __init__(self, source: Source, inputs: Inputs, root: str, report: Report) -> None:
        self.source, self.inputs, self.root, self.marks = source, inputs, root, Marks(report)
        theme = inputs.variables.get("theme") or ()
        themes = [theme] if isinstance(theme, str) else theme
        self.folders = (*FOLDERS, *(f"themes/{name}/{folder}" for name in themes for folder in FOLDERS))
        self.templates: dict[str, str | None] = {}
        self.budget = Budget(inputs.max_characters, inputs.of_game)

    def changes(self, codes: Iterator[Shortcode]) -> Iterator[tuple[int, int, str]]:
        """The ranges to replace, each with its new text."""
        for code in codes:
            template = self.template(code.name)
            if template is None:
                if code.name == COMMENT:
                    yield code.start, code.partner.end if code.partner else len(self.source.text), ""
                continue
            if code.name in KNOWN:
                yield from self.without_content(code, template)
                continue
            if not self.budget.has_room(code.name, template):
                return
            try:
                output = _Template(template, self.call(code)).output()
            except _NotSimple:
                yield from self.without_content(code, template)
                continue
            yield from self.replacements(code, output)

    def without_content(self, code: Shortcode, template: str) -> Iterator[tuple[int, int, str]]:
        """The range of the content of a shortcode, if the template may not show it: the content may be private."""
        if code.partner is not None and not _shows_content(template):
            message = f'the template of the shortcode "{code.name}" may not show these words, so they are left out'
            self.marks.report(warning, self.source.span(code.start, code.end), message)
            yield code.end, code.partner.start, ""

    def template(self, name: str) -> str | None:
        """The template of a shortcode; `None` if the site has none. For a shortcode of kismet, themes do not count."""
        if name not in self.templates:
            folders = FOLDERS if name in KNOWN else self.folders
            paths = (normpath(join(self.root, folder, f"{name}.html")) for folder in folders)
            self.templates[name] = next(
                (file.text[:MAX_TEMPLATE] for path in paths if (file := self.inputs.read(path)) is not None), None
            )
        return self.templates[name]

    def call(self, code: Shortcode) -> _Call:
        text = self.source.text
        inner = text[code.end : code.partner.start].strip() if code.partner is not None else ""
        return _Call(
            [_argument(text[slice(*place)]) for place in code.arguments],
            {name: _argument(text[slice(*place)]) for name, place in code.named.items()},
            inner,
        )

    def replacements(self, code: Shortcode, output: str) -> Iterator[tuple[int, int, str]]:
        text, last = self.source.text, code.partner or code
        before = text[text.rfind("\n", 0, code.start) + 1 : code.start]
        is_block = not before.strip() and text[last.end : last.end + 1] in ("", "\n")
        gap, line_end = ("\n\n", f"\n{before}") if is_block else ("", " ")
        output = re.sub(r"\s*\n\s*", "\n", output.strip())
        opening_tag = TAG.match(output)
        is_html = is_block and opening_tag is not None and opening_tag[1].casefold() in block_names
        output = output.replace(RENDERED, "\n\n" if is_html else "")
        if code.partner is None or INNER not in output:
            yield code.start, last.end, output.replace(INNER, "").replace("\n", line_end)
        elif output.count(INNER) == 1:
            opening, closing = (part.strip("\n").replace("\n", line_end) for part in output.split(INNER))
            yield code.start, code.end, opening + (gap + before if gap and opening else "")
            yield last.start, last.end, (gap + before if gap and closing else "") + closing


def _shows_content(template: str) -> bool:
    """Whether a template shows the content of its shortcode whatever its conditions say."""
    # For each block that is open: what is shown before it, whether all its branches so far show the content, and
    # whether there is a branch for every case.
    shown, blocks, carriers = False, list[tuple[bool, bool, bool]](), {".Inner", "$.Inner"}
    for action in ACTION.finditer(HTML_COMMENT.sub("", template)):
        words = WORD.findall(action["trimmed"] if action["trimmed"] is not None else action["plain"])
        name = words[0] if words else ""
        has_content = not carriers.isdisjoint(words)
        if name in ("if", "with", "range", "block", "define"):
            # A condition on the content itself holds for all content that there is.
            blocks.append((shown, True, has_content))
            carriers |= {"."} if has_content else set()
            shown = False
        elif name == "else" and blocks:
            before, all_show, is_complete = blocks[-1]
            blocks[-1] = (before, all_show and shown, is_complete or len(words) == 1)
            shown = False
        elif name == "end" and blocks:
            before, all_show, is_complete = blocks.pop()
            shown = before or (shown and all_show and is_complete)
        elif has_content and words[1:2] in ([":="], ["="]):
            carriers.add(name)
        elif has_content and not name.startswith("/*"):
            shown = True
    return shown


def _argument(written: str) -> str:
    return re.sub(r"\\(.)", r"\1", written)


@dataclass(slots=True)
class _Template:
    """A template that is run once, for one use of its shortcode."""

    text: str
    call: _Call
    variables: dict[str, Value] = field(default_factory=dict)
    position: int = 0

    def output(self) -> str:
        """What the template shows. Raises `_NotSimple`."""
        shown, ending = self.part("", True, 0)
        if ending:
            raise _NotSimple
        return shown

    def part(self, dot: Value, is_shown: bool, depth: int) -> tuple[str, str]:
        """The output up to `else` or `end`, and this word. `dot`: the current value."""
        if depth > MAX_DEPTH:
            raise _NotSimple
        parts: list[str] = []
        while (found := ACTION.search(self.text, self.position)) is not None:
            parts.append(self.text[self.position : found.start()])
            self.position = found.end()
            if found["right"] or found["end"]:
                self.position += len(self.text[self.position :]) - len(self.text[self.position :].lstrip())
            action = (found["trimmed"] if found["trimmed"] is not None else found["plain"]).strip()
            name, _, rest = action.partition(" ")
            if name in ("end", "else"):
                return "".join(parts), action
            if action.startswith("/*"):
                continue
            if name in ("if", "with"):
                parts.append(self.condition(name, rest, dot, is_shown, depth))
            elif is_shown:
                parts.append(self.action(action, dot))
        parts.append(self.text[self.position :])
        self.position = len(self.text)
        return "".join(parts), ""

    def condition(self, name: str, rest: str, dot: Value, is_shown: bool, depth: int) -> str:
        value = self.value(rest, dot) if is_shown else ""
        is_true = bool(self.call.inner) if value == INNER else bool(value)
        shown, ending = self.part(value if name == "with" else dot, is_shown and is_true, depth + 1)
        result = shown if is_true else ""
        if ending.startswith("else"):
            following = ending.removeprefix("else").strip()
            if following:  # `else if`
                name, _, rest = following.partition(" ")
                shown = self.condition(name, rest, dot, is_shown and not is_true, depth + 1)
                return result if is_true else shown
            shown, ending = self.part(dot, is_shown and not is_true, depth + 1)
            result = result if is_true else shown
        if ending != "end":
            raise _NotSimple
        return result

    def action(self, action: str, dot: Value) -> str:
        """The output of an action: nothing for the assignment of a variable."""
        words = WORD.findall(action)
        if len(words) > 2 and words[1] in (":=", "=") and VARIABLE.fullmatch(words[0]):
            self.variables[words[0]] = self.value(action[action.index("=") + 1 :], dot)
            return ""
        value = self.value(action, dot)
        if isinstance(value, bool | int):
            return str(value).lower()
        if isinstance(value, _Markdown):
            return f"{RENDERED}{value}{RENDERED}" if MARKS.search(value) else value
        return value if value == INNER or isinstance(value, _Unescaped) else escape(value, quote=False)

    def value(self, written: str, dot: Value) -> Value:
        words = WORD.findall(written)
        value, end = self.pipeline(words, 0, dot, 0)
        if end != len(words):
            raise _NotSimple
        return value

    def pipeline(self, words: Sequence[str], start: int, dot: Value, depth: int) -> tuple[Value, int]:
        """The value of commands with bars between them, up to a closing parenthesis, and the place after them."""
        if depth > MAX_DEPTH:
            raise _NotSimple
        piped: list[Value] = []
        while True:
            name, operands, position = "", [], start
            while position < len(words) and words[position] not in ("|", ")"):
                word = words[position]
                if word == "(":
                    value, position = self.pipeline(words, position + 1, dot, depth + 1)
                    if words[position : position + 1] != [")"]:
                        raise _NotSimple
                    operands.append(value)
                elif position == start and word in FUNCTIONS:
                    name = word
                elif word.startswith("dict") and not operands and position == start:
                    operands.append("")  # options for rendering
                    position = next((at for at in range(start, len(words)) if words[at] == ")"), len(words)) - 1
                else:
                    operands.append(self.operand(word, dot))
                position += 1
            piped = [self.called(name, [*operands, *piped])]
            if position == len(words) or words[position] == ")":
                return piped[0], position
            start = position + 1

    def operand(self, word: str, dot: Value) -> Value:
        if word[0] in '"`':
            return _argument(word[1:-1]) if word[0] == '"' else word[1:-1]
        if word.isdecimal() and len(word) < 9:
            return int(word)
        match word:
            case "." if isinstance(dot, str):
                return dot
            case ".Inner" | "$.Inner":
                return INNER
            case ".IsNamedParams" | "$.IsNamedParams":
                return bool(self.call.named)
            case ".Params" | "$.Params":
                return ""
            case "true" | "false":
                return word == "true"
            case _ if word in self.variables:
                return self.variables[word]
        raise _NotSimple

    def called(self, name: str, operands: list[Value]) -> Value:
        if not name:
            if len(operands) != 1:
                raise _NotSimple
            return operands[0]
        if name in GETTERS:
            return self.argument(operands[-1:])
        try:
            return FUNCTIONS[name](*operands)
        except (TypeError, AttributeError, ValueError):
            raise _NotSimple from None

    def argument(self, keys: Sequence[Value]) -> str:
        match keys:
            case [int() as place]:
                return self.call.places[place] if place < len(self.call.places) else ""
            case [str() as name]:
                return self.call.named.get(name.casefold(), "")
            case _:
                raise _NotSimple


def _html(text: Value) -> Value:
    return text if text == INNER else _Unescaped(text)


def _rendered(*operands: Value) -> Value:
    """The last operand: the options of `RenderString` come before the text."""
    return operands[-1] if operands[-1] == INNER else _Markdown(operands[-1])


def _changed(change: Callable[[str], str]) -> Callable[..., Value]:
    def changed(text: Value, *_: Value) -> Value:
        if not isinstance(text, str) or text == INNER:
            raise TypeError
        return change(text)

    return changed


def _same(*operands: Value) -> Value:
    return operands[-1]


GETTERS = (".Get", "$.Get", "index", "isset")
"""Functions that return an argument."""
FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    **dict.fromkeys(GETTERS, _same),
    **dict.fromkeys(("markdownify", "transform.Markdownify"), _rendered),
    **dict.fromkeys((".Page.RenderString", "$.Page.RenderString", ".RenderString"), _rendered),
    **dict.fromkeys(("safeHTML", "safe.HTML", "safeHTMLAttr", "safeURL", "safeCSS"), _html),
    **dict.fromkeys(("htmlEscape", "string", "emojify", "trim", "strings.TrimSpace", "chomp"), lambda text, *_: text),
    **dict.fromkeys(("upper", "strings.ToUpper"), _changed(str.upper)),
    **dict.fromkeys(("lower", "strings.ToLower"), _changed(str.lower)),
    **dict.fromkeys(("title", "strings.Title"), _changed(str.title)),
    "default": lambda other, value="": value or other,
    "or": lambda *values: next((value for value in values if value), values[-1]),
    "and": lambda *values: next((value for value in values if not value), values[-1]),
    "not": lambda value: not value,
    "eq": lambda value, *others: value in others,
    "ne": lambda value, other: value != other,
}
"""The functions that a simple template may use."""

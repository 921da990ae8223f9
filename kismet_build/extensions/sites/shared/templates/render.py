"""Run a template."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import quote

from kismet_build.extensions.sites.shared.inclusion import Inclusion, Marks
from kismet_build.extensions.sites.shared.templates import filters
from kismet_build.extensions.sites.shared.templates.filters import TooLong
from kismet_build.extensions.sites.shared.templates.template import (
    MAX_DEPTH,
    Block,
    Language,
    Node,
    Output,
    Tag,
    Words,
    parse,
)
from kismet_build.extensions.sites.shared.templates.values import (
    UNKNOWN,
    Fields,
    Unknown,
    compare,
    expression,
    is_true,
    items_of,
    shown,
    text_of,
    value_of,
)
from kismet_build.model.diagnostic import Diagnostic, Report, info, warning
from kismet_build.model.source import Source, Span
from kismet_build.parse.composition import Budget, Inputs
from kismet_build.parse.markdown.frontmatter import FENCED
from kismet_build.parse.markdown.shortcodes import code_blocks

MAX_LENGTH = 4_000_000
"""Maximum number of characters that values, loops and included files add to a text.

docs/decisions/0022-bounds-of-input.md lists all limits on input.
"""
MAX_STEPS = 200_000
"""Maximum number of tags, and of texts between tags, that are shown for one text.

Repetitions in loops and the tags of included files count.
"""
VALUE_PER_STEP = 100
"""Number of characters or items of a value that count as one step, because they take as much time."""
ARGUMENT = re.compile(r"[(\"']")
MAX_SHOWN = 60
"""Maximum number of characters of a tag that a message quotes."""
ASSIGNMENT = re.compile(r"([\w-]+)\s*=\s*(.*)", re.DOTALL)
LOOP = re.compile(r"([\w-]+)\s+in\s+(?:\(([^\s()]+?)\.\.([^\s()]+)\)|(\[[^\[\]]*\]|[^\s|]+))(.*)", re.DOTALL)
LOOP_OPTION = re.compile(r"(limit|offset)\s*:\s*([^\s,]+)")
CASE = re.compile(r"""\s*("[^"]*"|'[^']*'|[^\s,"']+)(?:\s*,|\s+or\b)?""")
CYCLE = re.compile(r"""\s*(?:("[^"]*"|'[^']*'|[\w-]+)\s*:)?(.*)""", re.DOTALL)
PARAMETER = re.compile(r"""([\w-]+)\s*=\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s"']+)""", re.DOTALL)
INCLUDED = re.compile(r"((?:\{\{.*?\}\}|[^\s{])+)\s*(.*)", re.DOTALL)
"""The path of an included file, which may contain `{{ value }}`, and the parameters after it."""
TARGET_STARTS = ("](", "(<", '="', "='", "]: ")
"""What stands before an address in Markdown and HTML."""

MARKS = re.compile(r"[*_`\[]")
"""Signs of Markdown that would show in HTML."""
BLOCK_TAG = re.compile(r"<(?:dd|div|figcaption|li|p|section|summary|td|th)\b[^<>]*>\s*\Z", re.IGNORECASE)
MAX_TAG = 200
"""Maximum number of characters of a start tag before a value."""


def configuration(inputs: Inputs) -> Mapping[str, Any]:
    """The settings of the site that the text is part of."""
    config = inputs.variables.get("site")
    return config if isinstance(config, Mapping) else {}


def render(source: Source, inputs: Inputs, report: Report, language: Language) -> Source:
    """The text that a template shows. Returns the same source if it has no tags."""
    found: dict[Diagnostic, None] = {}  # a loop and an included file may report the same place several times
    fence = FENCED.match(source.text)
    start = fence.end() if fence else 0
    template = parse(source, start, found.setdefault, language.tokens)
    words = [node.span for node in template if isinstance(node, Words)]
    has_tags = len(words) < len(template) or sum(span.end - span.start for span in words) < len(source.text) - start
    composed = _Renderer(source, inputs, found.setdefault, language).run(template, start) if has_tags else source
    for diagnostic in found:
        report(diagnostic)
    return composed


class _Renderer:
    """Runs the templates of a text and of the files that it includes."""

    def __init__(self, source: Source, inputs: Inputs, report: Report, language: Language) -> None:
        self.source, self.inputs, self.report, self.language = source, inputs, report, language
        self.parts: list[tuple[Span, str | None]] = []
        """The output so far: parts of files, each with `None` or the text that replaces the part."""
        self.end = ""
        """The last three characters of the output."""
        self.steps = self.depth = 0
        self.budget = Budget(MAX_LENGTH + len(source.text), inputs.of_game)
        self.is_target = [False]
        self.cycles: Counter[str] = Counter()
        """How often each cycle of values was used, by its name or values."""
        self.templates: dict[str, list[Node]] = {}
        self.inclusion, self.marks = Inclusion(source, inputs, report), Marks(report)
        self.unknown_tags: set[str] = set()
        self.unknown_items: list[str] = []
        """The variables of the surrounding loops whose values are unknown."""
        self.variables: dict[str, Any] = {**language.variables(source, inputs, self.is_target)}
        self.code_blocks = tuple(code_blocks(source.text)) if language.is_strict else ()

    def run(self, template: Sequence[Node], start: int) -> Source:
        """The composed text. If it would be too long, all tags are left out, and all words are shown once."""
        composition = self.inclusion.text
        composition.add(self.source.span(0, start))
        try:
            self._show(template)
        except TooLong:
            message = (
                f"this text would have more than {MAX_LENGTH:,} characters or take too long, so its tags are left out"
            )
            self.report(warning("foreign-markup", self.source.span(start, start), message))
            self.parts = [(span, None) for span in _all_words(template)]
        for span, text in self.parts:
            if text is None:
                composition.add(span)
            else:
                composition.replace(span, text)
        return composition.source(self.source)

    def _add(self, span: Span, text: str | None = None) -> None:
        shown_text = span.text if text is None else text
        if shown_text:
            if not self.budget.has_room(span if text is None else text, shown_text):
                raise TooLong
            self.parts.append((span, text))
            self.end = (self.end + shown_text[-3:])[-3:]
            self.is_target[0] = self.end.endswith(TARGET_STARTS)

    def _count(self, steps: int) -> None:
        self.steps += steps
        if self.steps > MAX_STEPS:
            raise TooLong

    def _say(self, span: Span, message: str) -> None:
        if not self._is_code(span):
            # What is left out may be private, so only the name is shown.
            argument = ARGUMENT.search(span.text)
            end = span.start + argument.start() if argument else span.end
            self.marks.report(info, span.source.span(span.start, end), message)

    def _is_code(self, span: Span) -> bool:
        """Whether a mark is in code, where a strict language shows what is unknown as typed."""
        if not self.language.is_strict:
            return False
        text, start = span.source.text, span.start
        is_inline = text.count("`", text.rfind("\n", 0, start) + 1, start) % 2 == 1
        block = bisect_right(self.code_blocks, (start, len(text))) - 1
        return is_inline or (block >= 0 and start < self.code_blocks[block][1])

    def _show(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self._count(1)
            match node:
                case Words(span):
                    self._add(span)
                case Output(span, markup):
                    value = self._value(markup, span)
                    is_typed = value is UNKNOWN and self._is_code(span)
                    words = shown(value)
                    if "markdownify" in markup and MARKS.search(words) and self._follows_element():
                        words = f"\n\n{words.strip()}\n\n"
                    self._add(span, None if is_typed else words)
                case Tag():
                    self._run_tag(node)
                case Block():
                    self._run_block(node)

    def _follows_element(self) -> bool:
        """Whether the output ends with the start tag of a block, in which only a paragraph of its own is Markdown."""
        span, text = self.parts[-1] if self.parts else (None, "")
        before = span.text if span is not None and text is None else text or ""
        return BLOCK_TAG.search(before[-MAX_TAG:]) is not None

    def _value(self, markup: str, span: Span) -> Any:
        """The value of an expression with filters. Reports an unknown value or filter."""
        first, calls = expression(markup)
        value = value_of(first, self.variables)
        if value is None and self.language.is_strict and [call.name for call in calls[:1]] != ["default"]:
            value = UNKNOWN
        if value is UNKNOWN or isinstance(value, Fields):
            if re.split(r"[.\[]", first, maxsplit=1)[0] not in self.unknown_items:  # otherwise, the loop is reported
                self._say(span, f"kismet does not know the value of {{{{ {_name(first)} }}}}, so it is left out")
            return UNKNOWN
        for call in calls:
            # Named arguments, such as `allow_false: true`, are ignored.
            given = [value_of(text, self.variables) for text in call.arguments if not re.match(r"\w+\s*:", text)]
            if call.name in ("relative_url", "absolute_url") and value is not None:
                value = self._address(text_of(value), is_absolute=call.name == "absolute_url")
            elif call.name == "where_exp":
                value = self._selected(value, given)
            elif call.name not in ("relative_url", "absolute_url"):
                value = filters.apply(call.name, value, given)
                self._count(len(value) // VALUE_PER_STEP if isinstance(value, (str, list)) else 0)
            if value is UNKNOWN:
                name = f'{self.language.name} filter "{call.name[:MAX_SHOWN]}"'
                self._say(span, f"kismet cannot apply the {name}, so its value is left out")
                return UNKNOWN
        return value

    def _selected(self, items: Any, given: Sequence[Any]) -> Any:
        """The items for which a condition is true. `given`: the name of the item in it, and the condition."""
        if not isinstance(items, list) or len(given) != 2 or not all(isinstance(text, str) for text in given):
            return UNKNOWN
        name, condition = given
        self._count(len(items))
        results = [is_true(condition, {**self.variables, name: entry}, self.language.truth) for entry in items]
        if UNKNOWN in results:
            return UNKNOWN
        return [entry for entry, result in zip(items, results, strict=True) if result]

    def _address(self, path: str, *, is_absolute: bool) -> str:
        """The address of a page of the site: the path from the root folder in links, and with `baseurl` or `url`
        elsewhere.
        """
        if re.match(r"[a-z][a-z\d+.-]*:|//", path, re.IGNORECASE):
            return path
        config = configuration(self.inputs)
        start = "" if self.is_target[0] else shown(config.get("baseurl")).rstrip("/")
        if is_absolute and not self.is_target[0]:
            start = shown(config.get("url")).rstrip("/") + start
        path = quote(path.lstrip("/"), safe="/#?=&%,;:@+!$'()*[]")
        return f"{start}/{path}" if path or not start else start

    # --- tags

    def _run_tag(self, tag: Tag) -> None:
        if tag.name == "assign" and (assignment := ASSIGNMENT.match(tag.markup)) is not None:
            self.variables[assignment[1]] = self._value(assignment[2], tag.span)
        elif tag.name == "cycle" and not self.language.is_strict:
            self._add(tag.span, self._next_of_cycle(tag.markup))
        elif tag.name in self.language.includes and (included := INCLUDED.match(tag.markup)) is not None:
            self._include(tag, *included.groups())
        elif tag.name in ("link", "post_url") and tag.markup:
            path = self._with_values(tag.markup, tag.span).strip("\"'")
            self._add(tag.span, quote(_post(path) if tag.name == "post_url" else f"/{path.lstrip('/')}"))
        else:
            name = tag.name or _name(tag.markup)
            self.unknown_tags.add(name)
            if self._is_code(tag.span):
                self._add(tag.span)
            elif name.removeprefix("end") == name or name.removeprefix("end") not in self.unknown_tags:
                self._say(
                    tag.span, f"kismet does not run the {self.language.name} tag {{% {name} %}}, so it is left out"
                )

    def _next_of_cycle(self, markup: str) -> str:
        """The next value of `{% cycle "a", "b" %}`. A name before the values is for cycles with the same values."""
        name, values = CYCLE.fullmatch(markup).groups()  # type: ignore[union-attr]
        options = [value_of(text, self.variables) for text in CASE.findall(values)] or [""]
        count = self.cycles[name or values]
        self.cycles[name or values] += 1
        return shown(options[count % len(options)])

    def _with_values(self, text: str, span: Span) -> str:
        return re.sub(r"\{\{-?(.*?)-?\}\}", lambda part: shown(self._value(part[1].strip(), span)), text)

    def _include(self, tag: Tag, path: str, markup: str) -> None:
        path = self._with_values(path, tag.span).strip("\"'")
        folder = dirname(self.source.path) if tag.name == "include_relative" else "_includes"
        path = normpath(join(folder, path))
        parameters = {}
        for name, value in PARAMETER.findall(markup):
            literal = value[1:-1].replace(f"\\{value[0]}", value[0]) if value[0] in "\"'" else None
            parameters[name] = value_of(value, self.variables) if literal is None else literal
        with self.inclusion.file([path], tag.span) as source, self._one_level_down(include=parameters):
            if source is not None and path not in self.templates:
                self.templates[path] = parse(source, 0, self.report, self.language.tokens)
            if source is not None:
                self._show(self.templates[path])

    # --- blocks

    def _run_block(self, block: Block) -> None:
        tag = block.branches[0].tag
        if self.depth >= MAX_DEPTH:  # the depth includes the blocks around each include
            for span in _all_words([block]):
                self._add(span)
            return
        BLOCK_RUNNERS[tag.name](self, block, tag)

    @contextmanager
    def _one_level_down(self, **variables: Any) -> Iterator[None]:
        """Run a part of the template with additional variables, and restore the old values after it."""
        outer = {name: self.variables[name] for name in variables if name in self.variables}
        self.variables.update(variables)
        self.depth += 1
        yield
        self.depth -= 1
        for name in variables:
            self.variables.pop(name, None)
        self.variables.update(outer)

    def _is_true(self, markup: str) -> bool | Unknown:
        return is_true(markup, self.variables, self.language.truth)

    def _run_condition(self, block: Block, _: Tag) -> None:
        for branch in block.branches:
            result = True if branch.tag.name == "else" else self._is_true(branch.tag.markup)
            if branch.tag.name == "unless" and result is not UNKNOWN:
                result = not result
            if result is UNKNOWN:  # the words may be private
                self._say(branch.tag.span, "kismet cannot decide this condition, so it leaves out the words below it")
            elif result:
                with self._one_level_down():
                    self._show(branch.content)
                return

    def _run_case(self, block: Block, tag: Tag) -> None:
        value = value_of(tag.markup, self.variables)
        for branch in block.branches[1:]:
            options = [value_of(text, self.variables) for text in CASE.findall(branch.tag.markup)]
            results = [compare(value, "==", option) for option in options]
            if UNKNOWN in results and True not in results:
                self._say(branch.tag.span, "kismet cannot decide this condition, so it leaves out the words below it")
            elif branch.tag.name == "else" or any(results):
                with self._one_level_down():
                    self._show(branch.content)
                return

    def _run_loop(self, block: Block, tag: Tag) -> None:
        loop = LOOP.match(tag.markup)
        name, first, last, path, markup = loop.groups() if loop else ("", None, None, None, "")
        ends = [value_of(end, self.variables) for end in (first, last) if end]
        values = value_of(path, self.variables) if path else UNKNOWN
        if len(ends) == 2 and all(isinstance(end, int) for end in ends):
            values = range(ends[0], ends[1] + 1)
        if values is UNKNOWN or isinstance(values, Fields) or (values is None and self.language.is_strict):
            self._say(tag.span, "kismet does not know the values of this loop, so it shows its words once")
            shown_before, end = len(self.parts), self.end
            self.unknown_items.append(name or "forloop")
            with self._one_level_down(**{name: UNKNOWN, "forloop": UNKNOWN} if name else {}):
                self._show(block.branches[0].content)
            self.unknown_items.pop()
            words = "".join(span.text if text is None else text for span, text in self.parts[shown_before:])
            if re.search(r"\w", re.sub(r"<[^<>]*>|\]\([^()]*\)", "", words)) is None:  # only markup
                del self.parts[shown_before:]
                self.end = end
            return
        options = {option: value_of(value, self.variables) for option, value in LOOP_OPTION.findall(markup)}
        offset, limit = (options.get(option) for option in ("offset", "limit"))
        self._count(len(values) // VALUE_PER_STEP if isinstance(values, list) else 0)
        values = items_of(values)[offset if isinstance(offset, int) else 0 :]
        values = values[:limit] if isinstance(limit, int) else values
        if "reversed" in markup:
            values = values[::-1]
        count = len(values)
        for index, value in enumerate(values):
            place = {"index": index + 1, "index0": index, "rindex": count - index, "rindex0": count - index - 1}
            place |= {"first": index == 0, "last": index == count - 1, "length": count}
            with self._one_level_down(**{name: value, "forloop": place}):
                self._show(block.branches[0].content)
        if not count:
            for branch in block.branches[1:]:
                self._show(branch.content)

    def _run_capture(self, block: Block, tag: Tag) -> None:
        outer, self.parts, end = self.parts, [], self.end
        self.end = ""
        with self._one_level_down():
            self._show(block.branches[0].content)
        captured = "".join(span.text if text is None else text for span, text in self.parts)
        self.parts, self.end = outer, end
        self.variables[tag.markup.strip("\"'")] = captured

    def _run_highlight(self, block: Block, tag: Tag) -> None:
        text = tag.span.source.text
        longest = max(map(len, re.findall("`+", text[tag.span.end : block.end.start])), default=0)
        fence = "`" * max(3, longest + 1)
        language = tag.markup.partition(" ")[0]
        self._add(tag.span, f"{fence}{language}" + ("" if text.startswith("\n", tag.span.end) else "\n"))
        with self._one_level_down():
            self._show(block.branches[0].content)
        is_at_start = self.end.rstrip(" ")[-1:] in ("", "\n")
        ends_line = text[block.end.end : block.end.end + 1] in ("", "\n")
        self._add(block.end, ("" if is_at_start else "\n") + fence + ("" if ends_line else "\n"))


BLOCK_RUNNERS: Mapping[str, Callable[[_Renderer, Block, Tag], None]] = {
    "if": _Renderer._run_condition,
    "unless": _Renderer._run_condition,
    "case": _Renderer._run_case,
    "for": _Renderer._run_loop,
    "capture": _Renderer._run_capture,
    "highlight": _Renderer._run_highlight,
}


def _all_words(nodes: Sequence[Node]) -> Iterator[Span]:
    for node in nodes:
        if isinstance(node, Words):
            yield node.span
        elif isinstance(node, Block):
            for branch in node.branches:
                yield from _all_words(branch.content)


def _name(markup: str) -> str:
    """The name at the start of a mark, without the rest, which is not published."""
    name = re.match(r"[\w.-]*", markup)[0]  # type: ignore[index]  # it matches every text
    rest = markup[len(name) :]
    end = "(…)" if rest.startswith("(") else "…" if rest else ""
    return f"{name[:MAX_SHOWN]}{end}"


def _post(name: str) -> str:
    """The path of the text of a post, given its name in `post_url`."""
    folder, _, file = name.strip("/").rpartition("/")
    return f"/{join(folder, '_posts', file)}.md"

"""Compose the texts of MkDocs: run their Jinja, with the plugin `macros`, then include snippets.

Snippets are those of the extension `pymdownx.snippets`: https://facelessuser.github.io/pymdown-extensions/extensions/snippets/.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from posixpath import join, normpath
from typing import Any, NamedTuple

from kismet_build.extensions.sites.shared.inclusion import Inclusion
from kismet_build.extensions.sites.shared.templates.render import render
from kismet_build.extensions.sites.shared.templates.template import Language, Output, Tag, Token, tokens_of_liquid
from kismet_build.extensions.sites.shared.templates.values import FILTERED, UNKNOWN, Fields
from kismet_build.model.diagnostic import Report, ignore
from kismet_build.model.source import Source, Span
from kismet_build.parse.composition import Inputs, lines_in
from kismet_build.parse.markdown.frontmatter import FENCED, frontmatter

# --- Jinja with the plugin `macros`: values, conditions and loops, but no macros
#
# https://mkdocs-macros-plugin.readthedocs.io/ and https://jinja.palletsprojects.com/en/stable/templates/.

OPENING = re.compile(r"\{[{%#]")
TAGS = {"elif": "elsif", "endset": "endcapture"}
FILTERS = {
    **{
        name: name for name in ("abs", "capitalize", "default", "escape", "first", "join", "last", "replace", "reverse")
    },
    **{"count": "size", "d": "default", "length": "size", "lower": "downcase", "safe": "smartify", "sort": "sort"},
    **{"trim": "strip", "unique": "uniq", "upper": "upcase"},
}
"""The names of filters in Liquid, by their names in Jinja."""
FILTER = re.compile(r"\s*(\w+)\s*(?:\((.*)\))?\s*", re.DOTALL)
TEXT_OR_LOOP = re.compile(r"""("[^"]*"|'[^']*')|\bloop\.""")
MEMBER = re.compile(r"""("[^"]*"|'[^']*'|[\w.]+)\s+in\s+([\w.]+)""")
ASSIGNMENT = re.compile(r"(\w+)\s*=(?!=)(.*)", re.DOTALL)
UNDECIDED = "()"
"""A condition that is unknown."""
OFF = {"render_macros": False, "ignore_macros": True}
"""Properties of a text whose Jinja is shown as typed."""


def expand_jinja(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace the Jinja of a text by what it shows. Returns the same source without Jinja, or if it is `OFF`."""
    if not any(mark in source.text for mark in ("{{", "{%", "{#")):
        return source
    properties = frontmatter(source, ignore, plain_properties=True).data or {}
    is_off = any(properties.get(name) is value for name, value in OFF.items())
    return source if is_off else render(source, inputs, report, JINJA)


def _variables(source: Source, inputs: Inputs, _: list[bool]) -> Mapping[str, Any]:
    properties = cache(lambda: frontmatter(source, ignore, plain_properties=True).data or {})
    page = {"meta": Fields(lambda name: properties().get(name)), "title": properties().get("title", UNKNOWN)}
    given = {name: value for name in ("extra", "config") if isinstance(value := inputs.variables.get(name), Mapping)}
    return {
        **dict.fromkeys(("environment", "files", "git", "navigation", "now"), UNKNOWN),
        **given,
        **given.get("extra", {}),
        **properties(),
        "page": Fields(lambda name: page.get(name, UNKNOWN)),
    }


def _tokens(source: Source, start: int, report: Report) -> Iterator[Token]:
    for token in tokens_of_liquid(source, start, report, OPENING):
        match token:
            case Output(span, markup):
                yield Output(span, _expression(markup))
            case Tag(span, name, markup):
                yield _tag(Tag(span, TAGS.get(name, name), markup))
            case _:
                yield token


def _tag(tag: Tag) -> Tag:
    if tag.name in ("if", "elsif"):
        return tag._replace(markup=_condition(tag.markup))
    if tag.name == "set":
        match = ASSIGNMENT.match(tag.markup)
        if match is None:
            return tag._replace(name="capture")
        return tag._replace(name="assign", markup=f"{match[1]} = {_expression(match[2])}")
    return tag


def _condition(markup: str) -> str:
    words = markup.split()
    if "and" in words and "or" in words:
        return UNDECIDED  # Liquid has another order
    return MEMBER.sub(r"\2 contains \1", _with_loop(markup))


def _with_loop(markup: str) -> str:
    """An expression in which the values of a loop have the names of Liquid."""
    return TEXT_OR_LOOP.sub(lambda found: found[1] or "forloop.", markup)


def _expression(markup: str) -> str:
    """An expression with the filters of Liquid. A filter that Liquid lacks gets a name that no filter has."""
    first, *filters = FILTERED.findall(_with_loop(markup)) or [""]
    parts = [first.strip()]
    for part in filters:
        match = FILTER.fullmatch(part)
        name, arguments = match.groups() if match else (part.strip(), None)
        if name == "join" and not arguments:
            arguments = '""'
        parts.append(f"{FILTERS.get(name, name + '()')}" + (f": {arguments}" if arguments else ""))
    return " | ".join(parts)


# --- snippets

JINJA = Language("Jinja", _tokens, _variables, bool)


MARK = "8<-"
EXTENSION = "pymdownx.snippets"
PLUGIN = "macros"
MAX_INDENT = 100
"""Maximum number of spaces before the lines of an included file."""
SNIPPET = re.compile(r"""[ \t]*(?P<escape>;*)-+8<-+(?:[ \t]+(?:"(?P<double>[^"]+)"|'(?P<single>[^']+)')|(?P<block>))""")
"""A line that includes a file, or begins or ends a list of files."""
SECTION_MARK = re.compile(
    r"(?<!;)(?!(?<=-)-)(?P<escape>;*)-+8<-+[ \t]+\[[ \t]*(?P<type>start|end)[ \t]*:[ \t]*(?P<name>[a-z][-\w]*)[ \t]*\]",
    re.IGNORECASE,
)
"""The first or last line of a named section, which other texts can include."""
SELECTION = re.compile(r"(?P<path>[^:]+)(?::(?P<section>[A-Za-z][-\w]*)|:(?P<lines>[-\d:,]+))?")


class _Options(NamedTuple):
    """The settings of the project file for snippets and variables."""

    folders: list[str]
    """The folders that the paths of snippets may be relative to."""
    appended: list[str]
    """The paths of snippets that are appended to every text."""
    snippets: bool


def expand_mkdocs(source: Source, inputs: Inputs, report: Report) -> Source:
    """Run the Jinja of a text and include its snippets. Without any, returns the same source."""
    plugins = inputs.variables.get("plugins")
    if isinstance(plugins, (list, tuple, Mapping)) and PLUGIN in plugins:
        source = expand_jinja(source, inputs, report)
    options = _options(inputs.variables)
    if not options.snippets or not (options.appended or MARK in source.text):
        return source
    composer = _Composer(Inclusion(source, inputs, report), options)
    fence = FENCED.match(source.text)
    start = fence.end() if fence else 0
    composer.inclusion.text.add(source.span(0, start))
    composer.add([line for line in lines_in(source) if line.start >= start], "")
    for path in options.appended:
        end = source.span(len(source.text), len(source.text))
        composer.inclusion.text.replace(end, "\n\n")
        composer.include(path, "", end)
    return composer.inclusion.text.source(source)


def _options(variables: Mapping[str, Any]) -> _Options:
    snippets = variables.get("snippets")
    settings: Mapping[str, Any] = snippets if isinstance(snippets, Mapping) else {}
    extensions = variables.get("extensions")
    return _Options(
        _texts(settings.get("base_path")) or [""],
        _texts(settings.get("auto_append")),
        extensions is None or EXTENSION in extensions,
    )


def _texts(value: Any) -> list[str]:
    values = [value] if isinstance(value, str) else value if isinstance(value, (list, tuple)) else []
    return [text for text in values if isinstance(text, str)]


class _Composer:
    def __init__(self, inclusion: Inclusion, options: _Options) -> None:
        self.inclusion, self.options = inclusion, options

    def add(self, lines: list[Span], indent: str) -> None:
        """Add lines of a text, each indented like the line that includes the text."""
        in_block = False
        for line in lines:
            text = line.text
            mark = SNIPPET.fullmatch(text.rstrip("\n")) if self.options.snippets and MARK in text else None
            if mark is None and in_block:
                path = text.strip()
                if path and not path.startswith(";"):
                    self.include(path, indent + text[: len(text) - len(text.lstrip())], line)
            elif mark is not None and not mark["escape"]:
                if mark["block"] is not None:
                    in_block = not in_block
                elif not in_block:
                    path = mark["double"] or mark["single"]
                    self.include(path.strip(), indent + text[: len(text) - len(text.lstrip())], line)
            else:
                section = SECTION_MARK.search(text) if mark is None and MARK in text else None
                escape = mark or section
                if section is None or section["escape"]:
                    self._add_line(line, indent, escape.start("escape") if escape else None)

    def _add_line(self, line: Span, indent: str, escape: int | None) -> None:
        text, source = self.inclusion.text, line.source
        if indent and line.text.strip():
            text.replace(source.span(line.start, line.start), indent)
        if escape is None:
            text.add(line)
        else:  # one `;` is removed
            text.add(source.span(line.start, line.start + escape))
            text.add(source.span(line.start + escape + 1, line.end))

    def include(self, path: str, indent: str, span: Span) -> None:
        """Include a file, one of its sections or some of its lines, as named in a snippet."""
        selection = SELECTION.fullmatch(path)
        name = selection["path"].strip() if selection else path
        with self.inclusion.file([normpath(join(folder, name)) for folder in self.options.folders], span) as source:
            if source is None:
                return
            lines = list(lines_in(source))
            section = selection["section"] if selection else None
            if section:
                lines = list(_section(lines, section))
            elif selection and selection["lines"]:
                lines = _selected(lines, selection["lines"])
            if not self.inclusion.has_room(source, lines, span):
                return
            self.add(lines, indent[:MAX_INDENT])
            if lines and not lines[-1].text.endswith("\n"):
                self.inclusion.text.replace(lines[-1].source.span(lines[-1].end, lines[-1].end), "\n")


def _section(lines: list[Span], name: str) -> Iterator[Span]:
    is_inside = False
    for line in lines:
        mark = SECTION_MARK.search(line.text) if MARK in line.text else None
        if mark is None or mark["escape"]:
            if is_inside:
                yield line
        elif mark["name"] == name:
            if mark["type"].casefold() == "end":
                return
            is_inside = True


def _selected(lines: list[Span], ranges: str) -> list[Span]:
    """The lines in ranges such as `1:3,5`. Numbers start at 1; negative numbers count from the end.

    A range without an end extends to the end of the text. After a final line end, an empty line counts.
    """
    found: list[Span] = []
    count = len(lines) + (lines[-1].text.endswith("\n") if lines else 0)
    for part in ranges.split(",")[: len(lines)]:
        first, _, last = part.partition(":")
        if re.fullmatch(r"-?\d{0,9}", first) and re.fullmatch(r"-?\d{0,9}", last):
            start, end = int(first.strip("-") or 0), int(last.strip("-") or 0)
            begin = max(0, count - start) if first.startswith("-") else max(0, start - 1)
            stop = max(0, count + 1 - end) if last.startswith("-") else end or count
            found += lines[begin:stop]
    return found

"""Replace included texts in texts for GitBook and Retype.

https://gitbook.com/docs/creating-content/reusable-content and https://retype.com/guides/includes/
"""

import re
from collections.abc import Callable, Mapping, Sequence
from posixpath import dirname, join, normpath, splitext

from kismet_build.model.diagnostic import Report, ignore
from kismet_build.model.source import Source, Span
from kismet_build.parse.composition import Inputs, lines_in
from kismet_build.parse.gitbook_html import expand_html
from kismet_build.parse.inclusion import Inclusion
from kismet_build.parse.liquid.scriban import expand_scriban
from kismet_build.parse.markdown.frontmatter import frontmatter
from kismet_build.parse.markdown.shortcodes import outside_code

GITBOOK = re.compile(
    r"""\{%[ \t]{0,9}include[ \t]{1,9}(?P<quote>["'])(?P<path>[^"'\n]{1,500})(?P=quote)[ \t]{0,9}%\}"""
)
RETYPE = re.compile(
    r"""(?<!\{%)\{\{[-~]?[ \t]{0,9}include[ \t]{1,9}(?P<quote>["'])(?P<path>[^"'\n]{1,500})(?P=quote)"""
    r"(?P<arguments>[^{}\n]{0,500}?)[-~]?\}\}"
)
CODE_OF_RETYPE = re.compile(r"^:::code[ \t]++(?P<arguments>[^\n]*?)[ \t]*:::[ \t]*$", re.MULTILINE)
ARGUMENT = re.compile(r'(?P<name>[\w-]+)="(?P<value>[^"]*)"')
RANGE = re.compile(r"(?P<first>\d{1,6})?(?P<dash>-)?(?P<last>\d{1,6})?")
INCLUDES_OF_RETYPE = "_includes"
"""The name of folders with texts that others include."""
ON_ALL_PAGES = (f"{INCLUDES_OF_RETYPE}/top.md", f"{INCLUDES_OF_RETYPE}/bottom.md")
"""The texts that Retype adds at the top and at the bottom of every page."""
TITLE = re.compile(r"\s*^#[ \t][^\n]*", re.MULTILINE)
SELECTED_LINES = re.compile(r"[ \t]*#(?P<ranges>[\d,\- \t]+)\Z")
MAX_INDENT = 100
"""Maximum number of spaces before the lines of an included text."""

Locate = Callable[[str, str], Sequence[str]]
"""The paths that an included text may have, given the path of the text that names it, and the path as written."""


def expand_gitbook(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace included texts, then expressions and hidden columns. Without any, returns the same source."""
    return expand_html(_expand(GITBOOK, _paths_of_gitbook, Inclusion(source, inputs, report)), inputs, report)


def expand_retype(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace files shown as code and included texts, then run the templates. Without any, returns the same source."""
    project = inputs.variables.get("project")
    settings = project.get("templating") if isinstance(project, Mapping) else None
    is_off = isinstance(settings, Mapping) and settings.get("enabled") is False
    if CODE_OF_RETYPE.search(source.text) is not None:
        source = _with_code(Inclusion(source, inputs, report))
    properties = frontmatter(source, ignore)
    if is_off or (properties.data or {}).get("templating") is False:
        return source
    top, bottom = (path if inputs.read(path) is not None else "" for path in ON_ALL_PAGES)
    if "{{" not in source.text and not top and not bottom:
        return source
    inclusion = Inclusion(source, inputs, report)
    # Below the title, because the first heading of a text is its title only if no text is above it.
    title = TITLE.match(source.text, properties.start)
    start, end = title.end() if title else properties.start, len(source.text)
    _add(source.span(0, start), "", RETYPE, _paths_of_retype, inclusion)
    if top:
        _add_file(top, source.span(start, start), inclusion)
    _add(source.span(start, end), "", RETYPE, _paths_of_retype, inclusion)
    if bottom:
        _add_file(bottom, source.span(end, end), inclusion)
    return expand_scriban(inclusion.text.source(source), inputs, report)


def _add_file(path: str, place: Span, inclusion: Inclusion) -> None:
    """Add a text of Retype that is part of every page, as blocks of its own."""
    inclusion.text.replace(place, "\n\n")
    with inclusion.file([path], place) as included:
        if included is not None:
            _add(included.full_span(), "", RETYPE, _paths_of_retype, inclusion)
    inclusion.text.replace(place, "\n\n")


def _with_code(inclusion: Inclusion) -> Source:
    """Replace `:::code source="file" range="1-2" :::` by the lines of the file, as a code block."""
    source, start = inclusion.source, 0
    for found in outside_code(source.text, CODE_OF_RETYPE):
        arguments = dict(ARGUMENT.findall(found["arguments"]))
        path = arguments.get("source", "")
        span = source.span(*found.span())
        inclusion.text.add(source.span(start, found.start()))
        start = found.end()
        folder = "" if path.startswith("/") else dirname(source.path)
        with inclusion.file([normpath(join(folder, path.lstrip("/")))], span) as included:
            if included is None:
                continue
            lines = list(lines_in(included))
            if (part := RANGE.fullmatch(arguments.get("range", ""))) is not None:
                first = int(part["first"] or 1)
                last = int(part["last"] or (len(lines) if part["dash"] or not part["first"] else first))
                lines = lines[first - 1 : last]
            language = splitext(path)[1].removeprefix(".")
            inclusion.add_code(span, f"{language} {arguments.get('title', '')}".strip(), included, lines)
    inclusion.text.add(source.span(start, len(source.text)))
    return inclusion.text.source(source)


def _paths_of_gitbook(path: str, written: str) -> Sequence[str]:
    folder = "" if written.startswith("/") else dirname(path)
    return [normpath(join(folder, written.lstrip("/")))]


def _paths_of_retype(path: str, written: str) -> Sequence[str]:
    """The paths in the folder of the text and in its `_includes`, then those in the folders above."""
    name = SELECTED_LINES.sub("", written).lstrip("/")
    name += "" if splitext(name)[1] else ".md"
    folders = [dirname(path)]
    if name.startswith("../"):
        return [normpath(join(folders[0], name))]
    while folders[-1]:
        folders.append(dirname(folders[-1]))
    return [normpath(join(folder, part, name)) for folder in folders for part in ("", INCLUDES_OF_RETYPE)]


def _expand(pattern: re.Pattern[str], locate: Locate, inclusion: Inclusion) -> Source:
    source = inclusion.source
    if pattern.search(source.text) is None:
        return source
    _add(source.full_span(), "", pattern, locate, inclusion)
    return inclusion.text.source(source)


def _add(part: Span, indent: str, pattern: re.Pattern[str], locate: Locate, inclusion: Inclusion) -> None:
    """Add a part of a text, with includes replaced.

    Lines after the first get this indent, which is the indent of the line with the include.
    """
    source, start = part.source, part.start
    for found in outside_code(source.text, pattern):
        if not start <= found.start() < part.end:
            continue
        words = source.span(start, found.start())
        _add_lines(words, indent, inclusion)
        # The include is not at the start of a line if it follows another mark on the same line.
        is_in_line = start > part.start and "\n" not in words.text
        before = "" if is_in_line else words.text.rpartition("\n")[2]
        start = found.end()
        span = source.span(*found.span())
        inner = indent + before if not before.strip() else indent
        with inclusion.file(locate(source.path, found["path"].strip()), span) as included:
            if included is None:
                continue
            arguments = found.groupdict().get("arguments") or ""
            if arguments.strip():
                inclusion.text.replace(span, f"{{{{ arguments {arguments} }}}}")
            for lines in _selected(included, found["path"]):
                _add(lines, inner[:MAX_INDENT], pattern, locate, inclusion)
            if arguments.strip():
                inclusion.text.replace(span, "{{ end }}")
    _add_lines(source.span(start, part.end), indent, inclusion)


def _selected(included: Source, written: str) -> Sequence[Span]:
    """The parts of an included text that an include names: the lines after `#`, or else all but the properties."""
    selected = SELECTED_LINES.search(written)
    if selected is None:
        first = frontmatter(included, ignore).start
        return [included.span(first, max(first, len(included.text.rstrip())))]
    lines = list(lines_in(included))
    chosen: set[int] = set()
    for part in selected["ranges"].split(","):
        numbers = [int(number) for number in re.findall(r"\d{1,6}", part)]
        chosen.update(range(min(numbers, default=1), min(max(numbers, default=0), len(lines)) + 1))
    return [lines[number - 1] for number in sorted(chosen) if number > 0]


def _add_lines(part: Span, indent: str, inclusion: Inclusion) -> None:
    """Add a part of a text, with an indent at the start of each line after the first."""
    source, start = part.source, part.start
    while indent and (end := source.text.find("\n", start, part.end) + 1) > 0:
        inclusion.text.add(source.span(start, end))
        inclusion.text.replace(source.span(end, end), indent)
        start = end
    inclusion.text.add(source.span(start, part.end))

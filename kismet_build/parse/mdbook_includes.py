"""Replace included files, parts of files and programs in a text for mdBook, as mdBook does before it reads the
Markdown.

https://rust-lang.github.io/mdBook/format/mdbook.html
"""

import re
from collections.abc import Iterator, Sequence
from posixpath import dirname, join, normpath

from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.source import Source, Span
from kismet_build.parse.composition import Inputs, lines_in
from kismet_build.parse.inclusion import Inclusion

MARK = re.compile(
    r"(?P<escaped>\\\{\{#[^}\n]{0,500}\}\})"
    r"|\{\{[ \t]{0,9}#(?P<name>include|rustdoc_include|playground|playpen)[ \t]{1,9}(?P<path>[^}\n]{1,500})\}\}"
)
ANCHOR = re.compile(r"ANCHOR(?P<end>_END)?:\s{0,9}(?P<name>[\w-]+)")
"""The line before or after a named part of a file; usually a comment."""
NUMBER = re.compile(r"\d{1,9}")


def expand_mdbook(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace included files. Returns the same source if there are none."""
    if MARK.search(source.text) is None:
        return source
    inclusion = Inclusion(source, inputs, report)
    _add(source.full_span(), inclusion)
    return inclusion.text.source(source)


def _add(part: Span, inclusion: Inclusion) -> None:
    """Add a part of a file, with includes replaced."""
    text, source, start = inclusion.text, part.source, part.start
    for found in MARK.finditer(source.text, part.start, part.end):
        text.add(source.span(start, found.start()))
        start = found.end()
        if found["escaped"]:
            text.add(source.span(found.start() + 1, found.end()))
        else:
            _include(found["name"], found["path"].strip(), source.span(*found.span()), inclusion)
    text.add(source.span(start, part.end))


def _include(name: str, written: str, span: Span, inclusion: Inclusion) -> None:
    path, _, selection = written.partition(":")
    properties = ""
    if name.startswith("play"):
        path, _, properties = written.partition(" ")
        selection = ""
    with inclusion.file([normpath(join(dirname(span.source.path), path.strip()))], span) as source:
        if source is None:
            return
        lines = [*lines_in(source)]
        chosen = lines if not selection else _selected(lines, selection)
        if not chosen and selection:
            message = f'this include shows nothing: the file has no part "{selection}"'
            inclusion.report(warning("unresolved-include", span, message))
            return
        if name.startswith("play"):
            inclusion.text.replace(span, f"```rust {properties.strip()}".rstrip() + "\n")
        for number, line in enumerate(chosen):
            is_last = number == len(chosen) - 1
            _add(source.span(line.start, line.end - (is_last and line.text.endswith("\n"))), inclusion)
        if name.startswith("play"):
            inclusion.text.replace(span, "\n```")


def _selected(lines: Sequence[Span], selection: str) -> Sequence[Span]:
    """The lines of a selection: `2`, `2:10`, `2:`, `:10`, or the name of a part."""
    first, colon, last = selection.partition(":")
    if first and not NUMBER.fullmatch(first):
        return [*_anchored(lines, first)]
    start = max(int(first or 1), 1)
    end = int(last) if NUMBER.fullmatch(last) else len(lines) if colon else start
    return lines[start - 1 : end]


def _anchored(lines: Sequence[Span], name: str) -> Iterator[Span]:
    """The lines of a named part, without the marks of parts."""
    is_inside = False
    for line in lines:
        mark = ANCHOR.search(line.text)
        if mark is None:
            if is_inside:
                yield line
        elif mark["name"] == name:
            if mark["end"]:
                return
            is_inside = True

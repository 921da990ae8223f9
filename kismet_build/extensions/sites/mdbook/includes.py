"""Replace included files, parts of files, programs and templates in a text for mdBook, as mdBook does before it reads
the Markdown.

https://rust-lang.github.io/mdBook/format/mdbook.html
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import dirname, join, normpath

from kismet_build.extensions.sites.shared.inclusion import Inclusion
from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.source import Source, Span
from kismet_build.parse.composition import Inputs, lines_in

MARK = re.compile(
    r"(?P<escaped>\\\{\{#[^}\n]{0,500}\}\})"
    r"|\{\{\s{0,9}#(?P<template>template)\s{1,9}(?P<arguments>[^{}]{1,2000})\}\}"
    r"|\[\[#(?P<key>[\w-]{1,100})(?:[ \t]{1,9}(?P<default>[^\[\]\n]{0,300}))?\]\]"
    r"|\{\{[ \t]{0,9}#(?P<name>include|rustdoc_include|playground|playpen)[ \t]{1,9}(?P<path>[^}\n]{1,500})\}\}"
)
ARGUMENT = re.compile(r"(?<!\S)(?P<key>[\w-]{1,100})=(?P<value>(?>(?:[^\s=]++|\s++(?![\w-]{1,100}=)|=)*))")
"""A value of a template: the words up to the next key."""
ANCHOR = re.compile(r"ANCHOR(?P<end>_END)?:\s{0,9}(?P<name>[\w-]+)")
"""The line before or after a named part of a file; usually a comment."""
NUMBER = re.compile(r"\d{1,9}")


def expand_mdbook(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace included files and templates. Returns the same source if it has no marks."""
    if MARK.search(source.text) is None:
        return source
    inclusion = Inclusion(source, inputs, report)
    _add(source.full_span(), inclusion, None)
    return inclusion.text.source(source)


def _add(part: Span, inclusion: Inclusion, given: Mapping[str, str] | None) -> None:
    """Add a part of a file, with includes replaced. `given`: in a template, the values by key."""
    text, source, start = inclusion.text, part.source, part.start
    for found in MARK.finditer(source.text, part.start, part.end):
        text.add(source.span(start, found.start()))
        start = found.end()
        if found["escaped"]:
            text.add(source.span(found.start() + 1, found.end()))
        elif found["key"]:
            span = source.span(*found.span())
            if given is None:
                text.add(span)
            else:
                text.replace(span, given.get(found["key"], found["default"] or ""))
        elif found["template"]:
            _fill_in(found["arguments"], source.span(*found.span()), inclusion)
        else:
            _include(found["name"], found["path"].strip(), source.span(*found.span()), inclusion, given)
    text.add(source.span(start, part.end))


def _fill_in(written: str, span: Span, inclusion: Inclusion) -> None:
    """Add the file of a template, `{{#template file.md key=value}}`, with the values in place of the keys."""
    path, *rest = written.split(maxsplit=1)
    given = {each["key"]: each["value"].strip() for each in ARGUMENT.finditer("".join(rest))}
    with inclusion.file([normpath(join(dirname(span.source.path), path))], span) as source:
        part = source and source.span(0, len(source.text.rstrip("\n")))
        if source and part and inclusion.has_room(source, [part], span):
            _add(part, inclusion, given)


def _include(name: str, written: str, span: Span, inclusion: Inclusion, given: Mapping[str, str] | None) -> None:
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
        if not inclusion.has_room(source, chosen, span):
            return
        if name.startswith("play"):
            inclusion.text.replace(span, f"```rust {properties.strip()}".rstrip() + "\n")
        for number, line in enumerate(chosen):
            is_last = number == len(chosen) - 1
            _add(source.span(line.start, line.end - (is_last and line.text.endswith("\n"))), inclusion, given)
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

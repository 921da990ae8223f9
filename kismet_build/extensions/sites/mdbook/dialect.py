"""The Markdown of mdBook, with the preprocessor for callouts that most books use."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from posixpath import dirname, join, normpath

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from kismet_build.extensions.sites.shared.inclusion import Inclusion
from kismet_build.extensions.sites.shared.rules import SHARED, with_options
from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.source import Source, Span
from kismet_build.parse.composition import Inputs, lines_in
from kismet_build.parse.markdown import dialect_functions
from kismet_build.parse.markdown.heading_id import github_id
from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.rules.attribute_list import heading_attributes
from kismet_build.parse.markdown.rules.box import (
    INTERRUPTS,
    UNTITLED,
    Box,
    Title,
    box_tokens,
    github_callout,
    line_text,
    tokenize_lines,
)
from kismet_build.parse.markdown.rules.footnote import footnote
from kismet_build.parse.markdown.rules.lists import definition
from kismet_build.parse.markdown.rules.marks import double_tilde, strikethrough
from kismet_build.parse.markdown.state import ParseState

# --- a code block `admonish warning "Title"`: a callout, whose content is Markdown

FENCE = re.compile(
    r"(?P<fence>`{3,}|~{3,})[ \t]*admonish(?:[ \t]+(?P<kind>[a-z][\w-]*)(?=\s|$))?(?P<rest>[^`\n]*)", re.IGNORECASE
)
TITLE = re.compile(r"""(?:title[ \t]*=[ \t]*)?(?P<quote>["'])(?P<title>.*?)(?P=quote)""")
FOLDED = re.compile(r"collapsible[ \t]*=[ \t]*true")
TITLE_OF_BOOK = re.compile(r"\{\{#title [^{}]*\}\}")
USUAL_KIND = "note"


def admonish(parser: Parser) -> None:
    """Add the rule for callouts, and the rules that leave out the title of a page."""
    parser.add_block("admonish", _parse_fence, before="table", interrupts=INTERRUPTS, starts="`~")
    parser.add_block("page_title", _parse_title, before="table", interrupts=INTERRUPTS, starts="{")
    parser.add_inline("{", "page_title", _parse_inline_title, before="link", stop=r"\{\{#title ", signs=("{{#title",))


def _parse_fence(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    match = FENCE.fullmatch(line_text(state, first))
    if match is None or state.is_code_block(first):
        return False
    if silent:
        return True
    closing = first + 1
    while closing < end and (state.isEmpty(closing) or state.sCount[closing] >= state.blkIndent):
        text = line_text(state, closing)
        if text.startswith(match["fence"]) and not text.strip(match["fence"][0]):
            break
        closing += 1
    is_closed = closing < end and (state.isEmpty(closing) or state.sCount[closing] >= state.blkIndent)
    after = closing + 1 if is_closed else closing
    words = TITLE.search(match["rest"])
    offset = state.bMarks[first] + state.tShift[first] + match.start("rest")
    title = Title(words["title"], offset + words.start("title")) if words else None
    box = Box(kind=(match["kind"] or USUAL_KIND).casefold(), fold="-" if FOLDED.search(match["rest"]) else "")
    if title is not None and not title.text:
        box = Box(name=UNTITLED)
    with box_tokens(state, box, (first, after), title):
        tokenize_lines(state, first + 1, closing, state.blkIndent)
    state.line = after
    return True


def _parse_title(state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    if TITLE_OF_BOOK.fullmatch(line_text(state, first)) is None or state.is_code_block(first):
        return False
    if not silent:
        state.line = first + 1
    return True


def _parse_inline_title(state: StateInline, silent: bool) -> bool:
    match = TITLE_OF_BOOK.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent and state.pending:
        state.pushPending()
    state.pos = match.end()
    return True


# --- included files, parts of files, programs and templates, which mdBook replaces before it reads the Markdown
#
# https://rust-lang.github.io/mdBook/format/mdbook.html

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


# --- hidden lines of code in Rust

RUST = re.compile(r"rust\b")
HIDDEN_RUST = re.compile(r"^[ \t]*#(?:[ \t][^\n]*)?(?:\n|\Z)", re.MULTILINE)
"""A line of Rust that mdBook hides: `# use std::fmt;`."""
HIDING_PREFIX = re.compile(r"\bhidelines=(?P<prefix>[^\s,]+)")
"""The prefix of the lines that mdBook hides in a block of another language: `python,hidelines=!`."""
ESCAPED_RUST = re.compile(r"^([ \t]*)##", re.MULTILINE)


def hidden_lines(parser: Parser) -> None:
    """Leave out the hidden lines of Rust, and those with a prefix in the info string."""
    parser.transforms.append(_without_hidden_lines)


def _without_hidden_lines(tokens: list[Token], _state: ParseState) -> None:
    for token in tokens:
        if token.type == "fence" and (hiding := HIDING_PREFIX.search(token.info)) is not None:
            lines = token.content.splitlines(keepends=True)
            token.content = "".join(line for line in lines if not line.lstrip().startswith(hiding["prefix"]))
        elif token.type == "fence" and RUST.match(token.info.strip()):
            token.content = ESCAPED_RUST.sub(r"\1#", HIDDEN_RUST.sub("", token.content))


# --- the dialect

MDBOOK = SHARED.plus(
    "mdbook",
    strikethrough,
    double_tilde,
    footnote,
    definition,
    github_callout,
    admonish,
    heading_attributes,
    hidden_lines,
    heading_id=github_id,
)


dialect = dialect_functions(partial(with_options, MDBOOK), expand_mdbook)
r"""If the option `math` is true, `$x$` is a formula; if `mathjax` is, `\\(x\\)`; if `smart_punctuation` is, `--` is a
dash.
"""

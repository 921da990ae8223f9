"""Cut comments out of a Markdown text before it is parsed: `%%words%%`, and HTML comments that Markdown would show.

A comment hides everything up to its end, or up to the end of the text, whatever it spans: lists, tables, quotes.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.source import Source
from kismet_build.parse.composition import Composition
from kismet_build.parse.markdown.frontmatter import FENCED, TOML_FENCED

PERCENT, HTML, HTML_END = "%%", "<!--", "-->"
KRAMDOWN, KRAMDOWN_END = "{::comment", re.compile(r"\{:/(?:comment)?\}")
FENCE = re.compile(
    r"(?P<quotes>(?:[ \t]*>[ \t]?)*)(?P<indent>[ \t]*)(?P<items>(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)"
    r"(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})",
    re.MULTILINE,
)
"""The start of a block of code, and the quotes and list items around it."""
QUOTES = re.compile(r"(?:[ \t]*>[ \t]?)*")
MARKED = re.compile(r"[ \t>]*(?:#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|`{3}|~{3}|\||$)", re.MULTILINE)
"""The start of a line that begins another block, so that it does not continue a paragraph; also an empty line."""
INDENTED = re.compile(r"(?: {4}| {0,3}\t)[ \t]*\S")
ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)]|\[\^[^\]\n]+\]:|:)[ \t]")
"""The start of a list item, a footnote or a definition, whose paragraphs may be indented."""
ROW = re.compile(r"[ \t>]*\|")
SIGN = re.compile(r"\\[\\`%<]|%%|<!--|\{::comment\b[^{}\n]*\}")
CODE = re.compile(r"\\`|(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
AFTER_NUMBER = re.compile(r"\d\Z|(?<![^\W\d_])[dDwW]\Z")
"""The end of `50` or of `d`, before the signs of a percentage or of a die."""
IN_PROPERTIES = re.compile(r"%%[^\n]*?%%|<!--.*?-->", re.DOTALL)
BLANK = re.compile(r"[ \t>]*\Z")
BEGINNING = re.compile(rf"(?:{ITEM.pattern}[ \t]*)*[ \t>]*\Z")
"""The start of a line, up to where its text begins."""


class Comment(NamedTuple):
    """A comment, from one offset to another."""

    start: int
    end: int
    fault: str = ""
    """Why it is reported; empty if it is as its author means it."""


def without_comments(source: Source, report: Report, signs: Collection[str]) -> Source:
    """A text without its comments; the same source if it has none.

    `signs`: those that begin a comment. Comments of kramdown are cut only if they never end.
    """
    text = source.text
    if not any(sign in text for sign in signs):
        return source
    properties = FENCED.match(text) or TOML_FENCED.match(text)
    start = properties.end() if properties else 0
    comments = [*_in_properties(text, start, signs), *_Finder(source, start, signs).comments()]
    if not comments:
        return source
    composition, end = Composition(), 0
    # A report shows the place of a comment, but none of its words.
    masked = list(text)
    for comment in comments:
        masked[comment.start : comment.end] = [
            "\n" if sign == "\n" else " " for sign in text[comment.start : comment.end]
        ]
    shown = Source(source.path, "".join(masked), display_path=source.display_path)
    for comment in comments:
        if comment.fault:
            place = shown.span(comment.start, comment.start)
            report(
                warning(
                    "unclosed-comment", place, comment.fault, "close it in the same paragraph, or on a line of its own"
                )
            )
        first, last, filling = _whole_lines(source, comment)
        composition.add(source.span(end, max(first, end)))
        composition.replace(source.span(max(first, end), last), filling)
        end = max(last, end)
    composition.add(source.span(end, len(text)))
    cut = composition.source(source, source.included)
    return replace(cut, digest=source.digest)


def _in_properties(text: str, end: int, signs: Collection[str]) -> Iterator[Comment]:
    """The comments in properties, which must end in them; with percent signs, on the same line."""
    at = 0
    while (found := IN_PROPERTIES.search(text, at, end)) is not None:
        before = text[max(0, found.start() - 3) : found.start()]
        is_number = found[0].startswith(PERCENT) and AFTER_NUMBER.search(before)
        at = found.start() + len(PERCENT) if is_number else found.end()
        if not is_number and found[0].startswith(tuple(signs)):
            yield Comment(*found.span())


def _whole_lines(source: Source, comment: Comment) -> tuple[int, int, str]:
    """The range to cut for a comment, and what stands there instead.

    Nothing is left of a line with nothing else. Blocks around a comment of several lines stay apart.
    """
    text, start, end = source.text, comment.start, comment.end
    line_start, line_end = _line_start(source, start), _line_end(source, end)
    if not BLANK.match(text, line_start, start):
        return start, end, ""
    if text[end:line_end].strip():
        # The rest of the last line begins where the comment began.
        return start, end + len(text[end:line_end]) - len(text[end:line_end].lstrip()), ""
    before = text[_line_start(source, line_start - 1) : line_start] if line_start else ""
    after = text[line_end + 1 : _line_end(source, line_end + 1)]
    are_alike = any(pattern.match(before) and pattern.match(after) for pattern in (ITEM, ROW))
    filling = "\n" if "\n" in text[start:end] and before.strip() and after.strip() and not are_alike else ""
    return line_start, min(line_end + 1, len(text)), filling


def _line_start(source: Source, at: int) -> int:
    """The start of the line with this character. Found in an index, because a line may have many comments."""
    return source.line_starts[bisect_right(source.line_starts, at) - 1]


def _line_end(source: Source, at: int) -> int:
    """The line end at or after this character."""
    following = bisect_right(source.line_starts, at)
    return source.line_starts[following] - 1 if following < len(source.line_starts) else len(source.text)


class _Finder:
    def __init__(self, source: Source, start: int, signs: Collection[str]) -> None:
        self.source, self.text, self.start, self.signs = source, source.text, start, signs
        self.next_tick = -1
        """The first backtick after the last search; the length of the text if there is none."""

    def comments(self) -> list[Comment]:
        """All comments, in order, without overlaps.

        If signs can be paired in two ways, what either hides is hidden: a pair may span blocks, or each block has its
        own pairs, and signs on a line of their own a block between them.
        """
        across, by_block = [*self._find(across=True)], [*self._find(across=False)]
        merged: list[Comment] = []
        for comment in sorted({*across, *by_block}):
            if merged and comment.start < merged[-1].end:
                fault = merged[-1].fault or comment.fault
                merged[-1] = merged[-1]._replace(end=max(merged[-1].end, comment.end), fault=fault)
            else:
                merged.append(comment)
        return merged

    def _find(self, *, across: bool) -> Iterator[Comment]:
        text, at, is_line = self.text, self.start, True
        may_indent = is_after_blank = False
        end = 0
        self.next_tick = -1
        while at < len(text):
            if is_line:
                line = text[at : self._line_end(at)]
                may_indent = ITEM.match(line) is not None or (may_indent and (not is_after_blank or line[:1] in " \t"))
                fence = FENCE.match(text, at)
                if fence is not None and (may_indent or len(fence["indent"].expandtabs(4)) < 4):
                    at, is_after_blank = self._after_code(fence), False
                    continue
                is_code = is_after_blank and not may_indent and INDENTED.match(line) is not None
                if not line.strip() or is_code:
                    at, is_after_blank = at + len(line) + 1, True
                    continue
                is_after_blank = False
            if at >= end:
                end = self._paragraph_end(at)
            found = self._first(at, end, across=across)
            at, is_line = (end, True) if found is None else (found.end, False)
            if found is not None and (text.startswith(PERCENT, found.start) or found.fault):
                yield found

    def _first(self, start: int, end: int, *, across: bool) -> Comment | None:
        """The first comment that begins in a paragraph."""
        code = self._code(start, end)
        for sign in SIGN.finditer(self.text, start, end):
            if any(first <= sign.start() < last for first, last in code):
                continue
            if sign[0] == HTML:
                return self._html(sign.start(), end)
            if sign[0].startswith(KRAMDOWN) and KRAMDOWN in self.signs:
                closing = KRAMDOWN_END.search(self.text, sign.end())
                return Comment(sign.start(), closing.end()) if closing else self._unclosed(sign.start())
            is_percent = sign[0] == PERCENT and PERCENT in self.signs
            if is_percent and (found := self._percent(sign.start(), end, across=across)):
                return found
        return None

    def _code(self, start: int, end: int) -> list[tuple[int, int]]:
        """Where inline code is for sure: whether the paragraph is read as one, or each line by itself."""
        if self.next_tick < start:
            tick = self.text.find("`", start)
            self.next_tick = len(self.text) if tick < 0 else tick
        if self.next_tick >= end:
            return []
        whole = [found.span() for found in CODE.finditer(self.text, start, end) if found["ticks"]]
        found, at = [], start
        while at < end:
            line_end = min(self._line_end(at), end)
            of_line = [found.span() for found in CODE.finditer(self.text, at, line_end) if found["ticks"]]
            found += [
                (max(one[0], other[0]), min(one[1], other[1]))
                for one in of_line
                for other in whole
                if one[0] < other[1] and other[0] < one[1]
            ]
            at = line_end + 1
        return found

    def _percent(self, start: int, paragraph: int, *, across: bool) -> Comment | None:
        text, after = self.text, start + len(PERCENT)
        closed = text.find(PERCENT, after)
        end = closed + len(PERCENT) if closed >= 0 else len(text)
        is_inside = closed >= 0 and end <= paragraph
        if AFTER_NUMBER.search(text[max(0, start - 3) : start]):
            if not is_inside or BLANK.match(text, _line_start(self.source, closed), closed):
                return None
            return Comment(
                start, end, "the signs after this number begin a comment, which hides the text up to the next ones"
            )
        if is_inside:
            return Comment(start, end)
        line_start = _line_start(self.source, start)
        is_alone = BEGINNING.match(text, line_start, start) and text.find(PERCENT, after, self._line_end(start)) < 0
        if not is_alone and not across:
            return None
        if closed < 0:
            return self._unclosed(start)
        return Comment(start, end, "" if is_alone else "this comment ends in another paragraph, and hides all between")

    def _html(self, start: int, paragraph: int) -> Comment:
        text = self.text
        closed = text.find(HTML_END, start + len(HTML))
        line_start = _line_start(self.source, start)
        is_block = start - line_start < 4 and not text[line_start:start].strip(" ")
        if closed < 0:
            return self._unclosed(start)
        end = closed + len(HTML_END)
        is_cell = text[line_start : self._line_end(start)].lstrip(" \t>").startswith("|") and "|" in text[start:end]
        if is_block or (end <= paragraph and not is_cell):
            return Comment(start, end)  # as Markdown reads it
        return Comment(start, end, "this comment ends in another paragraph, and hides all between")

    def _unclosed(self, start: int) -> Comment:
        return Comment(start, len(self.text), "this comment is never closed, so it hides everything after it")

    def _line_end(self, at: int) -> int:
        return _line_end(self.source, at)

    def _paragraph_end(self, at: int) -> int:
        """The start of the first line that does not continue the paragraph at an offset."""
        text, end = self.text, self._line_end(at) + 1
        depth = self._depth(_line_start(self.source, at))
        while end < len(text) and not MARKED.match(text, end) and self._depth(end) == depth:
            end = self._line_end(end) + 1
        return min(end, len(text))

    def _depth(self, line_start: int) -> int:
        quotes = QUOTES.match(self.text, line_start)
        return quotes[0].count(">") if quotes else 0

    def _after_code(self, fence: re.Match[str]) -> int:
        """Where a block of code ends: at a closing fence, or where the quote or list item around it ends."""
        text, at = self.text, self._line_end(fence.end()) + 1
        depth, mark = fence["quotes"].count(">"), fence["fence"]
        indent = len(fence["indent"] + fence["items"])
        closing = re.compile(rf"{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE)
        while at < len(text):
            quotes = QUOTES.match(text, at)
            line = text[quotes.end() if quotes else at : self._line_end(at)]
            if closing.fullmatch(line.strip()):
                return self._line_end(at) + 1
            is_outside = self._depth(at) < depth or (
                indent > 1 and line.strip() and len(line) - len(line.lstrip()) < indent
            )
            if is_outside:
                return at
            at = self._line_end(at) + 1
        return len(text)

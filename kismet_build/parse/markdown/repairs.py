"""Repairs of parsed blocks and inlines. Each recognises a common mistake, reads what was meant, and reports it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest
from statistics import median

from kismet_build.model.diagnostic import info, warning
from kismet_build.model.nodes import (
    Block,
    BlockQuote,
    Cell,
    HardBreak,
    Heading,
    Inline,
    Link,
    List,
    ListItem,
    Paragraph,
    Row,
    SoftBreak,
    Strong,
    Table,
    Text,
    plain_text,
)
from kismet_build.model.source import Span
from kismet_build.parse.markdown.split_text import offset_after, split_text
from kismet_build.parse.markdown.state import ParseState

# --- odd spaces

ODD_SPACE = re.compile("[\u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff]")
"""Matches one odd space."""

ZERO_WIDTH = re.compile("[\u200b\u2060\ufeff]")
ALL_SPACES = re.compile("[\\s\u200b\u2060\ufeff]+")


def fold_spaces(text: str) -> str:
    """Replace each run of spaces by one plain space, and drop zero-width spaces."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text  # true for most texts, and the replacements below are much slower
    return ALL_SPACES.sub(" ", ZERO_WIDTH.sub("", text))


def report_odd_space(parse_state: ParseState, span: Span, what: str) -> None:
    """Report that a name is read with plain spaces, if the span contains an odd space."""
    if not parse_state.may_have_odd_space or not parse_state.repairs or (first := ODD_SPACE.search(span.text)) is None:
        return
    last_end = max(match.end() for match in ODD_SPACE.finditer(span.text))
    odd_span = span.source.span(span.start + first.start(), span.start + last_end)
    code = f"U+{ord(first[0]):04X}"
    parse_state.report(info("odd-space", odd_span, f"{what} has an odd space ({code}), which is read as a plain one"))


# --- tables: a first row of data in place of the header, and rows with a missing cell

SENTENCE = re.compile(r"(?:\S+\s+){3,}\S*\w[.!?][)\"”’]?")
"""At least four words with a full stop. A column title is never a sentence (docs/decisions/0004-dialects.md)."""

MIN_ROWS = 2
"""Minimum number of rows below a header that looks like a row of data. Fewer rows are not enough evidence."""

MIN_FILLED_ROWS = 3
"""Minimum number of rows with a cell in a column for missing cells to be reported.

The rows without the cell may be at most half as many as the rows with it.
"""

MIN_PROSE_WORDS = 3
"""Minimum median number of words in a column whose missing cells are reported.

Columns of short cells often have gaps.
"""

LONG_CELL_RATIO = 1.5
"""If a cell is longer than the median of its column by this factor, it may contain the text of a missing cell."""

MAX_NAME_LENGTH = 40
"""Maximum number of characters of a row's name in a message."""


def repair_table(table: Table, state: ParseState) -> Table:
    """Give a table an empty header if its header looks like data, and report missing cells."""
    if not state.repairs:
        return table
    texts = [[_cell_text(cell) for cell in row.cells] for row in (table.header, *table.rows)]
    if _is_data_row(texts[0], texts[1:]):
        table = _with_empty_header(table, state)
    _report_missing_cells(table, texts[0], texts[1:], state)
    return table


def _cell_text(cell: Cell) -> str:
    match cell.children:
        case (Paragraph(children=(Text(value=value),)),):
            pass  # most cells are a single text, and `plain_text` is much slower
        case _:
            value = plain_text(cell)
    return " ".join(value.split())


def _is_data_row(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a header is a row of data: one of its cells is a sentence, like all cells below that cell."""
    if len(rows) < MIN_ROWS or not all(header):
        return False
    return any(
        SENTENCE.fullmatch(title) and all(SENTENCE.fullmatch(row[column]) for row in rows)
        for column, title in enumerate(header)
    )


def _with_empty_header(table: Table, state: ParseState) -> Table:
    span = table.header.span
    message = "the header of this table looks like a row of data, so it is read as one"
    hint = "add a row of column titles or empty cells above it"
    state.report(warning("header-is-data", span, message, hint))
    empty_span = span.source.span(span.start, span.start)
    header = Row(span=empty_span, cells=tuple(Cell(span=empty_span, children=()) for _ in table.header.cells))
    return replace(table, header=header, rows=(table.header, *table.rows))


def _report_missing_cells(
    table: Table, header: Sequence[str], rows: Sequence[Sequence[str]], state: ParseState
) -> None:
    """Report missing cells in a column of sentences that most rows fill."""
    if all(map(all, rows)):
        return
    for column, title in list(enumerate(header))[1:]:
        filled = [row for row in rows if row[column]]
        if len(filled) < max(MIN_FILLED_ROWS, 2 * (len(rows) - len(filled))) or len(filled) == len(rows):
            continue
        if median(len(row[column].split()) for row in filled) < MIN_PROSE_WORDS or not title:
            continue
        for row, cells in zip(table.rows[-len(rows) :], rows, strict=True):
            if not cells[column] and any(cells):
                shown_name = cells[0] if len(cells[0]) <= MAX_NAME_LENGTH else cells[0][:MAX_NAME_LENGTH].rstrip() + "…"
                message = f'the row "{shown_name}" has nothing under "{title}"'
                state.report(warning("missing-table-cell", row.span, message, _hint(header, filled, cells)))


def _hint(header: Sequence[str], filled: Sequence[Sequence[str]], cells: Sequence[str]) -> str:
    """The hint for a missing cell: its text may be in another cell that is unusually long."""
    medians = [median(len(row[column]) for row in filled) or 1 for column in range(len(cells))]
    ratios = [len(cell) / length for cell, length in zip(cells, medians, strict=True)]
    longest = max(range(len(cells)), key=lambda column: ratios[column])
    if ratios[longest] < LONG_CELL_RATIO or not header[longest]:
        return "fill in the cell, or write a dash if it is meant to be empty"
    return f'its text may be in the cell under "{header[longest]}": split it with a bar'


# --- captions of tables: `Table: words` as a heading above, or as a paragraph above or below

CAPTION_MARKER = re.compile(r"(?:Table\s*)?:\s+(?=\S)")
"""The marker before a caption, as in pandoc."""

NUMBERED_CAPTION = re.compile(r"Table\s+[\w.–-]*\d[\w.–-]*\s*[:.]\s+\S")
"""A caption with a table number, which is part of the caption."""


def bind_captions(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Move captions into their tables. Paragraphs disappear, but headings stay because links may lead to them."""
    result: list[Block] = []
    for block, below in zip_longest(blocks, blocks[1:]):
        above = result[-1] if result else None
        match above, block:
            case Heading(), Table(caption=()) if caption_text := _heading_caption(above):
                start = block.span.source.span(block.span.start, block.span.start)
                result.append(replace(block, caption=(Text(start, caption_text),)))
            case Paragraph(), Table(caption=()) if caption := _paragraph_caption(above):
                span = block.span.source.span(above.span.start, block.span.end)
                result[-1] = replace(block, caption=caption, span=span)
            # Between two tables, `Table:` belongs to the table below, and a lone colon to the table above.
            case Table(caption=()), Paragraph() if (caption := _paragraph_caption(block)) and not _is_caption_above(
                block, below
            ):
                span = block.span.source.span(above.span.start, block.span.end)
                result[-1] = replace(above, caption=caption, span=span)
            case _:
                result.append(block)
    return tuple(result)


def _is_caption_above(paragraph: Paragraph, below: Block | None) -> bool:
    return isinstance(below, Table) and not paragraph.span.text.startswith(":")


def _heading_caption(heading: Heading) -> str:
    text = " ".join(plain_text(heading).split())
    bare = CAPTION_MARKER.match(text)
    return text[bare.end() :] if bare else text if NUMBERED_CAPTION.match(text) else ""


def _paragraph_caption(paragraph: Paragraph) -> tuple[Inline, ...]:
    match paragraph:
        case Paragraph(children=(Text() as first, *others), block_id=""):
            if bare := CAPTION_MARKER.match(first.value):
                return (split_text(first, bare.end())[1], *others)
            return paragraph.children if NUMBERED_CAPTION.match(first.value) else ()
        case _:
            return ()


# --- lists


def _split_lines(paragraph: Paragraph, is_start: Callable[[Inline], bool]) -> list[Paragraph]:
    """Split a paragraph into one paragraph for each line that begins with a mark. Marks stay in the text."""
    starts = [0]
    for index, (inline, following) in enumerate(pairwise(paragraph.children), 1):
        if isinstance(inline, HardBreak | SoftBreak) and is_start(following):
            starts.append(index)
    lines: list[Paragraph] = []
    for start, stop in zip_longest(starts, starts[1:]):
        children = paragraph.children[start : stop and stop - 1]
        end = children[-1].span.end if stop else paragraph.span.end
        span = paragraph.span.source.span(children[0].span.start, end)
        lines.append(Paragraph(span=span, children=children, block_id="" if stop else paragraph.block_id))
    return lines


def _without_mark(line: Paragraph, mark: re.Pattern[str]) -> Paragraph:
    """The content of a list item: the line after its mark."""
    first = line.children[0]
    assert isinstance(first, Text)
    match = mark.match(first.value)
    assert match is not None
    rest = split_text(first, match.end())[1]
    children = (rest, *line.children[1:]) if rest.value else line.children[1:]
    start = children[0].span.start if children else line.span.end
    return replace(line, span=line.span.source.span(start, line.span.end), children=children, block_id="")


# Paragraphs that begin with `1\.`, `2\.` and so on.

ESCAPED_NUMBER = re.compile(r"(?P<number>\d{1,4})\\[.)][ \t]+(?=\S)")
NUMBER = re.compile(r"\d{1,4}[.)][ \t]+")


def repair_numbers(blocks: Sequence[Block], state: ParseState) -> tuple[Block, ...]:
    """Replace each run of paragraphs with escaped numbers, starting at 1, by a list.

    A backslash stops a number from starting a list. A single such paragraph, or a run that begins with a year, stays.
    """
    result: list[Block] = []
    run: list[Paragraph] = []
    for block in blocks:
        lines = _numbered_lines(block)
        numbers = [_number_of(line) for line in lines]
        if numbers and numbers == list(range(len(run) + 1, len(run) + 1 + len(numbers))):
            run += lines
            continue
        result += _as_list(run, state)
        run = []
        if numbers and numbers == list(range(1, 1 + len(numbers))):
            run = lines
        else:
            result.append(block)
    return (*result, *_as_list(run, state))


def _number_of(line: Paragraph) -> int:
    match = ESCAPED_NUMBER.match(line.span.text)
    return int(match["number"]) if match and isinstance(line.children[0], Text) else 0


def _numbered_lines(block: Block) -> list[Paragraph]:
    """Split a paragraph with an escaped number into one paragraph per numbered line; empty for other blocks."""
    if not isinstance(block, Paragraph) or not block.children or not ESCAPED_NUMBER.match(block.span.text):
        return []
    return _split_lines(block, lambda inline: ESCAPED_NUMBER.match(inline.span.text) is not None)


def _as_list(run: Sequence[Paragraph], state: ParseState) -> tuple[Block, ...]:
    """The list made from a run. A run of one paragraph stays a paragraph."""
    if len(run) < 2:
        return tuple(run)
    source, start = run[0].span.source, run[0].span.start
    match = ESCAPED_NUMBER.match(run[0].span.text)
    assert match is not None
    mark = match[0].rstrip()
    message = f'these paragraphs are numbered by hand ("{mark}") and read as a list'
    hint = f"write {mark.replace(chr(92), '')} without the backslash"
    state.report(info("escaped-number", source.span(start, start + len(mark)), message, hint))
    items = tuple(
        ListItem(span=line.span, children=(_without_mark(line, NUMBER),), block_id=line.block_id) for line in run
    )
    return (List(span=source.span(start, run[-1].span.end), items=items, start=1, tight=False),)


# --- pasted lists: paragraphs that begin with a word processor's bullets

BULLET = re.compile(rf"(?:[·•]|o(?=\s*{ODD_SPACE.pattern}|[ \t]{{2}}))(?:\s|{ODD_SPACE.pattern})+")
"""The letter o is a bullet only before an odd space or two spaces."""

BULLET_STRINGS = ("·", "•", "o  ", "o \t", "o\t")
"""Strings of which a text with pasted bullets contains at least one, unless it has odd spaces or entities."""


def repair_bullets(blocks: tuple[Block, ...], state: ParseState) -> tuple[Block, ...]:
    """Replace each run of paragraphs with bullets by a list."""
    result: list[Block] = []
    run: list[Paragraph] = []
    for block in blocks:
        if isinstance(block, Paragraph) and block.children and _has_bullet(block.children[0]):
            run += _split_lines(block, _has_bullet)
            continue
        if run:
            result.append(_list_from_run(run, state))
            run = []
        result.append(block)
    return (*result, _list_from_run(run, state)) if run else tuple(result)


def _has_bullet(inline: Inline) -> bool:
    return isinstance(inline, Text) and BULLET.match(inline.value) is not None


def _list_from_run(run: list[Paragraph], state: ParseState) -> List:
    """The list made from a run. An item with `o` is nested in the last item with another bullet."""
    start = run[0].span.start
    bullet = run[0].span.source.text[start]
    hint = "start each item with - and a space, and indent nested items by a tab"
    message = f'this list has bullets from a word processor ("{bullet}")'
    state.report(warning("pasted-bullet", run[0].span.source.span(start, start + 1), message, hint))
    entries: list[tuple[Paragraph, list[Paragraph]]] = []
    for paragraph in run:
        if entries and paragraph.span.text.startswith("o") and not entries[-1][0].span.text.startswith("o"):
            entries[-1][1].append(paragraph)
        else:
            entries.append((paragraph, []))
    return _list_of([_bullet_item(*entry) for entry in entries])


def _list_of(items: list[ListItem]) -> List:
    span = items[0].span.source.span(items[0].span.start, items[-1].span.end)
    return List(span=span, items=tuple(items))


def _bullet_item(line: Paragraph, nested: list[Paragraph]) -> ListItem:
    blocks: tuple[Block, ...] = (_without_mark(line, BULLET),)
    span = line.span
    if nested:
        nested_list = _list_of([_bullet_item(below, []) for below in nested])
        blocks, span = (*blocks, nested_list), span.source.span(span.start, nested_list.span.end)
    return ListItem(span=span, children=blocks, block_id=line.block_id)


def join_quotes(blocks: Sequence[Block], state: ParseState) -> tuple[Block, ...]:
    """Move each heading that is alone in a quote into the quote below it."""
    result: list[Block] = []
    for block in blocks:
        match result[-1:], block:
            case [BlockQuote(children=(Heading(),), block_id="") as head], BlockQuote(children=children):
                message = "this quote ends after its heading, so it is joined with the quote below"
                state.report(info("split-quote", head.span, message, "start the blank line between them with >, too"))
                span = head.span.source.span(head.span.start, block.span.end)
                result[-1] = replace(block, span=span, children=(*head.children, *children))
            case _:
                result.append(block)
    return tuple(result)


# --- inlines: unclosed bold, odd spaces, stray punctuation

MAX_BOLD_PARAGRAPH = 60
"""Maximum number of characters in a paragraph that becomes bold as a whole.

In a longer paragraph, bold ends after the first colon or before the first line break.
"""

OPENING_MARK = re.compile(r"(\*\*|__)(?![*_\s])")

DOUBLED_COMMA = re.compile(r",,+")
MISSING_SPACE = re.compile(r"[,;](?=[\w(])|(?=[0-9(A-Z])")
"""Matches text right after a link that needs a space. Lower-case letters may be the ending of the link's last word."""

SPACES = " \t"

BREAKS = (HardBreak, SoftBreak)

Inlines = tuple[Inline, ...]


def repair_inlines(inlines: Inlines, state: ParseState) -> Inlines:
    """Repair the inline content of a block."""
    inlines = _strip(inlines)
    if not inlines or not state.repairs:
        return inlines
    inlines = _repair_punctuation(_repair_unclosed_bold(inlines, state), state)
    match inlines:
        case (Strong(span=span, children=children), *others) if state.may_have_odd_space and ODD_SPACE.search(
            plain_text(*children)
        ):
            report_odd_space(state, span, "a bold label")
            return (Strong(span, _fold_inlines(children)), *others)
        case _:
            return inlines


def repair_heading(inlines: Inlines, span: Span, state: ParseState) -> Inlines:
    """Normalize the spaces in a heading."""
    if not state.repairs:
        return inlines
    report_odd_space(state, span, "a heading")
    folded = list(_fold_inlines(inlines))
    if folded and isinstance(first := folded[0], Text):
        folded[0] = _with_value(first, first.value.lstrip())
    if folded and isinstance(last := folded[-1], Text):
        folded[-1] = _with_value(last, last.value.rstrip())
    return tuple(inline for inline in folded if not isinstance(inline, Text) or inline.value)


def _fold_inlines(inlines: Inlines) -> Inlines:
    return tuple(
        _with_value(inline, fold_spaces(inline.value))
        if isinstance(inline, Text)
        else replace(inline, children=_fold_inlines(inline.children))
        if isinstance(inline, Strong | Link)
        else inline
        for inline in inlines
    )


def _with_value(text: Text, value: str) -> Text:
    return text if value == text.value else Text(text.span, value)


def _strip(inlines: Inlines) -> Inlines:
    """Strip white space at both ends, which may remain after a comment or block id is removed."""
    while inlines and isinstance(inlines[0], BREAKS):
        inlines = inlines[1:]
    while inlines and isinstance(inlines[-1], BREAKS):
        inlines = inlines[:-1]
    # A space that is written as an entity is intended.
    if inlines and isinstance(first := inlines[0], Text) and first.span.source.text[first.span.start] in SPACES:
        rest = split_text(first, len(first.value) - len(first.value.lstrip(SPACES)))[1]
        inlines = (rest, *inlines[1:]) if rest.value else inlines[1:]
    if inlines and isinstance(last := inlines[-1], Text) and last.span.source.text[last.span.end - 1] in SPACES:
        rest = split_text(last, len(last.value.rstrip(SPACES)))[0]
        inlines = (*inlines[:-1], rest) if rest.value else inlines[:-1]
    return inlines


def _repair_unclosed_bold(inlines: Inlines, state: ParseState) -> Inlines:
    """Repair a paragraph that begins with unclosed bold: make it bold as a whole or, if it is long, only its start."""
    first, *others = inlines
    mark = OPENING_MARK.match(first.value) if isinstance(first, Text) else None
    if mark is None or not isinstance(first, Text) or not first.span.text.startswith(mark[0]):
        return inlines
    mark_span = first.span.source.span(first.span.start, first.span.start + len(mark[0]))
    hint = f"close it with {mark[0]} where the bold words end"
    state.report(warning("unclosed-emphasis", mark_span, f"this {mark[0]} is never closed", hint))
    rest = (split_text(first, len(mark[0]))[1], *others)
    bold, plain = _split_at_colon(rest) if len(plain_text(*rest)) > MAX_BOLD_PARAGRAPH else (rest, ())
    return (Strong(first.span.source.span(mark_span.start, bold[-1].span.end), bold), *plain)


def _split_at_colon(inlines: Inlines) -> tuple[Inlines, Inlines]:
    """Split inlines after the first colon or before the first line break.

    If there is neither, the second part is empty.
    """
    for index, inline in enumerate(inlines):
        if isinstance(inline, BREAKS) and index:
            return inlines[:index], inlines[index:]
        if isinstance(inline, Text) and ":" in inline.value:
            length = inline.value.index(":") + 1
            head, tail = split_text(inline, length)
            rest = (tail,) if tail.value else ()
            return (*inlines[:index], head), (*rest, *inlines[index + 1 :])
    return inlines, ()


def _repair_punctuation(inlines: Inlines, state: ParseState) -> Inlines:
    """Reduce double commas after links to one, and insert missing spaces after links."""
    result = list(inlines)
    for index, (before, text) in enumerate(pairwise(inlines), 1):
        if not isinstance(before, Link) or not isinstance(text, Text) or not before.span.text.startswith("["):
            continue
        start, value = text.span.start, text.value
        if on_duplicate := DOUBLED_COMMA.match(value):
            _report(state, text, on_duplicate.end(), "there are two commas after this link; they are read as one")
            value = value[on_duplicate.end() - 1 :]
        if glued := MISSING_SPACE.match(value):
            if not on_duplicate:
                end = max(glued.end(), 1)
                _report(state, text, end, "there is no space after this link")
            value = glued[0] + " " + value[glued.end() :]
        if value != text.value:
            result[index] = Text(text.span.source.span(start, text.span.end), value)
    return tuple(result)


def _report(state: ParseState, text: Text, length: int, message: str) -> None:
    span = text.span.source.span(text.span.start, offset_after(text, length))
    state.report(info("stray-punctuation", span, message))

"""Multi-column regions, as in the Multi-Column Markdown plugin for Obsidian."""

import re
from collections.abc import Iterator

from markdown_it.rules_block import StateBlock

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.parser import Parser, parse_state

NAME = r"(?:start-multi-column|multi-column-start)"
FENCE_START = re.compile(rf"(?P<fence>`{{3,}}|~{{3,}})[ \t]*{NAME}[ \t]*")
TAG_START = re.compile(rf"(?:---|===)[ \t]*{NAME}(?:[ \t]*:[ \t]*(?P<id>[\w \t-]*?))?[ \t]*(?:---|===)?[ \t]*")
DIV_START = re.compile(r":{3,}[ \t]*(?:columns|(?P<word>[a-z]+)-columns|\{[^}]*\.columns[^}]*\})[ \t]*:*[ \t]*")
SETTINGS = re.compile(r"(?P<fence>`{3,}|~{3,})[ \t]*(?:column-settings|multi-column-settings|settings)[ \t]*")
COLUMN_BREAK = re.compile(
    r"(?:---|===)[ \t]*(?:column-end|end-column|column-break|break-column)[ \t]*(?:---|===)[ \t]*"
    r"|\\columnbreak[ \t]*|:{3,}[ \t]*columnbreak[ \t]*:*[ \t]*"
)
END = re.compile(r"(?:---|===)[ \t]*(?:end-multi-column|multi-column-end)[ \t]*(?:---|===)?[ \t]*")
DIV_END = re.compile(r":{3,}[ \t]*")
CODE_FENCE = re.compile(r"(?:[>\s]|[-*+][ \t]|\d{1,9}[.)][ \t])*(?P<fence>`{3,}(?=[^`]*$)|~{3,})")

COUNT = re.compile(
    r"(?:number of col(?:umn)?s|num of col(?:umn)?s|num col(?:umn)?s|col(?:umn)? count)\s*[:=]\s*(\d{1,3})"
)
ID = re.compile(r"(?:region )?id\s*[:=]\s*[\w-]")
DIV_COUNT = re.compile(r"col(?:umn)?-count\s*=\s*\"?(\d{1,3})")
NUMBER_WORDS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}
DEFAULT_COUNT = 2
"""Number of columns in a region that does not specify it, as in the plugin."""


def columns(parser: Parser) -> None:
    """Add the rule."""
    interrupts = ("paragraph", "reference", "blockquote", "list")
    parser.add_block("columns", _parse_region, before="table", interrupts=interrupts, starts="`~-=:\\")


def _parse_region(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    if state.is_code_block(first):
        return False
    start = state.bMarks[first] + state.tShift[first]
    line = _line_text(state, first)
    opening = FENCE_START.fullmatch(line) or TAG_START.fullmatch(line) or DIV_START.fullmatch(line)
    if opening is None:
        return _parse_stray_mark(state, first, silent, line)
    if silent:
        return True
    count, begin, has_id = _read_settings(state, first, end, opening)
    if not has_id:
        span = parse_state(state).source.span(start, state.eMarks[first])
        message = "this multi-column region has no ID, so Obsidian does not show it"
        hint = "add a line ID: with a word of your choice"
        parse_state(state).report(warning("columns-without-id", span, message, hint))
    column_lines, after, closed = _split_columns(state, begin, end, is_div=opening.re is DIV_START)
    if not closed:
        span = parse_state(state).source.span(start, state.eMarks[first])
        hint = "close it with a line --- end-multi-column"
        parse_state(state).report(warning("unclosed-columns", span, "this multi-column region is never closed", hint))
    _push_region(state, (first, after), count, column_lines)
    state.line = after
    return True


def _push_region(state: StateBlock, lines: tuple[int, int], count: int, column_lines: list[tuple[int, int]]) -> None:
    token = state.push("columns_open", "", 1)
    token.map, token.meta["count"] = list(lines), count
    saved_line_max, saved_type, state.parentType = state.lineMax, state.parentType, "columns"
    for begin, stop in column_lines:
        while begin < stop and state.isEmpty(begin):
            begin += 1
        if begin < stop:
            state.push("column_open", "", 1).map = [begin, stop]
            # markdown-it continues a paragraph up to `lineMax`, even beyond the end given to `tokenize`.
            state.lineMax = stop
            state.md.block.tokenize(state, begin, stop)
            state.push("column_close", "", -1)
    state.lineMax, state.parentType = saved_line_max, saved_type
    state.push("columns_close", "", -1)


def _line_text(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _read_settings(state: StateBlock, first: int, end: int, opening: re.Match[str]) -> tuple[int, int, bool]:
    """The number of columns, the first line of the first column, and whether the region has an ID."""
    if opening.re is DIV_START:
        count = DIV_COUNT.search(opening[0])
        return int(count[1]) if count else NUMBER_WORDS.get(opening["word"] or "", DEFAULT_COUNT), first + 1, True
    line, fence, has_id = first, opening.groupdict().get("fence"), bool(opening.groupdict().get("id"))
    if fence is None and first + 1 < end and (settings := SETTINGS.fullmatch(_line_text(state, first + 1))):
        line, fence = first + 1, settings["fence"]
    count = None
    for number in range(line + 1, end if fence else 0):
        text = _line_text(state, number).strip()
        if fence and text.startswith(fence) and not text.strip(fence[0]):
            return int(count[1]) if count else DEFAULT_COUNT, number + 1, has_id
        setting = re.sub(r"[-_ \t]+", " ", text.casefold())
        count = count or COUNT.match(setting)
        has_id = has_id or ID.match(setting) is not None
    return DEFAULT_COUNT, first + 1, has_id


def _split_columns(state: StateBlock, begin: int, end: int, is_div: bool) -> tuple[list[tuple[int, int]], int, bool]:
    """The line range of each column, the line after the region, and whether the end of the region was found."""
    column_lines: list[tuple[int, int]] = []
    last_line = begin
    lines = _lines_outside_code(state, begin, end)
    for line, text in lines:
        if COLUMN_BREAK.fullmatch(text):
            column_lines.append((begin, line))
            begin = line + 1
            if text.startswith(":") and begin < end and DIV_END.fullmatch(_line_text(state, begin)):
                begin = next(lines, (begin, ""))[0] + 1
        elif (DIV_END if is_div else END).fullmatch(text):
            return [*column_lines, (begin, line)], line + 1, True
        elif FENCE_START.fullmatch(text) or TAG_START.fullmatch(text) or DIV_START.fullmatch(text):
            # Regions cannot be nested: a second start means that the end of the first region is missing.
            return [*column_lines, (begin, line)], line, False
        last_line = max(begin, line + 1)
    return [*column_lines, (begin, last_line)], last_line, False


def _lines_outside_code(state: StateBlock, begin: int, end: int) -> Iterator[tuple[int, str]]:
    """The numbers and texts of the lines in the container. Lines in a code fence have an empty text."""
    fence = ""
    for line in range(begin, end):
        if state.sCount[line] < state.blkIndent and not state.isEmpty(line):
            return
        text = _line_text(state, line)
        opening = CODE_FENCE.match(text) if not FENCE_START.fullmatch(text) else None
        if fence:
            bare = text.strip("> \t")
            if bare.startswith(fence) and not bare.strip(fence[0]):
                fence = ""
            yield line, ""
        elif opening:
            fence = opening["fence"]
            yield line, ""
        else:
            yield line, text


def _parse_stray_mark(state: StateBlock, first: int, silent: bool, line: str) -> bool:
    """Read a mark outside a region as a paragraph, and report it."""
    if not END.fullmatch(line) and not (COLUMN_BREAK.fullmatch(line) and not line.startswith((":", "\\"))):
        return False
    if silent:
        return True
    start = state.bMarks[first] + state.tShift[first]
    span = parse_state(state).source.span(start, state.eMarks[first])
    message = "this column mark is outside a multi-column region"
    parse_state(state).report(warning("stray-column-mark", span, message, "start a region above, or delete it"))
    state.push("paragraph_open", "p", 1).map = [first, first + 1]
    inline = state.push("inline", "", 0)
    inline.map, inline.content = [first, first + 1], line.strip()
    state.push("paragraph_close", "p", -1)
    state.line = first + 1
    return True

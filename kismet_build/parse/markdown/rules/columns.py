"""Regions set in columns, in the spellings of the Multi-Column Markdown plugin (OBSIDIAN.md, section 10)."""

import re
from collections.abc import Iterator

from markdown_it.rules_block import StateBlock

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.parser import Parser, reading

NAME = r"(?:start-multi-column|multi-column-start)"
FENCED = re.compile(rf"(?P<fence>`{{3,}}|~{{3,}})[ \t]*{NAME}[ \t]*")
TAGGED = re.compile(rf"(?:---|===)[ \t]*{NAME}(?:[ \t]*:[ \t]*(?P<id>[\w \t-]*?))?[ \t]*(?:---|===)?[ \t]*")
DIVIDED = re.compile(r":{3,}[ \t]*(?:columns|(?P<word>[a-z]+)-columns|\{[^}]*\.columns[^}]*\})[ \t]*:*[ \t]*")
SETTINGS = re.compile(r"(?P<fence>`{3,}|~{3,})[ \t]*(?:column-settings|multi-column-settings|settings)[ \t]*")
BREAK = re.compile(
    r"(?:---|===)[ \t]*(?:column-end|end-column|column-break|break-column)[ \t]*(?:---|===)[ \t]*"
    r"|\\columnbreak[ \t]*|:{3,}[ \t]*columnbreak[ \t]*:*[ \t]*"
)
END = re.compile(r"(?:---|===)[ \t]*(?:end-multi-column|multi-column-end)[ \t]*(?:---|===)?[ \t]*")
DIV_END = re.compile(r":{3,}[ \t]*")
CODE = re.compile(r"(?:[>\s]|[-*+][ \t]|\d{1,9}[.)][ \t])*(?P<fence>`{3,}(?=[^`]*$)|~{3,})")

COUNT = re.compile(
    r"(?:number of col(?:umn)?s|num of col(?:umn)?s|num col(?:umn)?s|col(?:umn)? count)\s*[:=]\s*(\d{1,3})"
)
ID = re.compile(r"(?:region )?id\s*[:=]\s*[\w-]")
DIV_COUNT = re.compile(r"col(?:umn)?-count\s*=\s*\"?(\d{1,3})")
WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
USUAL_COUNT = 2
"""What the plugin takes where nothing is said."""


def columns(parser: Parser) -> None:
    """Add the rule."""
    ends = ("paragraph", "reference", "blockquote", "list")
    parser.add_block("columns", _region, before="table", ends=ends, starts="`~-=:\\")


def _region(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    if state.is_code_block(first):
        return False
    start = state.bMarks[first] + state.tShift[first]
    line = _line(state, first)
    opened = FENCED.fullmatch(line) or TAGGED.fullmatch(line) or DIVIDED.fullmatch(line)
    if opened is None:
        return _stray(state, first, silent, line)
    if silent:
        return True
    count, begin, has_id = _settings(state, first, end, opened)
    if not has_id:
        span = reading(state).source.span(start, state.eMarks[first])
        message, hint = (
            "this region of columns has no ID, so Obsidian does not show it",
            "add a line ID: and a word of your own",
        )
        reading(state).report(warning("columns-without-id", span, message, hint))
    parts, after, closed = _parts(state, begin, end, is_div=opened.re is DIVIDED)
    if not closed:
        span = reading(state).source.span(start, state.eMarks[first])
        hint = "end it with a line --- end-multi-column"
        reading(state).report(warning("unclosed-columns", span, "this region of columns never ends", hint))
    _push(state, (first, after), count, parts)
    state.line = after
    return True


def _push(state: StateBlock, lines: tuple[int, int], count: int, parts: list[tuple[int, int]]) -> None:
    token = state.push("columns_open", "", 1)
    token.map, token.meta["count"] = list(lines), count
    limit, parent, state.parentType = state.lineMax, state.parentType, "columns"
    for begin, stop in parts:
        while begin < stop and state.isEmpty(begin):
            begin += 1
        if begin < stop:
            state.push("column_open", "", 1).map = [begin, stop]
            # A paragraph looks for its end up to the last line, not up to the end of what it is read in.
            state.lineMax = stop
            state.md.block.tokenize(state, begin, stop)
            state.push("column_close", "", -1)
    state.lineMax, state.parentType = limit, parent
    state.push("columns_close", "", -1)


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _settings(state: StateBlock, first: int, end: int, opened: re.Match[str]) -> tuple[int, int, bool]:
    """How many columns are wanted, the line where the first begins, and whether the region has an ID."""
    if opened.re is DIVIDED:
        count = DIV_COUNT.search(opened[0])
        return int(count[1]) if count else WORDS.get(opened["word"] or "", USUAL_COUNT), first + 1, True
    line, fence, has_id = first, opened.groupdict().get("fence"), bool(opened.groupdict().get("id"))
    if fence is None and first + 1 < end and (settings := SETTINGS.fullmatch(_line(state, first + 1))):
        line, fence = first + 1, settings["fence"]
    count = None
    for inside in range(line + 1, end if fence else 0):
        text = _line(state, inside).strip()
        if fence and text.startswith(fence) and not text.strip(fence[0]):
            return int(count[1]) if count else USUAL_COUNT, inside + 1, has_id
        setting = re.sub(r"[-_ \t]+", " ", text.casefold())
        count = count or COUNT.match(setting)
        has_id = has_id or ID.match(setting) is not None
    return USUAL_COUNT, first + 1, has_id


def _parts(state: StateBlock, begin: int, end: int, is_div: bool) -> tuple[list[tuple[int, int]], int, bool]:
    """The lines of each column, the line after the region, and whether its end was found."""
    parts: list[tuple[int, int]] = []
    last = begin
    lines = _outside_code(state, begin, end)
    for line, text in lines:
        if BREAK.fullmatch(text):
            parts.append((begin, line))
            begin = line + 1
            if text.startswith(":") and begin < end and DIV_END.fullmatch(_line(state, begin)):
                begin = next(lines, (begin, ""))[0] + 1
        elif (DIV_END if is_div else END).fullmatch(text):
            return [*parts, (begin, line)], line + 1, True
        elif FENCED.fullmatch(text) or TAGGED.fullmatch(text) or DIVIDED.fullmatch(text):
            # Regions do not nest, so a second start means that the end of the first was forgotten.
            return [*parts, (begin, line)], line, False
        last = max(begin, line + 1)
    return [*parts, (begin, last)], last, False


def _outside_code(state: StateBlock, begin: int, end: int) -> Iterator[tuple[int, str]]:
    """The lines of the container with their text, empty for what stands in a fence."""
    fence = ""
    for line in range(begin, end):
        if state.sCount[line] < state.blkIndent and not state.isEmpty(line):
            return
        text = _line(state, line)
        found = CODE.match(text) if not FENCED.fullmatch(text) else None
        if fence:
            bare = text.strip("> \t")
            if bare.startswith(fence) and not bare.strip(fence[0]):
                fence = ""
            yield line, ""
        elif found:
            fence = found["fence"]
            yield line, ""
        else:
            yield line, text


def _stray(state: StateBlock, first: int, silent: bool, line: str) -> bool:
    """A mark that belongs to no region stays as it is, and is told."""
    if not END.fullmatch(line) and not (BREAK.fullmatch(line) and not line.startswith((":", "\\"))):
        return False
    if silent:
        return True
    start = state.bMarks[first] + state.tShift[first]
    span = reading(state).source.span(start, state.eMarks[first])
    message = "this mark of columns stands outside a region of columns"
    reading(state).report(warning("stray-column-mark", span, message, "begin the region, or delete the mark"))
    state.push("paragraph_open", "p", 1).map = [first, first + 1]
    words = state.push("inline", "", 0)
    words.map, words.content = [first, first + 1], line.strip()
    state.push("paragraph_close", "p", -1)
    state.line = first + 1
    return True

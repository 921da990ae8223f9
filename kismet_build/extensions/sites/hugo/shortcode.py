"""`{{< hint info >}}…{{< /hint >}}`: shortcodes of Hugo.

Known shortcodes are shown. Unknown shortcodes are left out, but their content is shown.
"""

import re
from bisect import bisect_right

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from kismet_build.model.nodes import LONE_SHORTCODE, SHORTCODE
from kismet_build.parse import VIDEO_ADDRESSES
from kismet_build.parse.markdown.parser import Parser, parse_state
from kismet_build.parse.markdown.rules.box import (
    INTERRUPTS,
    TAB,
    TABS,
    UNTITLED,
    Box,
    Title,
    box_tokens,
    line_text,
    move_start,
    parse_rest,
    tokenize_lines,
)
from kismet_build.parse.markdown.rules.marks import push_wrapped
from kismet_build.parse.markdown.shortcodes import ESCAPED, Shortcode, find_shortcodes

GENERAL = frozenset(("admonition", "alert", "box", "callout", "hint", "message", "notice", "panel"))
"""Names of callouts whose kind is an argument."""
KINDS = frozenset(
    (
        *("attention", "caution", "danger", "error", "example", "important", "info", "note", "quote", "success"),
        *("tip", "warning"),
    )
)
"""Names of callouts that are also the kind of the callout."""
WITHOUT_USUAL_TITLE = frozenset(("alert", "callout", "hint"))
"""Names of callouts that have no title unless the author writes one, in all themes that have them."""
FOLDED = frozenset(("collapse", "details", "expand", "spoiler"))
"""Names of callouts that are folded at first."""
USUAL_KIND = "note"
GROUPS = frozenset(("columns", "column", "row", "tabpane", "section", "center"))
"""Names of groups whose content is shown without decoration."""
CODE = frozenset(("code", "highlight", "mermaid"))
KNOWN = GENERAL | KINDS | FOLDED | GROUPS | CODE | VIDEO_ADDRESSES.keys() | {TABS, TAB, "button", "figure"}
"""Names of shortcodes that are not reported."""
COLUMN_BREAK = "<--->"
"""The line between two columns."""
LINK_TAIL = re.compile(r"""\]\(\s*\{\{[<%]\s*(?P<name>[\w./-]+)\s[^{}\n]*?[>%]\}\}[^\s()"]*(?:\s+"[^"\n]*")?\s*\)""")
"""The end of a link whose address is a shortcode that `hugo_references.py` did not replace."""


def shortcode(parser: Parser) -> None:
    """Add the rules for shortcodes on lines of their own, within a line, and as the address of a link."""
    parser.add_block("shortcode", _parse_block, before="table", interrupts=INTERRUPTS, starts="{<")
    parser.add_inline("{", "shortcode", _parse_inline, before="link", stop=r"\{\{[<%]", signs=("{{<", "{{%"))
    parser.add_inline("[", "shortcode_link", _parse_link, before="link", signs=("({{",))


def _codes(state: StateBlock | StateInline) -> dict[int, Shortcode]:
    ours = parse_state(state)
    if ours.shortcodes is None:
        ours.shortcodes = find_shortcodes(ours.source.text)
    return ours.shortcodes


# --- blocks


def _parse_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    start = state.bMarks[first] + state.tShift[first]
    if state.is_code_block(first):
        return False
    code = _codes(state).get(start)
    if code is None:
        is_break = line_text(state, first) == COLUMN_BREAK and bool(_codes(state))
        if is_break and not silent:
            state.line = first + 1
        return is_break
    last = _closing_line(state, code, first, end)
    if last is not None and _is_block(code):
        if not silent:
            _push_blocks(state, code, first, last, end)
        return True
    if _shows(code):
        return False
    after = _after_marks(state, first)
    if after < state.eMarks[first] and state.src[after : state.eMarks[first]].strip():
        return False
    if not silent:
        _push_marks(state, first)
        state.line = first + 1
    return True


def _is_block(code: Shortcode) -> bool:
    return not code.closes and code.name in GENERAL | KINDS | FOLDED | CODE | {TABS, TAB}


def _closing_line(state: StateBlock, code: Shortcode, first: int, end: int) -> int | None:
    """The line of the mark that closes this mark in the same container; `None` if there is none."""
    if code.partner is None or code.closes or code.partner.start >= state.eMarks[end - 1]:
        return None
    last = bisect_right(state.bMarks, code.partner.start, first, end) - 1
    dedents: dict[int, int] = state.env.setdefault("shortcode_dedents", {})
    if first < dedents.get(state.blkIndent, -1) <= last:
        return None
    for line in range(first + 1, last + 1):
        if state.sCount[line] < state.blkIndent and not state.isEmpty(line):
            dedents[state.blkIndent] = line
            return None
    return last


def _push_blocks(state: StateBlock, code: Shortcode, first: int, last: int, end: int) -> None:
    """Push the box or code block between two marks, the boxes after it on the same line, and any text after them."""
    while True:
        assert code.partner is not None
        _push_block(state, code, first, last)
        state.line = last + 1
        after = code.partner.end
        while after < state.eMarks[last] and state.src[after] in " \t":
            after += 1
        if after >= state.eMarks[last]:
            return
        following = _codes(state).get(after)
        next_last = _closing_line(state, following, last, end) if following is not None else None
        if following is None or next_last is None or not _is_block(following):
            break
        code, first, last = following, last, next_last
    parse_rest(state, last, end, after)


def _push_block(state: StateBlock, code: Shortcode, first: int, last: int) -> None:
    closing = code.partner
    assert closing is not None
    if code.name in CODE:
        _push_code(state, code, first, last)
        return
    begin = bisect_right(state.bMarks, code.end - 1, first, last + 1) - 1
    saved = state.bMarks[begin], state.tShift[begin], state.sCount[begin], state.eMarks[last]
    state.eMarks[last] = closing.start
    move_start(state, begin, code.end)
    box, title = _box(state, code)
    with box_tokens(state, box, (first, last + 1), title, (code.start, closing.end)):
        titles = state.env.get("tab_titles")
        if code.name == TABS:
            state.env["tab_titles"] = _items(state, code)
        tokenize_lines(state, begin, last + 1, state.blkIndent)
        state.env["tab_titles"] = titles
    state.bMarks[begin], state.tShift[begin], state.sCount[begin], state.eMarks[last] = saved


def _push_code(state: StateBlock, code: Shortcode, first: int, last: int) -> None:
    assert code.partner is not None
    language = code.argument("lang", "language", place=0)
    token = state.push("fence", "code", 0)
    token.map, token.meta = [first, last + 1], {"span": (code.start, code.partner.end)}
    token.info = code.name if code.name == "mermaid" else state.src[slice(*language)] if language else ""
    token.content = state.src[code.end : code.partner.start].strip("\n") + "\n"


def _box(state: StateBlock, code: Shortcode) -> tuple[Box, Title | None]:
    if code.name in (TABS, TAB):
        title = code.argument("title", "name", "label", "header", place=0) if code.name == TAB else None
        titles: list[tuple[int, int]] | None = state.env.get("tab_titles")
        if code.name == TAB and titles:
            following = titles.pop(0)
            title = title or following
        return Box(name=code.name), _title(state, title)
    if code.name in FOLDED:
        is_open = code.argument("open") is not None or any(
            state.src[slice(*place)] in ("open", "true") for place in code.arguments[1:]
        )
        title = code.argument("title", "summary", place=0)
        return Box(kind="details", fold="+" if is_open else "-"), _title(state, title)
    if code.name in KINDS:
        return Box(kind=code.name.casefold()), _title(state, code.argument("title", "header", place=0))
    kind = code.argument("type", "kind", "style", "color", "context", "level", place=0)
    has_key = kind is not None and kind not in code.arguments
    title = code.argument("title", "header", "heading", place=0 if has_key else 1)
    name = "-".join(re.findall(r"\w+", state.src[slice(*kind)])) if kind else ""
    place = code.argument("id")
    block_id = state.src[slice(*place)] if place else ""
    if title is None and code.name in WITHOUT_USUAL_TITLE:
        return Box(name=UNTITLED, block_id=block_id), None
    return Box(kind=name.casefold() or USUAL_KIND, block_id=block_id), _title(state, title)


def _title(state: StateBlock, place: tuple[int, int] | None) -> Title | None:
    return Title(state.src[slice(*place)], place[0]) if place else None


def _items(state: StateBlock, code: Shortcode) -> list[tuple[int, int]]:
    """The titles of tabs that are listed in one argument of the group."""
    place = code.argument("items")
    if place is None:
        return []
    words = re.finditer(r"[^\s,][^,]*", state.src[slice(*place)])
    return [(place[0] + word.start(), place[0] + word.end()) for word in words]


def _after_marks(state: StateBlock, line: int) -> int:
    """The end of the invisible marks at the start of a line."""
    codes = _codes(state)
    position, end = state.bMarks[line] + state.tShift[line], state.eMarks[line]
    while (code := codes.get(position)) is not None and code.end <= end and not _shows(code):
        position = code.end
        while position < end and state.src[position] in " \t":
            position += 1
    return position


def _shows(code: Shortcode) -> bool:
    return code.name in VIDEO_ADDRESSES or code.name in ("button", "figure")


def _push_marks(state: StateBlock, line: int) -> None:
    codes = _codes(state)
    position, end = state.bMarks[line] + state.tShift[line], state.eMarks[line]
    while position < end:
        code = codes.get(position)
        if code is not None and not code.closes and code.name not in KNOWN:
            token = state.push("foreign_block", "", 0)
            token.info = SHORTCODE if code.partner else LONE_SHORTCODE
            token.map, token.meta = [line, line + 1], {"span": (code.start, code.end)}
        position = code.end if code is not None else position + 1


# --- inlines


def _parse_inline(state: StateInline, silent: bool) -> bool:
    escaped = ESCAPED.match(state.src, state.pos, state.posMax)
    if escaped is not None:
        if not silent:
            words = " ".join(escaped["words"].split())
            token = state.push("replaced", "", 0)
            token.content = f"{{{{{escaped['open']} {words} {escaped['close']}}}}}"
            token.map = [*escaped.span()]
        state.pos = escaped.end()
        return True
    ours = parse_state(state)
    base = state.pos + getattr(state, "base", 0)
    code = _codes(state).get(ours.content.source_offset(base))
    if code is None or (after := state.pos + _length(state, code)) > state.posMax:
        return False
    if silent:
        state.pos = after
        return True
    if state.pending:
        state.pushPending()
    if code.name == "figure":
        _push_figure(state, code, after)
    elif code.name == "button" and not code.closes:
        _push_button(state, code, after)
    elif code.name in VIDEO_ADDRESSES and not code.closes:
        _push_video(state, code, after)
    elif not code.closes and code.name not in KNOWN:
        token = state.push("foreign", "", 0)
        token.map, token.info = [state.pos, after], SHORTCODE if code.partner else LONE_SHORTCODE
    state.pos = max(after, state.pos)
    return True


def _length(state: StateInline, code: Shortcode) -> int:
    """The length of a mark in the content, in which lines have lost their indents."""
    content, base = parse_state(state).content, getattr(state, "base", 0)
    return content.position(code.end - 1) + 1 - base - state.pos


def _range(state: StateInline, place: tuple[int, int]) -> tuple[int, int]:
    content, base = parse_state(state).content, getattr(state, "base", 0)
    return content.position(place[0]) - base, content.position(place[1]) - base


def _push_figure(state: StateInline, code: Shortcode, after: int) -> None:
    source = parse_state(state).source.text
    opening = state.pos
    address = code.argument("src", place=0)
    words = code.argument("alt")
    if address is not None:
        token = state.push("figure", "", 0)
        token.map = [opening, opening + 1]
        token.meta = {"target": source[slice(*address)], "words": source[slice(*words)] if words else ""}
    at = opening + 1
    for key in ("title", "caption"):
        place = code.argument(key)
        if place is not None and place[0] < place[1]:
            start, end = _range(state, place)
            # Arguments may be in any order. All text up to the last argument that is shown is part of the mark.
            if start < at:
                continue
            space = state.push("text", "", 0)
            space.content, space.map = " ", [at, at]
            push_wrapped(state, "em", "em", at, (start, end), end)
            at = end
    state.pos = after


def _push_button(state: StateInline, code: Shortcode, after: int) -> None:
    source = parse_state(state).source.text
    address = code.argument("href", "relref", "url", "link", "path", place=0)
    partner = code.partner
    end = _range(state, (partner.start, partner.end)) if partner is not None else (0, 0)
    if address is None or not after <= end[0] < end[1] <= state.posMax:
        return
    opening = state.pos
    push_wrapped(state, "link", "a", opening, (after, end[0]), end[1])
    for token in reversed(state.tokens):
        if token.type == "link_open" and token.map == [opening, after]:
            token.attrs = {"href": source[slice(*address)]}
            token.map = [opening, end[1]]
            break


def _push_video(state: StateInline, code: Shortcode, after: int) -> None:
    """Push a link that shows its address."""
    place = code.argument("id", place=0)
    if place is None:
        return
    address = VIDEO_ADDRESSES[code.name] + parse_state(state).source.text[slice(*place)]
    token = state.push("link_open", "a", 1)
    token.attrs, token.map = {"href": address}, [state.pos, after]
    text = state.push("text", "", 0)
    text.content, text.map = address, list(_range(state, place))
    state.push("link_close", "a", -1).map = [after, after]


def _parse_link(state: StateInline, silent: bool) -> bool:
    """Match `[words]({{< shortcode >}})`. The address is unknown, so only the words stay."""
    closing = state.md.helpers.parseLinkLabel(state, state.pos, True)
    tail = LINK_TAIL.match(state.src, closing, state.posMax) if closing > state.pos else None
    if tail is None:
        return False
    if silent:
        state.pos = tail.end()
        return True
    limit = state.posMax
    if state.pending:
        state.pushPending()
    state.pos, state.posMax = state.pos + 1, closing
    state.md.inline.tokenize(state)
    state.pos, state.posMax = tail.end(), limit
    if tail["name"] not in KNOWN:
        token = state.push("foreign", "", 0)
        token.map, token.info = [closing, tail.end()], SHORTCODE
    return True

"""Dispatch block rules by the first character of a line, and record the span of each block token."""

from collections.abc import Mapping

from markdown_it.common.utils import MD_TRIM_CHARS as TRIMMED
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from kismet_build.parse.markdown.state import MappedText

STARTS = {
    "fence": "`~",
    "blockquote": ">",
    "hr": "*-_",
    "list": "*+-0123456789",
    "reference": "[",
    "html_block": "<",
    "heading": "#",
}
"""First characters of the lines on which these CommonMark block rules can match. Our own rules may
also have first characters. A rule without any is always tried.

A rule with the wrong characters silently stops working: docs/decisions/0003-parser.md.
"""

Rules = tuple[RuleFuncBlockType, ...]


class BlockRules(Ruler[RuleFuncBlockType]):
    """A list of block rules. On each line, it tries only the rules that can match at the first character.

    The spans of the pushed tokens are set right after each rule, because the container indents in the state change
    later.
    """

    def __init__(self) -> None:
        super().__init__()
        self.starts = dict(STARTS)
        self.dispatchers: dict[str, list[RuleFuncBlockType]] = {}
        """One dispatching rule for each chain, by the name of the chain."""

    def getRules(self, chainName: str = "") -> list[RuleFuncBlockType]:  # noqa: N802, N803
        if chainName not in self.dispatchers:
            chain = [rule for rule in self.__rules__ if rule.enabled and (not chainName or chainName in rule.alt)]
            characters = {character for rule in chain for character in self.starts.get(rule.name, "")}
            rules_at = {
                character: tuple(rule.fn for rule in chain if character in self.starts.get(rule.name, character))
                for character in characters
            }
            other_rules = tuple(rule.fn for rule in chain if rule.name not in self.starts)
            dispatch = _dispatcher(rules_at, other_rules)
            self.dispatchers[chainName] = [dispatch if chainName else _with_spans(dispatch)]
        return self.dispatchers[chainName]


def _dispatcher(rules_at: Mapping[str, Rules], other_rules: Rules) -> RuleFuncBlockType:
    """A rule that tries the rules for a line's first character, or else `other_rules`."""

    def dispatch(state: StateBlock, first: int, end: int, silent: bool) -> bool:
        start = state.bMarks[first] + state.tShift[first]
        for rule in rules_at.get(state.src[start : start + 1], other_rules):  # noqa: SIM110 - a generator is slower
            if rule(state, first, end, silent):
                return True
        return False

    return dispatch


def _with_spans(dispatch: RuleFuncBlockType) -> RuleFuncBlockType:
    """A rule that sets span and content of the tokens pushed by another rule."""

    def dispatch_and_set_spans(state: StateBlock, first: int, end: int, silent: bool) -> bool:
        count = len(state.tokens)
        if not dispatch(state, first, end, silent):
            return False
        for token in state.tokens[count:]:
            if token.map is not None and "span" not in token.meta:
                token.meta["span"] = _span(state, *token.map)
                if token.type == "inline" and "content" not in token.meta:
                    is_heading = state.tokens[count].markup.startswith("#")
                    token.meta["content"] = (_heading_content if is_heading else _lines_content)(state, token)
        return True

    return dispatch_and_set_spans


def _span(state: StateBlock, first: int, end: int) -> tuple[int, int]:
    """The offsets of the lines from `first` up to `end`, without trailing blank lines."""
    while end - 1 > first and state.isEmpty(end - 1):
        end -= 1
    start = state.bMarks[first] + state.tShift[first]
    return start, max(start, state.eMarks[end - 1])


def _heading_content(state: StateBlock, token: Token) -> MappedText:
    """The content of a one-line heading, after the marks and spaces at its start."""
    assert token.map is not None
    line = token.map[0]
    start, end = state.bMarks[line] + state.tShift[line], state.eMarks[line]
    while start < end and state.src[start] == "#":
        start += 1
    while start < end and state.src[start] in TRIMMED:
        start += 1
    return MappedText(token.content, ((0, start),))


def _lines_content(state: StateBlock, token: Token) -> MappedText:
    """The content of a block of several lines. Apart from white space, each line is the end of a source line."""
    assert token.map is not None
    first, after = token.map
    start = state.bMarks[first] + state.tShift[first]
    if after - first == 1 and state.src.startswith(token.content, start):
        return MappedText(token.content, ((0, start),))
    segments: list[tuple[int, int]] = []
    position = 0
    lines = token.content.split("\n")
    for number in range(first, after):
        start = state.bMarks[number] + state.tShift[number]
        end = start + len(state.src[start : state.eMarks[number]].rstrip(TRIMMED))
        if not lines or (end <= start and lines[0].strip(TRIMMED)):
            continue
        line = lines.pop(0)
        bare = line.strip(TRIMMED)
        indent = len(line) - len(line.lstrip(TRIMMED))
        offset = end - len(bare) - indent if bare else state.eMarks[number] - len(line)
        segments.append((position, max(offset, 0)))
        position += len(line) + 1
    start = state.bMarks[first] + state.tShift[first]
    content = MappedText(token.content, tuple(segments) or ((0, start),))
    # After tabs in nested quotes, markdown-it counts a list marker as part of the content.
    return content.tail(max(start - content.source_offset(0), 0))

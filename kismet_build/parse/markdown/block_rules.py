"""Block rules that are asked only where they can start, and whose tokens know their place."""

from collections.abc import Mapping

from markdown_it.common.utils import MD_TRIM_CHARS as TRIMMED
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from kismet_build.parse.markdown.state import Content

STARTS = {
    "fence": "`~",
    "blockquote": ">",
    "hr": "*-_",
    "list": "*+-0123456789",
    "reference": "[",
    "html_block": "<",
    "heading": "#",
}
"""The characters that lines begin with where these block rules of CommonMark can start; others start with any."""


class BlockRules(Ruler[RuleFuncBlockType]):
    """Block rules, of which only those are asked that can start with the character at hand.

    What a rule pushed is placed right after it, while the marks of its containers are known.
    """

    def __init__(self) -> None:
        super().__init__()
        self.starts = dict(STARTS)
        self.asking: dict[str, list[RuleFuncBlockType]] = {}

    def getRules(self, chainName: str = "") -> list[RuleFuncBlockType]:  # noqa: N802, N803
        if chainName not in self.asking:
            chain = [rule for rule in self.__rules__ if rule.enabled and (not chainName or chainName in rule.alt)]
            characters = {character for rule in chain for character in self.starts.get(rule.name, "")}
            rules_at = {
                character: tuple(rule.fn for rule in chain if character in self.starts.get(rule.name, character))
                for character in characters
            }
            others = tuple(rule.fn for rule in chain if rule.name not in self.starts)
            ask = _asking(rules_at, others)
            self.asking[chainName] = [ask if chainName else _placing(ask)]
        return self.asking[chainName]


Rules = tuple[RuleFuncBlockType, ...]


def _asking(rules_at: Mapping[str, Rules], others: Rules) -> RuleFuncBlockType:
    """One rule in the place of several: sorted by the characters that they start with, and those for any other."""

    def ask(state: StateBlock, first: int, end: int, silent: bool) -> bool:
        start = state.bMarks[first] + state.tShift[first]
        for rule in rules_at.get(state.src[start : start + 1], others):  # noqa: SIM110 - a generator is slower
            if rule(state, first, end, silent):
                return True
        return False

    return ask


def _placing(ask: RuleFuncBlockType) -> RuleFuncBlockType:
    def placed(state: StateBlock, first: int, end: int, silent: bool) -> bool:
        count = len(state.tokens)
        if not ask(state, first, end, silent):
            return False
        for token in state.tokens[count:]:
            if token.map is not None and "span" not in token.meta:
                token.meta["span"] = _span(state, *token.map)
                if token.type == "inline" and "content" not in token.meta:
                    heading = state.tokens[count].markup.startswith("#")
                    token.meta["content"] = (_heading_words if heading else _words)(state, token)
        return True

    return placed


def _span(state: StateBlock, first: int, end: int) -> tuple[int, int]:
    while end - 1 > first and state.isEmpty(end - 1):
        end -= 1
    start = state.bMarks[first] + state.tShift[first]
    return start, max(start, state.eMarks[end - 1])


def _heading_words(state: StateBlock, token: Token) -> Content:
    """The words of a heading on one line begin after its marks and spaces."""
    assert token.map is not None
    line = token.map[0]
    start, end = state.bMarks[line] + state.tShift[line], state.eMarks[line]
    while start < end and state.src[start] == "#":
        start += 1
    while start < end and state.src[start] in TRIMMED:
        start += 1
    return Content(token.content, ((0, start),))


def _words(state: StateBlock, token: Token) -> Content:
    """The words of lines: each line of them is the end of a line of the source, spaces apart."""
    assert token.map is not None
    first, after = token.map
    start = state.bMarks[first] + state.tShift[first]
    if after - first == 1 and state.src.startswith(token.content, start):
        return Content(token.content, ((0, start),))
    pieces: list[tuple[int, int]] = []
    position = 0
    lines = token.content.split("\n")
    for line in range(first, after):
        start = state.bMarks[line] + state.tShift[line]
        end = start + len(state.src[start : state.eMarks[line]].rstrip(TRIMMED))
        if not lines or (end <= start and lines[0].strip(TRIMMED)):
            continue
        typed = lines.pop(0)
        bare = typed.strip(TRIMMED)
        before = len(typed) - len(typed.lstrip(TRIMMED))
        pieces.append((position, max(end - len(bare) - before if bare else state.eMarks[line] - len(typed), 0)))
        position += len(typed) + 1
    start = state.bMarks[token.map[0]] + state.tShift[token.map[0]]
    words = Content(token.content, tuple(pieces) or ((0, start),))
    # After tabs in nested quotes markdown-it takes the mark of a list for words of it.
    return words.part(max(start - words.offset(0), 0))

"""Dispatch inline rules by character, and record the position of each inline token."""

import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.common.html_re import HTML_TAG_RE
from markdown_it.parser_inline import ParserInline, RuleFuncInlineType
from markdown_it.rules_inline import StateInline, html_inline
from markdown_it.token import Token

STARTS = {
    "newline": "\n",
    "escape": "\\",
    "backticks": "`",
    "strikethrough": "~",
    "emphasis": "*_",
    "link": "[",
    "image": "!",
    "autolink": "<",
    "html_inline": "<",
    "entity": "&",
}
"""The characters at which each CommonMark inline rule can match."""

MAX_NESTING = 60
"""Maximum nesting depth: more than any text needs, and within Python's recursion limit."""


class PositionedState(StateInline):
    """State of the inline parser that also records where pending text starts."""

    base = 0
    """The start of the parsed text in the content of the block: after `![` for the label of an image, otherwise 0."""
    pending_start = 0
    last_bracket: int | None = None
    """Position of the last closing bracket in the text, or -1; found when first needed."""
    unclosed: dict[tuple[str, int], int] | None = None
    """A position after which a closing mark does not occur, by the mark and the end of the text."""

    def append_pending(self, text: str) -> None:
        if not self._pending and not self._pending_buffer:
            self.pending_start = self.pos
        super().append_pending(text)

    def pushPending(self) -> Token:  # noqa: N802
        token = super().pushPending()
        token.map = [self.pending_start, self.pending_start + len(token.content)]
        return token


class _RuleIndex(NamedTuple):
    """The inline rules that apply to a text."""

    at: Mapping[str, tuple[RuleFuncInlineType, ...]]
    """Rules by the character at which they can match."""
    stop: re.Pattern[str]
    """Matches where plain text ends: at closing brackets, and where a rule can match."""


class InlineRules(ParserInline):
    """An inline parser that tries only the rules that can match at the current character."""

    def __init__(self) -> None:
        super().__init__()
        self.ruler.at("html_inline", _html_inline)
        self.starts = dict(STARTS)
        self.stops: dict[str, str] = {}
        self.signs: dict[str, tuple[str, ...]] = {}
        self.indexes: dict[frozenset[str], _RuleIndex] = {}
        """Cache of rule indexes, by the names of the rules that each leaves out."""

    def rules_for(self, text: str) -> _RuleIndex:
        """The active rules, without rules whose characters do not occur in the text."""
        lower = text.lower()
        unused = frozenset(name for name, signs in self.signs.items() if not any(sign in lower for sign in signs))
        if unused not in self.indexes:
            self.indexes[unused] = self._index_without(unused)
        return self.indexes[unused]

    def _index_without(self, unused: Collection[str]) -> _RuleIndex:
        active = zip(self.ruler.get_active_rules(), self.ruler.getRules(), strict=True)
        used = [(name, rule) for name, rule in active if name not in unused]
        characters = sorted({character for name, _ in used for character in self.starts[name]})
        rules_at = {
            character: tuple(rule for name, rule in used if character in self.starts[name]) for character in characters
        }
        plain = {character for name, _ in used if name not in self.stops for character in self.starts[name]}
        # The search is four times as fast if each alternative begins with a different character.
        patterns = [
            *map(re.escape, sorted(plain | {"]"})),
            *(self.stops[name] for name, _ in used if name in self.stops),
        ]
        return _RuleIndex(rules_at, re.compile("|".join(patterns)))

    def parse(self, src: str, md: MarkdownIt, env: Any, tokens: list[Token]) -> list[Token]:
        state = PositionedState(src, md, env, tokens)
        outer: PositionedState | None = env.get("inline_state")
        if outer is not None:  # image rules parse the label while positioned at the image
            state.base = outer.base + outer.pos + len("![")
        env["inline_state"] = state
        self.tokenize(state)
        env["inline_state"] = outer
        # The second pass pairs delimiters. Most content has no delimiters.
        if state.delimiters or any(meta and meta["delimiters"] for meta in state.tokens_meta):
            for rule in self.ruler2.getRules():
                rule(state)
        return tokens

    def tokenize(self, state: StateInline) -> None:
        rules_at, stop = state.env["rules"]
        end, tokens = state.posMax, state.tokens
        while state.pos < end:
            start, count = state.pos, len(tokens)
            if state.level < MAX_NESTING:
                for rule in rules_at.get(state.src[start], ()):
                    if rule(state, False):
                        break
            if state.pos > start:
                _set_positions(tokens[count:], start, state.pos)
            else:
                match = stop.search(state.src, start + 1, end)
                text_end = match.start() if match else end
                state.append_pending(state.src[start:text_end])
                state.pos = text_end
        if state.pending:
            state.pushPending()

    def skipToken(self, state: StateInline) -> None:  # noqa: N802
        start = state.pos
        if start in state.cache:
            state.pos = state.cache[start]
            return
        rules_at, stop = state.env["rules"]
        rules = rules_at.get(state.src[start], ())
        if state.level >= MAX_NESTING:
            state.pos = state.posMax
        elif rules:
            state.level += 1
            for rule in rules:
                if rule(state, True):
                    break
            else:
                # Link labels are scanned token by token. If no rule matches at a bracket, the bracket is a single
                # character.
                state.pos = start + 1
            state.level -= 1
        else:
            match = stop.search(state.src, start + 1, state.posMax)
            state.pos = match.start() if match else state.posMax
        state.cache[start] = state.pos


def parse_link_label(state: StateInline, start: int, disableNested: bool = False) -> int:  # noqa: N803
    """The position of the bracket that closes the bracket at `start`, or -1 if it is never closed.

    Replaces markdown-it's function, which scans to the end of the text for each bracket that stays open. Brackets
    nested deeper than `MAX_NESTING` do not belong to a link.
    """
    assert isinstance(state, PositionedState)
    if state.last_bracket is None:
        state.last_bracket = state.src.rfind("]")
    if start > state.last_bracket:
        return -1
    old, state.pos = state.pos, start + 1
    level, closing = 1, -1
    while state.pos < state.posMax and level <= MAX_NESTING:
        position, character = state.pos, state.src[state.pos]
        level -= character == "]"
        if not level:
            closing = position
            break
        state.md.inline.skipToken(state)
        if character == "[":
            if state.pos == position + 1:
                level += 1
            elif disableNested:
                break
    state.pos = old
    return closing


def _html_inline(state: StateInline, silent: bool) -> bool:
    """Match a tag that ends within the text: in the label of a wiki link, markdown-it would read past the label."""
    if state.posMax < len(state.src) and HTML_TAG_RE.match(state.src, state.pos, state.posMax) is None:
        return False
    return html_inline(state, silent)


def _set_positions(tokens: list[Token], start: int, end: int) -> None:
    """Set the positions of the tokens pushed by one rule. A run of emphasis marks has one token for each mark."""
    position = start
    for token in tokens:
        if token.map is not None:
            continue
        if token.type == "text":
            token.map = [position, position + len(token.content)]
            position = token.map[1]
        else:
            token.map = [start, end]

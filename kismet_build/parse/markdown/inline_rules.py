"""Inline rules that are asked only where they can begin, and whose tokens know their place."""

import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline, RuleFuncInlineType
from markdown_it.rules_inline import StateInline
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
"""The characters that each inline rule of CommonMark can start with."""

MAXIMAL_NESTING = 60
"""Deeper than any text goes, and shallow enough for the stack of Python."""


class _PlacedState(StateInline):
    """The words of a block while they are read; remembers where plain text began."""

    begun = 0

    def append_pending(self, text: str) -> None:
        if not self._pending and not self._pending_buffer:
            self.begun = self.pos
        super().append_pending(text)

    def pushPending(self) -> Token:  # noqa: N802
        token = super().pushPending()
        token.map = [self.begun, self.begun + len(token.content)]
        return token


class _Rules(NamedTuple):
    """The inline rules that are asked in a text."""

    at: Mapping[str, tuple[RuleFuncInlineType, ...]]
    """Those that can begin with a character."""
    stop: re.Pattern[str]
    """Where one may begin, or a bracket closes."""


class InlineRules(ParserInline):
    """An inline parser that asks only rules which can begin with the character at hand."""

    def __init__(self) -> None:
        super().__init__()
        self.starts = dict(STARTS)
        self.stops: dict[str, str] = {}
        self.signs: dict[str, tuple[str, ...]] = {}
        self.sorted: dict[frozenset[str], _Rules] = {}

    def rules_for(self, text: str) -> _Rules:
        """The active rules but for those of which a text has no sign."""
        lower = text.lower()
        idle = frozenset(name for name, signs in self.signs.items() if not any(sign in lower for sign in signs))
        if idle not in self.sorted:
            self.sorted[idle] = self.without(idle)
        return self.sorted[idle]

    def without(self, idle: Collection[str]) -> _Rules:
        """The active rules but for some, sorted by the characters that they begin with."""
        active = zip(self.ruler.get_active_rules(), self.ruler.getRules(), strict=True)
        asked = [(name, rule) for name, rule in active if name not in idle]
        characters = sorted({character for name, _ in asked for character in self.starts[name]})
        rules_at = {
            character: tuple(rule for name, rule in asked if character in self.starts[name]) for character in characters
        }
        plain = {character for name, _ in asked if name not in self.stops for character in self.starts[name]}
        # Where each alternative begins with a character of its own, all others are passed over four times as fast.
        patterns = [
            *map(re.escape, sorted(plain | {"]"})),
            *(self.stops[name] for name, _ in asked if name in self.stops),
        ]
        return _Rules(rules_at, re.compile("|".join(patterns)))

    def parse(self, src: str, md: MarkdownIt, env: Any, tokens: list[Token]) -> list[Token]:
        state = _PlacedState(src, md, env, tokens)
        self.tokenize(state)
        # Marks come in pairs; most words have none.
        if state.delimiters or any(meta and meta["delimiters"] for meta in state.tokens_meta):
            for rule in self.ruler2.getRules():
                rule(state)
        return tokens

    def tokenize(self, state: StateInline) -> None:
        rules_at, stops = state.env["rules"]
        end, tokens = state.posMax, state.tokens
        while state.pos < end:
            start, count = state.pos, len(tokens)
            if state.level < MAXIMAL_NESTING:
                for rule in rules_at.get(state.src[start], ()):
                    if rule(state, False):
                        break
            if state.pos > start:
                _place(tokens[count:], start, state.pos)
            else:
                stop = stops.search(state.src, start + 1, end)
                to = stop.start() if stop else end
                state.append_pending(state.src[start:to])
                state.pos = to
        if state.pending:
            state.pushPending()

    def skipToken(self, state: StateInline) -> None:  # noqa: N802
        start = state.pos
        if start in state.cache:
            state.pos = state.cache[start]
            return
        rules_at, stops = state.env["rules"]
        rules = rules_at.get(state.src[start], ())
        if state.level >= MAXIMAL_NESTING:
            state.pos = state.posMax
        elif rules:
            state.level += 1
            for rule in rules:
                if rule(state, True):
                    break
            else:
                # The label of a link is measured in steps: a bracket that opens nothing is one character.
                state.pos = start + 1
            state.level -= 1
        else:
            stop = stops.search(state.src, start + 1, state.posMax)
            state.pos = stop.start() if stop else state.posMax
        state.cache[start] = state.pos


def _place(tokens: list[Token], start: int, end: int) -> None:
    """Give what one rule pushed its place; the marks of emphasis come as one token for each."""
    at = start
    for token in tokens:
        if token.map is not None:
            continue
        if token.type == "text":
            token.map = [at, at + len(token.content)]
            at = token.map[1]
        else:
            token.map = [start, end]

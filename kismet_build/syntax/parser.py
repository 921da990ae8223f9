"""Parse Markdown into tokens that know their place: markdown-it with spans."""

import re
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.common.utils import MD_TRIM_CHARS as TRIMMED
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.parser_inline import ParserInline, RuleFuncInlineType
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from kismet_build.diagnostic import warning
from kismet_build.syntax.plain_emphasis import mark
from kismet_build.syntax.plain_link import link
from kismet_build.syntax.reading import Content, Reading

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

BLOCK_STARTS = {
    "fence": "`~",
    "blockquote": ">",
    "hr": "*-_",
    "list": "*+-0123456789",
    "reference": "[",
    "html_block": "<",
    "heading": "#",
}
"""The characters that lines begin with where these block rules of CommonMark can start; others start with any."""

MAXIMAL_NESTING = 60
"""Deeper than any text goes, and shallow enough for the stack of Python."""

Step = Callable[[list[Token], Reading], None]
"""What is done to the tokens of all blocks before their words are read."""


class Parser(MarkdownIt):
    """A Markdown parser that gives every block `meta["span"]` and every inline token a `map` into its words."""

    def __init__(self) -> None:
        # markdown-it drops what is nested too deep; the first of our rules keeps it.
        super().__init__("commonmark", {"maxNesting": sys.maxsize})
        rules = self.get_active_rules()
        self.words = _Words()
        self.inline = self.words
        self.inline.ruler.enableOnly([name for name in rules["inline"] if name in STARTS])
        self.inline.ruler.at("emphasis", mark)
        self.inline.ruler.at("link", link)
        self.inline.ruler2.enableOnly(["balance_pairs", "emphasis"])
        self.blocks = _BlockRules()
        self.blocks.__rules__ = self.block.ruler.__rules__
        self.block.ruler = self.blocks
        self.add_block("nesting", _nesting, before="table")
        self.steps: list[Step] = []

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the name is markdown-it's
        """The address as the author typed it: encoding it is for emitters."""
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        """The words for an address, as typed."""
        return link

    def validateLink(self, url: str) -> bool:  # noqa: N802, ARG002
        """Every address may stand in the model; emitters decide what may be followed."""
        return True

    def tokens(self, text: str, reading: Reading) -> list[Token]:
        """The tokens of a text, with `children` for all words; none where they are read as they stand."""
        env: dict[str, Any] = {"reading": reading, "rules": self.words.rules_for(text)}
        found: list[Token] = []
        self.block.parse(text, self, env, found)
        for step in self.steps:
            step(found, reading)
        for token in found:
            if token.type == "inline":
                token.children = self._inside(token.meta["content"], env)
            elif token.type == "row":
                for cell in token.meta["cells"]:
                    for passage in cell:
                        passage.tokens = self._inside(passage.content, env)
        return found

    def _inside(self, content: Content, env: dict[str, Any]) -> list[Token] | None:
        """The tokens of some words; `None` where they are read as they stand."""
        if not env["rules"].stop.search(content.text):
            return None
        env["reading"].content = content
        return self.inline.parse(content.text, self, env, [])

    def add_inline(
        self,
        starts: str,
        name: str,
        rule: RuleFuncInlineType,
        before: str = "link",
        stop: str = "",
        signs: tuple[str, ...] = (),
    ) -> None:
        """Add an inline rule for words that begin with one of some characters.

        `stop` is a pattern for where it may begin, if that is not wherever one of the characters stands. In a text
        without any of the `signs`, which are in lower case, it begins nowhere.
        """
        self.words.starts[name] = starts
        if stop:
            self.words.stops[name] = stop
        if signs:
            self.words.signs[name] = signs
        self.inline.ruler.before(before, name, rule)

    def add_block(
        self, name: str, rule: RuleFuncBlockType, before: str, ends: tuple[str, ...] = (), starts: str = ""
    ) -> None:
        """Add a block rule; it also ends a block of the sorts given when it begins inside one.

        `starts` holds the characters that a line begins with where it may start, if those are not all.
        """
        self.blocks.before(before, name, rule, {"alt": list(ends)})
        if starts:
            self.blocks.starts[name] = starts


def reading(state: StateBlock | StateInline) -> Reading:
    """What is known about the text that a rule reads."""
    found: Reading = state.env["reading"]
    return found


def _nesting(state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    """What stands too deep inside other blocks is read as words."""
    if silent or state.level < MAXIMAL_NESTING:
        return False
    start = state.bMarks[first] + state.tShift[first]
    span = reading(state).source.span(start, state.eMarks[first])
    message = f"this stands inside more than {MAXIMAL_NESTING} blocks, and is read as plain words"
    reading(state).report(warning("deep-nesting", span, message, "take it out of some of its lists and quotes"))
    state.push("paragraph_open", "p", 1).map = [first, first + 1]
    words = state.push("inline", "", 0)
    words.map, words.content = [first, first + 1], state.src[start : state.eMarks[first]].strip(TRIMMED)
    state.push("paragraph_close", "p", -1)
    state.line = first + 1
    return True


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
    """Where one may begin, or a bracket closes; words without such a place are read as they stand."""


class _Words(ParserInline):
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
        plain = "".join(self.starts[name] for name, _ in asked if name not in self.stops)
        patterns = [f"[{re.escape(plain)}\\]]", *(self.stops[name] for name, _ in asked if name in self.stops)]
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


BlockRules = tuple[RuleFuncBlockType, ...]


class _BlockRules(Ruler[RuleFuncBlockType]):
    """Block rules, of which only those are asked that can start with the character at hand.

    What a rule pushed is placed right after it, while the marks of its containers are known.
    """

    def __init__(self) -> None:
        super().__init__()
        self.starts = dict(BLOCK_STARTS)
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


def _asking(rules_at: Mapping[str, BlockRules], others: BlockRules) -> RuleFuncBlockType:
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

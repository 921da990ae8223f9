"""Parse Markdown into tokens that know their place: markdown-it with spans."""

import sys
from collections.abc import Callable
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import MD_TRIM_CHARS as TRIMMED
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.parser_inline import RuleFuncInlineType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.block_rules import BlockRules
from kismet_build.parse.markdown.inline_rules import MAXIMAL_NESTING, InlineRules
from kismet_build.parse.markdown.state import Content, Reading

Step = Callable[[list[Token], Reading], None]
"""What is done to the tokens of all blocks before their words are read."""


class Parser(MarkdownIt):
    """A Markdown parser that gives every block `meta["span"]` and every inline token a `map` into its words."""

    def __init__(self) -> None:
        # markdown-it drops what is nested too deep; the first of our rules keeps it.
        super().__init__("commonmark", {"maxNesting": sys.maxsize})
        rules = self.get_active_rules()
        self.words = InlineRules()
        self.inline = self.words
        self.inline.ruler.enableOnly([name for name in rules["inline"] if name in self.words.starts])
        self.inline.ruler2.enableOnly(["balance_pairs", "emphasis"])
        self.blocks = BlockRules()
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
        """Parse a text into tokens, with `children` for the inline content of each block."""
        env: dict[str, Any] = {"reading": reading, "rules": self.words.rules_for(text)}
        found: list[Token] = []
        self.block.parse(text, self, env, found)
        for step in self.steps:
            step(found, reading)
        for token in found:
            if token.type == "inline":
                token.children = self._parse_inline(token.meta["content"], env)
            elif token.type == "row":
                for cell in token.meta["cells"]:
                    for passage in cell:
                        passage.tokens = self._parse_inline(passage.content, env)
        return found

    def _parse_inline(self, content: Content, env: dict[str, Any]) -> list[Token]:
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

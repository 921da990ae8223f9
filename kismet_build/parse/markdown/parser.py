"""Parse Markdown into tokens with source positions, using markdown-it and our own rules."""

import sys
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any

from markdown_it import MarkdownIt, helpers
from markdown_it.common.utils import MD_TRIM_CHARS as TRIMMED
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.parser_inline import RuleFuncInlineType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from kismet_build.model.diagnostic import warning
from kismet_build.parse.markdown.block_rules import BlockRules
from kismet_build.parse.markdown.inline_rules import MAX_NESTING, InlineRules, parse_link_label
from kismet_build.parse.markdown.state import CellParagraph, MappedText, ParseState

TokenTransform = Callable[[list[Token], ParseState], None]
"""Changes the block tokens of a text in place, before their inline content is parsed."""


class Parser(MarkdownIt):
    """A Markdown parser whose block tokens have `meta["span"]` and whose inline tokens have a `map` into their content.

    `meta["span"]` contains offsets in the source.
    """

    def __init__(self) -> None:
        # markdown-it drops content that is nested too deeply, so our rule "nesting" turns it into a paragraph.
        super().__init__("commonmark", {"maxNesting": sys.maxsize})
        commonmark_rules = self.get_active_rules()
        self.helpers: Any = SimpleNamespace(**vars(helpers) | {"parseLinkLabel": parse_link_label})
        self.inline_rules = InlineRules()
        self.inline = self.inline_rules
        self.inline.ruler.enableOnly([name for name in commonmark_rules["inline"] if name in self.inline_rules.starts])
        self.inline.ruler2.enableOnly(["balance_pairs", "emphasis"])
        self.block_rules = BlockRules()
        self.block_rules.__rules__ = self.block.ruler.__rules__
        self.block.ruler = self.block_rules
        self.add_block("nesting", _nesting, before="table")
        self.transforms: list[TokenTransform] = []

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - overrides a method of markdown-it
        """The address as written."""
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        """The text of an automatic link, as written."""
        return link

    def validateLink(self, url: str) -> bool:  # noqa: N802, ARG002
        """Accept every address. The renderer decides which addresses become links."""
        return True

    def tokens(self, text: str, parse_state: ParseState) -> list[Token]:
        """Parse a text into tokens, with inline content in the `children` of its token."""
        env: dict[str, Any] = {"parse_state": parse_state, "rules": self.inline_rules.rules_for(text)}
        tokens: list[Token] = []
        self.block.parse(text, self, env, tokens)
        for transform in self.transforms:
            transform(tokens, parse_state)
        for token in tokens:
            if token.type == "inline":
                token.children = self._parse_inline(token.meta["content"], env)
            elif token.type == "row":
                for cell in token.meta["cells"]:
                    self._parse_paragraphs(cell, env)
            elif token.type == "statblock":
                self._parse_paragraphs(token.meta["statblock"].all_paragraphs(), env)
        return tokens

    def parse_paragraphs(self, paragraphs: Sequence[CellParagraph], parse_state: ParseState) -> None:
        """Parse the inline content of paragraphs that are not among the blocks of a text."""
        rules = self.inline_rules.rules_for("\n".join(paragraph.content.text for paragraph in paragraphs))
        self._parse_paragraphs(paragraphs, {"parse_state": parse_state, "rules": rules})

    def _parse_paragraphs(self, paragraphs: Iterable[CellParagraph], env: dict[str, Any]) -> None:
        for paragraph in paragraphs:
            paragraph.tokens = self._parse_inline(paragraph.content, env)

    def _parse_inline(self, content: MappedText, env: dict[str, Any]) -> list[Token]:
        env["parse_state"].content = content
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
        """Add an inline rule that is tried at the characters in `starts`.

        `stop`: a pattern for the places where the rule can match, if `starts` occurs in more places. A text without any
        of the lower-case strings in `signs` is parsed without the rule.
        """
        self.inline_rules.starts[name] = starts
        if stop:
            self.inline_rules.stops[name] = stop
        if signs:
            self.inline_rules.signs[name] = signs
        self.inline.ruler.before(before, name, rule)

    def add_block(
        self, name: str, rule: RuleFuncBlockType, before: str, interrupts: tuple[str, ...] = (), starts: str = ""
    ) -> None:
        """Add a block rule that is tried on lines that begin with a character in `starts`.

        If `starts` is empty, the rule is tried on all lines.

        `interrupts`: the types of blocks that a block of this rule may interrupt.
        """
        self.block_rules.before(before, name, rule, {"alt": list(interrupts)})
        if starts:
            self.block_rules.starts[name] = starts


def parse_state(state: StateBlock | StateInline) -> ParseState:
    """Our state for the text that a markdown-it rule is parsing."""
    ours: ParseState = state.env["parse_state"]
    return ours


def _nesting(state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    """Read a line that is nested too deeply as a paragraph, and report it."""
    if silent or state.level < MAX_NESTING:
        return False
    start = state.bMarks[first] + state.tShift[first]
    span = parse_state(state).source.span(start, state.eMarks[first])
    message = f"this is nested in more than {MAX_NESTING} blocks, so it is read as plain words"
    parse_state(state).report(warning("deep-nesting", span, message, "use fewer lists and quotes around it"))
    state.push("paragraph_open", "p", 1).map = [first, first + 1]
    inline = state.push("inline", "", 0)
    inline.map, inline.content = [first, first + 1], state.src[start : state.eMarks[first]].strip(TRIMMED)
    state.push("paragraph_close", "p", -1)
    state.line = first + 1
    return True

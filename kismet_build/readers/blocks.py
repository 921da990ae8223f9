"""Turn the tokens of a text into blocks."""

from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from kismet_build.model import (
    Block,
    BlockQuote,
    CodeBlock,
    Heading,
    List,
    ListItem,
    Paragraph,
    RawBlock,
    ThematicBreak,
)
from kismet_build.readers.inlines import Words, convert
from kismet_build.source import Span
from kismet_build.syntax.reading import Reading


def blocks(tokens: list[Token], reading: Reading) -> tuple[Block, ...]:
    """All blocks of a text."""
    return _Blocks(tokens, reading).until("")


class _Blocks:
    """Tokens, and how far they are read."""

    def __init__(self, tokens: list[Token], reading: Reading) -> None:
        self.tokens = tokens
        self.reading = reading
        self.at = 0

    def until(self, close: str) -> tuple[Block, ...]:
        """The blocks up to a token, which is passed over."""
        found: list[Block] = []
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token.type == close:
                break
            found.append(self.block(token))
        return tuple(found)

    def block(self, token: Token) -> Block:
        """The block that a token begins."""
        span = Span(self.reading.source, *token.meta["span"])
        match token.type:
            case "paragraph_open":
                words = self.words()
                return Paragraph(span=span, children=words.inlines)
            case "heading_open":
                raw = self.tokens[self.at].content
                words = self.words()
                return Heading(span=span, level=int(token.tag[1]), children=words.inlines, raw=raw)
            case "bullet_list_open" | "ordered_list_open":
                return self.list(token, span)
            case "blockquote_open":
                return BlockQuote(span=span, children=self.until("blockquote_close"))
            case "fence" | "code_block":
                return CodeBlock(span=span, text=token.content, info=unescapeAll(token.info).strip())
            case "hr":
                return ThematicBreak(span)
            case "html_block":
                return RawBlock(span, "html", token.content)
            case _:
                raise AssertionError(f"no token is called {token.type}")

    def words(self) -> Words:
        """The words of the block that was begun; passes over its closing token."""
        token = self.tokens[self.at]
        self.at += 2
        return convert(token.children or [], token.meta["content"], self.reading)

    def list(self, token: Token, span: Span) -> List:
        """A list, which is tight when the paragraphs in it are hidden."""
        start = int(token.attrs.get("start", 1)) if token.tag == "ol" else None
        close = token.type.replace("open", "close")
        items: list[ListItem] = []
        tight = True
        while (item := self.tokens[self.at]).type != close:
            self.at += 1
            first = self.at
            children = self.until("list_item_close")
            inside = self.tokens[first : self.at]
            tight &= not any(
                one.type == "paragraph_open" and one.level == item.level + 1 and not one.hidden for one in inside
            )
            items.append(ListItem(span=Span(self.reading.source, *item.meta["span"]), children=children))
        self.at += 1
        return List(span=span, items=tuple(items), start=start, tight=tight)

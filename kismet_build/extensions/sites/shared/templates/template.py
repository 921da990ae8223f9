"""Read the tags of a template: values, conditions and loops in a text.

The tags are those of Liquid, the language of Jekyll: https://shopify.github.io/liquid/ and
https://jekyllrb.com/docs/liquid/. Jinja is translated into them.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from kismet_build.model.diagnostic import Report, warning
from kismet_build.model.source import Source, Span
from kismet_build.parse.composition import Inputs

MAX_DEPTH = 100
"""Maximum depth of nested blocks, as in Liquid."""
MAX_TAG = 10_000
"""Maximum number of characters of a tag. A longer tag is never closed, or is not meant as a tag."""
OPENING = re.compile(r"\{[{%]")
NAME = re.compile(r"\s*(\w+)\s*")
RAW_END = re.compile(r"\{%-?\s*endraw\s*-?%\}")
COMMENT_END = re.compile(r"\{%-?\s*endcomment\s*-?%\}")
BLOCKS = {
    "if": ("elsif", "else"),
    "unless": ("elsif", "else"),
    "case": ("when", "else"),
    "for": ("else",),
    "capture": (),
    "highlight": (),
}
"""The tags with an end tag, and the tags that divide the content of each into branches."""


class Words(NamedTuple):
    """Text without tags."""

    span: Span


class Output(NamedTuple):
    """A value: `{{ markup }}`."""

    span: Span
    markup: str


class Tag(NamedTuple):
    """A tag: `{% name markup %}`."""

    span: Span
    name: str
    markup: str


class Branch(NamedTuple):
    """A part of a block, with the tag at its start."""

    tag: Tag
    content: "list[Node]"


class Block(NamedTuple):
    """A tag with its content, up to its end tag."""

    branches: list[Branch]
    end: Span
    """The end tag; empty if the block is never closed."""


Node = Words | Output | Tag | Block
Token = Words | Output | Tag


class Language(NamedTuple):
    """A language of templates."""

    name: str
    tokens: Callable[[Source, int, Report], Iterator[Token]]
    """The tokens of a text from an offset on, with the tags of Liquid."""
    variables: Callable[[Source, Inputs, list[bool]], Mapping[str, Any]]
    """The values that a text may name. `list[bool]`: as in `site_values`."""
    truth: Callable[[Any], bool]
    """Whether a value is true in a condition."""
    includes: Collection[str] = ()
    """The tags that include a file."""
    is_strict: bool = True
    """Whether a value that is missing is reported, and in code shown as typed."""


def parse(source: Source, start: int, report: Report, tokens: Callable[..., Iterator[Token]]) -> list[Node]:
    """The template in a text from an offset on. Reports each tag that is never closed."""
    root: list[Node] = []
    content = root
    open_blocks: list[tuple[Block, list[Node]]] = []
    too_deep: list[str] = []

    def close(end: Span) -> list[Node]:
        block, outer = open_blocks.pop()
        outer.append(block._replace(end=end))
        return outer

    def close_unclosed(end: int) -> list[Node]:
        tag = open_blocks[-1][0].branches[0].tag
        _report_unclosed(tag.span, f"{{% end{tag.name} %}}", report)
        return close(source.span(end, end))

    for token in tokens(source, start, report):
        if not isinstance(token, Tag):
            content.append(token)
        elif token.name in BLOCKS and len(open_blocks) < MAX_DEPTH:
            block = Block([Branch(token, [])], token.span)
            open_blocks.append((block, content))
            content = block.branches[0].content
        elif token.name in BLOCKS:
            too_deep.append(token.name)
            content.append(token)
        elif too_deep and token.name == f"end{too_deep[-1]}":
            too_deep.pop()
        elif not too_deep and any(token.name == f"end{block.branches[0].tag.name}" for block, _ in open_blocks):
            while token.name != f"end{open_blocks[-1][0].branches[0].tag.name}":
                content = close_unclosed(token.span.start)
            content = close(token.span)
        elif not too_deep and open_blocks and token.name in BLOCKS[open_blocks[-1][0].branches[0].tag.name]:
            branch = Branch(token, [])
            open_blocks[-1][0].branches.append(branch)
            content = branch.content
        else:
            content.append(token)
    while open_blocks:
        close_unclosed(len(source.text))
    return root


def tokens_of_liquid(
    source: Source, start: int, report: Report, opening_mark: re.Pattern[str] = OPENING
) -> Iterator[Token]:
    """Words, values and tags in order, without comments. A mark that is never closed is part of the words."""
    text = source.text
    at = words = start
    unclosed: set[str] = set()
    while (opening := opening_mark.search(text, at)) is not None:
        closing = {"{%": "%}", "{{": "}}"}.get(opening[0], "#}")
        end = text.find(closing, opening.end(), opening.end() + MAX_TAG)
        if end < 0:
            if closing not in unclosed and closing != "#}":  # `{#` also starts the id of a heading
                _report_unclosed(source.span(*opening.span()), closing, report)
                unclosed.add(closing)
            at = opening.end()
            continue
        inside, end = text[opening.end() : end], end + 2
        if inside.startswith("-"):  # also removes the white space before the tag
            yield Words(source.span(words, max(words, len(text[words : opening.start()].rstrip()) + words)))
        else:
            yield Words(source.span(words, opening.start()))
        at = words = _after(text, end, inside)
        markup = inside.strip("-" if inside.startswith("-") or inside.endswith("-") else " ").strip()
        span = source.span(opening.start(), end)
        if closing == "#}":
            continue
        if closing == "}}":
            yield Output(span, markup)
            continue
        name = NAME.match(markup)
        tag = Tag(span, name[1], markup[name.end() :]) if name else Tag(span, "", markup)
        if tag.name in ("raw", "comment"):
            ending = (RAW_END if tag.name == "raw" else COMMENT_END).search(text, end)
            if ending is None:
                _report_unclosed(span, f"{{% end{tag.name} %}}", report)
            if tag.name == "raw":
                yield Words(source.span(words, max(words, ending.start() if ending else len(text))))
            at = words = _after(text, ending.end(), ending[0][:-2]) if ending else len(text)
        else:
            yield tag
    yield Words(source.span(words, len(text)))


def _after(text: str, end: int, inside: str) -> int:
    """The offset after a tag. `-%}` also removes the white space after the tag."""
    if inside.endswith("-"):
        while end < len(text) and text[end].isspace():
            end += 1
    return end


def _report_unclosed(span: Span, closing: str, report: Report) -> None:
    """Report a mark that is never closed."""
    report(warning("unclosed-block", span, f"this is never closed: {closing} is missing"))

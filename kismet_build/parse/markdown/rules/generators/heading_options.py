"""`:id=storms` and `{docsify-ignore}`: options at the end of a heading of Docsify. The id is kept."""

import re

from markdown_it.token import Token

from kismet_build.parse.markdown.attributes import Attributes
from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.state import ParseState

OPTION = re.compile(
    r"<!--[ \t]*\{docsify-ignore(?:-all)?\}[ \t]*-->|\{docsify-ignore(?:-all)?\}|(?<!\S):id=(?P<id>[^\s<>\"]+)"
)


def heading_options(parser: Parser) -> None:
    """Add the rule."""
    parser.transforms.append(_cut_options)


def _cut_options(tokens: list[Token], _state: ParseState) -> None:
    for index, heading in enumerate(tokens):
        if heading.type != "heading_open":
            continue
        inline = tokens[index + 1]
        content = inline.meta["content"]
        options = list(OPTION.finditer(content.text))
        if not options or OPTION.sub("", content.text[options[0].start() :]).strip():
            continue
        heading.meta["attributes"] = Attributes(id=next((option["id"] for option in options if option["id"]), ""))
        end = len(content.text[: options[0].start()].rstrip())
        inline.meta["content"] = content.part(0, end)
        inline.content = inline.content[:end]

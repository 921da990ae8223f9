"""`- [x] words`: a task list item."""

import re

from markdown_it.token import Token

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.state import ParseState

CHECKBOX = re.compile(r"\[([^\[\]\n])\][ \t\n]+(?=\S)")


def task(parser: Parser) -> None:
    """Add the transform that moves checkboxes from the content of list items to their tokens."""
    parser.transforms.append(_extract_checkboxes)


def _extract_checkboxes(tokens: list[Token], parse_state: ParseState) -> None:
    marks = parse_state.options.get("task_marks")
    for index, item in enumerate(tokens[:-2]):
        if item.type != "list_item_open" or tokens[index + 1].type != "paragraph_open":
            continue
        inline = tokens[index + 2]
        content = inline.meta["content"]
        box = CHECKBOX.match(content.text)
        if box and (marks is None or box[1] in marks):
            item.meta["checked"] = box[1]
            inline.meta["content"] = content.tail(box.end())

"""`- [x] words`: an entry of a list with a box to tick."""

import re

from markdown_it.token import Token

from kismet_build.parse.markdown.parser import Parser
from kismet_build.parse.markdown.state import Reading

BOX = re.compile(r"\[([^\[\]\n])\][ \t\n]+(?=\S)")


def task(parser: Parser) -> None:
    """Add the rule: it takes the box off the words of an entry before they are read."""
    parser.steps.append(_boxes)


def _boxes(tokens: list[Token], reading: Reading) -> None:
    marks = reading.options.get("task_marks")
    for place, item in enumerate(tokens[:-2]):
        if item.type != "list_item_open" or tokens[place + 1].type != "paragraph_open":
            continue
        words = tokens[place + 2]
        content = words.meta["content"]
        found = BOX.match(content.text)
        if found and (marks is None or found[1] in marks):
            item.meta["checked"] = found[1]
            words.meta["content"] = content.part(found.end())

"""Read a quote that holds nothing but a heading, and the quote below it, as one."""

from collections.abc import Sequence
from dataclasses import replace

from kismet_build.model.diagnostic import info
from kismet_build.model.nodes import Block, BlockQuote, Heading
from kismet_build.parse.markdown.state import Reading


def join_quotes(blocks: Sequence[Block], reading: Reading) -> tuple[Block, ...]:
    """The blocks with each heading that is quoted alone at the head of the quote that it was meant for."""
    found: list[Block] = []
    for block in blocks:
        match found[-1:], block:
            case [BlockQuote(children=(Heading(),), block_id="") as head], BlockQuote(children=children):
                message = "this quote ends after its heading, and is read as one with the quote below it"
                reading.report(info("split-quote", head.span, message, "begin the blank line between them with > too"))
                span = head.span.source.span(head.span.start, block.span.end)
                found[-1] = replace(block, span=span, children=(*head.children, *children))
            case _:
                found.append(block)
    return tuple(found)

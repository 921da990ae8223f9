"""Repair split quotes: join a quote that contains only a heading with the quote below it."""

from collections.abc import Sequence
from dataclasses import replace

from kismet_build.model.diagnostic import info
from kismet_build.model.nodes import Block, BlockQuote, Heading
from kismet_build.parse.markdown.state import ParseState


def join_quotes(blocks: Sequence[Block], state: ParseState) -> tuple[Block, ...]:
    """Move each heading that is alone in a quote into the quote below it."""
    result: list[Block] = []
    for block in blocks:
        match result[-1:], block:
            case [BlockQuote(children=(Heading(),), block_id="") as head], BlockQuote(children=children):
                message = "this quote ends after its heading, so it is joined with the quote below"
                state.report(info("split-quote", head.span, message, "start the blank line between them with >, too"))
                span = head.span.source.span(head.span.start, block.span.end)
                result[-1] = replace(block, span=span, children=(*head.children, *children))
            case _:
                result.append(block)
    return tuple(result)

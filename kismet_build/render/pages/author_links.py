"""Find links at the start of a chapter that an author wrote for navigation, which the website provides anyway."""

from itertools import takewhile
from typing import NamedTuple

from kismet_build.model import nodes
from kismet_build.model.nodes import plain_text, walk, walk_blocks
from kismet_build.model.text_normalization import is_contents_title, normalize
from kismet_build.pack import Pack

MIN_LINKS = 3
"""Minimum number of links in a list of chapters or sections. Fewer links are breadcrumbs if only the title is beside
them."""
MAX_OTHER_WORDS = 1 / 3
"""Maximum share of words outside links in a list of links."""
MAX_LABEL_LENGTH = 40
"""A paragraph with more characters is prose. A text without prose is itself a list of links."""
CONTAINERS = (nodes.Paragraph, nodes.List, nodes.Columns, nodes.Callout, nodes.Div)
"""Types of blocks that can be lists of links."""


class Opening(NamedTuple):
    """The blocks of a chapter, with the author's links at its start set apart."""

    links: tuple[nodes.Block, ...]
    body: tuple[nodes.Block, ...]
    headings: tuple[nodes.Heading, ...] = ()
    """The heading of the author's table of contents; empty if there is none."""


def without_author_links(pack: Pack, blocks: tuple[nodes.Block, ...], title: str) -> Opening:
    """Split the author's lists of links at the start of a chapter from its other blocks.

    A text without prose keeps its links, because they are its content.
    """
    head = _until_heading(blocks)
    links = tuple(
        block
        for before, block in zip((None, *head), head, strict=False)
        if _are_links(pack, block, title) and not _announces(before)
    )
    headings, listed = _contents(pack, blocks[len(head) :], title)
    if not links and not headings:
        return Opening((), blocks)
    apart = {block.span for block in links}
    kept = [block for block in head if block.span not in apart]
    # Drop thematic breaks around the lists of links.
    while kept and isinstance(kept[-1], nodes.ThematicBreak):
        kept.pop()
    while kept and isinstance(kept[0], nodes.ThematicBreak):
        del kept[0]
    links += tuple(block for block in listed if not isinstance(block, nodes.ThematicBreak))
    body = (*kept, *blocks[len(head) + len(headings) + len(listed) :])
    has_prose = any(
        isinstance(block, nodes.Paragraph) and len(plain_text(block)) > MAX_LABEL_LENGTH for block in walk_blocks(*body)
    )
    return Opening(links, body, headings) if has_prose else Opening((), blocks)


def _announces(block: nodes.Block | None) -> bool:
    return isinstance(block, nodes.Paragraph) and plain_text(block).rstrip().endswith(":")


def _contents(
    pack: Pack, blocks: tuple[nodes.Block, ...], title: str
) -> tuple[tuple[nodes.Heading, ...], tuple[nodes.Block, ...]]:
    heading = blocks[0] if blocks else None
    if not isinstance(heading, nodes.Heading) or not is_contents_title(plain_text(heading)):
        return (), ()
    listed = _until_heading(blocks[1:])
    lists = [block for block in listed if not isinstance(block, nodes.ThematicBreak)]
    return ((heading,), listed) if lists and all(_are_links(pack, block, title) for block in lists) else ((), ())


def _until_heading(blocks: tuple[nodes.Block, ...]) -> tuple[nodes.Block, ...]:
    return tuple(takewhile(lambda block: not isinstance(block, nodes.Heading), blocks))


def _are_links(pack: Pack, block: nodes.Block, title: str) -> bool:
    """Whether a block contains only links into the book, with few other words."""
    # A numbered list is a procedure, not navigation.
    if not isinstance(block, CONTAINERS) or (isinstance(block, nodes.List) and block.start is not None):
        return False
    links = [node for node in walk(block) if isinstance(node, nodes.Link)]
    if not links or any(link.span not in pack.book.targets for link in links):
        return False
    words, linked = _words(plain_text(block)), sum(_words(plain_text(link)) for link in links)
    if isinstance(block, nodes.Callout):
        words += _words(plain_text(*block.title))
    if len(links) >= MIN_LINKS:
        # `**Skills**: [Tinkering](...), ...` is a field, not navigation.
        is_field = isinstance(block, nodes.Paragraph) and isinstance(block.children[0], nodes.Strong)
        return words - linked <= words * MAX_OTHER_WORDS and not is_field
    if not isinstance(block, nodes.Paragraph):
        return False
    beside = plain_text(*(node for node in block.children if not isinstance(node, nodes.Link)))
    return normalize(beside).strip(" |/>·›»–—-←→") in ("", normalize(title))


def _words(text: str) -> int:
    return sum(any(map(str.isalnum, word)) for word in text.split())

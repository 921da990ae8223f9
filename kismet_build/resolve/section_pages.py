"""Divide long chapters into pages of a readable length: find the headings that start a new page.

The height of a text on the screen of a phone is estimated without rendering it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from kismet_build.config.game import SplitRule
from kismet_build.model import nodes
from kismet_build.model.book import PRINT_PAGE
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import UniqueNames, folder_name, is_contents_title, normalize
from kismet_build.resolve.chapters import one_line

# --- pages

SHORT = 1_000_000
"""The cost of a page that is too short. This cost exceeds the sum of all other costs of a chapter."""
SIBLING, LEVEL_ABOVE = 2, 4
"""The cost of each further section on a page, and of each level by which the section is above the first section."""


class _Part(NamedTuple):
    heading: nodes.Heading
    height: int


def section_pages(document: nodes.Document, title: str, rule: SplitRule | None) -> Mapping[Span, str]:
    """The address of each page, below the address of the chapter, by the span of the heading that starts the page.

    Empty if the chapter is a single page. `title`: the title of the chapter.
    """
    parts = _parts(document, title) if rule else []
    if rule is None or len(parts) < 2 or height(document.blocks) <= rule.max_undivided:
        return {}
    starts = _starts(parts, rule)
    names = UniqueNames((PRINT_PAGE,))
    # A single part would be a page with the whole text.
    return {heading.span: names.add(folder_name(one_line(heading)), 2) for heading in starts if len(starts) > 1}


def _parts(document: nodes.Document, title: str) -> list[_Part]:
    """The parts of a chapter, without the title and a table of contents before the first part."""
    blocks = document.blocks
    starts = [index for index, block in enumerate(blocks) if isinstance(block, nodes.Heading)]
    headings = [block for block in blocks if isinstance(block, nodes.Heading)]
    levels = Counter(heading.level for heading in headings if not _is_title(heading, title))
    top = min((level for level, number in levels.items() if number > 1), default=0)
    parts: list[_Part] = []
    for heading, (index, end) in zip(headings, pairwise((*starts, len(blocks))), strict=True):
        has_text_before = index > 0 and not isinstance(blocks[index - 1], nodes.Heading)
        # A heading is a title if it is the only heading of its level and there is no text before it.
        is_title = _is_title(heading, title) or (not parts and heading.level < top and not has_text_before)
        if not is_title and (parts or not is_contents_title(one_line(heading))):
            parts.append(_Part(heading, height(blocks[index:end])))
    return parts


def _starts(parts: Sequence[_Part], rule: SplitRule) -> list[nodes.Heading]:
    """The first heading of each page, for the division of the parts that costs least.

    Ideally, each page is a section of the highest level. A section that is too long is divided at its subsections; the
    deeper they are, the higher the cost. Sections that are too short share a page. Only a page with a single part can
    be too long.
    """
    depths = {level: depth for depth, level in enumerate(sorted({part.heading.level for part in parts}))}
    depth_of = [depths[part.heading.level] for part in parts]
    costs = [0] * (len(parts) + 1)
    """The least cost from each part to the end."""
    ends = [0] * len(parts)
    """The end of the page that starts at each part, for the least cost."""
    for start in reversed(range(len(parts))):
        length = mixed = 0
        least: int | None = None
        for end in range(start + 1, len(parts) + 1):
            length += parts[end - 1].height
            above = depth_of[start] - depth_of[end - 1]
            if end > start + 1:
                if length > rule.max_page:
                    break
                mixed += SIBLING + LEVEL_ABOVE * above if above >= 0 else 0
            cost = mixed + (SHORT if length < rule.min_page else 0) + costs[end]
            if least is None or cost < least:
                least, ends[start] = cost, end
        costs[start] = (least or 0) + depth_of[start]
    starts = [0]
    while (end := ends[starts[-1]]) < len(parts):
        starts.append(end)
    return [parts[start].heading for start in starts]


def _is_title(heading: nodes.Heading, title: str) -> bool:
    """Whether a heading repeats the title of the chapter, possibly after breadcrumb links."""
    return heading.level == 1 and normalize(one_line(heading)).endswith(normalize(title))


# --- heights on a screen of 390 by 844 CSS pixels

LINE, CHARACTERS = 28, 42
"""The height of a line of text, and the number of characters in it."""
GAP = 18
"""The space between two blocks."""
HEADING, CODE_LINE, ROW = 80, 24, 46
"""The heights of a heading, a line of code and a row of a table of numbers and names."""
CARD_ROW, CELL = 45, 28
"""The height of a row in a table of sentences, which is shown as a card, and of each line in the row."""
SHORT_CELL = 30
"""Maximum number of characters in a cell with a name or number. Longer cells contain sentences."""


def height(blocks: Iterable[nodes.Block]) -> int:
    """The estimated height of these blocks, in CSS pixels."""
    return sum(map(_height, blocks))


def _height(block: nodes.Node) -> int:
    match block:
        case nodes.Heading():
            return HEADING
        case nodes.Paragraph() | nodes.RawBlock():
            return LINE * _lines(block) + GAP
        case nodes.CodeBlock():
            return CODE_LINE * (block.text.count("\n") + 1) + GAP
        case nodes.Table():
            return _table_height((block.header, *block.rows))
        case _:
            return GAP + sum(map(_height, nodes.children(block)))


def _table_height(rows: Sequence[nodes.Row]) -> int:
    cells = [cell for row in rows for cell in row.cells]
    if all(cell.span.end - cell.span.start <= SHORT_CELL for cell in cells):
        return ROW * len(rows) + GAP
    return CARD_ROW * len(rows) + CELL * sum(map(_lines, cells))


def _lines(node: nodes.Node) -> int:
    return (node.span.end - node.span.start) // CHARACTERS + 1

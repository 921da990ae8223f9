"""Split long chapters: find the headings that start a new page."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from kismet_build.config.game import SplitRule
from kismet_build.model.book import PRINT_PAGE
from kismet_build.model.nodes import Document, Heading
from kismet_build.model.source import Span
from kismet_build.model.text_normalization import UniqueNames, folder_name, is_contents_title, normalize
from kismet_build.resolve.chapters import one_line


def section_pages(document: Document, title: str, rule: SplitRule | None) -> Mapping[Span, str]:
    """The address of each heading's page, below that of the chapter, for headings that start a page; by span.

    Empty if the chapter is a single page. `title`: that of the chapter.
    """
    end = len(document.source.text)
    if rule is None or end <= rule.min_characters:
        return {}
    headings = [block for block in document.blocks if isinstance(block, Heading)]
    below_title = [heading for heading in headings if not _is_title(heading, title)]
    if below_title and is_contents_title(one_line(below_title[0])):
        del below_title[0]
    followers = {
        after.span
        for before, after in zip((None, *document.blocks), document.blocks, strict=False)
        if before is None or isinstance(before, Heading)
    }
    names = UniqueNames((PRINT_PAGE,))
    starts = _starts(below_title, end, rule, followers)
    return {heading.span: names.add(folder_name(one_line(heading)), 2) for heading in starts}


def _starts(headings: Sequence[Heading], end: int, rule: SplitRule, followers: set[Span]) -> Iterator[Heading]:
    """The headings that split a text: those of the highest level with several headings, and those above it.

    None if the sections would be too short. Sections that are too long are split in the same way. `followers`:
    headings without text before them; if one of these is alone on its level, it is a title and does not split the text.
    """
    levels = Counter(heading.level for heading in headings)
    level = min((level for level, number in levels.items() if number > 1), default=0)
    starts = [
        number
        for number, heading in enumerate(headings)
        if heading.level == level or (heading.level < level and heading.span not in followers)
    ]
    if starts and end - headings[starts[0]].span.start < len(starts) * rule.min_mean_characters:
        return
    for number, following in pairwise((*starts, len(headings))):
        yield headings[number]
        section_end = headings[following].span.start if following < len(headings) else end
        if section_end - headings[number].span.start > rule.max_section_characters:
            yield from _starts(headings[number + 1 : following], section_end, rule, followers)


def _is_title(heading: Heading, title: str) -> bool:
    """Whether a heading repeats the chapter's title, possibly after breadcrumb links."""
    return heading.level == 1 and normalize(one_line(heading)).endswith(normalize(title))

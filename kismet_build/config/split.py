"""When a chapter becomes several pages: `split` in `game.yaml`."""

from typing import NamedTuple

MAX_CHAPTER_CHARACTERS = 30_000
"""A chapter whose source has more characters is split into a page for each section."""


class SplitRule(NamedTuple):
    """Which chapters are split."""

    min_characters: int = MAX_CHAPTER_CHARACTERS
    """Chapters with more characters are split."""
    max_section_characters: int = MAX_CHAPTER_CHARACTERS
    """Sections with more characters are split again."""


DEFAULT_SPLIT = SplitRule()


def read_split(value: bool | int) -> SplitRule | None:
    """The value of `split` as a rule; `None` if no chapter is split."""
    if value is True:
        return SplitRule(min_characters=0)
    return SplitRule(value, value) if value else None

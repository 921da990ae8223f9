"""Number the sections of texts with `:sectnums:`.

https://docs.asciidoctor.org/asciidoc/latest/sections/numbers/
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

APPENDIX = "appendix"
USUAL_LEVELS = "3"
"""The deepest level whose number is shown, unless `sectnumlevels` is set."""


@dataclass(slots=True)
class _Section:
    level: int
    number: str
    is_numbered: bool
    is_special: bool
    count: int = 0
    """Number of numbered sections in this section so far."""


@dataclass(slots=True)
class SectionNumbers:
    """The open sections, and the counters for the numbers of the next sections."""

    open: list[_Section] = field(default_factory=lambda: [_Section(-1, "", is_numbered=False, is_special=False)])
    chapters: int = 0
    appendices: int = 0

    def next(self, level: int, style: str, attributes: Mapping[str, str]) -> str:
        """The number of the next section, which has this level; empty if its number is not shown."""
        while self.open[-1].level >= level:
            self.open.pop()
        parent = self.open[-1]
        setting = attributes.get("sectnums")
        is_special = bool(style) or parent.is_special
        is_numbered = setting is not None and level > 0
        if is_special:
            is_numbered &= setting == "all" if style else parent.is_numbered
        number = ""
        if style == APPENDIX and setting is not None:
            letter = chr(ord("A") + self.appendices % 26)
            self.appendices += 1
            self.open.append(_Section(level, f"{letter}.", is_numbered=True, is_special=True))
            return f"{attributes.get('appendix-caption', 'Appendix')} {letter}:".lstrip()
        if is_numbered and level == 1 and attributes.get("doctype") == "book":
            # Chapters are counted through all parts of a book.
            self.chapters += 1
            number = f"{self.chapters}."
        elif is_numbered:
            parent.count += 1
            number = f"{parent.number}{parent.count}."
        self.open.append(_Section(level, number, is_numbered, is_special))
        deepest = attributes.get("sectnumlevels", USUAL_LEVELS)
        return number if not deepest.isdecimal() or level <= int(deepest) else ""

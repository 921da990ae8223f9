"""The marks of blocks in texts for GitBook, `{% hint %}`, and for Retype, such as `!!! Title` and `+++ Tab`."""

import re
from collections.abc import Iterator

from kismet_build.parse.markdown.shortcodes import Shortcode, outside_code, paired, shortcode_of

TAG = re.compile(
    r"\{%-?\s*(?P<closes>end)?(?P<name>@?[a-z][a-z\d/-]*+)"
    r"""(?P<arguments>(?:\s(?>(?:"[^"]*+"|'[^'\n]*+'|[^"'{}%]|%(?!\}))*))?)%\}"""
)
NAMES = {
    **dict.fromkeys(("content-ref", "raw", "step", "stepper", "swagger-description", "updates"), "section"),
    **dict.fromkeys(("code", "swagger", "swagger-parameter", "swagger-response", "update"), "titled"),
    **dict.fromkeys(("embed", "file", "page-ref"), "link"),
}
"""For names of tags in GitBook: the shortcode that each is shown as."""

RETYPE = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<mark>(?P<sign>!!!|\+\+\+|==-|===|(?<!>)>>>|\|\|\||:{3,}+)"
    r"[ \t]*(?P<words>[^\s=+!>|-][^\n]*)?)$",
    re.MULTILINE,
)
KIND = re.compile(r"(?P<kind>[a-z][\w-]*)?(?:(?:^|[ \t]+)(?P<title>\S.*))?")
"""The kind of a callout and its title, either of which may be missing."""
CALLOUT, TAB, PANEL, TITLED, GROUP = "admonition", "tab", "details", "titled", "section"
SIGNS = {"!": CALLOUT, "+": TAB, "=": PANEL, ">": TITLED, "|": TITLED, ":": GROUP}
"""For the first sign of each mark: the shortcode that the mark is shown as.

Steps and columns are shown as titled blocks.
"""
ID = re.compile(r"\{#[\w:.-]+\}")
OPEN_PANEL = "==="


def find_gitbook_tags(text: str) -> dict[int, Shortcode]:
    """The tags of GitBook outside code blocks, by their offset in the text."""
    marks = outside_code(text, TAG) if "{%" in text else ()
    codes = [shortcode_of(match) for match in marks]
    for code in codes:
        code.name = NAMES.get(code.name, code.name)
    return paired((code, False) for code in codes)


def find_retype_marks(text: str) -> dict[int, Shortcode]:
    """The marks of Retype outside code blocks that have a partner, by their offset in the text."""
    return {code.start: code for code in list(_retype_marks(text)) if code.partner is not None}


def _retype_marks(text: str) -> Iterator[Shortcode]:
    opened: dict[str, Shortcode] = {}
    for match in outside_code(text, RETYPE):
        start, end = match.span("mark")
        sign = match["sign"]
        name, kind = SIGNS[sign[0]], sign if sign[0] == ":" else sign[0]
        above = opened.pop(kind, None)
        closes = not match["words"] and (above is not None or name != CALLOUT)
        if above is not None and (closes or name != CALLOUT):
            # A tab or panel also ends where the next one begins.
            above.partner = Shortcode(name, start, end if closes else start, True, (), {}, above)
            if closes:
                yield above.partner
        if not closes:
            opened[kind] = Shortcode(name, start, end, False, (), _named(match))
            yield opened[kind]


def _named(match: re.Match[str]) -> dict[str, tuple[int, int]]:
    """The ranges of the kind and the title of an opening mark, by argument name."""
    offset = match.start("words")
    named = {"open": match.span("sign")} if match["sign"] == OPEN_PANEL else {}
    words = (match["words"] or "").rstrip()
    start = words.rfind("{#")
    if start >= 0 and ID.fullmatch(words, start):
        named["id"] = (offset + start + len("{#"), offset + len(words) - len("}"))
        words = words[:start].rstrip()
    if not words:
        return named
    parts = KIND.fullmatch(words) if match["sign"] == "!!!" else None
    if parts is None:
        return {**named, "title": (offset, offset + len(words))}
    for group, key in (("kind", "type"), ("title", "title")):
        if parts[group]:
            named[key] = (parts.start(group) + offset, parts.end(group) + offset)
    return named

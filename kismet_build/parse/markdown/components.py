"""Containers, `:::tip Title`, and components, `<TabItem label="Title">`, in a text for Docusaurus."""

import re
from collections.abc import Iterator

from kismet_build.parse.markdown.shortcodes import Shortcode, outside_code, paired

BRACES = r"\{(?>(?:[^{}]|\{(?>(?:[^{}]|\{[^{}]*+\})*)\})*)\}"
"""An expression, which may contain other braces up to two levels deep."""
ATTRIBUTE = re.compile(
    rf"""\s+(?P<key>[\w:.-]+)(?>(?:\s*=\s*(?:"(?P<double>[^"]*+)"|'(?P<single>[^']*+)'|(?P<braces>{BRACES})))?)"""
)
COMPONENT = re.compile(
    r"<(?P<closes>/)?(?P<name>[A-Z][\w.]*+)(?P<attributes>(?>(?:\s+(?:[\w:.-]++"
    rf"""(?>(?:\s*=\s*(?:"[^"]*+"|'[^']*+'|{BRACES}))?)|{BRACES}))*))\s*(?P<alone>/)?>"""
)
CONTAINER = re.compile(
    r"^[ \t>]*(?:[-*+][ \t]+)?(?P<mark>(?P<colons>:{3,})[ \t]*"
    r"(?:(?P<kind>[a-z][\w-]*)(?P<rest>[\[{ \t][^\n]*)?)?)[ \t]*$",
    re.MULTILINE,
)
TITLE = re.compile(r"(?:\[(?P<label>.*)\])?[ \t]*(?:\{(?:#(?P<id>[\w:.-]++))?[^{}]*\})?[ \t]*(?P<words>.*?)[ \t]*$")
NAMES = {"Tabs": "tabs", "TabItem": "tab", "Admonition": "admonition"}
"""Components that are shown like the shortcode with this name."""
ADMONITION = "admonition"


def find_components(text: str) -> dict[int, Shortcode]:
    """The containers and components outside code blocks, by their offset in the text."""
    return {**_containers(text), **paired(_components(text))}


def _components(text: str) -> Iterator[tuple[Shortcode, bool]]:
    """The components, and whether each is alone, without one that closes it."""
    for match in outside_code(text, COMPONENT) if "<" in text else ():
        offset = match.start("attributes")
        named = {
            attribute["key"].casefold(): (attribute.start(group) + offset, attribute.end(group) + offset)
            for attribute in ATTRIBUTE.finditer(match["attributes"])
            if (group := attribute.lastgroup) in ("double", "single")
        }
        name = NAMES.get(match["name"], match["name"])
        yield Shortcode(name, *match.span(), bool(match["closes"]), (), named), bool(match["alone"])


def _containers(text: str) -> dict[int, Shortcode]:
    """The marks of containers. One that is never closed has no partner."""
    codes: dict[int, Shortcode] = {}
    opened: list[tuple[int, Shortcode]] = []
    for match in outside_code(text, CONTAINER) if ":::" in text else ():
        colons = len(match["colons"])
        named = {"type": match.span("kind"), **_title(match)} if match["kind"] else {}
        code = Shortcode(ADMONITION, *match.span("mark"), not match["kind"], (), named)
        codes[code.start] = code
        if not code.closes:
            opened.append((colons, code))
            continue
        # Containers inside have fewer colons, so those with fewer were not closed.
        while opened and opened[-1][0] < colons:
            opened.pop()
        if opened and opened[-1][0] == colons:
            code.partner = opened.pop()[1]
            code.partner.partner = code
    return codes


def _title(match: re.Match[str]) -> dict[str, tuple[int, int]]:
    """The ranges of the title and the id of a container, by the names of arguments."""
    title = TITLE.fullmatch(match["rest"] or "")
    if title is None:
        return {}
    groups = {"title": "words" if title["label"] is None else "label", "id": "id"}
    offset = match.start("rest")
    return {
        key: (title.start(group) + offset, title.end(group) + offset) for key, group in groups.items() if title[group]
    }

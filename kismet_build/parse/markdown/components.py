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
LITERAL = re.compile(r"""\{\s*(?P<quote>["'`])(?P<words>(?>(?:(?!\$\{)[^"'`\\])*))(?P=quote)\s*\}""")
"""An expression that is only a string."""
CHOICE = re.compile(r"\{[^{}]*+\}")
CHOICE_PART = re.compile(
    r"""\b(?P<key>label|value)\s*:\s*(?P<quote>["'`])(?P<words>(?>(?:\\.|(?!(?P=quote))[^\\{}])*))(?P=quote)"""
)
"""The label or the value of one tab in the list of a group of tabs."""
CONTAINER = re.compile(
    r"^[ \t>]*(?:[-*+][ \t]+)?(?P<mark>(?P<colons>:{3,})[ \t]*"
    r"(?:(?P<kind>[a-z][\w-]*)(?P<rest>[\[{ \t][^\n]*)?)?)[ \t]*$",
    re.MULTILINE,
)
TITLE = re.compile(r"(?:\[(?P<label>.*)\])?[ \t]*(?:\{(?:#(?P<id>[\w:.-]++))?[^{}]*\})?[ \t]*(?P<words>.*?)[ \t]*$")
TABS, TAB = "tabs", "tab"
NAMES = {"Tabs": TABS, "TabItem": TAB, "Admonition": "admonition"}
"""Components that are shown like the shortcode with this name."""
ADMONITION = "admonition"
Place = tuple[int, int]
"""A range in the text: start and end."""


def find_components(text: str) -> dict[int, Shortcode]:
    """The containers and components outside code blocks, by their offset in the text."""
    return {**_containers(text), **paired(_components(text))}


def _components(text: str) -> Iterator[tuple[Shortcode, bool]]:
    """The components, each with `True` if it closes itself: `<Tabs />`."""
    labels: list[dict[str, Place]] = []
    for match in outside_code(text, COMPONENT) if "<" in text else ():
        named = dict(_attributes(text, match))
        name = NAMES.get(match["name"], match["name"])
        if name == TABS and match["closes"]:
            del labels[-1:]
        elif name == TABS and not match["alone"]:
            labels.append(_labels(text, *named.pop("values", (0, 0))))
        elif name == TAB and (value := named.get("value")):
            # As in Docusaurus, labels listed by the group take precedence, and a tab without a label shows its value.
            label = labels[-1].get(text[slice(*value)]) if labels else None
            named["label"] = label or named.get("label", value)
        yield Shortcode(name, *match.span(), bool(match["closes"]), (), named), bool(match["alone"])


def _attributes(text: str, component: re.Match[str]) -> Iterator[tuple[str, Place]]:
    """The attributes of a component that are strings, and the list of tabs of a group."""
    for attribute in ATTRIBUTE.finditer(text, *component.span("attributes")):
        key, group = attribute["key"].casefold(), attribute.lastgroup or ""
        literal = LITERAL.fullmatch(text, *attribute.span("braces")) if group == "braces" else None
        if literal is not None:
            yield key, literal.span("words")
        elif group in ("double", "single") or (group == "braces" and key == "values"):
            yield key, attribute.span(group)


def _labels(text: str, start: int, end: int) -> dict[str, Place]:
    choices = (CHOICE_PART.finditer(text, *choice.span()) for choice in CHOICE.finditer(text, start + 1, end))
    found = [{part["key"]: part.span("words") for part in parts} for parts in choices]
    return {text[slice(*parts["value"])]: parts["label"] for parts in found if len(parts) > 1}


def _containers(text: str) -> dict[int, Shortcode]:
    """The opening and closing marks of containers. A mark of a container that is never closed has no partner."""
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
        # Containers inside have fewer colons. A mark with more than any that is open closes the outermost of them.
        above = None
        while opened and opened[-1][0] < colons:
            above = opened.pop()[1]
        if opened and opened[-1][0] == colons:
            above = opened.pop()[1]
        if above is not None:
            code.partner, above.partner = above, code
    return codes


def _title(match: re.Match[str]) -> dict[str, tuple[int, int]]:
    """The ranges of the title and the id of a container, by argument name."""
    title = TITLE.fullmatch(match["rest"] or "")
    if title is None:
        return {}
    groups = {"title": "words" if title["label"] is None else "label", "id": "id"}
    offset = match.start("rest")
    return {
        key: (title.start(group) + offset, title.end(group) + offset) for key, group in groups.items() if title[group]
    }

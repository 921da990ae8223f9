"""Read inline code for Obsidian's plugin Dataview that shows a property of its note: `= this.hp`."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kismet_build.model.nodes import Inline, Link, Text
from kismet_build.model.source import Span, file_stem
from kismet_build.parse.markdown.rules.wiki_link import wiki_target

PROPERTY_CODE = re.compile(
    r"\s*=\s*this(?:\.(?P<path>[\w-]+(?:\.[\w-]+)*)|\[(?P<quote>[\"'])(?P<name>[^\"'\]]+)(?P=quote)\])\s*"
)
"""`= this.bird_name`, `= this.stats.str`, `= this.file.name` or `= this["Bird Name"]`.

Other expressions are programs, which kismet does not run.
"""

WIKI_LINK = re.compile(r"\[\[(?P<target>[^\[\]|\n]+)(?:\|(?P<label>[^\[\]\n]+))?\]\]")


def parse_property_code(code: str, span: Span, properties: Mapping[str, Any], path: str) -> tuple[Inline, ...]:
    """The value of the property in a code, as words and links; empty for other code.

    If the property has no value or is a map, the code is unchanged: the plugin would show a dash or an object. `path`:
    the path of the note; `= this.file.name` shows its file name without suffix.
    """
    match = PROPERTY_CODE.fullmatch(code)
    if match is None:
        return ()
    if match["path"] == "file.name":
        return (Text(span, file_stem(path)),)
    value: Any = properties
    for name in match["path"].split(".") if match["path"] else (match["name"],):
        value = _value(name, value) if isinstance(value, Mapping) else None
    return tuple(_inlines(value, span))


def _value(name: str, properties: Mapping[str, Any]) -> Any:
    """The value of a property. As in the plugin, case and spaces in the name are ignored."""
    if name in properties:
        return properties[name]
    return next((value for key, value in properties.items() if _folded(key) == _folded(name)), None)


def _folded(name: str) -> str:
    return "-".join(name.casefold().split())


def _inlines(value: Any, span: Span) -> Iterator[Inline]:
    match value:
        case bool() | int() | float():
            yield Text(span, str(value).lower())
        case str():
            yield from _words(value, span)
        case list() if all(isinstance(item, str | int | float) for item in value):
            for number, item in enumerate(value):
                if number:
                    yield Text(span, ", ")
                yield from _inlines(item, span)
        case _:
            pass


def _words(text: str, span: Span) -> Iterator[Inline]:
    position = 0
    for link in WIKI_LINK.finditer(text):
        target = wiki_target(link["target"])
        if target:
            if before := text[position : link.start()]:
                yield Text(span, before)
            label = link["label"] or link["target"].rpartition("/")[2]
            yield Link(span=span, target=target, wiki=True, children=(Text(span, label),))
            position = link.end()
    if rest := text[position:]:
        yield Text(span, rest)

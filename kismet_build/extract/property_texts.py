"""Properties of a note that contain Markdown. Data shows their words, and pages show their nodes.

All other properties stay plain data: docs/decisions/0010-found-kinds.md.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kismet_build.extract.value import link_words
from kismet_build.model.nodes import (
    Block,
    Document,
    Embed,
    Emphasis,
    FootnoteReference,
    Highlight,
    Image,
    Inline,
    InlineField,
    Link,
    List,
    Paragraph,
    Property,
    Strikethrough,
    Strong,
    Text,
    plain_text,
    walk,
)

PropertyTexts = Mapping[str, tuple[Block, ...]]
"""The paragraphs of strings with Markdown in properties, by the string as written in YAML."""

SHOWN_AS_WORDS = (Embed, Image, FootnoteReference)
"""Types of nodes that do not fit on a card, and are shown as plain words."""


def property_texts(document: Document) -> PropertyTexts:
    """The strings with Markdown in the properties of a document, with their paragraphs."""
    texts: dict[str, tuple[Block, ...]] = {}
    for item in document.properties:
        for text, blocks in _texts(document.metadata.get(item.key), item.children):
            shown = tuple(map(_with_words, blocks))
            if not any(isinstance(node, SHOWN_AS_WORDS) for node in walk(*shown)):
                texts.setdefault(text, shown)
    return texts


def _texts(value: Any, blocks: tuple[Block, ...]) -> Iterator[tuple[str, tuple[Block, ...]]]:
    match value:
        case str() if blocks and all(isinstance(block, Paragraph) for block in blocks):
            yield value, blocks
        case list() if len(blocks) == 1 and isinstance(blocks[0], List):
            for item, node in zip(value, blocks[0].items, strict=False):
                yield from _texts(item, node.children)
        case dict():
            for part in blocks:
                if isinstance(part, Property):
                    yield from _texts(value.get(part.key), part.children)


def _with_words(block: Block) -> Block:
    """A paragraph in which links without a label show only the name of the note, and pictures and embeds are words."""
    return replace(block, children=tuple(map(_in_words, block.children))) if isinstance(block, Paragraph) else block


def _in_words(node: Inline) -> Inline:
    if isinstance(node, SHOWN_AS_WORDS):
        return Text(node.span, link_words(node.span.text))
    if isinstance(node, Link):
        is_short = node.wiki and "|" not in node.span.text
        return replace(node, children=(Text(node.span, link_words(node.span.text)),)) if is_short else node
    if isinstance(node, Emphasis | Strong | Highlight | Strikethrough | InlineField):
        return replace(node, children=tuple(map(_in_words, node.children)))
    return node


def property_words(value: Any, texts: PropertyTexts) -> Any:
    """A YAML value in which Markdown is replaced by its words."""
    match value:
        case str() if value in texts:
            return plain_text(*texts[value])
        case str():
            return link_words(value)
        case dict():
            return {key: property_words(item, texts) for key, item in value.items()}
        case list():
            return [property_words(item, texts) for item in value]
        case _:
            return value


def texts_in(value: Any, texts: PropertyTexts) -> Iterator[str]:
    """The strings with Markdown in a YAML value."""
    match value:
        case str() if value in texts:
            yield value
        case dict():
            for item in value.values():
                yield from texts_in(item, texts)
        case list():
            for item in value:
                yield from texts_in(item, texts)

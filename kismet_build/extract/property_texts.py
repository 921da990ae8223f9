"""The texts in a note's properties that have links or dice codes: the data has their words, the pages their nodes.

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
    FootnoteReference,
    Image,
    Link,
    List,
    Paragraph,
    Property,
    Text,
    plain_text,
    walk,
)

PropertyTexts = Mapping[str, tuple[Block, ...]]
"""The paragraphs of texts in properties, by the text as written in YAML."""

SHOWN_AS_WORDS = (Embed, Image, FootnoteReference)
"""Nodes that do not fit on a card: a text with one of them is shown as plain words."""


def property_texts(document: Document) -> PropertyTexts:
    """The texts with links or dice codes in a document's properties."""
    texts: dict[str, tuple[Block, ...]] = {}
    for item in document.properties:
        for text, blocks in _texts(document.metadata.get(item.key), item.children):
            if not any(isinstance(node, SHOWN_AS_WORDS) for node in walk(*blocks)):
                texts.setdefault(text, tuple(map(_with_short_names, blocks)))
    return texts


def _texts(value: Any, blocks: tuple[Block, ...]) -> Iterator[tuple[str, tuple[Block, ...]]]:
    """The texts in a value, with their paragraphs, which are nodes made from the same value."""
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


def _with_short_names(block: Block) -> Block:
    """A paragraph whose links without a label show only the note's name, without folders and headings."""
    if not isinstance(block, Paragraph):
        return block
    return replace(
        block,
        children=tuple(
            replace(node, children=(Text(node.span, link_words(node.span.text)),))
            if isinstance(node, Link) and node.wiki and "|" not in node.span.text
            else node
            for node in block.children
        ),
    )


def property_words(value: Any, texts: PropertyTexts) -> Any:
    """A YAML value in which links and dice codes are replaced by their words."""
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
    """The texts with links or dice codes in a YAML value."""
    match value:
        case str() if value in texts:
            yield value
        case dict():
            for item in value.values():
                yield from texts_in(item, texts)
        case list():
            for item in value:
                yield from texts_in(item, texts)

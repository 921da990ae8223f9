"""Properties of a note that contain Markdown. Data shows their words, and pages show their nodes.

All other properties stay plain data: docs/decisions/0010-found-kinds.md.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kismet_build.extract.value import link_words
from kismet_build.model import nodes
from kismet_build.model.nodes import plain_text, walk

PropertyTexts = Mapping[str, tuple[nodes.Block, ...]]
"""The paragraphs of strings with Markdown in properties, by the string as written in YAML."""

SHOWN_AS_WORDS = (nodes.Embed, nodes.Image, nodes.FootnoteReference)
"""Types of nodes that do not fit on a card, and are shown as plain words."""


def property_texts(document: nodes.Document) -> PropertyTexts:
    """The strings with Markdown in the properties of a document, with their paragraphs."""
    texts: dict[str, tuple[nodes.Block, ...]] = {}
    for item in document.properties:
        for text, blocks in _texts(document.metadata.get(item.key), item.children):
            shown = tuple(map(_with_words, blocks))
            if not any(isinstance(node, SHOWN_AS_WORDS) for node in walk(*shown)):
                texts.setdefault(text, shown)
    return texts


def _texts(value: Any, blocks: tuple[nodes.Block, ...]) -> Iterator[tuple[str, tuple[nodes.Block, ...]]]:
    match value:
        case str() if blocks and all(isinstance(block, nodes.Paragraph) for block in blocks):
            yield value, blocks
        case list() if len(blocks) == 1 and isinstance(blocks[0], nodes.List):
            for item, node in zip(value, blocks[0].items, strict=False):
                yield from _texts(item, node.children)
        case dict():
            for part in blocks:
                if isinstance(part, nodes.Property):
                    yield from _texts(value.get(part.key), part.children)


def _with_words(block: nodes.Block) -> nodes.Block:
    """A paragraph in which links without a label show only the name of the note, and pictures and embeds are words."""
    return (
        replace(block, children=tuple(map(_in_words, block.children))) if isinstance(block, nodes.Paragraph) else block
    )


def _in_words(node: nodes.Inline) -> nodes.Inline:
    if isinstance(node, SHOWN_AS_WORDS):
        return nodes.Text(node.span, link_words(node.span.text))
    if isinstance(node, nodes.Link):
        is_short = node.wiki and "|" not in node.span.text
        return replace(node, children=(nodes.Text(node.span, link_words(node.span.text)),)) if is_short else node
    if isinstance(node, nodes.Emphasis | nodes.Strong | nodes.Highlight | nodes.Strikethrough | nodes.InlineField):
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

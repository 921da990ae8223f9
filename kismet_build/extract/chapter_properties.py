"""The properties of a chapter as data, if no kind defines fields for them."""

from collections.abc import Mapping, Sequence
from typing import Any

from kismet_build.extract.note_shape import field_key
from kismet_build.extract.property_texts import property_texts, property_words
from kismet_build.model.nodes import Document
from kismet_build.pack import Entity


def chapter_properties(document: Document, entities: Sequence[Entity], machine: frozenset[str]) -> Mapping[str, Any]:
    """The front matter of a document with field keys, and with words in place of Markdown.

    Empty if the whole document is an entity, or if it is AsciiDoc, whose attributes are settings for the converter.
    `machine`: the field keys of properties to leave out.
    """
    if document.dialect == "asciidoc" or any(entity.is_document for entity in entities):
        return {}
    properties = {key: value for key, value in document.metadata.items() if field_key(key) not in machine}
    result: Mapping[str, Any] = _with_field_keys(property_words(properties, property_texts(document)))
    return result


def _with_field_keys(value: Any) -> Any:
    """A value in which the keys of maps are field keys. If two keys become equal, the second stays as typed."""
    if isinstance(value, list):
        return [_with_field_keys(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    result: dict[str, Any] = {}
    for typed, item in value.items():
        key = field_key(typed)
        result[typed if not key or key in result else key] = _with_field_keys(item)
    return result

"""Reference pages for data files, made from their JSON Schemas: each key with its meaning, type and an example."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kismet_build.config.data_file import shipped_schema
from kismet_build.config.yaml import flow
from tests.case_page import PAGES, Case, read_page

Schema = Mapping[str, Any]

TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true` or `false`",
    "null": "`null`",
    "object": "mapping",
    "array": "list",
}
CASES = {
    "x-name": "fetch: The name can be made from other fields",
    "x-body": "fetch: The text of an entry can be its first paragraph or one cell",
    "x-text": "sentences: A row of a table is worded by the sentences of its kind",
    "x-repeated": "match: A name that recurs often is a label, not an entry",
    "x-match": "match: If several ways match, an entry found by two of them is listed once",
    "x-match.document": "match: A document can be an entry with its fields in its frontmatter",
    "x-match.folder": "notes: `folder` matches the notes in a folder",
    "x-match.tag": "notes: `tag` matches the notes that have a tag or one nested in it",
    "x-match.property": "notes: `property` matches the notes that have a value",
    "x-match.with": "notes: `with` matches the notes in which a field source finds something",
    "x-match.without": "statblocks: `without: statblock` leaves out the notes that are statblocks",
    "x-match.heading": "match: Headings of several levels may start entries",
    "x-match.row": "match: A row of a table with a given column starts an entry",
    "x-match.cells": "match: Rows of tables with a given number of columns start entries, under any heading",
    "x-match.term": "match: A bold lead-in starts an entry, which extends to the next one",
    "x-match.item": "match: Every item of a list can be an entry",
    "x-match.names": "match: Names after a lead-in become entries, in a sentence, a list or paragraphs",
    "x-match.phrase": "match: A phrase defines a name at the first match of one of its patterns",
    "x-match.block": "match: A callout of a kind is an entry",
    "x-match.statblock": "statblocks: `statblock` matches the statblocks with a given layout",
    "x-match.code": "match: A code block can contain an entry as data",
    "x-match.under": "match: A heading of a level starts an entry, and its section is the text",
    "x-match.pattern": "match: A paragraph that begins with a pattern starts an entry",
    "x-match.split": "match: Names can be separated by signs other than commas",
    "x-match.join": "match: Rows of two tables are joined on a column that both have",
    "x-from": "fetch: The first source with a result is used",
    "x-case": "value: Words get the case that the kind defines",
    "x-split": "fetch: A label gives the words after it, in its own paragraph or on its own line",
    "x-rename": "fetch: A name can be replaced by the usual one and stay an alias",
    "x-refers": "nested: A part may refer to other entries",
    "x-sorted": "lists: A list whose order has no meaning is sorted by letters",
    "x-from.label": "fetch: Several bold labels may be on one line",
    "x-from.pattern": "fetch: A pattern gives every match to a list, and the first match to any other field",
    "x-from.above": "fetch: `above` gives the headings around an entry, the nearest first",
    "x-from.paragraph": "fetch: The first paragraph and the items of the lists can be fetched",
    "x-from.cell": "fetch: Cells of a row can be selected by their number",
    "x-from.table": "lists: A table with a pattern gives only the rows that contain a match",
    "x-from.meta": "notes: Fields come from nested properties, inline fields, labels, headings, the file and "
    "its folder",
}
"""Examples for the page of kinds: for each key, a page of tests/pages/extract and the heading of a case."""


class Entry(NamedTuple):
    """A key in a data file."""

    name: str
    """The path in the file, joined by dots, with `*` for a key that the author chooses."""
    schema: Schema
    is_required: bool

    @property
    def key(self) -> str:
        """The last part of the path."""
        return self.name.rpartition(".")[2]


def resolve(schema: Any, root: Schema) -> Schema:
    """Return a schema with its `$ref` replaced by the definition. Keywords next to `$ref` take precedence."""
    if not isinstance(schema, Mapping):
        return {}
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return {**resolve(root["$defs"][name], root), **{key: value for key, value in schema.items() if key != "$ref"}}
    return schema


def entries(schema: Any, root: Schema, path: tuple[str, ...] = (), seen: tuple[str, ...] = ()) -> Iterator[Entry]:
    """Yield the keys of a mapping, each followed by the keys inside it."""
    if isinstance(schema, Mapping) and (reference := schema.get("$ref")):
        if reference in seen:
            return
        seen = (*seen, reference)
    schema = resolve(schema, root)
    known: set[str] = set()
    for option in _options(schema, root):
        for key, value in option.get("properties", {}).items():
            if key not in known:
                known.add(key)
                name = (*path, key)
                yield Entry(".".join(name), resolve(value, root), key in option.get("required", ()))
                yield from entries(value, root, name, seen)
        for inside, part in ((option.get("items"), path), (option.get("additionalProperties"), (*path, "*"))):
            if isinstance(inside, Mapping):
                yield from entries(inside, root, part, seen)


def _options(schema: Schema, root: Schema) -> Iterator[Schema]:
    yield schema
    for keyword in ("anyOf", "oneOf"):
        yield from (resolve(option, root) for option in schema.get(keyword, ()))


def type_words(schema: Schema, root: Schema) -> str:
    """Return the type of a value in words, such as `list of text`, or an empty string if anything is allowed."""
    if "const" in schema:
        return f"`{flow(schema['const'])}`"
    if "enum" in schema:
        return "one of " + ", ".join(f"`{flow(value)}`" for value in schema["enum"])
    for keyword in ("anyOf", "oneOf"):
        options = [type_words(resolve(option, root), root) for option in schema.get(keyword, ())]
        if all(options) and options:
            return " or ".join(dict.fromkeys(options))
    types = schema.get("type", "object" if "properties" in schema else "")
    words = [TYPES[name] for name in ([types] if isinstance(types, str) and types else types)]
    if types == "array" and (inside := type_words(resolve(schema.get("items"), root), root)):
        return f"list of {inside}"
    return " or ".join(words)


PLACEHOLDER = re.compile(r"(?<![^\s(])[^\s`(]*<\w+>")
"""A word outside of code that contains a placeholder in angle brackets: `meta:<key>`."""


def sentence(text: str) -> str:
    """Return a description as a sentence, with a capital letter and a full stop.

    Placeholders become code, because they would be HTML elements in text.
    """
    text = PLACEHOLDER.sub(r"`\g<0>`", text)
    text = text[:1].upper() + text[1:] if text[:1].islower() and not text.startswith(("true:", "label:")) else text
    return text if text.endswith((".", ":", "!", "?")) or not text else f"{text}."


def entry_text(entry: Entry, root: Schema, level: int = 2) -> str:
    """Return the section about a key."""
    facts = [sentence(type_words(entry.schema, root))] if type_words(entry.schema, root) else []
    facts += ["Needed."] if entry.is_required else []
    facts += [f"Default: `{flow(entry.schema['default'])}`."] if "default" in entry.schema else []
    parts = [f"{'#' * level} `{entry.name}`", sentence(entry.schema.get("description", "")), " ".join(facts)]
    for example in examples(entry)[:2]:
        parts.append(f"```yaml\n{entry.key}: {flow(example)}\n```")
    if case := CASES.get(entry.name):
        parts.append(case_text(case))
    return "\n\n".join(filter(None, parts)) + "\n"


def examples(entry: Entry) -> Sequence[Any]:
    """Return the examples in the schema of a key, or else a value listed in the schema."""
    schema = entry.schema
    return schema.get("examples") or ([schema["const"]] if "const" in schema else schema.get("enum", [])[:1])


def case_text(place: str) -> str:
    """Return a case of tests/pages/extract as an example: its inputs and the resulting entries."""
    page, _, title = place.partition(": ")
    case = find_case(page, title)
    parts = [f"*{case.title}.*"]
    for fence in case.fences:
        language = fence.info[0]
        name = {"yaml": "The kind", "md": "The text", "json": "The entries"}.get(language, "")
        if name and fence.text.strip():
            parts.append(f"{name}:\n\n````{language}\n{fence.text.rstrip()}\n````")
    return "\n\n".join(parts)


def find_case(page: str, title: str) -> Case:
    """Return the case with the given heading on a page of tests/pages/extract."""
    return next(case for case in read_page(PAGES / "extract" / f"{page}.md") if case.title == title)


def key_page(title: str, lead: str, parts: Sequence[tuple[str, str, Sequence[Entry]]], root: Schema) -> str:
    """Return a page of keys. Each part has a heading, an introduction and keys; an empty heading starts no section."""
    texts = [f"# {title}\n", lead + "\n"]
    for heading, introduction, keys in parts:
        texts += [f"## {heading}\n", introduction + "\n"] if heading else []
        texts += [entry_text(entry, root, 3 if heading else 2) for entry in keys]
    return "\n".join(texts)


def file_entries(name: str) -> list[Entry]:
    """Return the keys of a data file, or of one entry if the file maps ids to calculators or effects."""
    root = shipped_schema(name)
    inside = {"calculator": "calculator", "effects": "effect"}.get(name)
    schema: Any = root["$defs"][inside] if inside else root
    if name == "corrections":
        schema = root["additionalProperties"]
    return list(entries(schema, root))


def kind_entries() -> list[Entry]:
    """Return the keys of a kind file."""
    root = shipped_schema("kind")
    own = [Entry(key, resolve(value, root), key in root["required"]) for key, value in root["properties"].items()]
    match = [
        Entry(f"x-match.{key}", resolve(value, root), False)
        for key, value in root["$defs"]["match"]["properties"].items()
    ]
    fetched = {
        **root["$defs"]["fetched"]["properties"],
        **root["properties"]["properties"]["additionalProperties"]["properties"],
    }
    field = [Entry(key, resolve(value, root), False) for key, value in fetched.items() if key.startswith("x-")]
    way = root["$defs"]["way"]["anyOf"][1]["properties"]
    source = [Entry(f"x-from.{key}", resolve(value, root), False) for key, value in way.items()]
    mends = root["$defs"]["fetched"]["properties"]["x-rename"]["additionalProperties"]["anyOf"][1]["properties"]
    renamed = [Entry(f"x-rename.*.{key}", resolve(value, root), True) for key, value in mends.items()]
    return [*own, *match, *(entry for entry in field if entry.name not in root["properties"]), *renamed, *source]

"""A game as an SQLite database: a table for each kind, and others for sections, printed tables, links and names.

docs/CONTRACT.md describes the tables. With one version of SQLite, equal data gives equal bytes.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kismet_build.extensions.packages.csv_files import Column, field_columns, plain_value
from kismet_build.mechanics.search.words import fold_words
from kismet_build.model.section_text import FORMS, section_text
from kismet_build.output.finished_data import FinishedData

CONTRACT_TABLES = ("section", "printed_table", "link", "name", "fts")
"""Names of the main tables, which every database has."""
OTHER_TABLES = (
    *("game", "kind", "entity", "effect", "effect_item", "circumstance", "roll", "word"),
    *("correction", "calculator", "ruling"),
    *("printed_cell", "printed_range", "synonym", "common_word"),
)
"""Names of all other tables that do not belong to a kind.

A kind with the name of a table in `CONTRACT_TABLES`, `OTHER_TABLES` or `FTS_PARTS` gets the table `kind_<name>`.
"""
FTS_PARTS = ("fts_config", "fts_content", "fts_data", "fts_docsize", "fts_idx")
"""Tables in which SQLite stores `fts`."""
MAX_INTEGER = 2**63
"""The smallest positive integer that is stored as text."""

SCHEMA = """
CREATE TABLE game (
  id TEXT PRIMARY KEY, title TEXT NOT NULL, version TEXT NOT NULL, language TEXT NOT NULL, format INTEGER NOT NULL,
  licence TEXT NOT NULL, licence_id TEXT NOT NULL, attribution TEXT NOT NULL, licence_text TEXT
);
CREATE TABLE kind (
  id TEXT PRIMARY KEY, title TEXT NOT NULL, plural TEXT NOT NULL, description TEXT NOT NULL, table_name TEXT NOT NULL
);
CREATE TABLE section (
  id TEXT PRIMARY KEY, title TEXT NOT NULL, level INTEGER NOT NULL, parent TEXT REFERENCES section(id),
  position INTEGER NOT NULL, text TEXT NOT NULL, markdown TEXT NOT NULL, html TEXT NOT NULL,
  tags TEXT, properties TEXT, url TEXT NOT NULL, path TEXT NOT NULL, line INTEGER NOT NULL, end_line INTEGER NOT NULL
);
CREATE TABLE entity (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL REFERENCES kind(id), name TEXT NOT NULL, section TEXT REFERENCES section(id),
  summary TEXT NOT NULL
);
CREATE TABLE ruling (
  entity TEXT NOT NULL REFERENCES entity(id), question TEXT NOT NULL, text TEXT, PRIMARY KEY (entity, question)
);
CREATE TABLE effect (
  entity TEXT NOT NULL REFERENCES entity(id), position INTEGER NOT NULL, operation TEXT,
  effect TEXT NOT NULL, quote TEXT NOT NULL, PRIMARY KEY (entity, position)
);
CREATE TABLE effect_item (
  entity TEXT NOT NULL, position INTEGER NOT NULL, key TEXT NOT NULL, place INTEGER NOT NULL, item NOT NULL,
  PRIMARY KEY (entity, position, key, place), FOREIGN KEY (entity, position) REFERENCES effect(entity, position)
);
CREATE TABLE circumstance (id TEXT PRIMARY KEY, title TEXT NOT NULL, about TEXT);
CREATE TABLE roll (
  id TEXT PRIMARY KEY, title TEXT NOT NULL, calculator TEXT NOT NULL REFERENCES calculator(id),
  within TEXT REFERENCES roll(id), roll TEXT NOT NULL
);
CREATE TABLE word (id TEXT PRIMARY KEY, title TEXT NOT NULL);
CREATE TABLE correction (
  position INTEGER PRIMARY KEY, entity TEXT NOT NULL, field TEXT NOT NULL, printed TEXT NOT NULL, taken TEXT NOT NULL,
  reason TEXT NOT NULL, path TEXT NOT NULL, line INTEGER NOT NULL, end_line INTEGER NOT NULL
);
CREATE TABLE calculator (id TEXT PRIMARY KEY, title TEXT NOT NULL, formula TEXT NOT NULL, calculator TEXT NOT NULL);
CREATE TABLE printed_table (
  id TEXT PRIMARY KEY, caption TEXT NOT NULL, section TEXT REFERENCES section(id), die TEXT,
  columns TEXT NOT NULL, url TEXT NOT NULL, path TEXT NOT NULL, line INTEGER NOT NULL, end_line INTEGER NOT NULL
);
CREATE TABLE printed_cell (
  printed_table TEXT NOT NULL REFERENCES printed_table(id), row INTEGER NOT NULL, column INTEGER NOT NULL,
  text TEXT NOT NULL, value, PRIMARY KEY (printed_table, row, column)
);
CREATE TABLE printed_range (
  printed_table TEXT NOT NULL REFERENCES printed_table(id), row INTEGER NOT NULL, position INTEGER NOT NULL,
  min INTEGER, max INTEGER, column INTEGER, PRIMARY KEY (printed_table, row, position)
);
CREATE TABLE link (
  origin TEXT NOT NULL, position INTEGER NOT NULL, target TEXT NOT NULL, found INTEGER,
  PRIMARY KEY (origin, position)
);
CREATE TABLE name (name TEXT NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, PRIMARY KEY (name, position));
CREATE TABLE synonym (word TEXT NOT NULL, means TEXT NOT NULL, PRIMARY KEY (word, means)) WITHOUT ROWID;
CREATE TABLE common_word (word TEXT PRIMARY KEY, weight REAL NOT NULL);
CREATE VIRTUAL TABLE fts USING fts5(id UNINDEXED, name, text, tokenize = '{stemmer}unicode61 remove_diacritics 2');
INSERT INTO fts(fts, rank) VALUES ('rank', 'bm25(0, 10, 1)');
"""
STEMMERS = {"en": "porter "}
"""By language, the SQLite tokenizer that also finds other forms of a word."""
INDEXES = """
CREATE INDEX entity_name ON entity (name);
CREATE INDEX link_target ON link (target);
CREATE INDEX name_id ON name (id);
"""


def export(data: FinishedData) -> Iterator[tuple[str, bytes]]:
    """An SQLite database of entries, sections, tables, links and names, with full-text search."""
    connection = sqlite3.connect(":memory:")
    try:
        language = data.pack["game"]["language"].partition("-")[0]
        connection.executescript(SCHEMA.format(stemmer=STEMMERS.get(language, "")))
        _fill(connection, data)
        connection.executescript(INDEXES)
        connection.execute("INSERT INTO fts(fts) VALUES ('optimize')")
        connection.commit()
        connection.execute("VACUUM")
        content = connection.serialize()
    except sqlite3.OperationalError as failure:
        # SQLite without FTS5, for example, is a fault of the machine, like a full disk.
        raise OSError(f"SQLite {sqlite3.sqlite_version} cannot make the database: {failure}") from failure
    finally:
        connection.close()
    yield f"{data.pack['game']['id']}.sqlite", content


def _fill(connection: sqlite3.Connection, data: FinishedData) -> None:
    pack = data.pack
    tables = _kind_tables(pack["kinds"])
    head = pack["game"]
    _insert(
        connection,
        "game",
        [
            [
                *(head[key] for key in ("id", "title", "version", "language")),
                pack["format"],
                *(head[key] for key in ("licence", "licence_id", "attribution")),
                pack.get("licence_text"),
            ]
        ],
    )
    _insert(
        connection,
        "kind",
        (
            [kind, *(described[key] for key in ("title", "plural", "description")), tables[kind]]
            for kind, described in pack["kinds"].items()
        ),
    )
    by_id = {entity["id"]: entity for of_kind in pack["entities"].values() for entity in of_kind}
    section_texts = {
        section["id"]: {form: section_text(section, by_id, form) for form in FORMS} for section in pack["sections"]
    }
    _insert(connection, "section", _sections(pack["sections"], section_texts))
    kind_of = {entity_id: entity["kind"] for entity_id, entity in by_id.items()}
    entities = [*by_id.values()]
    _insert(
        connection,
        "entity",
        ([entity[key] for key in ("id", "kind", "name", "section", "summary")] for entity in entities),
    )
    rulings = (
        [entity["id"], ruling["question"], ruling["text"]]
        for entity in entities
        for ruling in entity.get("rulings", ())
    )
    _insert(connection, "ruling", rulings)
    relations: list[tuple[str, str, Column, tuple[str, ...]]] = []
    for kind, of_kind in pack["entities"].items():
        relations += _create_kind(connection, data, kind, of_kind, tables, kind_of)
    taken = {*tables.values(), *CONTRACT_TABLES, *OTHER_TABLES, *FTS_PARTS}
    for kind, name, column, targets in relations:
        while name in taken:
            name += "_list"
        taken.add(name)
        _create_relation(connection, name, tables, kind, targets, pack["entities"][kind], column, kind_of)
    _insert(connection, "effect", _effects(entities))
    _insert(connection, "effect_item", _effect_items(entities))
    circumstances = pack.get("circumstances", {})
    _insert(connection, "circumstance", ([id_, each["title"], each["about"]] for id_, each in circumstances.items()))
    _insert(connection, "word", pack.get("words", {}).items())
    keys = ("entity", "field", "printed", "taken", "reason")
    _insert(
        connection,
        "correction",
        (
            [position, *(correction[key] for key in keys), *_place(correction)]
            for position, correction in enumerate(pack.get("corrections", ()))
        ),
    )
    _insert(
        connection,
        "calculator",
        ([entry["id"], entry["title"], entry["formula"], plain_value(entry)] for entry in pack["calculators"]),
    )
    rolls = ([*(roll[key] for key in ("id", "title", "calculator", "within")), roll] for roll in pack.get("rolls", ()))
    _insert(connection, "roll", rolls)
    _insert_tables(connection, pack["tables"])
    _insert(connection, "link", _links(pack, entities))
    _insert(
        connection,
        "name",
        ([name, position, id_] for name, ids in data.names["names"].items() for position, id_ in enumerate(ids)),
    )
    _insert(connection, "fts", _texts(pack, entities, section_texts))
    search = json.loads(data.files["search.json"])
    _insert(connection, "synonym", _synonyms(connection, search))
    _insert(connection, "common_word", _common_words(search["synonyms"]))


def _kind_tables(kinds: Iterable[str]) -> dict[str, str]:
    taken = {*CONTRACT_TABLES, *OTHER_TABLES, *FTS_PARTS}
    names = {kind: kind.replace("-", "_") for kind in kinds}
    return {
        kind: f"kind_{name}" if name in taken or name.startswith("sqlite_") else name for kind, name in names.items()
    }


def _create_kind(
    connection: sqlite3.Connection,
    data: FinishedData,
    kind: str,
    entities: Sequence[Mapping[str, Any]],
    tables: Mapping[str, str],
    kind_of: Mapping[str, str],
) -> Iterator[tuple[str, str, Column, tuple[str, ...]]]:
    """Create and fill the table of a kind.

    Yields the columns with lists of references, which become tables of their own.
    """
    schemas = data.fields(kind)
    columns = field_columns([entity["fields"] for entity in entities], schemas)
    declared = []
    for column in columns:
        targets = _targets(schemas, column, kind_of)
        reference = ""
        if targets and any(isinstance(value, list) for value in column.values):
            yield kind, f"{tables[kind]}_{column.name}", column, targets
        elif len(targets) == 1:
            reference = f" REFERENCES {_quoted(tables[targets[0]])}(id)"
        declared.append(f"{_quoted(column.name)} {_sql_type(data, schemas, column)}{reference}")
    connection.execute(
        f"CREATE TABLE {_quoted(tables[kind])} ("
        + ", ".join(
            (
                "id TEXT PRIMARY KEY REFERENCES entity(id)",
                *("name TEXT NOT NULL", "aliases TEXT NOT NULL", "tags TEXT"),
                *declared,
                *("text TEXT NOT NULL", "html TEXT NOT NULL", "url TEXT NOT NULL"),
                *("path TEXT NOT NULL", "line INTEGER NOT NULL", "end_line INTEGER NOT NULL"),
            )
        )
        + ")"
    )
    _insert(
        connection,
        tables[kind],
        (
            [
                *(entity["id"], entity["name"], entity["aliases"], entity.get("tags")),
                *(column.values[number] for column in columns),
                *(entity["text"], entity["html"], entity["url"], *_place(entity)),
            ]
            for number, entity in enumerate(entities)
        ),
    )


def _targets(schemas: Mapping[str, Mapping[str, Any]], column: Column, kind_of: Mapping[str, str]) -> tuple[str, ...]:
    """The kinds that a column refers to; empty if any value is not the id of an entity of these kinds."""
    schema = schemas.get(column.keys[0]) if len(column.keys) == 1 else None
    kinds = _referenced_kinds(schema) if schema else ()
    values = (item for value in column.values for item in (value if isinstance(value, list) else [value]))
    is_sound = all(value is None or (isinstance(value, str) and kind_of.get(value) in kinds) for value in values)
    return tuple(kinds) if is_sound else ()


def _referenced_kinds(schema: Mapping[str, Any]) -> tuple[str, ...]:
    if "x-refers" in schema:
        return tuple(schema["x-refers"])
    parts = (*([schema["items"]] if "items" in schema else ()), *schema.get("anyOf", ()))
    return next(filter(None, map(_referenced_kinds, parts)), ())


def _create_relation(
    connection: sqlite3.Connection,
    name: str,
    tables: Mapping[str, str],
    kind: str,
    targets: Sequence[str],
    entities: Sequence[Mapping[str, Any]],
    column: Column,
    kind_of: Mapping[str, str],
) -> None:
    """Create and fill the table of a reference list: a row for each item, a column for each referenced kind."""
    names = [_quoted(tables[target]) for target in targets]
    columns = ", ".join(f"{name} TEXT REFERENCES {name}(id)" for name in names)
    connection.execute(
        f"CREATE TABLE {_quoted(name)} (id TEXT NOT NULL REFERENCES {_quoted(tables[kind])}(id), "
        f"position INTEGER NOT NULL, {columns}, PRIMARY KEY (id, position))"
    )
    _insert(
        connection,
        name,
        (
            [entity["id"], position, *(item if kind_of[item] == target else None for target in targets)]
            for entity, items in zip(entities, column.values, strict=True)
            for position, item in enumerate(items or ())
        ),
    )


def _sql_type(data: FinishedData, schemas: Mapping[str, Mapping[str, Any]], column: Column) -> str:
    """The type of a column, from the schema of the field.

    Empty if the column has a large integer, which is stored as text, or if the schema limits its values neither to one
    type nor to numbers.
    """
    if any(map(_is_large, column.values)):
        return ""  # an integer column would round the value
    schema: Mapping[str, Any] = {"properties": schemas}
    for key in column.keys:
        schema = _properties(data, schema).get(key, {})
    types = frozenset(_types(data, schema)) - {"null"}
    match [*types]:
        case ["integer"] | ["boolean"]:
            return "INTEGER"
        case ["number"]:
            return "REAL"
        case ["string"] | ["array"] | ["object"]:
            return "TEXT"
    return "REAL" if types == {"integer", "number"} else ""


def _properties(data: FinishedData, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schemas of an object's parts. The object may also be null."""
    options = map(data.resolved, (schema, *schema.get("anyOf", ())))
    return next((option["properties"] for option in options if "properties" in option), {})


def _types(data: FinishedData, schema: Mapping[str, Any]) -> Iterator[str]:
    schema = data.resolved(schema)
    stated = schema.get("type", ())
    yield from [stated] if isinstance(stated, str) else stated
    if "type" not in schema:
        for value in (*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())):
            yield {str: "string", bool: "boolean", int: "integer", float: "number"}.get(type(value), "null")
    for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from _types(data, choice)


def _sections(sections: Iterable[Mapping[str, Any]], texts: Mapping[str, Mapping[str, str]]) -> Iterator[list[Any]]:
    for position, section in enumerate(sections):
        yield [
            *(section[key] for key in ("id", "title", "level", "parent")),
            position,
            *(texts[section["id"]]["text"], section["markdown"], texts[section["id"]]["html"]),
            *(section.get(key) for key in ("tags", "properties")),
            section["url"],
            *_place(section),
        ]


def _effects(entities: Iterable[Mapping[str, Any]]) -> Iterator[list[Any]]:
    for entity in entities:
        for position, effect in enumerate(entity["effects"]):
            yield [entity["id"], position, effect.get("operation"), effect, effect["citation"]["quote"]]


def _effect_items(entities: Iterable[Mapping[str, Any]]) -> Iterator[list[Any]]:
    for entity in entities:
        for position, effect in enumerate(entity["effects"]):
            for key, items in effect.items():
                for place, item in enumerate(items if isinstance(items, list) else ()):
                    yield [entity["id"], position, key, place, item]


def _insert_tables(connection: sqlite3.Connection, tables: Sequence[Mapping[str, Any]]) -> None:
    for table in tables:
        keys = ("id", "caption", "section", "die", "columns", "url")
        _insert(connection, "printed_table", [[*(table[key] for key in keys), *_place(table)]])
        _insert(
            connection,
            "printed_cell",
            (
                [table["id"], row, column, text, value]
                for row, (texts, values) in enumerate(zip(table["rows"], table["cells"], strict=True))
                for column, (text, value) in enumerate(zip(texts, values, strict=True))
            ),
        )
        columns = table.get("range_columns")
        _insert(
            connection,
            "printed_range",
            (
                [
                    *(table["id"], row, position),
                    *(range_["min"], range_["max"], columns[row][position] if columns else None),
                ]
                for row, ranges in enumerate(table["ranges"])
                for position, range_ in enumerate(ranges)
            ),
        )


def _links(pack: Mapping[str, Any], entities: Iterable[Mapping[str, Any]]) -> Iterator[list[Any]]:
    """The links of entities, sections and tables.

    Only for entities is it known whether a link was found automatically.
    """
    for entity in entities:
        found = {*entity["found_links"]}
        for position, target in enumerate(entity["links"]):
            yield [entity["id"], position, target, target in found]
    for origin in (*pack["sections"], *pack["tables"]):
        for position, target in enumerate(origin["links"]):
            yield [origin["id"], position, target, None]


def _texts(
    pack: Mapping[str, Any], entities: Iterable[Mapping[str, Any]], section_texts: Mapping[str, Mapping[str, str]]
) -> Iterator[list[Any]]:
    for entity in entities:
        yield [entity["id"], "\n".join((entity["name"], *entity["aliases"])), entity["text"]]
    for section in pack["sections"]:
        yield [section["id"], section["title"], section_texts[section["id"]]["text"]]
    for table in pack["tables"]:
        rows = (table["columns"], *table["rows"])
        yield [table["id"], table["caption"], "\n".join("\t".join(row) for row in rows)]


def _common_words(shared: Mapping[str, Any]) -> Iterable[tuple[str, float]]:
    """Words that say little or nothing in a question, each with its weight."""
    weak, ignored = (map(_folded, shared[key]) for key in ("weak", "ignored"))
    return {**dict.fromkeys(weak, 0.5), **dict.fromkeys(ignored, 0.0)}.items()


def _synonyms(connection: sqlite3.Connection, search: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Words and phrases with their synonyms, as far as these occur in `fts`."""
    shared = search["synonyms"]
    meanings = [(word, same) for same in shared["same"] for word in same]
    meanings += [*shared["leads"].items(), *((word, [name]) for name, *words in search["search"] for word in words)]
    pairs = {(_folded(word), _folded(meant)) for word, means in meanings for meant in means}
    is_in_texts = "SELECT 1 FROM fts WHERE fts MATCH ? LIMIT 1"
    for word, means in sorted(pairs):
        if word != means and connection.execute(is_in_texts, [f'"{means}"']).fetchone():
            yield word, means


def _folded(text: str) -> str:
    return " ".join(fold_words(text))


def _place(item: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(item["source"][key] for key in ("path", "line", "end_line"))


def _insert(connection: sqlite3.Connection, table: str, rows: Iterable[Sequence[Any]]) -> None:
    rows = [[*map(_sql_value, row)] for row in rows]
    if rows:
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {_quoted(table)} VALUES ({marks})", rows)


def _sql_value(value: Any) -> Any:
    return str(value) if _is_large(value) else plain_value(value)


def _is_large(value: Any) -> bool:
    return isinstance(value, int) and not -MAX_INTEGER <= value < MAX_INTEGER


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

"""The published schemas of a game, which name the types of its data.

The schema of all packs, in `schemas/`, specifies what the compiler may publish. A game's own schema specifies the types
that programs can rely on: its objects are named in `$defs`, and a key distinguishes the types of entities, effects and
formula nodes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from kismet_build.config.data_file import NAMED_SCHEMAS, SUBSCHEMAS, shipped_schema
from kismet_build.config.kind import Kind
from kismet_build.config.pack_schema import pack_schema
from kismet_build.model.text_normalization import pascal_case
from kismet_build.pack import Pack
from kismet_build.pack.cached import cached_in_pack

Schema = dict[str, Any]

KEYWORDS: Mapping[str, Schema] = {
    "x-refers": {
        "description": "the text is an id of one of these kinds, of a section, table or calculator; * is every kind",
        "type": "array",
        "minItems": 1,
        "items": {"type": "string"},
    },
    "x-unit": {"description": "the unit of the number, in the plural", "type": "string"},
    "x-format": {"description": "dice: the text is a dice expression; date: a date", "enum": ["dice", "date"]},
}
"""Keywords of published schemas beyond those of JSON Schema, each with the schema of its value."""

TYPE_NAMES: Mapping[str, str] = {
    "tree": "FormulaNode",
    "input": "CalculatorInput",
    "step": "CalculatorStep",
}
"""Type names by the name of the definition in the schema of all packs, if they differ by more than case."""
ITEM_NAMES: Mapping[str, str] = {"tables": "Table", "sections": "Section", "dice": "DiceInText", "kinds": "KindInfo"}
"""Type names of the items in the lists and maps of a pack."""
OTHER_NAMES = ("Entities", "Kinds", "Pack", "PackItem", "SectionId", "TableId", "CalculatorId")
"""Names of types that are not definitions in the schema of all packs."""
RESERVED_NAMES = (
    *("Any", "False", "Literal", "NewType", "None", "NotRequired", "True", "TypeAlias", "TypedDict", "Union", "final"),
)
"""Words that cannot be type names because Python or the generated module uses them."""
RANGE: Mapping[str, str] = {"min": "the lowest number", "max": "the highest number"}
"""The properties of ranges, with descriptions for those that lack one."""
MIN_ALTERNATIVES = 3
"""Minimum number of alternatives for which object types are named after their contents. With two, one is usually null,
so the other needs no name of its own."""

BY_TYPE: Mapping[str, frozenset[str]] = {
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "x-unit"}),
    "string": frozenset({"minLength", "maxLength", "pattern", "x-format", "x-refers"}),
    "array": frozenset({"items", "minItems", "maxItems", "uniqueItems"}),
    "object": frozenset({"properties", "required", "additionalProperties"}),
}
"""For each JSON type, the keywords that apply only to it."""
REFERENCES: Mapping[str, Sequence[str]] = {
    "id": ("*",),
    "target_id": ("*", "section"),
    "section_id": ("section",),
    "table_id": ("table",),
    "calculator_id": ("calculator",),
}
"""Values of `x-refers` for the definitions of ids in the schema of all packs."""


PACK = "pack"
"""Name of the schema of a game's pack."""


def game_schema(pack: Pack, name: str = PACK) -> Schema:
    """The schema of a game's pack, from which types are made. Given the id of a kind, the schema of its entities."""
    types = _types(pack)
    return types.pack_schema() if name == PACK else types.entity_schema(pack.game.kinds[name])


@cached_in_pack
def _types(pack: Pack) -> "_GameTypes":
    return _GameTypes(pack)


def general_schemas() -> Iterator[tuple[str, Schema]]:
    """Name and content of each schema that all games share."""
    for name, schema in _general_schemas():
        yield name, _identified(_with_single_types(schema), name)


def _general_schemas() -> Iterator[tuple[str, Schema]]:
    pack = pack_schema()
    yield "pack", pack
    for name in ("formula", "diagnostics", "questions", "index"):
        yield name, shipped_schema(name)
    entities = pack["properties"]["entities"]["additionalProperties"]
    yield "entities", _subset_schema("Entities of one kind", {"kind": {"$ref": "#/$defs/word"}, "entities": entities})
    yield "calculators", _subset_schema("Calculators of one game", {"calculators": pack["properties"]["calculators"]})
    keywords = {
        "$schema": pack["$schema"],
        "title": "Keywords",
        "description": "keywords of these schemas that are not in JSON Schema, each with the schema of its value",
        "type": "object",
        "properties": dict(KEYWORDS),
        "additionalProperties": False,
    }
    yield "keywords", keywords


def _subset_schema(title: str, members: Schema) -> Schema:
    pack = pack_schema()
    schema = {
        "$schema": pack["$schema"],
        "title": title,
        "type": "object",
        "required": ["format", "game", *members],
        "additionalProperties": False,
        "properties": {**{name: pack["properties"][name] for name in ("$schema", "format", "game")}, **members},
    }
    return _with_definitions(schema, pack["$defs"])


def _identified(schema: Schema, *name: str) -> Schema:
    """A schema with its `$id`, which is not a URL, so programs do not try to fetch it."""
    parts = ("urn", "kismet-build", str(pack_schema()["properties"]["format"]["const"]), *name)
    return {"$schema": schema["$schema"], **schema, "$id": ":".join(quote(part, safe="") for part in parts)}


def _with_single_types(schema: Any) -> Any:
    """A schema with alternatives instead of type lists.

    Strict validators reject a type list unless it only adds null.
    """
    if isinstance(schema, list):
        return [_with_single_types(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    result = {}
    for key, part in schema.items():
        if key in NAMED_SCHEMAS:
            result[key] = {name: _with_single_types(named) for name, named in part.items()}
        else:
            result[key] = _with_single_types(part) if key in SUBSCHEMAS else part
    types = schema.get("type")
    if not isinstance(types, list) or len({*types} - {"null"}) == 1:
        return result
    own = {"type"}.union(*BY_TYPE.values())
    rest = {key: part for key, part in result.items() if key not in own}
    return {**rest, "anyOf": [_of_type(result, type_) for type_ in types]}


def _with_definitions(schema: Schema, definitions: Mapping[str, Any]) -> Schema:
    used: dict[str, Any] = {}
    waiting = [schema]
    while waiting:
        for name in _references(waiting.pop()):
            if name not in used:
                used[name] = definitions[name]
                waiting.append(definitions[name])
    return {**schema, "$defs": {name: definitions[name] for name in definitions if name in used}}


def _references(schema: Any) -> Iterator[str]:
    for key, part in schema.items() if isinstance(schema, Mapping) else ():
        if key == "$ref":
            yield part.removeprefix("#/$defs/")
        elif key in NAMED_SCHEMAS:
            for named in part.values():
                yield from _references(named)
        elif key in SUBSCHEMAS:
            for option in part if isinstance(part, list) else [part]:
                yield from _references(option)


class _GameTypes:
    """The types of a game by name, made from the schema of all packs and the schemas of the game's kinds."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._general = pack_schema()
        self._definitions: dict[str, Schema] = {}
        self._names = {*map(_type_name, self._general["$defs"]), *ITEM_NAMES.values(), *RESERVED_NAMES, *OTHER_NAMES}
        self._kind_names = {kind: self._kind_name(kind) for kind in pack.game.kinds}
        self._names.difference_update(ITEM_NAMES.values())
        self._members = {name: self._member(name, schema) for name, schema in self._general["properties"].items()}
        self._definitions["Game"]["properties"]["id"] = {"const": pack.game.id}

    def pack_schema(self) -> Schema:
        schema = {
            "$schema": self._general["$schema"],
            "title": "Pack",
            "description": f"All published data of {self._pack.game.title}.",
            "type": "object",
            "required": self._general["required"],
            "additionalProperties": False,
            "properties": self._members,
        }
        return self._finished(schema, "pack")

    def entity_schema(self, kind: Kind) -> Schema:
        """The schema of an entity's file. Its fields also have the titles shown on pages."""
        name = self._kind_names[kind.id]
        entity, fields = self._definitions[name], self._definitions[f"{name}Fields"]
        titled = {
            key: {**({"title": own["title"]} if "title" in own else {}), **fields["properties"][key]}
            for key, own in kind.schema["properties"].items()
        }
        schema = {
            "$schema": self._general["$schema"],
            "title": kind.title,
            **_described(entity),
            "type": "object",
            "required": ["format", "licence", "attribution", "entity"],
            "additionalProperties": False,
            "properties": {
                **{key: self._general["properties"][key] for key in ("$schema", "format")},
                "licence": {"type": "string"},
                "attribution": {"type": "string"},
                "entity": _reference_to(name),
            },
        }
        return self._finished(schema, kind.id, {f"{name}Fields": {**fields, "properties": titled}})

    def _finished(self, schema: Schema, name: str, definitions: Mapping[str, Schema] | None = None) -> Schema:
        game = self._pack.game
        all_definitions = {**self._definitions, **(definitions or {})}
        return _identified(_with_definitions(schema, all_definitions), game.id, game.version, name)

    def _kind_name(self, kind: str) -> str:
        """The type name of a kind's entities, after which the types of their fields and ids are named."""
        name = wished = pascal_case(kind)
        number = 1
        while not self._names.isdisjoint(names := {name, f"{name}Fields", f"{name}Id"}):
            name = f"{wished}Entity{number if number > 1 else ''}"
            number += 1
        self._names |= names
        return name

    def _free_name(self, wished: str) -> str:
        name, number = wished, 1
        while name in self._names:
            number += 1
            name = f"{wished}{number}"
        self._names.add(name)
        return name

    def _member(self, name: str, schema: Schema) -> Schema:
        match name:
            case "entities":
                return self._entities()
            case "kinds":
                return self._kinds(schema["additionalProperties"])
            case _:
                return self._schema(schema, ITEM_NAMES.get(name, pascal_case(name)))

    def _entities(self) -> Schema:
        for kind in self._pack.game.kinds.values():
            self._define_entity(kind)
        references = {kind: _reference_to(name) for kind, name in self._kind_names.items()}
        entity = {
            "description": "an entity; its kind determines its type",
            "type": "object",
            "discriminator": {"propertyName": "kind"},
            "oneOf": [*references.values()],
        }
        entities = {
            "description": "the entities of each kind",
            "type": "object",
            "required": [*references],
            "properties": {kind: {"type": "array", "items": reference} for kind, reference in references.items()},
            "propertyNames": {"enum": [*references]},
            # Any entity. `propertyNames` already rules out other keys, but type generators need a place that uses the
            # union.
            "additionalProperties": {"type": "array", "items": _reference_to("Entity")},
        }
        if not references:
            return {"type": "object", "additionalProperties": False}
        self._definitions |= {"Entity": entity, "Entities": entities}
        return _reference_to("Entities")

    def _kinds(self, general: Schema) -> Schema:
        reference = self._schema(general, ITEM_NAMES["kinds"])
        self._definitions["Kinds"] = {
            "description": "the names of the kinds",
            "type": "object",
            "required": [*self._kind_names],
            "properties": dict.fromkeys(self._kind_names, reference),
            "additionalProperties": False,
        }
        return _reference_to("Kinds")

    def _define_entity(self, kind: Kind) -> None:
        name = self._kind_names[kind.id]
        general = self._general["$defs"]["entity"]
        own = {
            "id": {"description": "game/kind/slug; never changes", **self._id([kind.id])},
            "kind": {"const": kind.id},
            "fields": _reference_to(f"{name}Fields"),
        }
        description = {"description": kind.description} if kind.description else {}
        shared = {key: self._schema(part, name + pascal_case(key)) for key, part in general["properties"].items()}
        self._definitions[name] = {
            **description,
            "type": "object",
            "required": general["required"],
            "additionalProperties": False,
            "properties": {**shared, **own},
        }
        values = [entity.fields for entity in self._pack.entities[kind.id]]
        self._definitions[f"{name}Fields"] = self._object(self._pack.published_schema(kind), name, values)

    def _reference(self, schema: Mapping[str, Any]) -> Schema:
        """A reference to a named definition.

        A definition without objects is copied instead, as its type needs no name.
        """
        key = schema["$ref"].removeprefix("#/$defs/")
        general = self._general["$defs"][key]
        if key in REFERENCES:
            return {**_described(schema, general), **self._id(REFERENCES[key])}
        if not _has_objects(general):
            return {**self._schema(general, ""), **_described(schema, general)}
        name = _type_name(key)
        if name not in self._definitions:
            self._definitions[name] = {}  # reserves the name: a definition may refer to itself
            self._definitions[name] = self._definition(key, general)
        # No description next to the reference: type generators would make a separate type of it.
        return _reference_to(name)

    def _definition(self, key: str, general: Mapping[str, Any]) -> Schema:
        name = _type_name(key)
        if key == "effect":
            return self._effect(general)
        if "discriminator" in general:
            return self._tagged_union(name, general)
        if alternatives := general.get("anyOf"):
            return self._union(general, alternatives, name)
        return self._object(general, name)

    def _tagged_union(self, name: str, general: Mapping[str, Any]) -> Schema:
        """A union whose members are told apart by a property.

        A member that shares properties with the union is written out, because type generators miss shared properties in
        a definition. Other members are references to definitions.
        """
        shared = self._object(general, name)["properties"] if "properties" in general else {}
        members = []
        for option in general["oneOf"]:
            key = option["$ref"].removeprefix("#/$defs/")
            member = self._object(self._general["$defs"][key], _type_name(key))
            if shared.keys() & member["properties"].keys():
                members.append({"title": _type_name(key), **member})
            else:
                members.append(self._reference(option))
        base = {"properties": shared} if shared else {}
        tag = {"discriminator": general["discriminator"]}
        return {**_described(general), "type": "object", **tag, **base, "oneOf": members}

    def _effect(self, general: Mapping[str, Any]) -> Schema:
        """The union of the effects. Each member has the key of one operation and the keys that go with it."""
        properties = self._object(general, "Effect")["properties"]
        needed: Mapping[str, Sequence[str]] = general.get("dependentRequired", {})
        operations = [key for alternative in general["anyOf"] for key in alternative["required"] if key != "roll"]
        # The game defines its own operations on rolls.
        of_rolls: dict[str, list[Any]] = {}
        for effects in self._pack.game.effects.values():
            for effect in effects:
                if (operation := effect.payload.get("operation", operations[0])) not in operations:
                    of_rolls.setdefault(operation, []).append(effect.payload[operation])
        members = []
        for operation in (*operations, *sorted(of_rolls)):
            others = {*operations, *of_rolls} - {operation}
            unfit = others | {key for key, keys in needed.items() if others & {*keys}}
            own = {key: part for key, part in properties.items() if key not in unfit}
            if operation in of_rolls:
                value = self._schema(general["additionalProperties"], operation)
                own[operation] = self._value_of_roll(operation, of_rolls[operation], value)
            if "operation" in own:
                own["operation"] = {"const": operation}
            also = ("roll",) if operation in of_rolls else needed.get(operation, ())
            name = self._free_name(f"{pascal_case(operation)}Effect")
            self._definitions[name] = {
                "type": "object",
                "required": [*dict.fromkeys((*general["required"], operation, *also))],
                "additionalProperties": False,
                "properties": own,
            }
            members.append(_reference_to(name))
        tag = {"discriminator": {"propertyName": "operation"}} if "operation" in properties else {}
        about = {"description": "an effect; its operation is the key that acts, the others go with it"}
        return {**about, "type": "object", **tag, "oneOf": members}

    def _value_of_roll(self, operation: str, values: Sequence[Any], general: Schema) -> Schema:
        """The schema of a roll operation's value: `true` or an input's options, if the pack has no other values."""
        inputs = self._pack.game.definition.effect_words.inputs
        options = {option for (_, fed), input_ in inputs.items() if fed == operation for option in input_.options}
        if all(value is True for value in values):
            return {**_described(general), "const": True}
        if {*values} <= options:
            return {**_described(general), "enum": sorted(options)}
        return general

    def _schema(self, schema: Any, name: str, values: Sequence[Any] = ()) -> Schema:
        """A schema from which types can be made: objects become definitions, everything else is written out.

        `name`: the type name if the schema is of an object. `values`: the field's values in the pack.
        """
        if not isinstance(schema, Mapping):
            return {}
        if "$ref" in schema:
            return self._reference(schema)
        if alternatives := schema.get("anyOf") or schema.get("oneOf"):
            return self._union(schema, alternatives, name, values)
        types = schema.get("type")
        if isinstance(types, list) and ("properties" in schema or len({*types} - {"null"}) > 1):
            return self._union(schema, [_of_type(schema, type_) for type_ in types], name, values)
        if "properties" in schema:
            name = self._free_name(name)
            self._definitions[name] = {}
            self._definitions[name] = self._object(schema, name, values)
            return _reference_to(name)
        return self._simple(schema, name, values)

    def _object(self, schema: Mapping[str, Any], name: str, values: Sequence[Any] = ()) -> Schema:
        objects = [value for value in values if isinstance(value, Mapping)]
        properties = {
            key: self._schema(part, name + pascal_case(key), [value[key] for value in objects if key in value])
            for key, part in schema["properties"].items()
        }
        required = dict.fromkeys(schema.get("required", ()))
        # Extraction always sets a field whose value may be empty.
        required |= {
            key: None
            for key, part in schema["properties"].items()
            if objects and _may_be_empty(part) and all(key in value for value in objects)
        }
        if {*properties} == {*RANGE}:
            properties = {key: {"description": RANGE[key], **part} for key, part in properties.items()}
        rest = {key: value for key, value in schema.items() if key in ("additionalProperties", "minProperties")}
        return {**_described(schema), "type": "object", "required": [*required], **rest, "properties": properties}

    def _union(
        self, schema: Mapping[str, Any], alternatives: Sequence[Any], name: str, values: Sequence[Any] = ()
    ) -> Schema:
        about = {**_described(schema), **{key: schema[key] for key in ("default", "x-unit") if key in schema}}
        if (constants := _constants(alternatives)) is not None:
            formats = {option["format"] for option in alternatives if "format" in option}
            return {**about, **({"x-format": formats.pop()} if formats else {}), "enum": constants}
        refers = {"x-refers": schema["x-refers"]} if "x-refers" in schema else {}
        options = []
        for option in alternatives:
            own = {**option, **refers} if option.get("type") == "string" else option
            options.append(self._schema(own, name + _alternative_name(option, len(alternatives)), values))
        return {**about, "anyOf": options}

    def _simple(self, schema: Mapping[str, Any], name: str, values: Sequence[Any]) -> Schema:
        result = {key: value for key, value in schema.items() if key not in ("title", "x-refers", "format", "items")}
        if "format" in schema:
            result["x-format"] = schema["format"]
        for key in ("additionalProperties", "propertyNames"):
            if isinstance(schema.get(key), Mapping):
                result[key] = self._schema(schema[key], name)
        refers = schema.get("x-refers")
        if "items" in schema:
            items = {**schema["items"], "x-refers": refers} if refers else schema["items"]
            return {**result, "items": self._schema(items, name, [item for value in values for item in value or ()])}
        if not refers:
            return result
        id_ = self._id(refers)
        if all(re.search(id_["pattern"], value) for value in values if isinstance(value, str)):
            return {**id_, **result, "pattern": id_["pattern"]}
        # An unknown name is reported, and stays in the data as written.
        return {**_described(schema), "anyOf": [id_, {key: result[key] for key in result if key != "description"}]}

    def _id(self, refers: Sequence[str]) -> Schema:
        folders = "[a-z0-9-]+" if "*" in refers else "|".join(refers)
        folders = f"({folders})" if "|" in folders else folders
        return {
            "type": "string",
            "pattern": f"^{self._pack.game.id}/{folders}/[a-z0-9^_-]+(?!\\n)$",
            "x-refers": [*refers],
        }


def _type_name(name: str) -> str:
    return TYPE_NAMES.get(name, pascal_case(name))


def _reference_to(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _described(*schemas: Mapping[str, Any]) -> Schema:
    descriptions = [schema["description"] for schema in schemas if "description" in schema]
    return {"description": descriptions[0]} if descriptions else {}


def _has_objects(schema: Mapping[str, Any]) -> bool:
    return "properties" in schema or any(
        "properties" in option or "$ref" in option for key in ("anyOf", "oneOf") for option in schema.get(key, ())
    )


def _of_type(schema: Mapping[str, Any], type_: str) -> Schema:
    own = BY_TYPE["number" if type_ == "integer" else type_] if type_ in (*BY_TYPE, "integer") else frozenset()
    return {"type": type_, **{key: value for key, value in schema.items() if key in own}}


def _constants(alternatives: Sequence[Any]) -> list[Any] | None:
    values: list[Any] = []
    for option in alternatives:
        match option:
            case {"const": value}:
                values.append(value)
            case {"enum": several}:
                values += several
            case {"type": "null"}:
                values.append(None)
            case _:
                return None
    return values


def _alternative_name(schema: Any, count: int) -> str:
    properties = schema.get("properties", {}) if isinstance(schema, Mapping) else {}
    if not properties or count < MIN_ALTERNATIVES:
        return ""
    return "Range" if {*properties} == {*RANGE} else pascal_case(next(iter(properties)))


def _may_be_empty(schema: Mapping[str, Any]) -> bool:
    """Whether a field with this schema has a value even if the text does not give one."""
    types = schema.get("type", ())
    options = [schema, *schema.get("anyOf", ()), *schema.get("oneOf", ())]
    is_nullable = "null" in types or any(
        option.get("type") == "null" or None in option.get("enum", ()) for option in options
    )
    return "default" in schema or is_nullable or (types == "array" and not schema.get("minItems"))

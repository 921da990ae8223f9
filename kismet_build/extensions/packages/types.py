"""Types of a game's data for TypeScript and Python, made from its pack's schema."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from textwrap import wrap
from typing import Any

from kismet_build.model.text_normalization import pascal_case
from kismet_build.output.finished_data import FinishedData

DOC_WIDTH = 110
"""Maximum length of a comment line, in characters."""
MAX_NAMED_ITEMS = 5
"""A list in TypeScript has a type for each required item if there are at most this many."""
ANY_KIND = "Entity"
"""Word used in the type name of all entity ids."""
ITEM_TYPE, ITEM_TYPES = "PackItem", ("Section", "Table", "Calculator")
"""The name of the type for anything with an id, and the types that it includes besides entities."""
ITEM_COMMENT = "Anything in the pack that has an id."
INPUT_VALUE_COMMENT = (
    "A value of an input: a number, true or false, an option, or an entity by id, slug, `kind/slug`, name or alias."
)

TYPESCRIPT_TYPES: Mapping[str, str] = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}
PYTHON_TYPES: Mapping[str, str] = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
}

Schema = Mapping[str, Any]


def export(data: FinishedData) -> Iterator[tuple[str, bytes]]:
    """The files with the TypeScript and Python types of a game's data."""
    game = data.pack["game"]["id"]
    yield f"types/{game}.d.ts", typescript_types(data.schema, data.pack["calculators"]).encode()
    yield f"types/{game}.py", python_types(data.schema, data.pack["calculators"]).encode()


def typescript_types(schema: Schema, calculators: Sequence[Schema]) -> str:
    """The text of `<game>.d.ts`: types of a pack and its parts, from its schema, and of the inputs of calculators."""
    model = _Model(schema)
    lines = [*_typescript_comment({"description": model.about}), ""]
    for word, name in model.id_types.items():
        lines.append(f"export type {name}Id = `{model.game}/{word}/${{string}}`;")
    lines += [f"export type {ANY_KIND}Id = {' | '.join(model.entity_id_types()) or 'never'};", ""]
    item: Schema = {"description": ITEM_COMMENT}
    lines += [*_typescript_comment(item), f"export type {ITEM_TYPE} = {' | '.join(model.item_types())};", ""]
    for name, definition in model.definitions():
        lines += [*_typescript_comment(definition), *_typescript_definition(name, definition, model), ""]
    return "\n".join((*lines, *_typescript_functions(model, calculators)))


def python_types(schema: Schema, calculators: Sequence[Schema]) -> str:
    """The text of `<game>.py`: types of a pack and its parts, from its schema, and of the inputs of calculators."""
    model = _Model(schema)
    lines = [
        *_python_comment({"description": model.about}),
        "",
        "from collections.abc import Sequence",
        "from typing import Any, Literal, NewType, NotRequired, Protocol, TypeAlias, TypedDict, final, overload",
        "",
    ]
    lines += [f'{name}Id = NewType("{name}Id", str)' for name in model.id_types.values()]
    lines += [f"{ANY_KIND}Id: TypeAlias = {' | '.join(model.entity_id_types()) or 'str'}", ""]
    # Name each type: mypy does not look inside a named union when it narrows one.
    lines += [f'{ITEM_TYPE}: TypeAlias = "{" | ".join(model.item_types())}"', f'"""{ITEM_COMMENT}"""', ""]
    for name, definition in model.definitions():
        lines += [*_python_definition(name, definition, model), ""]
    return "\n".join((*lines, *_python_functions(model, calculators)))


@dataclass(frozen=True, slots=True)
class _Model:
    """The schema of a pack, as needed to make types."""

    schema: Schema

    @property
    def game(self) -> str:
        game_id: str = self.schema["$defs"]["Game"]["properties"]["id"]["const"]
        return game_id

    @property
    def about(self) -> str:
        return f"{self.schema['description']} The schema {self.schema['$id']} describes the same data."

    @property
    def id_types(self) -> Mapping[str, str]:
        """For each word in `x-refers`, the name of the type of ids that it stands for."""
        others = {word: pascal_case(word) for word in ("section", "table", "calculator")}
        return {**self.kinds(), **others}

    def entity_id_types(self) -> list[str]:
        return [f"{name}Id" for name in self.kinds().values()]

    def item_types(self) -> list[str]:
        return [*self.kinds().values(), *ITEM_TYPES]

    def kinds(self) -> Mapping[str, str]:
        """The name of the type of each kind's entities."""
        definitions = self.schema["$defs"]
        names = map(_referenced_name, definitions["Entity"]["oneOf"] if "Entity" in definitions else ())
        return {definitions[name]["properties"]["kind"]["const"]: name for name in names}

    def definitions(self) -> Iterator[tuple[str, Schema]]:
        """Each type with its name. The pack comes first, then its parts."""
        yield "Pack", {**self.schema, "description": self.schema["description"]}
        for name, definition in self.schema["$defs"].items():
            members = definition.get("oneOf", ())
            references = [{"$ref": f"#/$defs/{option['title']}"} if "title" in option else option for option in members]
            shared = definition.get("properties", {})
            yield name, {**definition, "oneOf": references} if members else definition
            for option in members:
                if "title" in option:
                    properties = {key: {**shared.get(key, {}), **part} for key, part in option["properties"].items()}
                    yield option["title"], {**option, "properties": properties}

    def id_type(self, refers: Sequence[str]) -> str:
        return " | ".join(f"{ANY_KIND if word == '*' else self.id_types[word]}Id" for word in refers)


def _typescript_functions(model: _Model, calculators: Sequence[Schema]) -> Iterator[str]:
    """The TypeScript types of what `get` and `calculate` of the package take and return, by id."""
    yield "/** The type of what has an id. */"
    yield "export type ItemOf<Id extends string> ="
    for name in model.item_types():
        yield f"  Id extends {name}Id ? {name} :"
    yield f"  {ITEM_TYPE};"
    yield ""
    yield from _typescript_comment({"description": INPUT_VALUE_COMMENT})
    yield "export type InputValue = number | boolean | string;"
    yield ""
    yield "/** The inputs and the result of each calculator, by the last part of its id. */"
    yield "export interface CalculatorsByName {"
    for calculator in calculators:
        yield from (f"  {line}" for line in _typescript_comment({"description": calculator["title"]}))
        yield f"  {json.dumps(_slug(calculator))}: {{"
        yield "    inputs: {"
        for given in calculator["inputs"]:
            yield from (f"      {line}" for line in _typescript_comment(_input_comment(given)))
            type_ = _INPUT_TYPES[given["type"]][0] or " | ".join(map(json.dumps, given["options"])) or "never"
            listed = f" | readonly ({type_})[]" if given.get("many") else ""
            yield f"      readonly {given['name']}?: {type_}{listed} | undefined;"
        yield "    };"
        yield f"    result: {_RESULT_TYPES.get(calculator['result']['type'], 'unknown')};"
        yield "  };"
    yield "}"
    yield ""
    prefix = f"{model.game}/calculator/"
    yield "/** The id of a calculator of this game, or the last part of it. */"
    yield f"export type KnownCalculator = keyof CalculatorsByName | `{prefix}${{keyof CalculatorsByName}}`;"
    yield ""
    yield "/** The calculator with an id; any calculator, if the id is not known. */"
    yield "export type CalculatorOf<Id extends string> ="
    yield "  Id extends keyof CalculatorsByName ? CalculatorsByName[Id] :"
    yield f"  Id extends `{prefix}${{infer Slug extends keyof CalculatorsByName}}` ? CalculatorsByName[Slug] :"
    yield "  { inputs: Readonly<Record<string, InputValue | readonly InputValue[] | undefined>>; result: unknown };"
    yield ""


def _python_functions(model: _Model, calculators: Sequence[Schema]) -> Iterator[str]:
    """The Python types of each calculator's inputs, and of what `get` of the package returns by kind.

    `calculate` does not have an overload for each calculator, because mypy would list all of them below every mistake.
    `get` has no overloads for ids: with 1,900 ids in literals, mypy took 17 s instead of 2.
    """
    for calculator in calculators:
        yield f"{_inputs_name(calculator)} = TypedDict("
        yield f"    {json.dumps(_inputs_name(calculator))},"
        yield "    {"
        for given in calculator["inputs"]:
            yield from (f"        # {line}" for line in wrap(_documentation(_input_comment(given)), DOC_WIDTH))
            type_ = _INPUT_TYPES[given["type"]][1] or f"Literal[{', '.join(map(_literal, given['options']))}]"
            type_ = f"{type_} | Sequence[{type_}]" if given.get("many") else type_
            yield f"        {_literal(given['name'])}: {_literal(type_)},"
        yield "    },"
        yield "    total=False,"
        yield ")"
        yield from _python_comment({"description": f"The inputs of {calculator['title']}."})
        yield ""
    yield "class GetFunction(Protocol):"
    yield '    """Returns what an id or a name means, or `None`."""'
    kinds = model.kinds()
    if kinds:
        yield "    @overload"
    yield f'    def __call__(self, name: str, kind: None = None) -> "{ITEM_TYPE} | None": ...'
    for kind, name in kinds.items():
        yield "    @overload"
        yield f'    def __call__(self, name: str, kind: Literal[{_literal(kind)}]) -> "{name} | None": ...'
    yield ""


_INPUT_TYPES = {
    "integer": ("number", "int"),
    "number": ("number", "float"),
    "boolean": ("boolean", "bool"),
    "choice": ("", ""),
    "entity": ("string", "str"),
}
"""The types of inputs in TypeScript and Python. An empty string stands for the type of the options."""

_RESULT_TYPES = {
    "number": "number",
    "chance": "number",
    "boolean": "boolean",
    "text": "string",
    "entity": "string",
    "dice": "string",
}
"""The types of results in TypeScript. The result is an id for an entity, and the notation for dice."""


def _input_comment(given: Schema) -> Schema:
    limits = [f"from {given['min']} to {given['max']}"] if given.get("min") is not None else []
    unit, default = given.get("unit"), json.dumps(given["default"], ensure_ascii=False)
    about = [given["label"], *limits, *([unit] if unit else ()), f"default {default}"]
    return {"description": ", ".join(map(str, about))}


def _slug(calculator: Schema) -> str:
    slug: str = calculator["id"].rpartition("/")[2]
    return slug


def _inputs_name(calculator: Schema) -> str:
    return f"{pascal_case(_slug(calculator))}Inputs"


def _referenced_name(schema: Schema) -> str:
    name: str = schema["$ref"].removeprefix("#/$defs/")
    return name


def _typescript_definition(name: str, schema: Schema, model: _Model) -> Iterator[str]:
    if "properties" not in schema or "oneOf" in schema:
        yield f"export type {name} = {_typescript_type(schema, model)};"
        return
    # An alias and not an interface, because `Object.values` does not know the types of an interface's values.
    yield f"export type {name} = {{"
    required = schema.get("required", ())
    for key, part in schema["properties"].items():
        yield from (f"  {line}" for line in _typescript_comment(part))
        written = key if re.fullmatch(r"[A-Za-z_]\w*", key, re.ASCII) else json.dumps(key)
        yield f"  {written}{'' if key in required else '?'}: {_typescript_type(part, model)};"
    yield "};"


def _typescript_type(schema: Schema, model: _Model) -> str:
    def of(part: Schema) -> str:
        return _typescript_type(part, model)

    if (alternatives := _alternatives(schema)) is not None:
        return " | ".join(dict.fromkeys(map(of, alternatives)))
    if "$ref" in schema:
        return _referenced_name(schema)
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    match schema.get("type"):
        case "string" if "x-refers" in schema:
            return model.id_type(schema["x-refers"])
        case "array":
            return _typescript_list(schema, of(schema.get("items", {})))
        case "object":
            values = schema.get("additionalProperties", {})
            return f"{{ [key: string]: {of(values) if values else 'unknown'} }}"
        case str(word):
            return TYPESCRIPT_TYPES[word]
        case _:
            return "unknown"


def _typescript_list(schema: Schema, item: str) -> str:
    least, most = schema.get("minItems", 0), schema.get("maxItems")
    grouped = f"({item})" if "|" in item else item
    if not 0 < least <= MAX_NAMED_ITEMS:
        return f"{grouped}[]"
    rest = () if most == least else (f"...{grouped}[]",)
    return f"[{', '.join((*[item] * least, *rest))}]"


def _typescript_comment(schema: Schema) -> Iterator[str]:
    lines = wrap(_documentation(schema).replace("*/", "*\\/"), DOC_WIDTH)
    if len(lines) == 1:
        yield f"/** {lines[0]} */"
    elif lines:
        yield "/**"
        yield from (f" * {line}" for line in lines)
        yield " */"


def _python_definition(name: str, schema: Schema, model: _Model) -> Iterator[str]:
    def of(part: Schema) -> str:
        return _python_type(part, model)

    if "properties" not in schema or "oneOf" in schema:
        yield f"{name}: TypeAlias = {_annotation(of(schema))}"
        yield from _python_comment(schema)
        return
    required = schema.get("required", ())
    types = {
        key: _annotation(of(part)) if key in required else f"NotRequired[{_annotation(of(part))}]"
        for key, part in schema["properties"].items()
        # `$schema` cannot be the name of a class member, and only editors read it.
        if key != "$schema"
    }
    if all(key.isidentifier() and not iskeyword(key) for key in types):
        # Only final types let mypy tell the members of a union apart by `"die" in item`.
        yield "@final"
        yield f"class {name}(TypedDict):"
        yield from (f"    {line}" for line in _python_comment(schema))
        for key, type_ in types.items():
            yield f"    {key}: {type_}"
            yield from (f"    {line}" for line in _python_comment(schema["properties"][key]))
        if not types:
            yield "    pass"
        return
    yield f"{name} = TypedDict("
    yield f"    {json.dumps(name)},"
    yield "    {"
    for key, type_ in types.items():
        yield from (f"        # {line}" for line in wrap(_documentation(schema["properties"][key]), DOC_WIDTH))
        yield f"        {_literal(key)}: {type_},"
    yield "    },"
    yield ")"
    yield from _python_comment(schema)


def _python_type(schema: Schema, model: _Model) -> str:
    def of(part: Schema) -> str:
        return _python_type(part, model)

    if "enum" in schema:
        return f"Literal[{', '.join(map(_literal, schema['enum']))}]"
    if (alternatives := _alternatives(schema)) is not None:
        return " | ".join(dict.fromkeys(map(of, alternatives)))
    if "$ref" in schema:
        return _referenced_name(schema)
    if "const" in schema:
        return f"Literal[{_literal(schema['const'])}]"
    match schema.get("type"):
        case "string" if "x-refers" in schema:
            return model.id_type(schema["x-refers"])
        case "array":
            return f"list[{of(schema.get('items', {}))}]"
        case "object":
            values = schema.get("additionalProperties", {})
            return f"dict[str, {of(values) if values else 'Any'}]"
        case str(word):
            return PYTHON_TYPES[word]
        case _:
            return "Any"


def _annotation(type_: str) -> str:
    """A type in quotes, because it may be defined later in the file."""
    return type_ if type_ in PYTHON_TYPES.values() else _literal(type_)


def _literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) and '"' not in value else repr(value)


def _python_comment(schema: Schema) -> Iterator[str]:
    text = _documentation(schema).replace("\\", "\\\\").replace('"""', "'''")
    if text:
        lines = wrap(text, DOC_WIDTH)
        end = " " if text.endswith('"') else ""
        yield from ('"""' + "\n".join(lines) + f'{end}"""').split("\n")


def _alternatives(schema: Schema) -> Sequence[Schema] | None:
    for key in ("anyOf", "oneOf"):
        if key in schema:
            options: Sequence[Schema] = schema[key]
            return options
    if "enum" in schema:
        return [{"const": value} for value in schema["enum"]]
    types = schema.get("type")
    return [{**schema, "type": type_} for type_ in types] if isinstance(types, list) else None


def _documentation(schema: Schema) -> str:
    unit = f"Unit: {schema['x-unit']}." if "x-unit" in schema else ""
    format_ = {"dice": "Dice expression.", "date": "Date."}.get(schema.get("x-format", ""), "")
    return " ".join(filter(None, (schema.get("description", ""), unit, format_)))

"""Types of the data: the schemas of each game, and what TypeScript, Python and other programs make of them."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from jsonschema import Draft202012Validator

from kismet_build.extensions.packages.types import python_types, typescript_types
from kismet_build.render.data.schemas import KEYWORDS
from tests.command import GAMES, ROOT, kismet, write_files
from tests.conftest import BuiltTree
from tests.manual_page import steps
from tests.node import node
from tests.npm import npm_package
from tests.small_library import write_library

GAME = "kismet"
"""The game with the largest pack, which the programs below read."""

# Each of the programs answers the same questions about the pack, without a cast and with all checks of its language:
# skills that are rolled against something, facts of entities by kind, functions in formulas, sources of effects, and
# what effects change, by operation.
TYPESCRIPT = """\
import type { FormulaNode, Pack } from "./types.js";

export function answer(text: string): unknown {
  const pack: Pack = JSON.parse(text);
  const opposed = pack.entities.skill.filter((skill) => skill.fields.opposed_by.length > 0).map((skill) => skill.id);
  const facts: (string | number | null)[] = [];
  for (const entity of Object.values(pack.entities).flat()) {
    switch (entity.kind) {
      case "wound":
        facts.push(entity.fields.roll.min, entity.fields.medicine_dl);
        break;
      case "tier":
        facts.push(entity.fields.levels.max);
        break;
    }
  }
  const functions = new Set<string>();
  const walk = (node: FormulaNode): void => {
    switch (node.node) {
      case "call":
        functions.add(node.name);
        node.of.forEach(walk);
        break;
      case "calculator":
      case "field":
      case "if":
      case "list":
      case "lookup":
      case "where":
        node.of.forEach(walk);
        break;
      case "dice":
        functions.add(node.tree.node);
    }
  };
  pack.calculators.forEach((calculator) => walk(calculator.ast));
  const effects = pack.entities.condition.flatMap((condition) => condition.effects);
  const headings = new Set(effects.map((effect) => effect.citation.heading));
  const changes: (string | number)[][] = [];
  for (const effect of effects) {
    switch (effect.operation) {
      case "die":
        changes.push([effect.die, ...effect.roll]);
        break;
      case "sets":
        changes.push([effect.sets, effect.to]);
        break;
      case "causes":
        changes.push([...effect.causes]);
    }
  }
  return { opposed, facts, functions: [...functions].sort(), headings: [...headings].sort(), changes };
}
"""
PYTHON = """\
import json
import sys
from collections.abc import Iterator

from game_types import Effect, Entity, FormulaNode, Pack, SkillId


def walk(node: FormulaNode) -> Iterator[str]:
    if node["node"] == "call":
        yield node["name"]
    if node["node"] == "dice":
        yield node["tree"]["node"]
    elif (
        node["node"] == "call"
        or node["node"] == "if"
        or node["node"] == "calculator"
        or node["node"] == "field"
        or node["node"] == "list"
        or node["node"] == "lookup"
        or node["node"] == "where"
    ):
        for operand in node["of"]:
            yield from walk(operand)


def facts(entity: Entity) -> list[str | int | None]:
    if entity["kind"] == "wound":
        return [entity["fields"]["roll"]["min"], entity["fields"]["medicine_dl"]]
    if entity["kind"] == "tier":
        return [entity["fields"]["levels"]["max"]]
    return []


def changes(effect: Effect) -> Iterator[list[str | int | float]]:
    if effect["operation"] == "die":
        yield [effect["die"], *effect["roll"]]
    elif effect["operation"] == "sets":
        yield [effect["sets"], effect["to"]]
    elif effect["operation"] == "causes":
        yield [*effect["causes"]]


pack: Pack = json.load(sys.stdin)
opposed: list[SkillId] = [skill["id"] for skill in pack["entities"]["skill"] if skill["fields"]["opposed_by"]]
entities: list[Entity] = [*pack["entities"]["wound"], *pack["entities"]["tier"], *pack["entities"]["condition"]]
functions = {name for calculator in pack["calculators"] for name in walk(calculator["ast"])}
effects = [effect for condition in pack["entities"]["condition"] for effect in condition["effects"]]
print(
    json.dumps(
        {
            "opposed": opposed,
            "facts": [fact for entity in entities for fact in facts(entity)],
            "functions": sorted(functions),
            "headings": sorted({effect["citation"]["heading"] for effect in effects}),
            "changes": [change for effect in effects for change in changes(effect)],
        }
    )
)
"""
PYDANTIC = """\
import json
import sys
from collections.abc import Iterator

from models import Condition, Effect, FormulaNode, Pack, Tier, Wound


def walk(node: FormulaNode) -> Iterator[str]:
    inner = node.root
    if inner.node == "call":
        yield inner.name
    if inner.node == "dice":
        yield inner.tree.root.node
    elif inner.of is not None:
        for operand in inner.of:
            yield from walk(operand)


def facts(entity: Condition | Tier | Wound) -> list[str | int | None]:
    if entity.kind == "wound":
        return [entity.fields.roll.min, entity.fields.medicine_dl]
    if entity.kind == "tier":
        return [entity.fields.levels.max]
    return []


def changes(effect: Effect) -> Iterator[list[str | int | float]]:
    inner = effect.root
    if inner.operation == "die":
        yield [inner.die, *(roll.root for roll in inner.roll)]
    elif inner.operation == "sets":
        yield [inner.sets, inner.to if isinstance(inner.to, float) else inner.to.root]
    elif inner.operation == "causes":
        yield [cause.root for cause in inner.causes]


pack = Pack.model_validate_json(sys.stdin.read())
entities: list[Condition | Tier | Wound] = [*pack.entities.wound, *pack.entities.tier, *pack.entities.condition]
effects = [effect for condition in pack.entities.condition for effect in condition.effects]
print(
    json.dumps(
        {
            "opposed": [skill.id for skill in pack.entities.skill if skill.fields.opposed_by],
            "facts": [fact for entity in entities for fact in facts(entity)],
            "functions": sorted({name for calculator in pack.calculators for name in walk(calculator.ast)}),
            "headings": sorted({effect.root.citation.heading for effect in effects}),
            "changes": [change for effect in effects for change in changes(effect)],
        }
    )
)
"""

COMPILE = """\
const [, ajv, root, ...schemas] = process.argv;
const Ajv = require(ajv).default, fs = require("node:fs");
const read = (file) => JSON.parse(fs.readFileSync(root + "/" + file, "utf8"));
const validator = new Ajv({ strict: true, discriminator: true });
for (const [keyword, metaSchema] of Object.entries(read("schemas/keywords.schema.json").properties))
  validator.addKeyword({ keyword, metaSchema });
for (const schema of schemas) validator.compile(read(schema));
"""
ANSWER = """\
import { readFileSync } from "node:fs";
const [, program, pack] = process.argv;
const { answer } = await import(program);
console.log(JSON.stringify(answer(readFileSync(pack, "utf8"))));
"""

VAULT = {
    **{
        f"Games/{name}.md": f"---\nplayers: 2\nmade_by: '[[{maker}]]'\nclass: board\n2d6: 7\n---\nA game.\n"
        for name, maker in {"Chess": "Ann", "Go": "Bob", "Tag": "Cy", "Dice": "Ann", "Hex": "Bob", "Nim": "Zed"}.items()
    },
    "People/Ann.md": "---\nage: 40\nborn: 1981-02-03\nroll: 2d6\n---\nAnn.\n",
    "People/Bob.md": "---\nage: 50\nborn: 1971-02-03\nroll: 1d8\n---\nBob.\n",
    "People/Cy.md": "---\nage: 60\nborn: 1961-02-03\nroll: 1d4\n---\nCy.\n",
}
"""A kind named like a type of all packs, keys that are not Python names, and a reference to a missing entry."""


def load(tree: Path, path: str) -> Any:
    return json.loads((tree / "data" / path).read_text(encoding="utf-8"))


def run(*command: str | Path, text: str = "", cwd: Path | None = None) -> str:
    """The output of a program. Fails if its exit status is an error."""
    done = subprocess.run(
        [*map(str, command)], input=text, capture_output=True, encoding="utf-8", cwd=cwd, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("types")
    kismet("build", write_files(folder / "vault", VAULT), "--out", folder / "out", "--no-search")
    return folder / "out"


@pytest.fixture(scope="module")
def schema(content: BuiltTree) -> Any:
    return load(content.folder, f"schemas/{GAME}/pack.json")


def assert_valid(tree: Path, game: str) -> None:
    """The pack of a game is valid for two validators against the schema that it names, which is that of its game."""
    pack = load(tree, f"{game}/pack.json")
    assert pack["$schema"] == f"../schemas/{game}/pack.json"
    schema = load(tree, f"schemas/{game}/pack.json")
    jsonschema_rs.validate(schema, pack)
    Draft202012Validator(schema).validate(pack)


@pytest.mark.parametrize("game", GAMES)
def test_each_pack_is_valid_against_the_schema_of_its_game(content: BuiltTree, game: str) -> None:
    assert_valid(content.folder, game)


def test_the_pack_of_found_kinds_is_valid_against_the_schema_of_its_game(vault: Path) -> None:
    assert_valid(vault, "vault")


def test_values_of_unknown_keywords_are_no_schemas(tmp_path: Path) -> None:
    unknown = "{$ref: '#/$defs/none', properties: 2, items: {$ref: 3}}"
    texts = write_library(tmp_path / "texts")
    kind = texts / "kinds/grace.yaml"
    kind.write_text(kind.read_text().replace("x-from: 'label:Cost'", f"x-from: 'label:Cost', unknown: {unknown}"))
    run_ = kismet("build", texts, "--out", tmp_path / "out", "--no-search")
    assert run_.status == 0, run_.output
    assert_valid(tmp_path / "out", "ember-court")


def changes(pack: Any) -> Iterator[tuple[str, Any, Any]]:
    """A problem, the object that has it, and the wrong members."""
    wound, skill = pack["entities"]["wound"][0], pack["entities"]["skill"][0]
    opposed = next(skill for skill in pack["entities"]["skill"] if skill["fields"]["opposed_by"])
    node = next(calculator["ast"] for calculator in pack["calculators"] if calculator["ast"]["node"] == "call")
    yield "a kind that is not that of the list", skill, {"kind": "wound"}
    yield "fields of another kind", wound, {"fields": skill["fields"]}
    yield "a text for a number", wound["fields"]["roll"], {"min": "1"}
    yield "an id of a kind that is not referred to", opposed["fields"], {"opposed_by": [wound["id"]]}
    yield "a node of no known type", node, {"node": "jump"}
    yield "an operand that is no node", node["of"][0], {"at": -1}
    yield "a kind that the game does not have", pack["entities"], {"horse": []}


def test_a_pack_with_other_types_is_not_valid(content: BuiltTree, schema: Any) -> None:
    pack = load(content.folder, f"{GAME}/pack.json")
    validator = jsonschema_rs.validator_for(schema)
    for wrong, changed, members in [*changes(pack)]:
        before = dict(changed)
        changed.update(members)
        assert not validator.is_valid(pack), wrong
        changed.clear()
        changed.update(before)
    assert validator.is_valid(pack)


def test_a_name_that_no_entity_has_widens_the_type_of_its_field(vault: Path) -> None:
    made_by = load(vault, "schemas/vault/pack.json")["$defs"]["GameEntityFields"]["properties"]["made_by"]
    refers = {"type": "string", "pattern": "^vault/person/[a-z0-9^_-]+(?!\\n)$", "x-refers": ["person"]}

    assert made_by["anyOf"] == [refers, {"type": ["string", "null"]}]


def test_dates_and_dice_of_found_kinds_are_no_formats_that_a_validator_must_know(vault: Path) -> None:
    fields = load(vault, "schemas/vault/person.json")["$defs"]["PersonFields"]["properties"]
    assert (fields["born"]["x-format"], fields["roll"]["x-format"]) == ("date", "dice")
    assert '"format":' not in json.dumps(fields)


def test_each_schema_has_an_id_of_its_own_that_is_no_address(content: BuiltTree) -> None:
    files = sorted((content.folder / "data/schemas").rglob("*.json"))
    ids = {
        file.relative_to(content.folder / "data/schemas").as_posix(): load(
            content.folder, f"schemas/{file.relative_to(content.folder / 'data/schemas').as_posix()}"
        )["$id"]
        for file in files
    }
    assert len(set(ids.values())) == len(files)
    assert ids["kiss/weapon.json"] == "urn:kismet-build:3:kiss:1.0.0:weapon"
    assert ids["kiss/pack.json"] == "urn:kismet-build:3:kiss:1.0.0:pack"
    assert ids["pack.schema.json"] == "urn:kismet-build:3:pack"


@pytest.mark.parametrize("game", GAMES)
def test_every_field_is_described(content: BuiltTree, game: str) -> None:
    definitions = load(content.folder, f"schemas/{game}/pack.json")["$defs"]

    def undescribed(name: str, seen: frozenset[str] = frozenset()) -> Iterator[str]:
        for key, part in definitions[name]["properties"].items():
            objects = [*references(part)]
            if "description" not in part and not any("description" in definitions[object_] for object_ in objects):
                yield f"{name}.{key}"
            for object_ in {*objects} - seen:
                yield from undescribed(object_, seen | {object_})

    fields = [reference for kind in definitions["Entity"]["oneOf"] for reference in references(kind)]
    assert [path for name in fields for path in undescribed(f"{name}Fields")] == []


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].removeprefix("#/$defs/")
        for part in schema.values():
            yield from references(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from references(part)


def test_references_units_and_dice_are_published() -> None:
    assert [*KEYWORDS] == ["x-refers", "x-unit", "x-format"]


def test_strict_ajv_compiles_all_schemas_at_once(content: BuiltTree, vault: Path) -> None:
    ajv = npm_package("ajv") / "dist/2020.js"
    for tree, pattern in ((content.folder, "*/pack.json"), (vault, "**/*.json")):
        folder = tree / "data"
        files = [file.relative_to(folder).as_posix() for file in sorted(folder.glob(f"schemas/{pattern}"))]
        assert files
        run(node(), "-e", COMPILE, ajv, folder, *files)


def test_the_program_of_the_manual_checks_a_pack(content: BuiltTree, tmp_path: Path) -> None:
    fences = steps(ROOT / "content" / "docs" / "how-to" / "use-the-data.md")
    (program,) = (step.text for step in fences if step.paragraph == "Write `check.mjs`:")
    program = program.replace("ajv/dist/2020.js", (npm_package("ajv") / "dist/2020.js").as_posix())
    program = program.replace("site/data", (content.folder / "data").as_posix()).replace("lantern", GAME)
    write_files(tmp_path, {"check.mjs": program})
    assert run(node(), tmp_path / "check.mjs") == "true null\n"


def changes_of(effect: Any) -> Iterator[list[str | int]]:
    if effect["operation"] == "die":
        yield [effect["die"], *effect["roll"]]
    elif effect["operation"] == "sets":
        yield [effect["sets"], effect["to"]]
    elif effect["operation"] == "causes":
        yield [*effect["causes"]]


@pytest.fixture(scope="module")
def answer(content: BuiltTree) -> Any:
    """The results of the programs below, read from the pack without types."""
    pack = load(content.folder, f"{GAME}/pack.json")
    wounds, tiers = pack["entities"]["wound"], pack["entities"]["tier"]
    effects = [effect for condition in pack["entities"]["condition"] for effect in condition["effects"]]

    def functions(tree: Any) -> Iterator[str]:
        if tree["node"] in ("call", "dice"):
            yield tree["name"] if tree["node"] == "call" else tree["tree"]["node"]
        for operand in tree.get("of", ()):
            yield from functions(operand)

    return {
        "opposed": [skill["id"] for skill in pack["entities"]["skill"] if skill["fields"]["opposed_by"]],
        "facts": [
            *(fact for wound in wounds for fact in (wound["fields"]["roll"]["min"], wound["fields"]["medicine_dl"])),
            *(tier["fields"]["levels"]["max"] for tier in tiers),
        ],
        "functions": sorted({name for calculator in pack["calculators"] for name in functions(calculator["ast"])}),
        "headings": sorted({effect["citation"]["heading"] for effect in effects}),
        "changes": [change for effect in effects for change in changes_of(effect)],
    }


def types_of(make: Callable[[Any, Any], str], folder: Path, game: str) -> str:
    return make(load(folder, f"schemas/{game}/pack.json"), load(folder, f"{game}/pack.json")["calculators"])


def write_typescript(folder: Path, types: str) -> None:
    write_files(folder, {"types.d.ts": types, "program.ts": TYPESCRIPT, "package.json": '{"type": "module"}'})


def test_typescript_programs_read_a_pack_without_a_cast(
    content: BuiltTree, vault: Path, answer: Any, tmp_path: Path
) -> None:
    compiler, generator = npm_package("typescript") / "bin/tsc", npm_package("json-schema-to-typescript")
    write_typescript(tmp_path / "ours", types_of(typescript_types, content.folder, GAME))
    generated = run(node(), generator / "dist/src/cli.js", content.folder / f"data/schemas/{GAME}/pack.json")
    write_typescript(tmp_path / "generated", generated)
    others = {f"{game}.d.ts": types_of(typescript_types, content.folder, game) for game in GAMES}
    write_files(tmp_path, {**others, "vault.d.ts": types_of(typescript_types, vault, "vault")})
    files = [file.as_posix() for file in sorted(tmp_path.rglob("*.ts"))]
    checks = ("--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes")
    run(node(), compiler, *checks, "--target", "es2022", "--module", "nodenext", *files)
    for name in ("ours", "generated"):
        arguments = (tmp_path / name / "program.js", content.folder / f"data/{GAME}/pack.json")
        assert json.loads(run(node(), "--input-type=module", "-e", ANSWER, *arguments)) == answer, name


def test_python_programs_read_a_pack_without_a_cast(
    content: BuiltTree, vault: Path, answer: Any, tmp_path: Path
) -> None:
    programs = {
        "game_types.py": types_of(python_types, content.folder, GAME),
        "program.py": PYTHON,
        "program_of_models.py": PYDANTIC,
    }
    others = {f"{game}.py": types_of(python_types, content.folder, game) for game in GAMES}
    write_files(tmp_path, {**programs, **others, "vault.py": types_of(python_types, vault, "vault")})
    options = ("--enum-field-as-literal", "all", "--use-annotated", "--formatters", "builtin")
    run(
        *(sys.executable, "-m", "datamodel_code_generator", *options),
        *("--input", content.folder / f"data/schemas/{GAME}/pack.json", "--input-file-type", "jsonschema"),
        *("--output", tmp_path / "models.py", "--output-model-type", "pydantic_v2.BaseModel"),
    )
    mypy = (sys.executable, "-m", "mypy", "--strict", "--config-file", "", "--cache-dir", tmp_path / "cache")
    run(*mypy, *sorted(tmp_path.glob("*.py")), cwd=tmp_path)
    pack = (content.folder / f"data/{GAME}/pack.json").read_text(encoding="utf-8")
    for program in ("program.py", "program_of_models.py"):
        assert json.loads(run(sys.executable, program, text=pack, cwd=tmp_path)) == answer, program


def test_types_say_what_an_id_leads_to(content: BuiltTree) -> None:
    typescript, python = types_of(typescript_types, content.folder, GAME), types_of(python_types, content.folder, GAME)
    assert "export type SkillId = `kismet/skill/${string}`;" in typescript
    assert "  opposed_by: (DefenseId | SkillId)[];" in typescript
    assert 'SkillId = NewType("SkillId", str)' in python
    assert '    opposed_by: "list[DefenseId | SkillId]"' in python


def test_a_kind_that_has_the_name_of_another_type_gets_another_name(vault: Path) -> None:
    typescript = types_of(typescript_types, vault, "vault")
    assert "export type Game = {" in typescript
    assert "export type GameEntity = {" in typescript

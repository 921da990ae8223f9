"""The rule books compile to the expected entities: each restated text and, where available, its original."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from kismet_build.render.data.schemas import KEYWORDS
from tests.command import CONTENT, GAME_FILE, GAMES, ROOT, RULEBOOKS, skip_without_originals
from tests.conftest import BuildEdition, BuiltTree
from tests.sample import sample
from tests.yaml_file import read_yaml

EDITIONS = ("restated", "original")
RUN_LENGTH = 10
"""Number of consecutive words in common with the original that counts as a copied sentence."""
MIN_LONG_WORDS = 7
"""Minimum number of them with more than two letters: a run of labels and figures is a fact, not a sentence."""
SEPARATORS = re.compile(r"[,;|·•/]|\n\s*(?:[-*+|#=.]|\d+[.)]|\n)")
MIN_SEPARATORS = 4
"""Minimum number of separators between words of a run that make it a list of names, a table row or headings."""
MISSING_CHAPTERS = [1, 3, 4, 5, 6, 7, 8, 9, 11, 13]
"""Unwritten chapters of Kismet that its two written chapters link to."""

Entity = dict[str, Any]


@cache
def facts(game: str) -> dict[str, list[dict[str, Any]]]:
    """Facts of the original by kind, collected by hand."""
    facts_by_kind: dict[str, list[dict[str, Any]]] = {}
    for file in sorted((ROOT / "tests/facts").glob(f"{game}*.yaml")):
        if not file.stem.endswith(("examples", "examples-combat", "links")):
            facts_by_kind.update(read_yaml(file))
    return facts_by_kind


@cache
def kinds(game: str) -> dict[str, dict[str, Any]]:
    return {file.stem: read_yaml(file) for file in (ROOT / "schemas" / game).glob("*.yaml")}


KINDS = [(game, kind) for game in GAMES for kind in facts(game)]
every_text = pytest.mark.parametrize("built", [(g, e) for g in GAMES for e in EDITIONS], ids=" ".join, indirect=True)
some_texts = pytest.mark.parametrize(
    "built", sample([(g, e) for e in EDITIONS for g in GAMES], 4), ids=" ".join, indirect=True
)
every_kind = pytest.mark.parametrize(
    ("built", "kind"),
    [((game, edition), kind) for game, kind in KINDS for edition in EDITIONS],
    ids=lambda parameter: " ".join(parameter) if isinstance(parameter, tuple) else parameter,
    indirect=["built"],
)


@pytest.fixture
def built(request: pytest.FixtureRequest, build_edition: BuildEdition) -> BuiltTree:
    return build_edition(*request.param)


@pytest.fixture(params=EDITIONS)
def kismet(request: pytest.FixtureRequest, build_edition: BuildEdition) -> BuiltTree:
    return build_edition("kismet", request.param)


def load(built: BuiltTree, path: str) -> Any:
    return json.loads((built.folder / "data" / path).read_text(encoding="utf-8"))


def entities(built: BuiltTree) -> dict[str, list[Entity]]:
    """The entities by kind, without rules: `test_rule_terms.py` has these, which the words of each edition define."""
    entities_by_kind: dict[str, list[Entity]] = load(built, f"{built.game}/pack.json")["entities"]
    return {kind: entities for kind, entities in entities_by_kind.items() if kind != "rule"}


def published_fields(schema: Mapping[str, Any], value: Any) -> Any:
    """A value without its free texts (`x-free`), which the facts do not list."""
    if isinstance(value, dict) and "properties" in schema:
        of = schema["properties"]
        return {
            name: published_fields(of[name], member) for name, member in value.items() if not of[name].get("x-free")
        }
    if isinstance(value, list) and "items" in schema:
        return [published_fields(schema["items"], item) for item in value]
    return value


def facts_of(game: str, entity: Entity) -> dict[str, Any]:
    """An entity in the shape of the table of facts."""
    fields = published_fields(kinds(game)[entity["kind"]], entity["fields"])
    return {"id": entity["id"], "name": entity["name"], "aliases": entity["aliases"], "fields": fields}


def in_order(schema: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a fact; a list that is published sorted is sorted, since the facts list it in reading order."""
    is_sorted = {name for name, of in schema["properties"].items() if of.get("x-sorted")}
    return {name: sorted(field, key=str.casefold) if name in is_sorted else field for name, field in fields.items()}


def by_id(built: BuiltTree) -> dict[str, dict[str, Any]]:
    return {record["id"]: facts_of(built.game, record) for records in entities(built).values() for record in records}


def expected(built: BuiltTree, kind: str) -> list[dict[str, Any]]:
    """The facts of a kind; `printed` is the text of the original where that has an error."""
    matches = []
    for fact in facts(built.game)[kind]:
        misprints = fact.get("printed", {}) if built.texts.is_relative_to(RULEBOOKS) else {}
        fields = in_order(kinds(built.game)[kind], fact["fields"] | misprints)
        entity = {"aliases": [], **fact, "id": f"{built.game}/{kind}/{fact['id']}", "fields": fields}
        entity.pop("printed", None)
        matches.append(entity)
    return matches


ACCEPTED_WARNINGS: dict[str, list[str]] = {}
"""The warnings of each game in `content/` that a new check may report until the texts are corrected."""


@every_text
def test_rule_book_is_built_without_errors(built: BuiltTree) -> None:
    assert built.run.status == 0, built.run.output
    assert load(built, f"{built.game}/pack.json")["diagnostics"]["error"] == 0


@pytest.mark.parametrize("game", GAMES)
def test_restated_text_has_only_the_accepted_warnings(game: str, build_edition: BuildEdition) -> None:
    diagnostics = load(build_edition(game, "restated"), f"{game}/diagnostics.json")
    found = [f"{each['code']}: {each['message']}" for each in diagnostics if each["severity"] != "info"]
    assert found == ACCEPTED_WARNINGS.get(game, [])


@every_kind
def test_every_entity_of_a_kind_agrees_with_the_facts(built: BuiltTree, kind: str) -> None:
    actual = [facts_of(built.game, entity) for entity in entities(built)[kind]]
    wanted = expected(built, kind)
    assert sorted(actual, key=lambda record: str(record["id"])) == sorted(wanted, key=lambda record: str(record["id"]))


@every_text
def test_kinds_are_those_of_the_facts(built: BuiltTree) -> None:
    assert set(entities(built)) == set(facts(built.game))


@pytest.mark.parametrize("game", GAMES)
def test_both_editions_give_the_same_entities(game: str, build_edition: BuildEdition) -> None:
    original = by_id(build_edition(game, "original"))
    misprints = [
        (kind, fact) for kind, facts_of_kind in facts(game).items() for fact in facts_of_kind if "printed" in fact
    ]
    for kind, fact in misprints:
        fields = original[f"{game}/{kind}/{fact['id']}"]["fields"]
        fields.update({name: fact["fields"][name] for name in fact["printed"]})
    assert by_id(build_edition(game, "restated")) == original


@every_kind
def test_every_entity_has_its_lines_and_headings(built: BuiltTree, kind: str) -> None:
    for entity in entities(built)[kind]:
        source = entity["source"]
        lines = (built.texts / source["path"]).read_text(encoding="utf-8").splitlines()
        assert 1 <= source["line"] <= source["end_line"] <= len(lines)
        assert source["headings"], entity["id"]
        passage = " ".join(lines[source["line"] - 1 : source["end_line"]]).casefold()
        if "x-name" not in kinds(built.game)[kind] and "phrase" not in str(kinds(built.game)[kind]["x-match"]):
            assert entity["name"].split()[0].casefold() in passage, (entity["id"], passage[:80])


def numbers(value: Any) -> Iterator[int | float]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from numbers(part)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


@every_text
def test_text_of_every_entity_has_the_numbers_of_its_fields(built: BuiltTree) -> None:
    lacking = {}
    for entity in chain.from_iterable(entities(built).values()):
        assert entity["text"].strip(), entity["id"]
        text = re.sub("[–—−]", "-", entity["text"])
        said = {number for found in re.findall(r"\d+(?:\.\d+)?", text) for number in (float(found), -float(found))}
        said |= {0.0} if re.search(r"\b(?:and|with) no\b", text) else set()
        lacking[entity["id"]] = {*numbers(entity["fields"])} - said
    assert not {entity_id: missing for entity_id, missing in lacking.items() if missing}


@every_text
def test_texts_of_a_kind_differ_in_more_than_the_name_where_the_fields_do(built: BuiltTree) -> None:
    for kind, records in entities(built).items():
        fields_of: dict[str, dict[str, Any]] = {}
        for entity in records if "x-text" in kinds(built.game)[kind] else ():
            text = entity["text"].replace(entity["name"], "")
            fields = {name: value for name, value in entity["fields"].items() if value != entity["name"]}
            assert fields_of.setdefault(text, fields) == fields, entity["id"]


def corrections(game: str) -> dict[tuple[str, str], list[str]]:
    """The printed words of the data file of corrections, by the id of the entity or section and its field."""
    printed: dict[tuple[str, str], list[str]] = {}
    for name, entries in read_yaml(CONTENT / game / "corrections.yaml").items():
        for entry in entries:
            printed.setdefault((f"{game}/{name}", entry["field"]), []).append(entry["printed"])
    return printed


@pytest.mark.parametrize("game", GAMES)
def test_restated_text_says_what_was_corrected(game: str, build_edition: BuildEdition) -> None:
    built = build_edition(game, "restated")
    listed: dict[tuple[str, str], list[str]] = {}
    for correction in load(built, f"{game}/pack.json")["corrections"]:
        listed.setdefault((correction["entity"], correction["field"]), []).append(correction["printed"])
        assert correction["taken"] != correction["printed"]
    assert listed == corrections(game)
    for entity in chain.from_iterable(entities(built).values()):
        own = {field: "; ".join(words) for (subject, field), words in listed.items() if subject == entity["id"]}
        assert entity.get("printed", {}) == own
    for kind, of_kind in facts(game).items():
        for fact in (fact for fact in of_kind if "printed" in fact):
            assert load(built, f"{game}/{kind}/{fact['id']}.json")["entity"]["printed"] == fact["printed"]


@pytest.mark.parametrize("game", GAMES)
def test_original_prints_what_was_corrected(game: str, build_edition: BuildEdition) -> None:
    built = build_edition(game, "original")
    text = "\n".join(file.read_text(encoding="utf-8") for file in built.texts.rglob("*.*"))
    words = {words for printed in corrections(game).values() for words in printed}
    missing = {phrase for phrase in words if " ".join(phrase.split()) not in " ".join(text.split())}
    assert not missing
    known = {
        (correction["entity"], correction["printed"]) for correction in load(built, f"{game}/pack.json")["corrections"]
    }
    assert known <= {(subject, phrase) for (subject, _), printed in corrections(game).items() for phrase in printed}


@some_texts
def test_every_data_file_is_valid_against_its_schema(built: BuiltTree) -> None:
    data = built.folder / "data"
    named = 0
    for file in sorted((data / built.game).rglob("*.json")):
        value = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(value, dict) and "$schema" in value:
            validator(file, value["$schema"]).validate(value)
            named += 1
    assert named > sum(map(len, facts(built.game).values()))
    findings = load(built, f"{built.game}/diagnostics.json")
    validator(data / "here.json", "schemas/diagnostics.schema.json").validate(findings)


@some_texts
def test_every_published_schema_is_a_valid_json_schema(built: BuiltTree) -> None:
    schemas = sorted((built.folder / "data/schemas").rglob("*.json"))
    assert len(schemas) > len(facts(built.game))
    for file in schemas:
        text = file.read_text(encoding="utf-8")
        schema = json.loads(text)
        for name, part in schema.pop("$defs", {}).items():
            is_schema(json.dumps({name: part}))
        is_schema(json.dumps({"": schema}))
        assert set(re.findall('"(x-[a-z]+)"', text)) <= KEYWORDS.keys(), file.name


@cache
def is_schema(definitions: str) -> None:
    """Raise an error unless these are valid schemas. Most schemas share definitions, so each is checked once."""
    Draft202012Validator.check_schema({"$defs": json.loads(definitions)})


def validator(file: Path, schema: str, known: dict[Path, Draft202012Validator] = {}) -> Draft202012Validator:  # noqa: B006
    path = (file.parent / schema).resolve()
    if path not in known:
        known[path] = Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))
    return known[path]


@every_text
def test_every_id_in_links_and_backlinks_exists(built: BuiltTree) -> None:
    pack = load(built, f"{built.game}/pack.json")
    all_entities = [entity for records in pack["entities"].values() for entity in records]
    known = {record["id"] for record in (*all_entities, *pack["sections"], *pack["tables"])}
    assert len(known) == len(all_entities) + len(pack["sections"]) + len(pack["tables"]), "two records have the same id"
    for entity in all_entities:
        assert {*entity["links"], *entity["backlinks"]} <= known
        assert (built.folder / entity["url"].partition("#")[0] / "index.html").is_file()
        assert load(built, f"{entity['id']}.json")["entity"]["id"] == entity["id"]


@pytest.mark.parametrize("game", GAMES)
def test_restated_text_copies_no_sentence_of_the_original(game: str) -> None:
    if not known_runs():
        skip_without_originals()
    folders = (CONTENT / game, ROOT / "schemas" / game)
    written = [file for folder in folders for file in folder.rglob("*.*")] + [*(ROOT / "tests/facts").glob(f"{game}*")]
    texts = sorted(file for file in written if file.suffix in (".md", ".adoc", ".yaml"))
    assert {".yaml"} < {file.suffix for file in texts}
    for file in texts:
        found = runs(file.read_text(encoding="utf-8"))
        copied = [" ".join(run) for run, is_list in found if run in known_runs() and not is_list]
        assert not copied, (file.name, copied[:5])


@pytest.mark.parametrize("game", GAMES)
def test_game_publishes_attribution_and_licence(game: str, build_edition: BuildEdition) -> None:
    built = build_edition(game, "restated")
    game_record = load(built, f"{game}/pack.json")["game"]
    assert game_record["licence"]
    assert game_record["attribution"]
    home = " ".join((built.folder / game / "index.html").read_text(encoding="utf-8").split())
    assert game_record["licence"].split(";")[0].split("&")[0] in home


def test_ids_are_unique_in_the_library(content: BuiltTree) -> None:
    ids = []
    for game in GAMES:
        pack = load(content, f"{game}/pack.json")
        ids += [record["id"] for records in pack["entities"].values() for record in records]
        ids += [record["id"] for record in (*pack["sections"], *pack["tables"], *pack["calculators"])]
    assert len(ids) == len(set(ids))


# --- Kismet


def test_first_level_has_two_footnotes_as_notes(kismet: BuiltTree) -> None:
    notes = {entity["id"]: entity["fields"]["notes"] for entity in entities(kismet)["level"]}
    assert len(notes.pop("kismet/level/level-1")) == 2
    assert not any(notes.values())


def test_unwritten_chapters_are_listed_and_no_warnings(kismet: BuiltTree) -> None:
    messages = [
        diagnostic["message"]
        for diagnostic in load(kismet, "kismet/diagnostics.json")
        if diagnostic["code"] == "unresolved-link"
    ]
    # A misprint in the original is a different name, not an unwritten chapter.
    assert [message for message in messages if "ABILIITIES" not in message] == []
    listed = yaml.safe_load(GAME_FILE.read_text(encoding="utf-8"))["unwritten"]
    assert sorted(int(name.partition(" ")[0]) for name in listed) == MISSING_CHAPTERS


@pytest.mark.parametrize("kind", ["skill", "condition", "damage-type", "defense", "wound", "damage-type-wound", "term"])
def test_entity_is_published_with_its_text(kismet: BuiltTree, kind: str) -> None:
    short = [entity["id"] for entity in entities(kismet)[kind] if len(entity["text"].split()) < 6]
    assert not short


# --- Legend


def test_repeated_abbreviation_in_legend_is_reported(build_edition: BuildEdition) -> None:
    diagnostics = load(build_edition("legend", "original"), "legend/diagnostics.json")
    repeated = [
        (diagnostic["line"], diagnostic["message"])
        for diagnostic in diagnostics
        if diagnostic["code"] == "repeated-value"
    ]
    assert repeated == [(125, '"Dexterity" and "Strength" have the same "abbreviation": "Dex"')]


@cache
def known_runs() -> frozenset[tuple[str, ...]]:
    books = (file for file in RULEBOOKS.rglob("*.*") if file.is_file())
    return frozenset(run for book in books for run, _ in runs(book.read_text(encoding="utf-8")))


def runs(text: str) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Every run of `RUN_LENGTH` words, and whether it is part of a list, a table or headings, which may be the same."""
    text = text.casefold().replace("’", "'")
    found = list(re.finditer(r"[a-zà-ÿ0-9']+", text))
    words = [match.group() for match in found]
    is_separated = [bool(SEPARATORS.search(text, first.end(), second.start())) for first, second in pairwise(found)]
    for start in range(len(words) - RUN_LENGTH + 1):
        run = words[start : start + RUN_LENGTH]
        is_list = sum(is_separated[start : start + RUN_LENGTH - 1]) >= MIN_SEPARATORS
        if sum(len(word) > 2 and not word.isdigit() for word in run) >= MIN_LONG_WORDS:
            yield tuple(run), is_list

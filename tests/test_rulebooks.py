"""The real rule books come out as their readers know them: the restated text and, where it stands, the original."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.command import CONTENT, ORIGINALS, ROOT
from tests.conftest import Built

FACTS: dict[str, list[dict[str, Any]]] = yaml.safe_load((ROOT / "tests/facts/kismet.yaml").read_text(encoding="utf-8"))
KINDS = {
    file.stem: yaml.safe_load(file.read_text(encoding="utf-8")) for file in (ROOT / "schemas/kismet").glob("*.yaml")
}
UNWRITTEN_CHAPTERS = [1, 3, 4, 5, 6, 7, 8, 9, 11, 13]
RUN = 10
"""So many words in a row in common with the original are a sentence taken over."""

Entity = dict[str, Any]


def load(built: Built, path: str) -> Any:
    return json.loads((built.folder / "data" / path).read_text(encoding="utf-8"))


def entities(built: Built) -> dict[str, list[Entity]]:
    found: dict[str, list[Entity]] = load(built, "kismet/pack.json")["entities"]
    return found


def is_free(kind: str, field: str) -> bool:
    """Whether the wording of a field is its author's, and no fact."""
    return bool(KINDS[kind]["properties"][field].get("x-free"))


def facts_of(kind: str, entity: Entity) -> dict[str, Any]:
    """An entity in the shape of the table of facts."""
    fields = {name: value for name, value in entity["fields"].items() if not is_free(kind, name)}
    return {"id": entity["id"], "name": entity["name"], "aliases": entity["aliases"], "fields": fields}


def by_id(built: Built) -> dict[str, dict[str, Any]]:
    """Every entity in the shape of the table of facts; the order is the author's."""
    return {one["id"]: facts_of(kind, one) for kind, found in entities(built).items() for one in found}


def expected(kind: str) -> list[dict[str, Any]]:
    return [{"aliases": [], **fact, "id": f"kismet/{kind}/{fact['id']}"} for fact in FACTS[kind]]


def test_the_build_succeeds_without_an_error(built: Built) -> None:
    assert built.run.status == 0, built.run.said
    assert load(built, "kismet/pack.json")["diagnostics"]["error"] == 0


def test_the_restated_text_has_nothing_to_complain_of_but_unwritten_chapters(content: Built) -> None:
    found = [one for one in load(content, "kismet/diagnostics.json") if one["severity"] != "info"]
    assert {one["code"] for one in found} <= {"unresolved-link"}, found


@pytest.mark.parametrize("kind", FACTS)
def test_every_entity_of_a_kind_agrees_with_the_facts(built: Built, kind: str) -> None:
    found = [facts_of(kind, entity) for entity in entities(built)[kind]]
    assert sorted(found, key=lambda one: str(one["id"])) == sorted(expected(kind), key=lambda one: str(one["id"]))


def test_there_is_no_kind_beside_those_of_the_facts(built: Built) -> None:
    assert set(entities(built)) == set(FACTS)


def test_both_texts_give_the_same_entities(content: Built, originals: Built) -> None:
    assert by_id(content) == by_id(originals)


@pytest.mark.parametrize("kind", FACTS)
def test_every_entity_has_a_text_and_an_exact_place(built: Built, kind: str) -> None:
    for entity in entities(built)[kind]:
        source = entity["source"]
        lines = (built.texts / source["path"]).read_text(encoding="utf-8").splitlines()
        assert 1 <= source["line"] <= source["end_line"] <= len(lines)
        passage = "\n".join(lines[source["line"] - 1 : source["end_line"]]).casefold()
        words = [entity["name"].split()[0], *(alias.split()[0] for alias in entity["aliases"])]
        if kind in ("level", "tier"):
            words = [str(entity["fields"][kind])]
        assert all(word.casefold() in passage for word in words), (entity["id"], passage[:80])
        assert source["headings"], entity["id"]


@pytest.mark.parametrize("kind", ["skill", "condition", "damage-type", "defense", "wound", "damage-type-wound", "term"])
def test_what_the_book_says_about_an_entity_is_published_with_it(built: Built, kind: str) -> None:
    short = [entity["id"] for entity in entities(built)[kind] if len(entity["text"].split()) < 6]
    assert not short


def test_both_footnotes_of_the_first_level_are_its_notes(built: Built) -> None:
    notes = {entity["id"]: entity["fields"]["notes"] for entity in entities(built)["level"]}
    assert len(notes.pop("kismet/level/level-1")) == 2
    assert not any(notes.values())


def test_every_unwritten_chapter_is_reported_once(built: Built) -> None:
    found = [one["message"] for one in load(built, "kismet/diagnostics.json") if one["code"] == "unresolved-link"]
    # "7 ABILIITIES", a slip of the original, is a name of its own; the hint leads to the right one.
    written = [message for message in found if "ABILIITIES" not in message]
    chapters = [int(number[1]) for message in written if (number := re.match(r'nothing is named "(\d+) ', message))]
    assert sorted(chapters) == UNWRITTEN_CHAPTERS, found


def test_every_data_file_satisfies_the_schema_that_it_names(built: Built) -> None:
    data = built.folder / "data"
    named = 0
    for file in sorted(data.rglob("*.json")):
        value = json.loads(file.read_text(encoding="utf-8"))
        if "schemas" in file.relative_to(data).parts:
            Draft202012Validator.check_schema(value)
        elif isinstance(value, dict) and "$schema" in value:
            validator(file, value["$schema"]).validate(value)
            named += 1
    assert named > sum(map(len, FACTS.values()))
    validator(data / "here.json", "schemas/diagnostics.schema.json").validate(load(built, "kismet/diagnostics.json"))


def validator(file: Path, schema: str, known: dict[Path, Draft202012Validator] = {}) -> Draft202012Validator:  # noqa: B006
    """The validator for a schema named from a file, made once."""
    path = (file.parent / schema).resolve()
    if path not in known:
        known[path] = Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))
    return known[path]


def test_every_id_that_data_names_is_there(built: Built) -> None:
    pack = load(built, "kismet/pack.json")
    everything = [entity for found in pack["entities"].values() for entity in found]
    known = {one["id"] for one in (*everything, *pack["sections"], *pack["tables"])}
    assert len(known) == len(everything) + len(pack["sections"]) + len(pack["tables"]), "two things have one id"
    for entity in everything:
        assert {*entity["links"], *entity["backlinks"]} <= known
        assert (built.folder / entity["url"] / "index.html").is_file()
        assert load(built, f"{entity['id']}.json")["id"] == entity["id"]


def test_the_restated_text_takes_no_sentence_over() -> None:
    if not ORIGINALS.is_dir():
        pytest.skip(f"the original rule book is not here: {ORIGINALS}")
    known = {run for book in ORIGINALS.glob("*.md") for run, _ in runs(prose(book))}
    for chapter in sorted((CONTENT / "kismet").glob("*.md")):
        taken = [" ".join(run) for run, _ in runs(prose(chapter)) if run in known]
        assert not taken, (chapter.name, taken[:5])


def prose(file: Path) -> str:
    """A text without the table cells that hold nothing but labels and numbers, as these are facts."""

    def is_sentence(cell: str) -> bool:
        return len(re.findall(r"[^\W\d_]+", cell)) >= RUN

    lines = []
    for line in file.read_text(encoding="utf-8").splitlines():
        is_row = line.lstrip().startswith("|")
        lines.append("\n".join(filter(is_sentence, re.split(r"(?<!\\)\|", line))) if is_row else line)
    return "\n".join(lines)


def runs(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    words = re.findall(r"[a-zà-ÿ0-9']+", text.casefold().replace("’", "'"))
    for start in range(len(words) - RUN + 1):
        yield tuple(words[start : start + RUN]), start

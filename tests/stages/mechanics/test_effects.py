"""Effects are data that formulas and readers of the pack can query, in the words of each game."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from kismet_build.config.effect import CIRCUMSTANCE_KEYS, LOCAL_ID, Effect, EffectContext, load_effects, operations
from kismet_build.config.game import Game
from kismet_build.config.load_game import load_game
from kismet_build.config.roll import EffectWords
from kismet_build.driver.compile import compile_game
from kismet_build.mechanics.formula import Vocabulary, evaluate, parse
from kismet_build.model.diagnostic import Diagnostic, to_text
from kismet_build.pack import Pack
from kismet_build.render.components.effect_badge import effect_badges
from kismet_build.render.components.effect_sentence import effect_sentences
from kismet_build.render.html.templates import macro
from tests.broken_yaml import BROKEN_YAML
from tests.command import CONTENT, GAME_FILE, GAMES, ORIGINALS, ROOT, skip_without_originals
from tests.conftest import BuiltTree
from tests.sample import examples
from tests.small_library import CALCULATORS, GAME, write_library

FILE = CONTENT / "kismet" / "effects.yaml"
VOCABULARY: dict[str, Any] = json.loads((ROOT / "schemas/effects.schema.json").read_text(encoding="utf-8"))
KINDS_WITH_EFFECTS = ("condition", "wound", "damage-type-wound", "position")
"""Kinds whose entities all have effects."""
MANY = 3
"""Minimum number of effects that use a circumstance, unless one of them feeds a calculator."""
RARE_CIRCUMSTANCES = {"kismet/arm", "kismet/mental-actions", "kismet/treated"}
"""Circumstances of two effects, without which both would be free text."""
RULES_THAT_ACT = {"rule/aid", "rule/shield-ally", "rule/mindless", "rule/swarm"}
INEXPRESSIBLE = {"kismet": 16, "kiss": 13, "legend": 0, "marchen": 0}
"""Number of effects that no operation can express. A new operation may lower it; nothing may raise it."""

Record = dict[str, Any]


@pytest.fixture(scope="module", params=["restated", "original"])
def pack(request: pytest.FixtureRequest) -> Pack:
    """Each of the two editions, with effects and without calculators, which have their own tests."""
    folder = GAME_FILE.parent if request.param == "restated" else ORIGINALS
    if not folder.is_dir():
        skip_without_originals()
    game = load_game(GAME_FILE, folder, lambda _: None)
    return compile_game(replace(game, calculators={}, faults=()), lambda _: None)


@pytest.fixture(scope="module")
def games() -> dict[str, Game]:
    folders = {game: CONTENT / game for game in GAMES}
    return {game: load_game(folder / "game.yaml", folder, lambda _: None) for game, folder in folders.items()}


# --- queries of effects

QUESTIONS: list[tuple[str, str, Callable[[Record], bool], set[str]]] = [
    (
        "which conditions give attackers a Bonus Die?",
        'count(where(one.effects, whose = "attacker", die = "bonus")) > 0',
        lambda effect: effect["whose"] == "attacker" and effect.get("die") == "bonus",
        {"blind", "charmed", "paralyzed", "prone", "restrained", "surprised", "unconscious"},
    ),
    (
        "which do so for every attack, whatever it is made with or against?",
        'count(where(one.effects, whose = "attacker", roll = "attack", of = none, when = none, die = "bonus")) > 0',
        lambda effect: (
            effect["whose"] == "attacker"
            and effect.get("die") == "bonus"
            and effect["roll"] == ["attack"]
            and not effect.keys() & {"of", "when", "against"}
        ),
        {"blind", "paralyzed", "surprised", "unconscious"},
    ),
    (
        "which for attacks in melee alone?",
        'count(where(one.effects, whose = "attacker", roll = "melee-attack", die = "bonus")) > 0',
        lambda effect: (
            effect["whose"] == "attacker" and effect.get("die") == "bonus" and "melee-attack" in effect["roll"]
        ),
        {"prone", "restrained"},
    ),
    (
        "which give ranged attackers a Penalty Die?",
        'count(where(one.effects, whose = "attacker", roll = "ranged-attack", die = "penalty")) > 0',
        lambda effect: effect["whose"] == "attacker" and effect.get("die") == "penalty",
        {"prone"},
    ),
    (
        "which hamper the Creature’s own attacks?",
        'count(where(one.effects, whose = "own", roll = "attack", die = "penalty")) > 0',
        lambda effect: effect["whose"] == "own" and effect.get("die") == "penalty" and "attack" in effect["roll"],
        {"blind", "frightened", "poisoned", "restrained"},
    ),
    (
        "which hamper a Dodge Defense?",
        'count(where(one.effects, roll = "defense", of = [none, "kismet/defense/dodge"], die = "penalty")) > 0',
        lambda effect: (
            effect.get("die") == "penalty"
            and effect["roll"] == ["defense"]
            and "kismet/defense/dodge" in effect.get("of", ["kismet/defense/dodge"])
        ),
        {"prone"},
    ),
    (
        "which make every hit a Critical Success?",
        "count(where(one.effects, critical = true)) > 0",
        lambda effect: effect.get("critical") is True,
        {"paralyzed"},
    ),
    (
        "in which can it not move?",
        "count(where(one.effects, sets = 'kismet/creature-statistic/speed', to = 0)) > 0",
        lambda effect: effect.get("sets") == "kismet/creature-statistic/speed" and effect["to"] == 0,
        {"over-encumbered", "pinned", "restrained"},
    ),
    (
        "in which has it no Reaction?",
        '"kismet/action/reactions" in where(one.effects, when = none).loses',
        lambda effect: "when" not in effect and "kismet/action/reactions" in effect.get("loses", ()),
        {"paralyzed", "pinned", "stunned", "surprised", "unconscious"},
    ),
    (
        "which break Concentration?",
        '"concentration" in one.effects.loses',
        lambda effect: "concentration" in effect.get("loses", ()),
        {"paralyzed", "stunned"},
    ),
    (
        "which bring a condition, be it another one or the same again?",
        "count(one.effects.causes) > 0",
        lambda effect: "causes" in effect,
        {"prone", "unconscious"},
    ),
    (
        "which does an attack end, by its Damage or at once?",
        'count(where(one.effects, ends = ["damage", "attack"])) > 0',
        lambda effect: effect.get("ends") in ("damage", "attack"),
        {"charmed", "surprised"},
    ),
    (
        "which can the Creature end with an action of its own?",
        'count(where(one.effects, ends = "action")) > 0',
        lambda effect: effect.get("ends") == "action",
        {"frightened", "prone"},
    ),
]


@pytest.mark.parametrize(("formula", "answer"), [(q[1], q[3]) for q in QUESTIONS], ids=[q[0] for q in QUESTIONS])
def test_formula_can_query_effects(pack: Pack, formula: str, answer: set[str]) -> None:
    tree = parse(formula, Vocabulary())
    conditions = pack.records.entities["condition"]
    assert {
        condition["slug"]
        for condition in conditions
        if evaluate(tree, {"one": condition}, pack.records.formula_library)
    } == answer


@pytest.mark.parametrize(("holds", "answer"), [(q[2], q[3]) for q in QUESTIONS], ids=[q[0] for q in QUESTIONS])
def test_published_pack_can_be_queried_for_effects(
    content: BuiltTree, holds: Callable[[Record], bool], answer: set[str]
) -> None:
    published = json.loads((content.folder / "data/kismet/pack.json").read_text(encoding="utf-8"))
    conditions = published["entities"]["condition"]
    assert {
        condition["id"].rpartition("/")[2] for condition in conditions if any(map(holds, condition["effects"]))
    } == answer


def of_kind(pack: Pack, kind: str) -> Iterator[tuple[str, Record]]:
    for subject, effects in pack.game.effects.items():
        if subject.startswith(f"{kind}/"):
            yield from ((subject.partition("/")[2], dict(effect.payload)) for effect in effects)


def test_two_wounds_deal_damage_every_turn(pack: Pack) -> None:
    again = [
        (wound, data["changes"], data["by"], data["times"], data["times_whose"])
        for wound, data in of_kind(pack, "damage-type-wound")
        if data.get("at") == "turn-start"
    ]
    tier = ("kismet/creature-statistic/hit-points", -1, "kismet/creature-statistic/tier-of-power", "attacker")
    assert again == [("ignite", *tier), ("bleeding", *tier)]


def test_wounds_cause_one_level_of_exhaustion_and_water_causes_three(pack: Pack) -> None:
    """The level that Frostbitten names is interpreted as that of every wound (chapter 10, "one level or two?")."""
    levels: dict[str, int] = {}
    for kind in ("wound", "damage-type-wound"):
        for wound, data in of_kind(pack, kind):
            is_sure = data.get("changes") == "exhaustion" and not data.keys() & {"when", "at"}
            levels[wound] = levels.get(wound, 0) + (data["by"] if is_sure else 0)
    assert levels.pop("damage-type-specific-wound") == 0, (
        "this row refers to the other chart, where the level is counted"
    )
    assert levels.pop("water") == 3
    assert set(levels.values()) == {1}


def test_positions_give_bonus_and_penalty_dice(pack: Pack) -> None:
    dice = {
        (name, data["whose"], *data["roll"], data["die"]) for name, data in of_kind(pack, "position") if "die" in data
    }
    assert {
        ("flanking", "attacker", "attack", "bonus"),
        ("flanking", "own", "defense", "penalty"),
        ("cover", "own", "defense", "bonus"),
        ("guard", "own", "defense", "bonus"),
        ("confined-space", "own", "attack", "penalty"),
        ("scaling", "own", "attack", "bonus"),
    } < dice


# --- properties of all effects


def test_every_entity_of_a_kind_with_effects_has_effects(pack: Pack) -> None:
    there = {f"{kind}/{entity.slug}" for kind in KINDS_WITH_EFFECTS for entity in pack.entities[kind]}
    assert set(pack.game.effects) == there | RULES_THAT_ACT
    assert all(pack.game.effects.values())


def test_effects_file_has_no_diagnostics(pack: Pack) -> None:
    codes = {diagnostic.code for diagnostic in pack.diagnostics if diagnostic.span.source.path == FILE.name}
    assert codes == set()


def test_every_effect_cites_text_of_its_entity(pack: Pack) -> None:
    for subject, effects in pack.game.effects.items():
        entity = pack.by_id[f"kismet/{subject}"]
        for effect in effects:
            cited = pack.cited[effect.citation.span]
            if entity.section not in (cited.section, None):
                # A section, such as the one above a chart, may concern all entities of a kind, but not another one.
                around = (
                    other for others in pack.entities.values() for other in others if other.section is cited.section
                )
                assert cited.section.anchor not in entity.section.headings or not any(
                    other.kind != "rule" and other.span.start <= cited.span.start and cited.span.end <= other.span.end
                    for other in around
                ), f"{subject} cites text of another entity: {cited.span.text}"
                continue
            # A rule is one paragraph of the section that says what it does.
            if entity.kind == "rule":
                continue
            inside = entity.span.start <= cited.span.start and cited.span.end <= entity.span.end
            assert inside, f"{subject} cites text of another entity: {cited.span.text}"


@pytest.mark.parametrize("game", GAMES)
def test_every_published_effect_leads_to_its_sentence(content: BuiltTree, game: str) -> None:
    """A sentence of the same section is in the entity itself; another section may be about all entities of a kind."""
    pack = json.loads((content.folder / f"data/{game}/pack.json").read_text(encoding="utf-8"))
    section_of = {entity_id: section["source"] for section in pack["sections"] for entity_id in section["entities"]}
    for of_kind in pack["entities"].values():
        for entity in of_kind:
            place, section = entity["source"], section_of[entity["id"]]
            for effect in entity["effects"]:
                cited = effect["citation"]["source"]
                assert cited is not None, (entity["id"], effect["citation"]["quote"])
                is_same_section = section["line"] <= cited["line"] <= section["end_line"]
                if section["path"] == cited["path"] and is_same_section and place["end_line"] > place["line"]:
                    assert place["line"] <= cited["line"] <= place["end_line"], (entity["id"], effect)


def test_every_quote_is_found_in_its_edition() -> None:
    """The first quote of a citation is in one edition, the last in the other; a single quote is in both."""
    if not ORIGINALS.is_dir():
        skip_without_originals()
    for folder, place in ((GAME_FILE.parent, 0), (ORIGINALS, -1)):
        game = load_game(GAME_FILE, folder, lambda _: None)
        only = {
            subject: tuple(
                replace(effect, citation=replace(effect.citation, quotes=(effect.citation.quotes[place],)))
                for effect in effects
            )
            for subject, effects in game.effects.items()
        }
        pack = compile_game(replace(game, effects=only, calculators={}, faults=()), lambda _: None)
        stale = [diagnostic for diagnostic in pack.diagnostics if diagnostic.code == "stale-citation"]
        assert not stale, to_text(stale[0])


def test_both_editions_have_the_same_effects() -> None:
    """Both editions share the file, so only entities that it refers to could differ."""
    if not ORIGINALS.is_dir():
        skip_without_originals()
    editions = []
    for folder in (GAME_FILE.parent, ORIGINALS):
        game = load_game(GAME_FILE, folder, lambda _: None)
        entities = compile_game(replace(game, calculators={}, faults=()), lambda _: None).records.entities
        editions.append({record["id"]: record["effects"] for kind in KINDS_WITH_EFFECTS for record in entities[kind]})
    assert editions[0] == editions[1]


@pytest.mark.parametrize("game", GAMES)
def test_number_of_inexpressible_effects(games: dict[str, Game], game: str) -> None:
    effects = [effect for of_subject in games[game].effects.values() for effect in of_subject]
    inexpressible = [effect.payload["unsaid"] for effect in effects if effect.operation == "unsaid"]
    counted = f"{game}: {len(effects) - len(inexpressible)} effects are expressed, {len(inexpressible)} are not"
    print(counted)
    assert len(inexpressible) == INEXPRESSIBLE[game], f"{counted}: {inexpressible}"


def free_texts(effect: Effect, words: EffectWords) -> list[str]:
    """What an effect says in words that neither the schema nor the game defines."""
    items = [item for key in CIRCUMSTANCE_KEYS for item in effect.payload.get(key, ())]
    return [*filter(None, [effect.payload.get("unsaid")])] + [
        item for item in items if item not in words.circumstances and not LOCAL_ID.fullmatch(item.partition("/")[2])
    ]


def test_few_effects_depend_on_free_text(games: dict[str, Game]) -> None:
    """At most a quarter of all effects, and 35 % in each game. These are printed with sentence and reason (pytest
    -s)."""
    number = 0
    total = 0
    for game in games.values():
        effects = [effect for of_subject in game.effects.values() for effect in of_subject]
        texts = {effect: free_texts(effect, game.definition.effect_words) for effect in effects}
        free = {effect: said for effect, said in texts.items() if said}
        uses = Counter(text for said in free.values() for text in said)
        print(f"{game.id}: {len(free)} of {len(effects)} effects depend on free text")
        for effect, said in free.items():
            why = "no operation says it" if effect.operation == "unsaid" else "too rare for a circumstance"
            print(f"  {effect.subject}: {'; '.join(said)} ({why}): “{effect.citation.quotes[0]}”")
        assert [text for text, times in uses.items() if times >= MANY] == [], "a circumstance can say these"
        assert len(free) <= 0.35 * len(effects), game.id
        number += len(effects)
        total += len(free)
    assert number >= 388
    assert total <= 0.25 * number


def test_every_circumstance_is_used_by_several_effects_or_asked(games: dict[str, Game]) -> None:
    """The page of situations asks for a circumstance of an effect that feeds a calculator."""
    rare = set()
    for game in games.values():
        words = game.definition.effect_words
        uses: Counter[str] = Counter()
        for of_subject in game.effects.values():
            for effect in of_subject:
                weight = MANY if effect.operation in words.operations else 1
                for key in CIRCUMSTANCE_KEYS:
                    uses.update(dict.fromkeys(effect.payload.get(key, ()), weight))
        rare |= {f"{game.id}/{name}" for name in words.circumstances if uses[name] < MANY}
    assert rare == RARE_CIRCUMSTANCES


def test_every_key_of_effects_is_used(games: dict[str, Game]) -> None:
    own = {operation for game in games.values() for operation in game.definition.effect_words.operations}
    effects = [effect for game in games.values() for of_subject in game.effects.values() for effect in of_subject]
    keys = {key for effect in effects for key in effect.payload}
    assert keys - own | {"citation"} == {"operation", *VOCABULARY["$defs"]["effect"]["properties"]}
    assert set(operations()) <= {effect.operation for effect in effects}


@pytest.mark.parametrize("game", GAMES)
def test_every_word_of_a_game_is_used(games: dict[str, Game], game: str) -> None:
    known = games[game].definition.effect_words
    effects = [effect.payload for of_subject in games[game].effects.values() for effect in of_subject]
    used = set(re.findall(r"[a-z]+(?:[-_][a-z]+)*", json.dumps(effects)))
    assert set(known.titles) <= used | set(known.operations)
    assert set(known.rolls) <= used | {roll.within for roll in known.rolls.values()}


@pytest.mark.parametrize("game", GAMES)
def test_operation_of_a_published_effect_is_its_acting_key(content: BuiltTree, game: str) -> None:
    pack = json.loads((content.folder / f"data/{game}/pack.json").read_text(encoding="utf-8"))
    acting = {*operations(), *(operation for roll in pack["rolls"] for operation in roll["inputs"])}
    effects = [effect for of_kind in pack["entities"].values() for entity in of_kind for effect in entity["effects"]]
    assert len(effects) == {"kismet": 188, "kiss": 112, "legend": 32, "marchen": 64}[game]
    for effect in effects:
        assert [key for key in effect if key in acting] == [effect["operation"]]
        assert next(iter(effect)) == "operation"


def test_roll_that_ends_an_effect_has_a_dl(pack: Pack) -> None:
    """The rolls that end a wound have one; fear ends by a roll against somebody else's value."""
    by_roll = {
        subject: (effect.payload.get("dl"), pack.by_id[f"kismet/{subject}"].fields.get("medicine_dl"))
        for subject, effects in pack.game.effects.items()
        for effect in effects
        if effect.operation == "ends" and "roll" in effect.payload
    }
    assert by_roll.pop("condition/frightened") == (None, None)
    assert by_roll == {
        "wound/festering-wound": ("medicine_dl", "attacker-tier"),
        "wound/disable-sense": ("medicine_dl", 16),
        "damage-type-wound/dismember": ("medicine_dl", "attacker-tier"),
        "damage-type-wound/frostbitten": ("medicine_dl", 9),
        "damage-type-wound/bleeding": ("medicine_dl", "attacker-tier"),
        "damage-type-wound/mortification": ("medicine_dl", "attacker-tier"),
    }


def test_pack_schema_redefines_only_what_holds_ids_and_citations() -> None:
    """The pack schema reuses the vocabulary; published ids include the game, published citations the position."""
    pack = json.loads((ROOT / "schemas/pack.schema.json").read_text(encoding="utf-8"))
    assert VOCABULARY["$defs"].keys() & pack["$defs"].keys() == {"id", "named", "citation"}


def test_every_constant_of_the_vocabulary_has_a_title_for_readers() -> None:
    untitled = []

    def look(schema: Any) -> None:
        if isinstance(schema, dict):
            if isinstance(schema.get("const"), str) and not schema.get("title"):
                untitled.append(schema["const"])
            for part in schema.values():
                look(part)
        elif isinstance(schema, list):
            for part in schema:
                look(part)

    look(VOCABULARY)
    assert not untitled


@pytest.mark.parametrize("game", GAMES)
def test_effects_file_is_valid_against_its_json_schema(game: str) -> None:
    Draft202012Validator.check_schema(VOCABULARY)
    file = CONTENT / game / "effects.yaml"
    Draft202012Validator(VOCABULARY).validate(yaml.safe_load(file.read_text(encoding="utf-8")))


def test_effect_data_has_lists_and_full_ids(pack: Pack) -> None:
    """A list is a list even if it has one value, and an id names its game."""
    for effects in pack.game.effects.values():
        for effect in effects:
            data = effect.payload
            assert data["whose"] in ("own", "attacker", "opponent")
            for key in ("roll", "of", "loses", "immune", "vulnerable", "causes", "counts_as"):
                assert isinstance(data.get(key, []), list)
            keys = ("of", "loses", "causes", "counts_as", "action", "type", "changes", "sets", "multiplies", "times")
            ids = [value for key in keys for value in listed(data.get(key, []))]
            assert all(value in pack.by_id for value in ids if "/" in value)


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


# --- rendered effects


def article(content: BuiltTree, path: str) -> str:
    return (content.folder / "kismet" / path / "index.html").read_text(encoding="utf-8")


def sentences(html: str) -> list[str]:
    """The sentences about effects on a page, each with the word of the link to its source."""
    match = re.search(r'<ul class="effects".*?</ul>', html, re.DOTALL)
    items = re.findall(r"<li.*?</li>", match[0], re.DOTALL) if match else []
    return [" ".join(unescape(re.sub(r"<[^>]+>", "", item)).split()) for item in items]


def test_entity_page_shows_its_effects_as_sentences_in_the_order_of_the_book(content: BuiltTree) -> None:
    assert sentences(article(content, "condition/prone")) == [
        "Bonus Die on melee Attack Rolls against it. why",
        "Penalty Die on ranged Attack Rolls against it. why",
        "Penalty Die on its Defense Rolls (Dodge). why",
        "Its Speed is halved. why",
        "When it stands up: its Speed is halved; it counts as Open. why",
        "It becomes Prone on a hit when it stands up. why",
        "Ends with one of its Movement Actions (it stands up). why",
    ]


def test_equal_effects_are_one_sentence(content: BuiltTree) -> None:
    assert sentences(article(content, "condition/stunned"))[0] == "It loses all its Actions and Concentration. why"
    poisoned = "Penalty Die on its Attack Rolls, Defense Rolls (Fortitude) and Skill Rolls (Physical Skills). why"
    assert sentences(article(content, "condition/poisoned"))[0] == poisoned


def test_effects_with_the_same_condition_are_one_sentence(content: BuiltTree) -> None:
    leg = "When the limb is a leg: its Speed is halved; it becomes Prone; Penalty Die on its Defense Rolls (Dodge). why"
    assert leg in sentences(article(content, "damage-type-wound/dismember"))


def test_changes_that_apply_together_are_added(content: BuiltTree) -> None:
    assert sentences(article(content, "damage-type-wound/water")) == ["Its Exhaustion rises by 3. why"]


def test_sentence_names_affected_creature_and_duration(content: BuiltTree) -> None:
    assert "The opponent becomes Restrained. why" in sentences(article(content, "position/grappling"))
    blessing = "The attacker’s Hit Points rise by 10 (True Healing). why"
    assert blessing in sentences(article(content, "damage-type-wound/blessing"))
    struck = "It becomes Paralyzed for 1 round, even if it is immune. why"
    assert struck in sentences(article(content, "damage-type-wound/thunderstruck"))


def test_every_sentence_links_to_a_source_of_its_effects(content: BuiltTree) -> None:
    """What no operation can express is in the entity's own text."""
    published = json.loads((content.folder / "data/kismet/pack.json").read_text(encoding="utf-8"))
    for kind in KINDS_WITH_EFFECTS:
        for entity in published["entities"][kind]:
            html = article(content, f"{kind}/{entity['id'].rpartition('/')[2]}")
            shown = sentences(html)
            expressed = [effect for effect in entity["effects"] if effect["operation"] != "unsaid"]
            assert bool(shown) == bool(expressed), entity["id"]
            links = re.findall(r'<li class="effect[^>]*>.*?<a class="why" href="([^"]+)"', html, re.DOTALL)
            fragments = {effect["citation"]["url"].partition("#")[2] for effect in entity["effects"]}
            assert len(links) == len(shown), entity["id"]
            assert {link.partition("#")[2].partition(":~:")[0] for link in links} <= fragments


ROLLS = """\
rolls:
  all: {{title: {title}, calculator: share, inputs: {{die: guests}}}}
  other: {{title: jumps, calculator: share, inputs: {{die: guests}}}}
language: {language}
"""


@pytest.mark.parametrize(
    ("language", "title", "rolls", "words"),
    [
        ("en", "rolls", "all", "on its rolls"),
        ("en", "all rolls", "all", "on all its rolls"),
        ("en", "All rolls", "[all, other]", "on all its rolls and jumps"),
        ("en", "all rolls", "[other, all]", "on its jumps and all rolls"),
        ("en", "allied rolls", "all", "on its allied rolls"),
        ("de", "Würfe", "all", "auf eigene Würfe"),
        ("de", "alle Würfe", "all", "auf alle eigenen Würfe"),
        ("de", "alleinige Würfe", "all", "auf eigene alleinige Würfe"),
    ],
)
def test_all_stands_before_the_owner_of_rolls(
    tmp_path: Path, language: str, title: str, rolls: str, words: str
) -> None:
    library = write_library(tmp_path, game=GAME + ROLLS.format(title=title, language=language))
    (library / "calculators").mkdir()
    (library / "calculators" / "all.yaml").write_text(CALCULATORS, encoding="utf-8")
    citation = "{document: 1 Court, heading: Bow, quote: You bend}"
    effect = f"grace/bow: [{{roll: {rolls}, die: 2, citation: {citation}}}]\n"
    (library / "effects.yaml").write_text(effect, encoding="utf-8")
    game = load_game(library / "game.yaml", library, lambda _: None)
    [badge] = effect_badges(pack := compile_game(game, lambda _: None), pack.by_id["ember-court/grace/bow"], "")
    assert macro("effect", "operation", game.catalog)(badge).striptags() == words


@pytest.mark.parametrize(
    ("language", "effects", "words"),
    [
        ("en", "[{unsaid: It bends twice, citation: %s}]", ["“You bend, and the room forgives you.”"]),
        ("en", "[{roll: all, die: given, citation: %s}]", ["“You bend, and the room forgives you.”"]),
        (
            "en",
            "[{kills: true, when: it hurts, citation: %s}, {kills: true, when: it helps, citation: %s}]",
            ["It dies when it hurts or when it helps."],
        ),
        ("en", "[{kills: true, when: grace/bow, citation: %s}]", ["It dies when Bow applies."]),
        ("de", "[{kills: true, citation: %s}, {loses: [grace/bow], citation: %s}]", ["Stirbt und verliert Bow."]),
        (
            "de",
            "[{kills: true, when: es schmerzt, citation: %s}, {kills: true, when: es hilft, citation: %s}]",
            ["Stirbt, wenn es schmerzt oder wenn es hilft."],
        ),
        ("de", "[{ends: time, how: es dunkel wird, citation: %s}]", ["Endet, wenn es dunkel wird."]),
        ("en", "[{ends: time, how: it is dark, citation: %s}]", ["Ends when it is dark."]),
    ],
)
def test_sentences_of_effects(tmp_path: Path, language: str, effects: str, words: list[str]) -> None:
    library = write_library(tmp_path, game=GAME + ROLLS.format(title="rolls", language=language))
    (library / "calculators").mkdir()
    (library / "calculators" / "all.yaml").write_text(CALCULATORS, encoding="utf-8")
    citation = "{document: 1 Court, heading: Bow, quote: You bend}"
    (library / "effects.yaml").write_text(f"grace/whisper: {effects.replace('%s', citation)}\n", encoding="utf-8")
    game = load_game(library / "game.yaml", library, lambda _: None)
    pack = compile_game(game, lambda _: None)
    shown = effect_sentences(pack, pack.by_id["ember-court/grace/whisper"], "")
    assert [sentence.html.striptags() for sentence in shown] == words


def test_kind_table_shows_effects_without_nested_links(content: BuiltTree) -> None:
    page = article(content, "condition")
    card = re.search(r'<tr><th [^>]*><a href="[^"]*/blind/.*?</tr>', page, re.DOTALL)
    assert card
    assert "Penalty Die" in card[0]
    assert card[0].count("<a ") == 1


# --- bad input


@cache
def kismet_context() -> EffectContext:
    game = load_game(GAME_FILE, GAME_FILE.parent, lambda _: None)
    return EffectContext(game.id, game.kinds, game.definition.effect_words)


MUTATIONS = [*BROKEN_YAML, "/", ".nan", "die: ", "[]"]


@settings(max_examples=examples(150, 3), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, 10**6), length=st.integers(0, 12), new=st.text(max_size=6) | st.sampled_from(MUTATIONS))
def test_mutated_effects_file_does_not_raise(tmp_path: Path, cut: int, length: int, new: str) -> None:
    usual = FILE.read_text(encoding="utf-8")[: 4 * 1024]
    place = cut % len(usual)
    file = tmp_path / "effects.yaml"
    file.write_text(usual[:place] + new + usual[place + length :], encoding="utf-8")
    diagnostics: list[Diagnostic] = []
    effects = load_effects(file, kismet_context(), diagnostics.append)
    for diagnostic in diagnostics:
        assert diagnostic.code in ("invalid-effects", "unknown-effect-word")
        assert to_text(diagnostic)
    for own in effects.values():
        for effect in own:
            assert 0 <= effect.span.start <= effect.span.end <= len(effect.span.source.text)
            json.dumps(effect.payload, allow_nan=False)

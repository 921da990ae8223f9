"""Types and units of formulas: mismatches are reported with their position before evaluation."""

from collections.abc import Callable, Mapping

import pytest

from kismet_build.config.formula_types import of_fields, of_result
from kismet_build.mechanics.formula import FormulaError, Tree, Vocabulary, parse
from kismet_build.mechanics.formula.types import (
    BOOLEAN,
    DICE,
    NUMBER,
    TEXT,
    Signature,
    Type,
    TypeEnvironment,
    describe,
    entity,
    list_of,
    number,
    optional,
    text,
)
from kismet_build.mechanics.formula.types.inference import check_type, infer


def refusal(work: Callable[[], object]) -> str:
    with pytest.raises(FormulaError) as caught:
        work()
    return f"{caught.value.code}@{caught.value.at}: {caught.value.message}"


COMMON_FIELDS = {"id": TEXT, "slug": TEXT, "name": TEXT, "kind": TEXT}
INTEGER = {"type": "integer"}
AXE = {
    "type": "object",
    "required": ["weight", "rarity", "tags", "reach", "price", "levels", "blows"],
    "properties": {
        "weight": {"type": "number"},
        "rarity": {"enum": ["common", "rare"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "reach": {
            "type": "object",
            "required": ["min", "max"],
            "properties": {n: {"type": "integer"} for n in ("min", "max")},
        },
        "price": {"anyOf": [{"type": "integer"}, {"const": "priceless"}, {"type": "null"}]},
        "owner": {"type": "string"},
        "uses": {"type": "integer", "default": 1},
        "cursed": {"type": "boolean"},
        "levels": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["level", "cost"],
                "properties": {
                    "level": {"type": "integer"},
                    "cost": {"type": ["integer", "null"]},
                    "parts": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
        "blows": {
            "type": "object",
            "required": ["2d6", "near"],
            "properties": {
                "2d6": {"type": "integer"},
                "near": {
                    "type": ["object", "null"],
                    "required": ["min", "max"],
                    "properties": {"min": {"type": "integer"}, "max": {"type": ["integer", "null"]}},
                },
            },
        },
    },
}
ROW = {
    "type": "object",
    "required": ["rank", "dl"],
    "properties": {"rank": {"type": "integer"}, "dl": {"type": "integer"}},
}
ENVIRONMENT = TypeEnvironment(
    {"axe": {**of_fields(AXE), **COMMON_FIELDS}, "row": {**of_fields(ROW), **COMMON_FIELDS}},
    {
        "to-feet": Signature({"distance": number("tiles")}, number("feet")),
        "cost": Signature({"of": entity(["axe"]), "how": text(["buy", "sell"])}, number("gold pieces")),
        "limit": Signature({"rank": NUMBER}, optional(NUMBER)),
    },
)
NAMES = {
    "level": NUMBER,
    "speed": number("tiles"),
    "time": number("hours"),
    "rounds": number("rounds"),
    "money": number("gold pieces"),
    "ready": BOOLEAN,
    "how": text(["buy", "sell"]),
    "axe": entity(["axe"]),
    "axes": list_of(entity(["axe"])),
    "either": entity(["axe", "row"]),
    "die": DICE,
}
VOCABULARY = Vocabulary(
    {"to-feet": ["distance"], "cost": ["of", "how"], "limit": ["rank"]}, {"axe": "weight", "row": "rank"}
)


def inferred(tree: Tree, names: Mapping[str, Type]) -> Type:
    """The type of a formula. Raises the first mistake."""
    problems: list[FormulaError] = []
    type_ = infer(tree, names, ENVIRONMENT, problems)
    if problems:
        raise problems[0]
    return type_


def type_name(formula: str) -> str:
    return describe(inferred(parse(formula, VOCABULARY), NAMES))


@pytest.mark.parametrize(
    ("formula", "type_"),
    [
        ("level + 1", "a number"),
        ("5[tiles]", "a number of tiles"),
        # A bare number fits any unit; a number that was computed from an input does not.
        ("speed + 1", "a number of tiles"),
        ("max(0, speed - 2 * 3)", "a number of tiles"),
        ("if ready then 0 else money", "a number of gold pieces"),
        # Products and quotients combine units.
        ("speed * level", "a number of tiles"),
        ("speed * speed", "a number of tiles*tiles"),
        ("speed / rounds", "a number of tiles/rounds"),
        ("speed * 5[feet/tiles]", "a number of feet"),
        ("speed / speed", "a number"),
        ("speed // 2", "a number of tiles"),
        ("speed // 2[tiles]", "a number"),
        ("1 / time", "a number of 1/hours"),
        ("speed % 2[tiles]", "a number of tiles"),
        ("floor(speed / 2)", "a number of tiles"),
        ("-speed", "a number of tiles"),
        ("sum(axes.weight)", "a number"),
        ("min([speed, 3])", "a number of tiles"),
        ("speed > 3", "true or false"),
        ("not ready or level == 1", "true or false"),
        ("chance(dice('1d10'), level)", "a number"),
        ("die", "dice"),
        ("mean([[money, 0.5], [0, 0.5]])", "a number of gold pieces"),
        ("tries(money, [[1[gold pieces], 1]]) * 1[rounds]", "a number of rounds"),
        ("successes(level, 2, 0.5)", "a number"),
        ("count(axes)", "a number"),
        # Fields have the types of the schema of their kind.
        ("axe.weight", "a number"),
        ("axe.reach.max - axe.reach.min", "a number"),
        ("axe.tags", "a list of texts"),
        ("'heavy' in axe.tags", "true or false"),
        ("axe.rarity", '"common" or "rare"'),
        ("axe.owner", "a text or none"),
        ("axe.uses", "a number"),
        ("either.name", "a text"),
        ("either.rank", "none or a number"),
        ("count(axes.owner)", "a number"),
        ("lookup(row, level).dl", "a number"),
        ("lookup(row, 'first')", "a row"),
        ("lookup(axe, reach = level).name", "a text"),
        ("where(axes, rarity = 'rare', cursed = true)", "a list of records"),
        ("where(axes, tags = ['melee', 'heavy'], owner = none).weight", "a list of numbers"),
        # A field may be made of parts, and be a list of records.
        ("axe.blows.2d6 + 1", "a number"),
        ("if axe.blows.near == none then 0 else axe.blows.near.min", "a number"),
        ("if axe.blows.near == none then none else axe.blows.near.max", "none or a number"),
        ("axe.levels", "a list of records"),
        ("axe.levels.level", "a list of numbers"),
        ("sum(where(axe.levels, level = 2).cost)", "a number"),
        ("count(axes.levels.parts)", "a number"),
        ("where(axe.levels, parts = 'haft').cost", "a list of numbers"),
        # An optional number is a number after a comparison with `none`.
        ("if axe.price == none then 0 else 1", "a number"),
        ("if axe.price == none or axe.price == 'priceless' then 0 else axe.price", "a number"),
        ("if axe.price != none and axe.price != 'priceless' then axe.price + 1 else 0", "a number"),
        ("if limit(level) == none then 3 else 4", "a number"),
        ("if ready then none else speed", "none or a number of tiles"),
        ("how == 'buy' ? 1 : 2", "a number"),
        # Other calculators.
        ("to_feet(speed) + 5[feet]", "a number of feet"),
        ("to_feet(3)", "a number of feet"),
        ("cost(axe, how)", "a number of gold pieces"),
        ("cost(how = 'buy', of = axe)", "a number of gold pieces"),
    ],
)
def test_type_of_a_formula_is_inferred(formula: str, type_: str) -> None:
    assert type_name(formula) == type_


@pytest.mark.parametrize(
    ("formula", "refused"),
    [
        ("speed + time", "type@6: tiles and hours cannot be added"),
        ("speed - level", "type@6: tiles and plain numbers cannot be subtracted"),
        ("speed * 5[feet/tiles] + speed", "type@22: feet and tiles cannot be added"),
        ("speed > time", "type@6: tiles and hours cannot be compared"),
        ("speed == level", "type@6: tiles and plain numbers cannot be compared"),
        ("max(speed, time)", "type@0: tiles and hours cannot be compared"),
        ("sum(speed, 2[hours])", "type@0: tiles and hours cannot be added"),
        ("[speed, 2[hours]]", "type@8: a list cannot mix a number of tiles and a number of hours"),
        ("if ready then speed else time", "type@25: one branch gives a number of tiles, the other a number of hours"),
        ("speed % time", "type@6: tiles and hours cannot be divided with a remainder"),
        ("speed in [time]", "type@6: tiles and hours cannot be compared"),
        ("to_feet(time)", "type@8: this is a number of hours where a number of tiles is needed"),
        ("chance(die, speed)", "type@12: this is a number of tiles where a number is needed"),
        ("lookup(row, speed)", "type@12: tiles and plain numbers cannot be compared"),
        ("mean([[1, speed]])", "type@5: this is a number of tiles where a number is needed"),
        # Parts of fields.
        ("axe.blows.near.min", 'type@15: this may be none, which has no field "min"'),
        ("axe.blows.far", 'unknown@10: a record has no field "far"'),
        ("axe.levels + 1", "type@4: this is a list of records, not a number"),
        ("sum(axe.levels.weight)", 'unknown@15: a record has no field "weight"'),
        ("sum(axe.levels.parts)", "type@15: this is a text, not a number"),
        ("where(axe.levels, level = 'two')", 'type@26: a number and "two" are never equal'),
        # Sorts.
        ("1 + ready", "type@4: this is true or false, not a number"),
        ("1 + axe", "type@4: this is an axe, not a number"),
        ("level and ready", "type@0: this is a number where true or false is needed"),
        ("if level then 1 else 2", "type@3: this is a number where true or false is needed"),
        ("if ready then 1 else 'one'", 'type@21: one branch gives a number, the other "one"'),
        ("[1, 'one']", 'type@4: a list cannot mix a number and "one"'),
        ("level == 'five'", 'type@6: a number and "five" are never equal'),
        ("how == 'steal'", 'type@4: "buy" or "sell" and "steal" are never equal'),
        ("level == none", "type@6: a number and none are never equal"),
        ("axe == lookup(row, 1)", "type@4: an axe and a row are never equal"),
        ("'x' in how", 'type@7: this is "buy" or "sell" where a list is needed'),
        ("count(level)", "type@6: this is a number where a list is needed"),
        ("chance(level, 5)", "type@7: this is a number where dice is needed"),
        ("mean([[1, 2, 3]])", "type@5: this must be a list of pairs, each a value and its chance"),
        ("cost(axe, 'steal')", 'type@10: this is "steal" where "buy" or "sell" is needed'),
        ("cost(either, how)", "type@5: this is an axe or a row where an axe is needed"),
        ("lookup(row, limit(level))", 'type@12: no row has none as "rank"'),
        ("lookup(row, ready)", 'type@12: no row has true or false as "rank"'),
        # Fields.
        ("axe.wieght", 'unknown@4: an axe has no field "wieght"'),
        ("axe.reach.mid", 'unknown@10: a record has no field "mid"'),
        ("level.size", "type@6: this is a number, which has no fields"),
        ("where(axes, size = 1)", 'unknown@0: an axe has no field "size"'),
        ("where(axes, rarity = 'legendary')", 'type@21: "common" or "rare" and "legendary" are never equal'),
        ("missing + 1", 'unknown@0: there is no input or step "missing"'),
        # Optional values.
        ("limit(level) + 1", "type@0: this may be none, not a number"),
        ("axe.price + 1", 'type@4: this may be "priceless", not a number'),
        ("if axe.price == none then 0 else axe.price + 1", 'type@37: this may be "priceless", not a number'),
    ],
)
def test_type_error_has_its_position(formula: str, refused: str) -> None:
    assert refusal(lambda: type_name(formula)).startswith(refused)


@pytest.mark.parametrize(
    ("formula", "expected", "refused"),
    [
        ("speed", of_result("number", "tiles"), ""),
        ("2 + 3", of_result("number", "tiles"), ""),
        ("level", of_result("number", "tiles"), "type@0: this is a number where a number of tiles is needed"),
        ("level", of_result("chance"), ""),
        ("axe", of_result("entity"), ""),
        ("die", of_result("dice"), ""),
        ("[[0, 0.5], [1, 0.5]]", of_result("outcomes"), ""),
        ("[[money, 0.5]]", of_result("outcomes", "gold pieces"), ""),
        ("[1, 2]", of_result("outcomes"), "type@0: this is a list of numbers where a list of pairs is needed"),
        ("ready", of_result("text"), "type@0: this is true or false where a text is needed"),
        ("limit(level)", of_result("number"), "type@0: this may be none where a number is needed"),
        ("limit(level)", optional(of_result("number")), ""),
    ],
)
def test_result_is_checked_against_the_declared_type(formula: str, expected: object, refused: str) -> None:
    tree = parse(formula, VOCABULARY)
    type_ = inferred(tree, NAMES)
    if refused:
        assert refusal(lambda: check_type(type_, expected, tree["at"])) == refused  # type: ignore[arg-type]
    else:
        check_type(type_, expected, tree["at"])  # type: ignore[arg-type]


def test_bare_number_takes_the_expected_unit() -> None:
    assert describe(check_type(inferred(parse("2 + 3"), {}), number("tiles"), 0)) == "a number of tiles"

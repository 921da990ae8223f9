"""Formulas: parsing, evaluation, and errors with their positions."""

from typing import Any

import pytest

from kismet_build.config.data_file import schema_validator, shipped_schema
from kismet_build.mechanics.formula import FormulaError, Tree, Vocabulary, evaluate, parse, plain_number
from tests.stages.mechanics.test_formula_types import refusal

VOCABULARY = Vocabulary(
    {"half": ["x"], "two-things": ["one", "other"]}, {"tier": "tier", "law": "", "axe": "", "axe-type": "min_size"}
)

# --- parsing


def bracketed(tree: Tree) -> str:
    """A tree as a formula with a bracket around every operation."""
    of = [bracketed(operand) for operand in tree.get("of", ())]
    match tree["node"]:
        case "call" if len(of) == 2 and not tree["name"][0].isalpha():
            return f"({of[0]} {tree['name']} {of[1]})"
        case "call" if tree["name"] in ("and", "or", "in"):
            return f"({of[0]} {tree['name']} {of[1]})"
        case "call":
            return f"{tree['name']}({', '.join(of)})"
        case "if":
            return f"if({', '.join(of)})"
        case "field":
            return f"{of[0]}.{tree['field']}"
        case "list":
            return f"[{', '.join(of)}]"
        case "number":
            return f"{tree['value']}" + (f"[{tree['unit']}]" if "unit" in tree else "")
        case "text":
            return f'"{tree["value"]}"'
        case "name":
            return str(tree["name"])
        case "boolean":
            return str(tree["value"]).lower()
        case "lookup":
            return f"lookup({tree['kind']}, {tree['field']} = {of[0]})"
        case "where":
            pairs = (f"{field} = {value}" for field, value in zip(tree["fields"], of[1:], strict=True))
            return f"where({of[0]}, {', '.join(pairs)})"
        case "calculator":
            pairs = (f"{name} = {value}" for name, value in zip(tree["inputs"], of, strict=True))
            return f"{tree['calculator']}({', '.join(pairs)})"
        case other:
            return str(other)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        # Operators by precedence, highest first: signs, then * / // %, then + -, comparisons, not, and, or, if.
        ("1 + 2 * 3", "(1 + (2 * 3))"),
        ("(1 + 2) * 3", "((1 + 2) * 3)"),
        ("10 - 4 - 3", "((10 - 4) - 3)"),
        ("8 / 4 / 2", "((8 / 4) / 2)"),
        ("7 // 2 % 2", "((7 // 2) % 2)"),
        ("-2 * 3", "(negate(2) * 3)"),
        ("2 * -3", "(2 * negate(3))"),
        ("--x", "negate(negate(x))"),
        ("-x.size", "negate(x.size)"),
        ("a + 1 > b * 2", "((a + 1) > (b * 2))"),
        ("not a == b", "not((a == b))"),
        ("not a and b", "(not(a) and b)"),
        ("a or b and c", "(a or (b and c))"),
        ("a and b or c", "((a and b) or c)"),
        ("a < 1 and b not in [1, 2]", "((a < 1) and not((b in [1, 2])))"),
        # `c ? a : b` is another way to write `if c then a else b`; both reach as far to the right as they can.
        ("if a then 1 else 2 + 3", "if(a, 1, (2 + 3))"),
        ("a or b ? 1 : 2", "if((a or b), 1, 2)"),
        ("a ? 1 : b ? 2 : 3", "if(a, 1, if(b, 2, 3))"),
        ("(if a then 1 else 2) + 3", "(if(a, 1, 2) + 3)"),
        ("if a then if b then 1 else 2 else 3", "if(a, if(b, 1, 2), 3)"),
        # Fields, lists, texts.
        ("x.range.min + 1", "(x.range.min + 1)"),
        # A field may have a name that looks like dice.
        ("x.ranges.2d6.min - 1.5", "(x.ranges.2d6.min - 1.5)"),
        ("max(1, [2, 3].size, 4)", "max(1, [2, 3].size, 4)"),
        ("""'it says "no"' == "it's" """, """("it says "no"" == "it's")"""),
        ("2.50", "2.5"),
        ("5[feet/tiles] * x", "(5[feet/tiles] * x)"),
        ("1[gold pieces]", "1[gold pieces]"),
        # Kinds and calculators are written with `_` for `-`.
        ("lookup(tier, 3).dl", "lookup(tier, tier = 3).dl"),
        ("lookup(axe, 'long')", 'lookup(axe, slug = "long")'),
        ("lookup(axe_type, max_size = 3)", "lookup(axe-type, max_size = 3)"),
        ("where(effects, die = 'bonus', of = [none])", 'where(effects, die = "bonus", of = [none])'),
        ("half(3)", "half(x = 3)"),
        ("two_things(1, 2)", "two-things(one = 1, other = 2)"),
        ("two_things(other = 1, one = 2)", "two-things(other = 1, one = 2)"),
        ("two_things(1, other = 2)", "two-things(one = 1, other = 2)"),
    ],
)
def test_formula_is_parsed_by_operator_precedence(formula: str, expected: str) -> None:
    assert bracketed(parse(formula, VOCABULARY)) == expected


def test_node_positions_are_in_code_points() -> None:
    tree = parse("'😀' == name")
    assert [(node["node"], node["at"]) for node in (tree, *tree["of"])] == [("call", 4), ("text", 0), ("name", 7)]


def test_dice_node_has_its_odds() -> None:
    tree = parse('dice("2d4")')
    assert (tree["low"], tree["mean"], len(tree["at_least"])) == (2, 5.0, 7)
    assert tree["at_least"][:2] == [1.0, 15 / 16]
    assert tree["tree"] == {"node": "dice", "count": 2, "faces": 4, "again": ""}


@pytest.mark.parametrize("unit", ["gold pieces", "Füße", "demi-heures", "coups d’épée", "шаги", "मील", "ft 歩"])
def test_words_of_any_script_are_a_unit(unit: str) -> None:
    assert schema_validator(shipped_schema("calculator")["$defs"]["unit"])(unit)
    tree = parse(f"2[{unit}/{unit}]")
    assert tree["unit"] == f"{unit}/{unit}"
    assert schema_validator(shipped_schema("formula")["$defs"]["number_node"]["properties"]["unit"])(tree["unit"])


@pytest.mark.parametrize("unit", ["", " tiles", "gold  pieces", "2 tiles", "tiles!", "-tiles", "a,b", "tiles\n", "%"])
def test_anything_else_is_no_unit(unit: str) -> None:
    assert not schema_validator(shipped_schema("calculator")["$defs"]["unit"])(unit)
    with pytest.raises(FormulaError):
        parse(f"2[{unit}]")


@pytest.mark.parametrize(
    ("formula", "error"),
    [
        ("", "syntax@0: the formula ends too early"),
        ("1 +", "syntax@3: the formula ends too early"),
        ("1 + * 2", 'syntax@4: "*" is not expected here'),
        ("(1 + 2", 'syntax@6: expected ")", but the formula ends'),
        ("max(1; 2)", 'syntax@5: ";" is not part of a formula'),
        ("1 2", 'syntax@2: "2" is not expected here'),
        ("a = 1", 'syntax@2: "=" is not expected here'),
        ("٣ + 1", 'syntax@0: "٣" is not part of a formula'),
        ("2x", 'syntax@0: "2x" is neither a number nor a name'),
        ("1e5", 'syntax@0: "1e" is neither a number nor a name'),
        ("Level", 'syntax@0: "L" is not part of a formula'),
        ("'open", "syntax@0: this text has no closing quote"),
        ("1[]", 'syntax@1: "[]" is not a unit, such as [tiles] or [feet/tiles]'),
        ("1[tiles per round!]", 'syntax@1: "[tiles per round!]" is not a unit, such as [tiles] or [feet/tiles]'),
        ("if a then 1", 'syntax@11: expected "else", but the formula ends'),
        ("a ? 1", 'syntax@5: expected ":", but the formula ends'),
        ("1 < 2 < 3", "syntax@6: comparisons cannot be chained: join them with and"),
        ("then", 'syntax@0: "then" is not expected here'),
        ("x.5", 'syntax@2: "5" is not expected here'),
        ("floor(1, 2)", 'syntax@0: "floor" takes 1 argument, not 2'),
        ("min()", 'syntax@0: "min" takes 1 to 50 arguments, not 0'),
        ("floor(x = 1)", 'syntax@6: the arguments of "floor" have no names'),
        ("lookup(tier)", 'syntax@11: expected ",", but found ")"'),
        ("lookup(weapon, 1)", 'unknown@7: there is no kind "weapon"'),
        ("where(list)", "syntax@0: where takes a list, then each field with its value"),
        ("hafl(3)", 'unknown@0: there is no function or calculator "hafl"'),
        ("half()", 'syntax@0: "half" takes x'),
        ("half(y = 1)", 'unknown@5: "half" has no input "y", or it is given twice'),
        ("two_things(1, one = 2)", 'unknown@14: "two-things" has no input "one", or it is given twice'),
        ("dice(x)", 'syntax@0: dice takes a text, such as dice("1d10+3")'),
        ('1 + dice("1d10-")', "dice@15: expected a roll or a number, not the end"),
        ('dice("999999999d999999999")', "dice@6: 999,999,999 dice are more than the limit of 1,000"),
        ('dice("6d200")', "dice@5: these dice have more than 1,000 results"),
        ("9007199254740994", "large@0: this number is more than 9,007,199,254,740,991"),
        ("9007199254740992", "large@0: this number is more than 9,007,199,254,740,991"),
        ("9" * 400, "large@0: this number is more than 9,007,199,254,740,991"),
    ],
)
def test_invalid_formula_is_rejected_with_the_error_position(formula: str, error: str) -> None:
    assert refusal(lambda: parse(formula, VOCABULARY)) == error


@pytest.mark.parametrize(
    ("formula", "error"),
    [
        ("1+" * 500_000 + "1", "long@2000: a formula has at most 2,000 characters"),
        ("(" * 1_000 + "1" + ")" * 1_000, "long@2000: a formula has at most 2,000 characters"),
        ("(" * 999 + "1" + ")" * 999, "deep@64: brackets are nested more than 64 deep"),
        ("[" * 900, "deep@64: brackets are nested more than 64 deep"),
        ("-" * 900 + "1", "deep@64: brackets are nested more than 64 deep"),
        ("not " * 400 + "a", "deep@256: brackets are nested more than 64 deep"),
        ("if a then 1 else " * 100 + "1", "deep@1074: brackets are nested more than 64 deep"),
        ("1" + "+1" * 900, "deep@1671: operations are nested more than 64 deep"),
        ("a" + ".b" * 900, "deep@1672: operations are nested more than 64 deep"),
    ],
    ids=["megabyte", "1000 brackets", "999 brackets", "lists", "signs", "not", "if", "sum", "fields"],
)
def test_too_long_or_too_deep_formula_is_rejected(formula: str, error: str) -> None:
    assert refusal(lambda: parse(formula)) == error


# --- evaluation

LIBRARY: dict[str, Any] = {
    "entities": {
        "tier": [
            {"id": f"g/tier/tier-{n}", "slug": f"tier-{n}", "tier": n, "levels": {"min": 2 * n - 1, "max": 2 * n}}
            for n in (1, 2, 3)
        ],
        "law": [
            {"id": "g/law/mild", "slug": "mild", "levels": {"min": 0, "max": 3}},
            {"id": "g/law/harsh", "slug": "harsh", "levels": {"min": 4, "max": None}},
        ],
        "axe": [{"id": "g/axe/long", "slug": "long", "kinds": ["melee", "heavy"], "weight": None}],
        "axe-type": [],
    },
    "calculators": {
        "half": {"inputs": ["x"], "steps": [["two", parse("1 + 1")]], "ast": parse("x / two")},
        "two-things": {"inputs": ["one", "other"], "steps": [], "ast": parse("one * 10 + other")},
    },
}
SCOPE: dict[str, Any] = {
    "level": 5,
    "name": "bow",
    "ready": True,
    "nothing": None,
    "empty": [],
    "axe": LIBRARY["entities"]["axe"][0],
    "charm": {
        "id": "g/charm/ember",
        "slug": "ember",
        "blows": {"2d6": 3, "far": None},
        "levels": [{"level": 1, "cost": 2, "parts": ["wick"]}, {"level": 2, "cost": 3, "parts": []}],
    },
    "states": [
        {"id": "g/state/a", "slug": "a", "effects": [{"die": "bonus", "of": ["melee"]}, {"die": "penalty"}]},
        {"id": "g/state/b", "slug": "b", "effects": [{"die": "bonus"}], "speed": 3},
    ],
}


def value(formula: str) -> Any:
    result = evaluate(parse(formula, VOCABULARY), SCOPE, LIBRARY)
    return plain_number(result) if isinstance(result, float) else result


@pytest.mark.parametrize(
    ("formula", "result"),
    [
        ("5 / 2", 2.5),
        ("1 / 3", 1 / 3),
        ("7 // 2", 3),
        ("-7 // 2", -4),
        ("7 % 3", 1),
        ("-7 % 3", 2),
        ("7 % -3", -2),
        ("0.1 + 0.2", 0.30000000000000004),
        ("-0", 0),
        ("floor(-2.5)", -3),
        ("ceil(-2.5)", -2),
        ("round(2.5)", 3),
        ("round(-2.5)", -2),
        ("round(2.4)", 2),
        ("abs(-3)", 3),
        ("min(3, 1, 2)", 1),
        ("max([3, 1, 2])", 3),
        ("sum(1, 2, 3)", 6),
        ("sum(empty)", 0),
        ("count(states)", 2),
        ("5[tiles] + 3[feet]", 8),  # units are checked before evaluation; see test_formula_types.py
        ("if level > 4 then 'high' else 'low'", "high"),
        ("level == 5 and name == 'bow'", True),
        ("ready or missing", True),
        ("not ready and missing", False),
        ("if ready then 1 else missing", 1),
        ("name in ['axe', 'bow']", True),
        ("name not in ['axe']", True),
        # Only values of one sort are the same; entities are by their ids, lists never.
        ("1 == '1'", False),
        ("true == 1", False),
        ("none == false", False),
        ("nothing == none", True),
        ("empty == empty", False),
        ("axe == lookup(axe, 'long')", True),
        ("states == axe", False),
        # Look-up by value, by range, by slug.
        ("lookup(tier, 2).slug", "tier-2"),
        ("lookup(tier, levels = level).tier", 3),
        ("lookup(tier, 'tier-1').tier", 1),
        ("lookup(law, levels = 3).slug", "mild"),
        ("lookup(law, levels = 400).slug", "harsh"),
        # Fields of entities and of lists of entities.
        ("axe.kinds", ["melee", "heavy"]),
        ("axe.weight", None),
        ("axe.colour", None),
        ("states.slug", ["a", "b"]),
        ("states.speed", [3]),
        ("states.effects.die", ["bonus", "penalty", "bonus"]),
        ("count(where(states.effects, die = 'bonus'))", 2),
        ("count(where(states.effects, die = ['bonus', 'penalty'], of = none))", 2),
        ("count(where(states.effects, of = 'melee'))", 1),
        ("where(states, speed = 3).slug", ["b"]),
        # Parts of fields, and lists of records in them.
        ("charm.blows.2d6 + 1", 4),
        ("charm.blows.far == none", True),
        ("charm.levels.cost", [2, 3]),
        ("sum(charm.levels.cost)", 5),
        ("where(charm.levels, level = 2).cost", [3]),
        ("charm.levels.parts", ["wick"]),
        # Other calculators, with steps of their own.
        ("half(level)", 2.5),
        ("two_things(half(2), other = 3)", 13),
        # Dice.
        ("chance(dice('1d10'), 8)", 0.3),
        ("chance(dice('1d10'), 7.5)", 0.3),
        ("chance(dice('1d10'), -100)", 1),
        ("chance(dice('1d10'), 11)", 0),
        ("mean(dice('2d6'))", 7),
        ("mean([[0, 0.5], [4, 0.5]])", 2),
        ("tries(5, [[0, 0.5], [1, 0.5]])", 10),
        ("tries(0, [[1, 1]])", 0),
        ("tries(4.5, [[2, 1]])", 3),
        ("tries_spread(3, [[1, 1]])", 0),
        ("tries_spread(1, [[0, 0.5], [1, 0.5]])", 2**0.5),
        ("successes(2, 1, 0.5)", 0.75),
        ("successes(4, 5, 0.5)", 0),
        ("successes(0, 0, 0.5)", 1),
    ],
)
def test_formula_is_evaluated(formula: str, result: Any) -> None:
    assert value(formula) == result
    assert type(value(formula)) is type(result)


@pytest.mark.parametrize(
    ("formula", "error"),
    [
        ("1 + name", "type@2: this must be a number"),
        ("true + 1", "type@5: this must be a number"),
        ("if level then 1 else 2", "type@3: this must be true or false"),
        ("ready and level", "type@10: this must be true or false"),
        ("not level", "type@0: this must be true or false"),
        ("1 in level", "type@2: this must be a list"),
        ("level.size", "type@6: this must be a list"),
        ("[1].size", "type@4: this must be a list of entries with fields"),
        ("where([1], size = 1)", "type@0: this must be a list of entries with fields"),
        ("chance(5, 5)", "type@0: this must be dice"),
        ("mean([1, 2])", "type@0: this must be a list"),
        ("mean([[1]])", "type@0: this must be a list of pairs, each a value and its chance"),
        ("tries(2, [[0.5, 1]])", "type@0: the values of outcomes must be whole numbers from 0"),
        (
            "successes(2, 1, 2)",
            "type@0: successes takes a whole number of tries, a number, and a chance from 0 to 1",
        ),
        ("1 / (level - 5)", "zero@2: division by zero"),
        ("1 // 0", "zero@2: division by zero"),
        ("1 % 0", "zero@2: division by zero"),
        ("tries(1, [[0, 1]])", "never@0: no number of tries reaches this total"),
        ("9007199254740991 + 9007199254740991", "large@17: this number exceeds 9,007,199,254,740,991"),
        ("9007199254740991 + 1", "large@17: this number exceeds 9,007,199,254,740,991"),
        ("sum(9007199254740991, 3, -5)", "large@0: this number exceeds 9,007,199,254,740,991"),
        ("tries(1001, [[1, 1]])", "large@0: tries takes a total of at most 1,000 and at most 100 outcomes"),
        ("successes(101, 1, 0.5)", "large@0: successes takes at most 100 tries"),
        ("missing + 1", 'unknown@0: there is no value "missing"'),
        ("lookup(tier, 9)", "missing@0: no tier has the tier 9"),
        ("lookup(tier, levels = 2.5)", "missing@0: no tier has the levels 2.5"),
        ("lookup(axe_type, 'x')", "missing@0: no axe-type has the min_size x"),
        ("min(empty)", "empty@0: this list is empty"),
        ("mean(empty)", "empty@0: this list is empty"),
        # An error in another calculator is reported at the call.
        ("1 + half(name)", "type@4: this must be a number (in half)"),
    ],
)
def test_evaluation_error_has_its_position(formula: str, error: str) -> None:
    assert refusal(lambda: value(formula)) == error


def test_names_do_not_reach_python_attributes() -> None:
    with pytest.raises(FormulaError):
        evaluate(parse("__class__"), {})
    assert evaluate(parse("axe.keys"), SCOPE) is None


def test_result_cache_stores_calculator_calls() -> None:
    library = {**LIBRARY, "result_cache": {}}
    formulas = ("two_things(1, 2)", "two_things(other = 1, one = 2)", "two_things(1, 2) + half(3)", "1 + half(3)")
    for formula in formulas:
        assert evaluate(parse(formula, VOCABULARY), SCOPE, library) == value(formula)
    assert len(library["result_cache"]) == 4, (
        "calls at the same depth share a cache entry; `half(3)` is called at two depths"
    )


def test_cached_result_counts_as_many_steps_as_the_first_call() -> None:
    slow = {"inputs": ["x"], "steps": [], "ast": parse("successes(1, x, 0.5)")}
    library = {**LIBRARY, "calculators": {"half": slow}}
    long = parse(f"[{', '.join(['half(1)'] * 25)}]", VOCABULARY)
    expected = "long@181: this takes too many steps"
    assert refusal(lambda: evaluate(long, SCOPE, library)) == expected
    assert refusal(lambda: evaluate(long, SCOPE, {**library, "result_cache": {}})) == expected

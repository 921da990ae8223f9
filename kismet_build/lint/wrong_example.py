"""A calculator that denies the worked examples of its text, or cannot run at all."""

from kismet_build.config.calculator import formula_place
from kismet_build.mechanics.calculator import Calculator, Example, shown
from kismet_build.mechanics.calculator.calculation import (
    CalculationError,
    InputError,
    calculate,
    is_same,
    plain,
    values_of,
)
from kismet_build.model.diagnostic import Related, Report, error
from kismet_build.pack import Pack


def wrong_example(pack: Pack, report: Report) -> None:
    """Report calculators that have no result for their defaults, and examples of which they give another."""
    for calculator in pack.game.calculators.values():
        if _runs(pack, calculator, report):
            for example in calculator.examples:
                _try(pack, calculator, example, report)


def _runs(pack: Pack, calculator: Calculator, report: Report) -> bool:
    try:
        calculate(pack.records, calculator, values_of(pack.records, calculator, {}))
    except InputError as problem:
        place = next(one.span for one in calculator.inputs if one.name == problem.name)
        report(error("invalid-calculator", place, f'"{calculator.slug}" cannot run with its defaults: {problem}'))
        return False
    except CalculationError as problem:
        place = formula_place(problem.span, problem.formula, problem.at)
        message = f'"{calculator.slug}" has no result for its defaults: {problem.message}'
        report(error("invalid-formula", place, message))
        return False
    return True


def _try(pack: Pack, calculator: Calculator, example: Example, report: Report) -> None:
    cited = pack.cited.get(example.citation.span)
    related = (Related(cited.span, "the text says so here"),) if cited else ()
    try:
        values = values_of(pack.records, calculator, example.inputs)
        result = calculate(pack.records, calculator, values).result
    except InputError as problem:
        report(error("wrong-example", example.span, f'"{calculator.slug}" cannot take this: {problem}', "", related))
        return
    except CalculationError as problem:
        message = f'"{calculator.slug}" has no result for this: {problem.message}'
        report(error("wrong-example", example.span, message, "", related))
        return
    if not is_same(result, example.result):
        message = f'"{calculator.slug}" gives {shown(plain(result))} here, not {shown(example.result)}'
        hint = "mend the formula; where the text itself is wrong, say what it prints as `printed`"
        report(error("wrong-example", example.span, message, hint, related))

"""`wrong-example`: a calculator whose result differs from a worked example in the text."""

from kismet_build.config.calculator import formula_span
from kismet_build.mechanics.calculator import Calculator, Example
from kismet_build.mechanics.calculator.calculation import CalculationError, calculate, equals_expected, resolve_inputs
from kismet_build.mechanics.formula.values import to_plain_value
from kismet_build.mechanics.inputs import InputError, format_literal
from kismet_build.model.diagnostic import Related, Report, error
from kismet_build.pack import Pack, calculator_subject


def wrong_example(pack: Pack, report: Report) -> None:
    """Report examples with a different result, and calculators without a result for their default inputs."""
    faulty = (faulty.calculator for faulty in pack.game.faulty_calculators if faulty.calculator is not None)
    for calculator in (*pack.game.calculators.values(), *faulty):
        if _check_defaults(pack, calculator, report):
            for example in calculator.examples:
                _check_example(pack, calculator, example, report)


def _check_defaults(pack: Pack, calculator: Calculator, report: Report) -> bool:
    """Whether a calculator has a result for its default inputs. If it does not, report it."""
    try:
        calculate(pack.records, calculator, resolve_inputs(pack.records, calculator, {}))
    except InputError as problem:
        span = next(given.span for given in calculator.inputs if given.name == problem.name)
        message = f'"{calculator.slug}" cannot run with its defaults: {problem}'
        hint = "change the default"
        report(error("invalid-calculator", span, message, hint, subject=calculator_subject(calculator)))
        return False
    except CalculationError as problem:
        span = formula_span(problem.span, problem.formula, problem.at)
        message = f'"{calculator.slug}" has no result for its defaults: {problem.message}'
        hint = problem.hint or "change the formula, or the defaults of the inputs"
        report(error("invalid-formula", span, message, hint, subject=calculator_subject(calculator)))
        return False
    return True


def _check_example(pack: Pack, calculator: Calculator, example: Example, report: Report) -> None:
    cited = pack.cited.get(example.citation.span)
    related = (Related(cited.span, "the text says so here"),) if cited else ()
    subject = calculator_subject(calculator)
    try:
        values = resolve_inputs(pack.records, calculator, example.inputs)
        result = calculate(pack.records, calculator, values).result
    except InputError as problem:
        report(
            error(
                "wrong-example", example.span, f'"{calculator.slug}" cannot take this: {problem}', "", related, subject
            )
        )
        return
    except CalculationError as problem:
        message = f'"{calculator.slug}" has no result for this: {problem.message}'
        report(error("wrong-example", example.span, message, "", related, subject))
        return
    if not equals_expected(result, example.result):
        actual = format_literal(to_plain_value(result))
        message = f'"{calculator.slug}" gives {actual} here, not {format_literal(example.result)}'
        hint = "correct the formula; if the text is wrong, write its number under `printed`"
        if isinstance(result, float) and isinstance(example.result, float) and abs(result - example.result) < 0.01:
            rounded = f"{100 * example.result:.6g} %"
            hint = f"if the text rounds, write the rounded number: result: {rounded}; otherwise {hint}"
        report(error("wrong-example", example.span, message, hint, related, subject))

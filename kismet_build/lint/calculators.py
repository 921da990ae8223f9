"""Checks that calculators agree with worked examples and with tables in the text."""

from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Any

from kismet_build.config.calculator import formula_span
from kismet_build.mechanics.calculator import Agreement, Calculator, Example
from kismet_build.mechanics.calculator.calculation import CalculationError, calculate, equals_expected, resolve_inputs
from kismet_build.mechanics.formula.values import to_plain_value
from kismet_build.mechanics.inputs import InputError, format_literal
from kismet_build.model.diagnostic import Related, Report, error, warning
from kismet_build.pack import Entity, Pack, calculator_subject


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


def wrong_figure(pack: Pack, report: Report) -> None:
    """Report each wrong number of a worked example that the text still prints."""
    for calculator in pack.game.calculators.values():
        for example in calculator.examples:
            printed = pack.misprint(example)
            if printed is None:
                continue
            result = format_literal(example.result)
            message = f'the text says {format_literal(printed)} here, but its rule "{calculator.title}" gives {result}'
            related = (Related(example.span, "the worked example"),)
            span = pack.cited[example.citation.span].span
            report(warning("wrong-figure", span, message, f"write {result}", related))


MAX_VALUES = 10_000
"""Maximum number of input values compared for one entity."""


def table_disagrees(pack: Pack, report: Report) -> None:
    """Report every entity whose field differs from the result of a calculator, and agreements that compare nothing."""
    for calculator in pack.game.calculators.values():
        for agreement in calculator.agreements:
            entities = pack.entities[agreement.kind]
            compared = [_compare(pack, calculator, agreement, entity, report) for entity in entities]
            if entities and not any(compared):
                kind = pack.game.kinds[agreement.kind]
                message = f'"{calculator.slug}" is not compared with any {kind.title}: none has all of these fields'
                report(error("table-disagrees", agreement.span, message, subject=calculator_subject(calculator)))


def _compare(pack: Pack, calculator: Calculator, agreement: Agreement, entity: Entity, report: Report) -> bool:
    """Report the first value that disagrees. Returns whether any value was compared."""
    expected = _field(entity, agreement.result)
    is_compared = False
    for given in _inputs(agreement, entity):
        if expected is None:
            break
        is_compared = True
        try:
            values = resolve_inputs(pack.records, calculator, {**agreement.given, **given})
            result = to_plain_value(calculate(pack.records, calculator, values).result)
        except (InputError, CalculationError) as problem:
            outcome = f"has no result ({problem})"
        else:
            if _agrees(result, expected):
                continue
            outcome = f"gives {format_literal(result)}"
        inputs = ", ".join(f"{name} {format_literal(value)}" for name, value in given.items())
        field = f'"{agreement.result}" of "{entity.name}"'
        message = f'{field} is {_in_words(expected)}, but "{calculator.slug}" {outcome} for {inputs}'
        place = entity.span_of(agreement.result)
        related = (Related(agreement.span, "this says that they agree"),)
        report(error("table-disagrees", place, message, "", related, calculator_subject(calculator)))
        break
    return is_compared


def _inputs(agreement: Agreement, entity: Entity) -> Iterator[Mapping[str, Any]]:
    """Inputs of the calculator from the fields of an entity: each number of a range, each item of a list."""
    fields = [_field(entity, field) for field in agreement.inputs.values()]
    if not any(field is None for field in fields):
        for values in islice(product(*map(_single_values, fields)), MAX_VALUES):
            yield dict(zip(agreement.inputs, values, strict=True))


def _field(entity: Entity, field: str) -> Any:
    """The value of a field or of a part of a field, such as `good.bonus`; `None` if it is missing."""
    value: Any = {**entity.fields, "id": entity.id, "slug": entity.slug, "name": entity.name}
    for name in field.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _single_values(value: Any) -> Iterator[Any]:
    match value:
        case {"min": low, "max": None}:
            yield low  # an open range has no end, so compare its first number
        case {"min": low, "max": high}:
            yield from range(low, min(high, low + MAX_VALUES) + 1)
        case list():
            yield from value
        case _:
            yield value


def _agrees(result: Any, expected: Any) -> bool:
    match expected:
        case {"min": low, "max": high}:
            return isinstance(result, int | float) and low <= result and (high is None or result <= high)
        case _:
            return equals_expected(result, expected)


def _in_words(value: Any) -> str:
    match value:
        case {"min": low, "max": None}:
            return f"{low} or more"
        case {"min": low, "max": high}:
            return f"{low} to {high}"
        case _:
            return format_literal(value)

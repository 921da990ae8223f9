"""A table of the text that gives other values than the calculator."""

from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Any

from kismet_build.mechanics.calculator import Agreement, Calculator, shown
from kismet_build.mechanics.calculator.calculation import (
    CalculationError,
    InputError,
    calculate,
    is_same,
    plain,
    values_of,
)
from kismet_build.model.diagnostic import Related, Report, error
from kismet_build.pack import Entity, Pack

MOST = 10_000
"""So many values of one entity are compared; a table that means it has far fewer."""


def table_disagrees(pack: Pack, report: Report) -> None:
    """Report every entity whose field is not what the calculator gives, and agreements that compare nothing."""
    for calculator in pack.game.calculators.values():
        for agreement in calculator.agreements:
            entities = pack.entities[agreement.kind]
            compared = [_compare(pack, calculator, agreement, entity, report) for entity in entities]
            if entities and not any(compared):
                kind = pack.game.kinds[agreement.kind]
                message = f'"{calculator.slug}" is compared with no {kind.title}: none has all of these fields'
                report(error("table-disagrees", agreement.span, message))


def _compare(pack: Pack, calculator: Calculator, agreement: Agreement, entity: Entity, report: Report) -> bool:
    """Whether there was something to compare; the first value that disagrees is reported."""
    wanted = _field(entity, agreement.result)
    compared = False
    for given in _values(agreement, entity):
        if wanted is None:
            break
        compared = True
        try:
            values = values_of(pack.records, calculator, {**agreement.given, **given})
            result = plain(calculate(pack.records, calculator, values).result)
        except (InputError, CalculationError) as problem:
            said = f"has no result ({problem})"
        else:
            if _agrees(result, wanted):
                continue
            said = f"gives {shown(result)}"
        told = ", ".join(f"{name} {shown(value)}" for name, value in given.items())
        message = (
            f'"{agreement.result}" of "{entity.name}" is {_said(wanted)}, but "{calculator.slug}" {said} for {told}'
        )
        place = entity.place_of(agreement.result)
        report(error("table-disagrees", place, message, "", (Related(agreement.span, "the table must agree here"),)))
        break
    return compared


def _values(agreement: Agreement, entity: Entity) -> Iterator[Mapping[str, Any]]:
    """The inputs that an entity stands for: of a range every whole number, of a list every entry."""
    fields = [_field(entity, field) for field in agreement.inputs.values()]
    if not any(field is None for field in fields):
        for values in islice(product(*map(_each, fields)), MOST):
            yield dict(zip(agreement.inputs, values, strict=True))


def _field(entity: Entity, field: str) -> Any:
    """A field of an entity, or a part of one, as in `good.bonus`; `None` where it has none."""
    value: Any = {**entity.fields, "id": entity.id, "slug": entity.slug, "name": entity.name}
    for name in field.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _each(value: Any) -> Iterator[Any]:
    match value:
        case {"min": low, "max": None}:
            yield low  # of a range without an end the first number speaks for all
        case {"min": low, "max": high}:
            yield from range(low, min(high, low + MOST) + 1)
        case list():
            yield from value
        case _:
            yield value


def _agrees(result: Any, wanted: Any) -> bool:
    match wanted:
        case {"min": low, "max": high}:
            return isinstance(result, int | float) and low <= result and (high is None or result <= high)
        case _:
            return is_same(result, wanted)


def _said(value: Any) -> str:
    match value:
        case {"min": low, "max": None}:
            return f"{low} or more"
        case {"min": low, "max": high}:
            return f"{low} to {high}"
        case _:
            return shown(value)

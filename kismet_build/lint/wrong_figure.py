"""`wrong-figure`: a worked example in the text has a number that differs from the result of its rule."""

from kismet_build.mechanics.inputs import format_literal
from kismet_build.model.diagnostic import Related, Report, warning
from kismet_build.pack import Pack


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

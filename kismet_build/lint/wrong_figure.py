"""`wrong-figure`: a number in a worked example of the text that its own rule does not give."""

from kismet_build.mechanics.calculator import format_literal
from kismet_build.model.diagnostic import Related, Report, warning
from kismet_build.pack import Pack


def wrong_figure(pack: Pack, report: Report) -> None:
    """Report every worked example that prints another number than the rule gives, unless the text was corrected."""
    for calculator in pack.game.calculators.values():
        for example in calculator.examples:
            printed = pack.misprint(example)
            if printed is None:
                continue
            result = format_literal(example.result)
            message = (
                f'the text says {format_literal(printed)} here, where its rule "{calculator.title}" gives {result}'
            )
            related = (Related(example.span, "the worked example"),)
            span = pack.cited[example.citation.span].span
            report(warning("wrong-figure", span, message, f"write {result}", related))

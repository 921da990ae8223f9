"""Run the Liquid of a text for Jekyll, as far as its result does not depend on other pages."""

from kismet_build.model.diagnostic import Report
from kismet_build.model.source import Source
from kismet_build.parse.composition import Inputs
from kismet_build.parse.liquid.render import render


def expand_liquid(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace the Liquid of a text by what it shows. Without Liquid, returns the same source.

    Words are not lost: a condition that only Jekyll can decide shows its first branch, and an unknown loop its content
    once. Anything else that is unknown is left out and reported.
    """
    has_tags = "{%" in source.text or "{{" in source.text
    return render(source, inputs, report) if has_tags else source

"""Run the Liquid in a text for Jekyll, except for tags and values that depend on other pages."""

from kismet_build.model.diagnostic import Report
from kismet_build.model.source import Source
from kismet_build.parse.composition import Inputs
from kismet_build.parse.liquid.render import render


def expand_liquid(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace the Liquid in a text by its output. Returns the same source if the text has no Liquid.

    No words of the text are lost: a condition that only Jekyll can decide shows its first branch, and a loop over
    unknown values shows its content once. Any other unknown value or tag is left out and reported.
    """
    has_tags = "{%" in source.text or "{{" in source.text
    return render(source, inputs, report) if has_tags else source

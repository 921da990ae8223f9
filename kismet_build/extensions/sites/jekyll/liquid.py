"""Run the Liquid in texts of Jekyll, as far as its result does not depend on other pages."""

from kismet_build.extensions.sites.jekyll.site import variables_of_jekyll
from kismet_build.extensions.sites.shared.templates.render import render
from kismet_build.extensions.sites.shared.templates.template import Language, tokens_of_liquid
from kismet_build.extensions.sites.shared.templates.values import is_something
from kismet_build.model.diagnostic import Report
from kismet_build.model.source import Source
from kismet_build.parse.composition import Inputs

LIQUID = Language(
    "Liquid",
    tokens_of_liquid,
    variables_of_jekyll,
    is_something,
    includes=("include", "include_cached", "include_relative"),
    is_strict=False,
)


def expand_liquid(source: Source, inputs: Inputs, report: Report) -> Source:
    """Replace the Liquid in a text by its output. Returns the same source if the text has no Liquid.

    A condition that only Jekyll can decide counts as true, and a loop over unknown values shows its content once. Any
    other unknown value or tag is left out and reported.
    """
    has_tags = "{%" in source.text or "{{" in source.text
    return render(source, inputs, report, LIQUID) if has_tags else source

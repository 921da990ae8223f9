"""`nested-link`: a link inside the label of another link."""

from kismet_build.model.diagnostic import Diagnostic, warning
from kismet_build.model.source import Span


def nested_link(span: Span, target: str) -> Diagnostic:
    """The diagnostic for a link inside another link: its words lead to the target of the outer link."""
    message = f"this link is inside another link, so it does not lead to {target}"
    return warning("nested-link", span, message, "write one link after the other")

"""What the parsers of all dialects know of links."""

from kismet_build.model.diagnostic import Diagnostic, warning
from kismet_build.model.source import Span

VIDEO_ADDRESSES = {"youtube": "https://www.youtube.com/watch?v=", "vimeo": "https://vimeo.com/"}
"""The start of a video's address by its service. The rest is the id of the video."""


def nested_link(span: Span, target: str) -> Diagnostic:
    """The diagnostic for a link inside another link: its words lead to the target of the outer link."""
    message = f"this link is inside another link, so it does not lead to {target}"
    return warning("nested-link", span, message, "write one link after the other")

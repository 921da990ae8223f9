"""Escape text for HTML."""

import re

from markupsafe import Markup

HYPHEN_AS_MINUS = re.compile(r"(?<![\w.\-–—/=&#%+@])-(?=\d)")
"""A hyphen that is a minus sign: before a number, and not in a range, date, address or name."""


def escaped(text: str) -> str:
    """Text escaped for elements and double-quoted attributes, as CommonMark renderers do it."""
    # Most text needs no escaping, and this check is faster than the replacements.
    if "&" in text or "<" in text or ">" in text or '"' in text:
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return text


def with_minus(text: str) -> str:
    """Text with minus signs instead of hyphens in negative numbers."""
    return HYPHEN_AS_MINUS.sub("−", text) if "-" in text else text


def attribute(name: str, value: str) -> str:
    """An HTML attribute after a space; empty if its value is empty."""
    return f' {name}="{escaped(value)}"' if value else ""


def link_html(address: str, text: str) -> Markup:
    """A link."""
    return Markup('<a href="{}">{}</a>').format(address, text)

"""Escape text for HTML."""

from markupsafe import Markup


def escaped(text: str) -> str:
    """Text escaped for elements and double-quoted attributes, as CommonMark renderers do it."""
    # Usually nothing needs escaping, and the check takes half the time of the replacements.
    if "&" in text or "<" in text or ">" in text or '"' in text:
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return text


def jinja_escaped(text: str) -> str:
    """Text escaped as templates do it, with both kinds of quotes."""
    if "&" in text or "<" in text or ">" in text or '"' in text or "'" in text:
        plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return plain.replace('"', "&#34;").replace("'", "&#39;")
    return text


def attribute(name: str, value: str) -> str:
    """An attribute after a space; empty if its value is empty."""
    return f' {name}="{escaped(value)}"' if value else ""


def link_html(address: str, text: str) -> Markup:
    """A link."""
    return Markup('<a href="{}">{}</a>').format(address, text)

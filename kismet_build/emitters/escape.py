"""Spell words so that a browser reads them as words."""

from markupsafe import Markup, escape


def escaped(text: str) -> str:
    """Words as HTML, in a text and in attributes between double quotes alike."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def attribute(name: str, words: str) -> str:
    """An attribute of an element, after a space; nothing where there are no words."""
    return f' {name}="{escaped(words)}"' if words else ""


def linked(address: str, words: str) -> Markup:
    """Words that lead to an address."""
    return Markup(f'<a href="{escape(address)}">{escape(words)}</a>')

"""Spell words so that a browser reads them as words."""

from markupsafe import Markup, escape


def escaped(text: str) -> str:
    """Words as HTML, in a text and in attributes between double quotes alike."""
    # Mostly there is nothing to spell otherwise, and asking takes half the time of replacing.
    if "&" in text or "<" in text or ">" in text or '"' in text:
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return text


def quoted(text: str) -> str:
    """Words as HTML, both kinds of quotes spelled, as templates do it."""
    if "&" in text or "<" in text or ">" in text or '"' in text or "'" in text:
        plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return plain.replace('"', "&#34;").replace("'", "&#39;")
    return text


def shown(value: object) -> str:
    """What stands in a template, as HTML: what `escape` says, as mere words, which are made in half the time."""
    kind = type(value)
    if kind is str:
        return quoted(value)  # type: ignore[arg-type]
    return value if kind is Markup else escape(value)  # type: ignore[return-value]


def attribute(name: str, words: str) -> str:
    """An attribute of an element, after a space; nothing where there are no words."""
    return f' {name}="{escaped(words)}"' if words else ""


def linked(address: str, words: str) -> Markup:
    """Words that lead to an address."""
    return Markup(f'<a href="{quoted(address)}">{quoted(words)}</a>')

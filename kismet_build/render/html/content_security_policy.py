"""What a page may load and run: its Content-Security-Policy, told by a meta tag because any host can serve the tree."""

from markupsafe import Markup

HERE = "'self' file:"
"""The place of the page. Not every browser counts files of a folder as `'self'`; on a server `file:` allows nothing."""

RULES = {
    "default-src": "'none'",
    # Search is compiled to WebAssembly; that allows no text to be run as a script.
    "script-src": f"{HERE} 'wasm-unsafe-eval'",
    "style-src": HERE,
    "font-src": HERE,
    # Authors may show pictures from elsewhere, and small ones that stand in the address itself.
    "img-src": f"{HERE} data: https: http:",
    "connect-src": HERE,
    "worker-src": HERE,
    "manifest-src": HERE,
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": HERE,
}


def policy(base: bool = False) -> Markup:
    """The policy of a page; `base` for one that says itself where its links start, as it is shown at any address."""
    rules = {**RULES, "base-uri": "'self'"} if base else RULES
    return Markup("; ".join(f"{name} {sources}" for name, sources in rules.items()))


POLICY = policy()
"""The policy of all other pages."""

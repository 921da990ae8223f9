"""Content Security Policy of the pages, as a meta element because the site must work on any host."""

from markupsafe import Markup

SELF = "'self' file:"
"""The site's own files. On `file:` not every browser counts them as `'self'`; on a server `file:` allows nothing."""

DIRECTIVES = {
    "default-src": "'none'",
    # Search is WebAssembly. This source does not allow `eval` of text.
    "script-src": f"{SELF} 'wasm-unsafe-eval'",
    "style-src": SELF,
    "font-src": SELF,
    # Authors may show images from other sites and small ones as data URLs.
    "img-src": f"{SELF} data: https: http:",
    "connect-src": SELF,
    "worker-src": SELF,
    "manifest-src": SELF,
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": SELF,
}


def policy(base: bool = False) -> Markup:
    """The policy of a page; `base` allows a `<base>` element, for pages that are served at any address."""
    directives = {**DIRECTIVES, "base-uri": "'self'"} if base else DIRECTIVES
    return Markup("; ".join(f"{name} {sources}" for name, sources in directives.items()))


POLICY = policy()
"""The policy of pages without a `<base>` element."""

"""Content Security Policy of the pages, as a `<meta>` element because the website must work on any host.

docs/decisions/0016-active-content.md explains why images may come from anywhere.
"""

from collections.abc import Iterable

from markupsafe import Markup

NONE = "'none'"
SELF = "'self' file:"
"""The website's own files. On `file:`, not every browser counts them as `'self'`. On a server, `file:` allows
nothing."""

DIRECTIVES = {
    "default-src": NONE,
    # Search uses WebAssembly. `wasm-unsafe-eval` does not allow `eval` of JavaScript.
    "script-src": f"{SELF} 'wasm-unsafe-eval'",
    "style-src": SELF,
    "font-src": SELF,
    # Authors may show images from other websites, and small ones as data URLs.
    "img-src": f"{SELF} data: https: http:",
    "connect-src": SELF,
    "worker-src": SELF,
    "manifest-src": SELF,
    "object-src": NONE,
    "base-uri": NONE,
    "form-action": SELF,
}


def policy(allowed: Iterable[tuple[str, str]] = (), base: bool = False) -> Markup:
    """The policy of a page.

    `allowed`: directives with additional sources allowed by the author. `base`: whether to allow a `<base>` element,
    for pages served at any address.
    """
    directives = {**DIRECTIVES, "base-uri": "'self'"} if base else dict(DIRECTIVES)
    for name, sources in allowed:
        directives[name] = f"{directives.get(name, '').replace(NONE, '')} {sources}".strip()
    return Markup("; ".join(f"{name} {sources}" for name, sources in directives.items()))


POLICY = policy()
"""The policy of pages without additional sources."""

"""`https://example.org` and `www.example.org`: automatic links."""

import re

from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser, parse_state

STOP = r"(?<![A-Za-z0-9/_.@-])(?:[hH][tT][tT][pP][sS]?://|[wW]{3}\.)"

BARE = re.compile(r"(?:https?://|www\.)(?P<host>[\w-]+(?:\.[\w-]+)+)(?:(?!\][(\[])[^\s<])*", re.IGNORECASE)
"""An address, up to `](` or `][`: in `[https://a.org](https://a.org)`, the first address is the text of a link."""

TRAILING = re.compile(r"""(?:[?!.,:;*_~'"\]|>“”„‘’‚«»‹›…、。]|&[A-Za-z0-9]+;)+$""")
"""Punctuation at the end of an address that belongs to the sentence."""


def bare_address(parser: Parser) -> None:
    """Add the rule."""
    parser.add_inline("hHwW", "bare_address", _parse_address, before="link", stop=STOP, signs=("://", "www."))


def _parse_address(state: StateInline, silent: bool) -> bool:
    match = BARE.match(state.src, state.pos, state.posMax)
    if match is None or state.linkLevel:
        return False
    if state.pos and re.match(r"[A-Za-z0-9/_.@-]", state.src[state.pos - 1]):
        return False
    if "_" in "".join(match["host"].split(".")[-2:]):
        return False
    address = _without_punctuation(match[0])
    if not silent:
        protocol = parse_state(state).options.get("www_protocol", "http")
        with_scheme = address if "://" in address[:8] else f"{protocol}://{address}"
        token = state.push("link_open", "a", 1)
        token.attrs = {"href": with_scheme}
        token.info = "auto"
        state.push("text", "", 0).content = address
        state.push("link_close", "a", -1)
    state.pos += len(address)
    return True


def _without_punctuation(address: str) -> str:
    """An address without punctuation that belongs to the sentence around it."""
    while True:
        bare = TRAILING.sub("", address)
        if bare.endswith(")") and bare.count(")") > bare.count("("):
            bare = bare[:-1]
        if bare == address:
            return bare
        address = bare

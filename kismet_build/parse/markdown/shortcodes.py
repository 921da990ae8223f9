"""The shortcodes of Hugo in a text, `{{< name "argument" key="value" >}}`, each with its closing shortcode."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

SHORTCODE = re.compile(
    r"\{\{[<%]\s*(?P<closes>/)?\s*(?P<name>\w[\w./-]*)(?P<arguments>(?:\s(?>(?:"
    r"""\"(?>(?:[^"\\]|\\.)*)\"|`[^`]*+`|[^"`{}>%]|[>%](?!\}\}))*))?)[>%]\}\}""",
    re.DOTALL,
)
ARGUMENT = re.compile(
    r"""(?:(?P<key>[\w-]+)\s*=\s*)?(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|`(?P<raw>[^`]*)`|(?P<bare>[^\s"`=]+))"""
)
ESCAPED = re.compile(r"\{\{(?P<open>[<%])/\*(?P<words>[^{}]*?)\*/(?P<close>[>%])\}\}")
"""An escaped shortcode, which is shown as text."""
CODE_FENCE = re.compile(r"^[ \t>]*(?:[-*+][ \t]+)?(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)", re.MULTILINE)


@dataclass(slots=True)
class Shortcode:
    """One shortcode in a text: an opening mark, a closing mark, or a mark alone."""

    name: str
    start: int
    end: int
    closes: bool
    """Whether this is a closing mark."""
    arguments: tuple[tuple[int, int], ...]
    """The ranges of the arguments without a key, in the source."""
    named: Mapping[str, tuple[int, int]]
    """The ranges of the arguments with a key, by key."""
    partner: "Shortcode | None" = None
    """The closing mark of an opening mark, or the opening mark of a closing mark."""

    def argument(self, *keys: str, place: int | None = None) -> tuple[int, int] | None:
        """The range of the argument with one of these keys, or else of the argument without a key at this place."""
        for key in keys:
            if key in self.named:
                return self.named[key]
        return self.arguments[place] if place is not None and place < len(self.arguments) else None


def find_shortcodes(text: str) -> dict[int, Shortcode]:
    """The shortcodes outside code blocks, by their offset in the text."""
    codes: dict[int, Shortcode] = {}
    opened: dict[str, list[Shortcode]] = {}
    for match in _outside_code(text) if "{{" in text else ():
        code = _shortcode(match)
        codes[code.start] = code
        if code.closes:
            if others := opened.get(code.name):
                code.partner = others.pop()
                code.partner.partner = code
        elif not match["arguments"].endswith("/"):
            opened.setdefault(code.name, []).append(code)
    return codes


def without_escapes(code: str) -> str:
    """Code with escaped shortcodes replaced by the shortcodes that they show."""
    return ESCAPED.sub(r"{{\g<open>\g<words>\g<close>}}", code) if "/*" in code else code


def _outside_code(text: str) -> Iterator[re.Match[str]]:
    fences = list(code_blocks(text))
    starts = [start for start, _ in fences]
    for match in SHORTCODE.finditer(text):
        index = bisect_right(starts, match.start()) - 1
        if index < 0 or match.start() >= fences[index][1]:
            yield match


def _shortcode(match: re.Match[str]) -> Shortcode:
    places: list[tuple[int, int]] = []
    named: dict[str, tuple[int, int]] = {}
    offset = match.start("arguments")
    for argument in ARGUMENT.finditer(match["arguments"].rstrip().removesuffix("/")):
        group = argument.lastgroup or "bare"
        place = (argument.start(group) + offset, argument.end(group) + offset)
        if argument["key"]:
            named[argument["key"].casefold()] = place
        else:
            places.append(place)
    return Shortcode(match["name"], *match.span(), bool(match["closes"]), tuple(places), named)


def code_blocks(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of code blocks between fences."""
    opening: re.Match[str] | None = None
    for match in CODE_FENCE.finditer(text):
        if opening is None:
            opening = match if match["fence"][0] == "~" or "`" not in match["info"] else None
        elif match["fence"].startswith(opening["fence"]) and not match["info"].strip():
            yield opening.start(), match.end()
            opening = None
    if opening is not None:
        yield opening.start(), len(text)

"""Rules that the dialects of several site generators share."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.dialects import COMMONMARK, RESIDUES, Dialect, Rule
from kismet_build.parse.markdown.parser import Parser, parse_state
from kismet_build.parse.markdown.rules.box import INTERRUPTS, line_text
from kismet_build.parse.markdown.rules.lists import task
from kismet_build.parse.markdown.rules.math import (
    double_backslash_math,
    double_dollar_math,
    math,
)
from kismet_build.parse.markdown.rules.table import table

# --- emojis and icons by name: `:smile:`

CODE = re.compile(
    r":(?<![\w:]:)(?P<name>(?P<icon>(?:material|fontawesome|octicons|simple)-)?[a-z\d+-][a-z\d_+-]*):(?![\w:])"
    r"(?P<attributes>\{[^{}\n]*\})?"
)
FIRST_SYMBOL = 0x2190
"""The first character that can be an emoji: the arrows. Symbols before it are ordinary text."""
FIRST_COLOURED = 0x1F000
"""The first character that is always shown as an emoji. Characters before it need the variation selector."""
EMOJI_SELECTOR = "\ufe0f"
OTHER_NAMES = {
    "+1": "👍",
    "apple": "🍎",
    "-1": "👎",
    "thumbsup": "👍",
    "thumbsdown": "👎",
    "smile": "😄",
    "smiley": "😃",
    "grin": "😁",
    "joy": "😂",
    "laughing": "😆",
    "wink": "😉",
    "wave": "👋",
    "clap": "👏",
    "muscle": "💪",
    "raised_hand": "✋",
    "raising_hand": "🙋",
    "man_raising_hand": "🙋\u200d♂️",
    "woman_raising_hand": "🙋\u200d♀️",
    "pray": "🙏",
    "ok_hand": "👌",
    "angry": "😠",
    "confused": "😕",
    "heart_eyes": "😍",
    "dart": "🎯",
    "stop_sign": "🛑",
    "hourglass_flowing_sand": "⏳",
    "house": "🏠",
    "blush": "😊",
    "cry": "😢",
    "sob": "😭",
    "rage": "😡",
    "scream": "😱",
    "thinking": "🤔",
    "sunglasses": "😎",
    "heart": "❤",
    "broken_heart": "💔",
    "star": "⭐",
    "star2": "🌟",
    "zap": "⚡",
    "boom": "💥",
    "tada": "🎉",
    "bulb": "💡",
    "book": "📖",
    "question": "❓",
    "exclamation": "❗",
    "warning": "⚠",
    "information_source": "ℹ",
    "x": "❌",
    "white_check_mark": "✅",
    "heavy_check_mark": "✔",
    "no_entry_sign": "🚫",
    "moneybag": "💰",
    "gem": "💎",
    "dagger": "🗡",
    "knife": "🔪",
    "gun": "🔫",
    "bow_and_arrow": "🏹",
    "wolf": "🐺",
    "bear": "🐻",
    "horse": "🐴",
    "point_right": "👉",
    "point_left": "👈",
    "arrow_right": "➡",
    "arrow_left": "⬅",
    "arrow_up": "⬆",
    "arrow_down": "⬇",
    "sunny": "☀",
    "moon": "🌔",
    "construction": "🚧",
    "link": "🔗",
    "email": "✉",
    "pencil2": "✏",
    "mag": "🔍",
    "mag_right": "🔎",
    "bangbang": "‼",
    "grey_question": "❔",
    "ocean": "🌊",
    "red_circle": "🔴",
    "leaves": "🍃",
    "beer": "🍺",
    "beers": "🍻",
    "arrow_forward": "▶",
    "arrow_backward": "◀",
    "recycle": "♻",
    "100": "💯",
    "boat": "⛵",
    "unicorn": "🦄",
    "alien": "👽",
    "robot": "🤖",
    "tornado": "🌪",
    "full_moon": "🌕",
    "new_moon": "🌑",
    "lock": "🔒",
    "key": "🔑",
}
"""Emoji whose common name differs from their Unicode name."""


def icon(parser: Parser) -> None:
    """`:dragon:`: an emoji by its name; icons, such as `:material-sword:`, are left out."""
    parser.add_inline(":", "icon", _parse_code, before="link", stop=r":(?=[\w+-]+:)", signs=(":",))


def _parse_code(state: StateInline, silent: bool) -> bool:
    match = CODE.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    emoji = "" if match["icon"] else _emoji(match["name"])
    if not emoji and not match["icon"]:
        return False
    end = match.end()
    if not emoji and (not state.pos or state.src[state.pos - 1].isspace()):
        while end < state.posMax and state.src[end] in " \t":
            end += 1
    if not silent:
        if state.pending:
            state.pushPending()
        if emoji:
            state.push("replaced", "", 0).content = emoji
            state.tokens[-1].map = [state.pos, match.end()]
    state.pos = end
    return True


def _emoji(name: str) -> str:
    try:
        emoji = OTHER_NAMES.get(name) or unicodedata.lookup(re.sub("[_-]", " ", name))
    except KeyError:
        return ""
    is_symbol = name in OTHER_NAMES or (unicodedata.category(emoji[0]) == "So" and ord(emoji[0]) >= FIRST_SYMBOL)
    if not is_symbol:
        return ""
    return emoji if ord(emoji[0]) >= FIRST_COLOURED else emoji + EMOJI_SELECTOR


# --- symbols typed as several characters: `(c)` in `pymdownx.smartsymbols`, `--` and `<<` in kramdown and Goldmark
#
# Ordinal numbers, which the extension raises, and quotation marks stay as typed: they are often a part of a name.

SYMBOLS = {
    **{"(tm)": "™", "(c)": "©", "(r)": "®", "+/-": "±", "=/=": "≠", "c/o": "℅"},
    **{"-->": "→", "<--": "←", "<-->": "↔", "---": "—", "--": "–", "...": "…", "<<": "«", ">>": "»"},
    **{"1/4": "¼", "1/2": "½", "3/4": "¾", "1/3": "⅓", "2/3": "⅔", "1/5": "⅕", "2/5": "⅖", "3/5": "⅗", "4/5": "⅘"},
    **{"1/6": "⅙", "5/6": "⅚", "1/8": "⅛", "3/8": "⅜", "5/8": "⅝", "7/8": "⅞"},
}
SYMBOL = re.compile(
    r"\((?:tm|c|r)\)|\+/-|=/=|\bc/o\b|<-->|(?<!-)-->|<--(?!-)|(?<!\d)(?:[123]/4|[1-4]/5|[12]/3|[15]/6|[1357]/8|1/2)(?!\d)"
)
STARTS = "(+=c<-123457"
STOP = rf"(?=[{re.escape(STARTS)}])(?:{SYMBOL.pattern})"
DASHES_AND_DOTS = re.compile(r"---?|\.\.\.")
TYPOGRAPHY = re.compile(r"---?|\.\.\.|<<|>>")


def smart_symbols(parser: Parser) -> None:
    """Add the rule of the extension."""
    signs = ("/", "--", "(tm)", "(c)", "(r)")
    rule = partial(_parse_symbol, SYMBOL)
    parser.add_inline(STARTS, "smart_symbols", rule, before="link", stop=STOP, signs=signs)


def typographic_symbols(parser: Parser) -> None:
    """Add the rule for dashes, dots and angle quotes, as in Jekyll and Hugo."""
    signs = ("--", "...", "<<", ">>")
    stop = rf"(?=[-.<>])(?:{TYPOGRAPHY.pattern})"
    rule = partial(_parse_symbol, TYPOGRAPHY)
    parser.add_inline("-.<>", "typographic_symbols", rule, before="autolink", stop=stop, signs=signs)


def dashes_and_dots(parser: Parser) -> None:
    """Add the rule for dashes and dots, as in mdBook and the extension `smarty` of Python-Markdown."""
    rule = partial(_parse_symbol, DASHES_AND_DOTS)
    stop = rf"(?=[-.])(?:{DASHES_AND_DOTS.pattern})"
    parser.add_inline("-.", "dashes_and_dots", rule, before="autolink", stop=stop, signs=("--", "..."))


def _parse_symbol(pattern: re.Pattern[str], state: StateInline, silent: bool) -> bool:
    match = pattern.match(state.src, state.pos, state.posMax)
    symbol = SYMBOLS.get(match[0]) if match else None
    if match is None or symbol is None:
        return False
    if not silent:
        if state.pending:
            state.pushPending()
        token = state.push("replaced", "", 0)
        token.content, token.map = symbol, [*match.span()]
    state.pos = match.end()
    return True


# --- abbreviations: `*[HTML]: a language`

DEFINITION = re.compile(r"\*\[(?P<name>[^\[\]\\]+)\][ ]?:[ \t]*(?P<meaning>.*)")


def abbreviation(parser: Parser) -> None:
    """`*[pp.]: pages`: an abbreviation. The line is left out, and the meaning is added wherever the words are."""
    parser.add_block("abbreviation", _parse_definition, before="table", interrupts=INTERRUPTS, starts="*")


def _parse_definition(state: StateBlock, first: int, _end: int, silent: bool) -> bool:
    match = DEFINITION.fullmatch(line_text(state, first))
    if match is None or state.is_code_block(first) or not match["name"].strip():
        return False
    if not silent:
        parse_state(state).abbreviations.add(match["name"].strip(), match["meaning"].strip())
        state.line = first + 1
    return True


# --- the dialects

SHARED = COMMONMARK.plus(
    "shared",
    table,
    task,
    *RESIDUES,
    repairs=True,
    document_suffix=".md",
    task_marks=" xX",
    html_ids=True,
)
"""The rules shared by all site generators, and repairs of marks that other programs leave behind."""

OPTIONAL_RULES: Mapping[str, tuple[Rule, ...]] = {
    "emoji": (icon,),
    "math": (math,),
    "mathjax": (double_dollar_math, double_backslash_math),
    "smart_punctuation": (dashes_and_dots,),
}
"""The rules that are on if the option with this name is true."""


def with_options(dialect: Dialect, options: Mapping[str, Any]) -> Dialect:
    """The dialect with the optional rules that are on."""
    return _with_rules(dialect, tuple(name for name in OPTIONAL_RULES if options.get(name) is True))


@lru_cache(maxsize=64)
def _with_rules(dialect: Dialect, names: tuple[str, ...]) -> Dialect:
    """The dialect with optional rules; cached, because each dialect has a parser."""
    rules = (rule for name in names for rule in OPTIONAL_RULES[name])
    return dialect.plus(dialect.name, *rules) if names else dialect

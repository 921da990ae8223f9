"""`:dragon:`: an emoji by its name; icons, such as `:material-sword:`, are left out."""

import re
import unicodedata

from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser

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
    """Add the rule."""
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

"""What a language of texts asks of the compiler."""

COMMA_LANGUAGES = (
    "af bg bs ca cs da de el es et eu fi fo fr gl hr hu id is it lt lv mk nb nl nn no pl pt ro ru sk sl sq"
)
DECIMAL_COMMA_LANGUAGES = frozenset(f"{COMMA_LANGUAGES} sr sv tr uk".split())
"""Languages that write decimals after a comma, and thousands with points."""


def has_decimal_comma(language: str) -> bool:
    """Whether a language, as a BCP 47 tag, writes decimals after a comma."""
    return language.partition("-")[0] in DECIMAL_COMMA_LANGUAGES

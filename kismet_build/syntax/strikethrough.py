"""`~~words~~`: words struck out; markdown-it's own rule."""

from kismet_build.syntax.parser import Parser


def strikethrough(parser: Parser) -> None:
    """Switch the rule on."""
    parser.inline.ruler.enable("strikethrough")
    parser.inline.ruler2.enable("strikethrough")


def single_tilde(parser: Parser) -> None:
    """Take one tilde for two, as GitHub does."""
    parser.options["strikethrough_single_tilde"] = True


def double_tilde(parser: Parser) -> None:
    """Take only two tildes."""
    parser.options["strikethrough_single_tilde"] = False

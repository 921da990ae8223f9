"""`~~words~~`: strikethrough text, by markdown-it's own rule."""

from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser


def strikethrough(parser: Parser) -> None:
    """Enable the rule."""
    parser.inline.ruler.enable("strikethrough")
    parser.inline.ruler2.enable("strikethrough")
    parser.inline.ruler2.after("strikethrough", "tilde_places", _sort_positions)


def single_tilde(parser: Parser) -> None:
    """Accept one tilde as well as two, like GitHub."""
    parser.options["strikethrough_single_tilde"] = True


def double_tilde(parser: Parser) -> None:
    """Accept only two tildes."""
    parser.options["strikethrough_single_tilde"] = False


def _sort_positions(state: StateInline) -> None:
    """Sort the positions of tildes: if three tildes close, the rule moves the extra tilde after the closing mark."""
    for index, token in enumerate(state.tokens):
        if token.type != "text" or token.content != "~" or token.map is None:
            continue
        first = index
        while (
            first
            and state.tokens[first - 1].type == "s_close"
            and (state.tokens[first - 1].map or [0])[0] > token.map[0]
        ):
            first -= 1
        position = token.map[0]
        for close in state.tokens[first:index]:
            close.map = [position, position + len(close.markup)]
            position += len(close.markup)
        if first < index:
            token.map = [position, position + 1]

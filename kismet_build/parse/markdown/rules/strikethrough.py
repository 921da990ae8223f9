"""`~~words~~`: words struck out; markdown-it's own rule."""

from markdown_it.rules_inline import StateInline

from kismet_build.parse.markdown.parser import Parser


def strikethrough(parser: Parser) -> None:
    """Switch the rule on."""
    parser.inline.ruler.enable("strikethrough")
    parser.inline.ruler2.enable("strikethrough")
    parser.inline.ruler2.after("strikethrough", "tilde_places", _place)


def single_tilde(parser: Parser) -> None:
    """Take one tilde for two, as GitHub does."""
    parser.options["strikethrough_single_tilde"] = True


def double_tilde(parser: Parser) -> None:
    """Take only two tildes."""
    parser.options["strikethrough_single_tilde"] = False


def _place(state: StateInline) -> None:
    """Put places in order: of three closing tildes the rule moves the odd one behind the closing mark."""
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
        at = token.map[0]
        for moved in state.tokens[first:index]:
            moved.map = [at, at + len(moved.markup)]
            at += len(moved.markup)
        if first < index:
            token.map = [at, at + 1]

"""`likely-typo`: text that is published as typed, although its author very likely meant markup, dice or a date."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from kismet_build.model.diagnostic import Diagnosed, Related, warning
from kismet_build.model.nodes import BlockQuote, Callout, Code, CodeBlock, Document, Link, Paragraph, RawInline, walk
from kismet_build.model.source import Span
from kismet_build.model.suggestion import LIKE_DIGITS, is_typo

CALLOUTS = (
    *("note", "abstract", "summary", "tldr", "info", "todo", "tip", "hint", "important", "success", "check", "done"),
    *("question", "help", "faq", "warning", "caution", "attention", "failure", "fail", "missing", "danger", "error"),
    *("bug", "example", "quote", "cite", "secret", "infobox"),
)
"""The callouts that have a meaning. Authors may use any other word, too."""
LANGUAGES = ("statblock", "mermaid", "dataview", "dataviewjs")
"""Languages of code blocks that are not shown as code."""
MAX_USES = 2
"""Maximum number of callouts with a word for it to be a typo. A word that is used more often is the author's own."""
FACES = frozenset((2, 3, 4, 6, 8, 10, 12, 20, 30, 100))
LIKE_CALLOUT = re.compile(r"[ >]*\[(?:!\s+)?(\w+)\][+-]?(?: |$)", re.M)
"""The first line of a quote that lacks the sign of a callout, or has a space after it."""
CODE_OF_DICE = re.compile(r"\s*dice\s*(?:\s:|[;=.])\s*(\d*[dwDW][\d%][^\n]*|\[\[[^\n]*)")
"""Inline code that the plugin Dice Roller does not run because of one sign."""


class TypoMark(NamedTuple):
    """One place with a likely typo."""

    message: str
    hint: str
    span: Span
    callout: str = ""
    """The word, if this is a callout: a word that is used often is not a typo."""


class _Typo(NamedTuple):
    """A way of mistyping something in a paragraph."""

    pattern: re.Pattern[str]
    message: str
    hint: Callable[[re.Match[str]], str]
    """Makes the hint of a match. An empty hint means that the match is not a typo."""


def _meant(text: str) -> str:
    return f'did you mean "{text}"?'


def _expanded(template: str) -> Callable[[re.Match[str]], str]:
    return lambda match: _meant(match.expand(template))


def _dice(match: re.Match[str]) -> str:
    meant = match[0].translate(LIKE_DIGITS)
    faces = meant.lower().partition("d")[2]
    return _meant(meant) if meant != match[0] and faces.isdigit() and int(faces) in FACES else ""


TYPOS = (
    _Typo(re.compile(r"^[ >]*-(\[[ xX]\])", re.M), "a task needs a space after its dash", _expanded(r"- \1")),
    _Typo(
        re.compile(r"^[ >]*-(?P<item>[^\W\d_][^\n]*)(?:\n[ >]*-[^\W\d_][^\n]*)+", re.M),
        "the items of a list need a space after their dash",
        _expanded(r"- \g<item>"),
    ),
    _Typo(
        re.compile(r"(\[[^\[\]\n]+\]) (\((?:https?://[^()\s]+|[^()\s]+\.md)\))"),
        "there must be no space between the brackets of a link",
        _expanded(r"\1\2"),
    ),
    _Typo(
        re.compile(r"\(([^()\[\]\n]+)\)\[(https?://[^\[\]\s]+)\]"),
        "the brackets of this link are the wrong way round",
        _expanded(r"[\1](\2)"),
    ),
    _Typo(
        re.compile(r"!(\[[^\[\]\n]+\.(?:png|jpe?g|gif|svg|webp|avif|md)\])(?![\[(:\]])", re.I),
        "an embed needs two brackets on each side",
        _expanded(r"![\1]"),
    ),
    _Typo(
        re.compile(r"\[\[(?: *|\|[^\[\]\n]*)\]\]"),
        "this link has no target",
        lambda _: "write a name between [[ and ]]",
    ),
    _Typo(
        re.compile(r"&(nbsp|ndash|mdash|hellip|amp|lt|gt|quot)(?![\w;=])"),
        "this sign needs a semicolon at its end",
        _expanded(r"&\1;"),
    ),
    _Typo(
        re.compile(r"(?<![\w/.])(?:[lI]|\d{0,3})[dD](?=[\dOoIl]*\d)[\dOoIl]{1,3}(?!\w)"),
        "these dice are not rolled: a letter stands for a digit",
        _dice,
    ),
)
"""Typos in Markdown. Only the last, in dice, is also one in AsciiDoc."""
PROPERTIES = re.compile(r"\A(?:\s+---|[ \t]*[—–]-?|[ \t]*-[—–])[ \t]*\n(?:[\w -]+:(?: [^\n]*)?\n)+")
"""Properties below an empty line, or below a line of dashes that an editor has joined."""


def typo_marks(document: Document) -> Sequence[TypoMark]:
    """The likely typos of a document."""
    text = document.source.text
    found = [
        TypoMark(
            "properties count only if the text begins with ---",
            "begin the text with a line ---",
            document.source.span(*match.span()),
        )
        for match in PROPERTIES.finditer(text)
    ]
    typos = [typo for typo in (TYPOS if document.dialect != "asciidoc" else TYPOS[-1:]) if typo.pattern.search(text)]
    for node in document.nodes:
        match node:
            case Paragraph() if typos:
                found += _typos_in(node, typos)
            case Callout(kind=kind) if kind not in CALLOUTS and (close := _close(kind, CALLOUTS)):
                message = "Obsidian does not know this word for a callout"
                found.append(TypoMark(message, _meant(f"[!{close}]"), _first_line(node.span), kind))
            case CodeBlock(info=info) if (
                info
                and (language := info.split()[0].casefold()) not in LANGUAGES
                and (close := _close(language, LANGUAGES))
            ):
                message = "this block is shown as code"
                found.append(TypoMark(message, _meant(close), _first_line(node.span)))
            case BlockQuote(span=span) if (match := LIKE_CALLOUT.match(span.text)) and match[1].casefold() in CALLOUTS:
                found.append(TypoMark("this is read as a quotation", _meant(f"> [!{match[1]}]"), _first_line(span)))
            case Code() if match := CODE_OF_DICE.fullmatch(node.value):
                found.append(TypoMark("this code is not rolled", _meant(f"dice: {match[1].strip()}"), node.span))
            case _:
                pass
    return found


def likely_typo(of_documents: Mapping[str, Sequence[TypoMark]]) -> Diagnosed[None]:
    """Report each kind of typo once, with all places. `of_documents`: the `typo_marks` of each document."""
    marks = [*chain.from_iterable(of_documents.values())]
    callouts = Counter(mark.callout for mark in marks)
    found: dict[tuple[str, str], list[TypoMark]] = {}
    for mark in marks:
        if not mark.callout or callouts[mark.callout] <= MAX_USES:
            found.setdefault((mark.message, mark.callout), []).append(mark)
    return Diagnosed(
        None,
        tuple(
            warning(
                "likely-typo",
                first.span,
                message,
                first.hint,
                tuple(Related(mark.span, "also here") for mark in others),
            )
            for (message, _), (first, *others) in found.items()
        ),
    )


def _typos_in(paragraph: Paragraph, typos: Iterable[_Typo]) -> Iterator[TypoMark]:
    words, found = paragraph.span.text, []
    for typo in typos:
        for match in typo.pattern.finditer(words):
            if hint := typo.hint(match):
                start, end = (paragraph.span.start + offset for offset in match.span())
                found.append(TypoMark(typo.message, hint, paragraph.span.source.span(start, end)))
    # An address that is typed without brackets is a link, too.
    markup = [node.span for node in walk(paragraph) if isinstance(node, Code | RawInline | Link)] if found else ()
    markup = [span for span in markup if span.text[0] in "`<["]
    for mark in found:
        if not any(mark.span.start < span.end and span.start < mark.span.end for span in markup):
            yield mark


def _close(word: str, known: Sequence[str]) -> str:
    return next((meant for meant in known if is_typo(word, meant)), "")


def _first_line(span: Span) -> Span:
    return span.source.span(span.start, span.start + len(span.text.split("\n", 1)[0]))

"""Patterns of lines that begin something other than a paragraph."""

import re

SECTION = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:(?<![ \t])[ \t]+\1)?")
UNDERLINES = {"=": 1, "-": 2, "~": 3, "^": 4, "+": 5}
ATTRIBUTES = re.compile(r"\[(?:(|[\w.#%{,\"'].*)|\[(?:|([^\W\d][\w:.-]*)(?:, *(.+))?)\])\]")
"""`[style, name=value]`, with the content in group 1, or `[[id, link text]]` in groups 2 and 3."""
TITLE = re.compile(r"\.(\.?[^ \t.].*)")
DELIMITER = re.compile(
    r"={4,}|\*{4,}|_{4,}|-{4,}|\.{4,}|\+{4,}|/{4,}|--|```+[ \t]*[\w+#.-]*(?:,[\w,+-]*)?|~~~~+|[|,:!]={3,}"
)
COMMENT_FENCE = re.compile(r"/{4,}")
"""The line above and below a comment of several lines."""
ADMONITION = re.compile(r"(NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+")
ADMONITIONS = frozenset(("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"))
CALLOUT_ROLES = frozenset(("question",))
"""Roles used as the kind of an admonition: AsciiDoc has no style for a box with an open question about the rules."""
THEMATIC_BREAK = re.compile(r"'{3,}|([-*_])( *)\1\2\1")
PAGE_BREAK = re.compile(r"<{3,}")
MACRO = re.compile(r"(\w[\w-]*)::(\S*|\S.*?\S)\[(.*)\]")
DIRECTIVES = frozenset(("ifdef", "ifndef", "ifeval", "endif", "include"))
"""Names of the directives of the preprocessor. An escaped directive remains in the text as plain text."""


def is_comment(text: str) -> bool:
    """Whether a line is a comment."""
    return text.startswith("//") and not text.startswith("///")

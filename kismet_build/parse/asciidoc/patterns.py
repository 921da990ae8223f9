"""How lines begin that are more than running text."""

import re

SECTION = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?")
UNDERLINES = {"=": 1, "-": 2, "~": 3, "^": 4, "+": 5}
ATTRIBUTES = re.compile(r"\[(?:(|[\w.#%{,\"'].*)|\[(?:|([^\W\d][\w:.-]*)(?:, *(.+))?)\])\]")
"""`[style, name=value]`, whose inside is the first group, or `[[id, words]]`, the second and third."""
TITLE = re.compile(r"\.(\.?[^ \t.].*)")
DELIMITER = re.compile(r"={4,}|\*{4,}|_{4,}|-{4,}|\.{4,}|\+{4,}|/{4,}|--|```+[\w+#-]*|~~~~+|[|,:!]={3,}")
ADMONITION = re.compile(r"(NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+")
ADMONITIONS = frozenset(("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"))
BREAK = re.compile(r"'{3,}|([-*_])( *)\1\2\1")
PAGE_BREAK = re.compile(r"<{3,}")
MACRO = re.compile(r"(\w[\w-]*)::(\S*|\S.*?\S)\[(.*)\]")
DIRECTIVE = re.compile(r"(?:ifdef|ifndef|ifeval|endif|include)::.*\[.*\]")


def is_comment(text: str) -> bool:
    """Whether a line is a comment of its own."""
    return text.startswith("//") and not text.startswith("///")

"""Which marks are read in a block: a list above the block, such as `[subs=attributes]`, names them.

https://docs.asciidoctor.org/asciidoc/latest/subs/apply-subs-to-blocks/
"""

from collections.abc import Mapping, Set

VALUES, MACROS, BREAKS, QUOTES, SIGNS = "attributes", "macros", "post_replacements", "quotes", "replacements"
NORMAL = frozenset((VALUES, MACROS, BREAKS, QUOTES, SIGNS))
"""The substitutions in paragraphs. `specialcharacters` is not among them: angle brackets are always plain text here."""
NONE: frozenset[str] = frozenset()
GROUPS: Mapping[str, Set[str]] = {"normal": NORMAL, **{name: {name} for name in NORMAL}}


def has_callout_numbers(listed: str | None) -> bool:
    """Whether a listing with this list of substitutions has callout numbers, as listings have by default."""
    entries = (listed or "+").replace(" ", "").split(",")
    is_change = entries[0].startswith(("+", "-")) or entries[0].endswith("+")
    return "-callouts" not in entries and (is_change or not {"callouts", "verbatim"}.isdisjoint(entries))


def substitutions(listed: str | None, usual: frozenset[str]) -> frozenset[str]:
    """The substitutions that a list names.

    Without a list, the substitutions are `usual`; `+name`, `name+` and `-name` add to `usual` or remove from it.
    """
    if listed is None:
        return usual
    found: Set[str] | None = None
    for entry in listed.replace(" ", "").split(","):
        is_change = entry.startswith(("+", "-")) or entry.endswith("+")
        names = GROUPS.get(entry.strip("+-"), NONE)
        found = found if found is not None else usual if is_change else NONE
        found = found - names if entry.startswith("-") else found | names
    return frozenset(found or NONE)

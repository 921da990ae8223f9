"""Number the footnotes of a text in the order of their references."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from kismet_build.model.nodes import Block, FootnoteDefinition, walk

NoteKey = str | tuple[str, str]
"""The label of a footnote; inside an embed, the path of its document and its label."""


def footnotes_start(label: Markup) -> str:
    """The start tag of the list of footnotes. `label`: for screen readers."""
    return f'<section class="footnotes" aria-label="{label}">'


@dataclass(slots=True)
class FootnoteNumbers:
    """The footnotes of a text, with the number of references written so far."""

    blocks: Sequence[Block]
    other_definitions: Mapping[NoteKey, FootnoteDefinition]
    """Definitions of footnotes that the blocks do not define, by key."""
    numbers: dict[NoteKey, int] = field(default_factory=dict)
    """Number of each referenced footnote, by key."""
    keys: list[NoteKey] = field(default_factory=list)
    """Keys of the referenced footnotes, in the order of their numbers."""
    references: dict[NoteKey, int] = field(default_factory=dict)
    """Number of references to each footnote, by key."""
    own_definitions: dict[NoteKey, FootnoteDefinition] | None = None

    def find(self, key: NoteKey) -> FootnoteDefinition | None:
        """The footnote with this key; `None` if it is not defined."""
        if self.own_definitions is None:
            # Definitions are collected at the first reference, because few texts have any and the walk is slow.
            definitions = (node for node in walk(*self.blocks) if isinstance(node, FootnoteDefinition))
            self.own_definitions = {definition.label: definition for definition in definitions}
        return self.own_definitions.get(key) or self.other_definitions.get(key)

    def add_reference(self, key: NoteKey) -> tuple[int, int]:
        """Count a reference. Returns the number of the footnote, and the number of its references so far."""
        self.references[key] = self.references.get(key, 0) + 1
        if key not in self.numbers:
            self.keys.append(key)
            self.numbers[key] = len(self.keys)
        return self.numbers[key], self.references[key]

    def back_links(self, key: NoteKey, id_prefix: str, link_label: Markup) -> str:
        """Links from a footnote to all its references, as HTML. `link_label`: text for screen readers."""
        number = self.numbers[key]
        ids = (reference_id(id_prefix, number, count) for count in range(1, self.references[key] + 1))
        return " ".join(
            f'<a class="footnote-back" href="#{html_id}" aria-label="{link_label}">↩</a>' for html_id in ids
        )


def reference_id(id_prefix: str, number: int, count: int) -> str:
    """HTML id of the first, second, … reference to a footnote."""
    return f"{id_prefix}fnref:{number}" + (f"-{count}" if count > 1 else "")

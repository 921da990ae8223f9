"""Number the footnotes of a text in the order in which it refers to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kismet_build.model.nodes import Block, FootnoteDefinition, walk


@dataclass(slots=True)
class Notes:
    """The footnotes of a text, and which of them were referred to so far."""

    blocks: Sequence[Block]
    others: Mapping[str, FootnoteDefinition]
    """What is looked at for those that are not among the blocks."""
    numbers: dict[str, int] = field(default_factory=dict)
    """Of the footnotes referred to so far, by label."""
    times: dict[str, int] = field(default_factory=dict)
    """How often each was referred to."""
    own: dict[str, FootnoteDefinition] | None = None

    def of(self, label: str) -> FootnoteDefinition | None:
        """The footnote with a label, or `None` where there is none."""
        if self.own is None:
            # Only now: few texts refer to any, and looking at all of a text takes long.
            self.own = {node.label: node for node in walk(*self.blocks) if isinstance(node, FootnoteDefinition)}
        return self.own.get(label) or self.others.get(label)

    def refer(self, label: str) -> tuple[int, int]:
        """The number of a footnote that is referred to, and how often it was by now."""
        self.times[label] = self.times.get(label, 0) + 1
        return self.numbers.setdefault(label, len(self.numbers) + 1), self.times[label]

    def back(self, label: str, prefix: str) -> str:
        """The ways from a footnote back to all that refers to it, as HTML; `prefix` is that of the ids."""
        number = self.numbers[label]
        return " ".join(
            f'<a class="footnote-back" href="#{mark_id(prefix, number, time)}" aria-label="Back to the text">↩</a>'
            for time in range(1, self.times[label] + 1)
        )


def mark_id(prefix: str, number: int, time: int) -> str:
    """The id of a reference to a footnote."""
    return f"{prefix}fnref:{number}" + (f"-{time}" if time > 1 else "")

"""Statblocks as HTML: a card with short values in rows, ability scores, and lists of actions as headed paragraphs."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from kismet_build.config.language.catalog import Catalog
from kismet_build.model import nodes
from kismet_build.model.nodes import PROSE_KEYS, plain_text, value_items
from kismet_build.model.text_normalization import key_label
from kismet_build.render.html.templates import macro

MAX_ROW_CHARACTERS = 28
"""A value longer than this takes the full width of the card."""
SCORE_COUNT = 6
"""Number of ability scores with standard names, which the default layout of Obsidian's plugin shows in one row."""
SCORES_KEY = "stats"
ABILITY_KEYS = ("str", "dex", "con", "int", "wis", "cha")
ABILITY_NAMES = ("strength", "dexterity", "constitution", "intelligence", "wisdom", "charisma")
"""Keys of the ability scores, short and in full, for statblocks that have a property for each."""
ENTRY_KEYS = ("name", "desc")
"""The keys of an entry's title and text."""
PARTS_KEY = "traits"
"""The key of an entry's own entries, which are shown without a label."""


class Row(NamedTuple):
    """A value with its label."""

    label: str
    value: Markup
    is_wide: bool


class EntryText(NamedTuple):
    """An entry of a list, such as an action, with its own values and entries."""

    title: Markup
    text: Markup
    rows: Sequence[Row] = ()
    groups: "Sequence[Group]" = ()


class Group(NamedTuple):
    """A list of entries with its label."""

    label: str
    entries: Sequence[EntryText]


class StatblockRenderer(NamedTuple):
    """Renders a statblock, with functions that render the paragraphs and blocks in its values."""

    words: Callable[[nodes.Paragraph], str]
    blocks: Callable[[Sequence[nodes.Block]], str]
    catalog: Catalog

    def html(self, statblock: nodes.Statblock, id_attribute: str) -> str:
        properties = {item.key.casefold(): item for item in statblock.children if item.children}
        name = properties.pop("name", None)
        scores: list[Markup] = []
        has_modifiers = SCORES_KEY in properties and _has_scores(statblock, properties[SCORES_KEY])
        if has_modifiers:
            scores = [self.short(item) for item in value_items(properties.pop(SCORES_KEY))]
        # Instead of `stats`, a statblock may have a property for each score.
        for keys in (ABILITY_KEYS, ABILITY_NAMES):
            if not scores and properties.keys() >= {*keys} and not any(_is_group(properties[key]) for key in keys):
                scores = [self.short(properties.pop(key)) for key in keys]
        shown = list(properties.values())
        prose = [item for item in shown if item.key.casefold() in PROSE_KEYS and _is_text(item)]
        others = [item for item in shown if item not in prose]
        return str(
            macro("statblock", "statblock", self.catalog)(
                id=Markup(id_attribute),
                name=self.short(name) if name else "",
                prose=Markup("\n").join(Markup(self.blocks(item.children)) for item in prose),
                scores=scores,
                modifiers=has_modifiers,
                rows=self.rows(others),
                groups=self.groups(others),
            )
        ).strip("\n")

    def short(self, item: nodes.Property | nodes.ListItem) -> Markup:
        """A value on one line, with the items of lists separated by commas."""
        return Markup(", ").join(self._parts(item))

    def _parts(self, item: nodes.Property | nodes.ListItem) -> Iterator[Markup]:
        for block in item.children:
            if isinstance(block, nodes.Paragraph):
                yield Markup(self.words(block))
            elif isinstance(block, nodes.List):
                for list_item in block.items:
                    yield from self._parts(list_item)
            elif isinstance(block, nodes.Property):
                yield Markup("{} {}").format(key_label(block.key), self.short(block))

    def rows(self, properties: Sequence[nodes.Property]) -> list[Row]:
        """The values other than lists of entries, in the author's order."""
        return [
            Row(key_label(item.key), self.short(item), len(plain_text(*item.children)) > MAX_ROW_CHARACTERS)
            for item in properties
            if item.children and not _is_group(item)
        ]

    def groups(self, properties: Sequence[nodes.Property]) -> list[Group]:
        """The lists of entries, in the author's order."""
        return [
            Group(key_label(item.key), [entry for part in value_items(item) for entry in self.entries(part)])
            for item in properties
            if _is_group(item)
        ]

    def entries(self, item: nodes.Property | nodes.ListItem) -> Iterator[EntryText]:
        """The entries of one list item. A map without name and text has an entry for each key."""
        properties = {block.key.casefold(): block for block in item.children if isinstance(block, nodes.Property)}
        if not properties:
            yield EntryText(Markup(), Markup(self.blocks(item.children)))
        elif properties.keys().isdisjoint(ENTRY_KEYS):
            for block in properties.values():
                groups = self.groups([block])
                text = Markup() if groups else self.short(block)
                yield EntryText(Markup("{}").format(key_label(block.key)), text, groups=groups)
        else:
            name, description = (properties.pop(key, None) for key in ENTRY_KEYS)
            others = list(properties.values())
            yield EntryText(
                title=self.short(name) if name else Markup(),
                text=self._text(description) if description else Markup(),
                rows=self.rows(others),
                groups=[
                    group._replace(label="") if group.label == key_label(PARTS_KEY) else group
                    for group in self.groups(others)
                ],
            )

    def _text(self, item: nodes.Property) -> Markup:
        """The text of an entry. A single paragraph is shown on the line of the title."""
        is_single = len(item.children) == 1 and isinstance(item.children[0], nodes.Paragraph)
        return self.short(item) if is_single else Markup(self.blocks(item.children))


def _has_scores(statblock: nodes.Statblock, stats: nodes.Property) -> bool:
    """Whether these values are the ability scores of the default layout."""
    layout = statblock.layout.casefold()
    return (not layout or "5e" in layout) and len(value_items(stats)) == SCORE_COUNT


def _is_text(item: nodes.Property) -> bool:
    return all(isinstance(block, nodes.Paragraph) for block in item.children)


def _is_group(item: nodes.Property) -> bool:
    """Whether a value is a list of entries, which are maps or sentences."""
    items = value_items(item)
    if items == (item,):
        # A map is a list of entries if it has lists or maps as values, such as the days of a calendar.
        return any(isinstance(block, nodes.Property) and not _is_text(block) for block in item.children)
    return any(
        (isinstance(block, nodes.Property) and (len(part.children) > 1 or not _is_text(block)))
        or (isinstance(block, nodes.Paragraph) and len(plain_text(block)) > MAX_ROW_CHARACTERS)
        or len(plain_text(block)) > 2 * MAX_ROW_CHARACTERS
        for part in items
        for block in part.children
    )

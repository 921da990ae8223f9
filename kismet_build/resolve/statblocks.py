"""Statblocks that extend other statblocks, anywhere in the vault, and take over their properties."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kismet_build.model import nodes
from kismet_build.model.diagnostic import Diagnosed, Diagnostic, Report, warning
from kismet_build.model.source import Span, file_stem
from kismet_build.model.text_normalization import normalize

StatblockBases = tuple[tuple[Span, tuple[nodes.Statblock, ...]], ...]
"""The statblocks that each extending statblock in a document takes properties from, by the span of the extending
statblock.
"""

MAX_BASES = 20
"""Maximum number of statblocks that a statblock may take properties from, directly or indirectly."""


def find_statblocks(document: nodes.Document) -> tuple[tuple[str, nodes.Statblock], ...]:
    """The statblocks of a document with their normalized names. A single statblock may be named by its file."""
    blocks = document.statblocks
    file = file_stem(document.source.path) if len(blocks) == 1 and not blocks[0].extends else ""
    return tuple((normalize(block.name or file), block) for block in blocks)


def find_bases(statblocks: Mapping[str, Sequence[tuple[str, nodes.Statblock]]]) -> Diagnosed[dict[str, StatblockBases]]:
    """The bases of the extending statblocks in each document.

    `statblocks`: the results of `find_statblocks`. Both mappings are by the path of the document.
    """
    extending = {path: [block for _, block in blocks if block.extends] for path, blocks in statblocks.items()}
    by_name: dict[str, nodes.Statblock] = {}
    for blocks in statblocks.values() if any(extending.values()) else ():
        for name, block in blocks:
            by_name.setdefault(name, block)
    diagnostics: list[Diagnostic] = []
    bases = {
        path: tuple((block.span, _bases(block, by_name, diagnostics.append)) for block in of_document)
        for path, of_document in extending.items()
        if of_document
    }
    return Diagnosed(bases, tuple(diagnostics))


def _bases(
    block: nodes.Statblock, by_name: Mapping[str, nodes.Statblock], report: Report
) -> tuple[nodes.Statblock, ...]:
    """The nearest comes first. Reports cycles, too many statblocks, and names without a statblock."""
    found: dict[Span, nodes.Statblock] = {}
    pending = [(block, name, span) for name, span in block.extends]
    while pending:
        extending, name, span = pending.pop(0)
        base = by_name.get(normalize(name))
        if base is None:
            if extending == block:
                message = f'this statblock extends "{name}", which does not exist'
                report(warning("unresolved-statblock", span, message))
        elif base.span == block.span:
            report(warning("unresolved-statblock", block.extends[0][1], "this statblock extends itself"))
        elif base.span not in found:
            if len(found) >= MAX_BASES:
                message = f"this statblock extends more than {MAX_BASES} others; the rest are ignored"
                report(warning("unresolved-statblock", block.extends[0][1], message))
                break
            found[base.span] = base
            pending += [(base, *other) for other in base.extends]
    return tuple(found.values())


def extend_statblocks(bases: StatblockBases, document: nodes.Document) -> nodes.Document:
    """A document whose statblocks include the properties of their bases."""
    return replace(document, blocks=_extended(document.blocks, dict(bases)))


def _extended(
    blocks: tuple[nodes.Block, ...], bases: Mapping[Span, Sequence[nodes.Statblock]]
) -> tuple[nodes.Block, ...]:
    result: list[nodes.Block] = []
    for block in blocks:
        match block:
            case nodes.Statblock() if block.span in bases:
                result.append(_joined(block, bases[block.span]))
            case nodes.BlockQuote() | nodes.Callout() | nodes.Div() | nodes.ListItem() | nodes.Column():
                result.append(replace(block, children=_extended(block.children, bases)))
            case nodes.List():
                result.append(replace(block, items=_extended(block.items, bases)))  # type: ignore[arg-type]
            case nodes.Columns():
                result.append(replace(block, columns=_extended(block.columns, bases)))  # type: ignore[arg-type]
            case _:
                result.append(block)
    return tuple(result)


def _joined(block: nodes.Statblock, bases: Sequence[nodes.Statblock]) -> nodes.Statblock:
    properties = {normalize(item.key): item for item in block.children}
    for base in bases:
        for item in base.children:
            properties.setdefault(normalize(item.key), item)
    layouts = (layout for layout in (block.layout, *(base.layout for base in bases)) if layout)
    return replace(block, children=tuple(properties.values()), layout=next(layouts, ""))

"""`unresolved-link`: a link to something that does not exist."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from posixpath import basename, dirname

from kismet_build.lint.suggestion_index import SuggestionIndex
from kismet_build.model.book import BLOCK_LEVEL
from kismet_build.model.diagnostic import Related, Report, warning
from kismet_build.model.nodes import Embed, Image, Link
from kismet_build.model.source import file_stem
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack

NAME_WITH_HASH = re.compile(r"\[\[(?P<name>[^\[\]|#]*\s#[^\[\]|#]*)[\]|]")
LEVELS_ABOVE = re.compile(r"(?:\.{0,2}/)*")
MIN_NAMES_OF_FOLDER = 4
"""From this number on, the names in a missing folder share one diagnostic."""


def unresolved_link(pack: Pack, report: Report) -> None:
    """Report each unresolved name once: at the first use, with the other uses as related places.

    The names in a missing folder share one diagnostic if they are many. Names listed in `unwritten` are not reported.
    """
    uses: dict[tuple[str, str], list[Link | Embed | Image]] = {}
    unresolved = (link for links in pack.book.links.values() for link in links.unresolved)
    for node, target in unresolved:
        if node.span not in pack.link_entities:
            path, _, rest = node.target.partition("#")
            key = (target.anchor.path, normalize(rest)) if target and target.anchor else ("", normalize(path))
            uses.setdefault(key, []).append(node)
    uses = _without_missing_folders(uses, pack, report)
    # A name that is used repeatedly is probably correct, so it is suggested for similar names:
    # docs/decisions/0005-links-by-label.md.
    repeated = (nodes[0] for (document, _), nodes in uses.items() if not document and len(nodes) > 1)
    frequent = [name for node in repeated if "/" not in (name := node.target.partition("#")[0])]
    names = SuggestionIndex([*_target_names(pack), *frequent]) if uses else SuggestionIndex(())
    files = SuggestionIndex(map(basename, pack.game.files.attachments)) if uses else SuggestionIndex(())
    titles = _heading_targets(pack) if uses else {}
    title_index = SuggestionIndex(target.partition("#")[2] for target in titles.values())
    headings: dict[str, SuggestionIndex] = {}
    """The headings to suggest, by path of the document."""
    words_of = cache(lambda document: frozenset(pack.book.outlines[document].chapter.source.text.split()))
    for (document, name), nodes in uses.items():
        if not document and name in pack.game.definition.linking.unwritten:
            continue
        path, _, rest = nodes[0].target.partition("#")
        outline = pack.book.outlines.get(document)
        if outline is None:
            message = f'nothing is named "{path.strip()}"'
            suggestion, wanted = names.suggest(path), path.strip()
            if not suggestion and isinstance(nodes[0], Image | Embed):
                suggestion = files.suggest(path)
        else:
            wanted = rest.rpartition("#")[2].strip()
            part = "block id" if wanted.startswith("^") else "heading"
            message = f'"{outline.chapter.title}" has no {part} "{wanted}"'
            if document not in headings:
                headings[document] = SuggestionIndex(anchor.title for anchor in outline.anchors[1:])
            suggestion = headings[document].suggest(wanted)
        others = tuple(Related(node.span, "also here") for node in nodes[1:])
        hint = f'did you mean "{suggestion}"?' if suggestion else ""
        if exact := titles.get(normalize(wanted)):
            hint = f"another text has this heading: [[{exact}]]"
        elif not hint and (title := title_index.suggest(wanted)):
            hint = f'did you mean the heading "{title}": [[{titles[normalize(title)]}]]?'
        if outline and wanted.startswith("^") and wanted in words_of(document):
            hint = f"a block id only counts at the end of its paragraph or list item: move {wanted} there"
        if not hint and ("[" in path or "]" in path):
            hint = "write ]] where the link ends"
        if not hint and "^" in path:
            name, _, block_id = path.partition("^")
            hint = f"write # before the block id: [[{name.strip()}#^{block_id.strip()}]]"
        if not hint and outline is None and (typed := NAME_WITH_HASH.search(nodes[0].span.text)) is not None:
            message, hint = f'nothing is named "{typed["name"].strip()}"', "a # begins a heading: leave it out of names"
        if not hint and "\\" in path:
            hint = "write / between folders, not \\"
        elif isinstance(nodes[0], Image | Embed) and not hint and "." in path:
            hint = "put the file in the folder of the texts, or remove the embed"
        report(warning("unresolved-link", nodes[0].span, message, hint, others))


def _without_missing_folders(
    uses: Mapping[tuple[str, str], list[Link | Embed | Image]], pack: Pack, report: Report
) -> dict[tuple[str, str], list[Link | Embed | Image]]:
    """Report the folders that do not exist but contain many unresolved names. Returns the uses of the other names."""
    paths = [*(chapter.source.path for chapter in pack.book.chapters), *pack.game.files.attachments]
    existing = {f"/{dirname(path)}/".casefold() for path in paths}
    names: dict[str, list[tuple[str, str]]] = {}
    for key in uses:
        folder = LEVELS_ABOVE.sub("", dirname(key[1]), count=1).casefold()
        if folder and not key[0]:
            names.setdefault(folder, []).append(key)
    reported: set[tuple[str, str]] = set()
    for folder, keys in names.items():
        if len(keys) < MIN_NAMES_OF_FOLDER or any(f"/{folder}/" in path for path in existing):
            continue
        reported.update(keys)
        nodes = [node for key in keys for node in uses[key]]
        written = LEVELS_ABOVE.sub("", dirname(nodes[0].target.partition("#")[0]), count=1)
        message = f'{len(keys)} names are not found, because nothing is in a folder "{written}"'
        others = tuple(Related(node.span, "also here") for node in nodes[1:])
        report(warning("unresolved-link", nodes[0].span, message, "copy it into the folder of the texts", others))
    return {key: nodes for key, nodes in uses.items() if key not in reported}


def _heading_targets(pack: Pack) -> dict[str, str]:
    """Link targets by normalized heading. If headings are repeated, the first one counts."""
    targets: dict[str, str] = {}
    for chapter in pack.book.chapters:
        name = file_stem(chapter.source.path)
        for anchor in pack.book.anchors[chapter.source]:
            if 0 < anchor.level < BLOCK_LEVEL:
                targets.setdefault(normalize(anchor.title), f"{name}#{anchor.title}")
    return targets


def _target_names(pack: Pack) -> Iterator[str]:
    paths = [chapter.source.path.rpartition(".")[0] for chapter in pack.book.chapters]
    yield from paths
    yield from (basename(path) for path in paths if "/" in path)
    yield from (entity.name for entity in pack.all_entities())

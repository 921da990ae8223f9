"""Checks of links, embeds and attached files."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache, lru_cache
from heapq import nsmallest
from itertools import chain
from pathlib import Path
from posixpath import basename, dirname

from kismet_build.model import book
from kismet_build.model.active_content import clean_svg, is_download, is_svg
from kismet_build.model.diagnostic import Related, Report, info, warning
from kismet_build.model.nodes import Embed, Image, Link
from kismet_build.model.source import Span, file_stem, read_regular_file
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack

# --- links without a target

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
            if 0 < anchor.level < book.BLOCK_LEVEL:
                targets.setdefault(normalize(anchor.title), f"{name}#{anchor.title}")
    return targets


def _target_names(pack: Pack) -> Iterator[str]:
    paths = [chapter.source.path.rpartition(".")[0] for chapter in pack.book.chapters]
    yield from paths
    yield from (basename(path) for path in paths if "/" in path)
    yield from (entity.name for entity in pack.all_entities())


# --- names that are suggested

MAX_COMPARED = 24
"""Maximum number of names compared in full, which is slow. The names that share the most trigrams are compared."""
MAX_NAMES_OF_TRIGRAM = 1_000
"""Maximum number of names looked up for each trigram, because a large vault has many names with a common trigram."""
MIN_SIMILARITY = 0.8
"""Minimum similarity, from 0 to 1, of a suggested name."""


class SuggestionIndex:
    """An index that finds the name most similar to one that does not exist."""

    def __init__(self, names: Iterable[str]) -> None:
        self.by_normalized: dict[str, str] = {}
        for name in names:
            self.by_normalized.setdefault(normalize(name), name)
        self.by_trigram: dict[str, list[str]] = {}
        """Normalized names by trigram, because comparing all names of a large vault would be slow."""
        for normalized in self.by_normalized:
            for trigram in set(_trigrams(normalized)):
                self.by_trigram.setdefault(trigram, []).append(normalized)

    def suggest(self, name: str) -> str:
        """The name that is most similar, but not equal, to this name; empty if none is similar.

        The last parts of two paths must be similar too, because all paths in a folder with a long path are similar.
        """
        wanted = normalize(name)
        found = (self.by_trigram.get(trigram, [])[:MAX_NAMES_OF_TRIGRAM] for trigram in set(_trigrams(wanted)))
        common = Counter(chain.from_iterable(found))
        common.pop(wanted, None)
        likely = [name for name, _ in nsmallest(MAX_COMPARED, common.items(), key=lambda item: (-item[1], item[0]))]
        for close in get_close_matches(wanted, likely, n=len(likely) or 1, cutoff=MIN_SIMILARITY):
            if get_close_matches(basename(wanted), [basename(close)], cutoff=MIN_SIMILARITY):
                return self.by_normalized[close]
        return ""


def _trigrams(name: str) -> Iterator[str]:
    padded = f" {name} "
    return (padded[start : start + 3] for start in range(len(padded) - 2))


# --- links with several targets


def ambiguous_link(pack: Pack, report: Report) -> None:
    """Report links with several possible targets, and links by an alias, which Obsidian does not resolve."""
    unclear = (link for links in pack.book.links.values() for link in links.unclear)
    for span, target in unclear:
        assert target.anchor is not None
        anchor = pack.book.anchor(target.anchor)
        if target.status == "ambiguous":
            hint = "add the heading above it, or the folder"
            message = f"this link could mean {1 + target.candidate_count} places; it leads to"
            if target.candidate_count > book.MAX_CANDIDATES:
                report(warning("ambiguous-link", span, f"{message} the nearest of them", hint))
                continue
            candidates = map(pack.book.anchor, target.candidates)
            others = tuple(Related(candidate.span, "it could also lead here") for candidate in candidates)
            place = anchor.span.original
            line = place.source.line_and_column(place.start)[0]
            report(warning("ambiguous-link", span, f"{message} line {line} of {place.source.path}", hint, others))
        else:
            hint = f"write [[{anchor.chapter.source.path.removesuffix('.md')}|{span.text.strip('[]!')}]]"
            message = f'this is an alias of "{anchor.chapter.title}", and Obsidian does not resolve aliases in links'
            report(info("alias-link", span, message, hint))


# --- embeds

MAX_NAMED = 20
"""Maximum number of texts listed in a message. In a larger cycle, only the first embed is reported."""
CYCLE_HINT = "keep one of these embeds, and turn the others into links"


def embed_cycle(pack: Pack, report: Report) -> None:
    """Report every embed of a text that contains the embed itself, but only the first one of a large cycle."""
    reported: set[book.Anchor] = set()
    for links in pack.book.links.values():
        for node in links.embeds:
            circle = pack.book.cyclic_embeds.get(node.span, ())
            if len(circle) > MAX_NAMED:
                if circle[0] not in reported:
                    message = f"this embeds a text that embeds itself in a cycle of {len(circle):,} texts"
                    report(warning("embed-cycle", node.span, message, CYCLE_HINT))
                reported.add(circle[0])
            elif circle:
                names = " > ".join(anchor.title for anchor in pack.book.embed_cycle(node))
                report(warning("embed-cycle", node.span, f"this embeds a text that embeds itself: {names}", CYCLE_HINT))


def oversized_embed(pack: Pack, report: Report) -> None:
    """Report every embed that is shown as a link because it is too large."""
    hint = (
        f"it is shown as a link: an embed shows at most {book.MAX_EMBEDDED_TEXTS} texts "
        f"in {book.MAX_EMBED_DEPTH} levels, all embeds of a text {book.MAX_CHARACTERS_OF_TEXT:,} characters, "
        f"all of a game {book.MAX_CHARACTERS_OF_GAME:,}"
    )
    for links in pack.book.links.values():
        for embed in links.embeds:
            if problem := pack.book.oversized_embeds.get(embed.span):
                report(warning("oversized-embed", embed.span, problem, hint))


# --- attachments


def active_attachment(pack: Pack, report: Report) -> None:
    """Report each file that can run code once: at its first link, with the other links as related places."""
    uses: dict[str, list[Span]] = {}
    for links in pack.book.links.values():
        for span, file in links.attachments.items():
            uses.setdefault(file, []).append(span)
    files = pack.game.files
    for file, (first, *others) in uses.items():
        related = tuple(Related(span, "also here") for span in others)
        if is_download(file):
            message = f'"{file}" can run code, so it is published as a download'
            report(warning("active-attachment", first, message, related=related))
        elif is_svg(file) and _has_scripts(files.file(file), files.root_of(file)):
            message = f'the image "{file}" contains code, which is not published'
            report(warning("active-attachment", first, message, related=related))


def _has_scripts(file: Path, root: Path) -> bool:
    try:
        status = file.stat()
        return _had_scripts(file, root, status.st_mtime_ns, status.st_size)
    except OSError:  # if the file was deleted meanwhile, publishing reports it
        return False


@lru_cache(maxsize=10_000)
def _had_scripts(file: Path, root: Path, _modified: int, _size: int) -> bool:
    """Whether an image has scripts. `kismet serve` reads the image again only if its time or size changes."""
    return clean_svg(read_regular_file(file, root)).had_scripts

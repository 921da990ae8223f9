"""Every name of a book, and what a link may call it."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from posixpath import basename, dirname, join, normpath

from kismet_build.model.book import BLOCK, Anchor, Chapter, Target
from kismet_build.model.nodes import Heading
from kismet_build.model.source import Source
from kismet_build.model.text_normalization import normalize, slug

TEXT_SUFFIX = re.compile(r"\.(?:md|markdown|adoc|asciidoc)$")

NO_NAMES = ("", ".", "..")
"""Last parts of a path that are not the name of what it leads to."""

STRIPPED = re.compile(r"""[!"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\\r\n]""")
"""What Obsidian takes out of a heading before it compares it with a link (OBSIDIAN.md, section 4)."""


class Names:
    """Every name of a book, ready to be looked up as Obsidian does (OBSIDIAN.md, sections 3 to 5)."""

    def __init__(
        self, chapters: Sequence[Chapter], anchors: Mapping[Source, tuple[Anchor, ...]], attachments: Sequence[str]
    ) -> None:
        """Take note of all chapters and of the places in them, and of the paths of the files beside them."""
        self.anchors = dict(anchors)
        self.duplicates: dict[str, list[Chapter]] = {}
        """By their paths without case and suffix, in which some texts do not differ."""
        for chapter in chapters:
            self.duplicates.setdefault(_path_key(chapter.source.path.rpartition(".")[0]), []).append(chapter)
        self.has_duplicates = len(self.duplicates) < len(chapters)
        self.paths = {path: several[0] for path, several in self.duplicates.items()}
        self.stems: dict[str, list[Chapter]] = {}
        self.aliases: dict[str, list[Chapter]] = {}
        for path, several in self.duplicates.items():
            self.stems.setdefault(basename(path), []).append(several[0])
            for chapter in several:
                for alias in chapter.document.aliases:
                    self.aliases.setdefault(_path_key(alias), []).append(chapter)
        self.known_keys: dict[Chapter, dict[tuple[Anchor, bool], frozenset[str]]] = {}
        self.known_ids: dict[Chapter, dict[str, Anchor]] = {}
        self.attachments = {_path_key(path): path for path in reversed(attachments)}
        self.attachment_paths = frozenset(attachments)
        self.attachment_names = {basename(key): path for key, path in self.attachments.items()}
        self.attachment_names |= {basename(path): path for path in reversed(attachments)}
        self.attachment_ends = frozenset((*NO_NAMES, *map(_end, attachments), *map(_end, self.attachments)))

    def chapter(self, path: str) -> Chapter | None:
        """The chapter of a text; `None` also where several texts are shown by one path, as their names are no words."""
        several = [
            one for one in self.duplicates.get(_path_key(path.rpartition(".")[0]), ()) if one.source.path == path
        ]
        return several[0] if len(several) == 1 else None

    def replace_document(self, old: Chapter, new: Chapter, anchors: tuple[Anchor, ...]) -> None:
        """Put a chapter in the place of one with the same path and aliases."""
        path = _path_key(old.source.path.rpartition(".")[0])
        tables = [(self.duplicates, path), (self.stems, basename(path))]
        tables += [(self.aliases, _path_key(alias)) for alias in old.document.aliases]
        for table, key in tables:
            table[key] = [new if one is old else one for one in table[key]]
        self.paths[path] = self.duplicates[path][0]
        del self.anchors[old.source]
        self.anchors[new.source] = anchors
        self.known_ids.pop(old, None)
        self.known_keys.pop(old, None)

    def file(self, chapter: Chapter, target: str, relative: bool) -> str | None:
        """The attachment that a target names, if it names one."""
        typed = target.partition("#")[0]
        # Nearly all links lead to texts, and that is seen by the last part of the path.
        if _end(typed) not in self.attachment_ends:
            return None
        key = _path_key(typed)
        if not key:
            return None
        near = normpath(join(dirname(chapter.source.path), typed))
        for candidate in (near, typed) if relative else (typed, near):
            if candidate in self.attachment_paths:  # as the author spelled it, where others differ in case alone
                return candidate
        beside = _path_key(near)
        for candidate in (beside, key) if relative else (key, beside):
            if candidate in self.attachments:
                return self.attachments[candidate]
        return self.attachment_names.get(basename(typed)) or self.attachment_names.get(basename(key))

    def place(self, chapter: Chapter, target: str, relative: bool) -> Target:
        """What a target inside the book resolves to."""
        path, *parts = target.split("#")
        found = [chapter]
        status = "ok"
        if path.strip():
            found = self.spelled(path, self.documents(chapter, _path_key(path), relative))
            if not found:
                found, status = self.aliases.get(_path_key(path), []), "alias"
        if not found:
            return Target(status="missing-document")
        first, *others = [self.anchors[other.source][0] for other in found]
        if wanted := [part for part in parts if part.strip()]:
            places = self.headings(found[0], wanted)
            if not places:
                return Target(status="missing-heading", anchor=first)
            first = places[0]
            others += places[1:]
        return Target(
            status="ambiguous" if others else status,  # type: ignore[arg-type]
            anchor=first,
            candidates=tuple(others),
        )

    def spelled(self, path: str, found: list[Chapter]) -> list[Chapter]:
        """What was found, the first one spelled as the author did where others differ in case or suffix alone."""
        if not found or not self.has_duplicates:
            return found
        several = self.duplicates[_path_key(found[0].source.path.rpartition(".")[0])]
        if len(several) < 2:
            return found
        name = unicodedata.normalize("NFC", basename(path)).strip()
        names = ((other, unicodedata.normalize("NFC", basename(other.source.path))) for other in several)
        same = [other for other, whole in names if name in (whole, whole.rpartition(".")[0])]
        return [*(same or several)[:1], *found[1:]]

    def documents(self, chapter: Chapter, key: str, relative: bool) -> list[Chapter]:
        """The documents that a path can mean, the best first: exact, same folder, shortest, alphabetical."""
        folder = _folder_key(chapter.source.path)
        if key.startswith(("./", "../")) or (relative and "/" in key):
            exact = self.paths.get(normpath(join(folder, key)).lstrip("/"))
            if exact is not None:
                return [exact]
            key = re.sub(r"^(\.{1,2}/)+", "", key)
        if key.startswith("/"):
            exact = self.paths.get(key[1:])
            return [exact] if exact else []
        if relative and (exact := self.paths.get(_beside(folder, key))):
            return [exact]
        if exact := self.paths.get(key):
            return [exact]
        found = [
            (dirname(path) != folder, path.count("/"), path)
            for other in self.stems.get(basename(key), ())
            for path in (_path_key(other.source.path.rpartition(".")[0]),)
            if f"/{path}".endswith(f"/{key}")
        ]
        return [self.paths[path] for *_, path in sorted(found)]

    def headings(self, chapter: Chapter, wanted: list[str]) -> list[Anchor]:
        """The anchors that a chain of headings, or a block id, names; more than one where it is ambiguous."""
        if len(wanted) == 1:
            named = self.by_id(chapter, wanted[0].strip())
            if named is not None or wanted[0].strip().startswith("^"):
                return [named] if named else []
        headings = [anchor for anchor in self.anchors[chapter.source][1:] if anchor.level < BLOCK]
        for loose in (False, True):
            chain = [_keys(part, part, loose) for part in wanted]
            keyed = [(heading, self.keys(heading, loose)) for heading in headings]
            for within in (True, False):
                if found := tuple(dict.fromkeys(_chain(keyed, chain, within))):
                    return list(found)
        # Markdown links name headings by ids such as GitHub makes; ours are these, spelled in ASCII.
        return [anchor for anchor in headings if anchor.slug == slug(wanted[-1])]

    def by_id(self, chapter: Chapter, fragment: str) -> Anchor | None:
        """The heading or block whose author or dialect gave it this id: spelled just so, or else in another case."""
        if chapter not in self.known_ids:
            ids: dict[str, Anchor] = {}
            given = [anchor for anchor in self.anchors[chapter.source][1:] if _has_id(anchor)]
            for anchor in sorted(given, key=lambda one: one.level == BLOCK):
                ids.setdefault(anchor.id, anchor)
            for anchor in list(ids.values()):
                ids.setdefault(_id_key(anchor.id), anchor)
            self.known_ids[chapter] = ids
        ids = self.known_ids[chapter]
        return ids.get(fragment) or ids.get(_id_key(fragment))

    def keys(self, heading: Anchor, loose: bool) -> frozenset[str]:
        """What a heading is compared by, worked out once."""
        known = self.known_keys.setdefault(heading.chapter, {})
        if (heading, loose) not in known:
            assert isinstance(heading.node, Heading)
            known[heading, loose] = _keys(heading.node.raw, heading.title, loose)
        return known[heading, loose]


def _chain(
    headings: list[tuple[Anchor, frozenset[str]]], chain: list[frozenset[str]], within: bool
) -> Iterator[Anchor]:
    """The last heading of each chain in which every heading is deeper than, and stands after, the one before it.

    Obsidian does not ask that it also stands below it; with `within` we do, and that is tried first, because a
    name that occurs under several headings is told apart by the one it really stands below.
    """
    for place, (first, keys) in enumerate(headings):
        if not chain[0] & keys:
            continue
        last, rest = first, chain[1:]
        for heading, keys_here in headings[place + 1 :]:
            if not rest or (within and heading.level <= first.level):
                break
            if heading.level > last.level and rest[0] & keys_here:
                last, rest = heading, rest[1:]
        if not rest:
            yield last


def _keys(raw: str, read: str, loose: bool) -> frozenset[str]:
    """A heading as Obsidian compares it, as typed and as it reads; loose: with quotes, dashes and accents folded."""
    stripped = (STRIPPED.sub(" ", unicodedata.normalize("NFC", text).casefold()) for text in (raw, read))
    return frozenset(normalize(text) if loose else " ".join(text.split()) for text in stripped)


def _has_id(anchor: Anchor) -> bool:
    """Whether the id of an anchor stands in the text or follows from its dialect; any other is of our making."""
    return not isinstance(anchor.node, Heading) or bool(anchor.node.id)


def _id_key(fragment: str) -> str:
    """An id as it is compared where nothing is spelled just so: another case, or letters taken apart."""
    return unicodedata.normalize("NFC", fragment).casefold()


@lru_cache(maxsize=8192)
def _path_key(path: str) -> str:
    """A path as Obsidian compares it: no case, one normal form, plain spaces, no suffix of a text."""
    return TEXT_SUFFIX.sub("", " ".join(unicodedata.normalize("NFC", path).casefold().split()))


@lru_cache(maxsize=8192)
def _folder_key(path: str) -> str:
    """The folder of a text as it is compared."""
    return _path_key(dirname(path))


def _beside(folder: str, path: str) -> str:
    """What a path leads to from a folder."""
    if "/" in path or not path.strip("."):
        return normpath(join(folder, path))
    return f"{folder}/{path}" if folder else path  # nearly always, and much faster


@lru_cache(maxsize=8192)
def _end(path: str) -> str:
    """The last part of a path, as far as all paths have that in common which can mean the same."""
    name = basename(path)
    end = _path_key(name).strip()
    return end if end == name else _end(end)

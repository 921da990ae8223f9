"""Look up link targets by path, alias, heading, block id and attachment, with the rules of Obsidian."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from posixpath import basename, dirname, join, normpath

from kismet_build.model.book import BLOCK_LEVEL, Anchor, Chapter, Target
from kismet_build.model.nodes import Heading
from kismet_build.model.source import Source
from kismet_build.model.text_normalization import normalize, slug

TEXT_SUFFIX = re.compile(r"\.(?:md|markdown|adoc|asciidoc)$")

NO_NAMES = ("", ".", "..")
"""Last path parts that are not file names."""

HEADING_PUNCTUATION = re.compile(r"""[!"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\\r\n]""")
"""Characters of headings that Obsidian ignores when it compares a heading with a link (docs/OBSIDIAN.md, section 4)."""


class LinkResolver:
    """Index of all link targets of a book; resolves links as Obsidian does (docs/OBSIDIAN.md, sections 3 to 5).

    `relative` is true for Markdown links: their paths are looked up from the folder of the chapter first.
    The paths of wikilinks and embeds are looked up from the folder of the game first.
    """

    def __init__(
        self, chapters: Sequence[Chapter], anchors: Mapping[Source, tuple[Anchor, ...]], attachments: Sequence[str]
    ) -> None:
        """Index all chapters, their anchors and the paths of the attachments."""
        self.anchors = dict(anchors)
        self.duplicates: dict[str, list[Chapter]] = {}
        """Chapters by path key. Several chapters share a key if their paths differ only in case or suffix."""
        for chapter in chapters:
            self.duplicates.setdefault(_path_key(chapter.source.path.rpartition(".")[0]), []).append(chapter)
        self.has_duplicates = len(self.duplicates) < len(chapters)
        self.paths = {path: same_path[0] for path, same_path in self.duplicates.items()}
        self.stems: dict[str, list[Chapter]] = {}
        self.aliases: dict[str, list[Chapter]] = {}
        for path, same_path in self.duplicates.items():
            self.stems.setdefault(basename(path), []).append(same_path[0])
            for chapter in same_path:
                for alias in chapter.document.aliases:
                    self.aliases.setdefault(_path_key(alias), []).append(chapter)
        self.heading_keys: dict[Chapter, dict[tuple[Anchor, bool], frozenset[str]]] = {}
        """Cache of `keys`."""
        self.ids: dict[Chapter, dict[str, Anchor]] = {}
        """Cache of `by_id`: the anchors of a chapter by id and by lower-case id."""
        self.attachments = {_path_key(path): path for path in reversed(attachments)}
        self.attachment_paths = frozenset(attachments)
        self.attachment_names = {basename(key): path for key, path in self.attachments.items()}
        self.attachment_names |= {basename(path): path for path in reversed(attachments)}
        self.attachment_name_keys = frozenset(
            (*NO_NAMES, *map(_name_key, attachments), *map(_name_key, self.attachments))
        )

    def chapter(self, path: str) -> Chapter | None:
        """The chapter of a text. `None` if several texts show the same path: file names may be undecodable."""
        same_path = self.duplicates.get(_path_key(path.rpartition(".")[0]), ())
        chapters = [chapter for chapter in same_path if chapter.source.path == path]
        return chapters[0] if len(chapters) == 1 else None

    def replace_document(self, old: Chapter, new: Chapter, anchors: tuple[Anchor, ...]) -> None:
        """Replace a chapter with a new version that has the same path and aliases."""
        path = _path_key(old.source.path.rpartition(".")[0])
        tables = [(self.duplicates, path), (self.stems, basename(path))]
        tables += [(self.aliases, _path_key(alias)) for alias in old.document.aliases]
        for table, key in tables:
            table[key] = [new if chapter is old else chapter for chapter in table[key]]
        self.paths[path] = self.duplicates[path][0]
        del self.anchors[old.source]
        self.anchors[new.source] = anchors
        self.ids.pop(old, None)
        self.heading_keys.pop(old, None)

    def file(self, chapter: Chapter, target: str, relative: bool) -> str | None:
        """The path of the attachment that a target names; `None` if it names none."""
        typed = target.partition("#")[0]
        # Fast path: nearly all links lead to texts, so their file name is not that of an attachment.
        if _name_key(typed) not in self.attachment_name_keys:
            return None
        key = _path_key(typed)
        if not key:
            return None
        from_folder = normpath(join(dirname(chapter.source.path), typed))
        # Exact paths first: attachments may differ only in case.
        for path in (from_folder, typed) if relative else (typed, from_folder):
            if path in self.attachment_paths:
                return path
        folder_key = _path_key(from_folder)
        for path_key in (folder_key, key) if relative else (key, folder_key):
            if path_key in self.attachments:
                return self.attachments[path_key]
        return self.attachment_names.get(basename(typed)) or self.attachment_names.get(basename(key))

    def resolve(self, chapter: Chapter, target: str, relative: bool) -> Target:
        """Resolve a link target in a chapter to an anchor. A failure is a status of the result, not an exception."""
        path, *fragments = target.split("#")
        chapters = [chapter]
        status = "ok"
        if path.strip():
            chapters = self.exact_spelling_first(path, self.documents(chapter, _path_key(path), relative))
            if not chapters:
                chapters, status = self.aliases.get(_path_key(path), []), "alias"
        if not chapters:
            return Target(status="missing-document")
        first, *others = [self.anchors[found.source][0] for found in chapters]
        if headings := [fragment for fragment in fragments if fragment.strip()]:
            anchors = self.headings(chapters[0], headings)
            if not anchors:
                return Target(status="missing-heading", anchor=first)
            first = anchors[0]
            others += anchors[1:]
        return Target(
            status="ambiguous" if others else status,  # type: ignore[arg-type]
            anchor=first,
            candidates=tuple(others),
        )

    def exact_spelling_first(self, path: str, chapters: list[Chapter]) -> list[Chapter]:
        """The chapters, where the first is replaced by a duplicate of it whose file name is spelled as in the link."""
        if not chapters or not self.has_duplicates:
            return chapters
        same_path = self.duplicates[_path_key(chapters[0].source.path.rpartition(".")[0])]
        if len(same_path) < 2:
            return chapters
        name = unicodedata.normalize("NFC", basename(path)).strip()
        names = ((chapter, unicodedata.normalize("NFC", basename(chapter.source.path))) for chapter in same_path)
        exact = [chapter for chapter, file_name in names if name in (file_name, file_name.rpartition(".")[0])]
        return [*(exact or same_path)[:1], *chapters[1:]]

    def documents(self, chapter: Chapter, key: str, relative: bool) -> list[Chapter]:
        """The documents that a path key can mean, best first: exact, same folder, fewest folders, alphabetical."""
        folder = _folder_key(chapter.source.path)
        if key.startswith(("./", "../")) or (relative and "/" in key):
            exact = self.paths.get(normpath(join(folder, key)).lstrip("/"))
            if exact is not None:
                return [exact]
            key = re.sub(r"^(\.{1,2}/)+", "", key)
        if key.startswith("/"):
            exact = self.paths.get(key[1:])
            return [exact] if exact else []
        if relative and (exact := self.paths.get(_join_key(folder, key))):
            return [exact]
        if exact := self.paths.get(key):
            return [exact]
        ranked = [
            (dirname(path) != folder, path.count("/"), path)
            for same_stem in self.stems.get(basename(key), ())
            for path in (_path_key(same_stem.source.path.rpartition(".")[0]),)
            if f"/{path}".endswith(f"/{key}")
        ]
        return [self.paths[path] for *_, path in sorted(ranked)]

    def headings(self, chapter: Chapter, fragments: list[str]) -> list[Anchor]:
        """The anchors that a chain of headings (`A#B#C`) or a block id names; several if the chain is ambiguous."""
        if len(fragments) == 1:
            named = self.by_id(chapter, fragments[0].strip())
            if named is not None or fragments[0].strip().startswith("^"):
                return [named] if named else []
        headings = [anchor for anchor in self.anchors[chapter.source][1:] if anchor.level < BLOCK_LEVEL]
        for loose in (False, True):
            chain = [_heading_keys(fragment, fragment, loose) for fragment in fragments]
            keyed = [(heading, self.keys(heading, loose)) for heading in headings]
            for nested in (True, False):
                if anchors := tuple(dict.fromkeys(_match_chain(keyed, chain, nested))):
                    return list(anchors)
        # Markdown links name headings by the ids that GitHub generates; slugs are these ids in ASCII.
        return [anchor for anchor in headings if anchor.slug == slug(fragments[-1])]

    def by_id(self, chapter: Chapter, fragment: str) -> Anchor | None:
        """The heading or block with this id in the text or by its dialect; an exact match comes before another case."""
        if chapter not in self.ids:
            ids: dict[str, Anchor] = {}
            with_id = [anchor for anchor in self.anchors[chapter.source][1:] if _has_id(anchor)]
            for anchor in sorted(with_id, key=lambda anchor: anchor.level == BLOCK_LEVEL):
                ids.setdefault(anchor.id, anchor)
            for anchor in list(ids.values()):
                ids.setdefault(_id_key(anchor.id), anchor)
            self.ids[chapter] = ids
        ids = self.ids[chapter]
        return ids.get(fragment) or ids.get(_id_key(fragment))

    def keys(self, heading: Anchor, loose: bool) -> frozenset[str]:
        """The keys by which a heading is compared; cached."""
        cached = self.heading_keys.setdefault(heading.chapter, {})
        if (heading, loose) not in cached:
            assert isinstance(heading.node, Heading)
            cached[heading, loose] = _heading_keys(heading.node.raw, heading.title, loose)
        return cached[heading, loose]


def _match_chain(
    headings: list[tuple[Anchor, frozenset[str]]], chain: list[frozenset[str]], nested: bool
) -> Iterator[Anchor]:
    """The last heading of each match of the chain: headings of which each is later and deeper than the one before.

    `nested` also requires that all headings are in the section of the first, which Obsidian does not require.
    The caller tries nested chains first, so that equal subheadings of different headings are not confused.
    """
    for index, (first, keys) in enumerate(headings):
        if not chain[0] & keys:
            continue
        last, rest = first, chain[1:]
        for heading, later_keys in headings[index + 1 :]:
            if not rest or (nested and heading.level <= first.level):
                break
            if heading.level > last.level and rest[0] & later_keys:
                last, rest = heading, rest[1:]
        if not rest:
            yield last


def _heading_keys(raw: str, title: str, loose: bool) -> frozenset[str]:
    """A heading in Obsidian's form for comparison: from its markup and from its plain text.

    `loose` also ignores accents and the styles of quotes and dashes.
    """
    stripped = (HEADING_PUNCTUATION.sub(" ", unicodedata.normalize("NFC", text).casefold()) for text in (raw, title))
    return frozenset(normalize(text) if loose else " ".join(text.split()) for text in stripped)


def _has_id(anchor: Anchor) -> bool:
    """Whether the id of an anchor is in the text or follows from its dialect, and is not generated by this program."""
    return not isinstance(anchor.node, Heading) or bool(anchor.node.id)


def _id_key(fragment: str) -> str:
    """An id in the form for comparison: NFC, without case."""
    return unicodedata.normalize("NFC", fragment).casefold()


@lru_cache(maxsize=8192)
def _path_key(path: str) -> str:
    """A path in Obsidian's form for comparison: NFC, without case and text suffix, with single spaces."""
    return TEXT_SUFFIX.sub("", " ".join(unicodedata.normalize("NFC", path).casefold().split()))


@lru_cache(maxsize=8192)
def _folder_key(path: str) -> str:
    """The path key of the folder of a text."""
    return _path_key(dirname(path))


def _join_key(folder: str, key: str) -> str:
    """The path key of a relative path in a folder."""
    if "/" in key or not key.strip("."):
        return normpath(join(folder, key))
    return f"{folder}/{key}" if folder else key  # fast path for nearly all links


@lru_cache(maxsize=8192)
def _name_key(path: str) -> str:
    """The key of the file name in a path: equal for all paths that can name the same file."""
    name = basename(path)
    key = _path_key(name).strip()
    return key if key == name else _name_key(key)

"""A game's module for Foundry VTT 13: journals for its chapters and kinds, rollable tables, macros and status effects.

All documents are made from `pack.json` and described in docs/CONTRACT.md.
docs/decisions/0032-bundles.md explains why there are no Items.
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from hashlib import sha256
from html import escape, unescape
from itertools import groupby
from string import ascii_letters, digits
from typing import Any, NamedTuple

from kismet_build.extensions.packages.archive import SOURCES as SOURCE_FILES
from kismet_build.extensions.packages.archive import licence, with_manifest
from kismet_build.extensions.packages.foundry_macros import macro_command
from kismet_build.extensions.packages.foundry_tool import PACKS, SOURCES, find_tool, packed_files
from kismet_build.mechanics.dice import odds, parse
from kismet_build.mechanics.situation import SIDES, influences
from kismet_build.mechanics.table_results import decided_columns, have_own_rolls, results_of
from kismet_build.model.archives import zip_file
from kismet_build.model.downloads import FOUNDRY_MANIFEST, archive_names, package_name
from kismet_build.model.json_writer import json_file
from kismet_build.model.section_text import section_text
from kismet_build.model.titles import subject_title
from kismet_build.output.exporters import Exporter
from kismet_build.output.finished_data import Data, FinishedData

RULES, TABLES, MACROS = "rules", "tables", "macros"
"""The names of the compendium packs."""
TYPES = {RULES: "JournalEntry", TABLES: "RollTable", MACROS: "Macro"}
"""The document type of each pack."""
MODULE = "module.json"
"""The file that describes the module."""
SCRIPT = "foundry.js"
"""The script that adds the status effects."""
STATUS_ICON = "icons/svg/aura.svg"
"""The picture of every status effect; it comes with Foundry VTT."""
MACRO_ICON = "icons/svg/d20-grey.svg"
"""The picture of every macro; it comes with Foundry VTT."""
REFERENCE = "Reference"
"""The name of the folder with a journal for each kind."""
ID_LENGTH = 16
"""Length of an id in Foundry VTT."""
SORT_STEP = 100_000
"""The distance between neighbouring sort keys, which leaves room for documents in between."""
MAX_FOLDER_DEPTH = 3
"""Maximum depth of nested folders in a compendium pack."""
MAX_TITLE_LEVEL = 6
"""The deepest level of a page in a journal's table of contents."""
FOOTNOTE_MARK = re.compile(r'<sup class="footnote">.*?</sup>')
LINK = re.compile(r"<a\b([^>]*)>(.*?)</a>", re.DOTALL)
IMAGE = re.compile(r"<img\b([^>]*)>")
TAG = re.compile(r"<[^>]*>")
DICE = re.compile(r'<span class="dice" data-dice="([^"]*)">(.*?)</span>', re.DOTALL)
ELEMENT_ID = re.compile(r"""(<[a-z][^>]*?) id="[^"]*\"""")
"""The id of an HTML element, which might also be the id of an element in Foundry VTT."""
COMMAND = re.compile(r"@(?=[A-Za-z]+\[)|\[(?=\[)")
"""The start of text that Foundry VTT would replace: `@UUID[`, `[[`."""
WORD_JOINER = "\u2060"
"""A zero-width character that breaks up the start of a command."""
FORMULAS = {"d66": "1d6 * 10 + 1d6"}
"""Dice that Foundry VTT writes differently."""
TWICE = re.compile(r"(?P<which>adv|dis)\(1?(?P<die>d\d+)(?P<rest>(?:[-+]\d+)*)\)")
"""The higher or the lower of two rolls."""
FORMULA = re.compile(r"\d*d\d+(?:[kd][hl]\d*|x)?(?:[-+](?:\d*d\d+|\d+))*")
"""A formula with the same meaning in Foundry VTT."""


class Document(NamedTuple):
    """A document in a compendium pack."""

    pack: str
    """The name of the pack that the document is in."""
    name: str
    """The name of the document's file."""
    content: dict[str, Any]


class Module(NamedTuple):
    """A game's module without its images."""

    files: dict[str, bytes]
    """Files by their path in the module."""
    images: tuple[str, ...]
    """The addresses of the attachments shown on the module's pages. Each attachment has the same path in the module."""


def export(data: FinishedData) -> Iterator[tuple[str, bytes]]:
    """The module for Foundry VTT: journals, rollable tables, macros, and status effects."""
    game = data.pack["game"]
    module = foundry_module(data.pack, licence(data.pack), data.attachments)
    tool = find_tool()
    files = {
        **module.files,
        **(packed_files(module.files, tool) if tool else {}),
        **{address: data.attachments[address] for address in module.images},
    }
    if game["url"]:
        yield FOUNDRY_MANIFEST, module.files[MODULE]
    yield archive_names(game["id"], game["version"]).foundry, zip_file(with_manifest(files))


def _note() -> str:
    if tool := find_tool():
        return f"the modules for Foundry VTT are packed by {tool}"
    return (
        "the modules for Foundry VTT contain only the sources of their packs: "
        "to pack them, run npm install --global @foundryvtt/foundryvtt-cli, and build again with fvtt in PATH"
    )


exporter = Exporter(export, _note)


def foundry_module(content: Data, licence: bytes, attachments: Container[str]) -> Module:
    """The module of a game.

    `content` is the data of `pack.json`. `attachments` are the addresses of the published attachments.
    """
    writer = _Writer(content, attachments)
    documents = [*writer.folders(), *writer.chapters(), *writer.kinds(), *writer.tables(), *writer.macros()]
    packs = [pack for pack in (RULES, TABLES, MACROS) if any(document.pack == pack for document in documents)]
    states = writer.status_effects()
    files = {
        MODULE: json_file(_module(content, packs, states)),
        "LICENSE": licence,
        **({SCRIPT: (SOURCE_FILES / SCRIPT).read_bytes()} if states else {}),
        **{f"{SOURCES}/{document.pack}/{document.name}.json": json_file(document.content) for document in documents},
    }
    return Module(files, tuple(sorted(writer.images)))


def _module(content: Data, packs: Sequence[str], states: Sequence[Data]) -> dict[str, Any]:
    """The content of `module.json`. Foundry VTT finds new versions by `manifest`, which requires an address."""
    game = content["game"]
    name = package_name(game["id"])
    names = archive_names(game["id"], game["version"])
    data = f"{game['url']}data/{game['id']}/"
    addresses = {
        "url": f"{game['url']}{game['id']}/",
        "manifest": f"{data}{FOUNDRY_MANIFEST}",
        "download": f"{data}{names.foundry}",
    }
    folders = [{"name": game["title"], "sorting": "m", "packs": [*packs]}] if len(packs) > 1 else []
    return {
        "id": name,
        "title": game["title"],
        "description": escape(game["description"]),
        "version": game["version"] or "0",
        "authors": [{"name": author} for author in game["authors"]],
        "license": "LICENSE",
        **(addresses if game["url"] else {}),
        "compatibility": {"minimum": "13", "verified": "13"},
        "packs": [
            {
                "name": pack,
                "label": game["title"] if pack == RULES else f"{game['title']}: {pack}",
                "path": f"{PACKS}/{pack}",
                "type": TYPES[pack],
                "ownership": {"PLAYER": "OBSERVER", "ASSISTANT": "OWNER"},
            }
            for pack in packs
        ],
        "packFolders": folders,
        **({"esmodules": [SCRIPT]} if states else {}),
        "flags": {name: {"format": content["format"], **({"statusEffects": [*states]} if states else {})}},
    }


def foundry_id(our_id: str) -> str:
    """The id of a document in Foundry VTT: letters and digits from a hash of kismet's id."""
    signs = digits + ascii_letters
    number = int.from_bytes(sha256(our_id.encode()).digest())
    return "".join(signs[number // len(signs) ** place % len(signs)] for place in range(ID_LENGTH))


def _journal_id(our_id: str) -> str:
    """The id of the journal of a chapter or kind. This id differs from the id of the journal's first page."""
    return foundry_id(f"{our_id}#journal")


class _Rolls(NamedTuple):
    """A rollable table made from some or all columns of a printed table."""

    id: str
    name: str
    table: Data
    group: tuple[int, ...]
    """The range columns of this rollable table."""
    columns: tuple[int, ...]
    """All range columns of the printed table."""


class _Writer:
    """Writes the documents of a game."""

    def __init__(self, content: Data, attachments: Container[str]) -> None:
        self._attachments = attachments
        self.images: set[str] = set()
        """The addresses of the attachments shown on the pages written so far."""
        self._content = content
        self._game = content["game"]
        self._module = package_name(self._game["id"])
        self._chapters = [
            [*sections] for _, sections in groupby(content["sections"], lambda section: section["source"]["path"])
        ]
        self._uuids: dict[str, str] = {}
        """The UUID of each section and entity, by kismet's id."""
        self._addresses: dict[str, str] = {}
        """The UUID of each section and entity, by address on the website."""
        self._names: dict[str, str] = {}
        self._parts: dict[str, list[str]] = defaultdict(list)
        """The ids of the sections directly below each section."""
        for section in content["sections"]:
            self._parts[section["parent"]].append(section["id"])
        for sections in self._chapters:
            self._add_pages(sections[0]["id"], sections)
        for kind, entities in content["entities"].items():
            self._add_pages(self._kind_id(kind), entities)
        self._entities = {entity["id"]: entity for entities in content["entities"].values() for entity in entities}
        self._rolls = [*self._rolling_tables()]
        self._rolls_of: dict[str, list[_Rolls]] = defaultdict(list)
        """The rollable tables, by the id of their section."""
        for rolls in self._rolls:
            self._rolls_of[rolls.table["section"]].append(rolls)
        self._folders: dict[tuple[str, ...], str] = {}
        """The id of each journal folder in Foundry VTT, by its path, in their order."""
        for sections in self._chapters:
            self._add_folder(self._chapter_folder(sections))
        if any(content["entities"].values()):
            self._add_folder((REFERENCE,))

    def _chapter_folder(self, sections: Sequence[Data]) -> tuple[str, ...]:
        """The path of a chapter's folder: the game's folder, then the folders that the chapter's file is in."""
        folders = sections[0]["source"]["path"].split("/")[:-1]
        return (self._game["title"], *folders)[:MAX_FOLDER_DEPTH]

    def _add_folder(self, path: tuple[str, ...]) -> None:
        for depth in range(1, len(path) + 1):
            own_id = f"{self._game['id']}#{depth}/{'/'.join(path[:depth])}"
            self._folders.setdefault(path[:depth], foundry_id(own_id))

    def _kind_id(self, kind: str) -> str:
        return f"{self._game['id']}/{kind}"

    def _add_pages(self, journal: str, pages: Sequence[Data]) -> None:
        for page in pages:
            uuid = f"Compendium.{self._module}.{RULES}.JournalEntry.{_journal_id(journal)}"
            uuid += f".JournalEntryPage.{foundry_id(page['id'])}"
            self._uuids[page["id"]] = uuid
            self._addresses.setdefault(page["url"], uuid)
            if "kind" not in page:
                # A link to a block that is not a section leads to the first section of its page.
                self._addresses.setdefault(page["url"].partition("#")[0], uuid)
            self._names[page["id"]] = page.get("title") or page.get("name") or page["id"]

    # --- journals

    def folders(self) -> Iterator[Document]:
        """The folders of the journals, which match those of the chapters' files, then the folder of kinds."""
        for position, (path, key) in enumerate(self._folders.items(), 1):
            yield self._folder(RULES, key, path[-1], self._folders.get(path[:-1]), position)

    def _folder(self, pack: str, key: str, name: str, parent: str | None, position: int) -> Document:
        content = {
            "_id": key,
            "_key": f"!folders!{key}",
            "name": name,
            "type": TYPES[pack],
            "folder": parent,
            "sorting": "m",
            "sort": position * SORT_STEP,
        }
        return Document(pack, f"folder_{key}", content)

    def chapters(self) -> Iterator[Document]:
        """A journal for each chapter, with a page for each section."""
        for position, sections in enumerate(self._chapters):
            pages = [
                (section["id"], section["title"], max(section["level"], 1), self._section(section))
                for section in sections
            ]
            folder = self._folders[self._chapter_folder(sections)]
            yield self._journal(sections[0]["id"], sections[0]["title"], folder, position, pages)

    def kinds(self) -> Iterator[Document]:
        """A journal for each kind that has entities, with a page for each of them."""
        for position, (kind, entities) in enumerate(self._content["entities"].items(), len(self._chapters)):
            pages = [(entity["id"], entity["name"], 1, self._entity(entity)) for entity in entities]
            if pages:
                name = self._content["kinds"][kind]["plural"]
                yield self._journal(self._kind_id(kind), name, self._folders[(REFERENCE,)], position, pages)

    def _section(self, section: Data) -> str:
        """The text of a section, with links to its rollable tables; if it has no text, the sections below it."""
        rolls = self._rolls_of.get(section["id"], ())
        uuids = [f"Compendium.{self._module}.{TABLES}.RollTable.{foundry_id(roll.id)}" for roll in rolls]
        links = [f"<p>{self._link(uuid, roll.name)}</p>" for uuid, roll in zip(uuids, rolls, strict=True)]
        text = self.html(section_text(section, self._entities, "html"))
        below = [] if text else self._parts[section["id"]]
        items = "".join(f"<li>{self._link(self._uuids[id], self._names[id])}</li>" for id in below)
        return "\n".join(filter(None, (text, f"<ul>{items}</ul>" if items else "", *links)))

    def _entity(self, entity: Data) -> str:
        """The text of an entity in the book, sentences made from its fields alone, and a link to its section."""
        words = _squashed(_words(entity["html"]))
        sentences = [line for line in entity["text"].split("\n") if _squashed(line) not in words]
        added = [f"<p>{_text(sentence)}</p>" for sentence in sentences]
        section = entity["section"]
        source = f"<p>{self._link(self._uuids[section], self._names[section])}</p>"
        return "\n".join(filter(None, (self.html(entity["html"]), *added, source)))

    def _journal(
        self, own_id: str, name: str, folder: str, position: int, pages: Sequence[tuple[str, str, int, str]]
    ) -> Document:
        """A journal. `pages` has kismet's id, title, level and HTML of each page."""
        key = _journal_id(own_id)
        written = [
            {
                "_id": foundry_id(page),
                "_key": f"!journal.pages!{key}.{foundry_id(page)}",
                "name": title or name,
                "type": "text",
                "title": {"show": True, "level": min(level, MAX_TITLE_LEVEL)},
                "text": {"format": 1, "content": html},
                "sort": (number + 1) * SORT_STEP,
                "flags": self._flags(page),
            }
            for number, (page, title, level, html) in enumerate(pages)
        ]
        content = {
            "_id": key,
            "_key": f"!journal!{key}",
            "name": name,
            "folder": folder,
            "categories": [],
            "pages": written,
        }
        return self._document(RULES, own_id, {**content, "sort": (position + 1) * SORT_STEP})

    def _document(self, pack: str, own_id: str, content: dict[str, Any]) -> Document:
        name = own_id.rpartition("/")[2].replace("#", "-")
        return Document(pack, f"{name}_{content['_id']}", {**content, "flags": self._flags(own_id)})

    def _flags(self, own_id: str) -> dict[str, Any]:
        return {self._module: {"id": own_id}}

    # --- status effects

    def status_effects(self) -> list[dict[str, Any]]:
        """The states for the menu of a token: the entities of each kind that effects cause, such as conditions.

        If effects cause no entities, the states are the entities that change a roll, which `situation` takes as states.
        """
        caused = {
            self._entities[id]["kind"]
            for entity in self._entities.values()
            for effect in entity["effects"]
            for id in effect.get("causes", ())
            if id in self._entities
        }
        states = [
            entity
            for entity in self._entities.values()
            if (entity["kind"] in caused if caused else self._changes_roll(entity))
        ]
        return [
            {
                # Keys must not have dots: when Foundry VTT merges objects, it takes a key with dots for a path.
                "id": "_".join((self._module, *entity["id"].split("/")[1:])),
                "name": entity["name"],
                "img": STATUS_ICON,
                "description": f"<p>{self._link(self._uuids[entity['id']], entity['name'])}</p>",
            }
            for entity in states
        ]

    def _changes_roll(self, entity: Data) -> bool:
        """Whether an entity has an effect that an input of a roll takes."""
        rolls = {roll["id"]: roll for roll in self._content.get("rolls", ())}
        circumstances = self._content.get("circumstances", {})
        found = (
            influence
            for roll in rolls
            for side in SIDES
            for group in influences(rolls, roll, frozenset(), {side: [entity]}, {}, circumstances)
            for influence in group
        )
        return any(influence.input for influence in found)

    # --- tables

    def tables(self) -> Iterator[Document]:
        for position, rolls in enumerate(self._rolls, 1):
            yield self._table(rolls, position)

    def _rolling_tables(self) -> Iterator[_Rolls]:
        """The rollable tables. A table with columns side by side, each with its own roll, becomes several."""
        for table in self._content["tables"]:
            if not table["die"] or _formula(table["die"]) is None:
                continue
            columns = tuple(sorted({result.column for result in results_of(table)}))
            groups = [(column,) for column in columns] if have_own_rolls(columns) else [columns]
            name = table["caption"] or self._names[table["section"]]
            for group in groups:
                if len(groups) > 1:
                    column = group[0]
                    yield _Rolls(
                        f"{table['id']}#{column}", f"{name}: {table['columns'][column]}", table, group, columns
                    )
                else:
                    yield _Rolls(table["id"], name, table, group, columns)

    def _table(self, rolls: _Rolls, position: int) -> Document:
        own_id, table = rolls.id, rolls.table
        key = foundry_id(own_id)
        low, high = _bounds(table["die"])
        results = []
        for listed in results_of(table):
            first = low if listed.low is None else max(low, listed.low)
            last = high if listed.high is None else min(high, listed.high)
            if listed.column not in rolls.group or first > last:
                continue
            result = foundry_id(f"{own_id}#{listed.row}.{listed.place}")
            shown = decided_columns(len(table["columns"]), listed.column, rolls.columns)
            results.append(
                {
                    "_id": result,
                    "_key": f"!tables.results!{key}.{result}",
                    "type": "text",
                    "description": self._result(table, listed.row, shown),
                    "weight": last - first + 1,
                    "range": [first, last],
                    "drawn": False,
                }
            )
        content = {
            "_id": key,
            "_key": f"!tables!{key}",
            "name": rolls.name,
            "description": f"<p>{self._link(self._uuids[table['section']], self._names[table['section']])}</p>",
            "formula": _formula(table["die"]),
            "replacement": True,
            "displayRoll": True,
            "results": results,
            "sort": position * SORT_STEP,
        }
        return self._document(TABLES, own_id, content)

    def _result(self, table: Data, row: int, columns: Sequence[int]) -> str:
        """The cells of a row as the text of a result: the first in bold, the others after their headers."""
        cells = [(table["columns"][column], self._cell(table, row, column)) for column in columns]
        cells = [(header, cell) for header, cell in cells if cell]
        if len(cells) < 2:
            return "".join(cell for _, cell in cells)
        (_, first), *others = cells
        lines = [f"{_text(header)}: {cell}" if header else cell for header, cell in others]
        return "".join((f"<p><strong>{first}</strong></p>", *(f"<p>{line}</p>" for line in lines)))

    def _cell(self, table: Data, row: int, column: int) -> str:
        html = table["html"][row][column] if "html" in table else None
        return _text(table["rows"][row][column]) if html is None else self.html(html)

    # --- macros

    def macros(self) -> Iterator[Document]:
        """A macro for each calculator whose formula a script can express, in a folder for its subject."""
        calculators = {each["id"].rpartition("/")[2]: each for each in self._content["calculators"]}
        folders: dict[str, str] = {}
        for position, calculator in enumerate(calculators.values(), 1):
            command = macro_command(calculator, calculators, _formula)
            if command is not None:
                group = calculator["group"]
                if group not in folders:
                    folders[group] = foundry_id(f"{self._game['id']}#macros/{group}")
                    yield self._folder(MACROS, folders[group], subject_title(group), None, len(folders))
                key = foundry_id(calculator["id"])
                content = {
                    "_id": key,
                    "_key": f"!macros!{key}",
                    "name": calculator["title"],
                    "type": "script",
                    "scope": "global",
                    "img": MACRO_ICON,
                    "command": command,
                    "folder": folders[group],
                    "sort": position * SORT_STEP,
                }
                yield self._document(MACROS, calculator["id"], content)

    # --- HTML

    def html(self, html: str) -> str:
        """Convert HTML of the website to HTML for a page.

        Links lead to documents, or to the website if it has a URL.
        """
        if "footnote-back" not in html:  # the footnotes are on another page
            html = FOOTNOTE_MARK.sub("", html)
        html = IMAGE.sub(self._image, ELEMENT_ID.sub(r"\1", _without_commands(html)))
        return DICE.sub(_inline_roll, LINK.sub(self._replaced, html))

    def _replaced(self, match: re.Match[str]) -> str:
        label = DICE.sub(r"\2", match[2])  # an inline roll inside a link would be a link in a link
        address = unescape(_attribute(match[1], "href"))
        if address.startswith("#"):
            return "" if "footnote-back" in match[1] else label
        if re.match(r"[a-z]+:", address):
            return f"<a{match[1]}>{label}</a>"
        page, _, fragment = address.partition("#")
        uuid = self._addresses.get(address) or (self._addresses.get(page) if fragment else None)
        if uuid is not None:
            return self._link(uuid, unescape(TAG.sub("", label)))
        site = self._game["url"]
        return f'<a href="{escape(site + address)}">{label}</a>' if site else label

    def _image(self, match: re.Match[str]) -> str:
        address = unescape(_attribute(match[1], "src"))
        if re.match(r"[a-z]+:", address):
            return match[0]
        words = _attribute(match[1], "alt")
        if address in self._attachments:
            self.images.add(address)
            return f'<img src="modules/{self._module}/{escape(address)}" alt="{words}">'
        site = self._game["url"]
        return f'<img src="{escape(site + address)}" alt="{words}">' if site else words

    @staticmethod
    def _link(uuid: str, label: str) -> str:
        """A link to a document. Braces are replaced, as they would end the label."""
        words = " ".join(label.replace("{", "(").replace("}", ")").split())
        return f"@UUID[{uuid}]{{{_text(words)}}}" if words else ""


def _inline_roll(match: re.Match[str]) -> str:
    """Dice as a roll in the text, or as text if Foundry VTT cannot write them."""
    formula = _formula(unescape(match[1]))
    words = unescape(TAG.sub("", match[2])).replace("{", "(").replace("}", ")")
    return f"[[/roll {formula}]]{{{_text(words)}}}" if formula else match[2]


def _formula(die: str) -> str | None:
    """The formula for dice in Foundry VTT; `None` for some, such as `adv(2d6)`."""
    if die in FORMULAS:
        return FORMULAS[die]
    formula = re.sub(r"(?<=\d)(?:!|\+(?!\d*d?\d))", "x", die.replace(" ", ""))
    if twice := TWICE.fullmatch(formula):
        formula = f"2{twice['die']}k{'h' if twice['which'] == 'adv' else 'l'}{twice['rest']}"
    return formula if FORMULA.fullmatch(formula) else None


def _bounds(die: str) -> tuple[int, int]:
    """The lowest and highest result of dice. For exploding dice, the highest computed result is used."""
    outcomes = odds(parse(die)).outcomes
    return outcomes[0][0], outcomes[-1][0]


def _attribute(attributes: str, name: str) -> str:
    found = re.search(rf'\b{name}="([^"]*)"', attributes)
    return found[1] if found else ""


def _text(text: str) -> str:
    return escape(_without_commands(text), quote=False)


def _without_commands(text: str) -> str:
    return COMMAND.sub(lambda start: start[0] + WORD_JOINER, text)


def _words(html: str) -> str:
    return unescape(TAG.sub("", html))


def _squashed(text: str) -> str:
    return "".join(text.split())

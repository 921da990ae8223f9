"""The fields of a record do not depend on the shape in which its author wrote them."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kismet_build.config.load_library import load_library
from kismet_build.driver.compile import compile_game
from kismet_build.extract.note_shape import field_key
from kismet_build.model.text_normalization import normalize
from kismet_build.pack import Pack
from tests.command import RULEBOOKS, skip_without_originals, write_files

VAULTS = RULEBOOKS.parent / "vaults"
NOTES = 6
LETTERS = {
    "Latin": "abcdefghijklmnoprstuvw",
    "German": "abdegklmnrstuäöüß",
    "French": "acdeilmnoprstuéèàç",
    "Greek": "αβγδεηθικλμνοπρστυ",
    "Cyrillic": "абвгдежзиклмнопрст",
    "Vietnamese": "ăâđêôơưạảấầẩ",
}
Fields = Mapping[str, str]


def by_line(form: str, separator: str = "\n\n") -> Callable[[Fields], str]:
    return lambda fields: separator.join(form.format(label, value) for label, value in fields.items())


def columns(fields: Fields) -> str:
    return "| A | B |\n|---|---|\n" + "".join(f"| {label} | {value} |\n" for label, value in fields.items())


def row(fields: Fields) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (fields, ["---"] * len(fields), fields.values()))


SHAPES: Mapping[str, Callable[[Fields], str]] = {
    "bold": by_line("**{}** {}"),
    "bold with colon": by_line("**{}:** {}", "\n"),
    "colon after bold": by_line("**{}**: {}", "\n"),
    "italics": by_line("*{}:* {}"),
    "HTML": by_line("<b>{}</b> {}", "\n"),
    "small capitals": by_line('<span style="font-variant: small-caps">{}</span> {}'),
    "list": by_line("- **{}:** {}", "\n"),
    "quote": by_line("> **• {}:** {}", "\n"),
    "callout": lambda fields: "> [!info] Facts\n" + by_line("> - **{}:** {}", "\n")(fields),
    "one line, semicolons": by_line("**{}** {}", "; "),
    "one line, two spaces": by_line("**{}** {}", "  "),
    "one line, a space": by_line("**{}** {}", " "),
    "one line, colons": by_line("**{}:** {}", " "),
    "two columns": columns,
    "two columns, bold": lambda fields: columns({f"**{label}**": value for label, value in fields.items()}),
    "one row": row,
    "definition list": by_line("{}\n: {}"),
    "inline fields": by_line("{}:: {}", "\n"),
    "properties": lambda _: "",
    "list of maps": lambda _: "",
}


def properties(shape: str, fields: Fields) -> str:
    match shape:
        case "properties":
            return "---\n" + by_line("'{}': '{}'", "\n")(fields) + "\n---\n"
        case "list of maps":
            return "---\nfacts:\n" + by_line("  - '{}': '{}'", "\n")(fields) + "\n---\n"
        case _:
            return ""


def words(random: Random, letters: str, number: int) -> list[str]:
    """Different words, of which no field is left out, such as `no`."""
    found: dict[str, str] = {}
    while len(found) < number:
        word = "".join(random.choices(letters, k=random.randint(4, 9)))
        found.setdefault(field_key(word), word.capitalize())
    return [*found.values()]


def compiled(folder: Path) -> Pack:
    return compile_game(load_library(folder, None, lambda _: None).games[0], lambda _: None)


@pytest.mark.parametrize("letters", LETTERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_record_is_read_in_each_shape(tmp_path: Path, shape: str, letters: str) -> None:
    random = Random(f"{shape} {letters}")
    labels = words(random, LETTERS[letters], 4)
    texts: dict[str, str] = {}
    expected: dict[str, Fields] = {}
    for number in range(NOTES):
        fields = dict(zip(labels, words(random, LETTERS[letters], 4), strict=True))
        path = f"Foes/Foe {number}.md"
        texts[path] = (
            f"{properties(shape, fields)}# Foe {number}\n\n{SHAPES[shape](fields)}\n\nIt sleeps **all day**.\n"
        )
        expected[path] = {field_key(label): value for label, value in fields.items()}
    pack = compiled(write_files(tmp_path / "vault", texts))
    (kind,) = (kind for kind in pack.entities if kind != "term")
    found = {entity.span.source.path: entity.fields for entity in pack.entities[kind]}
    if shape == "list of maps":
        found = {path: fields["facts"] for path, fields in found.items()}
    assert found == expected


def strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for item in value.values():
                yield from strings(item)
        case list() | tuple():
            for item in value:
                yield from strings(item)


def test_a_field_of_a_real_vault_has_neither_json_nor_the_label_of_another() -> None:
    vaults = sorted(folder for folder in VAULTS.glob("*/") if folder.name != "editions")
    if not vaults:
        skip_without_originals()
    for vault in vaults:
        pack = compiled(vault)
        for kind, entities in pack.entities.items():
            titles = {
                name: normalize(str(rule.schema.get("title", name)))
                for name, rule in pack.game.kinds[kind].rules.items()
            }
            # The text below a heading may have labels that are fields, too.
            free = {name for name, rule in pack.game.kinds[kind].rules.items() if rule.free}
            for entity in entities:
                for name, value in entity.fields.items():
                    for text in strings(value):
                        others = [title for other, title in titles.items() if other != name]
                        assert '{"' not in text, (entity.id, name)
                        is_free = name in free or len(text) > 300
                        assert is_free or not [o for o in others if f"{o}:" in normalize(text)], entity.id

"""Properties of all vaults: no word is lost, and an edit gives what a build from nothing gives."""

import json
import re
import zipfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kismet_build.config.game import SplitRule
from kismet_build.mechanics.dice.find import find_dice, with_english_dice
from kismet_build.model.downloads import LINKED_EXPORTS
from kismet_build.model.language import Language
from kismet_build.model.memo import Memo
from kismet_build.model.tag import clean_tag, tag_key, tag_names, tags_of_properties
from kismet_build.model.titles import display_titles
from kismet_build.output.verify_bundle import verify_bundle
from tests.exports import exported
from tests.extensions.packages.test_foundry import check_words
from tests.hard.fuzz.targets import (
    VERSION_MARK,
    check_edit,
    check_words_of_files,
    compile_notes,
    input_of,
    queries,
    render,
    vault,
)

NAMES = ("Crow", "Vole", "Old Mill", "Beasts", "Ätna", "house_rules")
PATHS = [*(f"{name}.md" for name in NAMES), *(f"Beasts/{name}.md" for name in NAMES), "Beasts/index.md", "README.md"]
VALUES = st.one_of(
    st.integers(-99, 10**6),
    st.sampled_from(
        ["1,5", "'0,8'", "3.25", "true", "", "~", "moor", "[moor, fen]", "[1, 2]", "{roll: 1d6, reach: 2}"]
    ),
    st.sampled_from(
        ["'[[Crow]]'", "[[Vole]]", "'[[Nowhere|lost]]'", "'`dice: 2W6`'", "'2d6 and [[Old Mill#A|mills]]'"]
    ),
)
PROPERTIES = st.dictionaries(
    st.sampled_from(["harm", "level", "kin", "tags", "aliases", "title", "type", "sidebar_position"]),
    VALUES,
    max_size=4,
).map(lambda values: "".join(f"{name}: {value}\n" for name, value in values.items()))
STATBLOCKS = st.tuples(
    st.sampled_from(["", "name: Crow\n", "name: Vole\n"]),
    st.sampled_from(["", "extends: Crow\n", "extends: [Vole, Crow]\n", "layout: Beast\n", "statblock: inline\n"]),
    st.sampled_from(["hp: 3\n", "actions:\n  - name: Bite\n    desc: 1d6 to [[Crow]]\n", "str: 1\n", "a: [\n", ""]),
).map(lambda lines: f"```statblock\n{''.join(lines)}```\n")
LINES = st.sampled_from(
    [
        *(
            "# Vole\n",
            "## A\n",
            "\n",
            "Words of a moor.\n",
            "#Moor/Bog and #moor\n",
            "Prey:: [[Vole]]\n",
            "[harm:: 2]\n",
        ),
        *("**Cost:** 3\n", "![[Crow]]\n", "[[Beasts/]] [x](Old%20Mill.md)\n", "Take 2W6+1, `dice: 1d6` or W20.\n"),
        *(
            "| W20 | Rain |\n| - | - |\n| 1-19 | dry |\n| 20 | wet |\n",
            "\n^table\n\n",
            "`dice: [[#^table]]`\n",
            "%%gone%%\n",
        ),
        *("One[^1]\n\n[^1]: note\n", "> [!note] Title\n> Text\n", "Die Krähe ist ein Vogel und fliegt nicht weit.\n"),
    ]
)
BODIES = st.lists(LINES | STATBLOCKS, max_size=6).map("".join)
NOTES = st.builds(lambda properties, body: f"---\n{properties}---\n{body}" if properties else body, PROPERTIES, BODIES)
SPLIT = replace(
    vault().with_options(linked_exports=LINKED_EXPORTS),
    definition=replace(vault().definition, split=SplitRule(0, 50)),
)
"""A vault whose chapters are split wherever they can be, published as a bundle too."""
VAULTS = st.dictionaries(st.sampled_from(PATHS), NOTES, min_size=1, max_size=5)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(notes=VAULTS, edited=VAULTS)
def test_any_vault_keeps_its_words_and_an_edit_equals_a_build(notes: dict[str, str], edited: dict[str, str]) -> None:
    queries((input_of(notes) + VERSION_MARK + input_of(edited)).encode())


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(notes=VAULTS, edited=VAULTS)
def test_so_does_any_vault_with_split_chapters_and_a_bundle(notes: dict[str, str], edited: dict[str, str]) -> None:
    check_edit((input_of(notes) + VERSION_MARK + input_of(edited)).encode(), SPLIT)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(notes=VAULTS)
def test_pages_of_split_chapters_have_all_words_and_bundles_are_whole(notes: dict[str, str]) -> None:
    pack, _ = compile_notes(notes, Memo(), SPLIT)
    files = render(pack)
    files |= exported(files, pack.game.id)
    pages = {path: content for path, content in files.items() if path.endswith(".html") and "/print/" not in path}
    check_words_of_files(pack, pages)
    with TemporaryDirectory() as folder:
        for path in (path for path in files if path.endswith((".zip", ".tgz", ".whl"))):
            bundle = Path(folder, "bundle")
            bundle.write_bytes(files[path])
            assert verify_bundle(bundle).titles, path
    (module,) = (content for path, content in files.items() if path.endswith("-foundry.zip"))
    with zipfile.ZipFile(BytesIO(module)) as archive:
        check_words(
            json.loads(files["data/vault/pack.json"]), {name: archive.read(name) for name in archive.namelist()}
        )


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    values=st.lists(
        st.fixed_dictionaries({"harm": VALUES, "kin": VALUES, "level": st.integers(0, 9)}), min_size=3, max_size=5
    )
)
def test_no_word_of_a_property_of_a_found_kind_is_lost(values: list[dict[str, Any]]) -> None:
    notes = {
        f"Beasts/Beast {number}.md": "---\n" + "".join(f"{key}: {value}\n" for key, value in of_note.items()) + "---\n"
        for number, of_note in enumerate(values)
    }
    pack, diagnostics = compile_notes(notes, Memo())
    data = json.loads(render(pack)["data/vault/pack.json"])
    for number, entity in enumerate(data["entities"]["beast"]):
        fields = json.dumps([entity["fields"], data["dice"]]).replace(".5", ",5")
        for value in values[number].values():
            shown = re.sub(r"\[\[[^]|]*\||dice:|2W6|true|~", " ", str(value))  # true and null have no words
            for word in re.findall(r"\w[\w,]*", shown.replace(".5", ",5")):
                # A number that is a text of another language is reported.
                assert word.strip(",") in fields or any("ambiguous-number" in line for line in diagnostics), word


@given(st.lists(st.text(alphabet="aB/-_ öÖ#ß1🐉İ", max_size=8), max_size=6), st.lists(st.text(max_size=6), max_size=3))
@example(["a/b", "A"], [])
def test_each_tag_has_an_address_that_no_other_tag_moves(tags: list[str], others: list[str]) -> None:
    first, second = (tags_of_properties({"tags": [*values]}) for values in (tags, [*tags, *others]))
    addresses = {key: name.slug for key, name in tag_names(first).items()}
    assert addresses.items() <= {key: name.slug for key, name in tag_names(second).items()}.items()
    assert len({*addresses.values()}) == len(addresses)
    assert all(tag_key(tag) in addresses and clean_tag(tag) == tag for tag in first)


@given(
    st.lists(
        st.sampled_from(
            ["Roll ", "2W6", "W20", "w6", "1W100+3", "3W8-1", "W7", "xW6", "W6x", " and ", "+", ".", ", ", "W", "4"]
        ),
        max_size=9,
    )
)
def test_german_dice_are_the_english_ones(parts: list[str]) -> None:
    german = "".join(parts)
    english = re.sub(r"(?<![^\W0-9])W(?=(?:4|6|8|10|12|20|30|100)(?!\d))", "d", german)
    assert len(with_english_dice(german, Language("de"))) == len(german)
    assert [*find_dice(with_english_dice(german, Language("de")))] == [*find_dice(english)]


@given(st.lists(st.text(alphabet="aBc1 2-_.é", min_size=1, max_size=8), min_size=1, max_size=4), st.booleans())
def test_the_title_of_a_folder_or_text_has_its_words(parts: list[str], is_plain: bool) -> None:
    path = "/".join(parts)
    for name, title in display_titles([f"{path}.md", "1 A.md", "2 B.md"], is_plain).items():
        assert title.strip() or not name.strip()
        words = re.findall(r"[^\W\d_]+", name.rpartition("/")[2])
        assert [word.casefold() for word in re.findall(r"[^\W\d_]+", title)] == [word.casefold() for word in words]

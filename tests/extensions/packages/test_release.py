"""`kismet build --release` and `--against` refuse a version that does not say how much the data changed."""

import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from kismet_build.extensions.packages.archive import MANIFEST, with_manifest
from kismet_build.extensions.packages.release import Released, judge
from kismet_build.model.archives import zip_file
from kismet_build.model.downloads import archive_names
from kismet_build.output.finished_data import finished_data
from kismet_build.output.verify_bundle import BadBundle
from tests.command import kismet, tree, write_files
from tests.small_library import GAME, TEXT, write_library

ID = "ember-court"
BUNDLE = archive_names(ID, "1.0.0").zip
FOG = "\n### Fog\n\nNobody sees you.\n\n**Cost:** 1\n"
UNFIT = "kismet: ember-court 1.0.0: it must be at least {} because of the changes since 1.0.0 in "
UNCHANGED = 'kismet: "out" is unchanged: set the version in game.yaml, then build again'


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("released")
    run = kismet("build", write_library(folder / "game"), "--out", folder / "out", "--bundle", "--no-search")
    assert run.status == 0, run.err
    return folder / "out"


@pytest.fixture
def court(tmp_path: Path, released: Path) -> Path:
    """A folder with the released texts and, in `out`, their tree."""
    write_library(tmp_path / "game")
    shutil.copytree(released, tmp_path / "out")
    return tmp_path


def write(court: Path, text: str, version: str = "1.0.0", migrations: str = "") -> None:
    write_library(court / "game", text=text, game=GAME.replace("version: 1.0.0", f"version: {version}"))
    if migrations:
        write_files(court, {"game/migrations.yaml": migrations})


CURTSY = TEXT.replace("### Bow", "### Curtsy").replace("#Bow", "#Curtsy")
MIGRATION = "- {from: grace/bow, to: grace/curtsy, date: '2026-11-01', reason: A better word.}\n"


@pytest.mark.parametrize(
    ("text", "migrations", "needed", "changes"),
    [
        (TEXT, "", "", []),
        (
            TEXT.replace("the room forgives", "the whole room forgives"),
            "",
            "1.0.1 (patch)",
            ["patch: 2 changed: grace Bow, section Bow"],
        ),
        (TEXT + FOG, "", "1.1.0 (minor)", ["minor: 2 added: grace Fog, section Fog"]),
        (
            CURTSY,
            MIGRATION,
            "2.0.0 (major)",
            ["major: 1 removed: section Bow", "major: 1 renamed: grace Bow (now ember-court/grace/curtsy)"],
        ),
        (
            CURTSY.replace("You bend", "**Alias:** Bow\n\nYou bend"),
            "",
            "2.0.0 (major)",
            ["major: 2 removed: grace Bow, section Bow", "minor: 2 added: grace Curtsy, section Curtsy"],
        ),
        (
            TEXT[: TEXT.index("### Whisper")],
            "",
            "2.0.0 (major)",
            ["major: 2 removed: grace Whisper, section Whisper"],
        ),
    ],
    ids=["unchanged", "words", "added", "renamed", "replaced", "removed"],
)
def test_changed_data_needs_a_version_that_says_so(
    court: Path, text: str, migrations: str, needed: str, changes: list[str]
) -> None:
    write(court, text, migrations=migrations)
    before = tree(court / "out")
    arguments = ("build", "game", "--out", "out", "--no-search", "--release")
    run = kismet(*arguments, cwd=court)
    if not needed:
        assert run.status == 0, run.err
        assert 'ember-court 1.0.0: the data is the same as that of 1.0.0 in "out"' in run.out
        return
    assert run.status == 1
    lines = run.err.splitlines()
    assert lines[0] == UNFIT.format(needed) + '"out"'
    assert [line.strip() for line in lines[1:]][: len(changes)] == changes
    assert lines[-1] == UNCHANGED
    assert tree(court / "out") == before
    write(court, text, needed.split()[0], migrations)
    fits = kismet(*arguments, cwd=court)
    assert fits.status == 0, fits.err
    assert f'ember-court {needed.split()[0]}: the version fits the changes since 1.0.0 in "out"' in fits.out
    assert changes[0] in fits.out.splitlines()


def test_first_release_has_nothing_to_compare_with(tmp_path: Path) -> None:
    run = kismet("build", write_library(tmp_path / "game"), "--out", tmp_path / "out", "--no-search", "--release")
    assert run.status == 0, run.err
    assert "ember-court 1.0.0: the first release, so nothing was compared" in run.out.splitlines()


def test_released_data_may_be_a_site_a_folder_of_data_a_bundle_or_a_folder_of_bundles(
    court: Path, released: Path
) -> None:
    bundle = released / "data" / ID / BUNDLE
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(court / "unpacked")
    write(court, TEXT + FOG)
    before = tree(court / "out")
    for against in (released, released / "data", bundle, bundle.parent, court / "unpacked"):
        run = kismet("build", "game", "--out", "out", "--no-search", "--against", against, cwd=court)
        assert run.status == 1, run.output
        place = bundle if against == bundle.parent else against
        assert run.err.splitlines()[0] == UNFIT.format("1.1.0 (minor)") + f'"{place}"'
        assert tree(court / "out") == before


def test_a_common_build_says_once_what_its_version_does_not(court: Path) -> None:
    build = ("build", "game", "--out", "out", "--no-search")
    line = "ember-court: the data changed under version 1.0.0; its release needs 1.1.0 (minor)"
    assert kismet(*build, cwd=court).out.count("under version") == 0
    write(court, TEXT + FOG)
    run = kismet(*build, cwd=court)
    assert run.status == 0, run.err
    assert line in run.out.splitlines()
    assert "under version" not in kismet(*build, cwd=court).output
    write(court, TEXT, "2.0.0")
    assert "under version" not in kismet(*build, cwd=court).output
    # The present tree of a common build may be damaged.
    (court / "out" / "data" / ID / "pack.json").write_bytes(b"{}")
    write(court, TEXT + FOG, "2.0.0")
    assert kismet(*build, cwd=court).status == 0


def test_an_unchanged_build_is_compared_too(court: Path, released: Path) -> None:
    write(court, TEXT + FOG)
    build = ("build", "game", "--out", "out", "--no-search")
    assert kismet(*build, cwd=court).status == 0
    run = kismet(*build, "--against", released, cwd=court)
    assert run.status == 1
    assert run.err.startswith(UNFIT.format("1.1.0 (minor)"))


@pytest.mark.parametrize(
    ("old", "new", "text", "status", "message"),
    [
        ("1.0.0", "first edition", TEXT, 2, 'a release needs a version of one to three numbers, such as 1.0.0, not "f'),
        ("1.0.0", "1.0.0-beta", TEXT, 2, 'a release needs a version of one to three numbers, such as 1.0.0, not "1'),
        ("1.0.0", "0.9", TEXT, 1, "ember-court 0.9: the version is lower than the released one, 1.0.0 in"),
        ("1.0.0", "1.0", TEXT, 0, ""),
        ("first edition", "1.0.0", TEXT + FOG, 0, ""),
        ("0.3", "0.3.1", TEXT + FOG, 0, ""),
        ("0.3", "0.3.1", CURTSY, 1, "ember-court 0.3.1: it must be at least 0.4.0 (major)"),
        ("1.9", "1.10", TEXT + FOG, 0, ""),
    ],
)
def test_versions_are_numbers_and_go_up(
    tmp_path: Path, old: str, new: str, text: str, status: int, message: str
) -> None:
    build = ("build", "game", "--out", "out", "--no-search")
    write(tmp_path, TEXT, old)
    assert kismet(*build, cwd=tmp_path).status == 0
    write(tmp_path, text, new)
    run = kismet(*build, "--release", cwd=tmp_path)
    assert (run.status, message in run.err) == (status, True), run.output
    assert len(run.err.splitlines()) == (0, len(run.err.splitlines()), 2)[status]


# --- what cannot be compared


def packed(files: dict[str, bytes]) -> bytes:
    return zip_file(with_manifest({name: content for name, content in files.items() if name != MANIFEST}))


def with_pack(files: dict[str, bytes], change: Callable[[dict[str, Any]], object]) -> bytes:
    pack = json.loads(files[f"{ID}/pack.json"])
    change(pack)
    return packed({**files, f"{ID}/pack.json": json.dumps(pack).encode()})


BAD: dict[str, tuple[Callable[[dict[str, bytes]], bytes], str]] = {
    "half a bundle": (lambda files: packed(files)[:5000], "cannot be read, perhaps because it is cut off"),
    "altered": (lambda files: zip_file({**files, f"{ID}/pack.json": files[f"{ID}/pack.json"] + b" "}), "was altered"),
    "half a pack": (
        lambda files: packed({**files, f"{ID}/pack.json": files[f"{ID}/pack.json"][:2000]}),
        "is damaged: ember-court/pack.json is not JSON",
    ),
    "no tables": (lambda files: with_pack(files, lambda pack: pack.pop("tables")), "is incomplete or has another form"),
    "no entities": (
        lambda files: with_pack(files, lambda pack: pack.update(entities=[1])),
        "is incomplete or has another form",
    ),
    "a newer format": (lambda files: with_pack(files, lambda pack: pack.update(format=9)), "has the format 9"),
    "no format": (lambda files: with_pack(files, lambda pack: pack.pop("format")), "has the format None"),
    "no schemas": (
        lambda files: packed({name: content for name, content in files.items() if "schemas" not in name}),
        "has no schema of its data: name the zip with all data of the game",
    ),
    "no pack": (
        lambda files: packed({f"{ID}/names.json": files[f"{ID}/names.json"]}),
        "it has neither pack.json nor module.json",
    ),
    "a text": (lambda _: b"Words.", "it is neither a zip nor a tgz"),
    "nothing": (lambda _: b"", "it is neither a zip nor a tgz"),
}


@pytest.mark.parametrize("bad", BAD)
def test_released_data_that_cannot_be_compared_is_one_clear_message(court: Path, bad: str) -> None:
    with zipfile.ZipFile(court / "out" / "data" / ID / BUNDLE) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    make, message = BAD[bad]
    (court / "old.zip").write_bytes(make(files))
    before = tree(court / "out")
    write(court, TEXT + FOG)
    run = kismet("build", "game", "--out", "out", "--no-search", "--against", "old.zip", cwd=court)
    assert (run.status, run.out) == (2, "")
    assert message in run.err
    assert '"old.zip"' in run.err
    assert run.err.count("\n") == 1
    assert tree(court / "out") == before


@pytest.mark.parametrize(
    ("against", "message"),
    [
        ("nowhere", 'there is no "nowhere"'),
        ("game", '"game" is not a bundle: it has no manifest.json'),
        (f"out/data/{ID}/{archive_names(ID, '1.0.0').wheel}", "has no schema of its data"),
        (f"out/data/{ID}/{archive_names(ID, '1.0.0').foundry}", "has no pack.json to compare with"),
        ("both", 'there are two versions of "ember-court" to compare with, 1.0.0 in "both/1.zip" and 1.1.0 in'),
    ],
)
def test_a_path_without_released_data_is_one_clear_message(court: Path, against: str, message: str) -> None:
    write_files(court, {"both/1.zip": (court / "out" / "data" / ID / BUNDLE).read_bytes()})
    write(court, TEXT + FOG, "1.1.0")
    assert kismet("build", "game", "--out", "other", "--no-search", "--bundle", cwd=court).status == 0
    shutil.copy(court / "other" / "data" / ID / archive_names(ID, "1.1.0").zip, court / "both" / "2.zip")
    run = kismet("build", "game", "--out", "out", "--no-search", "--against", against, cwd=court)
    assert (run.status, run.out) == (2, "")
    assert message in run.err
    assert run.err.count("\n") == 1


def damaged(value: Any) -> Iterator[Any]:
    """A JSON value with one part missing or of another type: each part in turn, of lists only the first one."""
    yield from (None, [5], {"x": 5})
    if isinstance(value, dict):
        for key in value:
            yield {name: other for name, other in value.items() if name != key}
            yield from ({**value, key: part} for part in damaged(value[key]))
    elif isinstance(value, list) and value:
        yield from ([part, *value[1:]] for part in damaged(value[0]))


def test_data_with_any_part_damaged_is_compared_or_refused_with_a_message(released: Path) -> None:
    """Damage never raises an exception of another type, which would be a traceback."""
    paths = (f"data/{ID}/pack.json", f"data/schemas/{ID}/pack.json")
    pack, schema = (json.loads((released / path).read_bytes()) for path in paths)
    definitions = schema["$defs"]
    schemas = (
        {**schema, "$defs": {**definitions, name: part}}
        for name in ("Entity", "Grace", "GraceFields")
        for part in damaged(definitions[name])
    )
    cases = [*((old, schema) for old in damaged(pack)), *((pack, old) for old in schemas)]
    refused = 0
    for case in cases:
        files = dict(zip(paths, (json.dumps(part).encode() for part in case), strict=True))
        try:
            [verdict] = judge({ID: Released(finished_data(ID, files), Path("old"))}, released)
            assert [*verdict.lines()]
        except BadBundle:
            refused += 1
    assert len(cases) > 500
    assert 100 < refused < len(cases) - 100


# --- changes by kismet


def change_released(court: Path, change: Callable[[dict[str, Any]], object]) -> None:
    data = court / "out" / "data"
    pack = json.loads((data / ID / "pack.json").read_bytes())
    change(pack)
    content = json.dumps(pack).encode()
    (data / ID / "pack.json").write_bytes(content)
    manifest = json.loads((data / MANIFEST).read_bytes())
    for entry in manifest["files"]:
        if entry["path"] == f"{ID}/pack.json":
            entry |= {"size": len(content), "sha256": sha256(content).hexdigest()}
    (data / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "needed", "lines"),
    [
        (
            lambda pack: pack.update(format=2, entities=None, generator="kismet-build 0.0.1"),
            "2.0.0 (major)",
            ["major: 1 changed by kismet-build: the format 2 to 3", "made by kismet-build 0.0.1, the new data by "],
        ),
        (
            lambda pack: (pack["entities"]["grace"][0].update(html="<p>Old</p>"), pack.pop("generator")),
            "1.0.1 (patch)",
            ["patch: 1 changed only in HTML, links or addresses: grace Bow", "made by another kismet-build, the new"],
        ),
        (
            lambda pack: pack["entities"]["grace"][0]["fields"].update(cost=9),
            "1.0.1 (patch)",
            ["patch: 1 changed: grace Bow", "the texts are the same: the change comes from game.yaml or another"],
        ),
    ],
)
def test_changes_without_a_change_of_the_texts_are_named_as_such(
    court: Path, change: Callable[[dict[str, Any]], object], needed: str, lines: list[str]
) -> None:
    change_released(court, change)
    run = kismet("build", "game", "--out", "out", "--no-search", "--release", cwd=court)
    assert run.status == 1, run.output
    first, *rest = run.err.splitlines()
    assert first.startswith(UNFIT.format(needed))
    assert all(line in found for line, found in zip(lines, rest, strict=False)), rest


@pytest.mark.parametrize(
    "change",
    [
        lambda pack: pack.update(diagnostics={}, generator="kismet-build 0.0.1"),
        lambda pack: pack["game"].update(url="https://court.example/", sources=[]),
        lambda pack: pack["entities"]["grace"][0]["source"].update(line=99),
    ],
)
def test_places_addresses_and_programs_need_no_step(court: Path, change: Callable[[dict[str, Any]], object]) -> None:
    change_released(court, change)
    run = kismet("build", "game", "--out", "out", "--no-search", "--no-cache", "--release", cwd=court)
    assert run.status == 0, run.output
    assert "the data is the same" in run.out

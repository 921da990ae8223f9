"""`kismet data verify` distinguishes a complete bundle from any other file, in one line."""

import gzip
import json
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from kismet_build.extensions.packages.archive import with_manifest
from kismet_build.model.archives import tgz_file, zip_file
from kismet_build.model.downloads import archive_names
from kismet_build.output import verify_bundle
from tests.command import kismet, tree
from tests.small_library import write_library

GAME = "ember-court"
NAMES = archive_names(GAME, "1.0.0")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("court")
    build = kismet("build", write_library(folder / "texts"), "--bundle", "--no-search", "--out", folder / "out")
    assert build.status == 0, build.err
    return folder / "out" / "data"


def verified(bundle: Path) -> str:
    run = kismet("data", "verify", bundle)
    assert (run.status, run.err) == (0, "")
    assert run.out.count("\n") == 1
    return run.out


def refused(bundle: Path) -> str:
    run = kismet("data", "verify", bundle)
    assert (run.status, run.out) == (2, "")
    assert run.err.count("\n") == 1
    assert len(run.err) < 700
    return run.err


def members(file: Path) -> dict[str, bytes]:
    if file.suffix == ".tgz":
        with tarfile.open(file) as archive:
            opened = {member.name: archive.extractfile(member) for member in archive.getmembers()}
            return {name: content.read() for name, content in opened.items() if content}
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("name", NAMES)
def test_every_archive_is_whole(data: Path, name: str) -> None:
    assert "is complete and unaltered: Ember Court 1.0.0; " in verified(data / GAME / name)


def test_folders_are_whole(data: Path, tmp_path: Path) -> None:
    assert "Ember Court 1.0.0" in verified(data)
    assert "Ember Court 1.0.0" in verified(data.parent)
    with zipfile.ZipFile(data / GAME / NAMES.zip) as archive:
        archive.extractall(tmp_path)
    assert "Ember Court 1.0.0" in verified(tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_archive_that_is_cut_off_is_refused(data: Path, name: str, tmp_path: Path) -> None:
    content = (data / GAME / name).read_bytes()
    for length in (0, 1, 4, 100, len(content) // 2, len(content) - 700, len(content) - 1):
        bundle = tmp_path / f"{length}{Path(name).suffix}"
        bundle.write_bytes(content[:length])
        assert "cannot be read" in refused(bundle) or length < 4


@pytest.mark.parametrize("name", NAMES)
def test_archive_with_an_altered_bit_is_refused(data: Path, name: str, tmp_path: Path) -> None:
    content = bytearray((data / GAME / name).read_bytes())
    bundle = tmp_path / Path(name).name
    for position in range(60, len(content) - 100, len(content) // 40):
        content[position] ^= 16
        bundle.write_bytes(content)
        run = kismet("data", "verify", bundle)
        # Bits that no reader looks at, such as those of a date, alter no file.
        assert run.status == 2 or members(bundle) == members(data / GAME / name)
        assert (run.out + run.err).count("\n") == 1
        content[position] ^= 16


@pytest.mark.parametrize("name", NAMES)
def test_archive_with_another_text_is_refused(data: Path, name: str, tmp_path: Path) -> None:
    files = members(data / GAME / name)
    path = next(path for path, content in files.items() if b"Bow" in content)
    files[path] = files[path].replace(b"Bow", b"Cow")
    bundle = pack(tmp_path / Path(name).name, files)
    assert f"was altered: {path} differs from the listed file" in refused(bundle)


def pack(bundle: Path, files: dict[str, bytes]) -> Path:
    bundle.write_bytes(tgz_file(files) if bundle.suffix == ".tgz" else zip_file(files))
    return bundle


@pytest.mark.parametrize("name", NAMES)
def test_files_that_are_missing_or_added_are_named(data: Path, name: str, tmp_path: Path) -> None:
    files = members(data / GAME / name)
    path = next(path for path in files if path.endswith("LICENSE"))
    bundle = pack(tmp_path / Path(name).name, {key: value for key, value in files.items() if key != path})
    assert f"is incomplete: {path} is missing" in refused(bundle)
    bundle = pack(tmp_path / Path(name).name, {**files, f"{path}.exe": b"MZ"})
    assert f"was altered: {path}.exe is not listed" in refused(bundle)


def test_altered_folders_are_refused(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"

    def alter(change: Callable[[Path], object]) -> str:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(data, folder)
        change(folder / GAME)
        return refused(folder)

    assert "was altered" in alter(lambda game: (game / "names.json").write_bytes(b"{}"))
    assert "is missing" in alter(lambda game: (game / "grace.jsonl").unlink())
    assert "is not listed" in alter(lambda game: (game / "more.json").write_bytes(b"{}"))
    assert "is not a regular file" in alter(lambda game: (game / "more.json").symlink_to(game / "names.json"))
    assert "is a link" in alter(lambda game: (game / "more").symlink_to(tmp_path))
    assert "not a bundle" in alter(lambda game: (game.parent / "manifest.json").unlink())


def test_unpacked_module_for_foundry_is_verified_too(data: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(data / GAME / NAMES.foundry) as archive:
        archive.extractall(tmp_path)
    assert "Ember Court 1.0.0" in verified(tmp_path)
    journal = next((tmp_path / "packs/_source/rules").glob("grace_*.json"))
    content = journal.read_bytes()
    journal.write_bytes(content[:-10])
    assert f"was altered: packs/_source/rules/{journal.name} differs from the listed file" in refused(tmp_path)
    with journal.open("wb") as zeros:
        zeros.truncate(10 * 2**30)
    assert "more than 1024 MB" in refused(tmp_path)
    journal.unlink()
    assert f"is incomplete: packs/_source/rules/{journal.name} is missing" in refused(tmp_path)
    journal.write_bytes(content)
    (tmp_path / "packs/rules").symlink_to(tmp_path)
    assert "is a link" in refused(tmp_path)
    (tmp_path / "packs/rules").unlink()
    (tmp_path / "packs/LOCK").write_bytes(b"")
    assert "was altered: packs/LOCK is not listed" in refused(tmp_path)
    (tmp_path / "packs/LOCK").unlink()
    assert "Ember Court 1.0.0" in verified(tmp_path)
    (tmp_path / "module.json").write_bytes(b"[" * 100_000)
    assert "module.json is not JSON" in refused(tmp_path)


def test_schema_with_the_name_of_a_pack_is_no_pack(data: Path, tmp_path: Path) -> None:
    files = members(data / GAME / NAMES.zip)
    del files["manifest.json"]
    files[f"schemas/{GAME}/pack.json"] = b"{}"
    assert "Ember Court 1.0.0" in verified(pack(tmp_path / "bundle.zip", with_manifest(files)))


def test_other_formats_are_named_with_the_known_one(data: Path, tmp_path: Path) -> None:
    files = members(data / GAME / NAMES.zip)
    content = json.loads(files[f"{GAME}/pack.json"])
    known = content["format"]
    files[f"{GAME}/pack.json"] = json.dumps({**content, "format": 99}).encode()
    expected = f"pack.json has the format 99; this version of kismet supports format {known}"
    assert expected in refused(pack(tmp_path / "a.zip", files))
    del files["manifest.json"]
    assert expected in refused(pack(tmp_path / "b.zip", with_manifest(files)))
    files = members(data / GAME / NAMES.foundry)
    files["module.json"] = files["module.json"].replace(f'"format": {known}'.encode(), b'"format": 99')
    expected = f"module.json has the format 99; this version of kismet supports format {known}"
    assert expected in refused(pack(tmp_path / "d.zip", files))
    manifest = json.dumps({"format": "two", "files": []}).encode()
    assert "manifest.json has the format 'two'" in refused(pack(tmp_path / "c.zip", {"manifest.json": manifest}))


@pytest.mark.parametrize(
    "path", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "a\\..\\out.txt", "C:out.txt", "a//b"]
)
def test_paths_that_lead_outside_are_refused(data: Path, path: str, tmp_path: Path) -> None:
    for name in (NAMES.zip, NAMES.npm, NAMES.foundry):
        files = {**members(data / GAME / name), path: b""}
        assert "points outside it" in refused(pack(tmp_path / Path(name).name, files))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("more.txt", "More.TXT"),
        ("Mo/re.txt", "mo/other.txt"),
        ("caf\u00e9.txt", "cafe\u0301.txt"),
        ("stra\u00dfe.txt", "STRASSE.TXT"),
        ("more", "more."),
        ("more/a.txt", "more /b.txt"),
        ("more", "more/a.txt"),
        ("MORE/a.txt", "more"),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_files_that_collide_on_some_system_are_refused(
    data: Path, name: str, one: str, other: str, tmp_path: Path
) -> None:
    files = members(data / GAME / name)
    base = "package/" if name.endswith(".tgz") else ""
    # Names that come between the two in the order of their characters do not hide them.
    more = {f"{base}{path}": path.encode() for path in (one, "mop", "more-", "Mz", other)}
    assert "some systems cannot unpack both" in refused(pack(tmp_path / Path(name).name, {**files, **more}))


def test_names_that_differ_on_every_system_may_stand_side_by_side(data: Path, tmp_path: Path) -> None:
    files = members(data / GAME / NAMES.zip)
    del files["manifest.json"]
    more = dict.fromkeys(("a.txt", "a/b.txt", "a b/c.txt", "ab/c.txt", "a.b/c.txt", "e.txt", "\u00e9.txt"), b"")
    assert "Ember Court 1.0.0" in verified(pack(tmp_path / "more.zip", with_manifest({**files, **more})))


def test_links_in_archives_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as archive:
        member = zipfile.ZipInfo("pack.json")
        member.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(member, "/etc/hostname")
    with tarfile.open(tmp_path / "link.tgz", "w:gz") as tar:
        link = tarfile.TarInfo("package/pack.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        tar.addfile(link)
    for name in ("link.zip", "link.tgz"):
        assert "is not a regular file" in refused(tmp_path / name)


def test_what_is_no_bundle_is_said(tmp_path: Path) -> None:
    (tmp_path / "text.zip").write_text("not a zip", encoding="utf-8")
    (tmp_path / "empty.zip").write_bytes(zip_file({"a.txt": b"a"}))
    (tmp_path / "list.zip").write_bytes(zip_file({"manifest.json": b"[]"}))
    (tmp_path / "deep.zip").write_bytes(zip_file({"manifest.json": b"[" * 100_000}))
    (tmp_path / "no-pack.zip").write_bytes(zip_file(with_manifest({"a.txt": b"a"})))
    (tmp_path / "entries.zip").write_bytes(zip_file({"manifest.json": b'{"format": 1, "files": [{"path": 1}]}'}))
    (tmp_path / "list-pack.zip").write_bytes(zip_file(with_manifest({"pack.json": b"[]"})))
    for name in tree(tmp_path):
        assert "not a bundle" in refused(tmp_path / name) or name in ("deep.zip", "entries.zip", "list-pack.zip")
    assert "is not JSON" in refused(tmp_path / "deep.zip")
    assert "there is no" in refused(tmp_path / "nowhere.zip")
    (tmp_path / "folder").mkdir()
    assert "it has no manifest.json" in refused(tmp_path / "folder")


def test_faults_of_the_readers_of_archives_are_said(tmp_path: Path) -> None:
    record = {"a.dist-info/RECORD": b"x" * 200_000 + b",,\n", "pack.json": b'{"format": 3}'}
    (tmp_path / "record.whl").write_bytes(zip_file(with_manifest(record)))
    assert "field larger than field limit" in refused(tmp_path / "record.whl")
    with zipfile.ZipFile(tmp_path / "lzma.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("pack.json", bytes(1000))
    content = bytearray((tmp_path / "lzma.zip").read_bytes())
    content[50] ^= 255  # the readers of this compression raise exceptions of their own
    (tmp_path / "lzma.zip").write_bytes(content)
    assert "pack.json uses an unsupported compression" in refused(tmp_path / "lzma.zip")
    whole = zip_file(with_manifest({"pack.json": bytes(99), "start.json": bytes(99)}))
    (tmp_path / "start.zip").write_bytes(whole[whole.index(b"PK\3\4", 4) :])
    assert "its start is missing" in refused(tmp_path / "start.zip")
    (tmp_path / "nameless.zip").write_bytes(zip_file({"\0": b""}))
    assert "points outside it" in refused(tmp_path / "nameless.zip")


def test_titles_that_terminals_would_obey_are_escaped(data: Path, tmp_path: Path) -> None:
    files = members(data / GAME / NAMES.zip)
    content = json.loads(files[f"{GAME}/pack.json"])
    content["game"]["title"] = "Red \x1b[31m\n"
    del files["manifest.json"]
    files[f"{GAME}/pack.json"] = json.dumps(content).encode()
    assert "Red \\x1b[31m" in verified(pack(tmp_path / "red.zip", with_manifest(files)))


# --- size


def test_ten_gigabytes_of_zeros_are_refused_before_they_are_read(tmp_path: Path) -> None:
    with (tmp_path / "zeros.zip").open("wb") as zeros:
        zeros.truncate(10 * 2**30)
    assert "more than 1024 MB" in refused(tmp_path / "zeros.zip")
    member = tarfile.TarInfo("package/pack.json")
    member.size = 10 * 2**30
    with gzip.open(tmp_path / "zeros.tgz", "wb") as packed:
        packed.write(member.tobuf(tarfile.GNU_FORMAT))
    assert "unpacked, it has more than 1024 MB" in refused(tmp_path / "zeros.tgz")
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("pack.json", b"")
    content = bytearray(archive.getvalue())
    # The size of the member in the directory at the end.
    content[(start := content.index(b"PK\1\2")) + 24 : start + 28] = (2**32 - 2).to_bytes(4, "little")
    (tmp_path / "claim.zip").write_bytes(content)
    assert "unpacked, it has more than 1024 MB" in refused(tmp_path / "claim.zip")


def test_an_archive_is_unpacked_up_to_the_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(verify_bundle, "MAX_BUNDLE_SIZE", 3 * 2**20)
    zeros = bytes(4 * 2**20)
    for name, content in (("zeros.zip", zip_file({"a": zeros})), ("zeros.tgz", tgz_file({"a": zeros}))):
        (tmp_path / name).write_bytes(content)
        assert "unpacked, it has more than 3 MB" in refused(tmp_path / name)
    half = bytes(2**21)
    (tmp_path / "halves.tgz").write_bytes(tgz_file({"a": half, "b": half}))
    assert "unpacked, it has more than 3 MB" in refused(tmp_path / "halves.tgz")
    (tmp_path / "raw.tgz").write_bytes(gzip.compress(zeros))
    assert "has no manifest.json" in refused(tmp_path / "raw.tgz")
    monkeypatch.setattr(verify_bundle, "MAX_KEPT_SIZE", 2**20)
    (tmp_path / "pack.zip").write_bytes(zip_file({"pack.json": bytes(2**20 + 1)}))
    assert "pack.json has more than 1 MB" in refused(tmp_path / "pack.zip")
    monkeypatch.setattr(verify_bundle, "MAX_FILES", 2)
    (tmp_path / "many.zip").write_bytes(zip_file({"a": b"", "b": b"", "c": b""}))
    assert "more than 2 files" in refused(tmp_path / "many.zip")


def test_values_lines_and_directories_are_counted_before_they_are_made(
    data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(verify_bundle, "MAX_VALUES", 50)
        (tmp_path / "values.zip").write_bytes(zip_file({"manifest.json": b"[" + b"[]," * 50 + b"[]]"}))
        assert "manifest.json has more than 50 values" in refused(tmp_path / "values.zip")
        patch.setattr(verify_bundle, "MAX_DIRECTORY_SIZE", 1000)
        (tmp_path / "members.zip").write_bytes(zip_file({str(number): b"" for number in range(50)}))
        assert "its directory is too large" in refused(tmp_path / "members.zip")
    files = members(data / GAME / NAMES.wheel)
    (record,) = (name for name in files if name.endswith("/RECORD"))
    files[record] += b"".join(b"%d,sha256=,0\n" % number for number in range(200))
    monkeypatch.setattr(verify_bundle, "MAX_FILES", 100)
    assert "RECORD has more than 100 files" in refused(pack(tmp_path / Path(NAMES.wheel).name, files))


def test_a_header_of_a_tar_archive_cannot_fill_the_memory(tmp_path: Path) -> None:
    header = tarfile.TarInfo("pax")
    header.type, header.size = tarfile.XHDTYPE, 2**34
    with gzip.open(tmp_path / "pax.tgz", "wb") as packed:
        packed.write(header.tobuf())
    assert "is not a regular file" in refused(tmp_path / "pax.tgz")
    negative = bytearray(tarfile.TarInfo("a").tobuf())
    negative[124:136] = b"\xff" * 12
    negative[148:156] = b" " * 8
    negative[148:155] = f"{sum(negative[:512]):06o}\0".encode()
    (tmp_path / "negative.tgz").write_bytes(gzip.compress(bytes(negative)))
    assert "cannot have the size -1" in refused(tmp_path / "negative.tgz")

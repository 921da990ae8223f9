"""Links, pipes, devices and folders among the texts: files outside the vault are never read, and builds continue."""

import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.command import Run, kismet, kismet_process, tree, write_files
from tests.serve_process import ServeProcess, start_server
from tests.small_library import CALCULATORS, GAME, KIND, TEXT, write_library

SECRET = "Moonwort"
"""A word that only files outside the vault have, and no message may quote."""
pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    return write_files(
        tmp_path / "outside",
        {
            "secret.md": f"---\ntitle: {SECRET}\n---\n\n# {SECRET}\n\n{SECRET}\n",
            "secret.png": SECRET,
            "game.yaml": GAME.replace("Ember Court", SECRET),
            "library.yaml": f"title: {SECRET}\n",
            "effects.yaml": f"{SECRET}: [\n",
            "kinds/grace.yaml": KIND.replace("Grace", SECRET),
            "kinds/broken.yaml": f"{SECRET}: [\n",
            "calculators/jumps.yaml": CALCULATORS.replace("Far Jump", SECRET),
            "obsidian/app.json": f'{{"userIgnoreFilters": ["/{SECRET}(/"]}}',
        },
    )


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    text = "![[Picture.png]] ![[Secret]] ![[Pipe.png]] [[Linked]] ![[Seal.png]]\n\n![](../outside/secret.png)\n"
    files = {"One.md": text, "Two.md": "Words.\n", "Folder/Three.md": "Words.\n", "Stamp.png": "a picture"}
    return write_files(tmp_path / "vault", files)


def add_odd_files(vault: Path, outside: Path) -> None:
    for name in ("Secret.md", "Folder/Secret.md"):
        (vault / name).symlink_to(outside / "secret.md")
    (vault / "Picture.png").symlink_to(outside / "secret.png")
    (vault / "Outside").symlink_to(outside)
    (vault / "Up").symlink_to("..")
    (vault / "Zeros.md").symlink_to("/dev/zero")
    (vault / "Loop.md").symlink_to("Loop.md")
    (vault / "Gone.md").symlink_to("nowhere.md")
    (vault / "Round").symlink_to(".")
    (vault / "Linked.md").symlink_to("Two.md")
    (vault / "Seal.png").symlink_to("Stamp.png")
    os.mkfifo(vault / "Pipe.md")
    os.mkfifo(vault / "Pipe.png")
    write_files(vault / "Rules.md", {"Inside.md": "Words in a folder.\n"})
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(os.path.relpath(vault / "Socket.md"))


def unread(run: Run) -> dict[str, list[str]]:
    """The `unread-file` diagnostics of `check --format json`: paths by message."""
    found = [json.loads(line) for line in run.out.splitlines()]
    return {
        diagnostic["message"]: [diagnostic["path"], *(place["path"] for place in diagnostic["related"])]
        for diagnostic in found
        if diagnostic["code"] == "unread-file"
    }


def test_odd_files_are_skipped_with_warnings(vault: Path, outside: Path, tmp_path: Path) -> None:
    add_odd_files(vault, outside)
    run = kismet_process("build", vault, "--out", tmp_path / "public", "--no-search")
    assert run.status == 0, run.output
    files = tree(tmp_path / "public")
    assert not [path for path, content in files.items() if SECRET.encode() in content]
    assert {"vault/linked/index.html", "vault/files/seal.png", "vault/rules-md/inside/index.html"} <= files.keys()
    check = kismet("check", vault, "--format", "json")
    assert unread(check) == {
        "6 links lead out of the folder, so they are not read": [
            *("Folder/Secret.md", "Outside", "Picture.png", "Secret.md", "Up", "Zeros.md")
        ],
        "2 links lead to files that do not exist": ["Gone.md", "Loop.md"],
        "3 files are devices, pipes or sockets": ["Pipe.md", "Pipe.png", "Socket.md"],
        "this link leads to a folder that is already read, so it is skipped": ["Round"],
        "this is a folder, although its name ends like that of a text": ["Rules.md"],
    }
    dump = kismet("dump", vault / "One.md")
    new = kismet("new", tmp_path / "new", "--from", vault)
    assert (dump.status, new.status) == (0, 0)
    for output in (run.output, check.output, dump.output, *map(str, tree(tmp_path / "new").values())):
        assert SECRET not in output


def test_vault_may_be_a_link(vault: Path, outside: Path, tmp_path: Path) -> None:
    add_odd_files(vault, outside)
    link = tmp_path / "link"
    link.symlink_to(vault)
    runs = [kismet("check", path, "--format", "json") for path in (vault, link)]
    assert unread(runs[0]) == unread(runs[1])


def data_link(path: str, target: str) -> Callable[[Path, Path], None]:
    def link(library: Path, outside: Path) -> None:
        place = library / path
        if place.is_dir():
            place.rename(place.with_name("old"))
        place.unlink(missing_ok=True)
        place.symlink_to(outside / target)

    return link


@pytest.mark.parametrize("path", ["effects.yaml", "kinds", "kinds/grace.yaml", "kinds/broken.yaml", "calculators"])
@pytest.mark.parametrize("is_library", [False, True], ids=["game", "library"])
def test_data_file_outside_is_not_read(tmp_path: Path, outside: Path, path: str, is_library: bool) -> None:
    game = write_library(tmp_path / "texts" / "court")
    write_library(tmp_path / "texts" / "other", game=GAME.replace("ember-court", "other-court"))
    data_link(path, path)(game, outside)
    run = kismet("check", game.parent if is_library else game)
    assert "warning[unread-file]: this link leads out of the folder" in run.output, run.output
    assert SECRET not in run.output
    build = kismet("build", game.parent if is_library else game, "--out", tmp_path / "public", "--no-search")
    assert SECRET not in build.output + str([*tree(tmp_path / "public").values()])


def test_game_folder_outside_is_not_read(tmp_path: Path, outside: Path) -> None:
    write_files(outside, {"1 Court.md": TEXT})
    game = write_library(tmp_path / "texts" / "court")
    (game.parent / "other").symlink_to(outside)
    run = kismet("check", game.parent, "--format", "json")
    assert run.status == 0, run.output
    assert unread(run) == {"this link leads out of the folder, so it is not read": ["other"]}


def test_links_between_the_games_of_a_library_are_read(tmp_path: Path) -> None:
    game = write_library(tmp_path / "texts" / "court")
    other = write_library(tmp_path / "texts" / "other", game=GAME.replace("ember-court", "other-court"))
    (other / "2 Linked.md").symlink_to(game / "1 Court.md")
    run = kismet("check", game.parent)
    assert "unread-file" not in run.output
    assert "other/2 Linked.md" in run.output, "its graces are there twice"
    text = (game / "1 Court.md").read_text(encoding="utf-8")
    build = ("build", game.parent, "--out", tmp_path / "public", "--no-search")
    kismet(*build, "--keep-going")
    (game / "1 Court.md").write_text(text + "\nOne more line.\n", encoding="utf-8")
    kismet(*build, "--keep-going")
    page = tmp_path / "public" / "other-court" / "linked" / "index.html"
    assert "One more line." in page.read_text(encoding="utf-8"), "a cached build reads what a link leads to"


def test_kinds_may_be_hidden_as_the_game_file_says(tmp_path: Path) -> None:
    game = write_library(tmp_path / "texts", game=GAME.replace("kinds: kinds", "kinds: .kinds"))
    (game / "kinds").rename(game / ".kinds")
    run = kismet("build", game, "--out", tmp_path / "public", "--no-search")
    assert (tmp_path / "public" / "ember-court" / "grace" / "bow" / "index.html").is_file(), run.output


def test_kinds_may_be_elsewhere_as_the_game_file_says(tmp_path: Path, outside: Path) -> None:
    game = write_library(tmp_path / "texts", game=GAME.replace("kinds: kinds", "kinds: ../outside/kinds"))
    (outside / "kinds" / "broken.yaml").unlink()
    (outside / "kinds" / "grace.yaml").write_text(KIND, encoding="utf-8")
    run = kismet("build", game, "--out", tmp_path / "public", "--no-search")
    assert run.status == 0, run.output
    assert (tmp_path / "public" / "ember-court" / "grace" / "bow" / "index.html").is_file()
    run = kismet("check", game, "--game", outside / "game.yaml")
    assert "unread-file" not in run.output


@pytest.mark.parametrize("path", ["game.yaml", "library.yaml"])
@pytest.mark.parametrize("is_library", [False, True], ids=["game", "library"])
def test_settings_outside_end_the_build(tmp_path: Path, outside: Path, path: str, is_library: bool) -> None:
    """They may say what is private, so nothing is built without them."""
    game = write_library(tmp_path / "texts" / "court")
    data_link(path, path)(game, outside)
    run = kismet("check", game.parent if is_library and path == "library.yaml" else game)
    assert (run.status, run.err.count("\n")) == (2, 1)
    assert "cannot tell which texts are private" in run.err
    assert SECRET not in run.err


@pytest.mark.parametrize("is_pipe", [False, True], ids=["link", "pipe"])
def test_settings_that_are_no_file_of_the_vault_end_the_build(vault: Path, outside: Path, is_pipe: bool) -> None:
    (vault / ".obsidian").mkdir()
    settings = vault / ".obsidian" / "app.json"
    if is_pipe:
        os.mkfifo(settings)
    else:
        settings.symlink_to(outside / "obsidian" / "app.json")
    run = kismet("check", vault)
    assert (run.status, run.err.count("\n")) == (2, 1)
    assert "which texts are private" in run.err
    assert SECRET not in run.err


def test_link_to_a_hidden_or_private_file_is_not_published(vault: Path, tmp_path: Path) -> None:
    write_files(vault, {".git/config": SECRET, "Plans/Plan.md": f"{SECRET}\n", "library.yaml": "exclude: [Plans]\n"})
    (vault / "Token.png").symlink_to(vault / ".git" / "config")
    (vault / "Open.md").symlink_to(vault / "Plans" / "Plan.md")
    (vault / "One.md").write_text("![[Token.png]] ![[Open]]\n", encoding="utf-8")
    run = kismet("build", vault, "--out", tmp_path / "public", "--no-search")
    assert "this link leads to a hidden file, so it is not read" in run.output
    assert not [path for path, content in tree(tmp_path / "public").items() if SECRET.encode() in content]


def test_cached_build_notices_a_new_odd_file(vault: Path, outside: Path, tmp_path: Path) -> None:
    build = ("build", vault, "--out", tmp_path / "public", "--no-search")
    assert "unread-file" not in kismet(*build).output
    (vault / "Secret.md").symlink_to(outside / "secret.md")
    os.mkfifo(vault / "Pipe.md")
    for _ in range(2):
        assert kismet(*build).output.count("[unread-file]") == 2
    (vault / "Secret.md").unlink()
    (vault / "Secret.md").symlink_to(vault / "Two.md")
    (vault / "Pipe.md").unlink()
    assert "unread-file" not in kismet(*build).output
    assert (tmp_path / "public" / "vault" / "secret" / "index.html").is_file()


@pytest.fixture
def served(vault: Path, outside: Path) -> Iterator[ServeProcess]:
    add_odd_files(vault, outside)
    with start_server(vault) as server:
        yield server


def test_serve_never_reads_what_a_text_becomes(vault: Path, outside: Path, served: ServeProcess) -> None:
    paths = ("two", "linked", "new", "folder/three", "print", "")

    def pages() -> dict[str, str]:
        served.built()
        return {path: served.get(f"vault/{path}/".replace("//", "/")) for path in paths}

    (vault / "Two.md").write_text("New words.\n", encoding="utf-8")
    shown = pages()
    assert "New words." in shown["two"]
    assert "New words." in shown["linked"], "the page of a link to the text changes, too"
    (vault / "New.md").symlink_to(outside / "secret.md")
    assert SECRET not in "".join(pages().values())
    (vault / "Two.md").unlink()
    os.mkfifo(vault / "Two.md")
    assert SECRET not in "".join(pages().values())
    (vault / "Two.md").unlink()
    (vault / "Two.md").symlink_to(outside / "secret.md")
    assert not pages()["two"]
    (vault / "Folder" / "Three.md").write_text("Other words.\n", encoding="utf-8")
    shown = pages()
    assert "Other words." in shown["folder/three"]
    assert SECRET not in "".join(shown.values())

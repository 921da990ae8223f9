"""Bad input costs one diagnostic, and its result is bounded. `benchmarks/bad_input.py` measures the time."""

import json
from pathlib import Path

from tests.command import kismet


def write(folder: Path, **notes: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in notes.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def test_vault_of_pictures_is_one_line(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"{number}.png").write_bytes(b"\x89PNG")
    run = kismet("build", tmp_path, "--out", tmp_path / "out")
    assert run.status == 2
    assert run.output.splitlines() == [f'kismet: there is no rules text in "{tmp_path}"']
    assert not (tmp_path / "out").exists()


def test_many_notes_of_one_name_are_few_messages(tmp_path: Path) -> None:
    for number in range(100):
        write(tmp_path / f"{number}", Goblin=f"---\nharm: {number}\narmor: 2\n---\n\nLike any [[Goblin]].\n")
    run = kismet("check", tmp_path)
    assert "100 × this link could mean 100 places; it leads to the nearest of them" in run.output
    assert '80 × "Goblin" has the id of another entry, and gets one with a number' in run.output
    assert run.output.count("warning[") == 21
    lines = kismet("check", tmp_path, "--format", "json").out.splitlines()
    assert not any(json.loads(line)["related"] for line in lines)


def test_long_chain_of_statblocks_takes_from_the_nearest(tmp_path: Path) -> None:
    for number in range(40):
        write(tmp_path, **{f"S{number}": f"```statblock\nname: S{number}\nextends: S{number + 1}\np{number}: 1\n```\n"})
    run = kismet("check", tmp_path)
    assert "19 × this statblock extends more than 20 others, and takes nothing from the rest" in run.output
    assert 'no statblock is named "S40", which this one extends' in run.output

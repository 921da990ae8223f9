"""Typeset a book with Typst, in a separate program that Ctrl-C and a time limit can end at once.

`python -m kismet_build.extensions.book.typeset FOLDER FONTS...` typesets the files in FOLDER, and writes `book.pdf` and
`result.json` to FOLDER. The program imports only Typst, pikepdf and the standard library.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any, Literal

import pikepdf
import typst

BOX = "□"
"""Replaces a letter that no font has."""
NOTHING = "\u200b"
"""Replaces an emoji that no font has: a zero-width space, because a heading of emoji alone must not become empty."""
JOINERS = "\ufe0e\ufe0f\u200d"
"""Characters that change the look of an emoji."""
FIRST_EMOJI = 0x1F000
PROBE_HEAD = '#set document(title: "letters")\n#set text(font: ("Almanac Text",))\n'
LINE = re.compile(r"\.typ:(\d+):")
FILE_LINE = re.compile(r"─ .*?(\w+\.typ:\d+)")
STANDARD: Literal["ua-1"] = "ua-1"
"""The PDF standard: accessible to screen readers."""


def typeset(folder: Path, font_folders: list[str]) -> dict[str, Any]:
    """Typeset the book in a folder.

    Returns the `letters` that no font has, the `pictures` that Typst cannot read, `outside`: the numbers of blocks that
    are too wide for the page, the `warnings` by Typst, and `error`: Typst's message if it failed.
    """
    fonts = typst.Fonts(include_system_fonts=False, include_embedded_fonts=True, font_paths=font_folders)
    text = (folder / "book.typ").read_text(encoding="utf-8")
    facts = json.loads((folder / "book.json").read_text(encoding="utf-8"))
    words = text + json.dumps(facts, ensure_ascii=False)
    missing = _missing_letters(sorted(set(words) - {"\n", "\t"}), fonts)
    if missing:
        is_box = {letter: ord(letter) < FIRST_EMOJI and letter not in JOINERS for letter in missing}
        table = {ord(letter): BOX if is_box[letter] else NOTHING for letter in missing}
        (folder / "book.typ").write_text(text.translate(table), encoding="utf-8")
        _write(folder / "book.json", json.loads(json.dumps(facts, ensure_ascii=False).translate(table)))
    result: dict[str, Any] = {
        "letters": [letter for letter in missing if letter not in JOINERS],
        "pictures": [],
        "outside": [],
        "error": "",
    }
    try:
        result |= _set(folder, fonts)
    except RuntimeError as problem:
        pictures = _unreadable_pictures(folder)
        result["pictures"] = pictures
        if not pictures:
            return {**result, "error": _message(problem)}
        facts = json.loads((folder / "book.json").read_text(encoding="utf-8"))
        _write(folder / "book.json", {**facts, "unreadable": pictures})
        try:
            result |= _set(folder, fonts)
        except RuntimeError as other:
            return {**result, "error": _message(other)}
    return result


def _set(folder: Path, fonts: typst.Fonts) -> dict[str, Any]:
    """Write `book.pdf`. Returns `outside` and `warnings`, as in `typeset`. Raises `RuntimeError`."""
    compiler = typst.Compiler(str(folder / "book.typ"), root=str(folder), font_paths=fonts)
    raw = folder / "raw.pdf"
    _, warnings = compiler.compile_with_warnings(output=str(raw), format="pdf", pdf_standards=STANDARD)
    # Typst does not compress the tags and links of the text.
    with pikepdf.open(raw) as book:
        book.save(folder / "book.pdf", object_stream_mode=pikepdf.ObjectStreamMode.generate, deterministic_id=True)
    outside = json.loads(compiler.query("<outside>", field="value"))
    return {"outside": outside, "warnings": sorted({_message(warning) for warning in warnings})}


def _missing_letters(letters: list[str], fonts: typst.Fonts) -> list[str]:
    """The letters that no font has. Typst reports each of them with its line."""
    lines = "\n\n".join(f"#text({json.dumps(letter, ensure_ascii=False)})" for letter in letters)
    try:
        typst.compile((PROBE_HEAD + lines).encode(), format="pdf", pdf_standards=STANDARD, font_paths=fonts)
    except RuntimeError as problem:
        head = PROBE_HEAD.count("\n")
        found = {(int(line) - head - 1) // 2 for line in LINE.findall(getattr(problem, "diagnostic", ""))}
        return [letters[number] for number in sorted(found) if number < len(letters)]
    return []


def _unreadable_pictures(folder: Path) -> list[str]:
    found = []
    probe = folder / "probe.typ"
    for file in sorted((folder / "pictures").iterdir()):
        path = f"pictures/{file.name}"
        probe.write_text(f"#image({json.dumps(path)})", encoding="utf-8")
        try:
            typst.compile(str(probe), root=str(folder), format="svg")
        except RuntimeError:
            found.append(path)
    return found


def _message(problem: Any) -> str:
    """Typst's message with its place in the file, because an author may have written the design."""
    place = FILE_LINE.search(getattr(problem, "diagnostic", ""))
    return " ".join(
        [
            getattr(problem, "message", str(problem)),
            *getattr(problem, "hints", ()),
            *([f"({place[1]})"] if place else []),
        ]
    )


def _write(file: Path, facts: Any) -> None:
    file.write_text(json.dumps(facts, ensure_ascii=False, sort_keys=True), encoding="utf-8")


if __name__ == "__main__":
    into = Path(sys.argv[1])
    _write(into / "result.json", typeset(into, sys.argv[2:]))

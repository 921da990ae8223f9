"""Write the reference pages of the manual: `python -m release.reference`."""

from release.reference.pages import GENERATED_NOTE, pages
from tests.command import CONTENT

REFERENCE = CONTENT / "docs" / "reference"

if __name__ == "__main__":
    written = dict(pages())
    for name, text in written.items():
        (REFERENCE / name).write_text(text + GENERATED_NOTE, encoding="utf-8")
    for file in REFERENCE.glob("*.md"):
        if file.name not in written and file.read_text(encoding="utf-8").endswith(GENERATED_NOTE):
            file.unlink()

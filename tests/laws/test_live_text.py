"""No author's text is active in any output: what the author wrote as plain text is read as plain text."""

import json
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from kismet_build.model.source import Source
from kismet_build.parse import read
from kismet_build.render.fragments.markdown import to_markdown
from kismet_build.render.fragments.renderer import RenderContext
from tests.command import kismet, tree, write_files

HOSTILE = (
    "<script>zap(1)</script>",
    "<img src=zap onerror=zap(2)>",
    '"><svg onload=zap(3)>',
    "' onmouseover='zap(4)",
    "</script><script>zap(5)</script>",
    "</title><script>zap(6)</script>",
    "{{ 7*7 }} zap {% raw %}",
    "[zap](javascript:zap(7))",
    "![zap](javascript:zap(8))",
    "<javascript:zap(9)>",
    "javascript:zap(10)",
    "<!-- zap",
    "]]> zap <![CDATA[",
    "`zap <img src=zap onerror=zap(11)>",
    "&lt;script&gt;zap(12)&lt;/script&gt;",
    "*zap_ **<b>~~==",
    "zap\\<img src=zap onerror=zap(13)>",
    "[zap]: javascript:zap(14)",
    "@UUID[zap]{zap} [[/macro zap]]",
    "zap & zap &amp; zap",
    "a | zap || b",
    "${zap(15)} $<img src=zap onerror=zap(16)>$",
)
"""Texts that would run, load, link or vanish if an output took them for markup. Each has the word `zap`."""
CODE_SCHEME = re.compile(r"javascript:|vbscript:|data:text", re.IGNORECASE)
ACTIVE = frozenset(("script", "iframe", "object", "embed", "style", "base"))
STRING = re.compile(r'"(?:\\.|[^"\\])*"')
COMMON_MARK = MarkdownIt("commonmark", {"html": True}).enable("table")
COMMON_MARK.validateLink = lambda url: True  # type: ignore[method-assign] # noqa: ARG005
"""Renders Markdown as a careless reader does: with HTML, and with links to anything."""


class Reader(HTMLParser):
    """Reads HTML as a browser does: what of our texts runs, and which words are seen."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.live: list[str] = []
        self.words: list[str] = []
        self.data: list[Any] = []
        """The JSON-LD of a page."""
        self.script: str | None = None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        for name, value in values.items():
            compact = re.sub(r"[\x00-\x20]", "", value)
            if (name.startswith("on") or name in ("style", "srcdoc")) and "zap" in value:
                self.live.append(f"<{tag} {name}={value}>")
            if CODE_SCHEME.match(compact) and name in ("href", "src", "action", "formaction", "xlink:href", "data"):
                self.live.append(f"<{tag} {name}={value}>")
        if "zap" in tag or (tag in ACTIVE and any("zap" in value for value in values.values())):
            self.live.append(f"<{tag} {values}>")
        self.words += (value for name, value in values.items() if name in ("alt", "label"))
        self.script = values.get("type", "code") if tag == "script" else None

    def handle_endtag(self, _tag: str) -> None:
        self.script = None

    def handle_data(self, data: str) -> None:
        if self.script == "application/ld+json":
            self.data.append(json.loads(data))
            self.words.append(" ".join(map(str, texts_of(self.data[-1]))))
        elif self.script is not None:
            if "zap" in STRING.sub("", data):
                self.live.append(f"<script>{data}")
        else:
            self.words.append(data)

    @property
    def shown(self) -> str:
        return compact("".join(self.words))


def compact(text: str) -> str:
    """A text without spaces and word joiners; a minus sign is a hyphen."""
    return "".join(text.replace("\u2060", "").replace("−", "-").split())


def texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_of(item)


def members(value: Any, name: str) -> Iterator[str]:
    """All texts that are members of this name, at any depth of a value of JSON."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key == name and isinstance(item, str):
            yield item
        yield from members(item, name)


def from_markdown(markdown: str) -> Reader:
    return Reader(COMMON_MARK.render(markdown))


def escaped(text: str) -> str:
    """A text as an author of Markdown writes it as plain text."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)


def file_name(text: str) -> str:
    return text.replace("/", "").replace("\\", "")


def vault() -> Iterator[tuple[str, str]]:
    """A game with each hostile text in all places: name of a file, title, kind, field, heading and so on."""
    yield (
        "game.yaml",
        json.dumps(
            {
                **{"id": "court", "title": HOSTILE[0] + HOSTILE[2], "version": "1.0.0", "licence": HOSTILE[7]},
                **{"attribution": HOSTILE[1], "description": HOSTILE[5], "kinds": "kinds"},
                "sources": [{"glob": "**/*.md", "dialect": "obsidian"}],
            }
        ),
    )
    yield "library.yaml", json.dumps({"title": HOSTILE[0], "description": HOSTILE[7], "url": "https://example.org/x/"})
    yield "Bow.md", "# Bow\n\nYou bend.\n"
    for number, text in enumerate(HOSTILE):
        words = escaped(text)
        properties = {"title": text, "aliases": [f"alias {text}"], "tags": [text, "plain"], "power": f"value {text}"}
        yield (
            f"folder{number}/{file_name(text)}.md",
            f"---\n{json.dumps(properties)}\n---\n# {words}\n\n## head {words}\n\n**caption {words}**\n\n"
            f"| column {words} | b |\n|---|---|\n| cell {words} | [link {words}](../Bow.md) |\n\n"
            f"**bold {words}:** {words} [{words}](https://example.org) and a note[^1].\n\n[^1]: {text}\n\n"
            # What is not escaped may hide the rest, as an open comment does.
            f"{text}\n\n## {text}\n\n- {text}\n- {words}\n\n[[Bow|{text}]] #{text}\n\n"
            f"> [!{file_name(text)}] {text}\n> {text}\n\n```{text}\n{text}\n```\n",
        )
        yield f"names/{file_name(text)} {number}.md", f"{words}\n"  # whose title is the name of the file
        kind = {
            **{"title": f"kind {text}", "x-plural": f"kinds {text}", "description": text},
            "x-match": {"document": True, "folder": f"folder{number}"},
            **{"required": ["id", "name"], "additionalProperties": False},
            "properties": {
                "id": {"type": "string", "x-from": "slug"},
                "name": {"type": "string", "x-from": "title"},
                "power": {"type": "string", "x-from": "meta:power", "title": f"Label {text}"},
            },
        }
        yield f"kinds/kind-{number}.yaml", json.dumps(kind)
        sentence = re.sub(r"[{}]", "", text) + " {result}"
        citation = {"document": "Bow", "heading": "Bow", "quote": "You bend"}
        calculator = {
            "title": f"sum {text}",
            "inputs": {
                "speed": {"label": f"input {text}", "type": "integer", "min": 0, "max": 9, "default": 1},
                "wind": {"label": text, "type": "choice", "options": [text, "none"], "default": "none"},
            },
            **{"formula": "speed + 1", "result": {"label": text, "sentence": sentence}, "citation": citation},
        }
        yield f"calculators/sum-{number}.yaml", json.dumps({f"sum-{number}": calculator})


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("hostile") / "texts", dict(vault()))


@pytest.fixture(scope="module")
def files(library: Path) -> dict[str, bytes]:
    out = library.parent / "out"
    run = kismet("build", library, "--out", out, "--bundle", "--no-search")
    assert run.status == 0, run.output
    return tree(out)


def readers(files: Mapping[str, bytes]) -> Iterator[tuple[str, Reader]]:
    """The HTML and the Markdown in the files of a tree and of its archives, by path."""
    for path, content in files.items():
        if path.endswith((".zip", ".whl")):
            with zipfile.ZipFile(BytesIO(content)) as archive:
                packed = {f"{path}/{name}": archive.read(name) for name in archive.namelist()}
            yield from readers(packed)
        elif path.endswith(".tgz"):
            with tarfile.open(fileobj=BytesIO(content)) as tar:
                opened = {f"{path}/{member.name}": tar.extractfile(member) for member in tar.getmembers()}
                yield from readers({name: file.read() for name, file in opened.items() if file})
        elif path.endswith(".html"):
            yield path, Reader(content.decode())
        elif path.endswith((".md", "llms.txt")):
            yield path, from_markdown(content.decode())
        elif path.endswith("/METADATA"):  # the headers are not Markdown
            yield path, from_markdown(content.decode().partition("\n\n")[2])
        elif path.endswith((".json", ".webmanifest")):
            data = json.loads(content)
            for name in ("html", "content"):
                for html in members(data, name):
                    yield f"{path} {name}", Reader(html)
            for markdown in members(data, "markdown"):
                yield f"{path} markdown", from_markdown(markdown)
        elif re.search(r"/cards-[^/]*\.js$", path):
            call = re.fullmatch(r"kismet\.(?:card|deck)\((.*)\);\n", content.decode(), re.DOTALL)
            assert call, path
            for html in texts_of(json.loads(call[1])):
                yield path, Reader(html)
        elif path.endswith(".xml"):
            yield path, Reader(" ".join(ElementTree.fromstring(content).itertext()))


def test_no_output_holds_a_hostile_text_live(files: dict[str, bytes]) -> None:
    sorts = set()
    for path, reader in readers(files):
        assert not reader.live, (path, reader.live)
        assert "49zap" not in reader.shown
        sorts.add(re.sub(r"^.*(?=\.)", "", path))
        if "foundry" in path:
            assert "[[/macro" not in "".join(reader.words), path
    assert {".html", ".md", ".txt", ".xml", ".js", ".json html", ".json content", ".json markdown"} <= sorts


def shown(files: Mapping[str, bytes], pattern: str) -> str:
    return "".join(reader.shown for path, reader in readers(files) if re.search(pattern, path))


PLACES = {
    r"index\.html$": ("", "Label", "head", "caption", "column", "cell", "link", "kind", "kinds", "sum", "input"),
    r"index\.html\.md$": ("", "head", "caption", "column", "cell", "link"),
    r"llms\.txt$": ("", "kinds"),
    r"/cards-": ("", "head", "kind", "Label"),
    r"foundry.*content$": ("", "head", "caption", "column", "cell"),
    r"json markdown$": ("", "caption", "column", "cell", "link"),
}
"""The places of hostile texts that the outputs show, by a pattern of paths."""


@pytest.mark.parametrize("pattern", PLACES)
def test_every_output_shows_the_words(files: dict[str, bytes], pattern: str) -> None:
    words = shown(files, pattern)
    wanted = [f"{place} {text}" for place in PLACES[pattern] for text in HOSTILE]
    assert [text for text in wanted if compact(text) not in words] == []


def test_packages_search_and_manifest_show_the_words(files: dict[str, bytes]) -> None:
    title, licence, attribution = HOSTILE[0] + HOSTILE[2], HOSTILE[7], HOSTILE[1]
    for pattern in (r"\.tgz/.*README\.md$", r"\.whl/.*METADATA$", r"^court/llms\.txt$"):
        words = shown(files, pattern)
        assert all(compact(text) in words for text in (title, licence, attribution)), pattern
    (manifest,) = (json.loads(content) for path, content in files.items() if path.endswith(".webmanifest"))
    assert HOSTILE[0] in texts_of(manifest)
    structured = [data for path, reader in readers(files) if path.endswith("index.html") for data in reader.data]
    assert {*HOSTILE} <= {*texts_of(structured)}


@pytest.mark.parametrize("theme", ["mkdocs", "readthedocs"])
def test_mkdocs_shows_titles_as_words(library: Path, tmp_path: Path, theme: str) -> None:
    site = (
        f"site_name: Court\ntheme: {{name: {theme}}}\nplugins: [{{kismet: {{library: '{library}'}}}}]\ndocs_dir: docs\n"
    )
    write_files(tmp_path, {"mkdocs.yml": site, "docs/.keep": ""})
    command = [sys.executable, "-m", "mkdocs", "build", "-f", str(tmp_path / "mkdocs.yml"), "-d", str(tmp_path / "out")]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    pages = {path: content.decode() for path, content in tree(tmp_path / "out").items() if path.endswith(".html")}
    for path, html in pages.items():
        reader = Reader(html)
        assert not reader.live, (path, reader.live)
        assert "&amp;lt;script&amp;gt;zap(1)" not in html, "this is escaped twice"
    # Its navigation has the titles of all kinds.
    words = Reader(pages["court/bow/index.html"]).shown
    assert [text for text in HOSTILE if compact(f"kinds {text}") not in words] == []


FRAGMENTS = (
    *HOSTILE,
    *(
        "<b>",
        "</b>",
        "<div>",
        "</div>",
        "<br>",
        "<pre>",
        "<form>",
        "<textarea>",
        "<?",
        "?>",
        "<! x>",
        "<![CDATA[",
        "]]>",
    ),
    *('<b title="', '">', "<img src=zap onerror=zap(1)>", "`", "``", "```", "~~~", "$", "$$", "\\", "!", "[", "]", "("),
    *(")", "(javascript:zap(1))", ": javascript:zap(1)", "[^1]", "[^1]: ", "[^<script>]", "[^<script>]: ", "%%x%%"),
    *("\n", "\n", "\n\n", "    ", " ", "- ", "> ", "> [!<script>] ", "1. ", "# ", "| ", "\n|---|\n", "- [`] ", "**"),
    *(
        "&#10;",
        "&#13;",
        "&#32;",
        "&#96;",
        "&lt;",
        "&amp;colon;",
        "zap",
        "#<b>",
        "==",
        "^a",
        "![[",
        "[[",
        "]]",
        "::",
        ":",
    ),
    *("[a](https://e.org/<script>)", "[a](javascript&amp;colon;zap)", "<https://e.org/`>", "Term\n: ", "word"),
)
"""Parts of texts that become active if something next to them is not escaped."""


def check_markdown(text: str, dialect: str) -> None:
    document = read(Source("a.md", text), dialect, lambda _: None)
    markdown = to_markdown(document.blocks, RenderContext())
    assert not from_markdown(markdown).live, markdown


@settings(max_examples=600, deadline=None)
@given(
    st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=9).map("".join), st.sampled_from(["obsidian", "asciidoc"])
)
@example("[^1]: javascript:zap(1)\n\nA[^1]", "obsidian")
@example("A[^1](javascript:zap(1))\n\n[^1]: b", "obsidian")
@example("A[^1]\n\n[^1]: ```\n    <img src=zap onerror=zap(1)>\n    ```", "obsidian")
@example("A[^<script>]\n\n[^<script>]: zap(1)", "obsidian")
@example("$<img src=zap onerror=zap(1)>$", "obsidian")
@example("$[a](javascript:zap(1))$", "obsidian")
@example("> [!<img src=zap onerror=zap(1)>] a\n> b", "obsidian")
@example("~~~ a`b\n<img src=zap onerror=zap(1)>\n~~~", "obsidian")
@example("<form>\n[a](javascript:zap(1))", "obsidian")
@example("<? > [a](javascript:zap(1)) ?>", "obsidian")
@example('<? > <b title="\n\n<img src=zap onerror=zap(1)>"> ?>', "obsidian")
@example("%%a%%<div>\n`<img src=zap onerror=zap(1)>`", "obsidian")
@example("`zap <img src=zap onerror=zap(1)>~~~```", "asciidoc")
@example("```[zap](javascript:zap(1)) |\n|---|\n", "obsidian")
@example("- ```a&#13;<script>zap(1)</script>\n  ```", "obsidian")
@example("- [`] a `<img src=zap onerror=zap(1)>`", "obsidian")
@example("%%a%%[^1]: javascript:zap(1)\n\n[^1]: b", "obsidian")
def test_no_markdown_that_is_written_is_live(text: str, dialect: str) -> None:
    check_markdown(text, dialect)

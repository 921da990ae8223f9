"""Metadata of a site: addresses, previews, licences, sitemaps, and the content security policy."""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from xml.etree import ElementTree

import pytest

from kismet_build.output.tree import is_page
from kismet_build.render.html.content_security_policy import DIRECTIVES, policy
from kismet_build.render.site.service_worker import emit_service_worker
from tests.command import ROOT, kismet, tree
from tests.conftest import BuiltTree
from tests.small_library import write_library
from tests.stages.render.icon import ASSETS, PICTURES, pixels, unpacked

URL = "https://rules.example/table/"
LIBRARY = f"""\
title: Our Table
url: {URL}
description: What we play on Thursdays.
"""
BOW = "ember-court/grace/bow/"


def publish(folder: Path, library: str | None) -> dict[str, bytes]:
    write_library(folder / "text")
    if library is not None:
        (folder / "text" / "library.yaml").write_text(library, encoding="utf-8")
    run = kismet("build", folder / "text", "--out", folder / "public")
    assert run.status == 0, run.output
    return tree(folder / "public")


@pytest.fixture(scope="module")
def with_url(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return publish(tmp_path_factory.mktemp("with-url"), LIBRARY)


@pytest.fixture(scope="module")
def without_url(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return publish(tmp_path_factory.mktemp("without-url"), None)


class Head(HTMLParser):
    """The metadata of a page, and all parts of the page that could run as code."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.links: dict[str, str] = {}
        self.metas: dict[str, str] = {}
        self.data: list[Any] = []
        self.inline: list[str] = []
        self.order: list[str] = []
        self._script: dict[str, str] | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "link":
            self.links.setdefault(attributes["rel"], attributes["href"])
        if tag == "meta":
            self.metas[attributes.get("property") or attributes.get("name") or attributes.get("http-equiv", "")] = (
                attributes.get("content", "")
            )
        self.order.append(attributes.get("http-equiv", tag))
        self._script = attributes if tag == "script" else None
        self.inline += [f"<{tag} {name}={value!r}>" for name, value in attributes.items() if _runs(name, value)]
        if tag == "style":
            self.inline.append("<style>")

    def handle_endtag(self, _tag: str) -> None:
        self._script = None

    def handle_data(self, data: str) -> None:
        if self._script is not None and self._script.get("type") == "application/ld+json":
            self.data.append(json.loads(data))
        elif self._script is not None:
            self.inline.append(f"<script>{data}")


def _runs(name: str, value: str) -> bool:
    """Whether an attribute is a script or a style, which the policy forbids."""
    program = re.match(r"\s*(javascript|vbscript|data:text)", value, re.IGNORECASE) is not None
    return name.startswith("on") or name in ("style", "srcdoc") or program


def heads(files: dict[str, bytes]) -> Iterator[tuple[str, Head]]:
    for path, content in files.items():
        if path.endswith(".html"):
            yield path, Head(content.decode())


@cache
def heads_of(folder: Path) -> dict[str, Head]:
    return dict(heads(tree(folder)))


def structured_data(head: Head) -> dict[str, Any]:
    (data,) = head.data
    assert data["@context"] == "https://schema.org"
    return {item["@type"]: item for item in data.get("@graph", [data])}


# --- content security policy


def test_no_page_has_inline_scripts_or_styles(content: BuiltTree) -> None:
    wrong = [(path, head.inline) for path, head in heads_of(content.folder).items() if head.inline]
    assert wrong == []


def test_every_page_has_the_policy_before_scripts_links_and_images(content: BuiltTree) -> None:
    for path, head in heads_of(content.folder).items():
        assert head.metas["Content-Security-Policy"] in (policy(), policy(base=True)), path
        ruled = [place for place, tag in enumerate(head.order) if tag in ("script", "link", "img", "base")]
        assert head.order.index("Content-Security-Policy") < min(ruled, default=99), path


def test_the_policy_allows_no_inline_script_and_no_eval() -> None:
    assert "unsafe-inline" not in policy()
    assert "'unsafe-eval'" not in policy()
    assert DIRECTIVES["object-src"] == DIRECTIVES["base-uri"] == DIRECTIVES["default-src"] == "'none'"


def test_html_in_a_text_cannot_violate_the_policy(tmp_path: Path) -> None:
    text = (ROOT / "tests/small_library.py").read_text(encoding="utf-8").split('TEXT = """\\\n')[1].split('"""')[0]
    untrusted_html = (
        '\n<p onclick="f()" style="color: red">One</p>\n\n<script>f()</script>\n\n<a href="javascript:f()">Two</a>'
        ' <img src="x" onerror="f()"> <iframe srcdoc="<b>"></iframe> <base href="/"> <form action="/x"></form>\n'
    )
    write_library(tmp_path / "text", text=text + untrusted_html)
    assert kismet("build", tmp_path / "text", "--out", tmp_path / "public").status == 0
    page = (tmp_path / "public/ember-court/court/index.html").read_text(encoding="utf-8")
    assert "One" in page
    assert Head(page).inline == []
    assert not re.search(r"<(iframe|base|object|embed|form)\b", page.partition("<article")[2].partition("</article")[0])


# --- URLs and link previews


def test_pages_have_absolute_urls_if_the_library_has_a_url(with_url: dict[str, bytes]) -> None:
    head = Head(with_url[f"{BOW}index.html"].decode())
    assert head.links["canonical"] == head.metas["og:url"] == URL + BOW
    assert head.metas["og:image"] == f"{URL}assets/icon-512.png"
    assert "assets/icon-512.png" in with_url


def test_data_has_the_url_to_which_its_addresses_are_relative(
    with_url: dict[str, bytes], without_url: dict[str, bytes]
) -> None:
    pack = json.loads(with_url["data/ember-court/pack.json"])
    (bow,) = (entity for entity in pack["entities"]["grace"] if entity["name"] == "Bow")
    assert urljoin(pack["game"]["url"], bow["url"]) == Head(with_url[f"{BOW}index.html"].decode()).links["canonical"]
    assert json.loads(without_url["data/ember-court/pack.json"])["game"]["url"] is None


def test_pages_have_no_absolute_urls_if_the_library_has_no_url(without_url: dict[str, bytes]) -> None:
    for path, head in heads({path: content for path, content in without_url.items() if is_page(path, content)}):
        assert not {"canonical", "og:url", "og:image"} & {*head.links, *head.metas}, path
    assert not {"sitemap.xml", "robots.txt", "404.html"} & set(without_url)


def test_link_preview_has_title_site_name_and_description(without_url: dict[str, bytes]) -> None:
    metas = Head(without_url[f"{BOW}index.html"].decode()).metas
    assert metas["og:title"] == "Bow · Graces · Ember Court"
    assert metas["og:site_name"] == "Ember Court"
    assert metas["og:description"] == metas["description"]
    assert metas["og:description"].startswith("You bend")
    assert metas["twitter:card"] == "summary"


# --- structured data


def test_entity_is_a_defined_term_of_a_set_with_its_licence(with_url: dict[str, bytes]) -> None:
    items = structured_data(Head(with_url[f"{BOW}index.html"].decode()))
    term = items["DefinedTerm"]
    assert (term["name"], term["url"]) == ("Bow", URL + BOW)
    terms = term["inDefinedTermSet"]
    assert (terms["name"], terms["url"]) == ("Graces", f"{URL}ember-court/grace/")
    assert terms["license"] == {"@type": "CreativeWork", "name": "CC0 1.0"}
    assert terms["isPartOf"] == {"@type": "Book", "name": "Ember Court", "url": f"{URL}ember-court/"}
    steps = items["BreadcrumbList"]["itemListElement"]
    assert [step["name"] for step in steps] == ["Ember Court", "Graces", "Bow"]
    assert [step["position"] for step in steps] == [1, 2, 3]


def test_a_game_is_a_book_with_licence_and_version(without_url: dict[str, bytes]) -> None:
    book = structured_data(Head(without_url["ember-court/index.html"].decode()))["Book"]
    assert (book["name"], book["version"], book["license"]["name"]) == ("Ember Court", "1.0.0", "CC0 1.0")


def test_a_library_is_a_website_of_books(with_url: dict[str, bytes]) -> None:
    site = structured_data(Head(with_url["index.html"].decode()))["WebSite"]
    assert (site["name"], site["url"]) == ("Our Table", URL)
    assert [book["name"] for book in site["hasPart"]] == ["Ember Court"]


def test_every_url_in_structured_data_leads_to_a_page(without_url: dict[str, bytes]) -> None:
    for path, head in heads(without_url):
        for address in re.findall(r'"(?:url|item)": "([^"]+)"', json.dumps(head.data)):
            assert urljoin(path, address).lstrip("/") in without_url, (path, address)


def test_title_cannot_close_the_structured_data_script(tmp_path: Path) -> None:
    library = "title: '</script><script>f()</script>'\n"
    page = publish(tmp_path, library)["index.html"].decode()
    head = Head(page)
    assert head.inline == []
    assert structured_data(head)["WebSite"]["name"] == "</script><script>f()</script>"


# --- sitemap, robots.txt and llms.txt


def test_sitemap_lists_every_page_once(with_url: dict[str, bytes]) -> None:
    root = ElementTree.fromstring(with_url["sitemap.xml"].decode())
    addresses = [place.text or "" for place in root.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    pages = {URL + path.removesuffix("index.html") for path, content in with_url.items() if is_page(path, content)}
    assert set(addresses) == pages
    assert addresses == sorted(addresses)


def test_robots_txt_is_written_only_at_the_root_of_a_host(tmp_path: Path, with_url: dict[str, bytes]) -> None:
    assert "robots.txt" not in with_url, "crawlers read it at the root of a host only, and this URL is in a folder"
    files = publish(tmp_path, "url: https://rules.example\n")
    assert b"Sitemap: https://rules.example/sitemap.xml\n" in files["robots.txt"]


def test_404_page_has_the_site_root_as_base(with_url: dict[str, bytes]) -> None:
    page = with_url["404.html"].decode()
    assert '<base href="/table/">' in page
    assert 'href="glossary/index.html"' in page


@pytest.mark.parametrize("path", ["llms.txt", "ember-court/llms.txt"])
def test_llms_txt_links_to_existing_files(path: str, without_url: dict[str, bytes]) -> None:
    lines = without_url[path].decode().splitlines()
    assert lines[0].startswith("# ")
    assert lines[2].startswith("> ")
    assert sum(line.startswith("# ") for line in lines) == 1
    links = [match for line in lines if (match := re.fullmatch(r"- \[([^\]]+)\]\(([^)]+)\)(?:: .+)?", line))]
    assert links
    for link in links:
        assert urljoin(path, link[2]) in without_url, link[0]


def test_llms_txt_of_a_game_lists_its_entities_and_licence(without_url: dict[str, bytes]) -> None:
    text = without_url["ember-court/llms.txt"].decode()
    assert "- Licence: CC0 1.0\n" in text
    assert "- [Bow](../ember-court/grace/bow/index.html.md): You bend, and the room forgives you.\n" in text
    assert "](../data/ember-court/pack.json)" in text


# --- offline use and installation


def test_offline_json_lists_all_website_files_and_no_data_files(content: BuiltTree) -> None:
    files = tree(content.folder)
    listed = json.loads(files["offline.json"])
    of_games = {game: json.loads(files[f"assets/{game}-offline.json"]) for game in listed["games"]}
    pages = {path for path, content in files.items() if is_page(path, content)}
    every = [*listed["files"], *chain.from_iterable(of_game["files"] for of_game in of_games.values())]
    assert pages <= set(every)
    assert not [path for path in every if path.startswith("data/") or path.endswith(".md") or path not in files]
    assert [path for path, number in Counter(every).items() if number > 1] == [
        f"assets/{game}/emblem.svg" for game in sorted(listed["games"])
    ], "the home page shows them, too"
    assert set(listed["shell"]) <= set(listed["files"])
    assert set(of_games) == {"kismet", "kiss", "legend", "marchen", "docs"}
    for game, digest in listed["games"].items():
        assert sha256(files[f"assets/{game}-offline.json"]).hexdigest().startswith(digest)
        assert of_games[game]["size"] == sum(len(files[path]) for path in of_games[game]["files"])


def test_a_game_keeps_its_own_files_though_its_id_begins_like_that_of_another() -> None:
    paths = ("srd/index.html", "srd-5/index.html", "assets/srd-search.js", "assets/srd-5-cards-one.js", "assets/a-b.js")
    digests = dict.fromkeys((*paths, "assets/pagefind/srd-5/x", "assets/srd/map.png"), (1, "0" * 64))
    files = dict(emit_service_worker(digests, ["srd", "srd-5"]))
    listed = {path: {*json.loads(content)["files"]} for path, content in files.items() if path.endswith(".json")}
    assert listed == {
        "assets/srd-offline.json": {"srd/index.html", "assets/srd-search.js", "assets/srd/map.png"},
        "assets/srd-5-offline.json": {"srd-5/index.html", "assets/srd-5-cards-one.js", "assets/pagefind/srd-5/x"},
        "offline.json": {"assets/a-b.js"},
    }


def test_script_of_all_games_does_not_belong_to_a_game_whose_id_begins_its_name() -> None:
    paths = ("settings/index.html", "assets/settings-dice.js", "assets/settings-box.js")
    files = dict(emit_service_worker(dict.fromkeys(paths, (1, "0" * 64)), ["settings"]))
    assert json.loads(files["offline.json"])["shell"] == ["assets/settings-box.js"]
    assert [*json.loads(files["assets/settings-offline.json"])["files"]] == [
        "assets/settings-dice.js",
        "settings/index.html",
    ]


def test_different_builds_have_different_service_worker_versions(
    without_url: dict[str, bytes], with_url: dict[str, bytes]
) -> None:
    versions = [json.loads(files["offline.json"])["version"] for files in (without_url, with_url)]
    assert versions[0] != versions[1]
    for files, version in zip((without_url, with_url), versions, strict=True):
        assert files["sw.js"].startswith(f'const VERSION = "{version}";\n'.encode())


def test_service_worker_refers_to_files_and_markup_of_the_build(without_url: dict[str, bytes]) -> None:
    worker = without_url["sw.js"].decode()
    offline_page = without_url["offline.html"].decode()
    for expected in ('<base href="./">', 'href="?again"', "<!-- games -->"):
        assert expected in offline_page
    assert '<base href="./">' in worker
    assert "<!-- games -->" in worker
    assert 'href="?again"' in worker
    for path in re.findall(r'= "(offline\.[a-z]+)"', worker):
        assert path in without_url


def test_web_app_manifest_has_title_and_description_of_the_library(
    with_url: dict[str, bytes], without_url: dict[str, bytes]
) -> None:
    manifest = json.loads(with_url["manifest.webmanifest"])
    assert (manifest["name"], manifest["description"]) == ("Our Table", "What we play on Thursdays.")
    assert json.loads(without_url["manifest.webmanifest"])["name"] == "Ember Court"
    assert all(icon["src"] in with_url for icon in manifest["icons"])


@pytest.mark.parametrize("name", PICTURES)
def test_the_png_icons_equal_the_drawn_svg(name: str) -> None:
    width, fills = PICTURES[name]
    assert unpacked((ASSETS / name).read_bytes()) == (width, pixels(width, fills)), "python -m tests.stages.render.icon"


def test_the_registration_script_is_small(without_url: dict[str, bytes]) -> None:
    assert len(gzip.compress(without_url["assets/offline.js"], 9)) < 512


def test_titles_are_escaped_in_html_attributes(tmp_path: Path) -> None:
    page = publish(tmp_path, "title: 'Rules \"&\" more'\n")["index.html"].decode()
    match = re.search(r'property="og:site_name" content="([^"]*)"', page)
    assert match
    assert unescape(match[1]) == 'Rules "&" more'


# --- data next to pages


def test_page_names_its_data_and_its_text(without_url: dict[str, bytes]) -> None:
    named: dict[str, list[str]] = {}
    for path, content in without_url.items():
        for media, href in re.findall(
            r'<link rel="alternate" type="([^"]+)" href="([^"]+)">', content.decode(errors="ignore")
        ):
            assert urljoin(path, href) in without_url
            named.setdefault(media, []).append(path)
    assert "ember-court/grace/bow/index.html" in named["application/json"]
    assert named["text/markdown"] == [
        path.removesuffix(".md") for path in without_url if path.endswith("index.html.md")
    ]
    text = without_url["ember-court/court/index.html.md"].decode()
    assert text.startswith("# ")
    assert "### Bow" in text

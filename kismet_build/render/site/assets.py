"""Files of the library's pages, and minified assets shared by all pages."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import orjson
from markupsafe import Markup

from kismet_build.config.design import DESIGN_FOLDER, NO_DESIGN, Design, bar_colours
from kismet_build.config.language.catalog import catalog
from kismet_build.config.language.strings import STRINGS_FOLDER
from kismet_build.config.library import LibraryConfig
from kismet_build.model.active_content import published_content
from kismet_build.model.downloads import minify
from kismet_build.model.source import read_regular_file
from kismet_build.pack import Pack
from kismet_build.render.data.listing import Listing
from kismet_build.render.html.addresses import INDEX, LazyFiles, path_to_root
from kismet_build.render.html.templates import SITE, template
from kismet_build.render.pages.layout import STYLE_SHEET, Head, common_scripts, strings_file
from kismet_build.render.pages.library import glossary_address, home_heading, library_catalog, library_pages
from kismet_build.render.pages.metadata import library_metadata
from kismet_build.render.pages.page import Page
from kismet_build.render.pages.print import kinds_with_entities

DEFAULT_ACCENT = "#5A2A88"
"""The default accent in the light scheme, as in the style sheet."""
STRINGS = STRINGS_FOLDER / "strings.js"


def library_page_files(packs: Sequence[Listing], library_config: LibraryConfig) -> LazyFiles:
    """The pages of the library, in their layout."""
    for address, make in library_pages(packs, library_config):
        yield address + INDEX, partial(_page_file, packs, library_config, make)


def _page_file(packs: Sequence[Listing], library_config: LibraryConfig, make: Callable[[], Page]) -> bytes:
    page, words = make(), library_catalog(packs, library_config)
    root, language = path_to_root(page.address), words.text_language
    metadata = library_metadata(packs, library_config, page, words)
    html = template("library", words).render(
        page=page,
        article=Markup(page.article),
        head=Markup(Head(root, language, words, None).html(page, page.title, metadata, common_scripts(language))),
        home_title=words.text("title.all_games")
        if len(packs) > 1
        else home_heading(packs, library_config.title, words),
        root=root,
        index=INDEX,
        glossary=glossary_address(packs),
        manual=library_config.manual and library_config.manual[0],
    )
    return html.encode()


def asset_files(packs: Sequence[Listing], library_config: LibraryConfig) -> LazyFiles:
    """The files in `assets/` that all games share, and the files of the author's design."""
    words, design = library_catalog(packs, library_config), library_config.design
    languages = (words.text_language, *(pack["game"]["language"] for pack in packs))
    for name, language in sorted({strings_file(used): used for used in languages}.items()):
        yield f"assets/{name}", partial(strings_script, language, design)
    for path in design.files:
        yield f"{DESIGN_FOLDER}{path}", partial(_design_file, design, path)
    for file in sorted(file for file in (SITE / "assets").rglob("*") if file.is_file()):
        yield file.relative_to(SITE).as_posix(), partial(_asset, file, packs)


def _asset(file: Path, packs: Sequence[Listing]) -> bytes:
    content = minify(file.name, file.read_bytes())
    return content + _accent_rules(packs) if file.name == STYLE_SHEET else content


def _design_file(design: Design, path: str) -> bytes:
    """A file of the author's design: the style sheet, an image or a font. Raises `OSError` if it cannot be read."""
    return published_content(path, read_regular_file(Path(design.folder, path)))


def strings_script(language: str, design: Design = NO_DESIGN) -> bytes:
    """The content of the script with the words for scripts in a language."""
    given = orjson.dumps(catalog(language, design).for_scripts())
    return minify(STRINGS.name, STRINGS.read_bytes()) + b"kismet.setStrings(" + given + b");\n"


def _accent_rules(packs: Sequence[Listing]) -> bytes:
    """CSS rules for the look of each game, in the style sheet of all pages because another one would block rendering.

    The data of a game published by an earlier version of this program may have only the accent.
    """
    rules = ""
    for game in sorted((pack["game"] for pack in packs), key=lambda game: game["id"]):
        properties: dict[str, str] = {}
        for suffix, colours in (("", game["accent"]), ("-2", game.get("second_accent"))):
            properties |= {f"--{scheme}{suffix}": colour for scheme, colour in (colours or {}).items()}
        if accent := game["accent"]:
            properties |= dict(zip(("--bar-light", "--bar-dark"), bar_colours([*accent.values()]), strict=True))
        if border := game.get("border"):
            properties["--border"] = f"var(--{border})"
        if properties:
            declarations = " ".join(f"{name}: {value};" for name, value in properties.items())
            rules += f'[data-game="{game["id"]}"] {{ {declarations} }}\n'
    return rules.encode()


def emblem_file(pack: Pack) -> bytes:
    """The emblem of a game: its own image, or else one made from its first kind's ornament or its initial."""
    game = pack.game
    emblem = game.definition.face.emblem
    if not emblem:
        kinds = kinds_with_entities(pack)
        sign = kinds[0][0].ornament if kinds else game.title[0]
        ground = game.definition.face.accent[0] if game.definition.face.accent else DEFAULT_ACCENT
        emblem = template("emblem", game.catalog).render(sign=sign, ground=ground).encode()
    return emblem

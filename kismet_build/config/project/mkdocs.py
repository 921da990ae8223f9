"""Read the project files of MkDocs (`mkdocs.yml`) and Zensical (`zensical.toml` or `mkdocs.yml`)."""

import re
from collections.abc import Iterator, Mapping
from os.path import relpath, sep
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kismet_build.config.project.configuration import Configuration, read_configuration
from kismet_build.config.project.project import (
    ONE_LANGUAGE,
    Languages,
    ListingKeys,
    Project,
    PublicationRules,
    Routing,
    patterns_across_folders,
    plain_words,
)
from kismet_build.model.navigation import NavigationItem
from kismet_build.model.nodes import is_url

FILES = ("zensical.toml", "mkdocs.yml", "mkdocs.yaml")
MAX_INHERITED = 10
"""Maximum length of a chain of files that inherit from one another."""
EXTENSIONS_OF_MKDOCS = ("toc", "tables", "fenced_code")
EXTENSIONS_OF_ZENSICAL = (
    *("abbr", "admonition", "attr_list", "def_list", "footnotes", "md_in_html", "toc", "tables"),
    *("pymdownx.caret", "pymdownx.details", "pymdownx.emoji", "pymdownx.keys", "pymdownx.mark"),
    *("pymdownx.smartsymbols", "pymdownx.superfences", "pymdownx.tabbed", "pymdownx.tasklist", "pymdownx.tilde"),
)
"""The extensions of a Zensical site whose project file names none."""
EXTRA = ("abbr", "attr_list", "def_list", "fenced_code", "footnotes", "md_in_html", "tables")
SETS_OF_EXTENSIONS = {"extra": EXTRA, "pymdownx.extra": (*EXTRA, "pymdownx.superfences")}
"""Extensions that turn on others."""
FOLDER_FILES = {
    "awesome-pages": ("filename", ".pages"),
    "awesome-nav": ("filename", ".nav.yml"),
    "literate-nav": ("nav_file", "SUMMARY.md"),
}
"""Plugins that read a file with a list of the texts in a folder.

For each, the option that names the file, and the default name.
"""
PLUGINS_WITH_WIKI_LINKS = frozenset(("ezlinks", "obsidian-bridge", "obsidian-support", "roamlinks"))
REST = "..."
"""In a navigation for the plugin `awesome-pages`: the entry that stands for all texts without an entry of their own."""
HIDDEN = (".*", "/templates/")
"""Patterns for files that MkDocs does not publish by default."""


def read_project(configuration: Configuration) -> Project:
    """The project of a configuration file."""
    file = configuration.file
    is_zensical = file.suffix == ".toml"
    configuration = configuration.below("project") if is_zensical else _with_inherited(configuration)
    defaults = EXTENSIONS_OF_ZENSICAL if is_zensical else EXTENSIONS_OF_MKDOCS
    extensions = tuple(_extensions(configuration))
    if not is_zensical or not extensions:
        extensions = (*defaults, *extensions)
    folder = file.parent / (configuration.text("docs_dir") or "docs")
    named = _named(configuration.value.get("markdown_extensions"))
    snippets = _options(named, "pymdownx.snippets") or _options(_named(named.get("pymdownx")), "snippets")
    contents = {**_options(named, "markdown.extensions.toc"), **_options(named, "toc")}
    contents_mark = {"contents_mark": mark} if isinstance(mark := contents.get("marker"), str) else {}
    plugins = _named(configuration.value.get("plugins"))
    if not PLUGINS_WITH_WIKI_LINKS.isdisjoint(plugins):
        extensions = (*extensions, "wikilinks")
    left_out: dict[str, Any] = options if isinstance(options := plugins.get("exclude"), dict) else {}
    root = re.escape(folder.resolve().as_posix())
    folder_files = tuple(_folder_files(plugins))
    places = _list(snippets.get("base_path")) or ["."]
    snippets["base_path"] = [relpath(file.parent / place, folder).replace(sep, "/") for place in places]
    return Project(
        generator="Zensical" if is_zensical else "MkDocs",
        file=file,
        place=configuration.source,
        folder=folder,
        dialect="mkdocs",
        options={
            "extensions": extensions,
            "extra": configuration.mapping("extra"),
            "config": {key: value for key, value in configuration.value.items() if isinstance(value, str)},
            "plugins": tuple(plugins),
            "snippets": snippets,
            **contents_mark,
        },
        title=configuration.text("site_name"),
        description=configuration.text("site_description"),
        language=_language(configuration),
        languages=_languages(configuration, folder),
        url=configuration.text("site_url"),
        copyright=plain_words(configuration.text("copyright")),
        navigation=tuple(_items(configuration.value.get("nav"), configuration)),
        exclude=(
            *HIDDEN,
            *configuration.patterns("exclude_docs"),
            *configuration.lines("draft_docs"),
            *(part for pattern in _list(left_out.get("glob")) for part in patterns_across_folders(pattern)),
        ),
        exclude_expressions=tuple(f"^{root}/(?:{text})" for text in _list(left_out.get("regex"))),
        listing=ListingKeys(unlisted=configuration.lines("not_in_nav"), folder_files=folder_files),
        # A snippet is often in `docs_dir`, and excluded because it is not a page.
        parts=(*(name for name in folder_files if not name.startswith(".")), *configuration.patterns("exclude_docs")),
        publication=PublicationRules(has_one_home=True),
        routing=Routing(base=urlsplit(configuration.text("site_url")).path),
    )


def _with_inherited(configuration: Configuration) -> Configuration:
    """The configuration with the values that it inherits from the files that `INHERIT` names, within the repository."""
    value, file = configuration.value, configuration.file
    folder = file.parent.resolve()
    # Files outside the repository are not read: they could be secrets of the machine that builds the website.
    root = next((above for above in (folder, *folder.parents) if (above / ".git").exists()), folder)
    for _ in range(MAX_INHERITED):
        name = value.get("INHERIT")
        if not isinstance(name, str):
            break
        file = file.parent / name
        parent = read_configuration(file, configuration.report, root)
        if parent is None:
            break
        value = _merged(parent.value, {key: item for key, item in value.items() if key != "INHERIT"})
    return configuration.with_value(value)


def _merged(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for key, value in own.items():
        inherited = result.get(key)
        is_nested = isinstance(value, dict) and isinstance(inherited, dict)
        result[key] = _merged(inherited, value) if is_nested else value  # type: ignore[arg-type]
    return result


def _named(value: Any) -> dict[str, Any]:
    """The options by name, from a list of names, some of them with options, or from a mapping."""
    if isinstance(value, dict):
        return value
    named: dict[str, Any] = {}
    for item in value if isinstance(value, list) else []:
        named |= item if isinstance(item, dict) else {str(item): None}
    return named


def _extensions(configuration: Configuration) -> Iterator[str]:
    """The names of the Markdown extensions. In TOML, the extensions of PyMdown are a table of their own."""
    for name, options in _named(configuration.value.get("markdown_extensions")).items():
        short = name.removeprefix("markdown.extensions.").partition(":")[0]
        if short in ("pymdownx", "markdown", "zensical") and isinstance(options, dict):
            yield from (f"{short}.{part}" for part in options)
        yield from SETS_OF_EXTENSIONS.get(short, ())
        yield short


def _folder_files(plugins: Mapping[str, Any]) -> Iterator[str]:
    for plugin, (option, usual) in FOLDER_FILES.items():
        if plugin in plugins:
            options = plugins[plugin]
            name = options.get(option) if isinstance(options, dict) else None
            is_usable = isinstance(name, str) and "/" not in name and Path(name).suffix == Path(usual).suffix
            yield name if isinstance(name, str) and is_usable else usual


def _options(named: Mapping[str, Any], name: str) -> dict[str, Any]:
    return dict(options) if isinstance(options := named.get(name), dict) else {}


def _list(value: Any) -> list[str]:
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)]


def _language(configuration: Configuration) -> str:
    theme = configuration.value.get("theme")
    language = theme.get("language") or theme.get("locale") if isinstance(theme, dict) else ""
    return language.replace("_", "-") if isinstance(language, str) else ""


def _languages(configuration: Configuration, folder: Path) -> Languages:
    """The languages of the plugin i18n, the default language first.

    Texts in languages that are not built are not published.
    """
    found = _named(configuration.value.get("plugins")).get("i18n")
    options: dict[str, Any] = found if isinstance(found, dict) else {}
    listed = options.get("languages")
    languages = [
        language
        for language in (listed if isinstance(listed, list) else ())
        if isinstance(language, dict) and isinstance(language.get("locale"), str)
    ]
    if not languages:
        return ONE_LANGUAGE
    languages.sort(key=lambda language: language.get("default") is not True)
    codes = [language["locale"] for language in languages]
    has_folders = options.get("docs_structure") == "folder"
    built = [language["locale"] for language in languages if language.get("build") is not False]
    return Languages(
        folders={code: folder / code if has_folders else folder for code in built},
        titles={code: str(language.get("site_name") or "") for code, language in zip(codes, languages, strict=True)},
        codes=() if has_folders else tuple(code.casefold() for code in codes),
        own=codes[0].casefold(),
        falls_back=options.get("fallback_to_default") is not False,
    )


def _items(value: Any, configuration: Configuration, title: str = "") -> Iterator[NavigationItem]:
    """The entries of a navigation. Addresses of other websites are left out and reported."""
    match value:
        case str() if is_url(value):
            configuration.leave_out(title or value)
        case str() if value.startswith(REST):
            yield NavigationItem(path="/*")
        case str():
            yield NavigationItem(title, value.strip())
        case dict():
            for name, item in value.items():
                if isinstance(item, list):
                    yield NavigationItem(name, items=tuple(_items(item, configuration)))
                else:
                    yield from _items(item, configuration, name)
        case list():
            for item in value:
                yield from _items(item, configuration)
        case None:
            return
        case _:
            configuration.leave_out(str(value))

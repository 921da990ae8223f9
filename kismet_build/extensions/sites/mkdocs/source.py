"""Read the project files of MkDocs (`mkdocs.yml`) and Zensical (`zensical.toml` or `mkdocs.yml`)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os.path import lexists, relpath, sep
from pathlib import Path
from posixpath import normpath
from typing import Any
from urllib.parse import urlsplit

from kismet_build.config.answers import Answer, answer
from kismet_build.config.data_file import unknown_privacy
from kismet_build.config.discovery import list_files
from kismet_build.config.privacy import OF_THEMES, PublicationRules
from kismet_build.config.sources import OUR_FILES, VaultSource
from kismet_build.config.sources.configuration import Configuration, read_configuration, reject
from kismet_build.config.sources.defaults import Defaults, GivenProperties
from kismet_build.config.sources.vault import (
    ONE_LANGUAGE,
    Languages,
    ListingKeys,
    Routing,
    Vault,
    may_hide,
    patterns_across_folders,
    plain_words,
)
from kismet_build.model.navigation import NavigationItem
from kismet_build.model.nodes import is_url

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
GROUP = "group"
"""The plugin that turns several plugins on."""
PRIVATE_KEYS = ("docs_dir", "draft_docs", "exclude_docs", "INHERIT", "plugins")
"""Settings that decide which texts are published."""
HIDING_PLUGINS = frozenset(("blog", "encryptcontent", "exclude", "excluder", "i18n", "meta"))
"""Plugins that keep texts private by rules that are read."""
PASSWORDS_FOR_ALL = ("global_password", "password_file", "use_secret")
"""Options of `encryptcontent` that may encrypt all texts."""
HIDDEN = (".*", "/templates/")
"""Patterns for files that MkDocs does not publish by default."""


def read_vault(configuration: Configuration) -> Vault:
    """The site of a configuration file."""
    file = configuration.file
    is_zensical = file.suffix == ".toml"
    configuration = configuration.below("project") if is_zensical else _with_inherited(configuration)
    defaults = EXTENSIONS_OF_ZENSICAL if is_zensical else EXTENSIONS_OF_MKDOCS
    extensions = tuple(_extensions(configuration))
    if not is_zensical or not extensions:
        extensions = (*defaults, *extensions)
    configuration.check_names("draft_docs", "exclude_docs", "INHERIT")
    if configuration.closed("hooks"):
        raise configuration.unknown("names programs, which may leave out texts", "hooks")
    folder = file.parent / (configuration.closed_path("docs_dir") or "docs")
    named = _named(configuration.value.get("markdown_extensions"))
    snippets = _options(named, "pymdownx.snippets") or _options(_named(named.get("pymdownx")), "snippets")
    contents = {**_options(named, "markdown.extensions.toc"), **_options(named, "toc")}
    contents_mark = {"contents_mark": mark} if isinstance(mark := contents.get("marker"), str) else {}
    configuration = _with_grouped_plugins(configuration)
    plugins = _named(configuration.value.get("plugins"))
    if not PLUGINS_WITH_WIKI_LINKS.isdisjoint(plugins):
        extensions = (*extensions, "wikilinks")
    hiding = _hiding_plugins(configuration, plugins)
    left_out = [options for name in ("exclude", "excluder") for options in hiding.get(name, ())]
    root = re.escape(folder.resolve().as_posix())
    folder_files = tuple(_folder_files(plugins))
    places = _list(snippets.get("base_path")) or ["."]
    snippets["base_path"] = [relpath(file.parent / place, folder).replace(sep, "/") for place in places]
    return Vault(
        name="Zensical" if is_zensical else "MkDocs",
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
            *configuration.closed_lines("exclude_docs"),
            *configuration.closed_lines("draft_docs"),
            *(
                part
                for options in left_out
                for pattern in options.closed_lines("glob")
                for part in patterns_across_folders(pattern)
            ),
        ),
        exclude_expressions=tuple(
            f"^{root}/(?:{text})" for options in left_out for text in options.closed_lines("regex")
        ),
        listing=ListingKeys(unlisted=configuration.lines("not_in_nav"), folder_files=folder_files),
        # A snippet is often in `docs_dir`, and excluded because it is not a page.
        parts=(
            *(name for name in folder_files if not name.startswith(".")),
            *configuration.closed_lines("exclude_docs"),
        ),
        given=GivenProperties(tuple(_defaults_of_folders(hiding.get("meta", ()), folder))),
        publication=_publication(hiding),
        routing=Routing(base=urlsplit(configuration.text("site_url")).path),
    )


def _with_inherited(configuration: Configuration) -> Configuration:
    """The configuration with the values that it inherits from the files that `INHERIT` names, within the repository.

    Raises `UsageError` if one cannot be read, because it may exclude texts.
    """
    value, last, seen = configuration.value, configuration, {configuration.file.resolve()}
    folder = configuration.file.parent.resolve()
    # Files outside the repository are not read: they could be secrets of the machine that builds the website.
    root = next((above for above in (folder, *folder.parents) if (above / ".git").exists()), folder)
    while "INHERIT" in last.value:
        name = last.closed_path("INHERIT")
        file = last.file.parent / name
        if not name or file.name.startswith("."):
            raise last.unknown("names no file that can be read", "INHERIT")
        if file.resolve() in seen or len(seen) > MAX_INHERITED:
            raise last.unknown("names too many files, or one that inherits from itself", "INHERIT")
        seen.add(file.resolve())
        parent = read_configuration(file, reject(file), root)
        if parent is None:
            raise last.unknown("names a file that cannot be read", "INHERIT")
        for key in PRIVATE_KEYS:
            parent.closed(key)
        value = _merged(parent.value, {key: item for key, item in value.items() if key != "INHERIT"})
        last = parent
    return configuration.with_value({key: item for key, item in value.items() if key != "INHERIT"})


# --- plugins that keep texts private


def _with_grouped_plugins(configuration: Configuration) -> Configuration:
    """The configuration with the plugins of groups beside the others, whether or not a group is on."""
    listed: list[Any] = [{name: options} for name, options in _named(configuration.value.get("plugins")).items()]
    plugins: dict[str, Any] = {}
    while listed:
        for name, options in _named([listed.pop(0)]).items():
            if name.rpartition("/")[2] == GROUP and isinstance(options, dict):
                listed += [{inner: value} for inner, value in _named(options.get("plugins")).items()]
            else:
                plugins.setdefault(name, options)
    return configuration.with_value({**configuration.value, "plugins": plugins})


def _hiding_plugins(configuration: Configuration, plugins: Mapping[str, Any]) -> dict[str, list[Configuration]]:
    """The options of the plugins that keep texts private and are on, by name.

    Raises `UsageError` for one whose rules kismet does not know.
    """
    found: dict[str, list[Configuration]] = {}
    for name, written in plugins.items():
        short = name.rpartition("/")[2]
        if short not in HIDING_PLUGINS and not may_hide(short):
            continue
        options = configuration.closed_plugin(name, written)
        if answer(options.closed("enabled")) is Answer.NO:
            continue
        if short not in HIDING_PLUGINS:
            raise configuration.unknown(f'has "{name}", whose rules for private texts kismet does not know', "plugins")
        found.setdefault(short, []).append(options)
    return found


def _publication(hiding: Mapping[str, Sequence[Configuration]]) -> PublicationRules:
    posts: list[str] = []
    for options in hiding.get("blog", ()):
        if answer(options.closed("draft_if_future_date")) not in (Answer.NO, Answer.EMPTY):
            blog = options.closed_path("blog_dir") or "blog"
            folder = (options.closed_path("post_dir") or "{blog}/posts").replace("{blog}", blog)
            posts.append(re.escape(normpath(folder).strip("./")) + "/" if folder.strip("./") else "")
    for options in hiding.get("encryptcontent", ()):
        is_for_all = "_global" in options.closed_mapping("password_inventory")
        if is_for_all or any(answer(options.closed(key)) is not Answer.EMPTY for key in PASSWORDS_FOR_ALL):
            raise options.unknown("has a password for texts without one of their own", "plugins")
    encrypted = {"password": frozenset[str](), "level": frozenset[str]()} if "encryptcontent" in hiding else {}
    return PublicationRules(
        ignored=OF_THEMES,
        published_with=encrypted,
        not_before=("date",) if posts else (),
        dated="|".join(posts),
        has_one_home=True,
    )


def _defaults_of_folders(plugins: Iterable[Configuration], folder: Path) -> Iterator[Defaults]:
    """The properties that `.meta.yml` files give to all texts below them, the deepest folders first."""
    for options in plugins:
        name = options.closed_path("meta_file") or ".meta.yml"
        for place in sorted(list_files(folder).folders, key=len, reverse=True) if folder.is_dir() else ():
            file = folder / place / name
            if lexists(file):
                # The name may begin with a dot, but the file must not be a link to another folder.
                is_in_place = file.resolve() == (folder / place).resolve() / name
                values = read_configuration(file, reject(file)) if is_in_place else None
                if values is None:
                    raise unknown_privacy(file, "this cannot be read")
                yield Defaults(values.value, (f"{place.casefold()}/**",) if place else ())


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


source = VaultSource(OUR_FILES["mkdocs"], read_vault)

"""Read the project files of Hugo: `hugo.toml`, `config.toml`, or YAML and JSON files with these names.

These files may also be in `config/_default/`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kismet_build.config.project.configuration import Configuration, read_configuration
from kismet_build.config.project.defaults import Defaults, GivenProperties, cascade_of_hugo
from kismet_build.config.project.project import (
    Languages,
    ListingKeys,
    Project,
    PublicationRules,
    Routing,
    plain_words,
)

NAMES = ("hugo", "config", "config/_default/hugo", "config/_default/config")
SUFFIXES = (".toml", ".yaml", ".yml", ".json")
FILES = tuple(f"{name}{suffix}" for name in NAMES for suffix in SUFFIXES)
PRIVATE = {"cascade": {"draft": True}}
"""Replaces a file that cannot be read. As the file may say which texts are private, all of them become drafts."""
ENVIRONMENTS = ("_default", "production")
"""The folders in `config/` that apply to a published site. Values in later folders replace those in earlier ones."""
LISTING = ListingKeys(
    order=("weight", "menu.*.weight", "menus.*.weight"),
    title=("linkTitle", "linktitle"),
    hidden=("bookHidden", "_build.list", "build.list"),
    sorts_by_title=True,
)


def read_project(configuration: Configuration) -> Project:
    """The project of a configuration file."""
    parent = configuration.file.parent
    root = parent.parent.parent if parent.name == "_default" else parent
    whole = _with_parts(configuration, root)
    configuration = whole.with_value(_merged(whole.value, whole.mapping("languages").get(_default_language(whole), {})))
    shows_future = configuration.value.get("buildfuture") is True
    shows_expired = configuration.value.get("buildexpired") is True
    folder = root / (configuration.text("contentdir") or "content")
    language = configuration.text("languagecode") or configuration.text("defaultcontentlanguage")
    url = configuration.text("baseurl")
    return Project(
        generator="Hugo",
        file=configuration.file,
        place=configuration.source,
        folder=folder,
        dialect="hugo",
        options={
            "params": configuration.mapping("params"),
            "cascade": configuration.value.get("cascade"),
            "emoji": configuration.value.get("enableemoji") is True,
        },
        title=configuration.text("title"),
        description=configuration.text("params", "description"),
        language=language,
        languages=_languages(configuration, root, folder),
        url=url,
        copyright=plain_words(configuration.text("copyright")),
        listing=LISTING,
        routing=Routing(
            base=urlsplit(url).path,
            names=("slug",),
            addresses=("url", "aliases"),
            permalinks=tuple(_permalinks(configuration)),
            has_folders=configuration.value.get("uglyurls") is not True,
        ),
        given=GivenProperties(tuple(_cascades(configuration)), passed_down="cascade"),
        publication=PublicationRules(
            published=("build.render", "_build.render"),
            private=("headless",),
            has_bundles=True,
            not_before=() if shows_future else ("date", "publishDate", "publishdate"),
            not_after=() if shows_expired else ("expiryDate", "expirydate"),
        ),
        static=configuration.lines("staticdir") or ("static",),
        exclude_expressions=configuration.patterns("ignorefiles"),
    )


def _with_parts(configuration: Configuration, root: Path) -> Configuration:
    """The configuration, merged with the files in the folders of `config/`, where `params.toml` has the values of
    `params`. Hugo ignores the case of keys: the top-level keys and those of each language are in lower case here.
    """
    value = _folded(configuration.value)
    for environment in ENVIRONMENTS:
        folder = root / "config" / environment
        for file in sorted(folder.iterdir()) if folder.is_dir() else ():
            if file.suffix not in SUFFIXES or file.resolve() == configuration.file.resolve():
                continue
            part = read_configuration(file, configuration.report)
            name, _, language = file.stem.casefold().partition(".")
            if part is None:
                of_part = PRIVATE
            elif name in ("hugo", "config"):
                of_part = _folded(part.value)
            else:
                of_part = {name: part.value.get(name, part.value)}
            value = _merged(value, {"languages": {language: of_part}} if language else of_part)
    languages = value.get("languages")
    value["languages"] = {code: _folded(options) for code, options in _items(languages) if isinstance(options, dict)}
    return configuration.with_value(value)


def _items(value: Any) -> list[tuple[str, Any]]:
    return [(str(name), found) for name, found in value.items()] if isinstance(value, dict) else []


def _folded(value: Any) -> dict[str, Any]:
    return {name.casefold(): found for name, found in _items(value)}


def _merged(value: Any, other: Any) -> Any:
    if not isinstance(value, dict) or not isinstance(other, dict):
        return other
    return {**value, **{key: _merged(value.get(key), found) for key, found in other.items()}}


def _default_language(configuration: Configuration) -> str:
    return configuration.text("defaultcontentlanguage").casefold() or "en"


def _permalinks(configuration: Configuration) -> Iterator[tuple[str, str]]:
    """The folders of sections, with the addresses of their texts."""
    written = configuration.mapping("permalinks")
    for name, address in _items({**written, **configuration.mapping("permalinks", "page")}):
        if isinstance(address, str):
            yield f"{name.strip('/')}/", address


def _cascades(configuration: Configuration) -> Iterator[Defaults]:
    """The properties that the configuration passes down, first to the texts of each language, then to all texts."""
    for code, options in configuration.mapping("languages").items():
        yield from (defaults._replace(languages=(code,)) for defaults in cascade_of_hugo(options.get("cascade")))
    yield from cascade_of_hugo(configuration.value.get("cascade"))


def _languages(configuration: Configuration, root: Path, folder: Path) -> Languages:
    """The languages of a site. Texts in disabled languages are not published."""
    default, disabled = _default_language(configuration), configuration.lines("disablelanguages")
    listed = configuration.mapping("languages")
    folders = {
        code: root / own if isinstance(own := options.get("contentdir"), str) else folder
        for code, options in listed.items()
        if code not in disabled and options.get("disabled") is not True
    }
    return Languages(
        folders={code: folders[code] for code in sorted(folders, key=lambda code: code != default)},
        titles={code: plain_words(str(options.get("title") or "")) for code, options in listed.items()},
        codes=tuple(code.casefold() for code in listed),
        own=default,
        has_code_in_all=configuration.value.get("defaultcontentlanguageinsubdir") is True,
    )

"""Read the project files of Hugo: `hugo.toml`, `config.toml`, or YAML and JSON files with these names.

These files may also be in `config/_default/`.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kismet_build.config.answers import NO_WORDS, YES_WORDS, Answer, answer
from kismet_build.config.data_file import is_folder, unknown_privacy
from kismet_build.config.privacy import OF_THEMES, PublicationRules
from kismet_build.config.sources import OUR_FILES, VaultSource
from kismet_build.config.sources.configuration import Configuration, read_configuration, reject
from kismet_build.config.sources.defaults import Defaults, GivenProperties, cascade
from kismet_build.config.sources.vault import (
    Languages,
    ListingKeys,
    Routing,
    Vault,
    plain_words,
)

TIMES = ("publishdate", "pubdate", "published", "date", "lastmod", "modified")
"""The properties with the time before which a text is not published. The first that a text has counts."""
ENDS = ("expirydate", "unpublishdate")
FILTERS = ("files", "includefiles", "lang", "sites")
"""Keys of a mount that leave out files of its folder in ways that kismet does not know."""
ENVIRONMENTS = ("_default", "production")
"""The folders in `config/` that apply to a published site. Values in later folders replace those in earlier ones."""
LISTING = ListingKeys(
    order=("weight", "menu.*.weight", "menus.*.weight"),
    title=("linkTitle", "linktitle"),
    hidden=("bookHidden", "_build.list", "build.list"),
    sorts_by_title=True,
)


def read_vault(configuration: Configuration) -> Vault:
    """The site of a configuration file."""
    parent = configuration.file.parent
    root = parent.parent.parent if parent.name == "_default" else parent
    whole = _with_parts(configuration, root)
    configuration = whole.with_value(_merged(whole.value, whole.mapping("languages").get(_default_language(whole), {})))
    if "base_url" in configuration.value:
        raise configuration.unknown("is of Zola, whose rules for private texts kismet does not know", "base_url")
    configuration.check_names("ignorefiles")
    for kind in configuration.closed_lines("disablekinds"):
        if kind.casefold() in ("page", "section", "home"):
            raise configuration.unknown(f'leaves out all texts of the kind "{kind}"', "disablekinds")
    times, ends, has_dated_names = _times(configuration)
    content, left_out = _content_folder(configuration, root)
    folder = root / content
    language = configuration.text("languagecode") or configuration.text("defaultcontentlanguage")
    url = configuration.text("baseurl")
    return Vault(
        name="Hugo",
        file=configuration.file,
        place=configuration.source,
        folder=folder,
        dialect="hugo",
        options={
            "params": configuration.mapping("params"),
            "theme": configuration.value.get("theme"),
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
            ignored=OF_THEMES,
            casts_numbers=True,
            published_with={
                "headless": NO_WORDS,
                "build.render": YES_WORDS | {"always"},
                "_build.render": YES_WORDS | {"always"},
            },
            has_bundles=True,
            not_before=times,
            not_after=ends,
            has_dated_names=has_dated_names,
        ),
        hides=_has_hidden_name,
        static=configuration.lines("staticdir") or ("static",),
        exclude_globs=left_out,
        exclude_expressions=configuration.closed_lines("ignorefiles"),
    )


def _has_hidden_name(path: str) -> bool:
    return any(part.startswith((".", "#")) or part.endswith("~") for part in path.split("/"))


def _content_folder(configuration: Configuration, root: Path) -> tuple[str, tuple[str, ...]]:
    """The folder of the texts, and globs for the files in it that are left out.

    Raises `UsageError` if other parts of folders, or several, are mounted in its place.
    """
    mounts = _folded(configuration.closed_mapping("module")).get("mounts")
    if not isinstance(mounts, list | None) or not all(isinstance(mount, dict) for mount in mounts or ()):
        raise configuration.unknown("is not a list of mounts", "module")
    found = [mount for mount in map(_folded, mounts or ()) if str(mount.get("target")).strip("/").startswith("content")]
    if not found:
        return configuration.closed_path("contentdir") or "content", ()
    source, target = found[0].get("source"), found[0]["target"].strip("/")
    is_whole = len(found) == 1 and target == "content" and not any(key in found[0] for key in FILTERS)
    if not is_whole or not isinstance(source, str) or not is_folder(root / source):
        raise configuration.unknown("mounts something else than one whole folder as `content`", "module")
    left_out = found[0].get("excludefiles") or []
    globs = [left_out] if isinstance(left_out, str) else left_out
    if not isinstance(globs, list) or not all(isinstance(glob, str) for glob in globs):
        raise configuration.unknown("has `excludeFiles` that are not patterns", "module")
    # Two stars in a name match any number of folders.
    return source, tuple(chosen for glob in globs for chosen in (glob, glob.replace("**", "**/*")))


def _times(configuration: Configuration) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """The properties with the times between which a text is published, and whether its name counts."""
    written = _folded(configuration.closed_mapping("frontmatter"))
    names: dict[str, list[str]] = {}
    for key, value in written.items():
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
            raise configuration.unknown("is not a map of lists", "frontmatter")
        names[key] = [name.casefold() for name in listed]
    starts = [name for key in ("publishdate", "date") for name in names.get(key, [":default"])]
    ends = names.get("expirydate", [":default"])
    return (
        () if configuration.value.get("buildfuture") is True else tuple(_properties(starts, TIMES)),
        () if configuration.value.get("buildexpired") is True else tuple(_properties(ends, ENDS)),
        ":filename" in starts and configuration.value.get("buildfuture") is not True,
    )


def _properties(names: Iterable[str], usual: Sequence[str]) -> Iterator[str]:
    for name in names:
        if name == ":default":
            yield from usual
        elif not name.startswith(":"):
            yield name


def _with_parts(configuration: Configuration, root: Path) -> Configuration:
    """The configuration, merged with the files in the folders of `config/`, where `params.toml` has the values of
    `params`. Hugo ignores the case of keys: the top-level keys and those of each language are in lower case here.
    """
    value = _folded(configuration.value)
    for environment in ENVIRONMENTS:
        folder = root / "config" / environment
        for file in sorted(folder.iterdir()) if folder.is_dir() else ():
            if file.suffix not in (".toml", ".yaml", ".yml", ".json") or file.resolve() == configuration.file.resolve():
                continue
            part = read_configuration(file, reject(file))
            name, _, language = file.stem.casefold().partition(".")
            if part is None:
                raise unknown_privacy(file, "this cannot be read")
            if name in ("hugo", "config"):
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
        yield from (defaults._replace(languages=(code,)) for defaults in cascade(options.get("cascade")))
    yield from cascade(configuration.value.get("cascade"))


def _languages(configuration: Configuration, root: Path, folder: Path) -> Languages:
    """The languages of a site. Texts in disabled languages are not published."""
    default = _default_language(configuration)
    disabled = " ".join(configuration.closed_lines("disablelanguages")).casefold().split()
    listed = configuration.closed_mapping("languages")
    folders = {
        code: root / own if isinstance(own := options.get("contentdir"), str) else folder
        for code, options in listed.items()
        if code.casefold() not in disabled and answer(options.get("disabled")) in (Answer.NO, Answer.EMPTY)
    }
    return Languages(
        folders={code: folders[code] for code in sorted(folders, key=lambda code: code != default)},
        titles={code: plain_words(str(options.get("title") or "")) for code, options in listed.items()},
        codes=tuple(code.casefold() for code in listed),
        own=default,
        has_code_in_all=configuration.value.get("defaultcontentlanguageinsubdir") is True,
    )


source = VaultSource(OUR_FILES["hugo"], read_vault)

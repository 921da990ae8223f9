"""Hugo (`hugo.toml`, `config.toml`, or the same in YAML or JSON; also in `config/_default/`)."""

from pathlib import Path
from urllib.parse import urlsplit

from kismet_build.config.project.configuration import Configuration
from kismet_build.config.project.defaults import GivenProperties, cascade_of_hugo
from kismet_build.config.project.project import ListingKeys, Project, PublicationRules, Routing, plain_words

NAMES = ("hugo", "config", "config/_default/hugo", "config/_default/config")
FILES = tuple(f"{name}.{suffix}" for name in NAMES for suffix in ("toml", "yaml", "yml", "json"))
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
    shows_future = configuration.value.get("buildFuture") is True
    shows_expired = configuration.value.get("buildExpired") is True
    folder = root / (configuration.text("contentDir") or configuration.text("contentdir") or "content")
    language = configuration.text("languageCode") or configuration.text("defaultContentLanguage")
    url = configuration.text("baseURL") or configuration.text("baseurl")
    return Project(
        generator="Hugo",
        file=configuration.file,
        place=configuration.source,
        folder=folder,
        dialect="hugo",
        options={"params": configuration.mapping("params")},
        title=configuration.text("title"),
        description=configuration.text("params", "description"),
        language=language,
        languages=_languages(configuration, root),
        url=url,
        copyright=plain_words(configuration.text("copyright")),
        listing=LISTING,
        routing=Routing(base=urlsplit(url).path, names=("slug",), addresses=("url", "aliases")),
        given=GivenProperties(cascade_of_hugo(configuration.value.get("cascade")), passed_down="cascade"),
        publication=PublicationRules(
            published=("build.render", "_build.render"),
            private=("headless",),
            has_bundles=True,
            not_before=() if shows_future else ("date", "publishDate", "publishdate"),
            not_after=() if shows_expired else ("expiryDate", "expirydate"),
        ),
        static=configuration.lines("staticDir") or configuration.lines("staticdir") or ("static",),
        exclude_expressions=configuration.lines("ignoreFiles") or configuration.lines("ignorefiles"),
    )


def _languages(configuration: Configuration, root: Path) -> dict[str, Path]:
    """The folders of the languages that have one of their own, that of the default language first."""
    values = configuration.mapping("languages")
    folders = {
        code: root / options["contentDir"]
        for code, options in values.items()
        if isinstance(options, dict) and isinstance(options.get("contentDir"), str)
    }
    default = configuration.text("defaultContentLanguage") or "en"
    return {code: folders[code] for code in sorted(folders, key=lambda code: code != default)}

"""Read the project files of Quartz: `quartz.config.ts` (version 4) and `quartz.config.yaml` (version 5).

The rules are those of its sources, `util/glob.ts` and `plugins/filters/`: https://github.com/jackyzha0/quartz.
"""

from pathlib import Path
from typing import Any

from kismet_build.config.answers import Answer, answer
from kismet_build.config.privacy import PublicationRules
from kismet_build.config.sources import OUR_FILES, VaultSource
from kismet_build.config.sources.configuration import Configuration
from kismet_build.config.sources.vault import Vault, may_hide
from kismet_build.extensions.sites.quartz import js_object
from kismet_build.extensions.sites.quartz.js_object import NotPlain

CONTENT = "content"
FILTERS = {"Plugin.RemoveDrafts": "remove-draft", "Plugin.ExplicitPublish": "explicit-publish"}
"""The names of the filters in version 4, each with its name in version 5."""
KNOWN_PLUGINS = frozenset((*FILTERS.values(), "encrypted-pages", "unlisted-pages"))


def read_vault(configuration: Configuration) -> Vault:
    """The site of a configuration file."""
    is_code = configuration.file.suffix == ".ts"
    patterns, filters, title = _from_code(configuration) if is_code else _from_data(configuration)
    folder = configuration.file.parent / CONTENT
    if folder.is_symlink() and not folder.resolve().is_relative_to(configuration.file.parent.resolve()):
        reason = f'its texts are in "{CONTENT}", which leads to another folder: build "{folder.resolve()}"'
        raise configuration.unknown(reason)
    return Vault(
        name="Quartz",
        file=configuration.file,
        place=configuration.source,
        folder=folder,
        dialect="obsidian",
        options={"short_labels": True},
        title=title,
        exclude_globs=tuple(patterns),
        publication=PublicationRules(
            needs_true=("publish",) if "explicit-publish" in filters else (),
            published_with={"password": frozenset()} if "encrypted-pages" in filters else {},
        ),
        asks_git=True,
    )


def _from_code(configuration: Configuration) -> tuple[list[str], set[str], str]:
    try:
        whole = js_object.exported_object(configuration.source)
        settings, plugins = js_object.member(whole, "configuration"), js_object.member(whole, "plugins")
        patterns = js_object.member(settings, "ignorePatterns") if settings else None
        filters = js_object.member(plugins, "filters") if plugins else None
        names = [(js_object.call_name(item), item.offset) for item in js_object.items(filters)] if filters else []
        for name, offset in names:
            if name not in FILTERS:
                raise NotPlain(offset, f'kismet does not know the filter "{name}"')
        found = js_object.texts(patterns) if patterns else []
        return found, {FILTERS[name] for name, _ in names}, _title(settings)
    except NotPlain as problem:
        line, column = configuration.source.line_and_column(problem.offset)
        raise configuration.unknown_at(line, column, str(problem)) from problem


def _title(settings: js_object.Value | None) -> str:
    title = js_object.member(settings, "pageTitle") if settings else None
    try:
        return js_object.text(title) if title else ""
    except NotPlain:
        return ""  # computed


def _from_data(configuration: Configuration) -> tuple[list[str], set[str], str]:
    names = set()
    plugins = configuration.closed("plugins")
    if not isinstance(plugins, list | None):
        raise configuration.unknown("is not a list", "plugins")
    for plugin in plugins or ():
        name = _plugin_name(plugin, configuration)
        if isinstance(plugin, dict) and answer(plugin.get("enabled")) in (Answer.NO, Answer.EMPTY):
            continue
        if may_hide(name) and name not in KNOWN_PLUGINS:
            raise configuration.unknown(f'has "{name}", whose rules for private texts kismet does not know', "plugins")
        names.add(name)
    patterns = configuration.closed_lines("configuration", "ignorePatterns")
    return [*patterns], names, configuration.text("configuration", "pageTitle")


def _plugin_name(plugin: Any, configuration: Configuration) -> str:
    source = plugin.get("source") if isinstance(plugin, dict) else plugin
    source = source.get("name") or source.get("repo") if isinstance(source, dict) else source
    if not isinstance(source, str):
        raise configuration.unknown("has an entry without a source", "plugins")
    return Path(source.partition("#")[0].partition("@v")[0]).name


source = VaultSource(OUR_FILES["quartz"], read_vault)

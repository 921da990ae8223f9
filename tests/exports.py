"""Run our exporters on files in memory."""

import json
import re
from collections.abc import Mapping

from kismet_build.config.pack_schema import pack_test
from kismet_build.output.exporters import EXPORTERS, run_exporter
from kismet_build.output.finished_data import finished_data
from kismet_build.render.site.outputs import general_schemas


def exported(site: Mapping[str, bytes], game: str) -> dict[str, bytes]:
    """The files of all our exports for a game, by path from the site root. `site`: the files of the game."""
    schemas = {path: make() for path, make in general_schemas()}
    data, files = finished_data(game, {**site, **schemas}), dict[str, bytes]()
    for name in EXPORTERS.ours:
        files |= run_exporter(EXPORTERS.load(name), data, {*data.files, *files})
    return {f"data/{game}/{path}": content for path, content in files.items()}


def check_packs(files: Mapping[str, bytes]) -> None:
    """The data of each game in a tree satisfies the published schema of packs."""
    for path, content in files.items():
        if re.fullmatch(r"data/(?!schemas/)[^/]+/pack\.json", path):
            assert pack_test()(json.loads(content)), path

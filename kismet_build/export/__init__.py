"""Exporters, which make files from nothing but the finished data of a game."""

from kismet_build.model.entry_points import EntryPointGroup

EXPORTERS = EntryPointGroup(
    "kismet.exporters",
    "exporter",
    {
        "csv": "kismet_build.export.csv_files:export",
        "foundry": "kismet_build.export.foundry:export",
        "jsonl": "kismet_build.export.json_lines:export",
        "npm": "kismet_build.export.npm:export",
        "sqlite": "kismet_build.export.sqlite:export",
        "types": "kismet_build.export.types:export",
        "wheel": "kismet_build.export.wheel:export",
        "zip": "kismet_build.export.zip:export",
    },
)
"""The exporters. Each is a function `export(data: FinishedData) -> Iterable[tuple[str, bytes]]`: path and content of
each file, below `data/<game>/`. The first line of its docstring is what `kismet build --export` lists."""

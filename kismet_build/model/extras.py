"""The packages that only some commands need: the extras of `pyproject.toml`."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import NamedTuple


class Extra(NamedTuple):
    """Packages that one part of kismet needs."""

    used_by: str
    """What needs the packages, as the subject of a sentence."""
    modules: tuple[str, ...]
    """The modules that are imported from them."""
    requirements: tuple[str, ...]
    """What pip installs, as in `pyproject.toml`."""


EXTRAS: Mapping[str, Extra] = {
    "book": Extra("a PDF", ("typst", "pikepdf"), ("pikepdf>=10,<11", "typst>=0.15,<0.16")),
    "dask": Extra("kismet build --dask", ("distributed",), ("distributed>=2025.1",)),
    # `uvicorn` and `pydantic` come with `mcp`.
    "mcp": Extra("kismet mcp", ("mcp", "uvicorn", "pydantic"), ("mcp>=2,<3",)),
}


def missing_packages(name: str) -> str:
    """What to install for an extra, as the sentence of an error; empty if all its modules are there."""
    extra = EXTRAS[name]
    if all(map(find_spec, extra.modules)):
        return ""
    names = " and ".join(requirement.partition(">")[0] for requirement in extra.requirements)
    packages = "the package" if len(extra.requirements) == 1 else "the packages"
    install = " ".join(f"'{requirement}'" for requirement in extra.requirements)
    return f"{extra.used_by} needs {packages} {names}: pip install {install}"

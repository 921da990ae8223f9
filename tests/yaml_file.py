"""Read the YAML files of the tests, most of them while tests are collected, in every worker."""

from pathlib import Path
from typing import Any

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader of libyaml, which is eight times as fast; PyYAML may be installed without it."""


def read_yaml(file: Path) -> Any:
    """The value of a file that is safe to load."""
    return yaml.load(file.read_text(encoding="utf-8"), LOADER)

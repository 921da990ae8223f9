"""Read the tests' YAML files. Most are read while tests are collected, in every worker."""

from pathlib import Path
from typing import Any

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's loader, which is eight times as fast; PyYAML may be installed without it."""


def read_yaml(file: Path) -> Any:
    return yaml.load(file.read_text(encoding="utf-8"), LOADER)

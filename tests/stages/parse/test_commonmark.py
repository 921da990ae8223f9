"""Each example of the CommonMark specification is rendered byte for byte, through the document model."""

import json
from typing import Any

import pytest

from kismet_build.model.source import Source
from kismet_build.parse.markdown.dialects import COMMONMARK
from kismet_build.parse.markdown.reader import read
from kismet_build.render.fragments.html import HtmlFragments
from kismet_build.render.fragments.renderer import RenderContext, to_html
from tests.command import ROOT

EXAMPLES: list[dict[str, Any]] = json.loads((ROOT / "tests/data/commonmark-0.31.2.json").read_text(encoding="utf-8"))


def test_all_examples_are_present() -> None:
    assert len(EXAMPLES) == 652


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example["number"]))
def test_example_is_rendered_as_specified(example: dict[str, Any]) -> None:
    diagnostics: list[object] = []
    document = read(Source("Example.md", example["markdown"]), COMMONMARK, diagnostics.append)
    assert to_html(document.blocks, RenderContext(fragments=HtmlFragments(unsafe=True))) == example["html"]
    assert diagnostics == []

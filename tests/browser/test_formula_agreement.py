"""A real browser computes the same values as Python, bit for bit."""

import json
from pathlib import Path

from playwright.sync_api import Page

from tests.formula_cases import ANSWER, answers, cases, question
from tests.node import ASSETS


def test_browser_and_python_agree_on_random_trees(page: Page, tmp_path: Path) -> None:
    # The data is loaded from files, because passing it to a page would convert it value by value.
    (tmp_path / "answer.js").write_text(ANSWER, encoding="utf-8")
    # The files have JSON strings, because `__proto__` is a special key in a script literal.
    text = json.dumps(json.dumps(question()))
    (tmp_path / "question.js").write_text(f"const question = JSON.parse({text});", encoding="utf-8")
    scripts = (ASSETS / "formula.js", tmp_path / "answer.js", tmp_path / "question.js")
    tags = "".join(f'<script src="{script.as_uri()}"></script>' for script in scripts)
    (tmp_path / "index.html").write_text(f'<!doctype html><meta charset="utf-8">{tags}', encoding="utf-8")
    page.goto((tmp_path / "index.html").as_uri())
    browser_answers = json.loads(page.evaluate("JSON.stringify(answer(question))"))
    assert len(browser_answers) == len(cases())
    pairs = zip(cases(), answers(), browser_answers, strict=True)
    assert [(case.tree, here, there) for case, here, there in pairs if here != there][:3] == []

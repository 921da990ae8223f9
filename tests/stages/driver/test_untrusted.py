"""`--untrusted`: a stranger's library is built without running its programs, in bounded time and memory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kismet_build.render.html.templates import SITE
from tests.command import ROOT, kismet, kismet_process, tree, write_files

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the system bounds time and memory")
FILES = {
    "vault/Home.md": "# Home\n\n[[Sheet.html|the sheet]] and ![[Map.svg]].\n",
    "vault/Sheet.html": "<script>spy()</script>",
    "vault/Map.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
    "vault/library.yaml": "site: look\npolicy: {script-src: [https://spy.example]}\n",
    "vault/look/templates/footer.html": "<p>The foot of a stranger</p>",
    "vault/look/style.css": "body { color: teal }",
}


def test_templates_scripts_and_active_attachments_are_left_out(tmp_path: Path) -> None:
    write_files(tmp_path, FILES)
    trusted = kismet("build", tmp_path / "vault", "--out", tmp_path / "trusted", "--no-search")
    assert trusted.status == 0, trusted.output
    run = kismet_process("build", "vault", "--untrusted", "--out", "public", "--no-search", cwd=tmp_path)
    assert run.status == 0, run.output
    for name in ("templates", "policy"):
        assert f"the {name} of this library are left out, because of --untrusted" in run.output
    for word in ("The foot of a stranger", "spy.example", "spy()"):
        assert [path for path, content in tree(tmp_path / "trusted").items() if word.encode() in content], word
        assert not [path for path, content in tree(tmp_path / "public").items() if word.encode() in content], word
    files = tree(tmp_path / "public")
    assert "assets/site/style.css" in files
    assert "vault/files/map.svg" in {path.lower() for path in files}
    assert "the sheet and" in files["vault/index.html"].decode()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("while True: pass", "this command takes more than the 1 s of processor time that --untrusted allows"),
        ("bytearray(10 ** 10)", "there is not enough memory"),
    ],
    ids=["time", "memory"],
)
def test_system_ends_a_build_that_takes_too_much(tmp_path: Path, code: str, words: str) -> None:
    """The limits also apply in steps, where an exception counts as a fault of one text."""
    write_files(tmp_path, FILES)
    assert kismet("build", tmp_path / "vault", "--out", tmp_path / "public", "--no-search").status == 0
    before = tree(tmp_path / "public")
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\nfrom kismet_build.cli import program as cli\nfrom kismet_build.driver import compile\n"
        f"def spend(*_):\n    {code}\n"
        f"compile.{'find_tags' if 'while' in code else 'join_citations'} = spend\n"
        f"cli.UNTRUSTED_SECONDS = {1 if 'while' in code else 10}\n"
        "sys.argv[1:] = ['build', 'vault', '--untrusted', '--out', 'public', '--no-search', '--no-cache']\n"
        "sys.exit(cli.main())\n",
        encoding="utf-8",
    )
    run = subprocess.run(
        [sys.executable, program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stderr.count("\n")) == (3, 1), run.stderr
    assert words in run.stderr
    assert tree(tmp_path / "public") == before


@pytest.mark.parametrize(
    "expression", ["'a' * 4000000000", "4000000000 * [1]", "10 ** 100000000", "range(4000000000)|list"]
)
def test_template_makes_no_huge_value(tmp_path: Path, expression: str) -> None:
    write_files(tmp_path, FILES | {"vault/look/templates/footer.html": f"{{{{ {expression} }}}}"})
    run = kismet("build", tmp_path / "vault", "--out", tmp_path / "public", "--no-search")
    assert run.status == 2, run.output
    assert "footer.html" in run.err


ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}PART{% endfor %}{% endfor %}"
DOUBLING = "{% set n = namespace(x='ab') %}{% for i in range(40) %}{% set n.x = n.x OPERATOR n.x %}{% endfor %}"


@pytest.mark.parametrize(
    "source",
    [
        ENDLESS.replace("PART", "x"),
        ENDLESS.replace("PART", "{{ '' }}"),
        *(
            source.replace("ENDLESS", ENDLESS.replace("PART", "x" * 10000))
            for source in (
                "ENDLESS",
                "{% block b %}ENDLESS{% endblock %}",
                "{% macro m() %}ENDLESS{% endmacro %}{{ m() }}",
                "{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}ENDLESS{% endcall %}",
                "{% set x %}ENDLESS{% endset %}",
                "{% filter upper %}ENDLESS{% endfilter %}",
                "{% for a in [[[]]] recursive %}{{ loop(a) }}ENDLESS{% endfor %}",
            )
        ),
        *(DOUBLING.replace("OPERATOR", operator) for operator in "~+"),
        "{% set n = namespace(x=[1]) %}{% for i in range(40) %}{% set n.x = n.x + n.x %}{% endfor %}",
        "{{ 'a'|center(4000000000) }}",
        "{{ 'a'|indent(width=4000000000, first=true) }}",
        "{{ [1]|batch(4000000000, 1)|list }}",
        "{{ [1]|slice(4000000000)|list }}",
        "{{ 'a'.ljust(4000000000) }}",
        "{{ t('title.glossary').zfill(4000000000) }}",
    ],
)
def test_template_writes_no_huge_page(tmp_path: Path, source: str) -> None:
    write_files(tmp_path, FILES | {"vault/look/templates/footer.html": f"a\n{source}\nb\n"})
    run = kismet("build", tmp_path / "vault", "--out", tmp_path / "public", "--no-search")
    assert run.status == 2, run.output
    assert 'line 2 of your template "footer.html" failed: this ' in run.err
    assert "more than" in run.err
    assert "footer.html:2, or start from" in run.err


def test_macro_that_writes_too_much_is_named_by_its_line(tmp_path: Path) -> None:
    """Python calls the macro, so the error's traceback has no template that calls it."""
    before, macro, after = (SITE / "templates/layout.html").read_text(encoding="utf-8").partition("{% macro page(")
    arguments, body = after.split("%}", 1)
    source = f"{before}{macro}{arguments}%}}\n\n\n{ENDLESS.replace('PART', 'x' * 10000)}{body}"
    line = source[: source.index("xx")].count("\n") + 1
    write_files(tmp_path, FILES | {"vault/look/templates/page.html": source})
    run = kismet("build", tmp_path / "vault", "--out", tmp_path / "public", "--no-search")
    assert run.status == 2, run.output
    assert f'line {line} of your template "page.html" failed: this writes more than' in run.err

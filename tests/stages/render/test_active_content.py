"""Attachments that can run code are downloads or lose their scripts."""

from pathlib import Path

import pytest

from kismet_build.model.active_content import EMPTY_SVG, clean_svg, is_oversized
from tests.command import kismet, write_files

START = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
ENTITIES = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "a" * 99}">' for n in range(9))
"""Declarations of entities, the last of which expands to ten billion characters."""
HARMLESS = {
    "shapes": f'<?xml version="1.0"?>\n<!-- Map -->\n{START} viewBox="0 0 9 9"><g id="a"><path d="M0 0"/></g></svg>\n',
    "use of a part": f'{START}><defs><path id="a"/></defs><use xlink:href="#a"/><use href="#a"/></svg>',
    "image": f'{START}><image href="data:image/png;base64,AA=="/><a href="https://example.org"><text>x</text></a></svg>',
    "animation": f'{START}><circle><animate attributeName="r" from="1" to="2"/></circle><style>path {{}}</style></svg>',
}
ACTIVE = {
    "script": f"{START}><script>alert(1)</script><path/></svg>",
    "script of another namespace": f'{START} xmlns:h="http://www.w3.org/1999/xhtml"><h:script>alert(1)</h:script></svg>',
    "prefixed script": '<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script>alert(1)</s:script></s:svg>',
    "event handler": f'{START} onload="alert(1)"><path ONCLICK="alert(1)"/></svg>',
    "link to a script": f'{START}><a xlink:href=" java&#10;script:alert(1)"><path/></a></svg>',
    "use of other documents": f'{START}><use href="data:image/svg+xml,alert"/><use href="other.svg#alert"/></svg>',
    "base": f'{START} xml:base="javascript:alert(1)//"><a href="#"/></svg>',
    "animated link": f'{START}><a><set attributeName="xlink:href" to="javascript:alert(1)"/></a></svg>',
    "animated handler": f'{START}><set attributeName="onclick" to="alert(1)"/></svg>',
    "HTML": f"{START}><foreignObject><body onload='alert(1)'/></foreignObject></svg>",
    "frame": f'{START}><iframe href="javascript:alert(1)"/></svg>',
    "style sheet with code": f'<?xml-stylesheet type="text/xsl" href="data:,alert(1)"?>{START}/>',
    "declarations": '<!DOCTYPE svg [<!ENTITY x "alert(1)"><!ATTLIST svg onload CDATA "alert(1)">]>'
    f"{START}><script>&x;</script></svg>",
}


@pytest.mark.parametrize("name", HARMLESS)
def test_svg_image_without_scripts_keeps_its_bytes(name: str) -> None:
    svg = HARMLESS[name].encode()
    assert clean_svg(svg) == (svg, False)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("name", ACTIVE)
def test_svg_image_loses_what_can_run_code(name: str, encoding: str) -> None:
    content, had_scripts = clean_svg(ACTIVE[name].encode(encoding))
    assert had_scripts
    assert b"alert" not in content
    assert clean_svg(content) == (content, False), "a clean image stays as it is"


def test_metadata_of_an_editor_is_left_out_without_a_word() -> None:
    content, had_scripts = clean_svg(
        f'{START} xmlns:e="urn:editor"><e:view e:zoom="2"/><path e:x="1" d="M0 0"/></svg>'.encode()
    )
    assert not had_scripts
    assert content.endswith(b'><path d="M0 0"></path></svg>')


@pytest.mark.parametrize(
    "svg",
    [
        b"",
        b"<svg",
        b"<html><script>alert(1)</script></html>",
        f"{START}><script>alert(1)</script>".encode(),
        f'<?xml version="1.0" encoding="utf-7"?>{START}/>'.encode(),
        f"<!DOCTYPE svg [{ENTITIES}]>{START}>&a8;</svg>".encode(),
    ],
)
def test_svg_image_that_cannot_be_read_is_empty(svg: bytes) -> None:
    assert clean_svg(svg) == (EMPTY_SVG, True)


def test_attachments_that_can_run_code_are_published_as_text(tmp_path: Path) -> None:
    vault = write_files(
        tmp_path / "vault",
        {
            "Page.md": "[[sheet.html]], [roll](Code/Roll.PHP) and ![[map.svg]]\n",
            "sheet.html": "<script>alert(1)</script>",
            "Code/Roll.PHP": "<?php",
            "map.svg": ACTIVE["script"],
        },
    )
    run = kismet("build", vault, "--out", tmp_path / "public", "--no-cache")
    assert run.status == 0, run.output
    files = tmp_path / "public/vault/files"
    published = {file.relative_to(files).as_posix() for file in files.rglob("*") if file.is_file()}
    assert published == {"sheet-html.txt", "code/roll-php.txt", "map.svg"}
    assert b"alert" not in (files / "map.svg").read_bytes()
    page = (tmp_path / "public/vault/page/index.html").read_text(encoding="utf-8")
    assert '<a href="../../vault/files/sheet-html.txt" download="sheet.html">' in page
    assert ' download="Roll.PHP">' in page


@pytest.mark.parametrize(
    "svg",
    [
        f"{START}>{'<g>' * 5000}{'</g>' * 5000}</svg>",
        f"<!DOCTYPE svg [{ENTITIES}]>{START}><text>&a5;&a5;</text></svg>",
        f"<!DOCTYPE svg [{ENTITIES}]>{START}><text font-family='&a5;'/></svg>",
    ],
    ids=["deep", "long text", "long attribute"],
)
def test_svg_image_without_bounds_is_empty(svg: str) -> None:
    assert clean_svg(svg.encode()).content == EMPTY_SVG


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (60_000).to_bytes(4, "big") * 2, True),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (6_000).to_bytes(4, "big") * 2, False),
        (b"GIF89a\xff\xff\xff\xff", True),
        (f'{START} height="1e9" width="10"/>'.encode(), True),
        (f'{START} height="100%" width="10mm"/>'.encode(), False),
        (f'{START}><feTurbulence numOctaves="99"/></svg>'.encode(), True),
    ],
)
def test_a_book_does_not_draw_oversized_pictures(content: bytes, expected: bool) -> None:
    assert is_oversized(content) is expected

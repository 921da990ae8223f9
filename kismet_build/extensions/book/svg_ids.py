"""Make the ids of SVG images valid in an EPUB: each must be an XML name without colons, and unique."""

import re
from xml.etree import ElementTree

from kismet_build.model.active_content import SVG

NAME = re.compile(r"[^\W\d][\w.-]*")
PAINT = re.compile(r"url\(\s*(['\"]?)#(?P<id>[^'\")]*)\1\s*\)(?P<fallback>\s+[^\s;]+)?")
"""A reference to an element in an attribute or a style, such as `fill="url(#sky) blue"`."""


def with_valid_ids(image: bytes) -> bytes:
    """An SVG image with valid ids. A valid image is returned unchanged.

    Like browsers, this keeps the first element with an id, and replaces a broken `url(#…)` by its fallback or `none`.
    """
    tree = ElementTree.fromstring(image)
    before = ElementTree.tostring(tree)
    names: dict[str, str] = {}
    for element in tree.iter():
        if (found := element.get("id")) is None:
            continue
        if not found or found in names:
            del element.attrib["id"]
        else:
            names[found] = found if NAME.fullmatch(found) else f"kismet-{len(names)}"
            element.set("id", names[found])

    def paint(reference: re.Match[str]) -> str:
        fallback = reference["fallback"] or ""
        name = names.get(reference["id"])
        return f"url(#{name}){fallback}" if name else fallback or "none"

    for element in tree.iter():
        for key, value in element.items():
            is_link = key.endswith("href") and value.startswith("#")
            element.set(key, f"#{names.get(value[1:], value[1:])}" if is_link else PAINT.sub(paint, value))
        if element.tag == f"{{{SVG}}}style":
            element.text = PAINT.sub(paint, element.text or "")
    after = ElementTree.tostring(tree)
    return image if after == before else after

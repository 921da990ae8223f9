"""Sanitize HTML written by authors, without changing the generated HTML between their tags."""

import re
from collections.abc import Sequence

from kismet_build.model.nodes import IMAGE_URL, LINK_URL

PLACEHOLDER = re.compile("\ue000(\\d+)\ue001")
"""A placeholder for generated HTML while sanitizing: an index between private use characters."""
SCRIPT_OR_STYLE = re.compile(r"<\s*(?:script|style)", re.IGNORECASE)
"""Elements that are removed with their content if the same raw node contains all of it."""
OTHER_INPUT = re.compile(r"<input\b(?![^<>]*\btype\s*=\s*[\"']?checkbox\b)[^<>]*>", re.IGNORECASE)
"""A form field other than a checkbox, which is removed."""
INPUT = re.compile(r'<input((?: [a-z]+="[^"]*")*)>')
ATTRIBUTE = re.compile(r' [a-z]+="[^"]*"')
SPACES_AND_CONTROLS = re.compile(r"[\x00-\x20]+")
HAS_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|[/\\\\]{2}", re.IGNORECASE)
"""The start of an address that has a scheme, or two slashes or backslashes, after which browsers expect a host."""
URL_SCHEMES = {"http", "https", "mailto", "tel", "obsidian", "data"}
"""Schemes allowed in raw HTML. `is_safe_link` and `is_safe_image` restrict them further for links and images."""


def is_safe_link(address: str) -> bool:
    """Whether a link may have this address.

    Spaces and control characters are ignored, as browsers ignore them in schemes.
    """
    return _is_safe(address, LINK_URL)


def is_safe_image(address: str) -> bool:
    """Whether an image may have this address."""
    return _is_safe(address, IMAGE_URL)


def _is_safe(address: str, allowed: re.Pattern[str]) -> bool:
    address = SPACES_AND_CONTROLS.sub("", address)
    return HAS_SCHEME.match(address) is None or allowed.match(address) is not None


def join_sanitized(parts: Sequence[tuple[str, bool]], separator: str) -> str:
    """The parts joined, with the raw HTML sanitized. A part is the HTML of a block or inline, and whether it is raw."""
    with_placeholders = separator.join(
        _raw_html(html) if is_raw else f"\ue000{index}\ue001" for index, (html, is_raw) in enumerate(parts)
    )
    generated = [index for index, (_, is_raw) in enumerate(parts) if not is_raw]
    sanitized = _sanitize(with_placeholders, removed_with_content=set())
    if [int(index) for index in PLACEHOLDER.findall(sanitized)] != generated:
        # An unclosed tag has enclosed or moved generated HTML, so sanitize each part separately.
        return separator.join(_sanitize(html) if is_raw else html for html, is_raw in parts)
    return PLACEHOLDER.sub(lambda match: parts[int(match[1])][0], sanitized)


def _raw_html(html: str) -> str:
    html = PLACEHOLDER.sub("", html)
    return _sanitize(html) if SCRIPT_OR_STYLE.search(html) else html


def _sanitize(html: str, removed_with_content: set[str] | None = None) -> str:
    # Imported late, because few texts contain HTML and nh3 is slow to load.
    import nh3

    if "<input" not in html.casefold():
        return nh3.clean(
            html, clean_content_tags=removed_with_content, attribute_filter=_safe_value, url_schemes=URL_SCHEMES
        )
    sanitized = nh3.clean(
        OTHER_INPUT.sub("", html),
        tags=nh3.ALLOWED_TAGS | {"input"},
        clean_content_tags=removed_with_content,
        attributes={**nh3.ALLOWED_ATTRIBUTES, "input": {"checked"}},
        attribute_filter=_safe_value,
        url_schemes=URL_SCHEMES,
        set_tag_attribute_values={"input": {"type": "checkbox", "disabled": ""}},
    )
    # nh3 orders added attributes randomly, but the same input must give the same bytes.
    return INPUT.sub(lambda match: f"<input{''.join(sorted(ATTRIBUTE.findall(match[1])))}>", sanitized)


def _safe_value(_tag: str, name: str, value: str) -> str | None:
    """The value of an attribute, or `None` to drop it.

    A value with a placeholder is dropped: its quote is unclosed, and generated HTML must never end up in an attribute.
    """
    if "\ue000" in value:
        return None
    is_safe = {"href": is_safe_link, "src": is_safe_image}.get(name)
    return value if is_safe is None or is_safe(value) else None

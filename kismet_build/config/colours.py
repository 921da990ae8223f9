"""A game's colours: their contrast, and the tint of the top bar."""

from collections.abc import Sequence

BACKGROUNDS = {"light": ("#FBF8F1", "#F1EBDD"), "dark": ("#15131B", "#1F1C28")}
"""The page and panel backgrounds of each colour scheme; the same as in the style sheet of the site."""
BAR_TINT = 0.16
"""Share of the accent in the colour of the top bar, from 0 to 1."""
MIN_CONTRAST = 4.5
"""Minimum contrast ratio of text: WCAG 2.2, success criterion 1.4.3."""


def min_contrast(colour: str, scheme: str) -> float:
    """The lowest contrast ratio between a colour and the backgrounds of a scheme: `light` or `dark`."""
    return min(_contrast(colour, background) for background in BACKGROUNDS[scheme])


def bar_colours(accent: Sequence[str] | None) -> tuple[str, str]:
    """The colours of the top bar in the light and the dark scheme: the panel colour, tinted with any accent."""
    panels = [backgrounds[1] for backgrounds in BACKGROUNDS.values()]
    light, dark = (_mix(*pair) for pair in zip(panels, accent or panels, strict=True))
    return light, dark


def _contrast(first: str, second: str) -> float:
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _mix(ground: str, tint: str) -> str:
    channels = ((int(ground[start : start + 2], 16), int(tint[start : start + 2], 16)) for start in (1, 3, 5))
    return "#" + "".join(f"{round(below + (above - below) * BAR_TINT):02X}" for below, above in channels)

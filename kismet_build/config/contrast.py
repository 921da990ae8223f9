"""Colours that a game may choose, and whether they can be read."""

GROUNDS = {"light": ("#FBF8F1", "#F1EBDD"), "dark": ("#15131B", "#1F1C28")}
"""What text stands on in each scheme, ground and raised; the same as in the style sheet of the site."""

LEAST_CONTRAST = 4.5
"""For text, WCAG 2.2, success criterion 1.4.3."""


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours such as `#5A2A88`, from 1 to 21 (WCAG 2.2)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def least_contrast(colour: str, scheme: str) -> float:
    """The contrast of a colour with whichever ground of a scheme it stands out from least."""
    return min(contrast(colour, ground) for ground in GROUNDS[scheme])


def _luminance(colour: str) -> float:
    channels = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue

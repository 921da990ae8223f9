"""Draw site/assets/icon.svg as the PNG files that browsers need; `python -m tests.stages.render.icon` rewrites them.

The pictures are committed, because two builds of zlib may compress the same picture differently. Pixels are computed
from exact coverage per row, so they are the same on every machine.
"""

import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tests.command import ROOT

ASSETS = ROOT / "site" / "assets"
ICON = ASSETS / "icon.svg"
PICTURES: Mapping[str, tuple[int, bool]] = {
    "icon-192.png": (192, False),
    "icon-512.png": (512, False),
    "icon-maskable.png": (512, True),
}
"""Width of each picture in pixels, and whether it has a background, which lets a launcher mask it."""
SAFE = 0.85
"""Scale of the drawing on a maskable background: its inner frame stays inside the circle."""
ROWS = 4
"""Lines sampled in each row of pixels."""

Spans = list[tuple[float, float]]
"""Parts of a line that are inside a shape: start and end, measured from the left edge."""
Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Shape:
    """A filled shape, with the spans of it on any line."""

    colour: Colour
    spans: Callable[[float], Spans]


def pixels(width: int, fills: bool) -> bytes:
    """The drawing as rows of red, green, blue and opacity, each from 0 to 255."""
    root = ElementTree.parse(ICON).getroot()
    side = float(root.attrib["viewBox"].split()[2])
    shapes = [shape for element in root for shape in _shapes(element)]
    scale = width / side * (SAFE if fills else 1)
    shift = (width - side * scale) / 2
    ground = (*shapes[0].colour, 255) if fills else (0, 0, 0, 0)
    rows = (_row(shapes, y, width, scale, shift, ground) for y in range(width))
    return b"".join(rows)


def _row(shapes: list[Shape], y: int, width: int, scale: float, shift: float, ground: tuple[int, ...]) -> bytes:
    row = [ground] * width
    for shape in shapes:
        for x, part in enumerate(_coverage(shape, y, width, scale, shift)):
            if part:
                row[x] = _over(shape.colour, part, row[x])
    return bytes(value for pixel in row for value in pixel)


def _coverage(shape: Shape, y: int, width: int, scale: float, shift: float) -> list[float]:
    """Coverage of each pixel of a row by a shape, from 0 to 1."""
    part = [0.0] * width
    for line in range(ROWS):
        for start, end in shape.spans((y + (line + 0.5) / ROWS - shift) / scale):
            left, right = max(0.0, start * scale + shift), min(float(width), end * scale + shift)
            for x in range(int(left), min(width, int(right) + 1)):
                part[x] += max(0.0, min(right, x + 1) - max(left, x)) / ROWS
    return part


def _over(colour: Colour, part: float, below: tuple[int, ...]) -> tuple[int, ...]:
    """A colour that covers a part of a pixel, blended over the colour below."""
    under = below[3] / 255 * (1 - part)
    whole = part + under
    mixed = (round((new * part + old * under) / whole) for new, old in zip(colour, below, strict=False))
    return (*mixed, round(whole * 255))


def _shapes(element: ElementTree.Element) -> Iterator[Shape]:
    attributes = element.attrib
    if element.tag.endswith("rect"):
        x, y, width, height, corner = (float(attributes[name]) for name in ("x", "y", "width", "height", "rx"))
        if attributes["fill"] != "none":
            yield Shape(_colour(attributes["fill"]), lambda at: _rectangle(at, x, y, width, height, corner))
        else:
            yield Shape(_colour(attributes["stroke"]), lambda at: _frame(at, x, y, width, height, corner))
    else:
        points = _points(attributes["d"])
        yield Shape(_colour(attributes["fill"]), lambda at: _polygon(at, points))


def _frame(at: float, x: float, y: float, width: float, height: float, corner: float) -> Spans:
    """A line of width 1 along the edge of a rectangle."""
    outer = _rectangle(at, x - 0.5, y - 0.5, width + 1, height + 1, corner + 0.5)
    inner = _rectangle(at, x + 0.5, y + 0.5, width - 1, height - 1, max(0.0, corner - 0.5))
    if not outer or not inner:
        return outer
    return [(outer[0][0], inner[0][0]), (inner[0][1], outer[0][1])]


def _rectangle(at: float, x: float, y: float, width: float, height: float, corner: float) -> Spans:
    if not y <= at <= y + height:
        return []
    above = max(0.0, y + corner - at, at - (y + height - corner))
    dent = corner - max(0.0, corner * corner - above * above) ** 0.5
    return [(x + dent, x + width - dent)]


def _polygon(at: float, points: list[tuple[float, float]]) -> Spans:
    crossings = sorted(
        x1 + (at - y1) * (x2 - x1) / (y2 - y1)
        for (x1, y1), (x2, y2) in zip(points, [*points[1:], points[0]], strict=True)
        if (y1 <= at) != (y2 <= at)
    )
    return list(zip(crossings[::2], crossings[1::2], strict=True))


def _points(path: str) -> list[tuple[float, float]]:
    """The corners of a path of straight lines: M, L and l."""
    points: list[tuple[float, float]] = []
    for letter, numbers in re.findall(r"([MLl])([^A-Za-z]+)", path):
        coordinates = [float(number) for number in re.findall(r"-?\d*\.?\d+", numbers)]
        for x, y in zip(coordinates[::2], coordinates[1::2], strict=True):
            before = points[-1] if letter == "l" else (0.0, 0.0)
            points.append((before[0] + x, before[1] + y))
    return points


def _colour(text: str) -> Colour:
    return (int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16))


def packed(width: int, picture: bytes) -> bytes:
    line = width * 4
    rows = b"".join(b"\0" + picture[start : start + line] for start in range(0, len(picture), line))
    head = struct.pack(">IIBBBBB", width, width, 8, 6, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


def unpacked(png: bytes) -> tuple[int, bytes]:
    """The width and the pixels of a picture that `packed` made."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    place, width, data = 8, 0, b""
    while place < len(png):
        length, name = struct.unpack(">I4s", png[place : place + 8])
        chunk = png[place + 8 : place + 8 + length]
        if name == b"IHDR":
            width = struct.unpack(">I", chunk[:4])[0]
        elif name == b"IDAT":
            data += chunk
        place += length + 12
    rows, line = zlib.decompress(data), width * 4 + 1
    assert set(rows[::line]) == {0}, "a filter is set that packed does not use"
    return width, b"".join(rows[start + 1 : start + line] for start in range(0, len(rows), line))


def write(folder: Path = ASSETS) -> None:
    for name, (width, fills) in PICTURES.items():
        (folder / name).write_bytes(packed(width, pixels(width, fills)))


if __name__ == "__main__":
    write()

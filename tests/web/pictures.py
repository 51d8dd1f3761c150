"""PNG files made small: a browser writes them quickly, not densely."""

import struct
import zlib
from collections.abc import Iterator, Sequence

HEAD = b"\x89PNG\r\n\x1a\n"
SHADES = bytes(shade & 0b11111100 | shade >> 6 for shade in range(256))
"""Of each colour's 256 shades every fourth is kept, the first and the last too: nobody sees it, and it packs better."""


Rows = list[bytes]
OPAQUE, CLEAR = b"\xff", bytes(4)


def small(png: bytes) -> bytes:
    """Return a picture without transparency, of 8 bits a channel, written again densely."""
    header, rows = _decoded(png)
    return HEAD + b"".join(_chunk(*one) for one in ((b"IHDR", header), (b"IDAT", _dense(rows, 3)), (b"IEND", b"")))


def animated(pngs: Sequence[bytes], milliseconds: Sequence[int]) -> bytes:
    """Return pictures of one size as an animated PNG that is shown over and over; each is told by what changes.

    Each is shown for so many *milliseconds*.
    """
    (header, first), *others = (_decoded(png) for png in pngs)
    width, height = struct.unpack_from(">II", header)
    colours = b"\x06"  # with transparency: what doesn't change isn't drawn again
    out = [
        (b"IHDR", header[:9] + colours + header[10:]),
        (b"acTL", struct.pack(">II", len(others) + 1, 0)),
        (b"fcTL", struct.pack(">IIIIIHHBB", 0, width, height, 0, 0, milliseconds[0], 1000, 0, 0)),
        (b"IDAT", _dense([_opaque(row) for row in first], 4)),
    ]
    before = first
    for place, ((_, rows), shown) in enumerate(zip(others, milliseconds[1:], strict=True)):
        (left, top, wide, high), changed = _changes(before, rows)
        place_of_frame = struct.pack(">IIIIIHHBB", 2 * place + 1, wide, high, left, top, shown, 1000, 0, 1)
        out += [(b"fcTL", place_of_frame), (b"fdAT", struct.pack(">I", 2 * place + 2) + _dense(changed, 4))]
        before = rows
    return HEAD + b"".join(_chunk(*one) for one in (*out, (b"IEND", b"")))


def _opaque(row: bytes) -> bytes:
    """Return a row with transparency: none."""
    return b"".join(row[at : at + 3] + OPAQUE for at in range(0, len(row), 3))


def _changes(before: Rows, rows: Rows) -> tuple[tuple[int, int, int, int], Rows]:
    """Return the smallest rectangle in which two pictures differ, and its rows, clear where they don't."""
    lines = [at for at, (old, new) in enumerate(zip(before, rows, strict=True)) if old != new] or [0]
    top, bottom = lines[0], lines[-1] + 1
    pixels = [
        [CLEAR if old[at : at + 3] == new[at : at + 3] else new[at : at + 3] + OPAQUE for at in range(0, len(new), 3)]
        for old, new in zip(before[top:bottom], rows[top:bottom], strict=True)
    ]
    columns = [at for row in pixels for at, pixel in enumerate(row) if pixel is not CLEAR] or [0]
    left, right = min(columns), max(columns) + 1
    return (left, top, right - left, bottom - top), [b"".join(row[left:right]) for row in pixels]


def _decoded(png: bytes) -> tuple[bytes, Rows]:
    """Return the header of a picture of red, green and blue, and its rows in fewer shades."""
    chunks = list(_chunks(png))
    header = next(body for name, body in chunks if name == b"IHDR")
    width, _, bits, colour, *_ = struct.unpack(">IIBBBBB", header)
    assert (bits, colour) == (8, 2), "not a picture of red, green and blue"
    packed = zlib.decompress(b"".join(body for name, body in chunks if name == b"IDAT"))
    return header, [row.translate(SHADES) for row in _rows(packed, width * 3, 3)]


def _dense(rows: Rows, pixel: int) -> bytes:
    """Pack rows in each way, and return the shortest result."""
    return min((zlib.compress(body, 9) for body in _filtered(rows, pixel)), key=len)


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(HEAD)
    while at < len(png):
        size, name = struct.unpack_from(">I4s", png, at)
        yield name, png[at + 8 : at + 8 + size]
        at += 12 + size


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _rows(packed: bytes, length: int, pixel: int) -> Iterator[bytes]:
    """Yield each row as it is, its filter undone (PNG, 9.2)."""
    above = bytes(length)
    for start in range(0, len(packed), length + 1):
        row, way = bytearray(packed[start + 1 : start + 1 + length]), packed[start]
        for at in range(length if way else 0):
            left, over = (row[at - pixel], above[at - pixel]) if at >= pixel else (0, 0)
            row[at] = row[at] + (0, left, above[at], (left + above[at]) // 2, _paeth(left, above[at], over))[way] & 255
        above = bytes(row)
        yield above


def _paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    return min((left, up, corner), key=lambda one: abs(guess - one))


def _filtered(rows: Rows, pixel: int) -> Iterator[bytes]:
    """Yield the rows unfiltered, and as what changes from left to right, and from above."""
    before = [bytes(len(rows[0])), *rows]
    yield b"".join(b"\0" + row for row in rows)
    yield b"".join(b"\1" + _less(row, bytes(pixel) + row) for row in rows)
    yield b"".join(b"\2" + _less(row, above) for row, above in zip(rows, before, strict=False))


def _less(row: bytes, other: bytes) -> bytes:
    return bytes([one - two & 255 for one, two in zip(row, other, strict=False)])

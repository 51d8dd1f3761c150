"""A value network in integer arithmetic, for equal results on every machine.

The input is a list of the features that are present. Two hidden layers of rectified linear units follow, then a softmax
over the outcomes of a game. A row has the weights of one input to all units of a layer. It is packed into one long
integer, in which each weight has its own range of bits, a lane. So one addition of two integers adds whole rows, which
is fast without a numeric library.
"""

import struct
from importlib.resources import files
from math import exp
from typing import Final
from zlib import crc32

from engines.core.errors import UnusableFile

SCALE_BITS: Final = 12
UNIT_WEIGHT: Final = 1 << SCALE_BITS
"""The integer that represents a weight of 1."""

HEADER: Final = struct.Struct("<4H")
"""Layout of the header: the numbers of features, of units of the first and second hidden layer, and of outcomes."""

CHECKSUM: Final = struct.Struct("<I")
"""Layout of the checksum, which is the CRC-32 of all bytes before it."""

FIRST_LAYER_LANE_BITS: Final = 32
"""Bits of a lane (the sum of one unit inside a packed integer) in the first layer."""
LATER_LAYER_LANE_BITS: Final = 64
"""Bits of a lane in the layers after the first."""


class BadNetwork(ValueError):
    """The bytes are not a network."""


class ValueNetwork:
    """A network with two hidden layers, read from bytes.

    Format: a header, three layers, and the checksum. A layer has weights row by row, 16 bits each, then a bias for each
    column, 32 bits each. All numbers are little-endian; weights and biases are signed, in units of 1 / 4096.
    """

    def __init__(self, data: bytes) -> None:
        """Read a network. Raises ``BadNetwork``."""
        features, first, second, outcomes = network_sizes(data)
        sizes = [(features, first), (first, second), (second, outcomes)]
        offset = HEADER.size
        layers = []
        for index, (rows, columns) in enumerate(sizes):
            layers.append(
                _layer(data, offset, rows, columns, LATER_LAYER_LANE_BITS if index else FIRST_LAYER_LANE_BITS)
            )
            offset += 2 * rows * columns + 4 * columns
        (self._rows1, self._bias1), (self._rows2, self._bias2), (self._rows3, self._bias3) = layers
        self._size1, self._size2, self._size3 = (
            first * FIRST_LAYER_LANE_BITS // 8,
            second * LATER_LAYER_LANE_BITS // 8,
            outcomes * LATER_LAYER_LANE_BITS // 8,
        )
        self._lanes1 = struct.Struct(f"<{first}I").unpack
        self._lanes2 = struct.Struct(f"<{second}Q").unpack
        self._lanes3 = struct.Struct(f"<{outcomes}Q").unpack

    def outcome_probabilities(self, features: list[int]) -> list[float]:
        """Return the probability of each outcome. *features* has the indices of the features that are present."""
        total = self._bias1
        rows = self._rows1
        for feature in features:
            total += rows[feature]
        lanes = self._lanes1(total.to_bytes(self._size1, "little"))
        total = _beyond(lanes, 1 << FIRST_LAYER_LANE_BITS - 1, 0, self._rows2, self._bias2)
        lanes, zero = self._lanes2(total.to_bytes(self._size2, "little")), 1 << LATER_LAYER_LANE_BITS - 1
        total = _beyond(lanes, zero, SCALE_BITS, self._rows3, self._bias3)
        return _softmax(
            [
                (lane - zero) / (UNIT_WEIGHT * UNIT_WEIGHT)
                for lane in self._lanes3(total.to_bytes(self._size3, "little"))
            ]
        )


def network_sizes(data: bytes) -> tuple[int, int, int, int]:
    """Return the number of features, units of both hidden layers, and outcomes. Raises ``BadNetwork``."""
    if len(data) < HEADER.size + CHECKSUM.size:
        raise BadNetwork
    features, first, second, outcomes = HEADER.unpack_from(data)
    length = HEADER.size + CHECKSUM.size
    for rows, columns in ((features, first), (first, second), (second, outcomes)):
        length += 2 * rows * columns + 4 * columns
    if len(data) != length or data[-CHECKSUM.size :] != checksum(data[: -CHECKSUM.size]):
        raise BadNetwork
    return features, first, second, outcomes


def checksum(data: bytes) -> bytes:
    """Return the checksum of *data*, a network without its checksum."""
    return CHECKSUM.pack(crc32(data))


def read_network(package: str, players: int, features: int, outcomes: int, name: str = "value") -> bytes:
    """Return the bytes of a game's network for a player count, ``<name>.<players>.bin`` in its package.

    Raises ``UnusableFile`` if the file can't be read, is damaged, or has another number of features or outcomes.
    """
    file = files(package).joinpath(f"{name}.{players}.bin")
    try:
        data = file.read_bytes()
        sizes = network_sizes(data)
    except OSError as error:
        raise UnusableFile(str(file), f"can't be read: {error.strerror}") from error
    except BadNetwork as error:
        raise UnusableFile(str(file), "is damaged") from error
    if (sizes[0], sizes[3]) != (features, outcomes):
        raise UnusableFile(str(file), "is of another game or player count")
    return data


def _beyond(lanes: tuple[int, ...], zero: int, bits: int, rows: list[int], bias: int) -> int:
    """Return the packed sums of the next layer, from the *lanes* of the previous one.

    *rows* and *bias* are those of the next layer, packed (``_layer``). *zero* is the value of a lane that represents 0.
    Each unit of the previous layer outputs its lane minus *zero*, or 0 if that is negative, shifted right by *bits*.
    """
    total = bias
    for index, lane in enumerate(lanes):
        if lane > zero:
            total += rows[index] * (lane - zero >> bits)
    return total


def _softmax(scores: list[float]) -> list[float]:
    top = max(scores)
    shares, total_weight = list[float](), 0.0
    for score in scores:
        shares.append(exp(score - top))
        total_weight += shares[-1]
    return [share / total_weight for share in shares]


def _layer(data: bytes, offset: int, rows: int, columns: int, bits: int) -> tuple[list[int], int]:
    """Return the packed rows of a layer, and its packed bias.

    The offset that ``_pack_lanes`` adds is subtracted from the rows, so that a sum of bias and rows contains it once.
    """
    weights = struct.unpack_from(f"<{rows * columns}h", data, offset)
    bias = struct.unpack_from(f"<{columns}i", data, offset + 2 * rows * columns)
    lifted = _pack_lanes([0] * columns, bits)
    packed = [_pack_lanes(list(weights[row * columns : (row + 1) * columns]), bits) - lifted for row in range(rows)]
    return packed, _pack_lanes([one << SCALE_BITS if bits == LATER_LAYER_LANE_BITS else one for one in bias], bits)


def _pack_lanes(numbers: list[int], bits: int) -> int:
    """Return *numbers* packed into one integer, the first in the lowest bits, in lanes of *bits* bits.

    Half of a lane's range is added to each number, so that negative numbers don't borrow from the next lane.
    """
    zero = 1 << bits - 1
    lanes = struct.pack(
        f"<{len(numbers)}{'Q' if bits == LATER_LAYER_LANE_BITS else 'I'}", *[zero + one for one in numbers]
    )
    return int.from_bytes(lanes, "little")

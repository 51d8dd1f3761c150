"""The value network: whole numbers in lanes of long integers say what the same weights say one by one."""

import re
from itertools import pairwise
from math import exp
from pathlib import Path
from random import Random

import pytest

from engines.ai.value_network import (
    HEADER,
    UNIT_WEIGHT,
    BadNetwork,
    ValueNetwork,
    checksum,
    network_sizes,
    read_network,
)
from engines.core.errors import UnusableFile

SIZES = (40, 7, 5, 3)

Layer = tuple[list[list[int]], list[int]]


def layers(rng: Random) -> list[Layer]:
    """Return weights and biases at random, as they are written: the extremes among them."""
    made = []
    for rows, columns in pairwise(SIZES):
        weights = [
            [rng.choice([rng.randrange(-UNIT_WEIGHT, UNIT_WEIGHT), 0]) for _ in range(columns)] for _ in range(rows)
        ]
        made.append((weights, [rng.randrange(-UNIT_WEIGHT, UNIT_WEIGHT) for _ in range(columns)]))
    made[0][0][0][0], made[0][0][1][0] = 2**15 - 1, -(2**15)
    return made


def written(made: list[Layer]) -> bytes:
    """Return a network as it is kept."""
    data = HEADER.pack(*SIZES)
    for weights, bias in made:
        data += b"".join(weight.to_bytes(2, "little", signed=True) for row in weights for weight in row)
        data += b"".join(one.to_bytes(4, "little", signed=True) for one in bias)
    return data + checksum(data)


def one_by_one(made: list[Layer], features: list[int]) -> list[float]:
    """Return what the network says, by the book."""
    units = [float(place in features) for place in range(SIZES[0])]
    for number, (weights, bias) in enumerate(made):
        sums = [sum(units[row] * weights[row][column] for row in range(len(units))) for column in range(len(bias))]
        units = [(one + other) / UNIT_WEIGHT for one, other in zip(sums, bias, strict=True)]
        if number < 2:
            units = [max(0.0, unit) for unit in units]
    shares = [exp(unit - max(units)) for unit in units]
    return [share / sum(shares) for share in shares]


@pytest.mark.parametrize("seed", range(20))
def test_lanes_say_what_the_weights_say_one_by_one(seed: int) -> None:
    """With any features, none and all of them too."""
    rng = Random(seed)
    made = layers(rng)
    network = ValueNetwork(written(made))
    for size in (0, 1, 12, SIZES[0]):
        features = sorted(rng.sample(range(SIZES[0]), size))
        assert network.outcome_probabilities(features) == pytest.approx(one_by_one(made, features), abs=2e-3)


def test_endings_are_shares_of_one() -> None:
    """One of the endings comes."""
    assert sum(ValueNetwork(written(layers(Random(1)))).outcome_probabilities([3, 4, 5])) == pytest.approx(1)


NETWORK = written(layers(Random(1)))


@pytest.mark.parametrize(
    "data", [b"", b"\0" * 7, b"\0" * 12, NETWORK[:-1], NETWORK + b"\0", NETWORK[: len(NETWORK) // 2]]
)
def test_what_is_no_network_is_refused(data: bytes) -> None:
    """Too short, or not as long as its header says."""
    with pytest.raises(BadNetwork):
        ValueNetwork(data)


@pytest.mark.parametrize("place", [0, HEADER.size, len(NETWORK) // 2, len(NETWORK) - 1])
def test_an_altered_byte_is_noticed(place: int) -> None:
    """Wherever it is, the checksum included."""
    with pytest.raises(BadNetwork):
        network_sizes(NETWORK[:place] + bytes([NETWORK[place] ^ 1]) + NETWORK[place + 1 :])


def test_a_file_is_read_with_its_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has to fit the game: as many features and outcomes."""
    folder = tmp_path / "a_game"
    folder.mkdir()
    (folder / "__init__.py").touch()
    file = folder / "value.3.bin"
    file.write_bytes(NETWORK)
    monkeypatch.syspath_prepend(tmp_path)

    assert read_network("a_game", 3, features=SIZES[0], outcomes=SIZES[3]) == NETWORK
    for features, outcomes in ((SIZES[0] + 1, SIZES[3]), (SIZES[0], SIZES[3] + 1)):
        with pytest.raises(UnusableFile, match=re.escape(f"{file} is of another game or player count")):
            read_network("a_game", 3, features=features, outcomes=outcomes)
    with pytest.raises(UnusableFile, match=re.escape(f"{folder / 'value.2.bin'} can't be read: No such file")):
        read_network("a_game", 2, features=SIZES[0], outcomes=SIZES[3])

"""The value network: whole numbers in lanes of long integers say what the same weights say one by one."""

from itertools import pairwise
from math import exp
from random import Random

import pytest

from engines.ai.value_network import HEADER, ONE, BadNetwork, ValueNetwork

SIZES = (40, 7, 5, 3)

Layer = tuple[list[list[int]], list[int]]


def layers(rng: Random) -> list[Layer]:
    """Return weights and biases at random, as they are written: the extremes among them."""
    made = []
    for rows, columns in pairwise(SIZES):
        weights = [[rng.choice([rng.randrange(-ONE, ONE), 0]) for _ in range(columns)] for _ in range(rows)]
        made.append((weights, [rng.randrange(-ONE, ONE) for _ in range(columns)]))
    made[0][0][0][0], made[0][0][1][0] = 2**15 - 1, -(2**15)
    return made


def written(made: list[Layer]) -> bytes:
    """Return a network as it is kept."""
    data = HEADER.pack(*SIZES)
    for weights, bias in made:
        data += b"".join(weight.to_bytes(2, "little", signed=True) for row in weights for weight in row)
        data += b"".join(one.to_bytes(4, "little", signed=True) for one in bias)
    return data


def one_by_one(made: list[Layer], features: list[int]) -> list[float]:
    """Return what the network says, by the book."""
    units = [float(place in features) for place in range(SIZES[0])]
    for number, (weights, bias) in enumerate(made):
        sums = [sum(units[row] * weights[row][column] for row in range(len(units))) for column in range(len(bias))]
        units = [(one + other) / ONE for one, other in zip(sums, bias, strict=True)]
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


@pytest.mark.parametrize("data", [b"", b"\0" * 7, written(layers(Random(1)))[:-1], written(layers(Random(1))) + b"\0"])
def test_what_is_no_network_is_refused(data: bytes) -> None:
    """Too short, or not as long as its header says."""
    with pytest.raises(BadNetwork):
        ValueNetwork(data)

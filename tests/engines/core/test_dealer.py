"""The verifiable dealer against a few lines written from the contract (docs/fairness.md), and its fairness."""

import hashlib
import hmac
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core.cards import PACK, Card
from engines.core.dealer import (
    CoupledDealer,
    Dealer,
    SeededDealer,
    SimulationDealer,
    action_seed,
    commitment,
    game_key,
    player_seed,
)

KNOWN_WORDS = [63254422, 1761549095, 182788645, 525002986, 548481524, 4187728613, 1776434731, 2284138779, 1632666520]

SEEDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def words(seed: str, count: int) -> list[int]:
    """Return the first words of the seed text's stream."""
    blocks = [hmac.new(seed.encode(), b"%d" % block, hashlib.sha256).digest() for block in range(count // 8 + 1)]
    stream = b"".join(blocks)
    return [int.from_bytes(stream[4 * place : 4 * place + 4], "big") for place in range(count)]


def numbers(seed: str, bounds: list[int]) -> list[int]:
    """Return numbers below each of *bounds*, in one stream, with words at or over k * (2**32 // k) passed over."""
    stream = iter(words(seed, 4 * len(bounds) + 64))
    return [next(word for word in stream if word < bound * (2**32 // bound)) % bound for bound in bounds]


def shuffled(seed: str, cards: list[Card]) -> list[Card]:
    """Return *cards* in the order that the contract says."""
    pile, places = list(cards), list(range(len(cards) - 1, 0, -1))
    for place, other in zip(places, numbers(seed, [place + 1 for place in places]), strict=True):
        pile[place], pile[other] = pile[other], pile[place]
    return pile


def dealt(dealer: Dealer, cards: list[Card]) -> list[Card]:
    """Return *cards* as *dealer* shuffles them."""
    pile = list(cards)
    dealer.shuffle(pile)
    return pile


@given(seed=SEEDS, count=st.integers(0, 54))
def test_a_shuffle_follows_from_its_seed(seed: str, count: int) -> None:
    """Blocks of eight words, Fisher-Yates from the last place down."""
    cards = list(PACK[:count])

    assert dealt(SeededDealer(seed), cards) == shuffled(seed, cards)


@given(seed=SEEDS, bounds=st.lists(st.integers(1, 2**32), max_size=30))
def test_numbers_follow_from_the_seed(seed: str, bounds: list[int]) -> None:
    """Any bound up to 2**32, words that would favour small numbers passed over."""
    dealer = SeededDealer(seed)

    assert [dealer.below(bound) for bound in bounds] == numbers(seed, bounds)


def test_a_stream_that_is_known() -> None:
    """The first words of one seed, written out, so that no change of both sides goes unseen."""
    assert words("seed", 9) == KNOWN_WORDS
    assert [SeededDealer("seed").below(2**32)] == KNOWN_WORDS[:1]


def test_one_dealer_is_one_stream() -> None:
    """The second shuffle goes on where the first ended; piles of one card or none use no word."""
    seed, dealer, first = "stream", SeededDealer("stream"), list(PACK[:9])
    assert dealt(dealer, first) == shuffled(seed, first)
    assert dealt(dealer, []) == []
    assert dealt(dealer, [PACK[0]]) == [PACK[0]]

    assert dealer.below(2**32) == words(seed, 9)[8]


@pytest.mark.parametrize("bound", [2, 3, 6, 7, 54])
@pytest.mark.parametrize("dealer", [SeededDealer("even"), SimulationDealer(Random(1))], ids=["seeded", "quick"])
def test_numbers_are_even(dealer: Dealer, bound: int) -> None:
    """Each number comes as often as the others: chi-square, with a generous bound."""
    tries = 200 * bound
    seen = Counter(dealer.below(bound) for _ in range(tries))

    assert set(seen) == set(range(bound))
    assert sum((seen[number] - 200) ** 2 / 200 for number in range(bound)) < bound + 6 * (2 * bound) ** 0.5


def test_no_number_is_favoured_by_the_remainder() -> None:
    """Below 3 * 2**30 a plain modulo would give the lowest third twice as often."""
    dealer, bound = SeededDealer("remainder"), 3 * 2**30

    low = sum(dealer.below(bound) < 2**30 for _ in range(3000))

    assert 900 < low < 1100


@pytest.mark.parametrize("make", [SeededDealer, lambda seed: SimulationDealer(Random(seed))], ids=["seeded", "quick"])
def test_every_order_is_as_likely(make: type[SeededDealer]) -> None:
    """The 24 orders of four cards, 4,800 shuffles."""
    seen = Counter(tuple(dealt(make(str(number)), list(PACK[:4]))) for number in range(4800))

    assert len(seen) == 24
    assert sum((often - 200) ** 2 / 200 for often in seen.values()) < 24 + 6 * 48**0.5


def test_the_commitment_is_the_hash_of_the_seed() -> None:
    """SHA-256 of 32 zero bytes, as anybody's tool says it."""
    assert commitment(bytes(32)) == "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"


@given(seed=st.binary(min_size=32, max_size=32), client_seeds=st.lists(SEEDS, min_size=1, max_size=4))
def test_the_game_key_holds_every_seed(seed: bytes, client_seeds: list[str]) -> None:
    """HMAC under the secret seed of the client seeds in seat order, one line each."""
    message = "\n".join(client_seeds).encode()
    key = hmac.new(seed, message, hashlib.sha256).digest()

    assert game_key(seed, client_seeds) == key
    assert action_seed(key, 0) == hmac.new(key, b"0", hashlib.sha256).hexdigest()
    assert action_seed(key, 12) == hmac.new(key, b"12", hashlib.sha256).hexdigest()


def test_a_seat_without_a_seed_keeps_its_line() -> None:
    """Who gave which seed matters."""
    assert len({game_key(bytes(32), seeds) for seeds in (["a"], ["a", ""], ["", "a"], ["", ""])}) == 4


def test_ais_and_deals_have_seeds_of_their_own() -> None:
    """No two of them are the same text."""
    key = game_key(bytes(32), [""])
    seeds = [action_seed(key, number) for number in range(20)]
    seeds += [player_seed(key, version, seat) for version in range(20) for seat in range(4)]

    assert len(set(seeds)) == len(seeds) == 100


def test_a_coupled_dealer_keeps_what_nobody_has_seen_in_order() -> None:
    """What is mixed in comes between the others; with equal luck mostly to the same place in a pile like it."""
    alike = 0
    for luck in range(50):
        one, other = list(range(1, 30)), list(range(2, 30))
        for pile in (one, other):
            dealer = CoupledDealer(range(30), luck)
            pile.append(40)
            dealer.shuffle(pile)
        assert [card for card in one if card not in (1, 40)] == list(range(2, 30))
        alike += other == [card for card in one if card != 1]
    assert alike > 30


def test_a_coupled_dealer_mixes_in_anywhere() -> None:
    """A card that was on top, and one that was never in the pile, are as likely to come first as last."""
    places = Counter[tuple[int, int]]()
    for luck in range(6000):
        dealer, pile = CoupledDealer([1, 2, 3], luck), [2, 3, 1]
        dealer.shuffle(pile)
        dealer.shuffle(again := [*pile[1:], pile[0], 7])
        places.update((card, again.index(card)) for card in (pile[0], 7))
    for card in (1, 7):
        share = [places[card, place] / sum(places[card, other] for other in range(4)) for place in range(4)]
        assert all(abs(one - 0.25) < 0.04 for one in share), share


def test_a_coupled_dealer_draws_numbers_by_its_luck() -> None:
    """All of those below the bound, the same with the same luck."""
    assert {CoupledDealer([], luck).below(3) for luck in range(50)} == {0, 1, 2}
    assert CoupledDealer([], 5).below(1000) == CoupledDealer([], 5).below(1000)

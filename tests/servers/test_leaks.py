"""No card reaches anybody who may not know it: not in any answer, stream or line of the log, in whole games."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from engines import RULESETS
from engines.core.types import Json
from tests.servers.entitled import Truth, cards_in
from tests.servers.overheard import Overheard, offences, secrets
from tests.servers.served import RunningServer, running_server

TABLES = [(name, players) for name, ruleset in RULESETS.items() for players in ruleset.player_counts]
FULL = [(name, ruleset.player_counts[-1]) for name, ruleset in RULESETS.items()]
"""The tables of each ruleset at which there is most to keep from each other."""
PLAYED = [("regicide", 2), *FULL]
SHORTLY = [PLAYED[0], *(table for table in FULL if table[0] != PLAYED[0][0])]
"""One table of each ruleset; the others are for ``make long``."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Give a server that says all that it has to say."""
    curious = {"REGICIDE_RATE_REQUESTS": "0", "REGICIDE_RATE_CREATE": "0", "REGICIDE_RATE_JOBS": "0"}
    with running_server(tmp_path_factory.mktemp("leaks") / "data", REGICIDE_LOG_LEVEL="debug", **curious) as running:
        yield running


def overheard(
    served: RunningServer, ruleset: str, players: int, seed: str, *, thorough: bool
) -> tuple[Overheard, Json]:
    """Return a whole game, with all that anybody was sent, and its record."""
    game = Overheard(served.url, ruleset, players, Random(seed))
    return game, game.play(thorough=thorough)


@pytest.fixture(scope="module")
def duel(served: RunningServer) -> tuple[Overheard, Json]:
    """Give a game of two."""
    return overheard(served, "regicide", 2, "a duel", thorough=False)


def assert_nothing_leaks(served: RunningServer, game: Overheard, record: Json) -> None:
    """Hold every byte against what its reader may know, and the log against what nobody may read there."""
    truth = Truth(record, game.dealt_at)
    assert list(offences(game, truth)) == []
    hidden = secrets(record, truth)
    assert [(one.asked, word) for one in game.heard if not one.is_record for word in hidden if word in one.text] == []
    tokens = [token.encode() for token in game.tokens.values()]
    assert [sum(token in one.text for one in game.heard) for token in tokens] == [1] * len(tokens)
    log = served.log.read_bytes()
    assert cards_in(log) == set()
    assert [word for word in (*hidden, *tokens) if word in log] == []
    for (version, seat), told in game.refusals.items():
        same = {words for card, words in told.items() if card not in truth.lies_open(version, seat)}
        assert len(same) <= 1, f"what {seat} hears at {version} of hidden cards: {same}"


@pytest.mark.parametrize(
    ("ruleset", "players"),
    [pytest.param(*table, marks=() if table in SHORTLY else pytest.mark.long) for table in PLAYED],
)
def test_whole_games(served: RunningServer, duel: tuple[Overheard, Json], ruleset: str, players: int) -> None:
    """One game each: every stream of everybody, and at each version some questions of somebody.

    ``make long`` plays at the other tables too. What a view shows at each is held in tests/contract/test_worlds.py.
    """
    is_duel = (ruleset, players) == ("regicide", 2)
    game, record = duel if is_duel else overheard(served, ruleset, players, f"leaks {players}", thorough=False)

    assert_nothing_leaks(served, game, record)
    print(f"{ruleset} for {players}: {len(game.heard)} answers and messages, {game.version} versions")  # noqa: T201


@pytest.mark.long
@pytest.mark.parametrize("number", range(10))
@pytest.mark.parametrize(("ruleset", "players"), TABLES)
def test_many_games(served: RunningServer, ruleset: str, players: int, number: int) -> None:
    """Everybody asks everything, at every version."""
    game, record = overheard(served, ruleset, players, f"many leaks {players} {number}", thorough=True)

    assert_nothing_leaks(served, game, record)


def test_a_leak_would_be_found(duel: tuple[Overheard, Json]) -> None:
    """Somebody who hears what was meant for another seat, or too little."""
    game, record = duel
    truth, version = Truth(record, game.dealt_at), game.dealt_at
    to_seat = next(one for one in game.heard if one.viewer == 0 and b'"hands"' in one.text)
    told = truth.events_seen(version, 0)
    hidden = min(truth.lies_open(version, 1) - truth.lies_open(version, 0))
    wrong = [
        replace(to_seat, viewer=1),
        replace(to_seat, viewer=None),
        replace(to_seat, text=f"X-Request-Id: {hidden}".encode(), body=None, low=version, high=version),
        replace(to_seat, text=b"{}", body={"version": version, "events": truth.events_seen(version, 1)}),
        replace(to_seat, text=b"{}", body={"version": version, "events": told[:-1]}),
        replace(
            to_seat, text=b"{}", body={"version": version, "events": [{**told[0], "text": f"{hidden}."}, *told[1:]]}
        ),
        replace(to_seat, text=b"{}", body=record, high=truth.last - 1),
    ]

    found = [list(offences(replace(game, heard=[one]), truth)) for one in wrong]

    assert all(found)
    assert list(offences(replace(game, heard=[to_seat]), truth)) == []

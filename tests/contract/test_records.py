"""Law 2, of whole games: what a record says is enough; law 7, of AIs: what a view says is all."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from functools import cache
from random import Random

import pytest

from api.commands.check_ruleset.generated_games import Setup, Walk, by_chance, by_policy, setups, through_json
from engines import RULESETS
from engines.contract.default_levels import LEVELS
from engines.core.types import Json
from engines.ruleset import Ruleset
from engines.table import table_json
from engines.table.seats import Seat
from engines.table.table import Table
from tests.contract.replay import answer, replayed

UNMEASURED = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
"""An environment in which nothing counts what a process covers, which takes three times as long."""
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@cache
def played(setup_text: str, player: str) -> tuple[Json, Json, list[Json]]:
    """Return the record of a hosted game, its last position and its events; chance plays, or a level."""
    setup = SETUPS[setup_text]
    seats = [Seat("human", name=f"Ñ{number}", client_seed=f"ñ{number}") for number in range(setup.players)]
    seed = Random(setup_text).randbytes(32)
    change = Table.open(game_id="g", ruleset=setup.ruleset, options=setup.options, seats=seats, seed=seed, now=NOON)
    table, heard, rng = change.table, list(change.events), Random(player)
    entries: list[Json] = []
    while table.status == "active":
        observation = table.observation(0)
        assert table.position is not None
        assert observation is not None
        if player == "chance":
            seat, action = by_chance(table.position, rng)
        else:
            seat, action = by_policy(setup.ruleset, table.position, observation.seed, player)
        change = table.act(seat, rng.choice([action.as_json(), str(action)]), NOON + timedelta(seconds=table.version))
        line = table_json.line(table, change.entry)
        assert line is not None
        table, heard, entries = change.table, [*heard, *change.events], [*entries, line]
    assert table.position is not None
    return through_json(table_json.record(table, entries)), table.position.dump(), [event.as_json() for event in heard]


SETUPS = {
    str(setup): setup
    for ruleset in RULESETS.values()
    for players in ruleset.player_counts
    for setup in setups(ruleset, players)
}
GAMES = [(setup, player) for setup in SETUPS for player in ("chance", "adept")]


@pytest.mark.no_cover
@pytest.mark.parametrize(("setup", "player"), GAMES)
def test_2_a_record_gives_the_game_again(setup: str, player: str) -> None:
    """Seed, client seeds, options and actions lead to the same last position, by the same events."""
    record, last, heard = played(setup, player)

    again = replayed(record)

    assert again["position"] == last
    assert again["events"] == heard
    assert again["found"] == []


@pytest.mark.search
@pytest.mark.no_cover
@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
def test_2_another_process_comes_to_the_same(ruleset: Ruleset) -> None:
    """Neither positions nor AIs depend on how a process hashes, or on anything that happened in it before.

    This process hashes by a seed of its own, whatever that is.
    """
    requests = [{"record": played(str(setup), "chance")[0]} for setup in SETUPS.values() if setup.ruleset is ruleset]
    requests += [asked for setup in SETUPS.values() if setup.ruleset is ruleset for asked in questions(setup)]
    answers = [answer(request) for request in requests]

    told = subprocess.run(
        [sys.executable, "-m", "tests.contract.replay"],
        input="".join(json.dumps(request) + "\n" for request in requests),
        env=UNMEASURED | {"PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert [json.loads(line) for line in told.stdout.splitlines()] == answers


def questions(setup: Setup) -> list[Json]:
    """Return what AIs of every level may be asked on a walk; those that search are asked at every fourth moment."""
    asked = []
    for number, moment in enumerate(Walk(setup, 3, 8, 12).moments()):
        for seat in range(setup.players):
            may, signals = bool(moment.position.legal(seat)), bool(moment.position.signals(seat))
            if may or signals:
                about = {"ruleset": setup.ruleset.name, "view": moment.position.view(seat), "seat": seat}
                asked += [
                    {"choose": {**about, "level": level, "seed": f"s{number}", "may": may, "signals": signals}}
                    for level in LEVELS
                    if number % 4 == 0 or setup.ruleset.levels[level].budget is None
                ]
    return asked

"""Whole games through HTTP, played by people at several connections and by AIs, then checked version by version."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from random import Random

from api.client import Created, Json, Player, Problem, Server
from engines import RULESETS, opponents

OVERTAKEN = {"stale_version", "not_your_turn", "game_over", "illegal_action"}
"""What somebody hears who decided on a version that others have moved on from."""

PATIENCE = 60.0


@dataclass(frozen=True)
class Played:
    """One game after its end."""

    game: Json
    record: Json
    events: list[Json]

    def assert_whole(self) -> None:
        """Every version has its events, in order, without a gap; every action made a version of its own."""
        versions = [event["version"] for event in self.events]
        assert versions == sorted(versions)
        assert set(versions) == set(range(self.game["version"] + 1))
        acted = [entry["version"] for entry in self.record["actions"]]
        assert acted == sorted(set(acted))
        assert self.game["status"] == "finished"

    def longest_wait(self) -> float:
        """Return the longest that an AI let the table wait, in seconds."""
        entries = self.record["actions"]
        times = [datetime.fromisoformat(entry["at"]) for entry in entries]
        waits = [
            (now - before).total_seconds()
            for before, now, entry in zip(times, times[1:], entries[1:], strict=False)
            if entry["ai"]
        ]
        return max(waits, default=0.0)


def play(url: str, ruleset: str, kinds: str, seed: str) -> Played:
    """Play one game: *kinds* has ``h`` for a seat that people play, ``a`` and ``n`` for an adept and a novice."""
    levels = {"a": "adept", "n": "novice"}
    seats = [
        {"kind": "human", "name": f"Seat {number}"} if kind == "h" else {"kind": "ai", "level": levels[kind]}
        for number, kind in enumerate(kinds)
    ]
    with Server(url) as server:
        created = server.create(ruleset, seats, client_seed=seed)
        with ThreadPoolExecutor(len(created.players)) as people:
            for over in [people.submit(_sit, url, created, seat, f"{seed}/{seat}") for seat in created.players]:
                over.result()
        host = created.host
        return Played(dict(host.look()), host.record(), host.events())


def _sit(url: str, created: Created, seat: int, seed: str) -> None:
    """Play *seat* from a connection of its own until the game has ended: well most of the time, else by chance.

    Whoever may interrupt does so now and then.
    """
    rng = Random(seed)
    with Server(url) as server:
        me = Player(server, created.game["id"], created.players[seat].token)
        game = me.look()
        while game["status"] == "active":
            if seat in game["to_act"]:
                _act(me, dict(game), rng)
            elif seat in game["may_act"] and rng.random() < 0.2:
                _interrupt(me, rng)
            game = me.wait_for_change(game["version"], within=PATIENCE)


def _act(me: Player, game: Json, rng: Random) -> None:
    ruleset = RULESETS[game["ruleset"]]
    if rng.random() < 0.1:
        action = str(rng.choice(me.actions() or [{"text": "yield"}])["text"])  # nothing is legal: somebody was quicker
    else:
        action = str(opponents.choose(ruleset, "adept", game["view"], game["you"], str(rng.random()), {}).action)
    _try(me, action, game["version"])


def _interrupt(me: Player, rng: Random) -> None:
    legal = me.actions()
    if legal:
        _try(me, rng.choice(legal)["text"], None)


def _try(me: Player, action: str, version: int | None) -> None:
    try:
        me.act(action, expected=version)
    except Problem as problem:
        if problem.code not in OVERTAKEN:
            raise

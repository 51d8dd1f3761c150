"""Whole games through HTTP, played by people at several connections and by AIs, then checked version by version."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from random import Random
from threading import Event
from uuid import uuid4

from engines import RULESETS
from engines.ai import decision
from engines.ai.observation import Observation
from regicide_client import Created, Player, ProblemError, RegicideClient
from regicide_client.types import Game, GameRecord, Json

OVERTAKEN = {"stale_version", "game_over"}
"""What somebody hears who acts on a version that others have moved on from."""

TOO_LATE = {"not_your_turn", "game_over", "illegal_action"}
"""What somebody hears who interrupts without a look at the version, when others were quicker."""

Done = tuple[int, int, str]
"""An act that was answered well: seat, version, text."""

PATIENCE = 60.0
RETRY = 30.0
"""Seconds for which a server may be away: longer than any test allows, so that it can say how long it was."""

BY_CHANCE = 0.1
INTERRUPTS = 0.2
REPEATED = 5
"""Each fifth version is asked for twice."""


@dataclass(frozen=True)
class Played:
    """One game after its end."""

    game: Game
    record: GameRecord
    events: list[Json]
    done: list[Done]

    def assert_whole(self) -> None:
        """Every version has its events, in order, without a gap; every act that was answered is in it, once."""
        versions = [event["version"] for event in self.events]
        assert versions == sorted(versions)
        assert set(versions) == set(range(self.game["version"] + 1))
        by_people = [entry for entry in self.record["actions"] if entry["ai"] is None]
        acts = [(entry["seat"], entry["version"], entry["text"]) for entry in by_people]
        assert acts == sorted(self.done, key=_version)
        assert self.game["status"] == "finished"

    def longest_pause(self) -> float:
        """Return the longest time from one action to the next, in seconds."""
        times = [datetime.fromisoformat(entry["at"]) for entry in self.record["actions"]]
        return max(((now - before).total_seconds() for before, now in pairwise(times)), default=0.0)

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
    with RegicideClient(url, retry_seconds=RETRY) as server:
        created = server.create(ruleset, seats, client_seed=seed)
        with ThreadPoolExecutor(len(created.players)) as people:
            sitting = [people.submit(_sit, url, created, seat, f"{seed}/{seat}") for seat in created.players]
            done = [act for seat in sitting for act in seat.result()]
        host = created.host
        return Played(host.fetch(), host.record(), host.events(), done)


def _version(done: Done) -> int:
    return done[1]


def _sit(url: str, created: Created, seat: int, seed: str) -> list[Done]:
    """Play *seat* from a connection of its own until the game has ended: well most of the time, else by chance.

    Whoever may interrupt does so now and then. Returns what was answered well.
    """
    rng, done = Random(seed), list[Done]()
    with RegicideClient(url, retry_seconds=RETRY) as server:
        me = Player(server, created.game["id"], created.players[seat].token)
        game = me.fetch()
        while game["status"] == "active":
            if seat in game["to_act"]:
                done += _act(me, dict(game), rng)
            elif seat in game["may_act"] and rng.random() < INTERRUPTS:
                done += _interrupt(me, seat, rng)
            game = me.wait_for_change(game["version"], timeout=PATIENCE)
    return done


def _act(me: Player, game: Json, rng: Random) -> list[Done]:
    ruleset, seat = RULESETS[game["ruleset"]], game["you"]
    legal = me.actions() if rng.random() < BY_CHANCE else []
    if legal:  # none: somebody was quicker
        return _try(me, seat, rng.choice(legal)["text"], game["version"])
    action = decision.think(
        decision.Question("adept", Observation(ruleset, game["view"], seat, str(rng.random())))
    ).action
    return _try(me, seat, str(action), game["version"])


def _interrupt(me: Player, seat: int, rng: Random) -> list[Done]:
    legal = me.actions()
    return _try(me, seat, rng.choice(legal)["text"], None) if legal else []


def _try(me: Player, seat: int, action: str, version: int | None) -> list[Done]:
    """Act, and tell what was answered well. With *version* only a stale one may be refused.

    Now and then the same is sent again, and gets the same answer.
    """
    key = str(uuid4())
    try:
        turn = me.act(action, expected=version, key=key)
    except ProblemError as problem:
        if problem.code not in (TOO_LATE if version is None else OVERTAKEN):
            raise
        return []
    if turn["version"] % REPEATED == 0:
        assert me.act(action, expected=version, key=key) == turn
    return [(seat, turn["version"], action)]


def play_until(url: str, stop: Event, kinds: Sequence[tuple[str, str]]) -> list[Played]:
    """Play games until told to stop, as many at a time as there are *kinds*, each of a ruleset and its seats."""

    def again_and_again(number: int) -> list[Played]:
        ruleset, seats = kinds[number]
        played: list[Played] = []
        while not stop.is_set():
            played.append(play(url, ruleset, seats, f"{number}/{len(played)}"))
        return played

    with ThreadPoolExecutor(len(kinds)) as rooms:
        return [game for room in rooms.map(again_and_again, range(len(kinds))) for game in room]
